//! Read-only connections, and helpers for queries.

use crate::state::{State, ViewError, lock};
use rusqlite::config::DbConfig;
use rusqlite::types::{FromSql, ValueRef};
use rusqlite::{Connection, OptionalExtension, Params, Row};
use std::sync::Mutex;

/// The number of prepared statements that a connection keeps; the details of one slice take about
/// thirty.
const STATEMENTS: usize = 64;

/// Idle connections.
#[derive(Debug, Default)]
pub(crate) struct Connections(Mutex<Vec<Connection>>);

impl State {
    /// Queries the database in one transaction: outside of one, each statement locks and unlocks
    /// the file.
    pub(crate) fn with_database<T>(
        &self,
        ask: impl FnOnce(&Connection) -> Result<T, ViewError>,
    ) -> Result<T, ViewError> {
        let spare = lock(&self.connections.0).pop();
        let connection = match spare {
            Some(connection) => connection,
            None => {
                let connection = self.trace.connect()?;
                connection.set_prepared_statement_cache_capacity(STATEMENTS);
                // Otherwise SQLite may plan a statement again for each new parameter.
                connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
                connection
            }
        };
        let reading = connection.unchecked_transaction()?;
        let answer = ask(&reading);
        // A transaction that only reads has nothing to commit.
        reading.rollback()?;
        let mut spare = lock(&self.connections.0);
        if spare.len() < 4 {
            spare.push(connection);
        }
        answer
    }
}

/// Returns the first row of an answer.
pub(crate) fn query_row<T>(
    connection: &Connection,
    sql: &str,
    parameters: impl Params,
    row: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Option<T>> {
    // A database of an earlier version may lack tables and columns.
    let mut statement = match connection.prepare_cached(sql) {
        Ok(statement) => statement,
        Err(error) if is_missing(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    statement.query_row(parameters, row).optional()
}

/// Returns all rows of an answer.
pub(crate) fn query_rows<T>(
    connection: &Connection,
    sql: &str,
    parameters: impl Params,
    row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    let mut statement = match connection.prepare_cached(sql) {
        Ok(statement) => statement,
        Err(error) if is_missing(&error) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    statement.query_map(parameters, row)?.collect()
}

fn is_missing(error: &rusqlite::Error) -> bool {
    let text = error.to_string();
    text.contains("no such table") || text.contains("no such column")
}

/// Returns a column; `None` for NULL and values of another type.
pub(crate) fn get<T: FromSql>(row: &Row<'_>, column: usize) -> Option<T> {
    row.get(column).ok()
}

/// Returns a column as text, even if it is not UTF-8.
pub(crate) fn text(row: &Row<'_>, column: usize) -> Option<String> {
    match row.get_ref(column) {
        Ok(ValueRef::Text(bytes)) => Some(String::from_utf8_lossy(bytes).into_owned()),
        Ok(ValueRef::Integer(number)) => Some(number.to_string()),
        Ok(ValueRef::Real(number)) => Some(number.to_string()),
        _ => None,
    }
}

/// A UID in the notation of other outputs. SQLite has no unsigned numbers.
pub(crate) fn uid(raw: i64) -> String {
    raw.cast_unsigned().to_string()
}
