//! The end of the process: what its runtimes still do, and with which status it ends.
//!
//! A program that ends with status 0 gets what it asked for: everything under way is completed, as by [`finish`](super::finish). Where an
//! operation failed and nobody was told, the failure is printed and the status becomes 1. A program that ends with another status
//! keeps it, and what has not begun never runs. One that was interrupted where its own status says nothing of it ends by the signal.

#![allow(unsafe_code, reason = "registers a function with the C library")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError, TryLockError, Weak};

use weft_trace::file::process_generation;

use super::failures::Untold;
use super::{Runtime, Shared};
use crate::error::Error;
use crate::say::say;

/// Failures that are printed each by itself.
const PRINTED: usize = 8;

/// Runtimes that may still have threads.
static RUNTIMES: Mutex<Vec<Weak<Shared>>> = Mutex::new(Vec::new());
/// The process in which something failed that the program was not told of, as one more than its generation; 0 where nothing did.
static FAILED: AtomicU64 = AtomicU64::new(0);
/// The same of the process that is to end by an interrupt.
static INTERRUPTED: AtomicU64 = AtomicU64::new(0);

/// Has the process end by an interrupt where it would with status 0.
pub(super) fn end_by_interrupt() {
    INTERRUPTED.store(process_generation() + 1, Ordering::Relaxed);
}

/// Has a runtime end before the process does.
pub(super) fn watch(runtime: &Runtime) {
    static ONCE: Once = Once::new();
    ONCE.call_once(register);
    let mut runtimes = RUNTIMES.lock().unwrap_or_else(PoisonError::into_inner);
    runtimes.retain(|known| known.strong_count() > 0);
    runtimes.push(Arc::downgrade(&runtime.shared));
}

/// Prints what the program was not told of, and remembers it for the exit status.
pub(super) fn report(untold: &Untold, error: Option<&Error>) {
    for failure in untold.failures.iter().take(PRINTED) {
        say(format_args!("weft: {failure}"));
    }
    let more = untold.failures.len().saturating_sub(PRINTED) + untold.more;
    if more > 0 {
        say(format_args!("weft: and {more} more operations failed"));
    }
    // The failure of an operation is among those above, or the program knows of it.
    let error = error.filter(|error| !matches!(error, Error::Failed(_)));
    if let Some(error) = error {
        say(format_args!("weft: {error}"));
    }
    let is_own = error.is_some_and(|error| !matches!(error, Error::Elsewhere(_)));
    if is_own || !untold.failures.is_empty() || untold.more > 0 {
        FAILED.store(process_generation() + 1, Ordering::Relaxed);
    }
}

/// Ends all runtimes of this process, and says whether the status is to be 1.
fn end_all(is_success: bool) -> bool {
    // Taken without waiting: the exiting thread may hold the lock.
    let runtimes = match RUNTIMES.try_lock() {
        Ok(mut runtimes) => std::mem::take(&mut *runtimes),
        Err(TryLockError::Poisoned(poisoned)) => std::mem::take(&mut *poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => return false,
    };
    for shared in runtimes.iter().filter_map(Weak::upgrade) {
        if !shared.core.is_of_this_process() {
            // Its threads are those of the parent.
            std::mem::forget(shared);
            continue;
        }
        if shared.core.health.has_finished.load(Ordering::Acquire) {
            continue;
        }
        let runtime = Runtime { shared };
        match is_success {
            true => runtime.end_reported(),
            false => runtime.abandon(),
        }
    }
    FAILED.load(Ordering::Relaxed) == process_generation() + 1
}

/// The body of what the C library calls. The status is not known everywhere; then it stays as it is.
fn leave(status: Option<libc::c_int>) {
    let is_success = status.unwrap_or(0) == 0;
    let failed = catch_unwind(AssertUnwindSafe(|| end_all(is_success))).unwrap_or(false);
    if is_success && INTERRUPTED.load(Ordering::Relaxed) == process_generation() + 1 {
        // SAFETY: takes no addresses. The signal's own effect ends the process; where it is blocked, the exit goes on.
        unsafe {
            libc::signal(libc::SIGINT, libc::SIG_DFL);
            libc::raise(libc::SIGINT);
        }
    }
    if failed && status == Some(0) {
        // SAFETY: takes no addresses. glibc lets a function that runs at exit call `exit`: it goes on with the functions that
        // are left, and flushes, with the new status.
        unsafe { libc::exit(1) };
    }
}

/// Registers what runs at exit. glibc tells it the status.
#[cfg(target_env = "gnu")]
fn register() {
    use std::ffi::{c_int, c_void};
    unsafe extern "C" {
        fn on_exit(function: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
    }
    extern "C" fn leaving(status: c_int, _: *mut c_void) {
        leave(Some(status));
    }
    // SAFETY: declared as in glibc's stdlib.h; the function does not unwind and lives as long as the process.
    unsafe { on_exit(leaving, std::ptr::null_mut()) };
}

/// Registers what runs at exit.
#[cfg(not(target_env = "gnu"))]
fn register() {
    extern "C" fn leaving() {
        leave(None);
    }
    // SAFETY: the function does not unwind and lives as long as the process.
    unsafe { libc::atexit(leaving) };
}
