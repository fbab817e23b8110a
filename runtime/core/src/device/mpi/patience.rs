//! How threads wait for MPI, which tells nobody when something has come.

#![allow(unsafe_code, reason = "asks the system to wake a thread on time")]

use std::time::{Duration, Instant};

/// Looks at once, where something is expected within a microsecond or two.
const AT_ONCE: u32 = 50;
/// How long a worker that has nothing else to do looks.
const IDLE: Duration = Duration::from_millis(1);
/// How long the thread of messages sleeps between looks: short beside a task, and long beside a look, which a worker's core is
/// taken for.
const SLEEP: Duration = Duration::from_micros(30);
/// The same after a long wait.
const LONG: Duration = Duration::from_micros(200);
/// What a long wait is, in sleeps.
const MANY: u32 = 1000;

/// How long a thread has waited.
#[derive(Default)]
pub(crate) struct Patience {
    looks: u32,
    sleeps: u32,
    since: Option<Instant>,
}

impl Patience {
    /// That of a calling thread that sleeps.
    pub(super) fn of_own_thread() -> Patience {
        // SAFETY: takes no addresses. Where it fails, sleeps are longer.
        unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1_u64) };
        Patience::default()
    }

    /// Begins anew, after something has happened.
    pub(super) fn reset(&mut self) {
        *self = Patience::default();
    }

    /// Sleeps a little, if this has gone on for some looks; how long all has taken.
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

    /// Lets others have the core between looks; false once it has taken long.
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
