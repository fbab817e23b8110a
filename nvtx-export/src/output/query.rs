//! SQL over a joined trace.

use super::sqlite::{self, WriteOptions};
use super::table::{Cell, Column, Table, Unit};
use crate::error::ExportError;
use crate::joined::Joined;
use crate::progress::Progress;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;

/// Loads the joined trace into memory and asks it.
///
/// # Errors
/// The trace cannot be loaded, or the query is wrong.
pub fn ask(joined: &Joined, sql: &str, progress: &Progress) -> Result<Table, ExportError> {
    let query = |error| ExportError::Query { error };
    let connection = Connection::open_in_memory().map_err(query)?;
    let name = Path::new("the database in memory");
    let options = WriteOptions {
        progress: progress.clone(),
        ..WriteOptions::default()
    };
    sqlite::load(joined, &connection, name, &options)?;
    progress.begin("asking", 0);
    run(&connection, sql).map_err(query)
}

/// Whether this file is a database that [`sqlite::write()`] wrote.
pub fn is_joined(path: &Path) -> bool {
    open(path).is_ok_and(|connection| {
        let sql = "SELECT 1 FROM sqlite_master WHERE name = 'WEFT_META'";
        connection.query_row(sql, [], |_| Ok(())).is_ok()
    })
}

/// Asks a database that [`sqlite::write()`] wrote. It is opened for reading only.
///
/// # Errors
/// It cannot be opened, or the query is wrong.
pub fn ask_file(path: &Path, sql: &str) -> Result<Table, ExportError> {
    let query = |error| ExportError::Query { error };
    run(&open(path).map_err(query)?, sql).map_err(query)
}

fn open(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags)
}

fn run(connection: &Connection, sql: &str) -> rusqlite::Result<Table> {
    let mut statement = connection.prepare(sql)?;
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let columns: Vec<Column<'_>> = names
        .iter()
        .map(|name| Column {
            name,
            unit: Unit::None,
        })
        .collect();
    let width = columns.len();
    let mut table = Table::new(&columns);
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let cells = (0..width).map(|column| row.get_ref(column).map(cell));
        table.push(cells.collect::<Result<_, _>>()?);
    }
    Ok(table)
}

fn cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(number) => Cell::Integer(number),
        ValueRef::Real(number) => Cell::Real(number),
        ValueRef::Text(text) => Cell::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => {
            Cell::Text(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
        }
    }
}
