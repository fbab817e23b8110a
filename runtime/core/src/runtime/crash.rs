//! Panics of the runtime's threads: nothing may wait for such a thread.
//!
//! Work of the thread may be half done, and the rest of it never ends. So nothing more runs: all
//! other threads stop, all waiters are released, and every later call returns the reason.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use super::{Core, Health};
use crate::device::cpu::text_of;
use crate::error::{CallError, Crash, Error};
use crate::operation::Latch;

/// The program gave up.
const ABANDONED: CallError = CallError::Runtime(ENDING);

/// The error of calls and waits at the end of a program that was interrupted or failed.
pub(super) const ENDING: &str =
    "the run is ending: the program was interrupted or failed, and nothing more is computed";

/// Panics of threads, and the waiters to be released.
#[derive(Default)]
pub(super) struct Crashes {
    first: OnceLock<Arc<Crash>>,
    /// Whether it has been reported to the program.
    is_told: AtomicBool,
    /// Latches that threads of the program wait for.
    awaited: Mutex<Vec<Arc<Latch>>>,
    #[cfg(any(test, feature = "testing"))]
    trap: std::sync::atomic::AtomicU8,
}

impl Crashes {
    fn awaited(&self) -> MutexGuard<'_, Vec<Arc<Latch>>> {
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
    pub(super) fn is_crash_told(&self) -> bool {
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

impl Core {
    /// Runs a thread of the runtime to its end; a panic stops the whole runtime.
    pub(crate) fn run_thread(&self, name: &str, body: impl FnOnce()) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(body)) {
            self.crash(name, &*panic);
            self.observers.recorder.detach_thread();
        }
    }

    /// Runs a part of the runtime's work on a thread of the program; after a panic nothing more
    /// runs.
    pub(crate) fn on_program_thread<R>(&self, body: impl FnOnce() -> R) -> R {
        struct Unfinished<'a>(&'a Core);
        impl Drop for Unfinished<'_> {
            fn drop(&mut self) {
                self.0.crash("of the program", &"its own message says why");
            }
        }
        let unfinished = Unfinished(self);
        let done = body();
        std::mem::forget(unfinished);
        done
    }

    /// Notes that a thread has panicked, and releases all waiters.
    fn crash(&self, thread: &str, panic: &(dyn Any + Send)) {
        let crash = Crash {
            thread: thread.to_owned(),
            why: text_of(panic),
        };
        self.health.crashes.first.get_or_init(|| Arc::new(crash));
        self.let_go();
    }

    /// Releases all waiters, which might otherwise wait forever. The reason has been noted.
    pub(super) fn let_go(&self) {
        self.queues.outstanding.break_off();
        self.stop_threads();
        for latch in self.health.crashes.awaited().drain(..) {
            latch.open();
        }
    }

    /// Whether nothing more runs: a thread has panicked, or the program has given up.
    pub(crate) fn has_stopped(&self) -> bool {
        self.crashed().is_some() || self.health.is_abandoned()
    }

    /// Returns the first panic of a thread.
    pub fn crashed(&self) -> Option<&Arc<Crash>> {
        self.health.crashed()
    }

    /// Returns an error if nothing runs any more.
    pub fn check_stop(&self) -> Result<(), CallError> {
        match self.crashed() {
            Some(crash) => {
                self.health.crashes.is_told.store(true, Ordering::Relaxed);
                Err(CallError::Crashed(crash.clone()))
            }
            None if self.health.is_abandoned() => Err(ABANDONED),
            None => Ok(()),
        }
    }

    /// Returns the error of a wait if nothing runs any more.
    pub(crate) fn stop_error(&self) -> Option<Error> {
        self.check_stop().err().map(|error| match error {
            CallError::Crashed(crash) => Error::Crashed(crash),
            error => error.into(),
        })
    }

    /// Waits for the end of an operation. It may never come: then [`crashed`](Self::crashed)
    /// returns the reason.
    pub fn await_latch(&self, latch: &Arc<Latch>) {
        self.await_latch_for(latch, None);
    }

    /// Like [`await_latch`](Self::await_latch), but for at most `most` if given. Returns whether
    /// the operation has ended, or a panic has ended the wait.
    pub fn await_latch_for(&self, latch: &Arc<Latch>, most: Option<Duration>) -> bool {
        if latch.spin() {
            return true;
        }
        self.health.crashes.awaited().push(latch.clone());
        // The thread that ends the run opens the latches in this list.
        let ended = self.has_stopped()
            || match most {
                Some(most) => latch.wait_for(most),
                None => {
                    latch.wait();
                    true
                }
            };
        let mut awaited = self.health.crashes.awaited();
        awaited.retain(|other| !Arc::ptr_eq(other, latch));
        ended
    }
}
