//! What a task does on one tile.

use super::Context;

/// What a body returns where it fails: any error.
pub type BodyError = Box<dyn std::error::Error + Send + Sync>;

/// What a task does on one tile, on a CPU.
///
/// Tiles of one call run at the same time on several threads.
pub trait CpuBody: Send + Sync {
    /// Does it.
    ///
    /// # Errors
    /// Whatever the body's own error is: the call fails with it, and nobody can read what it would have written.
    fn run(&self, context: &mut Context<'_, '_>) -> Result<(), BodyError>;
}

impl<F> CpuBody for F
where
    F: Fn(&mut Context<'_, '_>) -> Result<(), BodyError> + Send + Sync,
{
    fn run(&self, context: &mut Context<'_, '_>) -> Result<(), BodyError> {
        self(context)
    }
}
