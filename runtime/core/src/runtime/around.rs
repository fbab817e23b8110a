//! Hooks of a front end around the waits of its calls, to run other threads of its interpreter and
//! to check signals.

use std::sync::OnceLock;
use std::time::Duration;

use crate::error::Error;

/// A wait of at most the given time, which returns whether the awaited event has occurred.
pub type Slice<'a> = dyn Fn(Duration) -> bool + Sync + 'a;

/// The hooks of a front end around waits.
#[derive(Clone, Copy, Debug)]
pub struct Around {
    /// Calls a slice repeatedly until it returns true. With `true` it may give up earlier, which
    /// the call does not notice: the front end raises the reason when the call has returned.
    pub through: fn(&Slice<'_>, bool),
    /// Calls a slice repeatedly until it returns true. Returns false if it gave up earlier, which
    /// ends the call with [`Error::Interrupted`].
    pub until: fn(&Slice<'_>) -> bool,
}

static AROUND: OnceLock<Around> = OnceLock::new();

/// Sets the hooks for all waits of the process. Later calls have no effect.
pub fn around_waits(around: Around) {
    let _ = AROUND.set(around);
}

/// Whether there is a front end.
pub(super) fn is_there() -> bool {
    AROUND.get().is_some()
}

/// Waits through the front end until operations that use memory of the call have ended. Without a
/// front end, does not wait, and the caller must.
pub(super) fn through(wait_for: impl Fn(Duration) -> bool + Sync) {
    if let Some(around) = AROUND.get() {
        (around.through)(&wait_for, false);
    }
}

/// Waits through the front end, which may give up. Without one it waits to the end.
pub(super) fn for_a_while(wait_for: impl Fn(Option<Duration>) -> bool + Sync) {
    match AROUND.get() {
        Some(around) => (around.through)(&|most| wait_for(Some(most)), true),
        None => {
            wait_for(None);
        }
    }
}

/// Waits through the front end, which may give up. Without one it does not wait, and the caller
/// must.
pub fn until(wait_for: impl Fn(Duration) -> bool + Sync) -> Result<(), Error> {
    match AROUND.get() {
        Some(around) if !(around.until)(&wait_for) => Err(Error::Interrupted),
        _ => Ok(()),
    }
}
