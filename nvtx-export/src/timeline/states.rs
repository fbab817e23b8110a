//! How long slices were in a state before they began, added up over any stretch of time.

/// Instants in order, with their sums, so that the time since all instants before a moment is known at once.
#[derive(Debug, Default)]
struct Instants {
    sorted: Vec<u64>,
}

/// A walk along instants.
struct Walk<'a> {
    sorted: &'a [u64],
    passed: usize,
    sum: u64,
}

impl Walk<'_> {
    /// The time since each instant before `moment`, added up. Sums wrap around, their differences are right as long as they are
    /// below 2^64.
    fn since(&mut self, moment: u64) -> u64 {
        while let Some(next) = self.sorted.get(self.passed).filter(|next| **next < moment) {
            self.sum = self.sum.wrapping_add(*next);
            self.passed += 1;
        }
        (self.passed as u64)
            .wrapping_mul(moment)
            .wrapping_sub(self.sum)
    }
}

/// When slices were asked for, could begin and began.
#[derive(Debug, Default)]
pub(super) struct States {
    created: Instants,
    ready: Instants,
    started: Instants,
    /// The sums of the instants in each block of [`STRIDE`], added up from the first.
    sums: [Vec<u64>; 3],
}

const STRIDE: usize = 1024;

/// Time in a state within each of some bins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Waited {
    /// Slices that were asked for, and could not begin.
    pub waiting: Vec<u64>,
    /// Slices that could begin, and had not begun.
    pub ready: Vec<u64>,
}

impl States {
    /// Of slices, each with when it was asked for, could begin and began.
    pub(super) fn of(slices: impl Iterator<Item = (u64, u64, u64)>) -> Self {
        let mut states = States::default();
        for (created, ready, start) in slices {
            let created = created.min(start);
            states.created.sorted.push(created);
            states.ready.sorted.push(ready.clamp(created, start));
            states.started.sorted.push(start);
        }
        let States {
            created,
            ready,
            started,
            sums,
        } = &mut states;
        for (instants, sums) in [created, ready, started].into_iter().zip(sums) {
            instants.sorted.sort_unstable();
            let mut sum = 0_u64;
            for block in instants.sorted.chunks(STRIDE) {
                sums.push(sum);
                sum = block.iter().fold(sum, |sum, at| sum.wrapping_add(*at));
            }
        }
        states
    }

    fn walks(&self, from: u64) -> [Walk<'_>; 3] {
        let instants = [&self.created, &self.ready, &self.started];
        let mut at = 0;
        instants.map(|instants| {
            let sums = self.sums.get(at);
            at += 1;
            let sorted = instants.sorted.as_slice();
            let passed = sorted.partition_point(|instant| *instant < from);
            let block = passed / STRIDE;
            let before = sums.and_then(|sums| sums.get(block)).copied();
            // At the very end there may be no block that begins there.
            let (block, before) = match before {
                Some(sum) => (block, sum),
                None => (0, 0),
            };
            let rest = sorted.get(block * STRIDE..passed).unwrap_or_default();
            Walk {
                sorted,
                passed,
                sum: rest.iter().fold(before, |sum, at| sum.wrapping_add(*at)),
            }
        })
    }

    /// The time between two moments that slices were ready and had not begun.
    pub(super) fn ready_between(&self, from: u64, to: u64) -> u64 {
        let within = self.within(from, to.saturating_sub(from), 1);
        within.ready.first().copied().unwrap_or(0)
    }

    /// The time in each state within each of `bins` bins of `width` ns from `from` on.
    pub(super) fn within(&self, from: u64, width: u64, bins: usize) -> Waited {
        let mut waited = Waited {
            waiting: vec![0; bins],
            ready: vec![0; bins],
        };
        if self.created.sorted.is_empty() {
            return waited;
        }
        let mut walks = self.walks(from);
        let mut at = |moment: u64| {
            let [created, ready, started] = &mut walks;
            let [created, ready, started] =
                [created, ready, started].map(|walk| walk.since(moment));
            (created.wrapping_sub(ready), ready.wrapping_sub(started))
        };
        let mut before = at(from);
        let mut moment = from;
        for (waiting, ready) in waited.waiting.iter_mut().zip(&mut waited.ready) {
            moment = moment.saturating_add(width);
            let after = at(moment);
            *waiting = after.0.wrapping_sub(before.0);
            *ready = after.1.wrapping_sub(before.1);
            before = after;
        }
        waited
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn time_in_states_is_that_of_each_slice_added_up(
            slices in prop::collection::vec((0_u64..300, 0_u64..100, 0_u64..100), 0..60),
            from in 0_u64..300, width in 1_u64..40,
        ) {
            let slices: Vec<_> = slices.iter().map(|(a, b, c)| (*a, a + b, a + b + c)).collect();
            let waited = States::of(slices.iter().copied()).within(from, width, 10);
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
    fn a_walk_begins_in_the_middle_of_many() {
        let slices = || (0..5000_u64).map(|at| (at, at + 2, at + 3));
        let waited = States::of(slices()).within(4000, 10, 4);
        assert_eq!(waited.waiting, [20; 4]);
        assert_eq!(waited.ready, [10; 4]);
        assert_eq!(States::of(slices()).within(6000, 10, 2).waiting, [0; 2]);
    }
}
