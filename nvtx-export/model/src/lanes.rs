//! Lanes: slices of a lane follow or enclose each other, but never partly overlap.
//!
//! Viewers reject or misdraw slices that partly overlap on a track, so each lane becomes a track of
//! its own.

use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The slices that a slice may lie within: those of its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// Lies within nothing.
    Alone,
    /// Lies within slices of the same group.
    Of(u32),
}

/// The place of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LanePosition {
    /// The lane, from 0.
    pub lane: u32,
    /// Whether it lies within a slice of its group.
    pub within: bool,
    /// The number of the lane's slices that it lies within.
    pub depth: u32,
}

/// The end of a slice, emitted when no other slice can follow inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closed {
    /// The lane of the slice.
    pub lane: u32,
    /// The end of the slice.
    pub end: i64,
}

/// The open slices of each lane, outermost first. Slices must be placed in the order of their
/// starts, and longer ones first if starts are equal. The result depends only on the slices.
#[derive(Debug, Default)]
pub struct Lanes {
    open: Vec<Vec<i64>>,
    /// Lanes by the end of their outermost slice.
    busy: BinaryHeap<Reverse<(i64, u32)>>,
    free: BinaryHeap<Reverse<u32>>,
    /// The lane in which a group's outermost slice is open.
    groups: FxHashMap<u32, u32>,
    /// The group of each lane's outermost slice.
    owners: Vec<Group>,
}

impl Lanes {
    /// Returns the lane for the next slice: within an open slice of its group that reaches its end,
    /// or else the first lane without open slices. The ends of slices closed by it are pushed to
    /// `closed`, in the order of their lanes' events.
    pub fn place(
        &mut self,
        start: i64,
        end: i64,
        group: Group,
        closed: &mut Vec<Closed>,
    ) -> LanePosition {
        while let Some(Reverse((over, lane))) = self.busy.peek().copied() {
            if over > start {
                break;
            }
            self.busy.pop();
            self.shut(lane, closed);
            self.free.push(Reverse(lane));
        }
        if let Group::Of(group) = group
            && let Some(lane) = self.groups.get(&group).copied()
            && let Some(open) = self.open.get_mut(lane as usize)
        {
            while let Some(inner) = open.pop_if(|inner| *inner <= start) {
                closed.push(Closed { lane, end: inner });
            }
            if open.last().is_some_and(|around| *around >= end) {
                let depth = open.len() as u32;
                open.push(end);
                return LanePosition {
                    lane,
                    within: true,
                    depth,
                };
            }
        }
        let lane = match self.free.pop() {
            Some(Reverse(lane)) => lane,
            None => {
                self.open.push(Vec::new());
                self.owners.push(Group::Alone);
                self.open.len() as u32 - 1
            }
        };
        if let Some(open) = self.open.get_mut(lane as usize) {
            open.push(end);
        }
        self.busy.push(Reverse((end, lane)));
        // The first slice of a group owns the group while the slice is open.
        let mut owner = Group::Alone;
        if let Group::Of(number) = group
            && !self.groups.contains_key(&number)
        {
            self.groups.insert(number, lane);
            owner = group;
        }
        if let Some(slot) = self.owners.get_mut(lane as usize) {
            *slot = owner;
        }
        LanePosition {
            lane,
            within: false,
            depth: 0,
        }
    }

    /// Ends all open slices.
    pub fn finish(mut self, closed: &mut Vec<Closed>) {
        for lane in 0..self.open.len() as u32 {
            self.shut(lane, closed);
        }
    }

    fn shut(&mut self, lane: u32, closed: &mut Vec<Closed>) {
        let open = self.open.get_mut(lane as usize);
        for end in open.into_iter().flat_map(|open| open.drain(..).rev()) {
            closed.push(Closed { lane, end });
        }
        if let Some(Group::Of(group)) = self.owners.get(lane as usize) {
            self.groups.remove(group);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn place(slices: &[(i64, i64, Group)]) -> Vec<u32> {
        let mut lanes = Lanes::default();
        let mut closed = Vec::new();
        let place = |(start, end, group): &(i64, i64, Group)| {
            lanes.place(*start, *end, *group, &mut closed).lane
        };
        slices.iter().map(place).collect()
    }

    #[test]
    fn overlapping_slices_get_separate_reusable_lanes() {
        use Group::Alone;
        let slices = [
            (0, 10, Alone),
            (5, 15, Alone),
            (10, 20, Alone),
            (14, 14, Alone),
            (15, 16, Alone),
        ];
        assert_eq!(place(&slices), [0, 1, 0, 2, 1]);
    }

    #[test]
    fn only_slices_of_one_group_nest() {
        use Group::{Alone, Of};
        let slices = [
            (0, 100, Of(1)),
            (0, 100, Of(2)),
            (0, 100, Of(2)),
            (10, 20, Of(1)),
            (10, 20, Alone),
            (15, 18, Of(1)),
            (90, 110, Of(1)),
        ];
        assert_eq!(place(&slices), [0, 1, 1, 0, 2, 0, 2]);
    }

    proptest! {
        #[test]
        fn lanes_nest_and_contain_each_slice_once(
            slices in prop::collection::vec((0i64..40, 0i64..15, 0u32..5), 0..60),
        ) {
            let mut slices: Vec<(i64, i64, Group)> = slices
                .iter()
                .map(|(start, length, group)| {
                    let group = if *group == 0 { Group::Alone } else { Group::Of(*group) };
                    (*start, start + length, group)
                })
                .collect();
            slices.sort_by_key(|(start, end, _)| (*start, Reverse(*end)));
            let mut lanes = Lanes::default();
            let mut closed = Vec::new();
            // The ends of each lane's open slices, as a reader of the events computes them.
            let mut seen: Vec<Vec<(i64, Group)>> = Vec::new();
            let mut last: Vec<i64> = Vec::new();
            let mut ended = 0;
            let mut check = |closed: &mut Vec<Closed>, seen: &mut Vec<Vec<(i64, Group)>>, last: &mut Vec<i64>| {
                for Closed { lane, end } in closed.drain(..) {
                    let open = seen[lane as usize].pop();
                    prop_assert_eq!(open.map(|open| open.0), Some(end));
                    prop_assert!(last[lane as usize] <= end);
                    last[lane as usize] = end;
                    ended += 1;
                }
                Ok(())
            };
            for (start, end, group) in &slices {
                let lane = lanes.place(*start, *end, *group, &mut closed).lane as usize;
                if lane == seen.len() {
                    seen.push(Vec::new());
                    last.push(i64::MIN);
                }
                check(&mut closed, &mut seen, &mut last)?;
                prop_assert!(last[lane] <= *start);
                last[lane] = *start;
                if let Some((around, owner)) = seen[lane].last() {
                    prop_assert!(around >= end);
                    prop_assert_eq!(owner, group);
                    prop_assert_ne!(*group, Group::Alone);
                }
                seen[lane].push((*end, *group));
            }
            lanes.finish(&mut closed);
            check(&mut closed, &mut seen, &mut last)?;
            prop_assert_eq!(ended, slices.len());
        }
    }
}
