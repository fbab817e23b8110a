//! WEFT_SOURCE, WEFT_RANK, WEFT_PROCESSOR, WEFT_MEMORY, WEFT_BANDWIDTH, WEFT_FLOAT_SPEED,
//! WEFT_LOSS, WEFT_UNTIMED, WEFT_META.

use rusqlite::Connection;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::os::unix::ffi::OsStrExt;
use weft_critical as critical;
use weft_database::readable;
use weft_database::schema::{
    self, BandwidthRow, Bytes, BytesPerSecond, Count, DiagnosticRow, FloatSpeedRow, LossRow,
    MemoryRow, MetaRow, PrimaryKey, ProcessorRow, RankRow, SourceRow, TextKey, UntimedRow, cut_for,
    write_rows,
};
use weft_model::{Severity, Source, SourceIndex, Trace};

/// The loss of sessions whose own tables are not in the file.
const NOT_COPIED: &str = "nsys_tables_not_copied";

pub(super) fn write(
    trace: &Trace,
    connection: &Connection,
    copied: Option<SourceIndex>,
    losses: &[weft_model::LossRow],
) -> rusqlite::Result<()> {
    sources(trace, connection)?;
    let gpus = trace.devices.gpus.iter();
    let uuids: FxHashMap<_, _> = gpus
        .filter_map(|gpu| Some(((gpu.source, gpu.processor), gpu.uuid?)))
        .collect();
    let rows = trace
        .machine
        .processors
        .iter()
        .map(|processor| ProcessorRow {
            source: processor.source,
            id: processor.id,
            kind: processor.kind,
            name: trace.strings.get(processor.name).into(),
            thread: (processor.thread != 0).then_some(processor.thread),
            uuid: (uuids.get(&(processor.source, processor.id)))
                .map(|uuid| trace.strings.get(*uuid).into()),
        });
    write_rows(connection, rows)?;
    let rows = trace.machine.memories.iter().map(|memory| MemoryRow {
        source: memory.source,
        id: memory.id,
        kind: memory.kind,
        capacity: Bytes(memory.capacity),
    });
    write_rows(connection, rows)?;
    let rows = trace.machine.bandwidths.iter().map(|known| BandwidthRow {
        source: known.source,
        device: known.device,
        origin: known.origin,
        per_second: BytesPerSecond(known.per_second),
    });
    write_rows(connection, rows)?;
    let rows = trace
        .machine
        .float_speeds
        .iter()
        .map(|known| FloatSpeedRow {
            source: known.source,
            bits: known.bits,
            per_second: Count(known.per_second),
        });
    write_rows(connection, rows)?;
    let not_copied = not_copied(trace, copied);
    let losses = trace.quality.losses.iter().chain(losses).chain(&not_copied);
    let rows = losses.map(|loss| LossRow {
        source: loss.source,
        name: loss.name.as_str().into(),
        severity: loss.severity,
        value: Count(loss.value),
        meaning: loss.meaning.as_str().into(),
    });
    write_rows(connection, rows)?;
    let rows = trace.quality.untimed.iter().map(|row| UntimedRow {
        source: row.source,
        kind: row.kind,
        flaw: row.flaw,
        name: row.name.map(|name| trace.strings.get(name).into()),
        uid: row.uid,
        operation: row.operation,
        processor: row.processor,
        device: row.device,
        stream: row.stream,
        thread: row.thread,
        start: row.start,
        end: row.end,
    });
    write_rows(connection, rows)?;
    let rows = trace
        .quality
        .diagnostics
        .iter()
        .map(|diagnostic| DiagnosticRow {
            source: diagnostic.source,
            at: diagnostic.at,
            severity: diagnostic.urgency,
            process: diagnostic.process,
            text: trace.strings.get(diagnostic.text).into(),
        });
    write_rows(connection, rows)?;
    // In a trace that was read back, the version is that of the earlier database.
    let mut meta = trace.quality.meta.clone();
    meta.set("weft_schema", schema::VERSION);
    for row in &trace.program.cut_for {
        let (key, value) = cut_for::fact(row);
        meta.set(key, value);
    }
    let events = match copied {
        Some(source) => format!("copied from source {}", source.id()),
        None => "made by Weft from its launches; Nsight Systems recorded nothing".to_owned(),
    };
    meta.set("nvtx_events", events);
    if let Some((name, graph)) = critical::legion_graph_fact(trace) {
        meta.set(name, graph);
    }
    let rows = meta.iter().map(|(key, value)| MetaRow {
        key: TextKey(key.into()),
        value: value.into(),
    });
    write_rows(connection, rows)
}

fn sources(trace: &Trace, connection: &Connection) -> rusqlite::Result<()> {
    let sources = || (0..).map(SourceIndex).zip(&trace.sources);
    let rows = sources().map(|(index, source)| SourceRow {
        id: PrimaryKey(index.id()),
        path: readable(source.path.as_os_str().as_bytes()),
        kind: source.kind,
        run: run(trace, source),
        rank: source.rank,
        host: source.host.as_deref().map(Into::into),
    });
    write_rows(connection, rows)?;
    let rows = sources().filter_map(|(index, source)| {
        Some(RankRow {
            source: index,
            rank: source.rank?,
            ranks: source.ranks,
            host: source.host.as_deref().map(Into::into),
            boot_id: source.boot_id.as_deref().map(Into::into),
            pid: source.pid,
            program: source.program.as_deref().map(Into::into),
        })
    });
    write_rows(connection, rows)
}

/// Returns the id of the run of a source. A run without an id gets one if it has several files, so
/// that they are known to belong together.
fn run<'a>(trace: &Trace, source: &'a Source) -> Option<Cow<'a, str>> {
    if let Some(id) = source.run_id.as_deref() {
        return Some(id.into());
    }
    let of_run = trace.sources.iter().filter(|other| other.run == source.run);
    (of_run.count() > 1).then(|| format!("run {}", source.run.0 + 1).into())
}

/// Returns the losses of inputs whose tables have no place in the database.
fn not_copied(trace: &Trace, copied: Option<SourceIndex>) -> Vec<weft_model::LossRow> {
    // A joined trace that was read back already has these losses.
    let is_said = |index: SourceIndex, name: &str| {
        let mut losses = trace.quality.losses.iter();
        losses.any(|loss| loss.source == Some(index) && loss.name == name)
    };
    let mut losses = Vec::new();
    for (index, source) in (0..).map(SourceIndex).zip(&trace.sources) {
        if source.database.is_some() && Some(index) != copied && !is_said(index, NOT_COPIED) {
            losses.push(weft_model::LossRow {
                source: Some(index),
                name: NOT_COPIED.to_owned(),
                severity: Severity::Note,
                value: 1,
                meaning:
                    "databases whose own tables are not in this file, which has those of the first session; \
                          their kernels and ranges are in WEFT_KERNEL and WEFT_RANGE"
                        .to_owned(),
            });
        }
        // The tables of CUPTI are those of the session.
        let calls = trace
            .devices
            .calls
            .iter()
            .filter(|call| call.source == index);
        let calls = calls.count() as u64;
        const CALLS: &str = "cupti_calls_not_written";
        if copied.is_some() && !source.kind.is_nsys() && calls > 0 && !is_said(index, CALLS) {
            losses.push(weft_model::LossRow {
                source: Some(index),
                name: CALLS.to_owned(),
                severity: Severity::Note,
                value: calls,
                meaning:
                    "calls that CUPTI in the process recorded too, and that are in this file as the session recorded them"
                        .to_owned(),
            });
        }
    }
    losses
}
