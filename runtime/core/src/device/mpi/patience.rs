//! Polling of MPI, which does not notify threads of arriving messages.

#![allow(unsafe_code, reason = "asks the system to wake a thread on time")]

use std::time::{Duration, Instant};

/// Number of tests without a pause, for messages that arrive within a microsecond or two.
const AT_ONCE: u32 = 50;
/// Time that an idle worker polls.
const IDLE: Duration = Duration::from_millis(1);
/// Time that the message thread sleeps between polls: short compared with a task, and long compared
/// with a poll, which takes a worker's core.
const SLEEP: Duration = Duration::from_micros(30);
/// Time that the message thread sleeps between polls after a long wait.
const LONG: Duration = Duration::from_micros(200);
/// Number of sleeps after which a wait counts as long.
const MANY: u32 = 1000;

/// Duration of a thread's wait, in tests and sleeps.
#[derive(Default)]
pub(crate) struct Patience {
    looks: u32,
    sleeps: u32,
    since: Option<Instant>,
}

impl Patience {
    /// Returns the state of a thread that sleeps, and makes the calling thread's sleeps precise.
    pub(super) fn for_own_thread() -> Patience {
        // SAFETY: the call takes no addresses. If it fails, sleeps take longer.
        unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1_u64) };
        Patience::default()
    }

    /// Restarts the wait, after a message has moved.
    pub(super) fn reset(&mut self) {
        *self = Patience::default();
    }

    /// Waits between two polls. After the first polls it sleeps and returns the time of the whole
    /// wait.
    pub(super) fn sleep(&mut self) -> Option<Duration> {
        self.looks += 1;
        if self.looks <= AT_ONCE {
            std::hint::spin_loop();
            return None;
        }
        let since = *self.since.get_or_insert_with(Instant::now);
        self.sleeps += 1;
        std::thread::sleep(if self.sleeps < MANY { SLEEP } else { LONG });
        Some(since.elapsed())
    }

    /// Yields the core between two polls. Returns false after a long wait.
    pub(super) fn spin(&mut self) -> bool {
        self.looks += 1;
        if self.looks <= AT_ONCE {
            std::hint::spin_loop();
            return true;
        }
        let since = *self.since.get_or_insert_with(Instant::now);
        std::thread::yield_now();
        since.elapsed() < IDLE
    }
}
