//! Operations that never ran.

use std::sync::atomic::Ordering;

use weft_trace::record::{self, loss};

use super::Core;

impl Core {
    /// Returns the number of operations of this level and those below that never ran.
    fn dropped(&self) -> u64 {
        let left = match self.health.is_abandoned() {
            true => self.queues.outstanding.count(),
            false => 0,
        };
        let below = self
            .level
            .all_nested()
            .map(|nested| nested.core().dropped());
        self.health.interrupts.dropped.load(Ordering::Relaxed) + left + below.sum::<u64>()
    }

    /// Records the number of operations that never ran. To be called once, when all threads have
    /// ended.
    pub(super) fn record_dropped(&self) {
        let value = self.dropped();
        if value > 0 {
            let name = loss::OPERATIONS_DROPPED.name;
            self.observers.recorder.write(&record::Loss { value, name });
        }
    }
}
