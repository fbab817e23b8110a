//! Facts about the trace: its inputs, lanes, names and lines, and its unknowns.

use super::{memory, source, unknown};
use crate::database::{query_row, query_rows, text};
use crate::http::Response;
use crate::state::{State, ViewError};
use serde_json::{Value, json};
use weft_timeline::LaneKind;

/// Answers `/api/info`.
pub(crate) fn info(state: &State) -> Result<Response, ViewError> {
    Ok(Response::json(&value(state)?))
}

/// Answers `/api/version`, which changes when `info` changes.
pub(crate) fn version(state: &State, runs: usize) -> Response {
    let generation = state.options.generation;
    Response::json(&json!({ "generation": generation, "live": state.is_live(), "runs": runs }))
}

/// Returns the answer.
pub(crate) fn value(state: &State) -> Result<Value, ViewError> {
    let file = &state.trace.file;
    let lanes = file.lanes();
    let has_children: Vec<bool> = {
        let mut has = vec![false; lanes.len()];
        for parent in lanes.iter().filter_map(|lane| lane.parent) {
            if let Some(has) = has.get_mut(parent as usize) {
                *has = true;
            }
        }
        has
    };
    let rows = (0..).zip(lanes).zip(has_children);
    let rows: Vec<Value> = rows
        .map(|((id, lane), is_group): ((u32, _), _)| {
            let kind = match (lane.kind, is_group) {
                (LaneKind::Process, _) => "rank",
                (_, true) => "group",
                (kind, false) => word(kind),
            };
            json!({
                "id": id, "parent": lane.parent, "kind": kind, "shows": word(lane.kind), "label": lane.label,
                "rank": lane.rank, "rows": lane.rows, "items": lane.items, "busy": lane.busy,
            })
        })
        .collect();
    let texts = source::texts(state)?;
    let lines = (0..).zip(file.lines());
    let lines: Vec<Value> = lines
        .map(|(id, line): (u32, _)| {
            json!({
                "id": id, "file": line.file, "line": line.line, "function": line.function.as_deref().unwrap_or(""),
                "text": texts.line(&line.file, line.line),
            })
        })
        .collect();
    let capacities = memory::capacities(state)?;
    let counters: Vec<Value> = file
        .counters()
        .map(|(lane, label, unit, max)| {
            let row = lanes.get(lane as usize);
            let capacity = row.and_then(|row| capacities.get(&(row.label.clone(), row.rank)));
            json!({ "lane": lane, "label": label, "unit": unit, "max": max, "capacity": capacity })
        })
        .collect();
    let facts = state.with_database(|database| {
        let inputs = query_rows(
            database,
            "SELECT path, kind, rank, host FROM WEFT_SOURCE ORDER BY id",
            [],
            |row| {
                let note = match (text(row, 2), text(row, 3)) {
                    (Some(rank), Some(host)) => format!("rank {rank} on {host}"),
                    (Some(rank), None) => format!("rank {rank}"),
                    _ => String::new(),
                };
                Ok(json!({ "name": text(row, 0), "kind": text(row, 1), "note": note }))
            },
        )?;
        let sql = "SELECT sum(part) FROM WEFT_CRITICAL_PATH";
        let critical = query_row(database, sql, [], |row| row.get::<_, Option<i64>>(0))?.flatten();
        Ok((inputs, critical))
    })?;
    let (inputs, critical) = facts;
    Ok(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "title": state.options.title,
        "inputs": inputs,
        "start": 0,
        "end": file.end(),
        "wallStart": Value::Null,
        "schema": file.origin().schema,
        "lanes": rows,
        "names": file.names(),
        "lines": lines,
        "states": ["created", "waiting", "ready", "running"],
        "counters": counters,
        "unknown": unknown::unknown(state)?,
        "critical": critical.map(|total| json!({ "total": total })),
        "iterations": [],
        "part": state.options.part.as_ref().map(|part| [part.start, part.end]),
        "live": state.is_live(),
        "generation": state.options.generation,
    }))
}

fn word(kind: LaneKind) -> &'static str {
    match kind {
        LaneKind::Process => "rank",
        LaneKind::Program => "program",
        LaneKind::Processor => "processor",
        LaneKind::Device | LaneKind::Stream => "stream",
        LaneKind::Channel => "channel",
        LaneKind::Memory => "memory",
        LaneKind::Utility => "utility",
        LaneKind::Range => "range",
        LaneKind::Api => "api",
    }
}
