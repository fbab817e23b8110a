//! What a task does on one tile.

use super::{Context, Kind, Parameter};

/// What a body returns where it fails: any error.
pub type BodyError = Box<dyn std::error::Error + Send + Sync>;

/// What a task does on one tile, on a CPU.
///
/// Tiles of one call run at the same time on several threads. A small call may run at once on the program's thread, while no other thread
/// can call anything of the runtime: a body waits for no lock or thread that waits for such a call.
pub trait CpuBody: Send + Sync {
    /// Does it.
    ///
    /// # Errors
    /// Whatever the body's own error is: the call fails with it, and nobody can read what it would have written.
    fn run(&self, context: &mut Context<'_, '_>) -> Result<(), BodyError>;

    /// Whether it runs code that the compiler did not check: an interpreter's, or a function of C. It then never runs at once on the
    /// program's thread, where it would wait for an interpreter's lock while it holds one of the runtime, and what it writes to arrays
    /// of booleans is made 0 or 1.
    fn is_foreign(&self) -> bool {
        false
    }

    /// Whether it can fill results of unknown length: a function of C has no way to.
    fn fills_unbound(&self) -> bool {
        true
    }
}

/// Why a body cannot do what a parameter asks for; `None` where it can.
pub(super) fn refusal(parameters: &[Parameter], body: &dyn CpuBody) -> Option<String> {
    let mut unbound = parameters.iter().filter(|one| one.kind == Kind::Unbound);
    let name = &unbound.next().filter(|_| !body.fills_unbound())?.name;
    Some(format!(
        "{name}: a function of C cannot fill a result of unknown length; use an output as long as the longest, and one for the count"
    ))
}

impl<F> CpuBody for F
where
    F: Fn(&mut Context<'_, '_>) -> Result<(), BodyError> + Send + Sync,
{
    fn run(&self, context: &mut Context<'_, '_>) -> Result<(), BodyError> {
        self(context)
    }
}
