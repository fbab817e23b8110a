//! Models of data that the runtime's threads share. They check every order in which a few threads
//! can take their steps.
//!
//! The runtime's files are compiled again, with the locks and counters of a model checker. It finds
//! data that is read before it is visible, and threads that sleep forever. Run by `RUSTFLAGS="--cfg
//! loom" cargo test -p weft-core --release --test loom`.

#![cfg(loom)]
#![allow(clippy::unwrap_used, reason = "a mistake in a test must stop it")]
#![allow(
    dead_code,
    unreachable_pub,
    reason = "the models use a part of each file"
)]

#[path = "../../src/task/countdown.rs"]
mod countdown;
#[path = "../../src/operation/latch.rs"]
mod latch;
#[path = "../../src/task/outstanding.rs"]
mod outstanding;
#[path = "../../src/task/ready.rs"]
mod ready;
#[path = "../../src/task/submission.rs"]
mod submission;
#[path = "../../src/device/cpu/team.rs"]
mod team;

mod countdowns;
mod latches;
mod outstandings;
mod queue;
mod run;
mod shared;
mod submissions;
mod teams;

/// Locks and counters of the files above.
mod sync {
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, AtomicUsize};
    pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard};

    /// Checks once: repeated checks in a row show nothing else.
    pub(crate) fn spin(looks: u32, mut done: impl FnMut() -> bool) -> bool {
        looks > 0 && done()
    }

    /// Checks once, like `spin`.
    pub(crate) fn yield_until(_most: std::time::Duration, mut done: impl FnMut() -> bool) -> bool {
        done()
    }
}
