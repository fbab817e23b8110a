//! The unknowns of a trace: kernels without a task by reason, losses, errors of clocks, and the
//! share of explained time.

use crate::database::{get, query_row, query_rows, text};
use crate::state::{State, ViewError};
use rusqlite::Connection;
use serde_json::{Value, json};

/// Returns the rows of the page's strip. Errors and losses come first, then the share of explained
/// time, then the precision of times. Counts of records come last: they do not change any figure.
pub(crate) fn unknown(state: &State) -> Result<Vec<Value>, ViewError> {
    let mut rows = state.with_database(|database| {
        let mut rows = Vec::new();
        match has_tasks(database)? {
            true => {
                explained(database, &mut rows)?;
                unmatched(database, &mut rows)?;
            }
            false => rows.push(without_tasks(database)?),
        }
        clocks(database, true, &mut rows)?;
        losses(database, &mut rows)?;
        clocks(database, false, &mut rows)?;
        Ok(rows)
    })?;
    let dropped = state.trace.file.dropped();
    if dropped > 0 {
        rows.push(row(
            "error",
            "slices left out",
            dropped.to_string(),
            match state.trace.file.items() >= u32::MAX - 2 {
                true => "the timeline holds at most 2^32 slices",
                false => "their times cannot be true, so that they have no known duration",
            },
        ));
    }
    let rank = |row: &Value| match row.get("severity").and_then(Value::as_str) {
        Some("error") => 0,
        Some("warning") => 1,
        // Good rows answer the strip's question; the rest are remarks, in the order above.
        Some("good") => 2,
        _ => 3,
    };
    rows.sort_by_key(rank);
    Ok(rows)
}

/// Whether kernels could belong to a task.
fn has_tasks(database: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM WEFT_TASK) OR EXISTS (SELECT 1 FROM WEFT_COPY)";
    Ok(query_row(database, sql, [], |row| row.get(0))?.unwrap_or(false))
}

/// The entry for a trace without tasks.
fn without_tasks(database: &Connection) -> rusqlite::Result<Value> {
    let sql = "SELECT count(*) FROM WEFT_KERNEL";
    let kernels = query_row(database, sql, [], |row| row.get::<_, i64>(0))?.unwrap_or(0);
    let value = match kernels {
        0 => String::new(),
        kernels => format!("{kernels} kernels stand for themselves"),
    };
    let detail = "these inputs have no tasks of Weft or Legate: kernels and ranges are coloured by name, and no line has a cost; \
                  add the .prof files of the run if there are some";
    Ok(row("note", "no tasks", value, detail))
}

fn row(severity: &str, label: &str, value: String, detail: &str) -> Value {
    json!({ "severity": severity, "label": label, "value": value, "detail": detail })
}

/// The share of kernel time that belongs to a task.
fn explained(database: &Connection, rows: &mut Vec<Value>) -> rusqlite::Result<()> {
    let sql = "SELECT total(k.end - k.start), total(iif(u.kernelId IS NULL, k.end - k.start, 0)), count(*) \
               FROM WEFT_KERNEL k LEFT JOIN WEFT_UNMATCHED u ON u.kernelId = k.id";
    let sums = query_row(database, sql, [], |row| {
        Ok((
            row.get::<_, f64>(0)?,
            row.get::<_, f64>(1)?,
            row.get::<_, i64>(2)?,
        ))
    })?;
    match sums {
        Some((all, linked, kernels)) if kernels > 0 => {
            let share = if all > 0.0 { linked / all } else { 1.0 };
            let severity = if share >= 0.999 { "good" } else { "warning" };
            rows.push(row(
                severity,
                "kernel time explained",
                format!("{:.1} %", 100.0 * share),
                "the share of kernel time that belongs to a task of the program",
            ));
        }
        _ => rows.push(row(
            "note",
            "no kernels",
            String::new(),
            "no tool recorded kernels, so times are those of tasks",
        )),
    }
    Ok(())
}

fn unmatched(database: &Connection, rows: &mut Vec<Value>) -> rusqlite::Result<()> {
    let sql = "SELECT reason, count(*) FROM WEFT_UNMATCHED GROUP BY 1 ORDER BY 2 DESC";
    for (reason, kernels) in query_rows(database, sql, [], |row| {
        Ok((text(row, 0), get::<i64>(row, 1)))
    })? {
        let reason = reason.unwrap_or_default();
        let severity = match reason.as_str() {
            "runtime_internal" => "note",
            _ => "warning",
        };
        let detail = format!("kernels without a task: {}", reason.replace('_', " "));
        let kernels = kernels.unwrap_or(0).to_string();
        rows.push(row(severity, "kernels without a task", kernels, &detail));
    }
    Ok(())
}

fn losses(database: &Connection, rows: &mut Vec<Value>) -> rusqlite::Result<()> {
    let sql = "SELECT name, severity, value, meaning FROM WEFT_LOSS WHERE value <> 0 ORDER BY severity, name LIMIT 200";
    let losses = query_rows(database, sql, [], |row| {
        Ok([text(row, 0), text(row, 1), text(row, 2), text(row, 3)].map(Option::unwrap_or_default))
    })?;
    for [name, severity, value, meaning] in losses {
        let severity = match severity.as_str() {
            "damage" => "error",
            "loss" => "warning",
            _ => "note",
        };
        rows.push(row(severity, &name.replace('_', " "), value, &meaning));
    }
    Ok(())
}

/// Adds the errors of clocks, or their precision.
fn clocks(database: &Connection, are_errors: bool, rows: &mut Vec<Value>) -> rusqlite::Result<()> {
    let sql = "SELECT key, value FROM WEFT_META WHERE (key LIKE '%error%' OR key LIKE 'clock%') \
               AND (key LIKE '%error%' AND value <> '0') = ?1 ORDER BY key LIMIT 50";
    for (key, value) in query_rows(database, sql, [are_errors], |row| {
        Ok((text(row, 0), text(row, 1)))
    })? {
        let (key, value) = (key.unwrap_or_default(), value.unwrap_or_default());
        let detail = "how times of several inputs were brought onto one clock, from WEFT_META";
        rows.push(row("note", &key.replace('_', " "), value, detail));
    }
    Ok(())
}
