//! Graphs of operations, folded by line and name.

use super::dependences::{self, Pair};
use super::stores::Uses;
use super::types::{Edge, Graph, GraphKind, LoopRow, Node};
use crate::iterations::{Iteration, Iterations};
use crate::stats::{OperationTimes, operation_times};
use rustc_hash::FxHashMap;
use weft_model::text::place;
use weft_model::{Index, Operation, ProvenanceIndex, RunIndex, StringIndex, Trace};

/// The part of the graph that is unfolded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The iteration, from 0, whose operations become single nodes. Of the rest, only direct
    /// predecessors and successors are kept.
    pub iteration: Option<u32>,
    /// The loop of that iteration, by [`LoopRow::id`]; by default the one whose operations took
    /// most time.
    pub of_loop: Option<u32>,
}

/// The reason why a graph cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// No line repeats often enough.
    #[error(
        "no loop was found: no calls repeat at least {} times in a way that shows the number of iterations",
        crate::iterations::LEAST
    )]
    NoLoop,
    /// The loop does not exist.
    #[error("there is no loop {given}; there are {loops}, from 0")]
    OutOfLoops {
        /// The requested loop.
        given: u32,
        /// Number of loops.
        loops: usize,
    },
    /// The iteration does not exist.
    #[error("there is no iteration {given}; the loop has {iterations}, from 0")]
    OutOfLoop {
        /// The requested iteration.
        given: u32,
        /// Number of iterations.
        iterations: usize,
    },
}

/// The key of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum NodeKey {
    Folded(RunIndex, ProvenanceIndex, StringIndex),
    One(usize),
}

/// Folds the operations of a trace by line and name.
///
/// # Errors
/// Returns an error if the requested iteration or loop does not exist.
pub fn dataflow(trace: &Trace, choice: Choice) -> Result<Graph, GraphError> {
    let index = Index::new(trace);
    let iterations = Iterations::detect(trace, &index);
    let unfolded = unfolded(&iterations, choice)?;
    let (times, rest) = operation_times(trace, &index);
    let (rows, unknown) = dependences::collect(trace, &index);
    let (between, within, without) = dependences::by_operation(trace, &index, &rows);
    let mut graph = Graph::new(GraphKind::Dataflow);
    graph.loops = loops(&iterations);
    let mut fold = Fold {
        trace,
        iterations: &iterations,
        unfolded,
        nodes: FxHashMap::default(),
        graph: &mut graph,
    };
    let of = fold.nodes(&times, &between);
    let edges = fold.edges(&between, &of);
    graph.edges = edges;
    if unfolded.is_some() {
        keep_neighbours(&mut graph);
    }
    let of_kind = graph.edges.iter().filter(|edge| edge.order == 0);
    let unknown_store: u64 = of_kind.map(|edge| edge.unknown_store).sum();
    let orders: u64 = graph.edges.iter().map(|edge| edge.order).sum();
    let empty = of.iter().filter(|node| node.is_none()).count() as u64;
    let is_part = trace.quality.part.is_some();
    graph.leave_out(
        empty,
        match is_part {
            true => "operations without tasks, copies or dependences in the part",
            false => "operations without tasks, copies or dependences",
        },
    );
    graph.leave_out(
        rest.count,
        "tasks and copies whose operation has no record, and the program's own",
    );
    graph.leave_out(within, "dependences between tasks of one operation");
    graph.leave_out(
        unknown + without,
        match is_part {
            true => "dependences of tasks that are not in the part, or have no record",
            false => "dependences on tasks or operations without a record",
        },
    );
    graph.leave_out(
        orders,
        "stores of dependences: profiles of Legion have only the order",
    );
    graph.leave_out(
        unknown_store,
        "dependences whose store is not known, as in profiles of earlier versions",
    );
    Ok(graph)
}

fn unfolded(iterations: &Iterations, choice: Choice) -> Result<Option<Iteration>, GraphError> {
    let Some(number) = choice.iteration else {
        return Ok(None);
    };
    let of = choice.of_loop.or_else(|| iterations.longest());
    let of = of.ok_or(GraphError::NoLoop)?;
    let Some(found) = iterations.loops.get(of as usize) else {
        let loops = iterations.loops.len();
        return Err(GraphError::OutOfLoops { given: of, loops });
    };
    if number as usize >= found.count {
        return Err(GraphError::OutOfLoop {
            given: number,
            iterations: found.count,
        });
    }
    Ok(Some(Iteration { of, number }))
}

/// Returns the loops in the form in which they are written.
pub(super) fn loops(iterations: &Iterations) -> Vec<LoopRow> {
    let rows = (0..).zip(&iterations.loops);
    rows.map(|(id, row)| LoopRow {
        id,
        period: row.period as u64,
        iterations: row.count as u64,
    })
    .collect()
}

struct Fold<'a, 'g> {
    trace: &'a Trace,
    iterations: &'a Iterations,
    unfolded: Option<Iteration>,
    nodes: FxHashMap<NodeKey, u32>,
    graph: &'g mut Graph,
}

