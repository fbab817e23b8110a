//! The values of tasks, copies and operations that other rows need.

use super::{Database, ExportError, rows};
use crate::holder::Holder;
use crate::lane::LaneIndex;
use rustc_hash::{FxHashMap, FxHashSet};
use weft_database::columns;
use weft_database::schema::CriticalRow;

/// A task or copy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owner {
    uid: i64,
    source: i64,
    pub(super) line: u32,
    pub(super) lane: LaneIndex,
    pub(super) is_critical: bool,
}

/// Tasks and copies by UID, operations by UID, and the slices on the critical path.
#[derive(Debug, Default)]
pub(super) struct Owners {
    rows: Vec<Owner>,
    is_sorted: bool,
    /// Whether other rows need them.
    is_needed: bool,
    operations: FxHashMap<(u32, i64), u32>,
    critical: FxHashSet<(i64, i64)>,
}

impl Owners {
    pub(super) fn read(database: &Database) -> Result<Self, ExportError> {
        let mut owners = Owners::default();
        let columns = columns!(CriticalRow: ["sourceId"], ["uid"]);
        rows(database, columns, |[source], row| {
            owners
                .critical
                .extend(row.integer(0).map(|uid| (source, uid)));
            true
        })?;
        let is_filled = |table: &str| {
            let sql = format!("SELECT EXISTS (SELECT 1 FROM {table})");
            let filled = database.connection().query_row(&sql, [], |row| row.get(0));
            filled.unwrap_or(false)
        };
        owners.is_needed = is_filled("WEFT_KERNEL") || is_filled("WEFT_WAIT");
        Ok(owners)
    }

    pub(super) fn is_critical(&self, source: i64, uid: i64) -> bool {
        self.critical.contains(&(source, uid))
    }

    /// Adds a task or copy.
    pub(super) fn keep(&mut self, source: i64, uid: i64, line: u32, lane: LaneIndex) {
        if self.is_needed {
            let is_critical = self.is_critical(source, uid);
            self.rows.push(Owner {
                uid,
                source,
                line,
                lane,
                is_critical,
            });
            self.is_sorted = false;
        }
    }

    /// Adds the line of an operation.
    pub(super) fn keep_operation(&mut self, run: u32, uid: i64, line: u32) {
        self.operations.insert((run, uid), line);
    }

    /// Returns the line of an operation.
    pub(super) fn operation(&self, run: u32, uid: Option<i64>) -> u32 {
        let line = uid.and_then(|uid| self.operations.get(&(run, uid)));
        line.copied().unwrap_or(0)
    }

    /// Returns the holder of an instance that this operation needed first.
    pub(super) fn holder(&self, run: u32, uid: Option<i64>) -> Holder {
        let Some(uid) = uid else {
            return Holder::NoOperation;
        };
        match self.operations.get(&(run, uid)) {
            None => Holder::MissingOperation,
            Some(0) => Holder::NoLine,
            Some(line) => Holder::Line(*line),
        }
    }

    /// Sorts the tasks and copies added so far, so that they can be found.
    pub(super) fn sort(&mut self) {
        if !self.is_sorted {
            self.rows
                .sort_unstable_by_key(|owner| (owner.uid, owner.source));
            self.is_sorted = true;
        }
    }

    /// Returns the place of a task or copy, after [`sort`](Self::sort).
    pub(super) fn find(&self, source: i64, uid: i64) -> Option<u32> {
        let place = self
            .rows
            .binary_search_by_key(&(uid, source), |owner| (owner.uid, owner.source));
        place.ok().map(|place| place as u32)
    }

    /// Returns the task or copy at a place.
    pub(super) fn get(&self, place: u32) -> Option<&Owner> {
        self.rows.get(place as usize)
    }
}
