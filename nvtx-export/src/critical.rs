//! The critical path: the chain of tasks, copies and waits that set the length of a run.
//!
//! From the last end backwards, over all ranks: what held up each step is the latest of the tasks it depends on, the task
//! before it on its processor, and the analysis that made it; the analysis was held up by the one before it or by the program's call,
//! and the program by what it waited for. Of a message both sides are looked at, so that the path goes from rank to rank. Each
//! instant between the first and the last of the run belongs to one step: the parts add up to the run's length.

mod pieces;
mod step;
mod walk;

pub use step::{Step, StepKind};

use crate::joined::Joined;

/// The steps, earliest first. Those of one launch follow each other, one for each task it served, with a part by its share. Takes
/// n log n time. Of a trace that was read back, those that were written.
pub fn path(joined: &Joined) -> Vec<Step> {
    match &joined.critical_path {
        Some(path) => path.clone(),
        None => walk::walk(joined),
    }
}
