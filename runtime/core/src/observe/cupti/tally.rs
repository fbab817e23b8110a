//! Counters of losses, until they are recorded.

use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::FxHashMap;
use weft_trace::record::{Loss, LossKind, loss};

use crate::observe::Recorder;

/// Losses counted by one thread.
#[derive(Default)]
pub(super) struct Tally(FxHashMap<&'static str, u64>);

impl Tally {
    pub(super) fn add(&mut self, kind: &LossKind, count: u64) {
        if count > 0 {
            *self.0.entry(kind.name).or_default() += count;
        }
    }

    /// Records the losses since the last call.
    pub(super) fn write(&mut self, recorder: &Recorder) {
        self.add(&loss::CUPTI_DROPPED, DROPPED.swap(0, Ordering::Relaxed));
        self.add(&loss::CUPTI_OVERRUN, OVERRUN.swap(0, Ordering::Relaxed));
        self.add(&loss::CUPTI_UNPUSHED, UNPUSHED.swap(0, Ordering::Relaxed));
        self.add(&loss::CUPTI_FAILED, FAILED.swap(0, Ordering::Relaxed));
        for (name, value) in self.0.drain() {
            recorder.write(&Loss { value, name });
        }
    }
}

/// Activities that CUPTI dropped.
pub(super) static DROPPED: AtomicU64 = AtomicU64::new(0);
/// Activities that arrived faster than they were written.
pub(super) static OVERRUN: AtomicU64 = AtomicU64::new(0);
/// Ids that CUPTI did not take.
pub(super) static UNPUSHED: AtomicU64 = AtomicU64::new(0);
/// Calls of CUPTI that failed.
pub(super) static FAILED: AtomicU64 = AtomicU64::new(0);

/// Adds to a counter from any thread.
pub(super) fn count(counter: &AtomicU64, count: u64) {
    counter.fetch_add(count, Ordering::Relaxed);
}
