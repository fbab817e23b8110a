//! The graph of operations or tasks and their data, for the page.

use super::bad_request;
use crate::http::{Request, Response};
use crate::state::{State, ViewError, lock};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use weft_analysis::graph::{self, Choice, Edge, Graph, Node};
use weft_nvtx_export::ReadOptions;

/// The maximum number of tasks in a readable picture.
const EVENTS: usize = 200;

/// The kind of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum GraphRequest {
    /// Operations by line. Optionally a loop is unfolded.
    Dataflow(Option<u32>),
    /// Tasks.
    Events,
}

/// Answers `/api/graph`.
pub(crate) fn graph(state: &State, request: &Request) -> Result<Response, ViewError> {
    let expand = request.parameter("expand");
    let expand = expand.map(|of_loop| {
        let number = of_loop.parse::<u32>();
        number.map_err(|_| bad_request("there is no such loop"))
    });
    let which = match request.parameter("kind").as_deref() {
        None | Some("dataflow") => GraphRequest::Dataflow(expand.transpose()?),
        Some("events") => GraphRequest::Events,
        Some(_) => return Err(bad_request("a graph is of kind dataflow or events")),
    };
    // Concurrent requests wait, and then find the answer.
    let mut kept = lock(&state.graphs);
    if let Some(known) = kept.get(&which) {
        return Ok(Response::json(known));
    }
    let answer = answer(state, which)?;
    let response = Response::json(&answer);
    kept.insert(which, answer);
    Ok(response)
}

fn answer(state: &State, which: GraphRequest) -> Result<Value, ViewError> {
    let options = ReadOptions::default();
    let trace = weft_nvtx_export::read(&[state.trace.path().to_owned()], &options)?;
    let folded = |choice: Choice| {
        let made = graph::dataflow(&trace, choice);
        made.map_err(|error| bad_request(error.to_string()))
    };
    let made = match which {
        GraphRequest::Events => graph::events(&trace, EVENTS),
        GraphRequest::Dataflow(None) => folded(Choice::default())?,
        GraphRequest::Dataflow(of_loop) => {
            let all = folded(Choice::default())?;
            let row = all.loops.iter().find(|row| Some(row.id) == of_loop);
            let row = row.ok_or_else(|| bad_request("there is no such loop"))?;
            // The first iterations often differ from the others.
            let iteration = u32::try_from(row.iterations / 2).ok();
            folded(Choice { iteration, of_loop })?
        }
    };
    let lines = (0_u32..).zip(state.trace.file.lines());
    let lines = lines.map(|(id, line)| (format!("{}:{}", line.file, line.line), id));
    let lines: FxHashMap<String, u32> = lines.collect();
    let is_folded = which == GraphRequest::Dataflow(None);
    let nodes: Vec<Value> = made
        .nodes
        .iter()
        .map(|row| node(row, &lines, is_folded))
        .collect();
    let edges: Vec<Value> = made.edges.iter().map(edge).collect();
    Ok(json!({ "nodes": nodes, "edges": edges, "note": note(&made) }))
}

fn node(node: &Node, lines: &FxHashMap<String, u32>, is_folded: bool) -> Value {
    let line = node.place.as_ref().and_then(|place| lines.get(place));
    let group = node.of_loop.filter(|_| is_folded);
    json!({
        "id": node.id,
        "label": node.name,
        "line": line.copied().unwrap_or(0),
        "count": node.operations.max(1),
        "ns": node.shown_ns(),
        "group": group.map(|of_loop| of_loop.to_string()),
    })
}

fn edge(edge: &Edge) -> Value {
    let stores = edge.stores.iter().map(|store| {
        let shape: Vec<String> = store.shape.iter().map(u64::to_string).collect();
        format!("{} {}", store.dtype, shape.join("×"))
    });
    let mut texts: Vec<String> = stores.take(3).collect();
    if let Some(bytes) = edge.shared_bytes_at_most {
        texts.push(format!("at most {bytes} bytes"));
    }
    if texts.is_empty() {
        texts.push(format!("{} dependences", edge.dependences));
    }
    json!({
        "from": edge.from,
        "to": edge.to,
        "label": texts.join(", "),
        "bytes": edge.shared_bytes_at_most,
    })
}

fn note(graph: &Graph) -> Option<String> {
    if graph.nodes.is_empty() {
        let sentence = "The trace has no tasks, copies or operations, so there is nothing to draw.";
        return Some(sentence.to_owned());
    }
    let rows = graph.left_out.iter();
    let rows: Vec<String> = rows
        .map(|row| format!("{} {}", row.count, row.what))
        .collect();
    (!rows.is_empty()).then(|| format!("Not in the graph: {}.", rows.join("; ")))
}
