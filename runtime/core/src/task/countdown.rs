//! What a task waits for, as a count, and who waits for the task.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use smallvec::SmallVec;
use weft_trace::time::Timestamp;

use crate::sync::{AtomicBool, AtomicI64, AtomicU32, Mutex, MutexGuard};

/// Those that wait for one task.
pub(crate) type Waiting<W> = SmallVec<[W; 2]>;

/// Counts down what is waited for; `W` is a handle to something that waits, and has a countdown of its own.
pub(crate) struct Countdown<W> {
    /// How many it waits for that have not ended, and one more while the analysis looks for them.
    pending: AtomicU32,
    /// The latest time of a release, in nanoseconds since boot.
    ready: AtomicI64,
    /// Who waits for it; `None` once it has ended.
    waiting: Mutex<Option<Waiting<W>>>,
    ended: AtomicBool,
}

impl<W> Countdown<W> {
    /// One release is missing: that of the analysis.
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

    /// Makes `later`, which has not had its last release, wait for this unless this has ended. `handle` is `later`'s.
    pub(crate) fn precede(&self, later: &Countdown<W>, handle: impl FnOnce() -> W) {
        if let Some(waiting) = self.waiting().as_mut() {
            later.pending.fetch_add(1, Ordering::Relaxed);
            waiting.push(handle());
        }
    }

    /// Calls `look` with each that waits for this one.
    #[allow(dead_code, reason = "not of the model that checks countdowns")]
    pub(crate) fn each_waiting(&self, look: impl FnMut(&W)) {
        self.waiting().iter().flatten().for_each(look);
    }

    /// Takes one off the count; true for whoever takes the last: they see all that was done before the other releases.
    pub(crate) fn release(&self, at: Timestamp) -> bool {
        self.ready.fetch_max(at.nanos(), Ordering::Relaxed);
        self.pending.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// The latest time of a release, for whoever runs after the last one.
    pub(crate) fn ready(&self) -> Timestamp {
        Timestamp::from_nanos_since_boot(self.ready.load(Ordering::Relaxed))
    }

    /// Ends it: hands over everyone who waits, each to be released.
    pub(crate) fn end(&self) -> Waiting<W> {
        self.set_ended();
        self.hand_over()
    }

    /// Hands over everyone who waits, before the end: what was waited for is in the order that devices keep.
    pub(crate) fn hand_over(&self) -> Waiting<W> {
        self.waiting().take().unwrap_or_default()
    }

    /// Says that it has ended.
    pub(crate) fn set_ended(&self) {
        self.ended.store(true, Ordering::Release);
    }

    /// Whether it has ended, or is about to say so: all it did is done.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }
}
