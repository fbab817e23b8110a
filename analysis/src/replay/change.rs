//! Hypothetical changes of a graph.

use super::graph::{Edge, EdgeKind, Graph, NodeIndex};
use rustc_hash::FxHashMap;
use weft_model::{ProvenanceIndex, StepKind};

/// A change of recorded work. Changes of the same node combine: factors multiply, and removed work
/// stays removed.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Scales all work of a line: its tasks and copies, and the program's own time before its
    /// calls. Work shared between several lines is scaled by its share.
    ScaleLine {
        /// The line.
        line: ProvenanceIndex,
        /// The factor, from 0.
        factor: f64,
    },
    /// Scales these nodes.
    Scale {
        /// The nodes.
        nodes: Vec<NodeIndex>,
        /// The factor, from 0.
        factor: f64,
    },
    /// Sets the times of nodes.
    Take {
        /// The nodes, each with its time in nanoseconds.
        nodes: Vec<(NodeIndex, i64)>,
    },
    /// Removes these waits of the program.
    DropWaits {
        /// Waits of the program.
        nodes: Vec<NodeIndex>,
    },
    /// Removes these nodes: they take no time and no worker. Their successors wait for their
    /// predecessors.
    Remove {
        /// The nodes.
        nodes: Vec<NodeIndex>,
    },
    /// Starts these copies as soon as their data is available, independently of their thread or
    /// stream.
    Early {
        /// Copies.
        nodes: Vec<NodeIndex>,
    },
    /// Divides each of these tasks into equal parts that workers run at the same time.
    Split {
        /// Tasks of workers.
        nodes: Vec<NodeIndex>,
        /// Number of parts, at least 1.
        parts: u32,
    },
    /// Limits the delays of these nodes.
    Prompt {
        /// The nodes.
        nodes: Vec<NodeIndex>,
        /// Maximum delay in nanoseconds, from 0.
        delay: i64,
    },
    /// Removes the time of analysis, issue and hand-over.
    NoOverhead,
}

/// The times and ties of all nodes after changes.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    durations: Vec<i64>,
    delays: Vec<i64>,
    /// Bits of the edge kinds that a node does not wait for. The highest bit: its successors in the
    /// same place do not wait for it.
    ignored: Vec<u8>,
    parts: FxHashMap<u32, i64>,
    is_changed: bool,
}

const ASIDE: u8 = 128;
const GONE: u8 = 64;

impl Plan {
    pub(super) fn new(graph: &Graph, changes: &[Change]) -> Plan {
        let mut plan = Plan {
            durations: graph.nodes.iter().map(|node| node.duration).collect(),
            delays: graph.nodes.iter().map(|node| node.delay).collect(),
            ignored: vec![0; graph.nodes.len()],
            parts: FxHashMap::default(),
            is_changed: !changes.is_empty(),
        };
        for change in changes {
            plan.apply(graph, change);
        }
        plan
    }

