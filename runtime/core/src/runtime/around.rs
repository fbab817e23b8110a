//! What a front end does around the waits of its calls: it lets other threads of its interpreter run, and looks at signals.

use std::sync::OnceLock;
use std::time::Duration;

use crate::error::Error;

/// A wait of so long at most, which says whether what is waited for has come.
pub type Slice<'a> = dyn Fn(Duration) -> bool + Sync + 'a;

/// What a front end does around waits.
#[derive(Clone, Copy, Debug)]
pub struct Around {
    /// Calls a slice again and again until it says that what is waited for has come. With `true` it may give up before, which the call does
    /// not notice: the front end raises what made it do so when the call has returned.
    pub through: fn(&Slice<'_>, bool),
    /// Calls a slice again and again until it says that what is waited for has come. False where it gave up before, which ends the call
    /// with [`Error::Interrupted`].
    pub until: fn(&Slice<'_>) -> bool,
}

static AROUND: OnceLock<Around> = OnceLock::new();

/// Has calls that wait do so as `around` says from now on, in the whole process. The first one that is given stays.
pub fn around_waits(around: Around) {
    let _ = AROUND.set(around);
}

/// Whether there is a front end.
pub(super) fn is_there() -> bool {
    AROUND.get().is_some()
}

/// Waits as the front end wants, to the end: for what uses memory of the call. Without a front end it does not wait: the caller then does.
pub(super) fn through(wait_for: impl Fn(Duration) -> bool + Sync) {
    if let Some(around) = AROUND.get() {
        (around.through)(&wait_for, false);
    }
}

/// Waits as the front end wants, who may give up. Without one it waits to the end.
pub(super) fn for_a_while(wait_for: impl Fn(Option<Duration>) -> bool + Sync) {
    match AROUND.get() {
        Some(around) => (around.through)(&|most| wait_for(Some(most)), true),
        None => {
            wait_for(None);
        }
    }
}

/// Waits as the front end wants, who may give up. Without one it does not wait: the caller then does.
pub fn until(wait_for: impl Fn(Duration) -> bool + Sync) -> Result<(), Error> {
    match AROUND.get() {
        Some(around) if !(around.until)(&wait_for) => Err(Error::Interrupted),
        _ => Ok(()),
    }
}
