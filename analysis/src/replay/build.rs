//! Construction of a graph from nodes and edges with recorded times.

use super::delay;
use super::graph::{Edge, EdgeKind, Graph, LINGER, Lists, Node, NodeIndex};
use weft_model::{ProvenanceIndex, Served, SourceIndex, StepKind, Trace, Window};
use weft_trace::id::Uid;
use weft_trace::time::Timestamp;

/// A node as recorded, in the trace's times.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordedNode {
    pub(super) kind: StepKind,
    pub(super) source: SourceIndex,
    pub(super) operation: Option<Uid>,
    pub(super) work: Option<Served>,
    /// The pool, and the index of its worker that ran the node.
    pub(super) worker: Option<(u32, u32)>,
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) bytes: u64,
}

impl RecordedNode {
    pub(super) fn new(kind: StepKind, source: SourceIndex, start: i64, end: i64) -> RecordedNode {
        RecordedNode {
            kind,
            source,
            operation: None,
            work: None,
            worker: None,
            start,
            end: end.max(start),
            bytes: 0,
        }
    }
}

/// A graph while it is built.
#[derive(Default)]
pub(super) struct Builder {
    nodes: Vec<RecordedNode>,
    edges: Vec<(u32, u32, EdgeKind)>,
    parts: Vec<(u32, ProvenanceIndex, f32)>,
    pools: Vec<u32>,
}

impl Builder {
    /// Adds a pool of `workers` workers.
    pub(super) fn pool(&mut self, workers: u32) -> u32 {
        self.pools.push(workers.max(1));
        self.pools.len() as u32 - 1
    }