    fn apply(&mut self, graph: &Graph, change: &Change) {
        match change {
            Change::ScaleLine { line, factor } => {
                for (at, _) in graph.iter() {
                    let own = graph.lines(at).iter();
                    let share: f32 = own.filter(|part| part.0 == *line).map(|part| part.1).sum();
                    if share > 0.0 {
                        let share = f64::from(share).min(1.0);
                        self.scale(at, 1.0 - share + share * factor.max(0.0));
                    }
                }
            }
            Change::Scale { nodes, factor } => {
                for node in nodes {
                    self.scale(*node, factor.max(0.0));
                }
            }
            Change::Take { nodes } => {
                for (node, duration) in nodes {
                    if let Some(own) = self.durations.get_mut(node.at()) {
                        *own = (*duration).max(0);
                    }
                }
            }
            Change::DropWaits { nodes } => {
                for node in nodes {
                    self.ignore(*node, EdgeKind::Wait as u8);
                    self.prompt(*node, 0);
                }
            }
            Change::Remove { nodes } => {
                for node in nodes {
                    self.ignore(*node, GONE);
                    self.scale(*node, 0.0);
                    // The start of a node without causes is not a delay.
                    if !graph.before(*node).is_empty() {
                        self.prompt(*node, 0);
                    }
                }
            }
            Change::Early { nodes } => {
                for node in nodes {
                    let has_data =
                        (graph.before(*node).iter()).any(|edge| edge.kind == EdgeKind::Data);
                    let asked = if has_data { EdgeKind::Submit as u8 } else { 0 };
                    self.ignore(*node, asked | EdgeKind::Order as u8 | ASIDE);
                }
            }
            Change::Split { nodes, parts } => {
                for node in nodes {
                    self.parts.insert(node.0, i64::from((*parts).max(1)));
                }
            }
            Change::Prompt { nodes, delay } => {
                for node in nodes {
                    self.prompt(*node, *delay);
                }
            }
            Change::NoOverhead => {
                for (at, node) in graph.iter() {
                    if matches!(node.kind, StepKind::Analysis | StepKind::Issue) {
                        self.scale(at, 0.0);
                    }
                    if !graph.before(at).is_empty() {
                        self.prompt(at, 0);
                    }
                }
            }
        }
    }

    fn scale(&mut self, node: NodeIndex, factor: f64) {
        if let Some(own) = self.durations.get_mut(node.at()) {
            *own = (*own as f64 * factor).round() as i64;
        }
    }

    fn prompt(&mut self, node: NodeIndex, most: i64) {
        if let Some(own) = self.delays.get_mut(node.at()) {
            *own = (*own).min(most.max(0));
        }
    }

    fn ignore(&mut self, node: NodeIndex, bits: u8) {
        if let Some(own) = self.ignored.get_mut(node.at()) {
            *own |= bits;
        }
    }

    pub(super) fn duration(&self, node: NodeIndex) -> i64 {
        self.durations.get(node.at()).copied().unwrap_or(0)
    }

    pub(super) fn delay(&self, node: NodeIndex) -> i64 {
        self.delays.get(node.at()).copied().unwrap_or(0)
    }

    /// Returns the delay of a node whose worker or thread has been idle for `idle`. It is as
    /// recorded, unless the idle time is less than half the recorded one, so that the thread need
    /// not be woken.
    pub(super) fn delay_after(&self, graph: &Graph, node: NodeIndex, idle: i64) -> i64 {
        let own = self.delay(node);
        match graph.node(node) {
            Some(row) if idle * 2 < row.idle => own.min(graph.busy_delays[row.kind as usize]),
            _ => own,
        }
    }

    pub(super) fn parts(&self, node: NodeIndex) -> i64 {
        self.parts.get(&node.0).copied().unwrap_or(1)
    }

    fn bits(&self, node: NodeIndex) -> u8 {
        self.ignored.get(node.at()).copied().unwrap_or(0)
    }

    pub(super) fn ignores(&self, node: NodeIndex, kind: EdgeKind) -> bool {
        self.bits(node) & kind as u8 != 0
    }

    pub(super) fn is_aside(&self, node: NodeIndex) -> bool {
        self.bits(node) & ASIDE != 0
    }

    pub(super) fn is_nothing(&self, node: NodeIndex) -> bool {
        self.bits(node) & GONE != 0
    }

    /// Returns the time from the end of a node to the earliest start of a successor. If the node's
    /// time changes, it scales accordingly.
    pub(super) fn lag(&self, graph: &Graph, node: NodeIndex, edge: &Edge) -> i64 {
        if edge.lag == 0 || !self.is_changed {
            return edge.lag;
        }
        let recorded = graph.node(node).map_or(0, |node| node.duration);
        match recorded {
            0 => 0,
            recorded => (edge.lag as f64 * self.duration(node) as f64 / recorded as f64) as i64,
        }
    }

    /// Returns the total time of all nodes.
    pub(super) fn work(&self, graph: &Graph) -> i64 {
        let own = (0..graph.nodes.len() as u32).map(NodeIndex);
        own.map(|node| self.duration(node)).sum()
    }
}
