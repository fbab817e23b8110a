//! The columns of a session, from its rows.

use rustc_hash::FxHashMap;
use weft_model::{RangeKind, SourceIndex, Spans, Trace, process_of};

/// Returns the columns of the rows of `source`.
pub(super) fn collect(trace: &Trace, source: SourceIndex) -> Spans {
    let mut spans = Spans::default();
    add_ranges(&mut spans, trace, source);
    let mut rows = FxHashMap::default();
    for kernel in trace
        .devices
        .kernels
        .iter()
        .filter(|kernel| kernel.source == source)
    {
        spans.operations += 1;
        let (Some(process), Some(correlation)) = (kernel.process, kernel.correlation) else {
            spans.without_call += 1;
            continue;
        };
        let columns = &mut spans.started;
        let row = *rows.entry((process, correlation)).or_insert_with(|| {
            columns.first.push(i64::MAX);
            columns.last.push(i64::MIN);
            columns.first.len() - 1
        });
        let times = columns.first.get_mut(row).zip(columns.last.get_mut(row));
        if let Some((first, last)) = times {
            *first = kernel.start.nanos().min(*first);
            *last = kernel.end.nanos().max(*last);
        }
    }
    for call in trace
        .devices
        .calls
        .iter()
        .filter(|call| call.source == source)
    {
        if let Some(row) = rows.get(&(process_of(call.thread), call.correlation)) {
            let calls = &mut spans.calls;
            calls.thread.push(spans.threads.add(call.thread));
            calls.start.push(call.start.nanos());
            calls.end.push(call.end.nanos());
            calls.started.push(*row as u32);
        }
    }
    spans
}

/// Adds the ranges of a source. A range that was closed on another thread does not represent the
/// time of a thread, and is left out.
fn add_ranges(spans: &mut Spans, trace: &Trace, source: SourceIndex) {
    let ranges = || {
        trace
            .work
            .ranges
            .iter()
            .filter(|range| range.source == source)
    };
    // Ranges that were never closed end with the last event of any range, as in the reports of
    // Nsight Systems.
    let closed = ranges().filter(|range| !range.open).map(|range| range.end);
    let latest = closed.chain(ranges().map(|range| range.start)).max();
    spans.across_threads = ranges().filter(|range| range.end_thread.is_some()).count() as u64;
    for range in ranges().filter(|range| range.end_thread.is_none()) {
        let text = trace.strings.get(range.text);
        let domain = trace.strings.get(range.domain);
        let name = match domain {
            "" => spans.names.intern(text),
            domain => spans.names.intern(&format!("{domain}:{text}")),
        };
        let end = if range.open {
            latest.unwrap_or(range.end)
        } else {
            range.end
        };
        let columns = &mut spans.ranges;
        columns.id.push(range.row);
        columns.thread.push(spans.threads.add(range.thread));
        columns.start.push(range.start.nanos());
        columns.end.push(end.nanos());
        columns.name.push(name);
        columns.pushed.push(range.kind == RangeKind::PushPop);
    }
}
