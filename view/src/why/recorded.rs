//! Causes recorded in a database.

use super::explain::{Causes, Why, Work, explain};
use crate::api::lookup::slice_of;
use crate::database::{get, query_row, query_rows, text};
use crate::state::{State, ViewError};
use rusqlite::Connection;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use weft_timeline::{Item, SliceKind};

/// The maximum number of predecessors of one task.
const MOST_EDGES: i64 = 10_000;

/// The maximum number of slices of a lane that are read for one wait.
const MOST_SLICES: u32 = 100_000;

/// The maximum number of runtime calls for one operation.
const MOST_CALLS: usize = 1000;

/// The maximum number of cached entries of each kind.
const MOST_KEPT: usize = 200_000;

/// A task, copy or message by its source and UID.
type Id = (i64, i64);

/// Causes read from the database and the timeline, cached for other slices: most of their causes
/// are the same.
pub(crate) struct Recorded<'a> {
    state: &'a State,
    database: &'a Connection,
    slices: FxHashMap<Id, Option<Item>>,
    works: FxHashMap<Id, Option<Rc<Work>>>,
    predecessors: FxHashMap<Id, Rc<[Rc<Work>]>>,
    /// The number of cached predecessors, over all works.
    edges: usize,
    names: FxHashSet<Rc<str>>,
}

/// Caches an entry. Earlier entries are dropped if there are too many.
fn keep<V>(kept: &mut FxHashMap<Id, V>, id: Id, value: V) {
    if kept.len() >= MOST_KEPT {
        kept.clear();
    }
    kept.insert(id, value);
}

const TASK: &str = "SELECT sourceId, uid, created, ready, start, end, name, NULL, NULL FROM WEFT_TASK \
                    WHERE uid = ?1 AND sourceId = ?2";
const COPY: &str = "SELECT sourceId, uid, created, ready, start, end, '', srcMemoryId, srcRank FROM WEFT_COPY \
                    WHERE uid = ?1 AND sourceId = ?2";
const MESSAGE: &str = "SELECT m.sourceId, m.uid, m.created, m.ready, m.start, m.end, '', 0, m.srcRank FROM WEFT_MESSAGE m \
                       WHERE m.uid = ?1 AND m.sourceId = ?2";

impl<'a> Recorded<'a> {
    pub(crate) fn new(state: &'a State, database: &'a Connection) -> Self {
        Recorded {
            state,
            database,
            slices: FxHashMap::default(),
            works: FxHashMap::default(),
            predecessors: FxHashMap::default(),
            edges: 0,
            names: FxHashSet::default(),
        }
    }

    /// Explains why a task or copy waited; `None` if it has no row.
    pub(crate) fn why(&mut self, source: i64, uid: i64) -> Result<Option<Why>, ViewError> {
        match self.work(source, uid)? {
            Some(work) => explain(self, &work).map(Some),
            None => Ok(None),
        }
    }

    /// Returns the slice of a task, a copy, or dependent partitioning.
    pub(crate) fn slice(&mut self, source: i64, uid: i64) -> Result<Option<Item>, ViewError> {
        if let Some(known) = self.slices.get(&(source, uid)) {
            return Ok(*known);
        }
        let slice = slice_of(self.state, self.database, source, uid)?;
        keep(&mut self.slices, (source, uid), slice);
        Ok(slice)
    }

    /// Returns one shared text for all works of a name.
    fn name(&mut self, name: &str) -> Rc<str> {
        if let Some(known) = self.names.get(name) {
            return Rc::clone(known);
        }
        let known: Rc<str> = name.into();
        if self.names.len() < MOST_KEPT {
            self.names.insert(Rc::clone(&known));
        }
        known
    }

    fn work(&mut self, source: i64, uid: i64) -> Result<Option<Rc<Work>>, ViewError> {
        if let Some(known) = self.works.get(&(source, uid)) {
            return Ok(known.clone());
        }
        let work = self.read(source, uid)?.map(Rc::new);
        keep(&mut self.works, (source, uid), work.clone());
        Ok(work)
    }

    fn read(&mut self, source: i64, uid: i64) -> Result<Option<Work>, ViewError> {
        for (sql, is_task) in [(TASK, true), (COPY, false), (MESSAGE, false)] {
            let row = query_row(self.database, sql, [uid, source], |row| {
                let times = [2, 3, 4, 5].map(|column| get::<i64>(row, column).unwrap_or(0));
                let ends = [7, 8].map(|column| get::<i64>(row, column));
                Ok((times, text(row, 6), ends))
            })?;
            let Some(([created, ready, start, end], name, [from, rank])) = row else {
                continue;
            };
            let what = match (is_task, rank, from) {
                (true, ..) => "task",
                (false, Some(_), _) => "message",
                (false, None, Some(_)) => "copy",
                (false, None, None) => "fill",
            };
            let slice = self.slice(source, uid)?;
            return Ok(Some(Work {
                id: (source, uid),
                what,
                name: self.name(&name.unwrap_or_default()),
                created,
                ready,
                start,
                end: end.max(start),
                item: slice.as_ref().map(|slice| slice.item),
                line: slice.as_ref().map_or(0, |slice| slice.line),
            }));
        }
        Ok(None)
    }

