//! WEFT_KERNEL with WEFT_KERNEL_TASK, WEFT_UNMATCHED and WEFT_KERNEL_RANGE; WEFT_RANGE_TASK.

use crate::error::ExportError;
use crate::input::nsys::Database;
use crate::joined::{Index, Joined, Kernel, Outcome, RangeIndex, RangeTask, Reason};
use crate::schema::{KernelRangeRow, KernelRow, KernelTaskRow, RangeTaskRow, UnmatchedRow};
use rustc_hash::FxHashMap;

pub(super) fn read(
    joined: &mut Joined,
    database: &Database,
    rows: &FxHashMap<i64, RangeIndex>,
) -> Result<(), ExportError> {
    let index = Index::of(joined);
    let mut outcomes: FxHashMap<i64, Outcome> = FxHashMap::default();
    KernelTaskRow::read(database, |row| {
        let Some(launch) = index.launch(row.source, row.launch) else {
            return false;
        };
        let method = row.method;
        outcomes.insert(row.kernel, Outcome::Linked { launch, method });
        true
    })?;
    UnmatchedRow::read(database, |row| {
        outcomes.insert(row.kernel.0, Outcome::Unmatched(row.reason));
        true
    })?;
    let mut ranges: FxHashMap<i64, RangeIndex> = FxHashMap::default();
    KernelRangeRow::read(database, |row| {
        // Ranges that were made of launches have no row of their own.
        if let Some(range) = rows.get(&row.range) {
            ranges.insert(row.kernel.0, *range);
        }
        true
    })?;
    RangeTaskRow::read(database, |row| {
        let Some(range) = rows.get(&row.range.0) else {
            return false;
        };
        joined.range_tasks.push(RangeTask {
            range: *range,
            source: row.source,
            task: row.task,
        });
        true
    })?;
    KernelRow::read(database, |row| {
        joined.kernels.push(Kernel {
            source: row.source,
            recorder: row.recorder,
            kind: row.kind,
            name: joined.strings.intern(&row.name),
            rank: row.rank,
            processor: row.processor,
            device: row.device,
            stream: row.stream,
            context: row.context,
            graph: row.graph,
            graph_node: row.graph_node,
            correlation: row.correlation,
            start: row.start,
            end: row.end,
            bytes: row.bytes.map(|bytes| bytes.0),
            recorded: None,
            external: None,
            process: None,
            detail: None,
        });
        // A row that someone deleted leaves a kernel whose launch is not known any more.
        let outcome = outcomes.get(&row.id.0).copied();
        joined
            .outcomes
            .push(outcome.unwrap_or(Outcome::Unmatched(Reason::LostRecords)));
        joined.kernel_ranges.push(ranges.get(&row.id.0).copied());
        true
    })
}
