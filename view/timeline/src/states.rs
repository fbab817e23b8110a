//! The time that slices spent in a state before they began, added up over any stretch of time.

use super::format::TimelineError;
use super::sorted::{Sorted, Sorter};
use std::borrow::Cow;

/// Instants of a block. The first one and the sum of all before it are kept.
const STRIDE: usize = 1024;

/// Sorted instants with their sums, which give the time since all instants before a moment.
#[derive(Debug, Default)]
struct Instants {
    sorted: Sorted<u64>,
    /// The first of each block.
    firsts: Vec<u64>,
    /// The sum of those before each block.
    sums: Vec<u64>,
}

impl Instants {
    fn new(sorted: Sorted<u64>) -> Result<Self, TimelineError> {
        let (mut firsts, mut sums) = (Vec::new(), Vec::new());
        let mut sum = 0_u64;
        sorted.each(0..sorted.len(), |at, instant| {
            if at % STRIDE == 0 {
                firsts.push(*instant);
                sums.push(sum);
            }
            sum = sum.wrapping_add(*instant);
            Ok::<(), TimelineError>(())
        })?;
        Ok(Instants {
            sorted,
            firsts,
            sums,
        })
    }

    fn block(&self, block: usize) -> Result<Cow<'_, [u64]>, TimelineError> {
        self.sorted.part(block * STRIDE..(block + 1) * STRIDE)
    }

    /// Returns a walk that begins at a moment.
    fn walk(&self, from: u64) -> Result<Walk<'_>, TimelineError> {
        let block = self.firsts.partition_point(|first| *first < from);
        let block = block.saturating_sub(1);
        let values = self.block(block)?;
        let at = values.partition_point(|instant| *instant < from);
        let before = self.sums.get(block).copied().unwrap_or(0);
        let rest = values.iter().take(at);
        let sum = rest.fold(before, |sum, at| sum.wrapping_add(*at));
        Ok(Walk {
            instants: self,
            block,
            values,
            at,
            sum,
        })
    }
}

/// A walk along instants.
struct Walk<'a> {
    instants: &'a Instants,
    /// The block, its instants, and the number of these passed.
    block: usize,
    values: Cow<'a, [u64]>,
    at: usize,
    /// The sum of all instants passed.
    sum: u64,
}

impl Walk<'_> {
    /// Returns the total time since each instant before `moment`. Sums wrap around; their
    /// differences are right as long as they are below 2^64.
    fn since(&mut self, moment: u64) -> Result<u64, TimelineError> {
        loop {
            let rest = self.values.get(self.at..).unwrap_or_default();
            for instant in rest.iter().take_while(|instant| **instant < moment) {
                self.sum = self.sum.wrapping_add(*instant);
                self.at += 1;
            }
            if self.at < self.values.len() || self.block + 1 >= self.instants.firsts.len() {
                break;
            }
            self.block += 1;
            self.at = 0;
            self.values = self.instants.block(self.block)?;
        }
        let passed = (self.block * STRIDE + self.at) as u64;
        Ok(passed.wrapping_mul(moment).wrapping_sub(self.sum))
    }
}

/// Sorts the times when slices were created, ready and started.
#[derive(Debug)]
pub(super) struct StatesSorter {
    created: Sorter<u64>,
    ready: Sorter<u64>,
    started: Sorter<u64>,
}

impl StatesSorter {
    /// Creates a sorter that holds at most `limit` slices in memory.
    pub(super) fn new(limit: usize) -> Self {
        StatesSorter {
            created: Sorter::new(limit),
            ready: Sorter::new(limit),
            started: Sorter::new(limit),
        }
    }

    pub(super) fn push(
        &mut self,
        (created, ready, start): (u64, u64, u64),
    ) -> Result<(), TimelineError> {
        let created = created.min(start);
        self.created.push(created)?;
        self.ready.push(ready.clamp(created, start))?;
        self.started.push(start)
    }