    /// Returns calls of the runtime for the operation of a work that began before it started.
    /// `kind` is the condition on their kind.
    fn calls(&mut self, of: &Work, kind: &str) -> Result<Vec<(i64, i64)>, ViewError> {
        let sql = "SELECT opUid FROM WEFT_TASK WHERE uid = ?1 AND sourceId = ?2 \
                   UNION ALL SELECT opUid FROM WEFT_COPY WHERE uid = ?1 AND sourceId = ?2";
        let operation = query_row(self.database, sql, [of.id.1, of.id.0], |row| {
            Ok(get::<i64>(row, 0))
        })?;
        let Some(operation) = operation.flatten() else {
            return Ok(Vec::new());
        };
        let calls = &self.state.columns.runtime_calls;
        let rows = calls.rows(self.database, of.id.0, operation, MOST_CALLS, true)?;
        let sql = format!(
            "SELECT start, end FROM WEFT_RUNTIME_CALL WHERE rowid = ?1 AND start < ?2 AND kind {kind}"
        );
        let mut found = Vec::new();
        for row in rows {
            let call = query_row(self.database, &sql, [row, of.start], |row| {
                Ok(get::<i64>(row, 0).zip(get::<i64>(row, 1)))
            })?;
            found.extend(call.flatten());
        }
        Ok(found)
    }
}

impl Causes for Recorded<'_> {
    type Error = ViewError;

    fn predecessors(&mut self, of: &Work) -> Result<Rc<[Rc<Work>]>, ViewError> {
        if let Some(known) = self.predecessors.get(&of.id) {
            return Ok(Rc::clone(known));
        }
        // SQL finds the last one; a task may have thousands.
        let sql = "SELECT d.fromUid FROM WEFT_DEPENDENCY d \
                   LEFT JOIN WEFT_TASK t ON t.uid = d.fromUid AND t.sourceId = d.sourceId \
                   WHERE d.toUid = ?1 AND d.sourceId = ?2 ORDER BY t.end IS NULL DESC, t.end DESC LIMIT ?3";
        let parameters = (of.id.1, of.id.0, MOST_EDGES);
        let rows = query_rows(self.database, sql, parameters, |row| Ok(get::<i64>(row, 0)))?;
        let mut works = Vec::new();
        let mut tasks = 0;
        for uid in rows.into_iter().flatten() {
            // Predecessors without a row among tasks come first, followed by the task that ended
            // last.
            if tasks == 2 {
                break;
            }
            if let Some(work) = self.work(of.id.0, uid)? {
                tasks += usize::from(work.what == "task");
                works.push(work);
            }
        }
        let works: Rc<[Rc<Work>]> = works.into();
        self.edges += works.len();
        if self.edges > MOST_KEPT {
            self.predecessors.clear();
            self.edges = works.len();
        }
        keep(&mut self.predecessors, of.id, Rc::clone(&works));
        Ok(works)
    }

    fn in_its_place(&mut self, of: &Work, from: i64, to: i64) -> Result<Vec<Rc<Work>>, ViewError> {
        let file = &self.state.trace.file;
        let Some(slice) = of.item.map(|item| file.item(item)).transpose()?.flatten() else {
            return Ok(Vec::new());
        };
        let relative = |at: i64| at.saturating_sub(file.zero()).max(0).cast_unsigned();
        let slices = file.between(slice.lane, relative(from), relative(to), MOST_SLICES)?;
        let mut works = Vec::new();
        for other in slices {
            let is_other = other.item != slice.item && other.what == slice.what;
            if !is_other || !matches!(other.what, SliceKind::Task | SliceKind::Copy) {
                continue;
            }
            let absolute = |at: u64| file.zero().saturating_add_unsigned(at);
            let name = file.names().get(other.name as usize);
            let what = if other.what == SliceKind::Task {
                "task"
            } else {
                "copy"
            };
            works.push(Rc::new(Work {
                id: (-1, other.item.into()),
                what,
                name: self.name(name.map_or("", String::as_str)),
                created: absolute(other.start),
                ready: absolute(other.start),
                start: absolute(other.start),
                end: absolute(other.end),
                item: Some(other.item),
                line: other.line,
            }));
        }
        Ok(works)
    }

    fn planning(&mut self, of: &Work) -> Result<Vec<(i64, i64)>, ViewError> {
        self.calls(of, "NOT IN ('wait', 'compile')")
    }

    fn compiling(&mut self, of: &Work) -> Result<Vec<(i64, i64)>, ViewError> {
        self.calls(of, "= 'compile'")
    }

    fn place(&self, line: u32) -> Option<String> {
        let line = self
            .state
            .trace
            .file
            .lines()
            .get(line as usize)
            .filter(|_| line > 0)?;
        let file = line.file.rsplit(['/', '\\']).next().unwrap_or(&line.file);
        Some(format!("{file}:{}", line.line))
    }
}
