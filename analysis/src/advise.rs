//! Advice: changes of the program, with their predicted savings.
//!
//! 1. `facts`: the joined trace, its [replay](crate::replay) and the unchanged schedule, by line.
//! 2. [`rules`]: each finds one kind of cost, and describes a fix as
//!    [`Change`](crate::replay::Change)s of the replay.
//! 3. `rank`: each change is replayed alone, and dropped if it saves less than the replay's error.
//!    The others are ordered so that each finding saves most on top of those before it, all
//!    replayed together.
//! 4. [`Advice`]: findings with their lines, evidence and savings, to be printed, written as JSON,
//!    or shown by the viewer.

mod device;
mod facts;
mod grade;
mod rank;
mod rules;
mod say;
mod types;

pub use grade::{Grade, grade};
pub use rules::{Rule, RuleInfo, rules};
pub use say::render;
pub use types::{Advice, Figure, Finding, FindingLine, ReplayFigures, Saving, Unit};

use crate::replay::Graph;
use weft_model::Trace;

/// Returns why there can be no advice on a trace: it has no graph, and no GPU work without tasks.
pub fn refusal(trace: &Trace, graph: &Graph) -> Option<String> {
    let is_of_gpus = trace.work.tasks.is_empty() && !trace.devices.kernels.is_empty();
    if !graph.nodes.is_empty() || is_of_gpus {
        return None;
    }
    Some(crate::replay::missing(trace).unwrap_or_else(|| {
        "the inputs have neither tasks of Weft or Legate nor work of GPUs, so that there is nothing to advise on".to_owned()
    }))
}

/// The default limit of the number of findings.
pub const TOP: usize = 10;

/// Returns the advice on a trace: at most [`TOP`] findings.
pub fn answer(trace: &Trace) -> Advice {
    answer_from(trace, &Graph::from_trace(trace), TOP)
}

/// Returns the advice from an existing graph, with at most `top` findings. Inputs without tasks
/// have no graph; their advice is based on the times of GPU work.
pub fn answer_from(trace: &Trace, graph: &Graph, top: usize) -> Advice {
    if graph.nodes.is_empty()
        && trace.work.tasks.is_empty()
        && let Some(advice) = device::advice(trace, top)
    {
        return advice;
    }
    let facts = facts::Facts::new(trace, graph);
    rank::advice(&facts, top)
}
