//! The end of the process: the remaining work of its runtimes, and the exit status.
//!
//! If a program exits with status 0, everything under way is completed, as by
//! [`finish`](super::finish). If an operation failed and its failure was not reported, it is
//! printed and the status becomes 1. If a program exits with another status, it keeps it, and tasks
//! that have not begun never run. An interrupted program whose status does not show this ends by
//! the signal.

#![allow(
    unsafe_code,
    reason = "changes the actions of signals and the exit status"
)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, TryLockError, Weak};
use std::time::Duration;

use weft_trace::file::process_generation;

use super::{Runtime, Shared};
use crate::at_exit;
use crate::error::Error;
use crate::health::Untold;
use crate::say::say;

/// Time between two checks for interrupts in a wait at the exit.
const LOOK: Duration = Duration::from_millis(50);

/// Maximum number of failures that are printed one by one.
const PRINTED: usize = 8;

/// Runtimes that may still have threads.
static RUNTIMES: Mutex<Vec<Weak<Shared>>> = Mutex::new(Vec::new());
/// The process that has unreported failures, as its generation plus one; 0 if none has.
static FAILED: AtomicU64 = AtomicU64::new(0);
/// The process that is to end by an interrupt, as its generation plus one; 0 if none is.
static INTERRUPTED: AtomicU64 = AtomicU64::new(0);

/// Makes the process end by an interrupt instead of with status 0. Another interrupt ends it at
/// once.
pub(super) fn end_by_interrupt() {
    INTERRUPTED.store(process_generation() + 1, Ordering::Relaxed);
    heed_no_more();
}

/// Makes another interrupt end the process at once: restores the signal's default effect, unless it
/// is ignored.
pub fn heed_no_more() {
    // SAFETY: the structure is plain data that the C library fills and reads.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        let is_known = libc::sigaction(libc::SIGINT, std::ptr::null(), &raw mut action) == 0;
        if is_known && action.sa_sigaction != libc::SIG_IGN {
            libc::signal(libc::SIGINT, libc::SIG_DFL);
        }
    }
}

/// Ends the process by an interrupt, now. The profile keeps what was recorded, but is not
/// completed.
pub fn end_by_signal() {
    // SAFETY: takes no addresses. The signal's own effect ends the process; if it is blocked, the
    // program continues.
    unsafe {
        libc::signal(libc::SIGINT, libc::SIG_DFL);
        libc::raise(libc::SIGINT);
    }
}

/// Ends a runtime before the process exits.
pub(super) fn watch(runtime: &Runtime) {
    at_exit::register(leave);
    let mut runtimes = RUNTIMES.lock().unwrap_or_else(PoisonError::into_inner);
    runtimes.retain(|known| known.strong_count() > 0);
    runtimes.push(Arc::downgrade(&runtime.shared));
}

/// Prints failures not yet reported to the program, and remembers them for the exit status.
pub(super) fn report(untold: &Untold, error: Option<&Error>) {
    for failure in untold.failures.iter().take(PRINTED) {
        say(format_args!("weft: {failure}"));
    }
    let more = untold.failures.len().saturating_sub(PRINTED) + untold.more;
    if more > 0 {
        say(format_args!("weft: and {more} more operations failed"));
    }
    if untold.more_shared > 0 {
        let text = match untold.more_shared {
            1 => "1 more operation failed for the same reason".to_owned(),
            many => format!("{many} more operations failed for the same reason"),
        };
        say(format_args!("weft: and {text}"));
    }
    // A failed operation is among those above, or was reported to the program.
    let error = error.filter(|error| !matches!(error, Error::Failed(_)));
    if let Some(error) = error {
        say(format_args!("weft: {error}"));
    }
    let is_own = error.is_some_and(|error| !matches!(error, Error::Elsewhere(_)));
    if is_own || !untold.failures.is_empty() || untold.more > 0 {
        FAILED.store(process_generation() + 1, Ordering::Relaxed);
    }
}

/// Whether an interrupt arrived while the runtimes end.
static CAME: AtomicBool = AtomicBool::new(false);

/// A handler of interrupts in place of the default effect, while the runtimes end. The first
/// interrupt ends the process once the profiles are complete, the second at once. Dropping it
/// restores the default effect.
struct Heeded(Option<libc::sigaction>);

impl Heeded {
    /// Installs the handler, unless the signal is ignored or the program has its own handler.
    fn new() -> Heeded {
        extern "C" fn heed(_: libc::c_int) {
            if CAME.swap(true, Ordering::Relaxed) {
                end_by_signal();
            }
        }
        // SAFETY: the structures are plain data that the C library fills and reads. The handler
        // sets a flag and calls only functions that a handler may call.
        unsafe {
            let mut before: libc::sigaction = std::mem::zeroed();
            let is_known = libc::sigaction(libc::SIGINT, std::ptr::null(), &raw mut before) == 0;
            if !is_known || before.sa_sigaction != libc::SIG_DFL {
                return Heeded(None);
            }
            let mut own = before;
            own.sa_sigaction = heed as extern "C" fn(libc::c_int) as libc::sighandler_t;
            own.sa_flags = libc::SA_RESTART;
            let is_set = libc::sigaction(libc::SIGINT, &raw const own, std::ptr::null_mut()) == 0;
            Heeded(is_set.then_some(before))
        }
    }
}

impl Drop for Heeded {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            // SAFETY: restores the action that the C library returned.
            unsafe { libc::sigaction(libc::SIGINT, before, std::ptr::null_mut()) };
        }
    }
}

/// Waits for all operations of a runtime; returns true if an interrupt arrives first.
fn is_interrupted(runtime: &Runtime) -> bool {
    runtime.core().close_group();
    let outstanding = &runtime.core().queues.outstanding;
    while !outstanding.is_none() && !outstanding.wait_for(0, LOOK) {
        if CAME.load(Ordering::Relaxed) {
            return true;
        }
    }
    false
}

/// Ends all runtimes of this process; returns whether the status is to be 1.
fn end_all(is_success: bool) -> bool {
    // Taken without waiting: the exiting thread may hold the lock.
    let runtimes = match RUNTIMES.try_lock() {
        Ok(mut runtimes) => std::mem::take(&mut *runtimes),
        Err(TryLockError::Poisoned(poisoned)) => std::mem::take(&mut *poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => return false,
    };
    let heeded = Heeded::new();
    for shared in runtimes.iter().filter_map(Weak::upgrade) {
        if !shared.core.is_of_this_process() {
            // Its threads belong to the parent.
            std::mem::forget(shared);
            continue;
        }
        if shared.core.health.has_finished.load(Ordering::Acquire) {
            continue;
        }
        let runtime = Runtime { shared };
        match is_success && !is_interrupted(&runtime) {
            true => runtime.end_reported(),
            false => runtime.abandon(),
        }
    }
    drop(heeded);
    if CAME.load(Ordering::Relaxed) {
        end_by_interrupt();
    }
    FAILED.load(Ordering::Relaxed) == process_generation() + 1
}

/// The exit function called by the C library. The status is not known everywhere; then it stays as
/// it is.
fn leave(status: Option<libc::c_int>) {
    let is_success = status.unwrap_or(0) == 0;
    let failed = catch_unwind(AssertUnwindSafe(|| end_all(is_success))).unwrap_or(false);
    if is_success && INTERRUPTED.load(Ordering::Relaxed) == process_generation() + 1 {
        end_by_signal();
    }
    if failed && status == Some(0) {
        // SAFETY: takes no addresses. glibc lets a function that runs at exit call `exit`: it
        // continues with the remaining functions, and flushes, with the new status.
        unsafe { libc::exit(1) };
    }
}
