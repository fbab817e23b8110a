//! Waiting until no operation uses a store.

use std::thread;
use std::time::{Duration, Instant};

use weft_trace::record::RuntimeCallKind;

use super::Core;
use crate::memory::Store;
use crate::sync::yield_until;

/// How long a wait looks often, and how long it sleeps between two looks then.
const OFTEN: Duration = Duration::from_micros(100);
const SLEEP: Duration = Duration::from_micros(50);

impl Core {
    /// Waits until no operation uses the store, or the time is over; says whether none does.
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
