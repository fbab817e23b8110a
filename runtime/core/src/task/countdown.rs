//! The number of unfinished predecessors of a task, and the tasks that wait for it.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use smallvec::SmallVec;
use weft_trace::time::Timestamp;

use crate::sync::{AtomicBool, AtomicI64, AtomicU32, Mutex, MutexGuard};

/// Handles of the tasks that wait for one task.
pub(crate) type Waiting<W> = SmallVec<[W; 2]>;

/// Counts down the predecessors of a task; `W` is a handle to a waiting task, which has a countdown
/// of its own.
pub(crate) struct Countdown<W> {
    /// Number of unfinished predecessors, plus one while the analysis searches for them.
    pending: AtomicU32,
    /// Latest time of a release, in nanoseconds since boot.
    ready: AtomicI64,
    /// The tasks that wait for this one; `None` once it has ended.
    waiting: Mutex<Option<Waiting<W>>>,
    ended: AtomicBool,
}

impl<W> Countdown<W> {
    /// Creates a countdown with one missing release: that of the analysis.
    pub(crate) fn new(created: Timestamp) -> Countdown<W> {
        Countdown {
            pending: AtomicU32::new(1),
            ready: AtomicI64::new(created.nanos()),
            waiting: Mutex::new(Some(Waiting::new())),
            ended: AtomicBool::new(false),
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Option<Waiting<W>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes `later` wait for this task, unless this one has ended. `later` must not have had its
    /// last release; `handle` returns its handle.
    pub(crate) fn precede(&self, later: &Countdown<W>, handle: impl FnOnce() -> W) {
        if let Some(waiting) = self.waiting().as_mut() {
            later.pending.fetch_add(1, Ordering::Relaxed);
            waiting.push(handle());
        }
    }

    /// Calls `look` with each task that waits for this one.
    #[allow(dead_code, reason = "not of the model that checks countdowns")]
    pub(crate) fn each_waiting(&self, look: impl FnMut(&W)) {
        self.waiting().iter().flatten().for_each(look);
    }

    /// Counts down by one; returns true for the last release. That caller sees all that was done
    /// before the other releases.
    pub(crate) fn release(&self, at: Timestamp) -> bool {
        self.ready.fetch_max(at.nanos(), Ordering::Relaxed);
        self.pending.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// Returns the latest time of a release; final after the last one.
    pub(crate) fn ready(&self) -> Timestamp {
        Timestamp::from_nanos_since_boot(self.ready.load(Ordering::Relaxed))
    }

    /// Ends the task and returns the tasks that wait for it, each to be released.
    pub(crate) fn end(&self) -> Waiting<W> {
        self.set_ended();
        self.hand_over()
    }

    /// Returns the waiting tasks before this one ends, if devices keep the order.
    pub(crate) fn hand_over(&self) -> Waiting<W> {
        self.waiting().take().unwrap_or_default()
    }

    /// Marks the task as ended.
    pub(crate) fn set_ended(&self) {
        self.ended.store(true, Ordering::Release);
    }

    /// Whether the task has ended, or is about to: all its work is done.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }
}
