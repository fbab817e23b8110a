//! Which range of a thread stands within which.

use super::prefix::{Combine, Prefixes};
use std::cmp::Reverse;

/// Ranges of one thread, sorted so that whatever encloses a range comes before it.
pub(super) struct Nesting {
    /// Rows in that order: by start, of equal ones the longest first, of the same interval in the order of their ids.
    pub(super) order: Vec<u32>,
    /// For each in that order the place of its parent in it.
    pub(super) parents: Vec<Option<u32>>,
    /// For each in that order the number of ranges around it.
    pub(super) levels: Vec<u32>,
}

/// How tightly an earlier range at a place encloses; less is tighter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Tightness(u64, Reverse<u32>);

impl Combine for Tightness {
    const NEUTRAL: Self = Tightness(u64::MAX, Reverse(0));

    fn with(self, other: Self) -> Self {
        self.min(other)
    }
}

impl Nesting {
    /// Of these rows. The parent of a range is the shortest that encloses it; of equally short ones the last opened.
    ///
    /// Ranges of one thread need not nest: started ones may overlap.
    pub(super) fn of(mut rows: Vec<u32>, interval: impl Fn(u32) -> (i64, i64, i64)) -> Self {
        rows.sort_unstable_by_key(|row| {
            let (start, end, id) = interval(*row);
            (start, Reverse(end), id)
        });
        let mut ends: Vec<i64> = rows.iter().map(|row| interval(*row).1).collect();
        ends.sort_unstable();
        let mut enclosing = Prefixes::<Tightness>::new(ends.len());
        let mut parents: Vec<Option<u32>> = Vec::with_capacity(rows.len());
        let mut levels: Vec<u32> = Vec::with_capacity(rows.len());
        for (place, row) in (0..).zip(&rows) {
            let (start, end, _) = interval(*row);
            // Places count from the latest end, so that all up to this one reach as far or further.
            let earlier = ends.partition_point(|other| *other < end);
            let reaching = ends.len() - earlier;
            let found = enclosing.before(reaching);
            let parent = (found != Tightness::NEUTRAL).then_some(found.1.0);
            let level = parent.and_then(|parent| levels.get(parent as usize));
            levels.push(level.map_or(0, |level| level + 1));
            parents.push(parent);
            let length = end.wrapping_sub(start).cast_unsigned();
            enclosing.add(reaching - 1, Tightness(length, Reverse(place)));
        }
        Nesting {
            order: rows,
            parents,
            levels,
        }
    }
}
