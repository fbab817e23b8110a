//! Panics of the runtime's threads: nothing may wait for such a thread.
//!
//! Work of the thread may be half done, and the rest of it never ends. So nothing more runs: all
//! other threads stop, all waiters are released, and every later call returns the reason.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::Core;
use crate::device::cpu::text_of;
use crate::error::{CallError, Crash, Error};
use crate::operation::Latch;

/// The program gave up.
const ABANDONED: CallError = CallError::Runtime(ENDING);

/// The error of calls and waits at the end of a program that was interrupted or failed.
pub(super) const ENDING: &str =
    "the run is ending: the program was interrupted or failed, and nothing more is computed";

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
