//! The costs of each line, and the waits that it caused.
//!
//! **Wait caused** by a line: the time that tasks were ready behind a task of the line on its
//! processor, and the time that created tasks were not ready while their last predecessor, of that
//! line, ran. It is added up over tasks, so that it may exceed the length of the run.
//!
//! **The saving of a line** is the time that the replayed run is shorter by if all work of the line
//! takes no time. It is computed for lines on the critical path, those with most time on it first.
//! Other lines save nothing, except for work that was off the path only because other work was
//! longer.

use super::advise::savings;
use super::lookup::is_name;
use crate::database::{get, query_row, query_rows, text};
use crate::state::{State, ViewError, lock};
use rusqlite::Connection;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

/// The costs of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Cost {
    device: i64,
    critical: i64,
    caused: i64,
    bytes: f64,
    peak: Option<i64>,
    saved: Option<i64>,
    tasks: i64,
    kernels: i64,
}

/// The costs of all lines, by file and line.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    rows: Vec<(String, u32, Vec<u32>, Cost)>,
    /// The reason why the savings of lines, or of some of them, are unknown.
    unsaved: Option<String>,
}

impl Ledger {
    /// Combines the costs in the tables with the waits that each line of the timeline caused.
    fn new(state: &State, mut costs: Costs, caused: Vec<u64>) -> Self {
        let lines = state.trace.file.lines().iter().zip(caused).skip(1);
        for (line, caused) in lines.filter(|(line, _)| !is_name(&line.file, line.line)) {
            let row = costs.entry((line.file.clone(), line.line)).or_default();
            let caused = i64::try_from(caused).unwrap_or(i64::MAX);
            row.1.caused = row.1.caused.saturating_add(caused);
        }
        let mut rows: Vec<_> = costs
            .into_iter()
            .map(|((path, line), (ids, cost))| (path, line, ids, cost))
            .collect();
        rows.retain(|row| row.3 != Cost::default());
        rows.sort_by(|one, other| (&one.0, one.1).cmp(&(&other.0, other.1)));
        Ledger {
            rows,
            unsaved: None,
        }
    }

    /// Returns the reason why the savings of lines, or of some of them, are unknown.
    pub(crate) fn unsaved(&self) -> Option<&str> {
        self.unsaved.as_deref()
    }

    /// Returns the lines of a file that have costs.
    pub(crate) fn lines(&self, path: &str) -> Vec<Value> {
        let rows = self.rows.iter().filter(|row| row.0 == path);
        rows.map(|(_, line, ids, cost)| {
            json!({
                "line": line, "ids": ids, "deviceNs": cost.device, "criticalNs": cost.critical, "causedWaitNs": cost.caused,
                "bytes": cost.bytes.round(), "peakBytes": cost.peak, "savedNs": cost.saved, "tasks": cost.tasks,
                "kernels": cost.kernels,
            })
        })
        .collect()
    }
}

/// Returns the costs of each line, computed once.
pub(crate) fn ledger(state: &State) -> Result<&Ledger, ViewError> {
    // Concurrent requests wait.
    let _working = lock(&state.ledger_work);
    if let Some(ledger) = state.ledger.get() {
        return Ok(ledger);
    }
    // Reading the tables and reading the timeline take about the same time.
    let (tables, waits) = std::thread::scope(|scope| {
        let waits = scope.spawn(|| caused(state));
        let tables = state.with_database(|database| Ok((read(state, database)?, rows(database)?)));
        let waits = waits.join();
        (
            tables,
            waits.unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        )
    });
    let ((costs, rows), waits) = (tables?, waits?);
    let mut ledger = Ledger::new(state, costs, waits);
    ledger.unsaved = if state.is_live() {
        // A live run is read again every few seconds.
        Some("savings of lines are simulated when the run has ended".to_owned())
    } else if rows > MOST_ROWS {
        Some(format!(
            "savings of lines are not simulated: the trace has {rows} rows, and the simulation takes at most {MOST_ROWS}"
        ))
    } else {
        // The other costs are valid without the savings.
        let added = add_savings(state, &mut ledger);
        added.unwrap_or_else(|error| {
            Some(format!("savings of lines could not be simulated: {error}"))
        })
    };
    Ok(state.ledger.get_or_init(|| ledger))
}

