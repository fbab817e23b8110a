//! The projection compared with its definition, which considers every pair of ranges.

use super::project::{Projected, Projection};
use proptest::prelude::*;
use std::collections::BTreeSet;
use weft_model::Spans;

/// Returns whether range `row` encloses the call: it began no later, ended no earlier, on the same
/// thread.
fn encloses(spans: &Spans, row: usize, call: usize) -> bool {
    spans.ranges.thread[row] == spans.calls.thread[call]
        && spans.ranges.start[row] <= spans.calls.start[call]
        && spans.ranges.end[row] >= spans.calls.end[call]
}

/// Returns the range directly around another: the shortest that encloses it and, of equally short
/// ones, the last opened. Of ranges with equal intervals, each encloses those with a greater id.
fn parent(spans: &Spans, row: usize) -> Option<usize> {
    let ranges = &spans.ranges;
    let interval = |row: usize| (ranges.start[row], ranges.end[row]);
    let around = |other: &usize| {
        let ((start, end), (inner, outer)) = (interval(*other), interval(row));
        let same = (start, end) == (inner, outer);
        ranges.thread[*other] == ranges.thread[row]
            && *other != row
            && start <= inner
            && end >= outer
            && (!same || ranges.id[*other] < ranges.id[row])
    };
    let candidates = (0..ranges.id.len()).filter(around);
    candidates.min_by_key(|other| {
        let (start, end) = interval(*other);
        (end - start, -start, -ranges.id[*other])
    })
}

fn defined(spans: &Spans) -> Vec<Projected> {
    let work = |row: usize| {
        let calls = (0..spans.calls.start.len()).filter(move |call| encloses(spans, row, *call));
        calls
            .map(|call| spans.calls.started[call])
            .collect::<BTreeSet<u32>>()
    };
    let count = spans.ranges.id.len();
    let parents: Vec<_> = (0..count).map(|row| parent(spans, row)).collect();
    let shown = (0..count).filter(|row| !work(*row).is_empty());
    let rows = shown.clone().map(|row| {
        let work = work(row);
        let around = std::iter::successors(parents[row], |row| parents[*row]);
        Projected {
            range: row as u32,
            first: work
                .iter()
                .map(|row| spans.started.first[*row as usize])
                .min()
                .unwrap(),
            last: work
                .iter()
                .map(|row| spans.started.last[*row as usize])
                .max()
                .unwrap(),
            operations: work.len() as u32,
            level: around.count() as u32,
            children: shown
                .clone()
                .filter(|other| parents[*other] == Some(row))
                .count() as u32,
        }
    });
    rows.collect()
}

/// Ranges and calls on few threads and instants, so that they nest, overlap and touch in all ways.
fn spans(instants: i64, nested: bool) -> impl Strategy<Value = Spans> {
    let interval = (0..instants, 0..instants).prop_map(|(a, b)| (a.min(b), a.max(b)));
    let range = (interval.clone(), 0..3_u32, any::<bool>());
    let call = (interval, 0..3_u32, 0..40_u32);
    let work = (0..1_000_i64, 0..100_i64);
    let columns = (
        prop::collection::vec(range, 0..40),
        prop::collection::vec(call, 0..80),
        prop::collection::vec(work, 40),
    );
    columns.prop_map(move |(ranges, calls, work)| {
        let mut spans = Spans::default();
        (0..3).for_each(|thread| _ = spans.threads.add(100 + thread));
        for (id, ((start, end), thread, pushed)) in ranges.into_iter().enumerate() {
            spans.ranges.id.push(id as i64 + 1);
            spans.ranges.thread.push(thread);
            spans.ranges.start.push(start);
            spans.ranges.end.push(end);
            spans.ranges.name.push(Default::default());
            spans.ranges.pushed.push(pushed);
        }
        for (number, ((start, end), thread, started)) in calls.into_iter().enumerate() {
            // Consecutive calls, each with its own work, as in most traces.
            let (start, end, started) = if nested {
                (start, end, started)
            } else {
                (number as i64, number as i64 + 2, number as u32 % 40)
            };
            spans.calls.thread.push(thread);
            spans.calls.start.push(start);
            spans.calls.end.push(end);
            spans.calls.started.push(started);
        }
        if !nested {
            for column in [&mut spans.calls.start, &mut spans.calls.end] {
                column.truncate(40);
            }
            spans.calls.thread.truncate(40);
            spans.calls.started.truncate(40);
        }
        for (first, length) in work {
            spans.started.first.push(first);
            spans.started.last.push(first + length);
        }
        spans
    })
}

fn check(spans: &Spans) -> Result<(), TestCaseError> {
    let projection = Projection::new(spans);
    let mut found = projection.rows;
    found.sort_by_key(|row| row.range);
    prop_assert_eq!(&found, &defined(spans));
    for (row, found) in projection.parents.iter().enumerate() {
        prop_assert_eq!(found.map(|row| row as usize), parent(spans, row));
    }
    Ok(())
}

proptest! {
    #[test]
    fn projects_ranges_and_calls_as_defined(spans in spans(12, true)) {
        check(&spans)?;
    }

    #[test]
    fn projects_long_time_spans_as_defined(spans in spans(400, true)) {
        check(&spans)?;
    }

    #[test]
    fn projects_consecutive_calls_as_defined(spans in spans(45, false)) {
        check(&spans)?;
    }
}

#[test]
fn splits_long_rows_of_calls_into_blocks() {
    let mut spans = Spans::default();
    spans.threads.add(7);
    for call in 0..1_000_i64 {
        spans.calls.thread.push(0);
        spans.calls.start.push(10 * call);
        spans.calls.end.push(10 * call + 5);
        spans.calls.started.push(call as u32);
        // Times on the device in an unrelated order.
        let first = call * 7_919 % 1_000;
        spans.started.first.push(first);
        spans.started.last.push(first + call % 17);
    }
    let bounds = (0..1_000).step_by(37);
    let pairs = bounds
        .clone()
        .flat_map(|from| bounds.clone().map(move |to| (from, to)));
    for (id, (from, to)) in (1..).zip(pairs.filter(|(from, to)| from < to)) {
        spans.ranges.id.push(id);
        spans.ranges.thread.push(0);
        spans.ranges.start.push(10 * from);
        spans.ranges.end.push(10 * to);
        spans.ranges.name.push(Default::default());
        spans.ranges.pushed.push(true);
    }
    let mut found = Projection::new(&spans).rows;
    found.sort_by_key(|row| row.range);
    assert_eq!(found, defined(&spans));
}
