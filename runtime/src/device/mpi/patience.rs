//! How the thread of messages waits for MPI, which tells nobody when something has come.

#![allow(unsafe_code, reason = "asks the system to wake the thread on time")]

use std::time::{Duration, Instant};

/// Looks at once, where something is expected within a microsecond or two.
const AT_ONCE: u32 = 50;
/// Looks after which the processors are asked whether they have anything to do.
const YIELDS: u32 = 200;
/// How long the thread sleeps where processors work meanwhile: short beside a task, and long beside a look.
const SLEEP: Duration = Duration::from_micros(30);
/// The same after a long wait.
const LONG: Duration = Duration::from_micros(200);
/// What a long wait is, in sleeps.
const MANY: u32 = 1000;

/// How long a thread has waited.
pub(super) struct Patience {
    looks: u32,
    sleeps: u32,
    since: Option<Instant>,
}

impl Patience {
    /// That of the calling thread.
    pub(super) fn new() -> Patience {
        // SAFETY: takes no addresses. Where it fails, sleeps are longer.
        unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1_u64) };
        Patience {
            looks: 0,
            sleeps: 0,
            since: None,
        }
    }

    /// Begins anew, after something has happened.
    pub(super) fn renew(&mut self) {
        (self.looks, self.sleeps, self.since) = (0, 0, None);
    }

    /// Waits a little: longer where processors would be held up. After a while, how long all has taken.
    pub(super) fn wait(&mut self, is_idle: impl FnOnce() -> bool) -> Option<Duration> {
        self.looks += 1;
        if self.looks <= AT_ONCE {
            std::hint::spin_loop();
            return None;
        }
        let since = *self.since.get_or_insert_with(Instant::now);
        if self.looks <= AT_ONCE + YIELDS && is_idle() {
            std::thread::yield_now();
            return None;
        }
        self.sleeps += 1;
        std::thread::sleep(if self.sleeps < MANY { SLEEP } else { LONG });
        Some(since.elapsed())
    }
}
