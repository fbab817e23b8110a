//! Waiting until no operation uses a store.

use std::thread;
use std::time::{Duration, Instant};

use weft_trace::record::RuntimeCallKind;

use super::Core;
use crate::memory::Store;
use crate::sync::yield_until;

/// Time for which a wait polls frequently, and the sleep between two polls after that.
const OFTEN: Duration = Duration::from_micros(100);
const SLEEP: Duration = Duration::from_micros(50);

impl Core {
    /// Waits until no operation uses the store, for at most `most`; returns whether it is unused.
    pub fn wait_until_unused(&self, store: &Store, most: Duration) -> bool {
        self.close_group();
        let is_over = || !store.is_pending() || self.has_stopped();
        let _announced = self.queues.outstanding.announce();
        self.waiting(RuntimeCallKind::Wait, None, || {
            let until = Instant::now() + most;
            while !yield_until(OFTEN, is_over) {
                if Instant::now() >= until {
                    return false;
                }
                thread::sleep(SLEEP);
            }
            true
        })
    }
}
