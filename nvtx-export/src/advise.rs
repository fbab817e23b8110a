//! What to change in the program, and what it would save.
//!
//! 1. `facts`: the joined trace, its [replay](crate::replay) and the unchanged schedule, by line.
//! 2. [`rules`]: each looks for one thing that costs time, and says what to change as [`Change`](crate::replay::Change)s of the replay.
//! 3. `rank`: each change is replayed alone; what saves less than the replay's error is not shown. The rest is put into the sequence in which
//!    each next finding saves most on top of those before it, all replayed together.
//! 4. [`Advice`]: findings with their lines, evidence and savings, to be printed, written as JSON, or shown by the viewer.

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

use crate::joined::Joined;
use crate::replay::Graph;

/// At most so many findings are given if nothing else is asked for.
pub const TOP: usize = 10;

/// The advice on a trace: at most [`TOP`] findings.
pub fn answer(joined: &Joined) -> Advice {
    answer_from(joined, &Graph::of(joined), TOP)
}

/// The same from a graph that is there already, with at most `top` findings.
pub fn answer_from(joined: &Joined, graph: &Graph, top: usize) -> Advice {
    let facts = facts::Facts::of(joined, graph);
    rank::advice(&facts, top)
}
