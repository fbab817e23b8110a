//! The nesting of ranges on one thread.

use super::prefix::{Combine, Prefixes};
use std::cmp::Reverse;

/// Ranges of one thread, sorted so that ranges come after those that enclose them.
pub(super) struct Nesting {
    /// The rows in that order: by start, then longest first, then by id.
    pub(super) order: Vec<u32>,
    /// The position in `order` of each one's parent.
    pub(super) parents: Vec<Option<u32>>,
    /// The number of ranges around each one.
    pub(super) levels: Vec<u32>,
}

/// The tightness of an earlier range at a position. Less is tighter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Tightness(u64, Reverse<u32>);

impl Combine for Tightness {
    const NEUTRAL: Self = Tightness(u64::MAX, Reverse(0));

    fn with(self, other: Self) -> Self {
        self.min(other)
    }
}

impl Nesting {
    /// Computes the nesting of these rows. The parent of a range is the shortest that encloses it
    /// and, of equally short ones, the last opened.
    ///
    /// Ranges of one thread need not nest: start/end ranges may overlap.
    pub(super) fn new(mut rows: Vec<u32>, interval: impl Fn(u32) -> (i64, i64, i64)) -> Self {
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
            // Positions count from the latest end, so all positions up to this one end as late or
            // later.
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
