//! What the calls within a range started.

use super::prefix::{Combine, Prefixes};
use crate::joined::StartedColumns;
use std::cmp::Reverse;

/// A call, or, with the weight -1, what two calls have in common that started the same: it takes back that both count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Call {
    pub(super) start: i64,
    pub(super) end: i64,
    /// A row of the columns of started work.
    pub(super) started: u32,
    pub(super) weight: i32,
}

/// What a range's calls started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Work {
    /// Number of different correlation ids.
    pub(super) operations: i64,
    /// The earliest start.
    pub(super) first: i64,
    /// The latest end.
    pub(super) last: i64,
}

impl Combine for Work {
    const NEUTRAL: Self = Work {
        operations: 0,
        first: i64::MAX,
        last: i64::MIN,
    };

    fn with(self, other: Self) -> Self {
        Work {
            operations: self.operations + other.operations,
            first: self.first.min(other.first),
            last: self.last.max(other.last),
        }
    }
}

/// For each range (start, end) what the calls within it started: those with `start <= call.start` and
/// `end >= call.end`. All calls are of one thread.
pub(super) fn enclosed(
    ranges: &[(i64, i64)],
    mut calls: Vec<Call>,
    started: &StartedColumns,
) -> Vec<Work> {
    if !calls.is_sorted() {
        calls.sort_unstable();
    }
    let follow = calls.is_sorted_by_key(|call| call.end);
    if follow && calls.iter().all(|call| call.weight == 1) {
        Slices::of(&calls, started).enclosed(ranges)
    } else {
        sweep(ranges, &calls, started)
    }
}

fn work(call: &Call, started: &StartedColumns) -> Work {
    let row = call.started as usize;
    let first = started.first.get(row).copied();
    let last = started.last.get(row).copied();
    Work {
        operations: call.weight.into(),
        first: first.unwrap_or(i64::MAX),
        last: last.unwrap_or(i64::MIN),
    }
}

/// Any calls: from the latest range to the earliest, with the calls that start no earlier than it, by their end.
fn sweep(ranges: &[(i64, i64)], calls: &[Call], started: &StartedColumns) -> Vec<Work> {
    let mut ends: Vec<i64> = calls.iter().map(|call| call.end).collect();
    ends.sort_unstable();
    let mut by_end = Prefixes::new(ends.len());
    let mut order: Vec<usize> = (0..ranges.len()).collect();
    order.sort_unstable_by_key(|range| ranges.get(*range).map(|(start, _)| Reverse(*start)));
    let mut found = vec![Work::NEUTRAL; ranges.len()];
    let mut later = calls.iter().rev().peekable();
    for range in order {
        let (Some((start, end)), Some(found)) = (ranges.get(range), found.get_mut(range)) else {
            continue;
        };
        while let Some(call) = later.next_if(|call| call.start >= *start) {
            let place = ends.partition_point(|end| *end < call.end);
            by_end.add(place, work(call, started));
        }
        *found = by_end.before(ends.partition_point(|other| other <= end));
    }
    found
}

/// Calls of which each starts and ends no earlier than the one before it, so that those within a range stand together.
struct Slices<'a> {
    calls: &'a [Call],
    started: &'a StartedColumns,
    /// At `levels[k][i]` the work of the blocks `i .. i + 2^k`.
    levels: Vec<Vec<Work>>,
}

/// Calls in a block.
const BLOCK: usize = 32;

impl<'a> Slices<'a> {
    fn of(calls: &'a [Call], started: &'a StartedColumns) -> Self {
        let blocks = calls.chunks(BLOCK).map(|block| all(block, started));
        let mut levels: Vec<Vec<Work>> = vec![blocks.collect()];
        while let Some(below) = levels.last() {
            let apart = 1 << (levels.len() - 1);
            if below.len() <= apart {
                break;
            }
            let pairs = below.iter().zip(below.iter().skip(apart));
            let level = pairs.map(|(left, right)| left.with(*right)).collect();
            levels.push(level);
        }
        Slices {
            calls,
            started,
            levels,
        }
    }

    fn enclosed(&self, ranges: &[(i64, i64)]) -> Vec<Work> {
        let within = |(start, end): &(i64, i64)| {
            let from = self.calls.partition_point(|call| call.start < *start);
            let to = self.calls.partition_point(|call| call.end <= *end);
            self.work(from, to)
        };
        ranges.iter().map(within).collect()
    }

    /// The work of the calls `from..to`.
    fn work(&self, from: usize, to: usize) -> Work {
        if from >= to {
            return Work::NEUTRAL;
        }
        let (first, last) = (from.div_ceil(BLOCK), to / BLOCK);
        let calls = |from: usize, to: usize| {
            let calls = self.calls.get(from..to).unwrap_or_default();
            all(calls, self.started)
        };
        let times = if first < last {
            // Two spans of blocks that may overlap: that does not change the earliest and the latest.
            let level = (last - first).ilog2() as usize;
            let at = |block: usize| {
                let blocks = self.levels.get(level).and_then(|level| level.get(block));
                blocks.copied().unwrap_or(Work::NEUTRAL)
            };
            let blocks = at(first).with(at(last - (1 << level)));
            let ends = calls(from, first * BLOCK).with(calls(last * BLOCK, to));
            blocks.with(ends)
        } else {
            calls(from, to)
        };
        Work {
            operations: (to - from) as i64,
            ..times
        }
    }
}

fn all(calls: &[Call], started: &StartedColumns) -> Work {
    let each = calls.iter().map(|call| work(call, started));
    each.fold(Work::NEUTRAL, Work::with)
}
