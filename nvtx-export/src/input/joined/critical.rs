//! WEFT_CRITICAL_PATH.

use super::{integer, small, source, text, time, uid};
use crate::critical::{Step, StepKind};
use crate::error::ExportError;
use crate::input::nsys::Database;
use crate::joined::Joined;
use weft_trace::id::ProcessorId;

pub(super) fn read(joined: &mut Joined, database: &Database) -> Result<(), ExportError> {
    if !database.has("WEFT_CRITICAL_PATH") {
        return Ok(());
    }
    let mut path = Vec::new();
    let columns = [
        "sourceId",
        "kind",
        "uid",
        "opUid",
        "processorId",
        "start",
        "end",
        "part",
    ];
    database.each_row("WEFT_CRITICAL_PATH", &columns, |row| {
        let kind = text(row, 1).and_then(StepKind::from_name);
        let (Some(source), Some(kind), Some(start), Some(end), Some(part)) = (
            source(row, 0),
            kind,
            time(row, 5),
            time(row, 6),
            integer(row, 7),
        ) else {
            return false;
        };
        path.push(Step {
            kind,
            source,
            uid: uid(row, 2),
            operation: uid(row, 3),
            processor: small(row, 4).map(ProcessorId),
            start,
            end,
            part,
        });
        true
    })?;
    joined.critical_path = Some(path);
    Ok(())
}
