//! Advice: the changes to make and their savings, from replays of the recorded run.

use super::bad_request;
use crate::http::Response;
use crate::state::{State, ViewError, lock};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use weft_analysis::advise;
use weft_analysis::replay::{self, Change, Graph};
use weft_model::{ProvenanceIndex, Trace};
use weft_nvtx_export::{ReadOptions, RequiredParts};

/// A file, a line of it, and a function.
type Place = (String, u32, Option<String>);

/// The recorded run as a graph, with the advice on it.
#[derive(Debug)]
pub(crate) struct Replayed {
    graph: Graph,
    /// The reason why the graph is empty; `None` if it is not. The advice then rests on the times
    /// of GPU work.
    no_graph: Option<String>,
    advice: Value,
    places: FxHashMap<Place, ProvenanceIndex>,
}

#[derive(Debug, Deserialize)]
struct WhatIf {
    line: u32,
    factor: f64,
}

/// Answers `/api/advise`.
pub(crate) fn advise(state: &State) -> Result<Response, ViewError> {
    Ok(match replayed(state)? {
        Ok(replayed) => Response::json(&replayed.advice),
        Err(why) => Response::error(501, &why),
    })
}

/// Answers `/api/whatif`: the length of the run if a line took another time.
pub(crate) fn what_if(state: &State, body: &[u8]) -> Result<Response, ViewError> {
    let question: WhatIf = serde_json::from_slice(body)
        .map_err(|error| bad_request(format!("cannot parse the change: {error}")))?;
    if !(0.0..=100.0).contains(&question.factor) {
        return Err(bad_request("a line's time can be multiplied by 0 to 100"));
    }
    let line = state.trace.file.lines().get(question.line as usize);
    let line = line.filter(|_| question.line > 0);
    let line = line.ok_or_else(|| bad_request("there is no such line"))?;
    let replayed = match replayed(state)?.and_then(with_graph) {
        Ok(replayed) => replayed,
        Err(why) => return Ok(Response::error(501, &why)),
    };
    let baseline = replayed.graph.baseline();
    let place = (line.file.clone(), line.line, line.function.clone());
    let length = match replayed.places.get(&place) {
        Some(place) => replay::what_if_line(&replayed.graph, *place, question.factor),
        // A line without work of its own does not change the length.
        None => baseline.replayed,
    };
    Ok(Response::json(&json!({
        "measuredNs": baseline.measured, "replayedNs": baseline.replayed, "lengthNs": length, "errorNs": baseline.error(),
    })))
}

/// The maximum number of nodes that are scheduled for the savings of lines, over all replays. A
/// node takes some 0.5 µs.
const MOST_NODES: usize = 8_000_000;

/// Returns the time in ns that the run would be shorter by if each of these lines took no time.
/// Covers the first lines, as many as the page can wait for. Returns the reason if the trace has no
/// graph.
pub(crate) fn savings(
    state: &State,
    lines: &[(&str, u32)],
) -> Result<Result<Vec<i64>, String>, ViewError> {
    let replayed = match replayed(state)?.and_then(with_graph) {
        Ok(replayed) => replayed,
        Err(why) => return Ok(Err(why)),
    };
    let mut of_line: FxHashMap<(&str, u32), Vec<ProvenanceIndex>> = FxHashMap::default();
    for ((file, line, _), place) in &replayed.places {
        of_line.entry((file, *line)).or_default().push(*place);
    }
    let graph = &replayed.graph;
    let base = replay::replay(graph, &[]).makespan;
    let most = MOST_NODES / graph.nodes.len().max(1);
    let saving = |line: &(&str, u32)| {
        let places = of_line.get(line).into_iter().flatten();
        let gone = places.map(|line| Change::ScaleLine {
            line: *line,
            factor: 0.0,
        });
        base - replay::replay(graph, &gone.collect::<Vec<_>>()).makespan
    };
    Ok(Ok(lines.iter().take(most).map(saving).collect()))
}

/// The default reason why a trace cannot be replayed.
const NO_GRAPH: &str = "the trace does not record the waits of its work, so it cannot be replayed";

/// Returns the replay if it has a graph to schedule; otherwise the reason for its absence.
fn with_graph(replayed: Arc<Replayed>) -> Result<Arc<Replayed>, String> {
    match &replayed.no_graph {
        Some(why) => Err(why.clone()),
        None => Ok(replayed),
    }
}

/// Returns the replay, made once, or the reason for its absence. Concurrent requests wait for it.
fn replayed(state: &State) -> Result<Result<Arc<Replayed>, String>, ViewError> {
    let mut kept = lock(&state.replayed);
    if let Some(known) = kept.as_ref() {
        return Ok(Ok(Arc::clone(known)));
    }
    let options = ReadOptions {
        keep: RequiredParts::Everything,
        ..ReadOptions::default()
    };
    let trace = weft_nvtx_export::read(&[state.trace.path().to_owned()], &options)?;
    let graph = Graph::from_trace(&trace);
    if let Some(why) = advise::refusal(&trace, &graph) {
        return Ok(Err(why));
    }
    let no_graph = (graph.nodes.is_empty())
        .then(|| replay::missing(&trace).unwrap_or_else(|| NO_GRAPH.to_owned()));
    let advice = advise::answer_from(&trace, &graph, advise::TOP);
    let advice = serde_json::to_value(&advice)
        .map_err(|error| ViewError::Unknown(format!("cannot compute the advice: {error}")))?;
    let replayed = Arc::new(Replayed {
        graph,
        no_graph,
        advice,
        places: places(&trace),
    });
    *kept = Some(Arc::clone(&replayed));
    Ok(Ok(replayed))
}

fn places(trace: &Trace) -> FxHashMap<Place, ProvenanceIndex> {
    let rows = trace.program.provenances.iter();
    let text = |at| trace.strings.get(at).to_owned();
    rows.map(|(at, row)| {
        let function = Some(text(row.function)).filter(|function| !function.is_empty());
        ((text(row.file), row.line, function), at)
    })
    .collect()
}
