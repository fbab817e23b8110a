//! Levels over time.

use super::bad_request;
use crate::http::{Request, Response};
use crate::state::{State, ViewError};
use serde_json::{Value, json};

/// Answers `/api/counter`.
pub(crate) fn counter(state: &State, request: &Request) -> Result<Response, ViewError> {
    let lane = request
        .number("lane")
        .ok_or_else(|| bad_request("missing or invalid parameter `lane`"))?;
    let from = request.number("from").unwrap_or(0);
    let to = request.number("to").unwrap_or(state.trace.file.end());
    let bins = request.number("bins").unwrap_or(1024);
    Ok(Response::json(&value(state, lane, from, to, bins)?))
}

/// Returns the levels of the first counter of a lane.
pub(crate) fn value(
    state: &State,
    lane: u32,
    from: u64,
    to: u64,
    bins: usize,
) -> Result<Value, ViewError> {
    if to <= from {
        return Err(bad_request("the time of a counter ends before it begins"));
    }
    let levels = state.trace.file.levels(lane, from, to, bins)?;
    let levels = levels.into_iter().next();
    let levels = levels.ok_or_else(|| ViewError::Unknown(format!("lane {lane} has no counter")))?;
    Ok(json!({
        "label": levels.label, "unit": levels.unit, "max": levels.max, "times": levels.times, "least": levels.least,
        "most": levels.most,
    }))
}