    /// Adds a node.
    pub(super) fn node(&mut self, node: RecordedNode) -> u32 {
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// Assigns a share of a node to a line.
    pub(super) fn part(&mut self, node: u32, line: ProvenanceIndex, share: f64) {
        self.parts.push((node, line, share as f32));
    }

    /// Makes `later` wait for `earlier`.
    pub(super) fn edge(&mut self, earlier: u32, later: u32, kind: EdgeKind) {
        if earlier != later {
            self.edges.push((earlier, later, kind));
        }
    }

    pub(super) fn get(&self, node: u32) -> Option<&RecordedNode> {
        self.nodes.get(node as usize)
    }

    /// Keeps the nodes that began within a part of the run, with the edges between them.
    pub(super) fn keep(&mut self, part: Window) {
        let mut next = 0_u32;
        let rows = self.nodes.iter().map(|made| {
            let is_kept = part.holds(Timestamp::from_nanos_since_boot(made.start));
            is_kept.then(|| {
                next += 1;
                next - 1
            })
        });
        let places: Vec<Option<u32>> = rows.collect();
        let place = |old: u32| places.get(old as usize).copied().flatten();
        let mut kept = places.iter().map(Option::is_some);
        self.nodes.retain(|_| kept.next().unwrap_or(false));
        self.edges.retain_mut(|edge| {
            let ends = place(edge.0).zip(place(edge.1));
            (edge.0, edge.1) = ends.unwrap_or_default();
            ends.is_some()
        });
        self.parts.retain_mut(|row| {
            let node = place(row.0);
            row.0 = node.unwrap_or_default();
            node.is_some()
        });
    }

    /// Builds the graph: nodes in the order of their starts, delays by their causes.
    pub(super) fn finish(mut self, trace: &Trace) -> Graph {
        let first = self.nodes.iter().map(|made| made.start).min().unwrap_or(0);
        let last = self.nodes.iter().map(|made| made.end).max().unwrap_or(0);
        let mut order: Vec<u32> = (0..self.nodes.len() as u32).collect();
        order.sort_by_key(|at| self.nodes.get(*at as usize).map(|made| made.start));
        let mut place = vec![0_u32; order.len()];
        for (new, old) in (0..).zip(&order) {
            if let Some(place) = place.get_mut(*old as usize) {
                *place = new;
            }
        }
        let new = |old: u32| NodeIndex(place.get(old as usize).copied().unwrap_or(0));
        let made = |old: u32| self.nodes.get(old as usize);
        let nodes: Vec<Node> = (order.iter().filter_map(|old| made(*old)))
            .map(|made| Node {
                kind: made.kind,
                source: made.source,
                operation: made.operation,
                work: made.work,
                pool: made.worker.map(|worker| worker.0),
                start: made.start - first,
                duration: made.end - made.start,
                delay: 0,
                unexplained: 0,
                idle: 0,
                bytes: made.bytes,
            })
            .collect();
        let rows = self.parts.iter();
        let parts = Lists::from_rows(
            nodes.len(),
            rows.map(|(node, line, share)| (new(*node), (*line, *share))),
        );
        self.edges.sort_unstable();
        self.edges.dedup_by_key(|edge| (edge.0, edge.1));
        let edges: Vec<(NodeIndex, NodeIndex, EdgeKind)> = (self.edges.iter())
            .map(|(earlier, later, kind)| (new(*earlier), new(*later), *kind))
            .collect();
        let lag = |earlier: NodeIndex, later: NodeIndex| {
            let (Some(earlier), Some(later)) = (nodes.get(earlier.at()), nodes.get(later.at()))
            else {
                return 0;
            };
            let overlap = (later.start - earlier.end()).min(0);
            overlap.max(-earlier.duration.max(0))
        };
        let kept = without_circles(nodes.len(), &edges);
        let dropped = (edges.len() - kept.len()) as u64;
        let edge = |node, kind, lag| Edge { node, kind, lag };
        let rows = kept.iter();
        let after = Lists::from_rows(
            nodes.len(),
            (rows.clone()).map(|(a, b, kind)| (*a, edge(*b, *kind, lag(*a, *b)))),
        );
        let before = Lists::from_rows(
            nodes.len(),
            rows.map(|(a, b, kind)| (*b, edge(*a, *kind, lag(*a, *b)))),
        );
        let held = self.previous_on_worker(&order);
        let mut graph = Graph {
            nodes,
            pools: std::mem::take(&mut self.pools),
            measured: last - first,
            explained: 1.0,
            busy_delays: Default::default(),
            dropped,
            part: None,
            after,
            before,
            parts,
        };
        delays(&mut graph, &held);
        graph.explained = explained(&graph, &held);
        add_bytes(trace, &mut graph);
        graph
    }

    /// Returns, for each node, the previous node on its worker.
    fn previous_on_worker(&self, order: &[u32]) -> Vec<Option<NodeIndex>> {
        let mut held = vec![None; order.len()];
        let mut last = rustc_hash::FxHashMap::default();
        for (at, old) in (0..).map(NodeIndex).zip(order) {
            let worker = self.nodes.get(*old as usize).and_then(|made| made.worker);
            if let Some(worker) = worker
                && let Some(held) = held.get_mut(at.at())
            {
                *held = last.insert(worker, at);
            }
        }
        held
    }
}

/// Removes the edges that close a circle, which contradictory records can produce. Within a circle,
/// the node that began first goes first.
fn without_circles(
    nodes: usize,
    edges: &[(NodeIndex, NodeIndex, EdgeKind)],
) -> Vec<(NodeIndex, NodeIndex, EdgeKind)> {
    let later = Lists::from_rows(nodes, edges.iter().map(|edge| (edge.0, edge.1)));
    let mut pending = vec![0_u32; nodes];
    for (_, to, _) in edges {
        if let Some(count) = pending.get_mut(to.at()) {
            *count += 1;
        }
    }
    let mut number = vec![u32::MAX; nodes];
    let mut next = 0;
    let mut first = 0;
    let mut ready: Vec<NodeIndex> = Vec::new();
    loop {
        while first < nodes && (number[first] != u32::MAX) {
            first += 1;
        }
        // Nodes without causes first, in order; the remaining nodes are in circles.
        if next == 0 {
            let free = pending.iter().enumerate().rev();
            ready.extend(
                free.filter(|(_, count)| **count == 0)
                    .map(|(at, _)| NodeIndex(at as u32)),
            );
        }
        if ready.is_empty() {
            if first == nodes {
                break;
            }
            ready.push(NodeIndex(first as u32));
        }
        while let Some(node) = ready.pop() {
            if number[node.at()] != u32::MAX {
                continue;
            }
            number[node.at()] = next;
            next += 1;
            for to in later.get(node) {
                let count = &mut pending[to.at()];
                *count = count.saturating_sub(1);
                if *count == 0 && number[to.at()] == u32::MAX {
                    ready.push(*to);
                }
            }
        }
    }
    let forward = |edge: &&(NodeIndex, NodeIndex, EdgeKind)| {
        number.get(edge.0.at()) < number.get(edge.1.at())
    };
    edges.iter().filter(forward).copied().collect()
}

/// Returns the time at which the recorded causes of a node let it begin, regardless of its worker,
/// and the last of these causes.
fn caused(graph: &Graph, at: NodeIndex) -> Option<(i64, NodeIndex)> {
    let node = graph.node(at)?;
    let causes = graph.before(at).iter().filter_map(|edge| {
        let end = graph.node(edge.node)?.end() + edge.lag;
        Some((end.min(node.start), edge.node))
    });
    causes.max_by_key(|cause| cause.0)
}

/// Returns the end of a node's submission, and the end of the previous work on its thread, if any.
fn submission_ends(graph: &Graph, at: NodeIndex) -> (Option<i64>, Option<i64>) {
    let end = |edge: &Edge| Some(graph.node(edge.node)?.end() + edge.lag);
    let (ordered, asked): (Vec<&Edge>, Vec<&Edge>) =
        (graph.before(at).iter()).partition(|edge| edge.kind == EdgeKind::Order);
    let last = |edges: Vec<&Edge>| edges.into_iter().filter_map(end).max();
    (last(asked), last(ordered))
}

/// Returns the time at which the worker of a node had ended its previous work.
fn freed(graph: &Graph, at: NodeIndex, held: &[Option<NodeIndex>]) -> Option<(i64, NodeIndex)> {
    let other = held.get(at.at()).copied().flatten()?;
    let end = graph.node(other)?.end();
    Some((end.min(graph.node(at)?.start), other))
}

fn delays(graph: &mut Graph, held: &[Option<NodeIndex>]) {
    let indices = (0..graph.nodes.len() as u32).map(NodeIndex);
    let causes = indices.map(|at| {
        let freed = freed(graph, at, held).map(|cause| cause.0);
        (caused(graph, at).map(|cause| cause.0), freed)
    });
    let causes: Vec<(Option<i64>, Option<i64>)> = causes.collect();
    let indices = (0..graph.nodes.len() as u32).map(NodeIndex);
    let asked: Vec<_> = indices.map(|at| submission_ends(graph, at)).collect();
    let rows = causes.iter().zip(asked);
    for (node, ((ready, freed), (asked, ordered))) in graph.nodes.iter_mut().zip(rows) {
        // A thread that continues with its own next work need not be woken.
        let idle = match (node.pool, asked, ordered) {
            (Some(_), ..) => ready.unwrap_or(0) - freed.unwrap_or(0),
            (None, Some(asked), Some(ordered)) => asked - ordered,
            _ => 0,
        };
        node.idle = idle.clamp(0, LINGER);
        let ready = ready.unwrap_or(0);
        let freed = freed.unwrap_or(0);
        node.delay = match node.pool {
            Some(_) => node.start - ready.max(freed),
            None => node.start - ready,
        };
    }
    graph.busy_delays = delay::busy(&graph.nodes);
    delay::unexplained(&mut graph.nodes, |at| {
        causes.get(at).is_some_and(|causes| causes.0.is_some())
    });
}

/// Returns the share of the recorded length that is explained, walking back from the last end by
/// the last causes.
fn explained(graph: &Graph, held: &[Option<NodeIndex>]) -> f64 {
    let last = graph.iter().max_by_key(|(_, node)| node.end());
    let mut at = last.map(|(at, _)| at);
    let mut unexplained = 0;
    let mut steps = 0;
    while let Some(node) = at.filter(|_| steps <= graph.nodes.len()) {
        steps += 1;
        unexplained += graph.node(node).map_or(0, |node| node.unexplained);
        let causes = caused(graph, node)
            .into_iter()
            .chain(freed(graph, node, held));
        at = causes.max_by_key(|cause| cause.0).map(|cause| cause.1);
    }
    match graph.measured {
        0 => 1.0,
        measured => (1.0 - unexplained as f64 / measured as f64).clamp(0.0, 1.0),
    }
}

/// Adds the bytes that the kernels of tasks read and write.
fn add_bytes(trace: &Trace, graph: &mut Graph) {
    let mut of_launch = rustc_hash::FxHashMap::default();
    for (kernel, outcome) in trace.devices.kernels.iter().zip(&trace.links.outcomes) {
        if let (weft_model::Outcome::Linked { launch, .. }, Some(bytes)) =
            (outcome, kernel.traffic.total())
        {
            *of_launch.entry(*launch).or_insert(0_u64) += bytes;
        }
    }
    let index = weft_model::Index::new(trace);
    for node in &mut graph.nodes {
        let Some(Served::Task(row)) = node.work.filter(|_| node.bytes == 0) else {
            continue;
        };
        let Some(task) = trace.work.tasks.get(row as usize) else {
            continue;
        };
        // A launch that serves several tasks has the UID of one of them.
        if let Some(launch) = index.launch(task.source, task.uid) {
            node.bytes = of_launch.get(&launch).copied().unwrap_or(0);
        }
    }
}
