//! A database of Nsight Systems, and what tables and columns it has.

use crate::error::ExportError;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A database opened for reading, with its tables and their columns.
#[derive(Debug)]
pub struct Database {
    connection: Connection,
    path: PathBuf,
    tables: BTreeMap<String, Vec<String>>,
    damage: RefCell<BTreeMap<String, u64>>,
    odd_rows: Cell<u64>,
    /// Connections that read slices, when none does.
    spare: Mutex<Vec<Connection>>,
}

impl Database {
    /// Opens `path` for reading.
    ///
    /// # Errors
    /// It cannot be opened, or its list of tables cannot be read.
    pub fn open(path: &Path) -> Result<Self, ExportError> {
        let error = |what: &str| {
            let what = what.to_owned();
            move |error| ExportError::Database {
                path: path.to_owned(),
                what,
                error,
            }
        };
        let connection = connect(path).map_err(error("opening it"))?;
        let tables = tables(&connection).map_err(error("its list of tables"))?;
        Ok(Database {
            connection,
            path: path.to_owned(),
            tables,
            damage: RefCell::default(),
            odd_rows: Cell::default(),
            spare: Mutex::default(),
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The connection, for reading.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Whether there is such a table.
    pub fn has(&self, table: &str) -> bool {
        self.tables.contains_key(table)
    }

    /// Whether the table has such a column.
    pub fn has_column(&self, table: &str, column: &str) -> bool {
        let columns = self.tables.get(table);
        columns.is_some_and(|columns| columns.iter().any(|known| known == column))
    }

    /// The SQL that reads these columns of a table; a column that the table does not have is NULL. `None` for a table
    /// that is not there.
    pub(super) fn select(&self, table: &str, columns: &[&str]) -> Option<String> {
        let known = self.tables.get(table)?;
        let columns: Vec<String> = columns
            .iter()
            .map(|column| match *column {
                "rowid" => "rowid".to_owned(),
                column if known.iter().any(|known| known == column) => quoted(column),
                _ => "NULL".to_owned(),
            })
            .collect();
        Some(format!(
            "SELECT {} FROM {}",
            columns.join(", "),
            quoted(table)
        ))
    }

    /// The error of SQLite at `what`.
    pub(super) fn error(&self, what: &str) -> impl Fn(rusqlite::Error) -> ExportError + use<> {
        let (path, what) = (self.path.clone(), what.to_owned());
        move |error| ExportError::Database {
            path: path.clone(),
            what: what.clone(),
            error,
        }
    }

    /// Connections that read slices, when none does.
    pub(super) fn spare(&self) -> &Mutex<Vec<Connection>> {
        &self.spare
    }

    /// Counts a table that could be read only up to a damage.
    pub(super) fn count_damage(&self, table: &str) {
        let name = format!("damaged_{table}");
        *self.damage.borrow_mut().entry(name).or_default() += 1;
    }

    /// Counts rows that were not understood.
    pub(super) fn count_odd_rows(&self, rows: u64) {
        self.odd_rows.set(self.odd_rows.get() + rows);
    }

    /// Calls `each` with these columns of every row of `table`, as integers where they are; a column that the table
    /// does not have is NULL, and a table that is not there has no rows. `each` returns whether it understood the row.
    ///
    /// A damage ends the table, and is counted.
    ///
    /// # Errors
    /// The query cannot be prepared.
    pub fn each_row(
        &self,
        table: &str,
        columns: &[&str],
        mut each: impl FnMut(&Row<'_>) -> bool,
    ) -> Result<(), ExportError> {
        let Some(sql) = self.select(table, columns) else {
            return Ok(());
        };
        let error = self.error(table);
        let mut statement = self.connection.prepare(&sql).map_err(&error)?;
        let mut rows = statement.query([]).map_err(&error)?;
        loop {
            match rows.next() {
                Ok(Some(row)) if each(row) => {}
                Ok(Some(_)) => self.count_odd_rows(1),
                Ok(None) => return Ok(()),
                Err(_) => {
                    self.count_damage(table);
                    return Ok(());
                }
            }
        }
    }

    /// Tables that could be read only up to a damage.
    pub fn damage(&self) -> BTreeMap<String, u64> {
        self.damage.borrow().clone()
    }

    /// Rows that were not understood.
    pub fn odd_rows(&self) -> u64 {
        self.odd_rows.get()
    }
}

/// A connection to this file, for reading.
pub(super) fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags)
}

/// A name as SQL, so that any text is data.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A column as an integer; `None` for NULL and other types.
pub(crate) fn integer(row: &Row<'_>, column: usize) -> Option<i64> {
    match row.get_ref(column) {
        Ok(ValueRef::Integer(value)) => Some(value),
        _ => None,
    }
}

/// A column as text; `None` for NULL, other types and bytes that are not UTF-8.
pub(crate) fn text<'r>(row: &'r Row<'_>, column: usize) -> Option<&'r str> {
    row.get_ref(column).ok()?.as_str().ok()
}

fn tables(connection: &Connection) -> rusqlite::Result<BTreeMap<String, Vec<String>>> {
    let mut names = connection.prepare(
        "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c \
         WHERE m.type = 'table' ORDER BY m.name, c.cid",
    )?;
    let mut tables: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut rows = names.query([])?;
    while let Some(row) = rows.next()? {
        tables.entry(row.get(0)?).or_default().push(row.get(1)?);
    }
    Ok(tables)
}
