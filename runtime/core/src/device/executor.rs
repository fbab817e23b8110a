//! What it takes to run operations, on whatever processor.

use crate::observe::Observers;
use crate::runtime::{Cutting, Health, Memories, Queues, TaskLevel};

/// What whoever runs operations needs of the runtime: where their memory is, how they are cut, who runs their bodies, and who is told.
pub(crate) struct Executor<'a> {
    pub(crate) cutting: &'a Cutting,
    pub(crate) memories: &'a Memories,
    pub(crate) level: &'a TaskLevel,
    pub(crate) queues: &'a Queues,
    pub(crate) observers: &'a Observers,
    pub(crate) health: &'a Health,
}
