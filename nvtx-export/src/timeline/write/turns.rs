//! Which lane is worked out next, so that those under way at the same time fit in memory.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Slices under way at the same time, unless one lane has more. A slice takes about 150 bytes while its lane is worked out.
const UNDER_WAY: usize = 1_200_000;

#[derive(Debug, Default)]
struct State {
    next: usize,
    under_way: usize,
}

/// Hands out lanes in their order.
#[derive(Debug)]
pub(super) struct Turns {
    weights: Vec<usize>,
    state: Mutex<State>,
    freed: Condvar,
}

impl Turns {
    /// Lanes with so many slices each.
    pub(super) fn new(weights: Vec<usize>) -> Self {
        Turns {
            weights,
            state: Mutex::default(),
            freed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next lane, as soon as there is room for it; `None` after the last.
    pub(super) fn take(&self) -> Option<usize> {
        let mut state = self.lock();
        loop {
            let lane = state.next;
            let weight = *self.weights.get(lane)?;
            if state.under_way == 0 || state.under_way + weight <= UNDER_WAY {
                state.next += 1;
                state.under_way += weight;
                return Some(lane);
            }
            state = self
                .freed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Says that a lane is done.
    pub(super) fn done(&self, lane: usize) {
        self.lock().under_way -= self.weights.get(lane).copied().unwrap_or(0);
        self.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_waits_until_there_is_room_and_a_large_one_is_alone() {
        let turns = Turns::new(vec![UNDER_WAY / 2, UNDER_WAY, 3 * UNDER_WAY, 0]);
        assert_eq!(turns.take(), Some(0));
        std::thread::scope(|scope| {
            let second = scope.spawn(|| turns.take());
            turns.done(0);
            assert_eq!(second.join().unwrap(), Some(1));
        });
        turns.done(1);
        assert_eq!(turns.take(), Some(2));
        turns.done(2);
        assert_eq!((turns.take(), turns.take()), (Some(3), None));
    }
}
