//! WEFT_CRITICAL_PATH.

use crate::critical::PathStep;
use crate::error::ExportError;
use crate::input::nsys::Database;
use crate::joined::Joined;
use crate::schema::CriticalRow;

pub(super) fn read(joined: &mut Joined, database: &Database) -> Result<(), ExportError> {
    if !database.has(CriticalRow::TABLE.name) {
        return Ok(());
    }
    let mut path = Vec::new();
    CriticalRow::read(database, |row| {
        path.push(PathStep {
            kind: row.kind,
            source: row.source,
            uid: row.uid,
            operation: row.operation,
            processor: row.processor,
            start: row.start,
            end: row.end,
            part: row.part.0,
        });
        true
    })?;
    joined.critical_path = Some(path);
    Ok(())
}
