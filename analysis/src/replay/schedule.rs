//! List scheduling.

use super::change::Plan;
use super::graph::{EdgeKind, Graph, NodeIndex};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The start and end of each node, in ns since the first instant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// Starts, by node.
    pub starts: Vec<i64>,
    /// Ends, by node.
    pub ends: Vec<i64>,
    /// The last cause of each node: the node whose end let it begin.
    pub causes: Vec<Option<NodeIndex>>,
}

impl Schedule {
    /// Returns the last end.
    pub fn makespan(&self) -> i64 {
        self.ends.iter().copied().max().unwrap_or(0)
    }

    /// Iterates over the nodes that determine the length, the last first: each was released by the
    /// next.
    pub fn path(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        let ends = (0..).map(NodeIndex).zip(&self.ends);
        let last = ends.max_by_key(|(at, end)| (**end, at.0)).map(|(at, _)| at);
        let next = |at: &NodeIndex| self.causes.get(at.at()).copied().flatten();
        std::iter::successors(last, next)
    }
}

/// The state of a node that waits to be scheduled.
#[derive(Clone, Copy, Default)]
struct Pending {
    left: u32,
    ready: i64,
    /// End of the previous work in the same place.
    ordered: i64,
    /// End of its submission and of its inputs.
    asked: i64,
    cause: Option<NodeIndex>,
}

/// Schedules a graph with the times of a plan, in n log n time.
pub(super) fn schedule(graph: &Graph, plan: &Plan) -> Schedule {
    let count = graph.nodes.len();
    let mut run = Run {
        graph,
        plan,
        pending: vec![Pending::default(); count],
        queue: BinaryHeap::new(),
        free: (graph.pools.iter())
            .map(|workers| vec![(0, None); *workers as usize])
            .collect(),
        stack: Vec::new(),
        schedule: Schedule {
            starts: vec![0; count],
            ends: vec![0; count],
            causes: vec![None; count],
        },
    };
    run.go();
    run.schedule
}

struct Run<'a> {
    graph: &'a Graph,
    plan: &'a Plan,
    pending: Vec<Pending>,
    /// Tasks of pools that can begin: the time, and the order among equal times.
    queue: BinaryHeap<Reverse<(i64, u32)>>,
    /// The time at which each worker is free, and its previous node.
    free: Vec<Vec<(i64, Option<NodeIndex>)>>,
    /// Nodes whose predecessors have all been scheduled.
    stack: Vec<NodeIndex>,
    schedule: Schedule,
}

impl Run<'_> {
    fn go(&mut self) {
        for (pending, node) in self.pending.iter_mut().zip((0..).map(NodeIndex)) {
            pending.left = self.graph.before(node).len() as u32;
        }
        let free = (0..).map(NodeIndex).zip(&self.pending);
        let free = free.filter(|(_, pending)| pending.left == 0);
        self.stack = free.map(|(node, _)| node).collect();
        loop {
            while let Some(node) = self.stack.pop() {
                self.ready(node);
            }
            // Nodes that follow become ready no earlier than this one, so it is next.
            let Some(Reverse((_, node))) = self.queue.pop() else {
                break;
            };
            self.take(NodeIndex(node));
        }
    }

    /// Schedules a node whose predecessors have been scheduled, so that their ends are known.
    fn ready(&mut self, node: NodeIndex) {
        let Some(row) = self.graph.node(node) else {
            return;
        };
        let Pending {
            ready,
            ordered,
            asked,
            ..
        } = self.pending[node.at()];
        match row.pool {
            Some(_) if !self.plan.is_nothing(node) => {
                self.queue.push(Reverse((ready, node.0)));
            }
            _ => {
                let delay = self.plan.delay_after(self.graph, node, asked - ordered);
                let start = ready + delay;
                let cause = self.pending[node.at()].cause;
                self.place(node, start, start + self.plan.duration(node), cause);
            }
        }
    }

    /// Assigns a task to the worker that is free first, or its parts to several workers.
    fn take(&mut self, node: NodeIndex) {
        let Some(pool) = self.graph.node(node).and_then(|row| row.pool) else {
            return;
        };
        let Pending { ready, cause, .. } = self.pending[node.at()];
        let (duration, parts) = (self.plan.duration(node), self.plan.parts(node));
        let (mut first, mut last, mut why) = (i64::MAX, i64::MIN, cause);
        for part in 0..parts {
            // The parts add up to the whole.
            let own = duration * (part + 1) / parts - duration * part / parts;
            let workers = self.free.get_mut(pool as usize);
            let Some(worker) = workers.into_iter().flatten().min_by_key(|worker| worker.0) else {
                break;
            };
            let delay = self.plan.delay_after(self.graph, node, ready - worker.0);
            let start = ready.max(worker.0) + delay;
            if start + own > last {
                why = match worker.0 > ready {
                    true => worker.1,
                    false => cause,
                };
            }
            first = first.min(start);
            last = last.max(start + own);
            *worker = (start + own, Some(node));
        }
        self.place(node, first, last, why);
    }

    /// Sets the times of a node, and releases its successors.
    fn place(&mut self, node: NodeIndex, start: i64, end: i64, cause: Option<NodeIndex>) {
        let (graph, plan) = (self.graph, self.plan);
        self.schedule.starts[node.at()] = start;
        self.schedule.ends[node.at()] = end;
        self.schedule.causes[node.at()] = cause;
        let ordered = self.pending[node.at()].ordered;
        let is_aside = plan.is_aside(node);
        for edge in graph.after(node) {
            let at = match is_aside && edge.kind == EdgeKind::Order {
                true => ordered,
                false => (end + plan.lag(graph, node, edge)).max(start),
            };
            let pending = &mut self.pending[edge.node.at()];
            pending.left -= 1;
            let is_ignored = plan.ignores(edge.node, edge.kind);
            match edge.kind {
                EdgeKind::Order => pending.ordered = pending.ordered.max(at),
                _ if is_ignored => {}
                _ => pending.asked = pending.asked.max(at),
            }
            if !is_ignored && (at > pending.ready || pending.cause.is_none()) {
                pending.ready = pending.ready.max(at);
                pending.cause = Some(node);
            }
            if pending.left == 0 {
                self.stack.push(edge.node);
            }
        }
    }
}
