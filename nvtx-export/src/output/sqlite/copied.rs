//! The tables of Nsight Systems, copied unchanged from the attached database `session`.

use super::WriteOptions;
use crate::input::nsys::quoted;
use crate::joined::{LossRow, Severity, SourceIndex};
use rusqlite::types::ToSqlOutput;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::path::Path;

/// How rows are copied.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way {
    /// A table by one statement, which a damage in the table makes fail.
    AtOnce,
    /// Up to a damage, through a connection that nothing is written by.
    RowByRow,
}

/// Copies every table but Weft's own and SQLite's from `session`, which is the file `database`; row ids included, and the
/// captured environment variables only on request. Gives what could be copied only up to a damage.
pub(super) fn copy(
    connection: &Connection,
    database: &Path,
    options: &WriteOptions,
    way: Way,
) -> rusqlite::Result<Vec<Damaged>> {
    let mut damaged = Vec::new();
    let mut list = connection.prepare(
        "SELECT name, sql FROM session.sqlite_master WHERE type = 'table' \
         AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'WEFT\\_%' ESCAPE '\\' \
         AND sql LIKE 'CREATE TABLE%'",
    )?;
    let tables: Vec<(String, String)> = list
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    let tables = tables.into_iter();
    options
        .progress
        .begin("copying the tables of nsys", tables.len() as u64);
    for (name, sql) in tables {
        // Created as nsys wrote it, with its types and comments.
        connection.execute(&sql, [])?;
        let table = Table::of(connection, name, options)?;
        match way {
            Way::AtOnce => table.copy_at_once(connection)?,
            Way::RowByRow => damaged.extend(table.copy_row_by_row(connection, database)?),
        }
        options.progress.advance(1);
    }
    Ok(damaged)
}

/// A table to copy.
struct Table {
    name: String,
    /// The same as SQL.
    quoted: String,
    /// Its columns as SQL.
    columns: String,
    /// Which rows.
    condition: &'static str,
}

impl Table {
    fn of(connection: &Connection, name: String, options: &WriteOptions) -> rusqlite::Result<Self> {
        let condition = match name.as_str() {
            _ if options.keep_environment => "",
            "META_DATA_CAPTURE" => " WHERE name NOT LIKE '%ENVIRONMENT%'",
            "TARGET_INFO_SYSTEM_ENV" => " WHERE name NOT LIKE '%Environment%'",
            _ => "",
        };
        Ok(Table {
            quoted: quoted(&name),
            columns: columns(connection, &name)?,
            condition,
            name,
        })
    }

    fn copy_at_once(&self, connection: &Connection) -> rusqlite::Result<()> {
        let Table {
            quoted,
            columns,
            condition,
            ..
        } = self;
        // Whole rows are copied unread, at the speed of memory, where none is left out and numbering them anew gives the
        // ids they have.
        if condition.is_empty() && is_numbered_in_order(connection, quoted) {
            let whole = format!("INSERT INTO main.{quoted} SELECT * FROM session.{quoted}");
            return connection.execute(&whole, []).map(drop);
        }
        let with_rowid = format!(
            "INSERT INTO main.{quoted} (rowid, {columns}) SELECT rowid, {columns} FROM session.{quoted}{condition}"
        );
        // Only a table made WITHOUT ROWID, or one with a column of that name, cannot be copied with its row ids.
        let without = format!(
            "INSERT INTO main.{quoted} ({columns}) SELECT {columns} FROM session.{quoted}{condition}"
        );
        match connection.prepare(&with_rowid) {
            Ok(mut insert) => insert.execute([]).map(drop),
            Err(_) => connection.execute(&without, []).map(drop),
        }
    }

    fn copy_row_by_row(
        &self,
        connection: &Connection,
        database: &Path,
    ) -> rusqlite::Result<Option<Damaged>> {
        let Table {
            quoted,
            columns,
            condition,
            ..
        } = self;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let session = Connection::open_with_flags(database, flags)?;
        let select = |rowid| format!("SELECT {rowid}{columns} FROM {quoted}{condition}");
        let (mut select, rowid) = match session.prepare(&select("rowid, ")) {
            Ok(select) => (select, "rowid, "),
            Err(_) => (session.prepare(&select(""))?, ""),
        };
        let width = select.column_count();
        let places = vec!["?"; width].join(", ");
        let mut insert = connection.prepare(&format!(
            "INSERT INTO main.{quoted} ({rowid}{columns}) VALUES ({places})"
        ))?;
        let mut from = select.query([])?;
        let mut rows = 0;
        loop {
            match from.next() {
                Ok(Some(row)) => {
                    for column in 0..width {
                        let value = ToSqlOutput::Borrowed(row.get_ref(column)?);
                        insert.raw_bind_parameter(column + 1, value)?;
                    }
                    insert.raw_execute()?;
                    rows += 1;
                }
                Ok(None) => return Ok(None),
                Err(error) if is_damage(&error) => {
                    let table = self.name.clone();
                    return Ok(Some(Damaged { table, rows }));
                }
                Err(error) => return Err(error),
            }
        }
    }
}

/// A table that could be copied only up to a damage.
#[derive(Debug)]
pub(super) struct Damaged {
    table: String,
    /// Rows before it.
    rows: u64,
}

impl Damaged {
    /// The counter that says so, named as the reader of databases does.
    pub(super) fn loss(self, source: Option<SourceIndex>) -> LossRow {
        LossRow {
            source,
            name: format!("damaged_{}", self.table),
            severity: Severity::Damage,
            value: 1,
            meaning: format!(
                "tables of the database that could be copied only up to a damage, here after {} rows",
                self.rows
            ),
        }
    }
}

/// Whether SQLite found a file to be damaged.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt)
}

fn columns(connection: &Connection, table: &str) -> rusqlite::Result<String> {
    let mut list =
        connection.prepare("SELECT name FROM pragma_table_info(?1, 'session') ORDER BY cid")?;
    let names = list.query_map([table], |row| row.get::<_, String>(0))?;
    let names: Vec<String> = names
        .map(|name| name.map(|name| quoted(&name)))
        .collect::<Result<_, _>>()?;
    Ok(names.join(", "))
}

/// Whether the rows have the ids that SQLite gives: 1, 2, 3 and so on.
fn is_numbered_in_order(connection: &Connection, name: &str) -> bool {
    let sql = format!(
        "SELECT (SELECT count(*) FROM session.{name}) = (SELECT ifnull(max(rowid), 0) FROM session.{name}) \
         AND (SELECT ifnull(min(rowid), 1) FROM session.{name}) = 1"
    );
    connection
        .query_row(&sql, [], |row| row.get(0))
        .unwrap_or(false)
}
