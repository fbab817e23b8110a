//! The order of lanes, such that those computed at the same time fit in memory.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The maximum number of slices under way at the same time. Larger lanes are not completely in
/// memory. A slice takes about 150 bytes while its lane is computed.
pub(crate) const UNDER_WAY: usize = 1_200_000;

#[derive(Debug, Default)]
struct State {
    next: usize,
    under_way: usize,
}

/// The permission to compute a lane. Dropping it makes room for another one.
#[derive(Debug)]
pub(super) struct Turn<'t> {
    turns: &'t Turns,
    pub(super) lane: usize,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let weight = self.turns.weights.get(self.lane);
        self.turns.lock().under_way -= weight.copied().unwrap_or(0);
        self.turns.freed.notify_all();
    }
}

/// Hands out lanes in their order.
#[derive(Debug)]
pub(super) struct Turns {
    weights: Vec<usize>,
    state: Mutex<State>,
    freed: Condvar,
}

impl Turns {
    /// Creates the turns of lanes with these numbers of slices.
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

    /// Returns the next lane, as soon as there is room for it; `None` after the last.
    pub(super) fn take(&self) -> Option<Turn<'_>> {
        let mut state = self.lock();
        loop {
            let lane = state.next;
            let weight = *self.weights.get(lane)?;
            if state.under_way == 0 || state.under_way + weight <= UNDER_WAY {
                state.next += 1;
                state.under_way += weight;
                return Some(Turn { turns: self, lane });
            }
            state = self
                .freed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lane_waits_for_room_and_large_lanes_run_alone() {
        let turns = Turns::new(vec![UNDER_WAY / 2, UNDER_WAY, 3 * UNDER_WAY, 0]);
        let first = turns.take().unwrap();
        assert_eq!(first.lane, 0);
        std::thread::scope(|scope| {
            let second = scope.spawn(|| turns.take().unwrap().lane);
            drop(first);
            assert_eq!(second.join().unwrap(), 1);
        });
        let large = turns.take().unwrap();
        assert_eq!(large.lane, 2);
        drop(large);
        assert_eq!(turns.take().unwrap().lane, 3);
        assert!(turns.take().is_none());
    }
}
