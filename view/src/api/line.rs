//! The slices of a line.

use super::bad_request;
use crate::http::{Request, Response};
use crate::state::{Lit, State, ViewError, lock};
use serde_json::{Value, json};
use std::sync::Arc;
use weft_timeline::Hits;

/// Slices that are read at once.
const CHUNK: u32 = 1 << 15;

/// The slices of a line. Those of the latest line are kept.
pub(crate) fn hits(state: &State, line: u32) -> Result<Arc<Hits>, ViewError> {
    if let Some(lit) = lock(&state.lit).as_ref().filter(|lit| lit.line == line) {
        return Ok(Arc::clone(&lit.hits));
    }
    let file = &state.trace.file;
    let mut hits = Hits::new(file.items());
    file.each_name_and_line(|item, _, of| {
        if of == line {
            hits.insert(item);
        }
    })?;
    let hits = Arc::new(hits);
    *lock(&state.lit) = Some(Lit {
        line,
        hits: Arc::clone(&hits),
    });
    Ok(hits)
}

/// Answers `/api/line`.
pub(crate) fn line(state: &State, request: &Request) -> Result<Response, ViewError> {
    let file = &state.trace.file;
    let line = request.number::<u32>("id");
    let line = line.filter(|line| (*line as usize) < file.lines().len());
    let line = line.ok_or_else(|| bad_request("there is no such line"))?;
    let hits = hits(state, line)?;
    let mut lanes: Vec<Value> = Vec::new();
    for (at, lane) in (0..).zip(file.lanes()) {
        if !hits.any(lane.first, lane.items) {
            continue;
        }
        let (mut items, mut ns) = (0_u64, 0_u64);
        let mut first = 0;
        while first < lane.items {
            let last = (first + CHUNK).min(lane.items);
            if hits.any(lane.first + first, last - first) {
                for slice in file.slices(at, first..last)? {
                    if slice.line == line {
                        items += 1;
                        ns = ns.saturating_add(slice.end - slice.start);
                    }
                }
            }
            first = last;
        }
        lanes.push(json!({ "lane": at, "items": items, "ns": ns }));
    }
    Ok(Response::json(
        &json!({ "items": hits.len(), "lanes": lanes }),
    ))
}
