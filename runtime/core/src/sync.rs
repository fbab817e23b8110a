//! What threads share is built of these.
//!
//! Files that take their locks and counters from here alone can be checked by a model checker: `tests/loom` compiles
//! them with a `sync` of its own.

pub(crate) use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, AtomicUsize};
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

/// Looks `looks` times at most whether it is `done`, and says whether it was. For what sleeping would make slower.
pub(crate) fn spin(looks: u32, mut done: impl FnMut() -> bool) -> bool {
    for _ in 0..looks {
        if done() {
            return true;
        }
        std::hint::spin_loop();
    }
    false
}

/// Looks until it is `done` or `most` has passed, and lets other threads run in between; says whether it was done.
pub(crate) fn yield_until(most: Duration, mut done: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    while !done() {
        if start.elapsed() > most {
            return false;
        }
        thread::yield_now();
    }
    true
}
