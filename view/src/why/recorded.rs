//! Causes as a database has them.

use super::explain::{Causes, Why, Work, explain};
use crate::api::lookup::slice_of;
use crate::database::{all, get, one, text};
use crate::state::{State, ViewError};
use rusqlite::Connection;
use weft_nvtx_export::timeline::What;

/// The most predecessors of one task.
const MOST_EDGES: i64 = 10_000;

/// The most slices of a lane that are looked at for one wait.
const MOST_SLICES: u32 = 100_000;

struct Recorded<'a> {
    state: &'a State,
    database: &'a Connection,
}

/// Why a task or copy waited; `None` where it has no row.
pub(crate) fn of(
    state: &State,
    database: &Connection,
    source: i64,
    uid: i64,
) -> Result<Option<Why>, ViewError> {
    let mut causes = Recorded { state, database };
    match causes.work(source, uid)? {
        Some(work) => explain(&mut causes, &work).map(Some),
        None => Ok(None),
    }
}

const TASK: &str = "SELECT sourceId, uid, created, ready, start, end, name, NULL, NULL FROM WEFT_TASK \
                    WHERE uid = ?1 AND sourceId = ?2";
const COPY: &str = "SELECT sourceId, uid, created, ready, start, end, '', srcMemoryId, srcRank FROM WEFT_COPY \
                    WHERE uid = ?1 AND sourceId = ?2";
const MESSAGE: &str = "SELECT m.sourceId, m.uid, m.created, m.ready, m.start, m.end, '', 0, m.srcRank FROM WEFT_MESSAGE m \
                       WHERE m.uid = ?1 AND m.sourceId = ?2";

impl Recorded<'_> {
    fn work(&self, source: i64, uid: i64) -> Result<Option<Work>, ViewError> {
        for (sql, is_task) in [(TASK, true), (COPY, false), (MESSAGE, false)] {
            let row = one(self.database, sql, [uid, source], |row| {
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
            let slice = slice_of(self.state, self.database, source, uid)?;
            return Ok(Some(Work {
                id: (source, uid),
                what,
                name: name.unwrap_or_default(),
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
}

impl Causes for Recorded<'_> {
    type Error = ViewError;

    fn predecessors(&mut self, of: &Work) -> Result<Vec<Work>, ViewError> {
        // The last is found in SQL; a task may have thousands.
        let sql = "SELECT d.fromUid FROM WEFT_DEPENDENCY d \
                   LEFT JOIN WEFT_TASK t ON t.uid = d.fromUid AND t.sourceId = d.sourceId \
                   WHERE d.toUid = ?1 AND d.sourceId = ?2 ORDER BY t.end IS NULL DESC, t.end DESC LIMIT ?3";
        let parameters = (of.id.1, of.id.0, MOST_EDGES);
        let rows = all(self.database, sql, parameters, |row| Ok(get::<i64>(row, 0)))?;
        let mut works = Vec::new();
        let mut tasks = 0;
        for uid in rows.into_iter().flatten() {
            // Those without a row among tasks come first, and behind them the task that ended last.
            if tasks == 2 {
                break;
            }
            if let Some(work) = self.work(of.id.0, uid)? {
                tasks += usize::from(work.what == "task");
                works.push(work);
            }
        }
        Ok(works)
    }

    fn in_its_place(&mut self, of: &Work, from: i64, to: i64) -> Result<Vec<Work>, ViewError> {
        let file = &self.state.trace.file;
        let Some(slice) = of.item.map(|item| file.item(item)).transpose()?.flatten() else {
            return Ok(Vec::new());
        };
        let relative = |at: i64| at.saturating_sub(file.zero()).max(0).cast_unsigned();
        let slices = file.between(slice.lane, relative(from), relative(to), MOST_SLICES)?;
        let mut works: Vec<Work> = Vec::new();
        for other in slices {
            let is_other = other.item != slice.item && other.what == slice.what;
            if !is_other || !matches!(other.what, What::Task | What::Copy) {
                continue;
            }
            let absolute = |at: u64| file.zero().saturating_add_unsigned(at);
            let name = file.names().get(other.name as usize).cloned();
            let what = if other.what == What::Task {
                "task"
            } else {
                "copy"
            };
            works.push(Work {
                id: (-1, other.item.into()),
                what,
                name: name.unwrap_or_default(),
                created: absolute(other.start),
                ready: absolute(other.start),
                start: absolute(other.start),
                end: absolute(other.end),
                item: Some(other.item),
                line: other.line,
            });
        }
        Ok(works)
    }

    fn planning(&mut self, of: &Work) -> Result<Vec<(i64, i64)>, ViewError> {
        let sql = "SELECT opUid FROM WEFT_TASK WHERE uid = ?1 AND sourceId = ?2 \
                   UNION ALL SELECT opUid FROM WEFT_COPY WHERE uid = ?1 AND sourceId = ?2";
        let operation = one(self.database, sql, [of.id.1, of.id.0], |row| {
            Ok(get::<i64>(row, 0))
        })?;
        let Some(operation) = operation.flatten() else {
            return Ok(Vec::new());
        };
        let sql = "SELECT start, end FROM WEFT_RUNTIME_CALL WHERE opUid = ?1 AND sourceId = ?2 AND start < ?3 \
                   AND kind <> 'wait' LIMIT 1000";
        let calls = all(self.database, sql, (operation, of.id.0, of.start), |row| {
            Ok(get::<i64>(row, 0).zip(get::<i64>(row, 1)))
        })?;
        Ok(calls.into_iter().flatten().collect())
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
