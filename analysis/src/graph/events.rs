//! Graphs of single tasks and copies, with their predecessors.

use super::dependences::{self, Kinds};
use super::stores::Uses;
use super::types::{Edge, Graph, GraphKind, Node};
use crate::stats::{operation_of, work_times};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use weft_model::text::place;
use weft_model::{Index, Served, SourceIndex, Trace};
use weft_trace::id::Uid;
use weft_trace::time::Timestamp;

/// Builds the graph of the first `limit` tasks and copies by start time, and the dependences
/// between them. Every task of a fused launch is a node, with its share of the time.
pub fn events(trace: &Trace, limit: usize) -> Graph {
    let index = Index::new(trace);
    let (task_times, copy_times) = work_times(trace, &index);
    let tasks = trace.work.tasks.iter().zip(task_times).zip(0..);
    let tasks = tasks.map(|((task, time), row)| Row {
        served: Served::Task(row),
        source: task.source,
        uid: task.uid,
        start: task.start,
        end: task.end,
        time,
        bytes: 0,
    });
    let copies = trace.work.copies.iter().zip(copy_times).zip(0..);
    let copies = copies.map(|((copy, time), row)| Row {
        served: Served::Copy(row),
        source: copy.source,
        uid: copy.uid,
        start: copy.start,
        end: copy.end,
        time,
        bytes: copy.bytes,
    });
    let mut rows: Vec<Row> = tasks.chain(copies).collect();
    rows.sort_by_key(|row| (row.start, row.source, row.uid, row.end));
    let more = rows.len().saturating_sub(limit);
    rows.truncate(limit);
    let begin = rows.first().map(|row| row.start);
    let mut graph = Graph::new(GraphKind::Events);
    let mut ids: FxHashMap<(bool, u32), u32> = FxHashMap::default();
    for (id, row) in (0..).zip(&rows) {
        ids.insert(key(row.served), id);
        graph.nodes.push(node(trace, &index, id, row, begin));
    }
    let (all, unknown) = dependences::collect(trace, &index);
    let mut edges: BTreeMap<(u32, u32), (Kinds, Edge, Uses)> = BTreeMap::new();
    let mut outside = 0;
    for row in all {
        match (ids.get(&key(row.from)), ids.get(&key(row.to))) {
            (Some(from), Some(to)) => {
                let (kinds, edge, uses) = edges.entry((*from, *to)).or_default();
                kinds.add(row.kind);
                edge.moved_bytes = edge.moved_bytes.saturating_add(row.moved);
                match row.through {
                    Some(through) => uses.add(through),
                    None => edge.unknown_store += 1,
                }
            }
            _ => outside += 1,
        }
    }
    graph.edges = edges
        .into_iter()
        .map(|((from, to), (kinds, edge, uses))| {
            let mut edge = Edge {
                from,
                to,
                dependences: kinds.total(),
                read_after_write: kinds.read_after_write,
                write_after_read: kinds.write_after_read,
                write_after_write: kinds.write_after_write,
                order: kinds.order,
                ..edge
            };
            uses.write_to(trace, &mut edge);
            edge
        })
        .collect();
    graph.leave_out(
        more as u64,
        "tasks and copies that began later; --limit sets how many are kept",
    );
    graph.leave_out(outside, "dependences of these");
    graph.leave_out(
        unknown,
        match trace.quality.part {
            Some(_) => "dependences of tasks that are not in the part, or have no record",
            None => "dependences on tasks without a record",
        },
    );
    graph
}

struct Row {
    served: Served,
    source: SourceIndex,
    uid: Uid,
    start: Timestamp,
    end: Timestamp,
    /// Its time as in `weft stats`: device time, or its share of the launch.
    time: i64,
    bytes: u64,
}

const fn key(served: Served) -> (bool, u32) {
    match served {
        Served::Task(row) => (true, row),
        Served::Copy(row) => (false, row),
    }
}

fn node(trace: &Trace, index: &Index, id: u32, row: &Row, begin: Option<Timestamp>) -> Node {
    let operation = operation_of(trace, index, row.served);
    let operation = operation.and_then(|row| trace.program.operations.get(row));
    let name = operation.map_or("", |operation| trace.strings.get(operation.name));
    let name = if name.is_empty() { "(unknown)" } else { name };
    let is_task = matches!(row.served, Served::Task(_));
    let time = row.time;
    Node {
        id,
        name: match is_task {
            true => name.to_owned(),
            false => format!("copy for {name}"),
        },
        place: operation.and_then(|operation| place(trace, operation.provenance)),
        uid: Some(row.uid.to_string()),
        operations: 1,
        tasks: u64::from(is_task),
        copies: u64::from(!is_task),
        copied_bytes: row.bytes,
        time_ns: time,
        mean_ns: time as f64,
        start_ns: begin.map(|begin| (row.start - begin).0),
        ..Node::default()
    }
}
