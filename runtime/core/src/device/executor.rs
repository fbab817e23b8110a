//! State that every processor needs to run operations.

use std::sync::Arc;

use weft_trace::id::{ProcessorId, TaskUid};

use super::cuda::Gpus;
use super::{Queues, World};
use crate::error::Cause;
use crate::health::Health;
use crate::identity::Uids;
use crate::memory::Memories;
use crate::observe::Observers;
use crate::operation::{Cutting, Operation};
use crate::rank::ProgramLock;

/// The parts of the runtime that run operations: tiling, memory, the threads that run bodies, and
/// observers.
pub(crate) struct Executor<'a> {
    pub(crate) cutting: &'a Cutting,
    pub(crate) memories: &'a Memories,
    pub(crate) bodies: &'a dyn Bodies,
    /// The other ranks, if any.
    pub(crate) world: Option<&'a Arc<World>>,
    pub(crate) queues: &'a Queues,
    pub(crate) observers: &'a Observers,
    pub(crate) health: &'a Health,
}

/// The run of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Run {
    /// The first, or the only one.
    First = 0,
    /// A repeated run with `--verify`. Tasks that it starts were verified in the first run;
    /// otherwise each of four runs would again verify in four runs, and so on.
    Again = 1,
}

/// The level at which bodies of tasks run. A body that starts tasks has a runtime of its own there.
pub(crate) trait Bodies: Sync {
    /// Whether bodies run on guarded copies.
    fn verifies(&self) -> bool;

    /// Runs the body of an operation for a task; tasks started by the body are part of it.
    fn run_nesting(
        &self,
        operation: &Operation,
        task: TaskUid,
        run: Run,
        body: &mut dyn FnMut() -> Result<(), Cause>,
    ) -> Result<(), Cause>;
}

impl dyn Bodies + '_ {
    /// Runs the body of an operation for a task.
    pub(crate) fn run(
        &self,
        operation: &Operation,
        task: TaskUid,
        run: Run,
        mut body: impl FnMut() -> Result<(), Cause>,
    ) -> Result<(), Cause> {
        match operation.body.kernels.starts_tasks() {
            true => self.run_nesting(operation, task, run, &mut body),
            false => body(),
        }
    }
}

/// The thread that sends and receives messages, in records.
pub(crate) const MESSAGES: ProcessorId = ProcessorId(u16::MAX);

/// The parts of the runtime that messages between ranks need.
#[cfg_attr(
    not(feature = "mpi"),
    allow(dead_code, reason = "used by builds with ranks")
)]
pub(crate) struct MessageWork<'a> {
    pub(crate) executor: Executor<'a>,
    /// Present in runs with GPUs.
    pub(crate) gpus: Option<&'a Gpus>,
    /// The submitted operations, which are compared with those of the other ranks.
    pub(crate) program: &'a ProgramLock,
    pub(crate) uids: &'a Uids,
}
