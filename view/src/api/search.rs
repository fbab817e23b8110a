//! Search: words in names, lines and UIDs, or a condition in SQL.

use super::bad_request;
use super::lookup::reference;
use crate::database::{get, query_rows};
use crate::http::{Request, Response};
use crate::state::{State, ViewError, lock};
use rusqlite::limits::Limit;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use weft_timeline::{Hits, SliceKind};

/// The maximum time for a condition.
const PATIENCE: Duration = Duration::from_secs(20);

/// The maximum size of a value that a condition may make.
const LONGEST_VALUE: i32 = 10_000_000;

/// The maximum number of rows for one UID.
const MOST_OF_UID: u32 = 100_000;

/// The result of a search.
#[derive(Clone, Debug)]
pub(crate) struct SearchResult {
    text: String,
    hits: Arc<Hits>,
}

/// Answers `/api/search`.
pub(crate) fn search(state: &State, request: &Request) -> Result<Response, ViewError> {
    let text = request.parameter("q").unwrap_or_default();
    let limit = request.number("limit").unwrap_or(200).min(10_000);
    let hits = match hits(state, &text) {
        Ok(hits) => hits,
        Err(ViewError::BadRequest(error)) => {
            return Ok(Response::json(
                &json!({ "total": 0, "cut": false, "items": [], "error": error }),
            ));
        }
        Err(error) => return Err(error),
    };
    let mut items: Vec<Value> = Vec::new();
    let total = hits.as_ref().map_or(0, |hits| hits.len());
    for item in hits.iter().flat_map(|hits| hits.iter()).take(limit) {
        if let Some(item) = state.trace.file.item(item)? {
            items.push(reference(state, &item));
        }
    }
    let is_cut = (items.len() as u64) < total;
    Ok(Response::json(
        &json!({ "total": total, "cut": is_cut, "items": items, "error": Value::Null }),
    ))
}

/// Returns the slices that match a text; `None` if it is empty. The last result is cached.
pub(crate) fn hits(state: &State, text: &str) -> Result<Option<Arc<Hits>>, ViewError> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    if let Some(found) = lock(&state.last_search)
        .as_ref()
        .filter(|found| found.text == text)
    {
        return Ok(Some(Arc::clone(&found.hits)));
    }
    let hits = match text.strip_prefix("sql:") {
        Some(condition) => by_condition(state, condition.trim())?,
        None => by_words(state, text)?,
    };
    let hits = Arc::new(hits);
    *lock(&state.last_search) = Some(SearchResult {
        text: text.to_owned(),
        hits: Arc::clone(&hits),
    });
    Ok(Some(hits))
}

/// Slices in whose name, line or UID each word occurs.
fn by_words(state: &State, text: &str) -> Result<Hits, ViewError> {
    let file = &state.trace.file;
    let mut left: Option<Hits> = None;
    for word in text.to_lowercase().split_whitespace().take(16) {
        let names: Vec<bool> = file
            .names()
            .iter()
            .map(|name| name.to_lowercase().contains(word))
            .collect();
        let lines = file.lines().iter().map(|line| {
            let place = format!("{}:{}", line.file, line.line).to_lowercase();
            let function = line.function.as_deref().unwrap_or("").to_lowercase();
            line.line > 0 && (place.contains(word) || function.contains(word))
        });
        let lines: Vec<bool> = lines.collect();
        let is = |set: &[bool], at: u32| set.get(at as usize).copied().unwrap_or(false);
        let mut hits = Hits::new(file.items());
        if names.contains(&true) || lines.contains(&true) {
            file.each_name_and_line(|item, name, line| {
                let was = left.as_ref().is_none_or(|left| left.has(item));
                if was && (is(&names, name) || is(&lines, line)) {
                    hits.insert(item);
                }
            })?;
        }
        if let Some(uid) = number(word) {
            for item in by_uid(state, uid)? {
                if left.as_ref().is_none_or(|left| left.has(item)) {
                    hits.insert(item);
                }
            }
        }
        left = Some(hits);
    }
    Ok(left.unwrap_or_default())
}

/// Parses a UID as printed in outputs.
fn number(word: &str) -> Option<i64> {
    let parsed = word.parse::<u64>().ok().map(u64::cast_signed);
    parsed.or_else(|| word.parse().ok())
}

fn by_uid(state: &State, uid: i64) -> Result<Vec<u32>, ViewError> {
    let tables = [
        (
            SliceKind::Task,
            "SELECT rowid FROM WEFT_TASK WHERE uid = ?1",
        ),
        (
            SliceKind::Task,
            "SELECT rowid FROM WEFT_TASK WHERE opUid = ?1 LIMIT 100000",
        ),
        (
            SliceKind::Copy,
            "SELECT rowid FROM WEFT_COPY WHERE uid = ?1",
        ),
        (
            SliceKind::Kernel,
            "SELECT kernelId FROM WEFT_KERNEL_TASK WHERE taskUid = ?1 OR launchUid = ?1 LIMIT 100000",
        ),
        (
            SliceKind::Instance,
            "SELECT rowid FROM WEFT_INSTANCE WHERE uid = ?1",
        ),
        (
            SliceKind::Partitioning,
            "SELECT rowid FROM WEFT_PARTITIONING WHERE uid = ?1 OR opUid = ?1 LIMIT 100000",
        ),
    ];
    let file = &state.trace.file;
    let mut items = Vec::new();
    state.with_database(|database| {
        for (what, sql) in tables {
            let rows = query_rows(database, sql, [uid], |row| Ok(get::<u32>(row, 0)))?;
            for row in rows.into_iter().flatten().take(MOST_OF_UID as usize) {
                items.extend(file.of_row(what, row)?);
            }
        }
        Ok(())
    })?;
    Ok(items)
}

/// Returns the slices whose rows meet a condition. The condition is tried on each table that has
/// its columns.
fn by_condition(state: &State, condition: &str) -> Result<Hits, ViewError> {
    if condition.is_empty() {
        return Err(bad_request(
            "after sql: comes a condition, such as sql: name = 'add' AND end - start > 1000000",
        ));
    }
    let file = &state.trace.file;
    let mut hits = Hits::new(file.items());
    let mut connection = state.trace.connect()?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_VALUE)?;
    let began = Instant::now();
    connection.progress_handler(10_000, Some(move || began.elapsed() > PATIENCE))?;
    let mut wrong = None;
    let mut is_understood = false;
    let mut seen = Vec::new();
    for what in SliceKind::ALL {
        if seen.contains(&what.table()) || *what == SliceKind::Device {
            continue;
        }
        seen.push(what.table());
        let sql = format!("SELECT rowid FROM {} WHERE ({condition}\n)", what.table());
        let mut statement = match connection.prepare(&sql) {
            Ok(statement) => statement,
            Err(error) => {
                // The error is that of the table with the most relevant columns.
                wrong.get_or_insert(error);
                continue;
            }
        };
        if statement.parameter_count() > 0 {
            return Err(bad_request("a condition has no parameters"));
        }
        is_understood = true;
        let failed = |error: rusqlite::Error| bad_request(format!("SQLite says: {error}"));
        let mut rows = statement.query([]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            if let Some(item) = get::<u32>(row, 0).map(|row| file.of_row(*what, row)) {
                item?.map(|item| hits.insert(item));
            }
        }
    }
    match wrong {
        Some(error) if !is_understood => Err(bad_request(format!("SQLite says: {error}"))),
        _ => Ok(hits),
    }
}
