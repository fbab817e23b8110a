//! The graph: nodes and edges as columns.

use super::build::Builder;
use super::{legion, weft};
use weft_model::{ProvenanceIndex, Served, SourceIndex, StepKind, Trace, Window};
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

/// For so many nanoseconds threads of the runtime look for work before they sleep; one that sleeps must be woken.
pub(super) const LINGER: i64 = 100_000;

/// Something that took time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    /// What it is. `Queue` is an event of Legion that waits for others, and takes no time.
    pub kind: StepKind,
    /// On which rank: that of this source.
    pub source: SourceIndex,
    /// The operation that it is of, or the first of several; of the program, the one that it called next.
    pub operation: Option<Uid>,
    /// The task or copy, or the first of several.
    pub work: Option<Served>,
    /// The workers that can do it: a row of [`Graph::pools`]. `None` where it has no choice: edges say what it follows.
    pub pool: Option<u32>,
    /// When it began in the recording, in ns since the first instant.
    pub start: i64,
    /// How long it took, in ns.
    pub duration: i64,
    /// How much later it began than its causes allowed, in ns.
    pub delay: i64,
    /// How long its worker or thread had been idle when it could begin, in ns, at most 100,000: after that it slept.
    pub idle: i64,
    /// The part of the delay that is more than usual, for no known cause.
    pub unexplained: i64,
    /// Bytes of a copy or message; of other work what its kernels read and write, as far as that is known.
    pub bytes: u64,
}

impl Node {
    /// When it ended in the recording.
    pub const fn end(&self) -> i64 {
        self.start + self.duration
    }
}

/// Why a node waits for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum EdgeKind {
    /// It works on what the other made.
    Data = 1,
    /// The other asked for it.
    Submit = 2,
    /// Its thread or stream does the other before.
    Order = 4,
    /// The program waits for the other.
    Wait = 8,
}

/// What a node has to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The other node: the earlier or the later one.
    pub node: NodeIndex,
    /// Why.
    pub kind: EdgeKind,
    /// From the end of the earlier node to when the later one can begin, at most 0: what began before the other ended
    /// needed only a part of it.
    pub lag: i64,
}

/// Lists of rows, each of a node.
#[derive(Clone, Debug)]
pub(super) struct Lists<T> {
    starts: Vec<u32>,
    rows: Vec<T>,
}

impl<T: Copy> Lists<T> {
    /// Of rows with the nodes that they belong to.
    pub(super) fn of(nodes: usize, rows: impl Iterator<Item = (NodeIndex, T)> + Clone) -> Lists<T> {
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
    /// How many workers share each queue.
    pub pools: Vec<u32>,
    /// The recorded length in ns.
    pub measured: i64,
    /// The part of it whose causes are known.
    pub explained: f64,
    /// What nodes of each kind mostly wait if their worker or thread is not idle before, in ns, by [`StepKind`].
    pub busy_delays: [i64; StepKind::ALL.len()],
    /// Edges that were left out because they led backwards in time.
    pub dropped: u64,
    /// The part of the run that it is of; `None` for all of it.
    pub part: Option<Window>,
    pub(super) after: Lists<Edge>,
    pub(super) before: Lists<Edge>,
    pub(super) parts: Lists<(ProvenanceIndex, f32)>,
}

impl Graph {
    /// The graph of a joined trace; without nodes where nothing ran, or [`missing`](weft_critical::missing) says why.
    pub fn of(trace: &Trace) -> Graph {
        Graph::of_part(trace, None)
    }

    /// The graph of what began within a part of the run, whole. What it waited for from before the part stays in its delays.
    pub fn of_part(trace: &Trace, part: Option<Window>) -> Graph {
        let mut builder = Builder::default();
        if weft_critical::missing(trace).is_none() {
            weft::add(trace, &mut builder);
            legion::add(trace, &mut builder);
        }
        if let Some(part) = part {
            builder.keep(part);
        }
        Graph {
            part,
            ..builder.finish(trace)
        }
    }

    /// Whether what began then is of the part of the run that the graph is of.
    pub fn holds(&self, time: Timestamp) -> bool {
        self.part.is_none_or(|part| part.holds(time))
    }

    /// All nodes with their indices.
    pub fn iter(&self) -> impl Iterator<Item = (NodeIndex, &Node)> {
        (0..).map(NodeIndex).zip(&self.nodes)
    }

    /// A node.
    pub fn node(&self, index: NodeIndex) -> Option<&Node> {
        self.nodes.get(index.at())
    }

    /// What waits for a node.
    pub fn after(&self, node: NodeIndex) -> &[Edge] {
        self.after.get(node)
    }

    /// What a node waits for.
    pub fn before(&self, node: NodeIndex) -> &[Edge] {
        self.before.get(node)
    }

    /// The lines that a node works for, each with its share; of the program, the line of its next call.
    pub fn lines(&self, node: NodeIndex) -> &[(ProvenanceIndex, f32)] {
        self.parts.get(node)
    }

    /// The line with the greatest share of a node.
    pub fn line(&self, node: NodeIndex) -> ProvenanceIndex {
        let lines = self.lines(node).iter();
        let most = lines.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        most.map_or(ProvenanceIndex(0), |line| line.0)
    }
}
