//! A foreign database, with its tables and columns.

use crate::schema::{KernelRow, MetaRow};
use crate::{Budget, Untouched, quoted, readable};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use weft_model::{Converted, ExportError};

/// A database opened for reading, with its tables and their columns. No file is changed, and of its
/// schema only the layout of its tables is used.
#[derive(Debug)]
pub struct Database {
    connection: Connection,
    path: PathBuf,
    opened: Untouched,
    budget: Budget,
    tables: BTreeMap<String, Vec<String>>,
    damage: RefCell<BTreeMap<String, u64>>,
    odd_rows: Cell<u64>,
    /// Idle connections for reading slices.
    spare: Mutex<Vec<Connection>>,
}

impl Database {
    /// Opens `path` for reading.
    ///
    /// # Errors
    /// Returns an error if the database cannot be opened, or its list of tables cannot be read.
    pub fn open(path: &Path) -> Result<Self, ExportError> {
        let error = |what: &str| {
            let what = what.to_owned();
            move |error| ExportError::Database {
                path: path.to_owned(),
                what,
                error,
            }
        };
        let opened = Untouched::open(path)?;
        let bytes = opened.file().metadata().map_or(0, |known| known.len());
        let connection = opened.connect().map_err(error("opening it"))?;
        let tables = tables(&connection).map_err(error("its list of tables"))?;
        Ok(Database {
            connection,
            path: path.to_owned(),
            opened,
            budget: Budget::new(bytes),
            tables,
            damage: RefCell::default(),
            odd_rows: Cell::default(),
            spare: Mutex::default(),
        })
    }

    /// Returns the file, as named by the user.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the file that is read: the user's file, or a copy if the writer did not close it.
    pub fn file(&self) -> &Path {
        self.opened.file()
    }

    /// Returns the folder of the copy, which must be kept as long as it is read.
    pub fn copy(&self) -> Option<Converted> {
        self.opened.copy().cloned().map(Converted::new)
    }

    /// Returns the budget of the file.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Returns the opened file.
    pub fn opened(&self) -> &Untouched {
        &self.opened
    }

    /// Returns the connection, for reading.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Returns whether the table exists.
    pub fn has(&self, table: &str) -> bool {
        self.tables.contains_key(table)
    }

    /// Returns whether the table has the column.
    pub fn has_column(&self, table: &str, column: &str) -> bool {
        let columns = self.tables.get(table);
        columns.is_some_and(|columns| columns.iter().any(|known| known == column))
    }

    /// Returns the SQL that reads these columns of a table, with NULL for missing columns; `None`
    /// if the table does not exist.
    pub fn select(&self, table: &str, columns: &[&str]) -> Option<String> {
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

    /// Returns a conversion of SQLite's errors at the step `what`.
    pub fn error(&self, what: &str) -> impl Fn(rusqlite::Error) -> ExportError + use<> {
        let (path, what) = (self.path.clone(), what.to_owned());
        move |error| ExportError::Database {
            path: path.clone(),
            what: what.clone(),
            error,
        }
    }

    /// Returns the idle connections for reading slices.
    pub fn spare(&self) -> &Mutex<Vec<Connection>> {
        &self.spare
    }

    /// Counts a table that could be read only up to a damage.
    pub fn count_damage(&self, table: &str) {
        let name = format!("damaged_{table}");
        *self.damage.borrow_mut().entry(name).or_default() += 1;
    }

    /// Counts rows that were not understood.
    pub fn count_odd_rows(&self, rows: u64) {
        self.odd_rows.set(self.odd_rows.get() + rows);
    }

    /// Calls `each` with these columns of every row of `table`. Missing columns are NULL, and a
    /// missing table has no rows. `each` returns whether it understood the row.
    ///
    /// A damage ends the table and is counted. So does a number of rows that the file has no room
    /// for.
    ///
    /// # Errors
    /// Returns an error if the query cannot be prepared.
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
        for _ in 0..self.budget.rows() {
            match rows.next() {
                Ok(Some(row)) if each(row) => {}
                Ok(Some(_)) => self.count_odd_rows(1),
                Ok(None) => return Ok(()),
                Err(_) => break,
            }
        }
        self.count_damage(table);
        Ok(())
    }

    /// Returns the number of rows of a table and the sum of their starts, as a text; `None` if it
    /// has no rows or no column of starts.
    pub fn times(&self, table: &str) -> Option<String> {
        let columns = self.tables.get(table)?;
        if !columns.iter().any(|column| column == "start") {
            return None;
        }
        let sql = format!(
            "SELECT count(*), min(start), max(start), total(start) FROM {}",
            quoted(table)
        );
        let row = self.connection.query_row(&sql, [], |row| {
            let count: i64 = row.get(0)?;
            let times: (Option<i64>, Option<i64>, f64) = (row.get(1)?, row.get(2)?, row.get(3)?);
            Ok((count > 0).then(|| format!("{count} {times:?}")))
        });
        row.ok().flatten()
    }

    /// Returns the number of tables that could be read only up to a damage, by name of the loss.
    pub fn damage(&self) -> BTreeMap<String, u64> {
        self.damage.borrow().clone()
    }

    /// Returns the number of rows that were not understood.
    pub fn odd_rows(&self) -> u64 {
        self.odd_rows.get()
    }
}

/// Returns a column as an integer; `None` for NULL and other types.
pub fn integer(row: &Row<'_>, column: usize) -> Option<i64> {
    match row.get_ref(column) {
        Ok(ValueRef::Integer(value)) => Some(value),
        _ => None,
    }
}

/// Returns a column as text; `None` for NULL and other types. Bytes that are not UTF-8 are escaped,
/// so that different values stay different.
pub fn text<'r>(row: &'r Row<'_>, column: usize) -> Option<Cow<'r, str>> {
    match row.get_ref(column) {
        Ok(ValueRef::Text(bytes)) => Some(readable(bytes)),
        _ => None,
    }
}

/// Returns the tables with their columns, except generated columns. Virtual tables, which have no
/// pages of their own, are left out because reading one runs its module.
fn tables(connection: &Connection) -> rusqlite::Result<BTreeMap<String, Vec<String>>> {
    let mut names = connection.prepare(
        "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c \
         WHERE m.type = 'table' AND m.rootpage > 0 ORDER BY m.name, c.cid",
    )?;
    let mut tables: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut rows = names.query([])?;
    while let Some(row) = rows.next()? {
        let (Some(table), Some(column)) = (text(row, 0), text(row, 1)) else {
            continue;
        };
        tables
            .entry(table.into_owned())
            .or_default()
            .push(column.into_owned());
    }
    Ok(tables)
}

/// Returns whether Weft wrote the database.
pub fn is_joined(database: &Database) -> bool {
    database.has(MetaRow::TABLE.name) && database.has(KernelRow::TABLE.name)
}
