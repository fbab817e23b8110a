//! The bytes of a memory that each line held.

use super::bad_request;
use crate::database::{get, query_rows, text};
use crate::http::{Request, Response};
use crate::state::{State, ViewError};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use weft_timeline::{HeldBy, Holder};

/// The default number of lines listed individually.
pub(crate) const LINES: usize = 12;

/// The maximum number of lines listed individually.
const MOST_LINES: usize = 64;

/// Answers `/api/memory`.
pub(crate) fn memory(state: &State, request: &Request) -> Result<Response, ViewError> {
    let lane = request
        .number("lane")
        .ok_or_else(|| bad_request("missing or invalid parameter `lane`"))?;
    let from = request.number("from").unwrap_or(0);
    let to = request
        .number("to")
        .unwrap_or(state.trace.file.end().max(1));
    let width = request.number("width").unwrap_or(1024);
    let lines = request.number("lines").unwrap_or(LINES).min(MOST_LINES);
    let value = value(state, lane, (from, to), width, lines)?;
    Ok(Response::json(&value))
}

/// Returns the holders of a lane's memory between two moments, in `bins` bins.
pub(crate) fn value(
    state: &State,
    lane: u32,
    (from, to): (u64, u64),
    bins: usize,
    lines: usize,
) -> Result<Value, ViewError> {
    if to <= from {
        return Err(bad_request("the time of a memory ends before it begins"));
    }
    let held = state
        .trace
        .file
        .memory_holders(lane, from, to, bins, lines)?;
    let held = held.ok_or_else(|| ViewError::Unknown(format!("lane {lane} has no counter")))?;
    let series: Vec<Value> = held
        .by
        .iter()
        .map(|by| entry(by, json!(by.bytes)))
        .collect();
    let at_peak: Vec<Value> = held
        .at_peak
        .iter()
        .map(|by| entry(by, json!(by.bytes.first())))
        .collect();
    Ok(json!({
        "label": held.label, "unit": held.unit, "max": held.max, "times": held.times, "moments": held.moments,
        "most": held.most, "series": series, "peak": { "time": held.peak, "held": at_peak },
    }))
}

/// The size of each memory, by the label of its lane and its rank.
pub(crate) fn capacities(
    state: &State,
) -> Result<FxHashMap<(String, Option<u16>), u64>, ViewError> {
    let sql = "SELECT m.kind || ' ' || m.id, s.rank, m.capacity FROM WEFT_MEMORY m \
               JOIN WEFT_SOURCE s ON s.id = m.sourceId WHERE m.capacity > 0";
    let rows = state.with_database(|database| {
        Ok(query_rows(database, sql, [], |row| {
            Ok((text(row, 0), get::<u16>(row, 1), get::<i64>(row, 2)))
        })?)
    })?;
    let rows = rows.into_iter().filter_map(|(label, rank, capacity)| {
        Some(((label?, rank), u64::try_from(capacity?).ok()?))
    });
    Ok(rows.collect())
}

fn entry(by: &HeldBy, bytes: Value) -> Value {
    let line = match by.holder {
        Some(Holder::Line(line)) => line,
        _ => 0,
    };
    json!({ "line": line, "lines": by.lines, "reason": reason(by), "bytes": bytes })
}

/// Returns a label for bytes that do not belong to one line; `None` if they do.
fn reason(by: &HeldBy) -> Option<String> {
    let reason = match by.holder {
        None if by.lines == 1 => "1 other line".to_owned(),
        None => format!("{} other lines", by.lines),
        Some(Holder::Line(_)) => return None,
        Some(Holder::NoOperation) => "instances without a named operation".to_owned(),
        Some(Holder::MissingOperation) => {
            "instances whose operation is not in the trace".to_owned()
        }
        Some(Holder::NoLine) => "instances whose operation has no line".to_owned(),
        Some(Holder::NoInstance) => "the memory's own figure, less its instances".to_owned(),
    };
    Some(reason)
}