    pub(super) fn finish(self) -> Result<States, TimelineError> {
        Ok(States {
            created: Instants::new(self.created.finish()?)?,
            ready: Instants::new(self.ready.finish()?)?,
            started: Instants::new(self.started.finish()?)?,
        })
    }
}

/// The times when slices were created, ready and started.
#[derive(Debug, Default)]
pub(super) struct States {
    created: Instants,
    ready: Instants,
    started: Instants,
}

/// Total time in a state within each bin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Waited {
    /// The time of slices that were created and not yet ready.
    pub waiting: Vec<u64>,
    /// The time of slices that were ready and had not started.
    pub ready: Vec<u64>,
}

impl States {
    /// Returns the time between two moments that slices were ready and had not started.
    pub(super) fn ready_between(&self, from: u64, to: u64) -> Result<u64, TimelineError> {
        let within = self.within(from, to.saturating_sub(from), 1)?;
        Ok(within.ready.first().copied().unwrap_or(0))
    }

    /// Returns the time in each state within each of `bins` bins of `width` ns starting at `from`.
    pub(super) fn within(
        &self,
        from: u64,
        width: u64,
        bins: usize,
    ) -> Result<Waited, TimelineError> {
        let mut waited = Waited {
            waiting: vec![0; bins],
            ready: vec![0; bins],
        };
        if self.created.sorted.len() == 0 {
            return Ok(waited);
        }
        let mut created = self.created.walk(from)?;
        let mut ready = self.ready.walk(from)?;
        let mut started = self.started.walk(from)?;
        let mut at = |moment: u64| -> Result<(u64, u64), TimelineError> {
            let sums = (
                created.since(moment)?,
                ready.since(moment)?,
                started.since(moment)?,
            );
            Ok((sums.0.wrapping_sub(sums.1), sums.1.wrapping_sub(sums.2)))
        };
        let mut before = at(from)?;
        let mut moment = from;
        for (waiting, ready) in waited.waiting.iter_mut().zip(&mut waited.ready) {
            moment = moment.saturating_add(width);
            let after = at(moment)?;
            *waiting = after.0.wrapping_sub(before.0);
            *ready = after.1.wrapping_sub(before.1);
            before = after;
        }
        Ok(waited)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Builds the states with at most `limit` slices in memory.
    fn states(slices: impl Iterator<Item = (u64, u64, u64)>, limit: usize) -> States {
        let mut states = StatesSorter::new(limit);
        for slice in slices {
            states.push(slice).unwrap();
        }
        states.finish().unwrap()
    }

    proptest! {
        #[test]
        fn time_in_states_is_the_sum_over_slices(
            slices in prop::collection::vec((0_u64..300, 0_u64..100, 0_u64..100), 0..60),
            from in 0_u64..300, width in 1_u64..40, limit in 1_usize..80,
        ) {
            let slices: Vec<_> = slices.iter().map(|(a, b, c)| (*a, a + b, a + b + c)).collect();
            let waited = states(slices.iter().copied(), limit).within(from, width, 10).unwrap();
            for bin in 0..10 {
                let (lo, hi) = (from + bin * width, from + (bin + 1) * width);
                let common = |a: u64, b: u64| b.min(hi).saturating_sub(a.max(lo));
                let waiting: u64 = slices.iter().map(|s| common(s.0, s.1)).sum();
                let ready: u64 = slices.iter().map(|s| common(s.1, s.2)).sum();
                prop_assert_eq!(waited.waiting[bin as usize], waiting);
                prop_assert_eq!(waited.ready[bin as usize], ready);
            }
        }
    }

    #[test]
    fn query_starts_in_the_middle_of_many_slices() {
        let slices = || (0..5000_u64).map(|at| (at, at + 2, at + 3));
        for limit in [100, 10_000] {
            let states = states(slices(), limit);
            let waited = states.within(4000, 10, 4).unwrap();
            assert_eq!(waited.waiting, [20; 4]);
            assert_eq!(waited.ready, [10; 4]);
            let late = states.within(6000, 10, 2).unwrap();
            assert_eq!(late.waiting, [0; 2]);
        }
    }
}
