//! The graph: nodes and edges as columns.

use weft_model::{ProvenanceIndex, Served, SourceIndex, StepKind, Window};
use weft_trace::id::Uid;
use weft_trace::time::Timestamp;

/// A node of a [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeIndex(pub u32);

impl NodeIndex {
    pub(crate) const fn at(self) -> usize {
        self.0 as usize
    }
}

/// Time in ns for which threads of the runtime poll for work before they sleep. A sleeping thread
/// must be woken.
pub(super) const LINGER: i64 = 100_000;

/// A step of the run that took time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    /// The kind of step. `Queue` is an event of Legion that waits for others, and takes no time.
    pub kind: StepKind,
    /// The source of its rank.
    pub source: SourceIndex,
    /// Its operation, or the first of several; for steps of the program, the operation that it
    /// called next.
    pub operation: Option<Uid>,
    /// Its task or copy, or the first of several.
    pub work: Option<Served>,
    /// The workers that can run it, as a row of [`Graph::pools`]. `None` if it has a fixed place:
    /// edges determine its predecessors.
    pub pool: Option<u32>,
    /// Recorded start, in ns since the first instant.
    pub start: i64,
    /// Recorded duration, in ns.
    pub duration: i64,
    /// Time from the last of its causes to its start, in ns.
    pub delay: i64,
    /// Time for which its worker or thread had been idle when it could begin, in ns; at most
    /// 100,000, after which a thread sleeps.
    pub idle: i64,
    /// The part of the delay that exceeds the usual and has no known cause.
    pub unexplained: i64,
    /// Bytes of a copy or message; for other work the bytes that its kernels read and write, if
    /// known.
    pub bytes: u64,
}

impl Node {
    /// Returns the recorded end.
    pub const fn end(&self) -> i64 {
        self.start + self.duration
    }
}

/// The reason why a node waits for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum EdgeKind {
    /// It works on the other's results.
    Data = 1,
    /// The other submitted it.
    Submit = 2,
    /// Its thread or stream runs the other first.
    Order = 4,
    /// The program waits for the other.
    Wait = 8,
}

/// An edge between two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The other node: the earlier or the later one.
    pub node: NodeIndex,
    /// The reason.
    pub kind: EdgeKind,
    /// Time from the end of the earlier node to the earliest start of the later one, at most 0: a
    /// node that began before the other ended needed only a part of it.
    pub lag: i64,
}

/// Lists of rows, one list for each node.
#[derive(Clone, Debug)]
pub(super) struct Lists<T> {
    starts: Vec<u32>,
    rows: Vec<T>,
}

impl<T: Copy> Lists<T> {
    /// Builds the lists from rows with the nodes to which they belong.
    pub(super) fn from_rows(
        nodes: usize,
        rows: impl Iterator<Item = (NodeIndex, T)> + Clone,
    ) -> Lists<T> {
        let mut starts = vec![0_u32; nodes + 1];
        let mut first = None;
        for (node, row) in rows.clone() {
            first = first.or(Some(row));
            if let Some(count) = starts.get_mut(node.at() + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let Some(first) = first else {
            return Lists {
                starts,
                rows: Vec::new(),
            };
        };
        let mut sorted = vec![first; sum as usize];
        let mut next = starts.clone();
        for (node, row) in rows {
            if let Some(at) = next.get_mut(node.at())
                && let Some(place) = sorted.get_mut(*at as usize)
            {
                *place = row;
                *at += 1;
            }
        }
        Lists {
            starts,
            rows: sorted,
        }
    }

    pub(super) fn get(&self, node: NodeIndex) -> &[T] {
        let bound = |at: usize| self.starts.get(at).map_or(0, |at| *at as usize);
        self.rows
            .get(bound(node.at())..bound(node.at() + 1))
            .unwrap_or_default()
    }
}

/// A recorded run to be scheduled again.
#[derive(Clone, Debug)]
pub struct Graph {
    /// Nodes in the order in which they began.
    pub nodes: Vec<Node>,
    /// Number of workers that share each queue.
    pub pools: Vec<u32>,
    /// The recorded length in ns.
    pub measured: i64,
    /// The share of the recorded length whose causes are known, from 0 to 1.
    pub explained: f64,
    /// Median delay of each kind of node whose worker or thread was not idle before, in ns, by
    /// [`StepKind`].
    pub busy_delays: [i64; StepKind::ALL.len()],
    /// Number of edges left out because they led backwards in time.
    pub dropped: u64,
    /// The part of the run that the graph covers; `None` for all of it.
    pub part: Option<Window>,
    pub(super) after: Lists<Edge>,
    pub(super) before: Lists<Edge>,
    pub(super) parts: Lists<(ProvenanceIndex, f32)>,
}

impl Graph {
    /// Whether a node that began at this time is in the graph's part of the run.
    pub fn holds(&self, time: Timestamp) -> bool {
        self.part.is_none_or(|part| part.holds(time))
    }

    /// All nodes with their indices.
    pub fn iter(&self) -> impl Iterator<Item = (NodeIndex, &Node)> {
        (0..).map(NodeIndex).zip(&self.nodes)
    }

    /// Returns a node.
    pub fn node(&self, index: NodeIndex) -> Option<&Node> {
        self.nodes.get(index.at())
    }

    /// Returns the edges to the successors of a node.
    pub fn after(&self, node: NodeIndex) -> &[Edge] {
        self.after.get(node)
    }

    /// Returns the edges from the predecessors of a node.
    pub fn before(&self, node: NodeIndex) -> &[Edge] {
        self.before.get(node)
    }

    /// Returns the lines that a node works for, each with its share; for the program, the line of
    /// its next call.
    pub fn lines(&self, node: NodeIndex) -> &[(ProvenanceIndex, f32)] {
        self.parts.get(node)
    }

    /// Returns the line with the greatest share of a node.
    pub fn line(&self, node: NodeIndex) -> ProvenanceIndex {
        let lines = self.lines(node).iter();
        let most = lines.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        most.map_or(ProvenanceIndex(0), |line| line.0)
    }
}
