//! A graph as it is written.

use serde::Serialize;

/// What the nodes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
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
    /// What the nodes are.
    pub kind: Kind,
    /// In program order.
    pub nodes: Vec<Node>,
    /// In the order of their ends.
    pub edges: Vec<Edge>,
    /// The loops that were found.
    pub loops: Vec<LoopRow>,
    /// What the trace has and the graph lacks.
    pub left_out: Vec<LeftOut>,
}

/// Operations of one name on one line, or one task or copy. Times are nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Node {
    /// Its position in [`Graph::nodes`].
    pub id: u32,
    /// What the operations are called.
    pub name: String,
    /// `file:line` of the call; `null` where it is not known.
    pub place: Option<String>,
    /// The UID of its only operation, task or copy, as a decimal number; `null` where it stands for several.
    pub uid: Option<String>,
    /// The loop that all of its operations are in, by [`LoopRow::id`].
    #[serde(rename = "loop")]
    pub of_loop: Option<u32>,
    /// The iteration that all of its operations are in, from 0.
    pub iteration: Option<u32>,
    /// Whether it stands outside the iteration that was asked for.
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
    /// Time of their kernels; `null` where the trace has no kernels.
    pub device_ns: Option<f64>,
    /// `device_ns`, or `time_ns` where that is not known, for each operation.
    pub mean_ns: f64,
    /// When the first of it began, from the start of the trace; `null` for folded nodes.
    pub start_ns: Option<i64>,
}

impl Node {
    /// The time that is shown.
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
    /// Of them, those from one iteration of a loop to a later one.
    pub carried: u64,
    /// Of them, reads of what was written.
    pub read_after_write: u64,
    /// Of them, writes of what was read.
    pub write_after_read: u64,
    /// Of them, writes of what was written.
    pub write_after_write: u64,
    /// Of them, those of which the trace tells no more than the order, as in profiles of Legion.
    pub order: u64,
    /// Of them, those whose store is not known.
    pub unknown_store: u64,
    /// The stores that both ends access; those of one type, shape and line are one row.
    pub stores: Vec<StoreUse>,
    /// Bytes of the stores that both ends access, at most. `null` where no store is known.
    pub shared_bytes_at_most: Option<u64>,
    /// Bytes moved by copies of the later node that waited for the earlier one last.
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
    /// How many there are.
    pub count: u64,
    /// Bytes that both ends access, of all of them and in all dependences, at most.
    pub bytes_at_most: u64,
}

/// A loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LoopRow {
    /// Its position in [`Graph::loops`].
    pub id: u32,
    /// Operations of an iteration.
    pub period: u64,
    /// Number of iterations.
    pub iterations: u64,
}

/// Something that the graph lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// How many.
    pub count: u64,
    /// Of what, and why.
    pub what: String,
}

impl Graph {
    /// A graph without nodes.
    pub(super) fn new(kind: Kind) -> Graph {
        Graph {
            version: 1,
            kind,
            nodes: Vec::new(),
            edges: Vec::new(),
            loops: Vec::new(),
            left_out: Vec::new(),
        }
    }

    /// Notes what is left out, if there is any.
    pub(super) fn leave_out(&mut self, count: u64, what: impl Into<String>) {
        if count > 0 {
            let what = what.into();
            self.left_out.push(LeftOut { count, what });
        }
    }
}
