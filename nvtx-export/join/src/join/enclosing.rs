//! Search for the innermost enclosing interval.

/// Intervals with a search in logarithmic time for the innermost one around a given interval. They
/// need not nest.
#[derive(Clone, Debug, Default)]
pub struct Enclosing<T> {
    /// The intervals, sorted by start. At equal starts, longer ones come first.
    intervals: Vec<(i64, i64, T)>,
    /// A tree of the greatest end below each node. Node 1 is the root, and leaves begin at
    /// `leaves`.
    greatest: Vec<i64>,
    leaves: usize,
}

/// The number of intervals around another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enclosure<T> {
    /// None.
    None,
    /// One.
    One(T),
    /// More.
    Several,
}

impl<T: Copy> Enclosing<T> {
    /// Builds the tree from intervals (start, end, value).
    pub fn new(mut intervals: Vec<(i64, i64, T)>) -> Self {
        intervals.sort_by_key(|(start, end, _)| (*start, std::cmp::Reverse(*end)));
        // One more leaf than intervals, so that there is a leaf to the right of the last interval.
        let leaves = (intervals.len() + 1).next_power_of_two();
        let mut greatest = vec![i64::MIN; 2 * leaves];
        for (leaf, (_, end, _)) in intervals.iter().enumerate() {
            if let Some(slot) = greatest.get_mut(leaves + leaf) {
                *slot = *end;
            }
        }
        for node in (1..leaves).rev() {
            let below = match greatest.get(2 * node..2 * node + 2) {
                Some(&[left, right]) => left.max(right),
                _ => i64::MIN,
            };
            if let Some(slot) = greatest.get_mut(node) {
                *slot = below;
            }
        }
        Enclosing {
            intervals,
            greatest,
            leaves,
        }
    }

    /// Returns the value of the innermost interval with `start <= from` and `end >= to`: the one
    /// that starts last and, at equal starts, the shortest.
    pub fn innermost(&self, from: i64, to: i64) -> Option<T> {
        let candidates = self
            .intervals
            .partition_point(|(start, _, _)| *start <= from);
        let row = self.last_reaching(candidates, to)?;
        self.intervals.get(row).map(|(_, _, value)| *value)
    }

    /// Returns the value of the interval with `start <= from` and `end >= to`, if there is exactly
    /// one.
    pub fn find_single(&self, from: i64, to: i64) -> Enclosure<T> {
        let candidates = self
            .intervals
            .partition_point(|(start, _, _)| *start <= from);
        let Some(row) = self.last_reaching(candidates, to) else {
            return Enclosure::None;
        };
        match self.intervals.get(row) {
            Some((_, _, value)) if self.last_reaching(row, to).is_none() => Enclosure::One(*value),
            _ => Enclosure::Several,
        }
    }

    /// Returns the values of all intervals with `start <= to` and `end >= from`. Those that start
    /// last come first.
    pub fn overlapping(&self, from: i64, to: i64) -> impl Iterator<Item = T> {
        let mut candidates = self.intervals.partition_point(|(start, _, _)| *start <= to);
        std::iter::from_fn(move || {
            candidates = self.last_reaching(candidates, from)?;
            self.intervals.get(candidates).map(|(_, _, value)| *value)
        })
    }

    /// Returns the index of the last of the first `count` intervals that ends at `to` or later.
    fn last_reaching(&self, count: usize, to: i64) -> Option<usize> {
        let reaches = |node: usize| self.greatest.get(node).is_some_and(|end| *end >= to);
        // To the left of leaf `count`: climb until a subtree to the left reaches far enough, then
        // descend into it.
        let mut node = self.leaves + count;
        loop {
            if node <= 1 {
                return None;
            }
            // A node whose number is a power of two is the leftmost of its level.
            if node.is_power_of_two() {
                return None;
            }
            if node % 2 == 1 && reaches(node - 1) {
                node -= 1;
                break;
            }
            node /= 2;
        }
        while node < self.leaves {
            node = if reaches(2 * node + 1) {
                2 * node + 1
            } else {
                2 * node
            };
        }
        Some(node - self.leaves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn empty_set_has_no_enclosing_range() {
        assert_eq!(Enclosing::<u32>::new(Vec::new()).innermost(0, 1), None);
    }

    #[test]
    fn finds_innermost_range_including_equal_ends() {
        let ranges = Enclosing::new(vec![
            (0, 100, 'a'),
            (10, 50, 'b'),
            (20, 30, 'c'),
            (60, 70, 'd'),
        ]);
        assert_eq!(ranges.innermost(20, 30), Some('c'));
        assert_eq!(ranges.innermost(20, 31), Some('b'));
        assert_eq!(ranges.innermost(55, 55), Some('a'));
        assert_eq!(ranges.innermost(65, 101), None);
        assert_eq!(ranges.innermost(-1, 5), None);
    }

    proptest! {
        #[test]
        fn innermost_range_matches_linear_search(
            intervals in prop::collection::vec((0i64..60, 0i64..30), 0..40),
            queries in prop::collection::vec((0i64..80, 0i64..20), 1..20),
        ) {
            let intervals: Vec<(i64, i64, usize)> =
                intervals.iter().enumerate().map(|(n, (start, length))| (*start, start + length, n)).collect();
            let index = Enclosing::new(intervals.clone());
            for (from, length) in queries {
                let to = from + length;
                let all = intervals.iter().filter(|(start, end, _)| *start <= from && *end >= to);
                let best = all.map(|(start, end, _)| (*start, -*end)).max();
                let found = index.innermost(from, to).map(|n| (intervals[n].0, -intervals[n].1));
                prop_assert_eq!(found, best);
                let mut overlapping: Vec<usize> = index.overlapping(from, to).collect();
                overlapping.sort_unstable();
                let expected: Vec<usize> = intervals
                    .iter()
                    .filter(|(start, end, _)| *start <= to && *end >= from)
                    .map(|(_, _, n)| *n)
                    .collect();
                prop_assert_eq!(overlapping, expected);
                let around: Vec<usize> = intervals
                    .iter()
                    .filter(|(start, end, _)| *start <= from && *end >= to)
                    .map(|(_, _, n)| *n)
                    .collect();
                let only = match around[..] {
                    [] => Enclosure::None,
                    [one] => Enclosure::One(one),
                    _ => Enclosure::Several,
                };
                prop_assert_eq!(index.find_single(from, to), only);
            }
        }
    }
}
