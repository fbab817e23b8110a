//! The health of a run: failures, panics, and whether it continues.

mod crash;
mod failures;
mod interrupt;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use self::crash::Crashes;
pub(crate) use self::crash::Stopped;
#[allow(unreachable_pub, reason = "`testing` names it")]
pub use self::crash::Trap;
pub(crate) use self::failures::{Failures, Untold};
use self::interrupt::Interrupts;
pub use self::interrupt::note_interrupt;
use crate::error::{Cause, DriverError, Failure};
use crate::operation::{Inheritance, Operation};

/// The failures and the end of a run.
pub(crate) struct Health {
    /// Operations that failed, of all levels.
    pub(crate) failures: Arc<Failures>,
    /// The error because of which GPUs no longer run anything.
    pub(crate) lost: OnceLock<DriverError>,
    /// Panics of threads.
    pub(crate) crashes: Arc<Crashes>,
    /// Number of threads that have registered.
    pub(crate) threads: AtomicU32,
    /// Whether the run has ended, in any way.
    pub(crate) has_finished: AtomicBool,
    /// Whether the ranks have agreed on how it ended.
    pub(crate) has_agreed: AtomicBool,
    /// Set if the process exits without finishing: tasks that have not begun never run, and are not
    /// waited for.
    pub(crate) is_abandoned: Arc<AtomicBool>,
    /// Interrupts of the program, and the operations dropped by them.
    pub(crate) interrupts: Interrupts,
}

impl Default for Health {
    fn default() -> Health {
        Health::for_level(Arc::default())
    }
}

impl Health {
    /// Creates the health of another level of the same run.
    pub(crate) fn for_level(failures: Arc<Failures>) -> Health {
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

    /// Poisons the stores that an operation would have written, and keeps the failure for
    /// [`finish`](crate::runtime::finish) and the end of the process.
    ///
    /// An operation that reads a result of a dropped one is dropped with it. Only dropped
    /// operations read that result, but some of their tasks may start before the search has found
    /// them.
    pub(crate) fn fail(&self, operation: &Operation, failure: &Arc<Failure>) {
        operation.poison(failure);
        self.tell_with(operation.failed_inputs(), failure);
        match failure.cause {
            Cause::Dropped => self.interrupts.count(operation),
            _ => self.failures.add(failure),
        }
    }

    /// Like [`fail`](Self::fail), for an operation of which only the outputs are kept.
    pub(crate) fn fail_outputs(&self, outputs: &Inheritance, failure: &Arc<Failure>) {
        outputs.poison(failure);
        self.failures.add(failure);
    }

    /// Notes that a GPU was lost, if it is unknown which operation was first to fail.
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

    /// Marks the failures of an operation's inputs as reported along with `failure`. Each alone
    /// would have failed the operation, so one report is enough.
    fn tell_with(&self, inputs: impl Iterator<Item = Arc<Failure>>, failure: &Arc<Failure>) {
        for other in inputs.filter(|other| other.uid != failure.uid) {
            self.failures.tell_with(other.uid, failure.uid);
        }
    }

    /// Returns the flag that is set if the process exits without finishing.
    pub(crate) fn abandonment(&self) -> Arc<AtomicBool> {
        self.is_abandoned.clone()
    }

    /// Whether the process exits without finishing: tasks that have not begun never run.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.is_abandoned.load(Ordering::Relaxed)
    }
}
