//! The types of a graph as written to files.

use serde::Serialize;

/// The kind of a graph's nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GraphKind {
    /// Operations.
    Dataflow,
    /// Tasks and copies.
    Events,
}

/// A graph. The ends of its edges are [`Node::id`]s.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Graph {
    /// The version of this format.
    pub version: u32,
    /// The kind of the nodes.
    pub kind: GraphKind,
    /// Nodes in program order.
    pub nodes: Vec<Node>,
    /// Edges in the order of their nodes.
    pub edges: Vec<Edge>,
    /// The loops that were found.
    pub loops: Vec<LoopRow>,
    /// Parts of the trace that the graph lacks.
    pub left_out: Vec<LeftOut>,
}

/// Operations of one name on one line, or one task or copy. Times are nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Node {
    /// Its position in [`Graph::nodes`].
    pub id: u32,
    /// The name of the operations.
    pub name: String,
    /// `file:line` of the call; `null` if unknown.
    pub place: Option<String>,
    /// The UID of its only operation, task or copy, as a decimal number; `null` if there are
    /// several.
    pub uid: Option<String>,
    /// The loop that all of its operations are in, by [`LoopRow::id`].
    #[serde(rename = "loop")]
    pub of_loop: Option<u32>,
    /// The iteration that all of its operations are in, from 0.
    pub iteration: Option<u32>,
    /// Whether it is outside the requested iteration.
    pub outside: bool,
    /// Number of operations.
    pub operations: u64,
    /// Number of tasks.
    pub tasks: u64,
    /// Number of copies and fills.
    pub copies: u64,
    /// Bytes that the copies moved.
    pub copied_bytes: u64,
    /// Time of tasks and copies.
    pub time_ns: i64,
    /// Time of their kernels; `null` if the trace has no kernels.
    pub device_ns: Option<f64>,
    /// `device_ns`, or `time_ns` if that is unknown, for each operation.
    pub mean_ns: f64,
    /// Start of the first one, from the start of the trace; `null` for folded nodes.
    pub start_ns: Option<i64>,
}

impl Node {
    /// Returns the time that pictures show.
    pub fn shown_ns(&self) -> f64 {
        self.device_ns.unwrap_or(self.time_ns as f64)
    }
}

/// The dependences of the tasks of one node on those of another.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Edge {
    /// The earlier node.
    pub from: u32,
    /// The later node.
    pub to: u32,
    /// Number of dependences between tasks.
    pub dependences: u64,
    /// Number of dependences from one iteration of a loop to a later one.
    pub carried: u64,
    /// Number of dependences that are reads after writes.
    pub read_after_write: u64,
    /// Number of dependences that are writes after reads.
    pub write_after_read: u64,
    /// Number of dependences that are writes after writes.
    pub write_after_write: u64,
    /// Number of dependences of which the trace contains only the order, as in profiles of Legion.
    pub order: u64,
    /// Number of dependences whose store is unknown.
    pub unknown_store: u64,
    /// The stores that both ends access; stores of one type, shape and line are one row.
    pub stores: Vec<StoreUse>,
    /// Upper bound of the bytes of the stores that both ends access; `null` if no store is known.
    pub shared_bytes_at_most: Option<u64>,
    /// Bytes moved by copies of the later node for which the earlier one was the last that they
    /// waited for.
    pub moved_bytes: u64,
}

/// Stores of one type, shape and line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StoreUse {
    /// The UID of the first of them, as a decimal number.
    pub uid: String,
    /// The type of their elements.
    pub dtype: String,
    /// Their shape.
    pub shape: Vec<u64>,
    /// `file:line` of the call that made them.
    pub place: Option<String>,
    /// Number of stores.
    pub count: u64,
    /// Upper bound of the bytes that both ends access, over all of these stores and dependences.
    pub bytes_at_most: u64,
}

/// A loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LoopRow {
    /// Its position in [`Graph::loops`].
    pub id: u32,
    /// Number of operations of an iteration.
    pub period: u64,
    /// Number of iterations.
    pub iterations: u64,
}

/// A part of the trace that the graph lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Number of items.
    pub count: u64,
    /// The kind of items, and the reason.
    pub what: String,
}

impl Graph {
    /// Creates a graph without nodes.
    pub(super) fn new(kind: GraphKind) -> Graph {
        Graph {
            version: 1,
            kind,
            nodes: Vec::new(),
            edges: Vec::new(),
            loops: Vec::new(),
            left_out: Vec::new(),
        }
    }

    /// Notes items that are left out, if there are any.
    pub(super) fn leave_out(&mut self, count: u64, what: impl Into<String>) {
        if count > 0 {
            let what = what.into();
            self.left_out.push(LeftOut { count, what });
        }
    }
}
