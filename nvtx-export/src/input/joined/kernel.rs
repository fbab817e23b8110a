//! WEFT_KERNEL with WEFT_KERNEL_TASK, WEFT_UNMATCHED and WEFT_KERNEL_RANGE; WEFT_RANGE_TASK.

use super::{integer, small, source, text, time, uid};
use crate::error::ExportError;
use crate::input::nsys::Database;
use crate::joined::{
    Index, Joined, Kernel, KernelKind, Method, Outcome, RangeIndex, RangeTask, Reason, Recorder,
};
use rustc_hash::FxHashMap;
use weft_trace::id::ProcessorId;

pub(super) fn read(
    joined: &mut Joined,
    database: &Database,
    rows: &FxHashMap<i64, RangeIndex>,
) -> Result<(), ExportError> {
    let index = Index::of(joined);
    let mut outcomes: FxHashMap<i64, Outcome> = FxHashMap::default();
    let columns = ["kernelId", "sourceId", "launchUid", "method"];
    database.each_row("WEFT_KERNEL_TASK", &columns, |row| {
        let (Some(kernel), Some(source), Some(launch)) =
            (integer(row, 0), source(row, 1), uid(row, 2))
        else {
            return false;
        };
        let method = text(row, 3).and_then(Method::from_name);
        let (Some(launch), Some(method)) = (index.launch(source, launch), method) else {
            return false;
        };
        outcomes.insert(kernel, Outcome::Linked { launch, method });
        true
    })?;
    database.each_row("WEFT_UNMATCHED", &["kernelId", "reason"], |row| {
        let reason = text(row, 1).and_then(Reason::from_name);
        let (Some(kernel), Some(reason)) = (integer(row, 0), reason) else {
            return false;
        };
        outcomes.insert(kernel, Outcome::Unmatched(reason));
        true
    })?;
    let mut ranges: FxHashMap<i64, RangeIndex> = FxHashMap::default();
    database.each_row("WEFT_KERNEL_RANGE", &["kernelId", "nvtxRowId"], |row| {
        let (Some(kernel), Some(range)) = (integer(row, 0), integer(row, 1)) else {
            return false;
        };
        // Ranges that were made of launches have no row of their own.
        if let Some(range) = rows.get(&range) {
            ranges.insert(kernel, *range);
        }
        true
    })?;
    let columns = ["nvtxRowId", "sourceId", "taskUid"];
    database.each_row("WEFT_RANGE_TASK", &columns, |row| {
        let range = integer(row, 0).and_then(|row| rows.get(&row).copied());
        let (Some(range), Some(source), Some(task)) = (range, source(row, 1), uid(row, 2)) else {
            return false;
        };
        joined.range_tasks.push(RangeTask {
            range,
            source,
            task,
        });
        true
    })?;
    let columns = [
        "id",
        "sourceId",
        "source",
        "kind",
        "name",
        "rank",
        "processorId",
        "deviceId",
        "streamId",
        "correlationId",
        "graphNodeId",
        "start",
        "end",
        "bytes",
        "contextId",
        "graphId",
    ];
    database.each_row("WEFT_KERNEL", &columns, |row| {
        let recorder = text(row, 2).and_then(Recorder::from_name);
        let kind = text(row, 3).and_then(KernelKind::from_name);
        let (Some(id), Some(source), Some(recorder), Some(kind), Some(start), Some(end)) = (
            integer(row, 0),
            source(row, 1),
            recorder,
            kind,
            time(row, 11),
            time(row, 12),
        ) else {
            return false;
        };
        joined.kernels.push(Kernel {
            source,
            recorder,
            kind,
            name: joined.strings.intern(text(row, 4).unwrap_or_default()),
            rank: small(row, 5),
            processor: small(row, 6).map(ProcessorId),
            device: integer(row, 7),
            stream: integer(row, 8),
            context: integer(row, 14),
            graph: integer(row, 15),
            graph_node: integer(row, 10),
            correlation: integer(row, 9),
            start,
            end,
            bytes: integer(row, 13).map(i64::cast_unsigned),
            recorded: None,
            external: None,
            process: None,
            detail: None,
        });
        // A row that someone deleted leaves a kernel whose launch is not known any more.
        let outcome = outcomes.get(&id).copied();
        joined
            .outcomes
            .push(outcome.unwrap_or(Outcome::Unmatched(Reason::LostRecords)));
        joined.kernel_ranges.push(ranges.get(&id).copied());
        true
    })
}
