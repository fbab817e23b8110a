//! WEFT_SOURCE, WEFT_RANK, WEFT_META, WEFT_LOSS, WEFT_PROCESSOR, WEFT_MEMORY, WEFT_BANDWIDTH,
//! WEFT_FLOAT_SPEED.

use std::borrow::Cow;
use weft_database::Database;
use weft_database::schema::{
    self, BandwidthRow, DiagnosticRow, FloatSpeedRow, LossRow, MemoryRow, MetaRow, ProcessorRow,
    RankRow, SourceRow, UntimedRow, cut_for,
};
use weft_model as recording;
use weft_model::{
    Bandwidth, Diagnostic, ExportError, FloatSpeed, GpuProcessor, Memory, Processor, Recording,
    RunIndex, Source, StringIndex,
};

/// The key of the version of a database's tables.
const SCHEMA: &str = "weft_schema";

pub(super) fn read(recording: &mut Recording, database: &Database) -> Result<(), ExportError> {
    MetaRow::read(database, |row| {
        let divided = cut_for::parse(&row.key.0, &row.value);
        recording.program.cut_for.extend(divided);
        recording.quality.meta.set(row.key.0, row.value);
        true
    })?;
    check_version(recording, database)?;
    sources(recording, database)?;
    UntimedRow::read(database, |row| {
        recording.quality.untimed.push(recording::Untimed {
            source: row.source,
            kind: row.kind,
            flaw: row.flaw,
            name: row.name.map(|name| recording.strings.intern(&name)),
            uid: row.uid,
            operation: row.operation,
            processor: row.processor,
            device: row.device,
            stream: row.stream,
            thread: row.thread,
            start: row.start,
            end: row.end,
        });
        true
    })?;
    LossRow::read(database, |row| {
        recording.quality.losses.push(recording::LossRow {
            source: row.source,
            name: row.name.into_owned(),
            severity: row.severity,
            value: row.value.0,
            meaning: row.meaning.into_owned(),
        });
        true
    })?;
    DiagnosticRow::read(database, |row| {
        recording.quality.diagnostics.push(Diagnostic {
            source: row.source,
            at: row.at,
            urgency: row.severity,
            process: row.process,
            text: recording.strings.intern(&row.text),
        });
        true
    })?;
    ProcessorRow::read(database, |row| {
        recording.machine.processors.push(Processor {
            source: row.source,
            id: row.id,
            kind: row.kind,
            thread: row.thread.unwrap_or(0),
            name: recording.strings.intern(&row.name),
        });
        if let Some(uuid) = row.uuid {
            // The other columns are in TARGET_INFO_GPU.
            recording.devices.gpus.push(GpuProcessor {
                source: row.source,
                processor: row.id,
                device: 0,
                name: StringIndex::default(),
                memory: 0,
                multiprocessors: 0,
                capability: (0, 0),
                uuid: Some(recording.strings.intern(&uuid)),
            });
        }
        true
    })?;
    BandwidthRow::read(database, |row| {
        recording.machine.bandwidths.push(Bandwidth {
            source: row.source,
            device: row.device,
            origin: row.origin,
            per_second: row.per_second.0,
        });
        true
    })?;
    FloatSpeedRow::read(database, |row| {
        recording.machine.float_speeds.push(FloatSpeed {
            source: row.source,
            bits: row.bits,
            per_second: row.per_second.0,
        });
        true
    })?;
    MemoryRow::read(database, |row| {
        recording.machine.memories.push(Memory {
            source: row.source,
            id: row.id,
            kind: row.kind,
            capacity: row.capacity.0,
        });
        true
    })
}

/// Checks the version. Tables with a higher first number have other meanings.
fn check_version(recording: &Recording, database: &Database) -> Result<(), ExportError> {
    let major = |version: &str| version.split('.').next()?.parse::<u32>().ok();
    let found = recording.quality.meta.get(SCHEMA).unwrap_or_default();
    if major(found) > major(schema::VERSION) {
        return Err(ExportError::NewerSchema {
            path: database.path().to_owned(),
            found: found.to_owned(),
            known: schema::VERSION,
        });
    }
    Ok(())
}

fn sources(recording: &mut Recording, database: &Database) -> Result<(), ExportError> {
    SourceRow::read(database, |row| {
        let run_id = row.run.map(Cow::into_owned);
        let same = |source: &&Source| run_id.is_some() && source.run_id == run_id;
        let run = recording.sources.iter().find(same).map(|source| source.run);
        recording.sources.push(Source {
            path: row.path.as_ref().into(),
            kind: row.kind,
            run: run.unwrap_or(RunIndex(recording.sources.len() as u32)),
            run_id,
            rank: row.rank,
            ranks: None,
            host: row.host.map(Cow::into_owned),
            boot_id: None,
            pid: None,
            program: None,
            database: row.kind.is_nsys().then(|| database.file().to_owned()),
            wall_at_zero: None,
            lossy: false,
        });
        true
    })?;
    RankRow::read(database, |row| {
        let Some(source) = recording.sources.get_mut(row.source.0 as usize) else {
            return false;
        };
        source.ranks = row.ranks;
        source.boot_id = row.boot_id.map(Cow::into_owned);
        source.pid = row.pid;
        source.program = row.program.map(Cow::into_owned);
        true
    })
}
