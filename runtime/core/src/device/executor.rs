//! State that every processor needs to run operations.

use crate::observe::Observers;
use crate::runtime::{Cutting, Health, Memories, Queues, TaskLevel};

/// The parts of the runtime that run operations: tiling, memory, the threads that run bodies, and
/// observers.
pub(crate) struct Executor<'a> {
    pub(crate) cutting: &'a Cutting,
    pub(crate) memories: &'a Memories,
    pub(crate) level: &'a TaskLevel,
    pub(crate) queues: &'a Queues,
    pub(crate) observers: &'a Observers,
    pub(crate) health: &'a Health,
}
