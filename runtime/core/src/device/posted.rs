//! Messages between ranks, as they are handed to whoever sends and receives.

#![allow(
    unsafe_code,
    reason = "takes the address that the dispatcher of GPUs found"
)]
#![cfg_attr(
    not(feature = "mpi"),
    allow(
        dead_code,
        reason = "for messages between ranks, in builds that have them"
    )
)]

use std::ptr;
use std::sync::Arc;

use weft_trace::id::MemoryId;
use weft_trace::time::Timestamp;

use super::Executor;
use super::cpu::{self, TileTask, Tiles};
use super::cuda::{Arrival, Gpus};
use crate::error::Failure;
use crate::operation::Operation;
use crate::task::Task;

/// The main memory of a rank is its first.
const MAIN: MemoryId = MemoryId(0);

/// What a rank tells another one of the tiles of a task that run at the same time, in words.
pub(crate) enum Said {
    /// What its tiles give.
    Given(Vec<u64>),
    /// That they are done; why, where they failed.
    Done(Vec<u64>),
}

/// A message that waits for no task.
pub(crate) struct Posted {
    pub(crate) task: Arc<Task>,
    pub(crate) operation: Arc<Operation>,
    pub(crate) elements: Elements,
}

/// Where the elements of a message are, or are to come.
pub(crate) enum Elements {
    /// Where the store has its data in main memory.
    InStore,
    /// In an instance that the dispatcher of GPUs has found.
    At(StagedMemory),
    /// Nowhere.
    Nowhere(Arc<Failure>),
}

/// Memory that the dispatcher of GPUs has found for a message.
pub(crate) struct StagedMemory {
    /// Where element 0 of the store stands.
    pub(crate) start: u64,
    /// The memory that this is in.
    pub(crate) memory: MemoryId,
    /// What must happen before anyone may look there.
    pub(crate) arrival: Arrival,
}

impl Posted {
    /// A message of a run without GPUs; `None` where somebody else has taken it.
    pub(crate) fn in_store(task: Arc<Task>) -> Option<Posted> {
        let operation = task.take_one()?;
        Some(Posted {
            task,
            operation,
            elements: Elements::InStore,
        })
    }

    /// Whether MPI can be asked for it. It never will find its elements where a GPU fails, and can be asked for so.
    pub(crate) fn has_arrived(&mut self, gpus: Option<&Gpus>) -> bool {
        let (Elements::At(found), Some(gpus)) = (&mut self.elements, gpus) else {
            return true;
        };
        match found.arrival.has_come(gpus) {
            Ok(has_come) => has_come,
            Err(error) => {
                let failure = self.operation.failure(error.into());
                self.elements = Elements::Nowhere(failure);
                true
            }
        }
    }
}

impl Elements {
    /// The operands of a message in memory.
    pub(crate) fn tiles<'a>(
        &self,
        executor: &Executor<'_>,
        operation: &'a Operation,
        tile: &TileTask,
        at: Timestamp,
    ) -> Result<Tiles<'a>, Arc<Failure>> {
        match self {
            Elements::InStore => cpu::prepare(executor, operation, tile, at),
            Elements::Nowhere(failure) => Err(failure.clone()),
            Elements::At(found) => {
                if let Some(failure) = operation.failed_input() {
                    return Err(failure);
                }
                let start = ptr::with_exposed_provenance_mut(found.start as usize);
                // SAFETY: the dispatcher found the address in an instance of the message's own store, which the operation holds. What
                // moves there has arrived, and nobody else works on that store until this task has ended.
                unsafe { Tiles::at(operation, &tile.cut, |_, _, _, _| Ok(start)) }
            }
        }
    }

    /// The memory that they are in.
    pub(crate) fn memory(&self) -> MemoryId {
        match self {
            Elements::At(found) => found.memory,
            Elements::InStore | Elements::Nowhere(_) => MAIN,
        }
    }
}
