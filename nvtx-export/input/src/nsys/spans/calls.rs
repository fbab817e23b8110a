//! Columns of the calls that started work.

use super::started::Started;
use super::tally::{Tally, time};
use weft_database::{Database, Room, integer};
use weft_model::{CallColumns, ExportError, Progress, RecordKind, Spans, Threads, process_of};

/// Calls of a slice of rows. Threads are indices into `threads`.
#[derive(Default)]
struct Calls {
    columns: CallColumns,
    threads: Threads,
    untimed: Tally,
}

impl Room for Calls {
    fn reserve(&mut self, rows: usize) {
        self.columns.reserve(rows);
    }
}

pub(super) fn read(
    spans: &mut Spans,
    started: Started,
    database: &Database,
    progress: &Progress,
    untimed: &mut Tally,
) -> Result<(), ExportError> {
    let columns = ["start", "end", "globalTid", "correlationId"];
    let table = "CUPTI_ACTIVITY_KIND_RUNTIME";
    let slices = database.each_slice(table, &columns, progress, |slice: &mut Calls, row| {
        let (Some(start), Some(end)) = (integer(row, 0), integer(row, 1)) else {
            return false;
        };
        // A call without a thread or an id cannot be matched to work.
        let (Some(thread), Some(correlation)) = (integer(row, 2), integer(row, 3)) else {
            return true;
        };
        if !slice
            .untimed
            .check(RecordKind::ApiCall, time(start), Some(time(end)))
        {
            return true;
        }
        if let Some(row) = started.row(process_of(thread), correlation) {
            slice.columns.thread.push(slice.threads.add(thread));
            slice.columns.start.push(start);
            slice.columns.end.push(end);
            slice.columns.started.push(row);
        }
        true
    })?;
    let count = slices.iter().map(|slice| slice.columns.start.len()).sum();
    spans.calls.reserve(count);
    for slice in slices {
        untimed.add(slice.untimed);
        let threads: Vec<u32> = (slice.threads.ids().iter())
            .map(|id| spans.threads.add(*id))
            .collect();
        let thread = |index: u32| threads.get(index as usize).copied().unwrap_or_default();
        let (calls, columns) = (&mut spans.calls, slice.columns);
        calls.thread.extend(columns.thread.into_iter().map(thread));
        calls.start.extend(columns.start);
        calls.end.extend(columns.end);
        calls.started.extend(columns.started);
    }
    spans.without_call = started.without(spans.calls.started.iter().copied());
    spans.started = started.columns;
    Ok(())
}
