//! Rows that are stored, or made on demand: a table of all ranges has too many rows to store.

use super::Cell;
use rayon::prelude::*;
use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Makes the row with an index.
type MakeRow = dyn Fn(usize) -> Vec<Cell> + Send + Sync;

#[derive(Clone)]
pub(super) enum Rows {
    /// Stored rows.
    Stored(Vec<Vec<Cell>>),
    /// Rows made one at a time. They are stored only if all are requested at once.
    Later {
        count: usize,
        make: Arc<MakeRow>,
        stored: OnceLock<Vec<Vec<Cell>>>,
    },
}

impl Rows {
    pub(super) fn later(
        count: usize,
        make: impl Fn(usize) -> Vec<Cell> + Send + Sync + 'static,
    ) -> Self {
        Rows::Later {
            count,
            make: Arc::new(make),
            stored: OnceLock::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Rows::Stored(rows) => rows.len(),
            Rows::Later { count, .. } => *count,
        }
    }

    /// Returns a row, or an empty one beyond the end.
    pub(super) fn get(&self, row: usize) -> Cow<'_, [Cell]> {
        match self {
            Rows::Stored(rows) => Cow::Borrowed(rows.get(row).map_or(&[], Vec::as_slice)),
            Rows::Later { count, make, .. } if row < *count => Cow::Owned(make(row)),
            Rows::Later { .. } => Cow::Borrowed(&[]),
        }
    }

    /// Returns all rows.
    pub(super) fn all(&self) -> &[Vec<Cell>] {
        match self {
            Rows::Stored(rows) => rows,
            Rows::Later {
                count,
                make,
                stored,
            } => stored.get_or_init(|| {
                let rows = (0..*count).into_par_iter();
                rows.map(|row| make(row)).collect()
            }),
        }
    }

    /// Changes all rows, which are stored from then on.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut Vec<Vec<Cell>>)) {
        let mut rows = match self {
            Rows::Stored(rows) => std::mem::take(rows),
            Rows::Later { .. } => self.all().to_vec(),
        };
        change(&mut rows);
        *self = Rows::Stored(rows);
    }

    /// Keeps these columns of each row, in this order.
    pub(super) fn select(&mut self, columns: Vec<usize>) {
        let select = move |row: Vec<Cell>| -> Vec<Cell> {
            let cells = columns.iter().map(|column| row.get(*column));
            cells
                .map(|cell| cell.cloned().unwrap_or(Cell::Null))
                .collect()
        };
        *self = match self {
            Rows::Stored(rows) => Rows::Stored(rows.drain(..).map(select).collect()),
            Rows::Later { count, make, .. } => {
                let make = Arc::clone(make);
                Rows::later(*count, move |row| select(make(row)))
            }
        };
    }

    pub(super) fn truncate(&mut self, rows: usize) {
        match self {
            Rows::Stored(stored) => stored.truncate(rows),
            Rows::Later { count, stored, .. } => {
                *count = rows.min(*count);
                *stored = OnceLock::new();
            }
        }
    }
}

impl PartialEq for Rows {
    fn eq(&self, other: &Self) -> bool {
        self.all() == other.all()
    }
}

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.all().fmt(f)
    }
}
