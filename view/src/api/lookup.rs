//! Lookup of slices by rows of the database.

use crate::database::{get, query_row};
use crate::state::{State, ViewError};
use rusqlite::Connection;
use serde_json::{Value, json};
use weft_timeline::{Item, SliceKind};

/// Returns whether a line is in place of the name of kernels or ranges, in a trace without tasks.
pub(crate) fn is_name(file: &str, line: u32) -> bool {
    file.is_empty() && line == 0
}

/// A slice in a list.
pub(crate) fn reference(state: &State, item: &Item) -> Value {
    let name = state.trace.file.names().get(item.name as usize);
    json!({
        "id": item.item, "lane": item.lane, "name": name, "line": item.line, "start": item.start, "end": item.end,
    })
}

/// The row of a task, a copy, or dependent partitioning.
fn row_of(
    state: &State,
    database: &Connection,
    source: i64,
    uid: i64,
) -> rusqlite::Result<Option<(SliceKind, u32)>> {
    let tables = [
        (
            SliceKind::Task,
            "SELECT rowid FROM WEFT_TASK WHERE uid = ?1 AND sourceId = ?2",
        ),
        (
            SliceKind::Copy,
            "SELECT rowid FROM WEFT_COPY WHERE uid = ?1 AND sourceId = ?2",
        ),
        (
            SliceKind::Copy,
            "SELECT c.rowid FROM WEFT_MESSAGE m JOIN WEFT_COPY c ON c.uid = m.copyUid \
             WHERE m.uid = ?1 AND m.sourceId = ?2",
        ),
    ];
    for (what, sql) in tables {
        let row = query_row(database, sql, [uid, source], |row| Ok(get::<u32>(row, 0)))?;
        if let Some(row) = row.flatten() {
            return Ok(Some((what, row)));
        }
    }
    let partitionings = &state.columns.partitionings;
    let rows = partitionings.rows(database, source, uid, 1, true)?;
    let row = rows.first().and_then(|row| u32::try_from(*row).ok());
    Ok(row.map(|row| (SliceKind::Partitioning, row)))
}

/// The slice of a task, a copy, or dependent partitioning.
pub(crate) fn slice_of(
    state: &State,
    database: &Connection,
    source: i64,
    uid: i64,
) -> Result<Option<Item>, ViewError> {
    let file = &state.trace.file;
    let Some((what, row)) = row_of(state, database, source, uid)? else {
        return Ok(None);
    };
    match file.of_row(what, row)? {
        Some(item) => Ok(file.item(item)?),
        None => Ok(None),
    }
}
