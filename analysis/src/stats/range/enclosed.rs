//! The work started by the calls within a range.

use super::prefix::{Combine, Prefixes};
use std::cmp::Reverse;
use weft_model::{Spans, StartedColumns};

/// The work started by the calls within a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Work {
    /// The number of different correlation ids.
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

/// Returns for each range (start, end) the work started by the calls within it: those with `start
/// <= call.start` and `end >= call.end`. The calls are rows of one thread. `shared` states for each
/// row of started work whether several calls share it.
pub(super) fn enclosed(
    ranges: &[(i64, i64)],
    calls: &[u32],
    spans: &Spans,
    shared: &[bool],
) -> Vec<Work> {
    let rows = ThreadCalls { calls, spans };
    if rows.follow(shared) {
        Slices::new(rows).enclosed(ranges)
    } else {
        sweep(ranges, &rows.distinct(shared), &spans.started)
    }
}

/// The calls of one thread.
#[derive(Clone, Copy)]
struct ThreadCalls<'a> {
    calls: &'a [u32],
    spans: &'a Spans,
}

impl ThreadCalls<'_> {
    fn call(&self, row: u32) -> WeightedCall {
        let calls = &self.spans.calls;
        let time = |column: &[i64]| column.get(row as usize).copied().unwrap_or_default();
        WeightedCall {
            start: time(&calls.start),
            end: time(&calls.end),
            started: calls.started.get(row as usize).copied().unwrap_or(u32::MAX),
            weight: 1,
        }
    }

    /// Returns whether each call starts and ends no earlier than the one before it, and none shares
    /// its work with another.
    fn follow(&self, shared: &[bool]) -> bool {
        let mut before = (i64::MIN, i64::MIN);
        self.calls.iter().all(|row| {
            let call = self.call(*row);
            let follows = before.0 <= call.start && before.1 <= call.end;
            before = (call.start, call.end);
            follows && shared.get(call.started as usize) == Some(&false)
        })
    }

    /// Returns the calls by start, weighted so that work with one correlation id counts once for
    /// any range. Several calls may share an id: a call of the runtime and that of the driver
    /// within it, or calls with a reused id.
    fn distinct(&self, shared: &[bool]) -> Vec<WeightedCall> {
        let is_shared = |call: &WeightedCall| shared.get(call.started as usize) == Some(&true);
        let calls = self.calls.iter().map(|row| self.call(*row));
        let (mut several, mut found): (Vec<WeightedCall>, Vec<WeightedCall>) =
            calls.partition(is_shared);
        several.sort_unstable_by_key(|call| (call.started, Reverse(call.start), call.end));
        let mut later: Option<WeightedCall> = None;
        for call in several {
            let same = later.filter(|later| later.started == call.started);
            if let Some(later) = same {
                // A call around another one adds no range that does not enclose the inner one.
                if call.end >= later.end {
                    continue;
                }
                found.push(WeightedCall {
                    end: later.end,
                    weight: -1,
                    ..call
                });
            }
            found.push(call);
            later = Some(call);
        }
        found.sort_unstable();
        found
    }
}

/// A call, or, with the weight -1, the span of two calls that started the same work, which cancels
/// counting both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct WeightedCall {
    start: i64,
    end: i64,
    /// A row of the columns of started work.
    started: u32,
    weight: i32,
}

/// Returns the work of a call, with its weight.
fn work(call: &WeightedCall, started: &StartedColumns) -> Work {
    let row = call.started as usize;
    let first = started.first.get(row).copied();
    let last = started.last.get(row).copied();
    Work {
        operations: call.weight.into(),
        first: first.unwrap_or(i64::MAX),
        last: last.unwrap_or(i64::MIN),
    }
}

/// Returns the work of each range, for arbitrary calls. Ranges are processed from the latest to the
/// earliest, with the calls that start no earlier, by their end.
fn sweep(ranges: &[(i64, i64)], calls: &[WeightedCall], started: &StartedColumns) -> Vec<Work> {
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

/// Calls that each start and end no earlier than the one before, so that those within a range are
/// consecutive.
struct Slices<'a> {
    rows: ThreadCalls<'a>,
    /// `levels[k][i]` is the work of the blocks `i .. i + 2^k`.
    levels: Vec<Vec<Work>>,
}

/// The number of calls in a block.
const BLOCK: usize = 32;

impl<'a> Slices<'a> {
    fn new(rows: ThreadCalls<'a>) -> Self {
        let blocks = rows.calls.chunks(BLOCK).map(|block| sum_calls(rows, block));
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
        Slices { rows, levels }
    }

    fn enclosed(&self, ranges: &[(i64, i64)]) -> Vec<Work> {
        let within = |(start, end): &(i64, i64)| {
            let (calls, call) = (self.rows.calls, |row: &u32| self.rows.call(*row));
            let from = calls.partition_point(|row| call(row).start < *start);
            let to = calls.partition_point(|row| call(row).end <= *end);
            self.work(from, to)
        };
        ranges.iter().map(within).collect()
    }

    /// Returns the work of the calls `from..to`.
    fn work(&self, from: usize, to: usize) -> Work {
        if from >= to {
            return Work::NEUTRAL;
        }
        let (first, last) = (from.div_ceil(BLOCK), to / BLOCK);
        let calls = |from: usize, to: usize| {
            let calls = self.rows.calls.get(from..to).unwrap_or_default();
            sum_calls(self.rows, calls)
        };
        let times = if first < last {
            // Two spans of blocks that may overlap, which does not change the earliest and the
            // latest.
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

fn sum_calls(rows: ThreadCalls<'_>, calls: &[u32]) -> Work {
    let each = calls.iter();
    let each = each.map(|row| work(&rows.call(*row), &rows.spans.started));
    each.fold(Work::NEUTRAL, Work::with)
}
