//! Primitives of synchronisation.
//!
//! Files that take their locks and atomics only from here can be checked by a model checker:
//! `tests/loom` compiles them with a `sync` of its own.

pub(crate) use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, AtomicUsize};
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

/// Polls `done` at most `looks` times; returns whether it was true. For short waits that sleeping
/// would lengthen.
pub(crate) fn spin(looks: u32, mut done: impl FnMut() -> bool) -> bool {
    for _ in 0..looks {
        if done() {
            return true;
        }
        std::hint::spin_loop();
    }
    false
}

/// Polls `done` until it is true or `most` has passed, and yields to other threads in between;
/// returns whether it was true.
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
