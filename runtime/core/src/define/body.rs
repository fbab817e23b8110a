//! Bodies of tasks for CPUs.

use super::{Context, Kind, Parameter};
use crate::error::BodyError;

/// A body for CPUs.
///
/// Tiles of one call run at the same time on several threads. A small call may run at once on the
/// program's thread, while no other thread can call the runtime. So a body must not wait for a lock
/// or thread that waits for such a call.
pub trait CpuBody: Send + Sync {
    /// Runs the task on one tile.
    ///
    /// # Errors
    /// Returns an error if the body fails. The call fails with its error, and its outputs cannot be
    /// read.
    fn run(&self, context: &mut Context<'_, '_>) -> Result<(), BodyError>;

    /// Returns whether it runs code that the compiler has not checked: an interpreter's, or a
    /// function of C. Such a body never runs at once on the program's thread, where it would wait
    /// for an interpreter's lock while it holds one of the runtime. The booleans that it writes are
    /// normalised to 0 or 1.
    fn is_foreign(&self) -> bool {
        false
    }

    /// Returns whether it can fill results of unknown length. A function of C cannot.
    fn fills_unbound(&self) -> bool {
        true
    }
}

/// Returns why a body does not support a parameter; `None` if it supports all.
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
