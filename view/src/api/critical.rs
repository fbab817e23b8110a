//! The critical path as one walk.

use super::lookup::slice_of;
use crate::database::{get, query_rows, text};
use crate::http::Response;
use crate::state::{State, ViewError};
use serde_json::{Value, json};

/// The maximum number of steps.
const MOST: usize = 50_000;

/// Answers `/api/critical`.
pub(crate) fn critical(state: &State) -> Result<Response, ViewError> {
    Ok(Response::json(&value(state)?))
}

/// Returns the steps, earliest first.
pub(crate) fn value(state: &State) -> Result<Value, ViewError> {
    let file = &state.trace.file;
    let zero = file.zero();
    let (steps, total) = state.with_database(|database| {
        let sql = "SELECT c.kind, c.sourceId, c.uid, c.start, c.end, p.file, p.line, o.name, p.function \
                   FROM WEFT_CRITICAL_PATH c LEFT JOIN WEFT_PROVENANCE p ON p.id = c.provenanceId \
                   LEFT JOIN WEFT_OPERATION o ON o.uid = c.opUid AND o.sourceId = ( \
                       SELECT min(x.sourceId) FROM WEFT_OPERATION x WHERE x.uid = c.opUid) \
                   ORDER BY c.step LIMIT ?1";
        let rows = query_rows(database, sql, [MOST as i64], |row| {
            let words = [text(row, 0), text(row, 5), text(row, 7), text(row, 8)];
            let numbers = [1, 2, 3, 4, 6].map(|column| get::<i64>(row, column));
            Ok((words, numbers))
        })?;
        let mut steps: Vec<Value> = Vec::with_capacity(rows.len());
        for ([kind, place, name, function], [source, uid, start, end, line]) in rows {
            let slice = match (source, uid) {
                (Some(source), Some(uid)) => slice_of(state, database, source, uid)?,
                _ => None,
            };
            let known = slice.as_ref().map(|slice| slice.line).filter(|line| *line > 0);
            let line_id = known.or_else(|| {
                let lines = (0..).zip(file.lines());
                let (place, line) = (place.as_deref()?, line?);
                let mut same = lines.filter(|(_, known)| {
                    known.file == place && i64::from(known.line) == line && known.function == function
                });
                same.next().map(|(id, _)| id)
            });
            let kind = kind.unwrap_or_default();
            let words = match (&name, &place, line) {
                (Some(name), Some(place), Some(line)) => format!("{kind}: {name} of {place}:{line}"),
                (Some(name), ..) => format!("{kind}: {name}"),
                _ => kind.clone(),
            };
            let at = |time: Option<i64>| time.unwrap_or(zero).saturating_sub(zero).max(0);
            steps.push(json!({
                "item": slice.as_ref().map(|slice| slice.item), "lane": slice.as_ref().map(|slice| slice.lane),
                "kind": kind, "start": at(start), "end": at(end), "line": line_id.unwrap_or(0), "text": words,
            }));
        }
        let total = query_rows(database, "SELECT count(*) FROM WEFT_CRITICAL_PATH", [], |row| Ok(get::<i64>(row, 0)))?;
        Ok((steps, total.first().copied().flatten().unwrap_or(0).cast_unsigned()))
    })?;
    let note = (total > steps.len() as u64).then(|| {
        format!(
            "the path has {total} steps, of which these are the first {}",
            steps.len()
        )
    });
    Ok(json!({ "steps": steps, "note": note }))
}