/// The maximum number of rows of a trace that is replayed for the savings of lines: the replay
/// holds all of them in memory.
const MOST_ROWS: i64 = 4_000_000;

/// Returns an upper bound of the rows in the tables that grow with the length of a run.
fn rows(database: &Connection) -> rusqlite::Result<i64> {
    let tables = [
        "WEFT_TASK",
        "WEFT_KERNEL",
        "WEFT_DEPENDENCY",
        "WEFT_COPY",
        "NVTX_EVENTS",
        "CUPTI_ACTIVITY_KIND_RUNTIME",
    ];
    let mut rows: i64 = 0;
    for table in tables {
        let sql = format!("SELECT max(rowid) FROM {table}");
        let last = query_row(database, &sql, [], |row| Ok(get::<i64>(row, 0)))?.flatten();
        rows = rows.saturating_add(last.unwrap_or(0).max(0));
    }
    Ok(rows)
}

/// Adds the savings of lines. Returns the reason if they are unknown for some lines.
fn add_savings(state: &State, ledger: &mut Ledger) -> Result<Option<String>, ViewError> {
    let mut order: Vec<usize> = (0..ledger.rows.len()).collect();
    order.retain(|at| ledger.rows.get(*at).is_some_and(|row| row.3.critical > 0));
    if order.is_empty() {
        let why = "savings of lines are not simulated: no line is on the critical path";
        return Ok(Some(why.to_owned()));
    }
    order.sort_by_key(|at| {
        ledger
            .rows
            .get(*at)
            .map(|row| std::cmp::Reverse(row.3.critical))
    });
    let rows = order.iter().filter_map(|at| ledger.rows.get(*at));
    let lines: Vec<(&str, u32)> = rows.map(|row| (row.0.as_str(), row.1)).collect();
    let saved = match savings(state, &lines)? {
        Ok(saved) => saved,
        Err(why) => return Ok(Some(format!("savings of lines are not simulated: {why}"))),
    };
    let (known, of) = (saved.len(), lines.len());
    for (at, saved) in order.into_iter().zip(saved) {
        if let Some(row) = ledger.rows.get_mut(at) {
            row.3.saved = Some(saved);
        }
    }
    let is_cut = known < of;
    Ok(is_cut.then(|| {
        format!("savings are simulated for the {known} lines with most time on the critical path, of {of}")
    }))
}

/// Costs by file and line, with the numbers that the line has in the timeline.
type Costs = FxHashMap<(String, u32), (Vec<u32>, Cost)>;

/// Returns for each line of the timeline the time that tasks were not ready while their last
/// predecessor, of the line, ran, plus the time that tasks were ready behind tasks of the line.
fn caused(state: &State) -> Result<Vec<u64>, ViewError> {
    let mut caused = state.trace.caused_by_line()?;
    let queued = state.trace.file.queued_behind()?;
    caused.resize(caused.len().max(queued.len()), 0);
    for (caused, queued) in caused.iter_mut().zip(queued) {
        *caused = caused.saturating_add(queued);
    }
    Ok(caused)
}

