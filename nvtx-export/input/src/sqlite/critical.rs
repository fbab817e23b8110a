//! WEFT_CRITICAL_PATH.

use weft_database::Database;
use weft_database::schema::CriticalRow;
use weft_model::{ExportError, Flaw, PathStep, check_times};

/// Returns the critical path; `None` if the database has none.
pub(super) fn read(database: &Database) -> Result<Option<Vec<PathStep>>, ExportError> {
    if !database.has(CriticalRow::TABLE.name) {
        return Ok(None);
    }
    let mut path = Vec::new();
    CriticalRow::read(database, |row| {
        let checked = check_times(row.start, Some(row.end));
        // The run may begin at 0.
        let is_possible = matches!(checked, Ok(()) | Err(Flaw::NotRecorded));
        if !is_possible || row.part.0 < 0 || row.part > row.end - row.start {
            return false;
        }
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
    Ok(Some(path))
}
