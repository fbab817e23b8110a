//! The recorded run as a graph that can be scheduled again, with or without changes.
//!
//! # The graph
//!
//! Its nodes are the work of the run, with recorded times: tasks on CPU workers and OMP groups,
//! work in the streams of a GPU and its issue, copies, messages, the runtime's analysis, and the
//! program (its own time between calls, and its waits). Its edges are the causes of each node:
//! recorded dependences, submissions, values that the program waited for, and the order of work
//! that runs one at a time (on the program's thread, an analysis thread, a thread that issues work,
//! or a stream). The time from a node's last cause to its start is its delay: the hand-over from
//! one thread to another. Delays are kept as recorded up to the 95th percentile of their kind; the
//! rest has no cause in the trace and counts as unexplained.
//!
//! # The rule
//!
//! `schedule` is list scheduling. A node can begin when all its predecessors have ended. Workers
//! that share a queue, as the runtime's CPU workers do, take tasks in the order in which these can
//! begin; the worker that is free first takes the next task. Among tasks that can begin at the same
//! time, the one that began first in the recording comes first. Everything else begins when it can.
//! A task takes the recorded time: caches and shared bandwidth are not modelled.
//! In runs of Legion each processor has its own queue, because Legion's mapper chooses the
//! processor; utility processors share one.
//!
//! # Its error
//!
//! [`Graph::baseline`] schedules the unchanged graph. The difference between its length and the
//! recorded length is the [error](Baseline::error) of every saving: a smaller saving means nothing.
//! A saving is measured against the unchanged replay, not against the recording.

mod build;
mod change;
mod delay;
mod graph;
mod legion;
mod lines;
mod schedule;
mod weft;

pub use change::Change;
pub use graph::{Edge, EdgeKind, Graph, Node, NodeIndex};
pub use lines::{LineTimes, what_if_line};
pub use schedule::Schedule;

use build::Builder;
use change::Plan;
use weft_critical as critical;
use weft_model::{Trace, Window};

impl Graph {
    /// Builds the graph of a joined trace. It has no nodes if nothing ran, or for the reason that
    /// [`missing`](weft_critical::missing) returns.
    pub fn from_trace(trace: &Trace) -> Graph {
        Graph::of_part(trace, None)
    }

    /// Builds the graph of all nodes that began within a part of the run. Waits for work before the
    /// part stay in their delays.
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
}

/// The result of a schedule. Times are nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Time from the first instant to the last end.
    pub makespan: i64,
    /// Total time of all nodes, without delays.
    pub work: i64,
}

/// The unchanged replay compared with the recording. Times are nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Baseline {
    /// The recorded length.
    pub measured: i64,
    /// The length of the unchanged replay.
    pub replayed: i64,
    /// The share of the recorded length whose causes are known, from 0 to 1.
    pub explained: f64,
}

impl Baseline {
    /// Returns the difference between the replay and the recording.
    pub const fn error(&self) -> i64 {
        (self.replayed - self.measured).abs()
    }

    /// Returns the error as a share of the recorded length.
    pub fn share(&self) -> f64 {
        match self.measured {
            0 => 0.0,
            measured => self.error() as f64 / measured as f64,
        }
    }
}

/// Schedules a graph with changes, which apply in their order. Without changes this is the
/// unchanged replay.
pub fn replay(graph: &Graph, changes: &[Change]) -> Outcome {
    let plan = Plan::new(graph, changes);
    let schedule = schedule::schedule(graph, &plan);
    Outcome {
        makespan: schedule.makespan(),
        work: plan.work(graph),
    }
}

/// Returns the times of all nodes in a schedule with changes, to be drawn next to the recorded
/// ones.
pub fn times(graph: &Graph, changes: &[Change]) -> Schedule {
    schedule::schedule(graph, &Plan::new(graph, changes))
}

/// Returns the reason why a trace with work has no graph, or no common one.
pub fn missing(trace: &Trace) -> Option<String> {
    critical::missing(trace).or_else(|| {
        let profile = critical::legion_graph_left_out(trace)?;
        Some(format!(
            "a database does not hold the Legion event graph of {}, so the run cannot be replayed from it; give that profile to `weft advise`",
            profile.display()
        ))
    })
}

impl Graph {
    /// Compares the unchanged replay with the recording.
    pub fn baseline(&self) -> Baseline {
        Baseline {
            measured: self.measured,
            replayed: replay(self, &[]).makespan,
            explained: self.explained,
        }
    }
}
