//! Tasks: an operation on one tile, what it waits for, and where it waits.
//!
//! The analysis cuts operations into tasks and finds the predecessors of each. A [`Task`] counts
//! its predecessors down as they end. When the count reaches zero, the task goes into the
//! [`ReadyQueue`], from which processors take it.

mod countdown;
mod ended;
mod outstanding;
mod ready;
mod submission;
mod task_state;
mod unneeded;

pub(crate) use ended::Ended;
pub(crate) use outstanding::Outstanding;
pub(crate) use ready::ReadyQueue;
pub(crate) use submission::Submissions;
pub(crate) use task_state::{Task, Work};
pub(crate) use unneeded::unneeded;
