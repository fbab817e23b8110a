//! Rows of tables by columns that databases have no index of.
//!
//! A search of a whole table for each slice makes a page of thousands of slices take minutes. So
//! the column is read once and sorted.

use crate::database::{get, query_rows};
use rusqlite::Connection;
use std::sync::OnceLock;

/// The largest table that is sorted, in rows.
const MOST_ROWS: i64 = 1_000_000;

/// A value of a column, and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    source: i64,
    value: i64,
    row: i64,
}

/// The rows of a table by one of its columns.
#[derive(Debug)]
pub(crate) struct ByColumn {
    table: &'static str,
    column: &'static str,
    places: OnceLock<Option<Vec<Place>>>,
}

impl ByColumn {
    pub(crate) const fn new(table: &'static str, column: &'static str) -> Self {
        ByColumn {
            table,
            column,
            places: OnceLock::new(),
        }
    }

    /// The numbers of the rows of a source with a value, in the order of the table, at most `most`.
    /// A table that is too large to be sorted is searched if `may_search`; otherwise the result is
    /// empty.
    pub(crate) fn rows(
        &self,
        database: &Connection,
        source: i64,
        value: i64,
        most: usize,
        may_search: bool,
    ) -> rusqlite::Result<Vec<i64>> {
        let sorted = match self.places.get() {
            Some(sorted) => sorted,
            None => {
                let read = self.read(database)?;
                self.places.get_or_init(|| read)
            }
        };
        let Some(places) = sorted else {
            return match may_search {
                true => self.search(database, source, value, most),
                false => Ok(Vec::new()),
            };
        };
        let first = places.partition_point(|place| (place.source, place.value) < (source, value));
        let behind = places.get(first..).unwrap_or_default().iter();
        let own = behind.take_while(|place| (place.source, place.value) == (source, value));
        Ok(own.take(most).map(|place| place.row).collect())
    }

    fn read(&self, database: &Connection) -> rusqlite::Result<Option<Vec<Place>>> {
        let ByColumn { table, column, .. } = self;
        // The largest row number is at least the number of rows.
        let sql = format!("SELECT max(rowid) FROM {table}");
        let last = query_rows(database, &sql, [], |row| Ok(get::<i64>(row, 0)))?;
        if last.first().copied().flatten() > Some(MOST_ROWS) {
            return Ok(None);
        }
        let sql =
            format!("SELECT sourceId, {column}, rowid FROM {table} WHERE {column} IS NOT NULL");
        let rows = query_rows(database, &sql, [], |row| {
            Ok([0, 1, 2].map(|column| get::<i64>(row, column)))
        })?;
        let places = rows.into_iter().filter_map(|row| match row {
            [Some(source), Some(value), Some(row)] => Some(Place { source, value, row }),
            _ => None,
        });
        let mut places: Vec<Place> = places.collect();
        places.sort_unstable();
        Ok(Some(places))
    }

    fn search(
        &self,
        database: &Connection,
        source: i64,
        value: i64,
        most: usize,
    ) -> rusqlite::Result<Vec<i64>> {
        let ByColumn { table, column, .. } = self;
        let sql =
            format!("SELECT rowid FROM {table} WHERE {column} = ?1 AND sourceId = ?2 LIMIT ?3");
        let rows = query_rows(database, &sql, (value, source, most as i64), |row| {
            Ok(get::<i64>(row, 0))
        })?;
        Ok(rows.into_iter().flatten().collect())
    }
}

/// The columns that details of slices are found by.
#[derive(Debug)]
pub(crate) struct Columns {
    pub(crate) successors: ByColumn,
    pub(crate) operands: ByColumn,
    pub(crate) runtime_calls: ByColumn,
    pub(crate) partitionings: ByColumn,
}

impl Default for Columns {
    fn default() -> Self {
        Columns {
            successors: ByColumn::new("WEFT_DEPENDENCY", "fromUid"),
            operands: ByColumn::new("WEFT_OPERAND", "opUid"),
            runtime_calls: ByColumn::new("WEFT_RUNTIME_CALL", "opUid"),
            partitionings: ByColumn::new("WEFT_PARTITIONING", "uid"),
        }
    }
}
