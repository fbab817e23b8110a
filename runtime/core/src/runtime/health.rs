//! How a run fares: what has failed, and whether it goes on.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use super::crash::Crashes;
use super::failures::Failures;
use super::interrupt::Interrupts;
use crate::error::{Cause, DriverError, Failure};
use crate::operation::{Inheritance, Operation};

/// What is known of it.
pub(crate) struct Health {
    /// Operations that failed, of all levels.
    pub(super) failures: Arc<Failures>,
    /// Why a GPU does nothing any more.
    pub(super) lost: OnceLock<DriverError>,
    /// Panics of threads.
    pub(super) crashes: Arc<Crashes>,
    /// Threads that have said who they are.
    pub(super) threads: AtomicU32,
    /// Whether the run has ended, in whatever way.
    pub(super) has_finished: AtomicBool,
    /// Whether the ranks have agreed on how it ended.
    pub(super) has_agreed: AtomicBool,
    /// Set where the process exits without finishing: what has not begun never runs, and is not waited for.
    pub(super) is_abandoned: Arc<AtomicBool>,
    /// Interrupts of the program, and what they dropped.
    pub(super) interrupts: Interrupts,
}

impl Default for Health {
    fn default() -> Health {
        Health::of_level(Arc::default())
    }
}

impl Health {
    /// That of another level of the same run.
    pub(super) fn of_level(failures: Arc<Failures>) -> Health {
        Health {
            failures,
            lost: OnceLock::new(),
            crashes: Arc::default(),
            threads: AtomicU32::new(0),
            has_finished: AtomicBool::new(false),
            has_agreed: AtomicBool::new(false),
            is_abandoned: Arc::default(),
            interrupts: Interrupts::from_now_on(),
        }
    }

    /// Poisons what an operation would have written, and remembers the failure for [`finish`](super::finish) and the end of the process.
    ///
    /// An operation that reads what a dropped one would have written is dropped with it: only operations that are dropped read that, but some
    /// of their tasks may start before the search has found them.
    pub(crate) fn fail(&self, operation: &Operation, failure: &Arc<Failure>) {
        operation.poison(failure);
        self.tell_with(operation.failed_inputs(), failure);
        match failure.cause {
            Cause::Dropped => self.interrupts.count(operation),
            _ => self.failures.add(failure),
        }
    }

    /// Remembers that a GPU was lost, where nobody knows which operation met it first.
    pub(crate) fn lose(&self, error: &DriverError) {
        self.lost.get_or_init(|| error.clone());
    }

    /// Fails an operation whose work has run, if one that it depends on has failed meanwhile.
    pub(crate) fn inherit(&self, inheritance: &Inheritance) {
        let mut inherited = inheritance.failed_inputs();
        let Some(failure) = inherited.next() else {
            return;
        };
        inheritance.poison(&failure);
        if matches!(failure.cause, Cause::Dropped) {
            return;
        }
        self.tell_with(inherited, &failure);
        self.failures.add(&failure);
    }

    /// Marks the failures of an operation's inputs as told once `failure` is: each alone would have failed the operation, so the
    /// program needs to learn of only one.
    fn tell_with(&self, inputs: impl Iterator<Item = Arc<Failure>>, failure: &Arc<Failure>) {
        for other in inputs.filter(|other| other.uid != failure.uid) {
            self.failures.tell_with(other.uid, failure.uid);
        }
    }

    /// What is set where the process exits without finishing.
    pub(crate) fn abandonment(&self) -> Arc<AtomicBool> {
        self.is_abandoned.clone()
    }

    /// Whether the process exits without finishing: what has not begun never runs.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.is_abandoned.load(Ordering::Relaxed)
    }
}
