//! Tables read in slices of rows, several at the same time.

use super::database::{Database, connect};
use crate::Progress;
use crate::error::ExportError;
use rayon::prelude::*;
use rusqlite::{Row, Statement};
use std::mem;

/// Rows of a slice: enough that opening a connection for it does not count.
const SLICE: i64 = 1 << 16;

/// What was read of one slice.
struct Slice<T> {
    value: T,
    odd_rows: u64,
    damaged: bool,
}

impl Database {
    /// Reads these columns of `table` as [`each_row`](Self::each_row) does, but in slices of rows that are read at the
    /// same time, each into a value of its own. Gives the values in the order of the rows.
    ///
    /// # Errors
    /// The query cannot be prepared.
    pub(super) fn each_slice<T: Default + Send>(
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
            let mut value = T::default();
            self.each_row(table, columns, |row| each(&mut value, row))?;
            return Ok(vec![value]);
        }
        let error = self.error(table);
        let sql = format!("{sql} WHERE rowid BETWEEN ?1 AND ?2");
        // A connection serves one thread at a time.
        let path = self.path();
        let slices: Result<Vec<Slice<T>>, rusqlite::Error> = bounds
            .into_par_iter()
            .map_init(
                || connect(path),
                |connection, bounds| {
                    let connection = match connection {
                        Ok(connection) => connection,
                        Err(error) => {
                            return Err(mem::replace(error, rusqlite::Error::InvalidQuery));
                        }
                    };
                    let mut statement = connection.prepare_cached(&sql)?;
                    let slice = read_slice(&mut statement, bounds, &each)?;
                    progress.advance((bounds.1 - bounds.0 + 1).cast_unsigned());
                    Ok(slice)
                },
            )
            .collect();
        let slices = slices.map_err(error)?;
        self.count_odd_rows(slices.iter().map(|slice| slice.odd_rows).sum());
        if slices.iter().any(|slice| slice.damaged) {
            self.count_damage(table);
        }
        Ok(slices.into_iter().map(|slice| slice.value).collect())
    }

    /// The first and last row id of each slice of a table; none where its rows have no ids or cannot be told.
    fn slices(&self, table: &str) -> Vec<(i64, i64)> {
        let Some((first, last)) = self.row_ids(table) else {
            return Vec::new();
        };
        let rows = i128::from(last) - i128::from(first) + 1;
        // Ids far apart are no measure of rows: then as many slices as a machine has use for.
        let count = (rows / i128::from(SLICE)).clamp(1, 512);
        let bound = |slice: i128| (i128::from(first) + rows * slice / count) as i64;
        (0..count)
            .map(|slice| (bound(slice), bound(slice + 1).wrapping_sub(1)))
            .collect()
    }

    /// The least and the greatest row id of a table.
    pub(super) fn row_ids(&self, table: &str) -> Option<(i64, i64)> {
        let end = |function: &str| {
            let sql = self.select(table, &["rowid"])?;
            let sql = sql.replacen("rowid", &format!("{function}(rowid)"), 1);
            let id = self.connection().query_row(&sql, [], |row| row.get(0));
            id.ok().flatten()
        };
        Some((end("min")?, end("max")?))
    }
}

fn read_slice<T: Default>(
    statement: &mut Statement<'_>,
    bounds: (i64, i64),
    each: &impl Fn(&mut T, &Row<'_>) -> bool,
) -> rusqlite::Result<Slice<T>> {
    let mut slice = Slice {
        value: T::default(),
        odd_rows: 0,
        damaged: false,
    };
    let mut rows = statement.query(bounds)?;
    loop {
        match rows.next() {
            Ok(Some(row)) => slice.odd_rows += u64::from(!each(&mut slice.value, row)),
            Ok(None) => return Ok(slice),
            Err(_) => {
                slice.damaged = true;
                return Ok(slice);
            }
        }
    }
}
