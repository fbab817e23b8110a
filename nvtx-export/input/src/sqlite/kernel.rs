//! WEFT_KERNEL with WEFT_KERNEL_TASK, WEFT_UNMATCHED and WEFT_KERNEL_RANGE; WEFT_RANGE_TASK.

use rustc_hash::FxHashMap;
use weft_database::Database;
use weft_database::schema::{
    KernelBytesRow, KernelRangeRow, KernelRow, KernelTaskRow, RangeTaskRow, UnmatchedRow,
};
use weft_model::{
    ExportError, Index, Kernel, Links, Method, Outcome, RangeIndex, RangeTask, Reason, Recorder,
    Recording, Route, Traffic,
};

/// Returns the bytes of each kernel in a database of version 1, which has one column for them.
fn earlier_bytes(database: &Database) -> Result<Option<FxHashMap<i64, u64>>, ExportError> {
    if database.has_column(KernelRow::TABLE.name, "bytesWritten") {
        return Ok(None);
    }
    let mut known = FxHashMap::default();
    KernelBytesRow::read(database, |row| {
        if let Some(bytes) = row.bytes {
            known.insert(row.id.0, bytes.0);
        }
        true
    })?;
    Ok(Some(known))
}

pub(super) fn read(
    recording: &mut Recording,
    database: &Database,
    rows: &FxHashMap<i64, RangeIndex>,
) -> Result<Links, ExportError> {
    let mut links = Links::default();
    let index = Index::new(recording);
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
        // Ranges that were derived from launches have no row of their own.
        if let Some(range) = rows.get(&row.range) {
            ranges.insert(row.kernel.0, *range);
        }
        true
    })?;
    RangeTaskRow::read(database, |row| {
        let Some(range) = rows.get(&row.range.0) else {
            return false;
        };
        links.range_tasks.push(RangeTask {
            range: *range,
            source: row.source,
            task: row.task,
        });
        true
    })?;
    let earlier = earlier_bytes(database)?;
    KernelRow::read(database, |row| {
        let traffic = match &earlier {
            None => Traffic {
                read: row.bytes_read.map(|bytes| bytes.0),
                written: row.bytes_written.map(|bytes| bytes.0),
            },
            Some(bytes) => Traffic::new(row.kind, bytes.get(&row.id.0).copied()),
        };
        let outcome = outcomes.get(&row.id.0).copied();
        // The runtime records the launch of each kernel on a CPU.
        let recorded = match outcome {
            Some(Outcome::Linked {
                launch,
                method: Method::Recorded,
            }) if row.recorder == Recorder::Host => recording.work.launches.get(launch.0 as usize),
            _ => None,
        };
        let recorded = recorded.map(|launch| launch.uid);
        let is_row = recording.devices.kernels.try_push(Kernel {
            source: row.source,
            recorder: row.recorder,
            kind: row.kind,
            name: recording.strings.intern(&row.name),
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
            traffic,
            recorded,
            external: None,
            process: None,
            detail: None,
            route: row
                .from_device
                .zip(row.to_device)
                .map(|(from, to)| Route { from, to }),
        });
        if !is_row {
            return true;
        }
        // If a row was deleted, the kernel's launch is unknown.
        links
            .outcomes
            .push(outcome.unwrap_or(Outcome::Unmatched(Reason::LostRecords)));
        links.kernel_ranges.push(ranges.get(&row.id.0).copied());
        links.kernel_calls.push(row.called);
        true
    })?;
    Ok(links)
}
