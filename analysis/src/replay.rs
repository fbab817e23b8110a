//! The recorded run as a graph that can be scheduled again, also with changes.
//!
//! # The graph
//!
//! Its nodes are what took time, with the times that were recorded: tasks on CPU workers and OMP groups, work in the streams of a GPU and its
//! issue, copies, messages, the runtime's analysis, and the program: its own time between calls, and its waits. Its edges are what each of them
//! waited for: recorded dependences, submissions, values that the program waited for, and the order of what does one thing at a time
//! (the program's thread, an analysis thread, the thread that issues work, a stream).
//! What a node waited beyond its causes is its delay: the hand-over from one thread to another. Delays are kept as recorded up to the
//! 95th percentile of their kind; the rest has no cause in the trace and counts as unexplained.
//!
//! # The rule
//!
//! `schedule` is list scheduling. A node can begin when all that it waits for has ended. On workers that share a queue, which is what
//! the runtime's CPU workers do, tasks are taken in the order in which they could begin, by the worker that is free first; of tasks that
//! could begin at the same time, the one that began first in the recording is first. Everything else begins when it can. A task's time is the
//! recorded one: caches and shared bandwidth are not modelled.
//! In runs of Legion each processor has a queue of its own, because Legion's mapper chooses the processor; utility processors share one.
//!
//! # Its error
//!
//! [`Graph::baseline`] schedules the unchanged graph. What its length differs by from the recorded one is the [error](Baseline::error) that each
//! saving carries: a saving below it means nothing. A change is a saving against the unchanged replay and not against the recording.

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

use change::Plan;
use weft_critical as critical;
use weft_model::Trace;

/// What a schedule came to. Times are nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// From the first instant to the last end.
    pub makespan: i64,
    /// The times of all nodes together, without delays.
    pub work: i64,
}

/// The unchanged replay beside the recording. Times are nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Baseline {
    /// The recorded length.
    pub measured: i64,
    /// The length of the unchanged replay.
    pub replayed: i64,
    /// The part of the recorded length whose causes are known, from 0 to 1.
    pub explained: f64,
}

impl Baseline {
    /// What the replay is off by.
    pub const fn error(&self) -> i64 {
        (self.replayed - self.measured).abs()
    }

    /// The same as a part of the recorded length.
    pub fn share(&self) -> f64 {
        match self.measured {
            0 => 0.0,
            measured => self.error() as f64 / measured as f64,
        }
    }
}

/// Schedules a graph with changes, which apply in their order. Without any it is the unchanged replay.
pub fn replay(graph: &Graph, changes: &[Change]) -> Outcome {
    let plan = Plan::of(graph, changes);
    let schedule = schedule::schedule(graph, &plan);
    Outcome {
        makespan: schedule.makespan(),
        work: plan.work(graph),
    }
}

/// The times of all nodes in a schedule with changes, to be drawn beside the recorded ones.
pub fn times(graph: &Graph, changes: &[Change]) -> Schedule {
    schedule::schedule(graph, &Plan::of(graph, changes))
}

/// Why a trace with work has no graph, or none in common.
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
    /// The unchanged replay beside the recording.
    pub fn baseline(&self) -> Baseline {
        Baseline {
            measured: self.measured,
            replayed: replay(self, &[]).makespan,
            explained: self.explained,
        }
    }
}
