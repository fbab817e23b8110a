//! The tables of Nsight Systems, copied unchanged from the attached database `session`.

use super::WriteOptions;
use crate::input::nsys::quoted;
use rusqlite::Connection;

/// Copies every table but Weft's own and SQLite's, row ids included; the captured environment variables only on
/// request.
pub(super) fn copy(connection: &Connection, options: &WriteOptions) -> rusqlite::Result<()> {
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
    for (table, sql) in tables {
        // Created as nsys wrote it, with its types and comments.
        connection.execute(&sql, [])?;
        let name = quoted(&table);
        let condition = match table.as_str() {
            _ if options.keep_environment => "",
            "META_DATA_CAPTURE" => " WHERE name NOT LIKE '%ENVIRONMENT%'",
            "TARGET_INFO_SYSTEM_ENV" => " WHERE name NOT LIKE '%Environment%'",
            _ => "",
        };
        let columns = columns(connection, &table)?;
        let with_rowid = format!(
            "INSERT INTO main.{name} (rowid, {columns}) SELECT rowid, {columns} FROM session.{name}{condition}"
        );
        let without = format!(
            "INSERT INTO main.{name} ({columns}) SELECT {columns} FROM session.{name}{condition}"
        );
        // Whole rows are copied unread, at the speed of memory, where none is left out and numbering them anew gives the
        // ids they have.
        let whole = format!("INSERT INTO main.{name} SELECT * FROM session.{name}");
        if condition.is_empty() && is_numbered_in_order(connection, &name) {
            connection.execute(&whole, [])?;
        } else {
            // Only a table made WITHOUT ROWID, or one with a column of that name, cannot be copied the first way.
            match connection.prepare(&with_rowid) {
                Ok(mut insert) => insert.execute([])?,
                Err(_) => connection.execute(&without, [])?,
            };
        }
        options.progress.advance(1);
    }
    Ok(())
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
