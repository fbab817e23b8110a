//! Panics of the runtime's threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::Health;
use crate::error::Crash;
use crate::operation::Latch;

/// Panics of threads, and the waiters to be released.
#[derive(Default)]
pub(crate) struct Crashes {
    pub(crate) first: OnceLock<Arc<Crash>>,
    /// Whether it has been reported to the program.
    pub(crate) is_told: AtomicBool,
    /// Latches that threads of the program wait for.
    awaited: Mutex<Vec<Arc<Latch>>>,
    #[cfg(any(test, feature = "testing"))]
    trap: std::sync::atomic::AtomicU8,
}

impl Crashes {
    pub(crate) fn awaited(&self) -> MutexGuard<'_, Vec<Arc<Latch>>> {
        self.awaited.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells whether a wait may never end: a thread of the runtime has panicked, or the program has
/// given up.
#[derive(Clone)]
pub(crate) struct Stopped {
    crashes: Arc<Crashes>,
    is_abandoned: Arc<AtomicBool>,
}

impl Stopped {
    pub(crate) fn is_set(&self) -> bool {
        self.crashes.first.get().is_some() || self.is_abandoned.load(Ordering::Acquire)
    }
}

/// Places where tests make threads panic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(unreachable_pub, reason = "`testing` names it")]
pub enum Trap {
    /// The thread that analyses operations: the utility thread, or the program's if there is none.
    Analysis = 1,
    /// A CPU worker, or the leader of an OMP group, with a task.
    Worker,
    /// A member of an OMP group with a tile.
    Tile,
    /// An operation that runs on the program's own thread.
    Inline,
    /// The thread that drives GPUs.
    Dispatcher,
    /// The thread that waits for GPUs.
    Completion,
    /// A CPU worker of a run with GPUs.
    Host,
}

impl Health {
    /// Returns the first panic of a thread.
    pub(crate) fn crashed(&self) -> Option<&Arc<Crash>> {
        self.crashes.first.get()
    }

    /// Whether a call or a wait has returned the panic.
    pub(crate) fn is_crash_told(&self) -> bool {
        self.crashes.is_told.load(Ordering::Relaxed)
    }

    /// Returns a handle that tells whether a wait may never end.
    pub(crate) fn stopped(&self) -> Stopped {
        Stopped {
            crashes: self.crashes.clone(),
            is_abandoned: self.is_abandoned.clone(),
        }
    }

    /// Panics if a test has set a trap for this place.
    #[inline(always)]
    pub(crate) fn trap(&self, site: Trap) {
        #[cfg(any(test, feature = "testing"))]
        {
            let set = &self.crashes.trap;
            // The first load makes this free if no trap is set.
            let springs = set.load(Ordering::Relaxed) == site as u8
                && set
                    .compare_exchange(site as u8, 0, Ordering::AcqRel, Ordering::Relaxed)
                    .is_ok();
            assert!(!springs, "a trap at {site:?}");
        }
        #[cfg(not(any(test, feature = "testing")))]
        let _ = site;
    }

    /// Makes the next thread that reaches a place panic.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn set_trap(&self, site: Trap) {
        let set = &self.crashes.trap;
        set.store(site as u8, Ordering::Release);
    }
}
