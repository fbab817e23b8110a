//! Tables read in slices of rows, several slices in parallel.

use crate::{Budget, Database, Untouched};
use rayon::prelude::*;
use rusqlite::{Connection, Row, Statement};
use std::sync::{Mutex, MutexGuard, PoisonError};
use weft_model::{ExportError, Progress};

/// The number of row ids in a slice: enough to make the cost of opening a connection negligible.
const SLICE: i64 = 1 << 16;

/// The least bytes of a row: the size of times and ids in real rows. It limits the number of
/// expected rows.
const LEAST_ROW: u64 = 24;

/// A value that rows are read into.
pub trait Room {
    /// Reserves space for this many rows, to avoid moving them later.
    fn reserve(&mut self, rows: usize);

    /// Returns the size of the texts read so far, in bytes.
    fn texts(&self) -> usize {
        0
    }
}

/// The number of rows between two checks of the size of texts.
const LOOK: u64 = 1 << 10;

/// The result of reading a slice.
struct Slice<T> {
    value: T,
    odd_rows: u64,
    damaged: bool,
}

impl Database {
    /// Reads these columns of `table` like [`each_row`](Self::each_row), but in slices that are
    /// read in parallel, each into its own value. Returns the values in the order of the rows.
    ///
    /// # Errors
    /// Returns an error if the query cannot be prepared.
    pub fn each_slice<T: Default + Room + Send>(
        &self,
        table: &str,
        columns: &[&str],
        progress: &Progress,
        each: impl Fn(&mut T, &Row<'_>) -> bool + Sync,
    ) -> Result<Vec<T>, ExportError> {
        let Some(sql) = self.select(table, columns) else {
            return Ok(Vec::new());
        };
        let bounds = self.slices(table);
        if bounds.len() < 2 {
            let (mut value, mut texts) = (T::default(), 0);
            self.each_row(table, columns, |row| {
                let before = std::mem::replace(&mut texts, value.texts());
                self.budget().take(texts - before) && each(&mut value, row)
            })?;
            return Ok(vec![value]);
        }
        let error = self.error(table);
        let sql = format!("{sql} WHERE rowid BETWEEN ?1 AND ?2");
        let budget = self.budget();
        let connections = Connections::new(self);
        let slices: Result<Vec<Slice<T>>, rusqlite::Error> = bounds
            .into_par_iter()
            .map(|bounds| {
                let connection = connections.take()?;
                let mut statement = connection.prepare_cached(&sql)?;
                let slice = read_slice(&mut statement, bounds, budget, &each)?;
                drop(statement);
                connections.give_back(connection);
                progress.advance((bounds.1.abs_diff(bounds.0)).saturating_add(1));
                Ok(slice)
            })
            .collect();
        let slices = slices.map_err(error)?;
        self.count_odd_rows(slices.iter().map(|slice| slice.odd_rows).sum());
        if slices.iter().any(|slice| slice.damaged) {
            self.count_damage(table);
        }
        Ok(slices.into_iter().map(|slice| slice.value).collect())
    }

    /// Returns the first and last row id of each slice of a table. Empty if rows have no ids, or if
    /// ids are too sparse to predict the number of rows.
    pub fn slices(&self, table: &str) -> Vec<(i64, i64)> {
        let Some((first, last)) = self.row_ids(table) else {
            return Vec::new();
        };
        let bytes = self.budget().bytes();
        let Some(rows) = last.checked_sub(first).filter(|rows| {
            let rows = rows.cast_unsigned();
            rows < bytes / LEAST_ROW
        }) else {
            return Vec::new();
        };
        let count = (rows / SLICE).max(1);
        // Ids may be close to the limits of the type.
        let part = |slice: i64| i128::from(rows + 1) * i128::from(slice) / i128::from(count);
        let bound = |slice: i64| i128::from(first) + part(slice);
        (0..count)
            .map(|slice| (bound(slice) as i64, (bound(slice + 1) - 1) as i64))
            .collect()
    }

    /// Returns the smallest and the largest row id of a table.
    pub fn row_ids(&self, table: &str) -> Option<(i64, i64)> {
        let end = |function: &str| {
            let sql = self.select(table, &["rowid"])?;
            let sql = sql.replacen("rowid", &format!("{function}(rowid)"), 1);
            let id = self.connection().query_row(&sql, [], |row| row.get(0));
            id.ok().flatten()
        };
        Some((end("min")?, end("max")?))
    }
}

/// Connections to one file, each for one slice at a time.
pub(crate) struct Connections<'d> {
    opened: &'d Untouched,
    spare: &'d Mutex<Vec<Connection>>,
}

impl<'d> Connections<'d> {
    pub(crate) fn new(database: &'d Database) -> Self {
        Connections {
            opened: database.opened(),
            spare: database.spare(),
        }
    }

    pub(crate) fn take(&self) -> rusqlite::Result<Connection> {
        if let Some(connection) = self.lock().pop() {
            return Ok(connection);
        }
        let connection = self.opened.connect()?;
        // A table is read once from its first page to its last, so caching more pages is of no use.
        connection.pragma_update(None, "cache_size", 64)?;
        Ok(connection)
    }

    pub(crate) fn give_back(&self, connection: Connection) {
        self.lock().push(connection);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn read_slice<T: Default + Room>(
    statement: &mut Statement<'_>,
    bounds: (i64, i64),
    budget: &Budget,
    each: &impl Fn(&mut T, &Row<'_>) -> bool,
) -> rusqlite::Result<Slice<T>> {
    let mut slice = Slice {
        value: T::default(),
        odd_rows: 0,
        damaged: false,
    };
    slice
        .value
        .reserve(bounds.0.abs_diff(bounds.1) as usize + 1);
    let mut rows = statement.query(bounds)?;
    let mut texts = 0;
    // In an intact table, ids are unique.
    for number in 0..=bounds.0.abs_diff(bounds.1).saturating_add(1) {
        if number % LOOK == 0 {
            let before = std::mem::replace(&mut texts, slice.value.texts());
            if !budget.take(texts - before) {
                break;
            }
        }
        match rows.next() {
            Ok(Some(row)) => slice.odd_rows += u64::from(!each(&mut slice.value, row)),
            Ok(None) => return Ok(slice),
            Err(_) => break,
        }
    }
    slice.damaged = true;
    Ok(slice)
}
