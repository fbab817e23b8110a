//! WEFT_SOURCE, WEFT_RANK, WEFT_META, WEFT_LOSS, WEFT_PROCESSOR, WEFT_MEMORY.

use super::{coded, integer, small, source, text};
use crate::error::ExportError;
use crate::input::nsys::Database;
use crate::joined::{Joined, LossRow, Memory, Processor, RunIndex, Severity, Source, SourceKind};
use weft_trace::id::{MemoryId, ProcessorId};
use weft_trace::record::{MemoryKind, ProcessorKind};

pub(super) fn read(joined: &mut Joined, database: &Database) -> Result<(), ExportError> {
    sources(joined, database)?;
    database.each_row("WEFT_META", &["key", "value"], |row| {
        if let (Some(key), Some(value)) = (text(row, 0), text(row, 1)) {
            joined.meta.set(key, value);
        }
        true
    })?;
    let columns = ["sourceId", "name", "severity", "value", "meaning"];
    database.each_row("WEFT_LOSS", &columns, |row| {
        let (Some(name), Some(severity)) = (text(row, 1), text(row, 2)) else {
            return false;
        };
        joined.losses.push(LossRow {
            source: source(row, 0),
            name: name.to_owned(),
            severity: Severity::from_name(severity).unwrap_or(Severity::Loss),
            value: integer(row, 3).unwrap_or(0).cast_unsigned(),
            meaning: text(row, 4).unwrap_or_default().to_owned(),
        });
        true
    })?;
    let columns = ["sourceId", "id", "kind", "name", "thread"];
    database.each_row("WEFT_PROCESSOR", &columns, |row| {
        let kind = coded(row, 2, ProcessorKind::from_code, |kind| kind.name());
        let (Some(source), Some(id), Some(kind)) = (source(row, 0), small(row, 1), kind) else {
            return false;
        };
        joined.processors.push(Processor {
            source,
            id: ProcessorId(id),
            kind,
            thread: small(row, 4).unwrap_or(0),
            name: joined.strings.intern(text(row, 3).unwrap_or_default()),
        });
        true
    })?;
    database.each_row(
        "WEFT_MEMORY",
        &["sourceId", "id", "kind", "capacity"],
        |row| {
            let kind = coded(row, 2, MemoryKind::from_code, |kind| kind.name());
            let (Some(source), Some(id), Some(kind)) = (source(row, 0), small(row, 1), kind) else {
                return false;
            };
            joined.memories.push(Memory {
                source,
                id: MemoryId(id),
                kind,
                capacity: integer(row, 3).unwrap_or(0).cast_unsigned(),
            });
            true
        },
    )
}

fn sources(joined: &mut Joined, database: &Database) -> Result<(), ExportError> {
    let columns = ["id", "path", "kind", "run", "rank", "host"];
    database.each_row("WEFT_SOURCE", &columns, |row| {
        let (Some(path), Some(kind)) = (text(row, 1), text(row, 2).and_then(SourceKind::from_name))
        else {
            return false;
        };
        let run_id = text(row, 3).map(str::to_owned);
        let same = |source: &&Source| run_id.is_some() && source.run_id == run_id;
        let run = joined.sources.iter().find(same).map(|source| source.run);
        joined.sources.push(Source {
            path: path.into(),
            kind,
            run: run.unwrap_or(RunIndex(joined.sources.len() as u32)),
            run_id,
            rank: small(row, 4),
            ranks: None,
            host: text(row, 5).map(str::to_owned),
            boot_id: None,
            pid: None,
            program: None,
            database: kind.is_nsys().then(|| database.path().to_owned()),
            wall_at_zero: None,
            lossy: false,
        });
        true
    })?;
    let columns = ["sourceId", "ranks", "bootId", "pid", "program"];
    database.each_row("WEFT_RANK", &columns, |row| {
        let index = source(row, 0);
        let Some(source) = index.and_then(|index| joined.sources.get_mut(index.0 as usize)) else {
            return false;
        };
        source.ranks = small(row, 1);
        source.boot_id = text(row, 2).map(str::to_owned);
        source.pid = small(row, 3);
        source.program = text(row, 4).map(str::to_owned);
        true
    })
}
