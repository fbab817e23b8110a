//! The files of a process when it ends or forks.
//!
//! At exit every file is finished. On SIGTERM the keeper's thread finishes them and then lets the
//! signal end the process, unless the program handles the signal itself. A forked child leaves its
//! parent's files alone.

use super::keeper;
use super::sys;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};

/// The number of forks between the first process and this one.
static GENERATION: AtomicU64 = AtomicU64::new(0);

/// The id of the process whose keeper the bell wakes.
static OWNER: AtomicI32 = AtomicI32::new(0);
static BELL: AtomicI32 = AtomicI32::new(-1);

/// Whether SIGTERM has arrived.
static TERMINATED: AtomicBool = AtomicBool::new(false);

/// Returns a number that differs between a process and its forks.
#[inline]
pub fn generation() -> u64 {
    GENERATION.load(Ordering::Relaxed)
}

/// Whether SIGTERM has arrived.
pub(crate) fn terminated() -> bool {
    TERMINATED.load(Ordering::Acquire)
}

/// Starts to count forks, for [`generation`], and registers finishing all files at exit.
pub fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| sys::on_exit_and_fork(at_exit, in_child));
}

/// Forwards SIGTERM to the keeper with this bell.
pub(crate) fn watch_sigterm(bell: &sys::Bell) {
    static ONCE: Once = Once::new();
    BELL.store(bell.fd(), Ordering::Relaxed);
    OWNER.store(sys::pid(), Ordering::Release);
    ONCE.call_once(|| {
        if sys::sigterm_is_default() {
            sys::on_sigterm(on_sigterm);
        }
    });
}

extern "C" fn at_exit() {
    keeper::finish_all();
}

extern "C" fn in_child() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
    TERMINATED.store(false, Ordering::Relaxed);
}

/// Handles SIGTERM with stores and async-signal-safe calls only.
extern "C" fn on_sigterm(_signal: libc::c_int) {
    if OWNER.load(Ordering::Acquire) == sys::pid() {
        TERMINATED.store(true, Ordering::Release);
        if sys::ring(BELL.load(Ordering::Relaxed)) {
            return;
        }
    }
    sys::end_by_sigterm();
}
