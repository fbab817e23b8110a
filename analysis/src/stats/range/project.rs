//! The projection of a session's ranges.

use super::enclosed::enclosed;
use super::nesting::Nesting;
use rayon::prelude::*;
use weft_model::Spans;

/// A range within which work was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Projected {
    /// A row of the columns of ranges.
    pub(super) range: u32,
    /// The earliest start of its operations.
    pub(super) first: i64,
    /// The latest end of its operations.
    pub(super) last: i64,
    /// The number of its operations. Those with one correlation id count as one.
    pub(super) operations: u32,
    /// The number of ranges around it.
    pub(super) level: u32,
    /// The number of ranges directly within it that have operations.
    pub(super) children: u32,
}

/// The projection of a session.
#[derive(Debug, Default)]
pub(super) struct Projection {
    /// Ranges with operations.
    pub(super) rows: Vec<Projected>,
    /// For every range, the range directly around it.
    pub(super) parents: Vec<Option<u32>>,
}

impl Projection {
    /// Computes the projection of these columns.
    pub(super) fn new(spans: &Spans) -> Self {
        let threads = spans.threads.ids().len();
        let ranges = by_thread(&spans.ranges.thread, threads);
        let calls = by_thread(&spans.calls.thread, threads);
        let shared = shared(spans);
        let projected: Vec<_> = (ranges.into_par_iter().zip(calls))
            .map(|(ranges, calls)| project(spans, ranges, &calls, &shared))
            .collect();
        let mut projection = Projection {
            rows: Vec::new(),
            parents: vec![None; spans.ranges.id.len()],
        };
        for (rows, nesting) in projected {
            for (row, parent) in nesting.order.iter().zip(&nesting.parents) {
                let parent = parent.and_then(|place| nesting.order.get(place as usize));
                if let Some(slot) = projection.parents.get_mut(*row as usize) {
                    *slot = parent.copied();
                }
            }
            projection.rows.extend(rows);
        }
        projection
    }
}

/// Returns the rows of each thread.
fn by_thread(threads: &[u32], count: usize) -> Vec<Vec<u32>> {
    let mut rows = vec![Vec::new(); count];
    for (row, thread) in (0..).zip(threads) {
        if let Some(rows) = rows.get_mut(*thread as usize) {
            rows.push(row);
        }
    }
    rows
}

/// Returns for each row of started work whether several calls share it.
fn shared(spans: &Spans) -> Vec<bool> {
    let mut seen = vec![false; spans.started.first.len()];
    let mut shared = Vec::new();
    for started in &spans.calls.started {
        if let Some(seen) = seen.get_mut(*started as usize)
            && std::mem::replace(seen, true)
        {
            shared.push(*started);
        }
    }
    seen.fill(false);
    for started in shared {
        if let Some(slot) = seen.get_mut(started as usize) {
            *slot = true;
        }
    }
    seen
}

fn project(
    spans: &Spans,
    ranges: Vec<u32>,
    calls: &[u32],
    shared: &[bool],
) -> (Vec<Projected>, Nesting) {
    let column = |column: &[i64], row: u32| column.get(row as usize).copied().unwrap_or_default();
    let columns = &spans.ranges;
    let interval = |row: u32| {
        let (start, end) = (column(&columns.start, row), column(&columns.end, row));
        (start, end, column(&columns.id, row))
    };
    let nesting = Nesting::new(ranges, interval);
    let intervals: Vec<(i64, i64)> = (nesting.order.iter())
        .map(|row| (interval(*row).0, interval(*row).1))
        .collect();
    let work = enclosed(&intervals, calls, spans, shared);
    let mut children = vec![0; nesting.order.len()];
    for (work, parent) in work.iter().zip(&nesting.parents) {
        let parent = parent.and_then(|parent| children.get_mut(parent as usize));
        if let (Some(children), true) = (parent, work.operations > 0) {
            *children += 1;
        }
    }
    let rows = nesting.order.iter().zip(&nesting.levels);
    let rows = rows.zip(work.iter().zip(children));
    let rows = rows.filter(|(_, (work, _))| work.operations > 0).map(
        |((range, level), (work, children))| Projected {
            range: *range,
            first: work.first,
            last: work.last,
            operations: u32::try_from(work.operations).unwrap_or(u32::MAX),
            level: *level,
            children,
        },
    );
    (rows.collect(), nesting)
}