impl Fold<'_, '_> {
    /// Makes the nodes; returns the node of each operation that has one.
    fn nodes(&mut self, times: &[OperationTimes], between: &[Pair]) -> Vec<Option<u32>> {
        let mut is_end = vec![false; self.trace.program.operations.len()];
        for ((from, to), _) in between {
            for row in [*from, *to] {
                if let Some(is_end) = is_end.get_mut(row) {
                    *is_end = true;
                }
            }
        }
        let mut order: Vec<usize> = (0..self.trace.program.operations.len()).collect();
        order.sort_by_key(|row| {
            let operation = self.trace.program.operations.get(*row);
            operation.map(|o| (o.run, o.uid.sequence(), o.uid.rank()))
        });
        let mut of = vec![None; self.trace.program.operations.len()];
        for row in order {
            let (Some(operation), Some(times)) =
                (self.trace.program.operations.get(row), times.get(row))
            else {
                continue;
            };
            let is_end = is_end.get(row).copied().unwrap_or_default();
            if times.tasks + times.copies == 0 && !is_end {
                continue;
            }
            let node = self.node(row, operation, times);
            if let Some(of) = of.get_mut(row) {
                *of = Some(node);
            }
        }
        for node in &mut self.graph.nodes {
            node.mean_ns = node.shown_ns() / node.operations.max(1) as f64;
        }
        of
    }

    fn node(&mut self, row: usize, operation: &Operation, times: &OperationTimes) -> u32 {
        let iteration = self.iterations.of.get(row).copied().flatten();
        let is_unfolded = self.unfolded.is_some() && iteration == self.unfolded;
        let key = match is_unfolded {
            true => NodeKey::One(row),
            false => NodeKey::Folded(operation.run, operation.provenance, operation.name),
        };
        let next = self.graph.nodes.len() as u32;
        let id = *self.nodes.entry(key).or_insert(next);
        if id == next {
            let name = self.trace.strings.get(operation.name);
            self.graph.nodes.push(Node {
                id,
                name: if name.is_empty() { "(unknown)" } else { name }.to_owned(),
                place: place(self.trace, operation.provenance),
                uid: Some(operation.uid.to_string()),
                of_loop: iteration.map(|iteration| iteration.of),
                iteration: iteration.map(|iteration| iteration.number),
                outside: self.unfolded.is_some() && !is_unfolded,
                ..Node::default()
            });
        }
        let Some(node) = self.graph.nodes.get_mut(id as usize) else {
            return id;
        };
        if node.operations > 0 {
            node.uid = None;
        }
        if node.of_loop != iteration.map(|iteration| iteration.of) {
            node.of_loop = None;
        }
        if node.iteration != iteration.map(|iteration| iteration.number) {
            node.iteration = None;
        }
        node.operations += 1;
        node.tasks += times.tasks;
        node.copies += times.copies;
        node.copied_bytes = node.copied_bytes.saturating_add(times.copied_bytes);
        node.time_ns = node.time_ns.saturating_add(times.own_ns);
        if let Some(kernels) = times.kernels_ns {
            node.device_ns = Some(node.device_ns.unwrap_or_default() + kernels);
        }
        id
    }

    fn edges(&self, between: &[Pair], of: &[Option<u32>]) -> Vec<Edge> {
        let node = |row: usize| of.get(row).copied().flatten();
        let mut edges: std::collections::BTreeMap<(u32, u32), (Edge, Uses)> = Default::default();
        for ((earlier, later), between) in between {
            let (Some(from), Some(to)) = (node(*earlier), node(*later)) else {
                continue;
            };
            let (edge, uses) = edges.entry((from, to)).or_default();
            (edge.from, edge.to) = (from, to);
            let kinds = between.kinds;
            edge.dependences += kinds.total();
            edge.read_after_write += kinds.read_after_write;
            edge.write_after_read += kinds.write_after_read;
            edge.write_after_write += kinds.write_after_write;
            edge.order += kinds.order;
            edge.moved_bytes = edge.moved_bytes.saturating_add(between.moved);
            let iteration = |row: usize| self.iterations.of.get(row).copied().flatten();
            if let (Some(one), Some(other)) = (iteration(*earlier), iteration(*later))
                && one.of == other.of
                && one.number < other.number
            {
                edge.carried += kinds.total();
            }
            edge.unknown_store += between.unknown_store;
            for through in &between.through {
                uses.add(*through);
            }
        }
        let edges = edges.into_values();
        edges
            .map(|(mut edge, uses)| {
                uses.write_to(self.trace, &mut edge);
                edge
            })
            .collect()
    }
}

/// Keeps the unfolded nodes and their neighbours, and the edges that touch the unfolded ones.
fn keep_neighbours(graph: &mut Graph) {
    let outside = |graph: &Graph, id: u32| graph.nodes.get(id as usize).is_none_or(|n| n.outside);
    let mut edges = std::mem::take(&mut graph.edges);
    edges.retain(|edge| !outside(graph, edge.from) || !outside(graph, edge.to));
    let mut is_kept: Vec<bool> = graph.nodes.iter().map(|node| !node.outside).collect();
    for end in edges.iter().flat_map(|edge| [edge.from, edge.to]) {
        if let Some(is_kept) = is_kept.get_mut(end as usize) {
            *is_kept = true;
        }
    }
    let mut numbers = vec![0; is_kept.len()];
    let (mut next, mut lost) = (0, 0);
    for (number, is_kept) in numbers.iter_mut().zip(&is_kept) {
        *number = next;
        next += u32::from(*is_kept);
    }
    let number = |id: u32| numbers.get(id as usize).copied().unwrap_or_default();
    graph.nodes.retain(|node| {
        let keep = is_kept.get(node.id as usize).copied().unwrap_or_default();
        lost += if keep { 0 } else { node.operations };
        keep
    });
    for node in &mut graph.nodes {
        node.id = number(node.id);
    }
    for edge in &mut edges {
        (edge.from, edge.to) = (number(edge.from), number(edge.to));
    }
    graph.edges = edges;
    graph.leave_out(lost, "operations that are not next to the iteration");
}