/// Reads the costs of lines from the tables.
fn read(state: &State, database: &Connection) -> Result<Costs, ViewError> {
    let file = &state.trace.file;
    let mut costs = Costs::default();
    let lines = (0..).zip(file.lines()).skip(1);
    for (id, line) in lines.filter(|(_, line)| !is_name(&line.file, line.line)) {
        let row = costs.entry((line.file.clone(), line.line)).or_default();
        row.0.push(id);
    }
    let mut add = |path: Option<String>, line: Option<u32>, with: &dyn Fn(&mut Cost)| {
        if let Some((path, line)) = path.zip(line) {
            with(&mut costs.entry((path, line)).or_default().1);
        }
    };
    let sql = "SELECT file, line, total, tasks, kernels FROM weft_by_line";
    for (path, line, numbers) in query_rows(database, sql, [], |row| {
        Ok((
            text(row, 0),
            get(row, 1),
            [2, 3, 4].map(|column| get::<i64>(row, column).unwrap_or(0)),
        ))
    })? {
        let [device, tasks, kernels] = numbers;
        add(path, line, &|cost| {
            cost.device += device;
            cost.tasks += tasks;
            cost.kernels += kernels;
        });
    }
    let sql = "SELECT file, line, sum(part) FROM weft_critical_by_line GROUP BY 1, 2";
    for (path, line, part) in query_rows(database, sql, [], |row| {
        Ok((text(row, 0), get(row, 1), get::<i64>(row, 2)))
    })? {
        add(path, line, &|cost| cost.critical += part.unwrap_or(0));
    }
    let sql = "SELECT p.file, p.line, total((ifnull(k.bytesRead, 0) + ifnull(k.bytesWritten, 0)) * l.share) \
               FROM WEFT_KERNEL_TASK l JOIN WEFT_KERNEL k ON k.id = l.kernelId \
               JOIN WEFT_TASK t ON t.uid = l.taskUid AND t.sourceId = l.sourceId \
               JOIN WEFT_PROVENANCE p ON p.id = t.provenanceId GROUP BY 1, 2";
    for (path, line, bytes) in query_rows(database, sql, [], |row| {
        Ok((text(row, 0), get(row, 1), get::<f64>(row, 2)))
    })? {
        add(path, line, &|cost| cost.bytes += bytes.unwrap_or(0.0));
    }
    for ((path, line), peak) in peaks(database)? {
        add(Some(path), Some(line), &|cost| {
            cost.peak = cost.peak.max(Some(peak))
        });
    }
    Ok(costs)
}

/// The most bytes that instances of a line held at one time.
fn peaks(database: &Connection) -> Result<FxHashMap<(String, u32), i64>, ViewError> {
    let is_there = query_row(database, "SELECT 1 FROM WEFT_INSTANCE LIMIT 1", [], |_| {
        Ok(())
    })?;
    if is_there.is_none() {
        return Ok(FxHashMap::default());
    }
    let sql = "SELECT p.file, p.line, i.created, i.destroyed, i.bytes FROM WEFT_INSTANCE i \
               JOIN WEFT_SOURCE s ON s.id = i.sourceId \
               JOIN WEFT_OPERATION o ON o.uid = i.opUid AND (o.sourceId = i.sourceId OR EXISTS ( \
                   SELECT 1 FROM WEFT_SOURCE r WHERE r.id = o.sourceId AND r.run = s.run)) \
               JOIN WEFT_PROVENANCE p ON p.id = o.provenanceId";
    let rows = query_rows(database, sql, [], |row| {
        let numbers = [2, 4].map(|column| get::<i64>(row, column).unwrap_or(0));
        Ok((
            text(row, 0),
            get::<u32>(row, 1),
            numbers,
            get::<i64>(row, 3),
        ))
    })?;
    let mut changes: FxHashMap<(String, u32), Vec<(i64, i64)>> = FxHashMap::default();
    for (path, line, [created, bytes], destroyed) in rows {
        if let Some(key) = path.zip(line) {
            let changes = changes.entry(key).or_default();
            changes.push((created, bytes));
            changes.extend(destroyed.map(|destroyed| (destroyed, bytes.saturating_neg())));
        }
    }
    let peak = |mut changes: Vec<(i64, i64)>| {
        changes.sort_unstable();
        let mut held = 0_i64;
        let levels = changes.iter().map(|change| {
            held = held.saturating_add(change.1);
            held
        });
        levels.max().unwrap_or(0)
    };
    Ok(changes
        .into_iter()
        .map(|(key, changes)| (key, peak(changes)))
        .collect())
}
