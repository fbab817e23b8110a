//! Messages between ranks, as they are handed to the message thread.

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

/// The main memory of a rank is its first memory.
const MAIN: MemoryId = MemoryId(0);

/// A message between the tiles of one task on different ranks, which run at the same time.
pub(crate) enum Said {
    /// The words that the tiles contribute.
    Given(Vec<u64>),
    /// The end of the tiles, with the reason in words if they failed.
    Done(Vec<u64>),
}

/// A message that waits for no other task.
pub(crate) struct Posted {
    pub(crate) task: Arc<Task>,
    pub(crate) operation: Arc<Operation>,
    pub(crate) elements: Elements,
}

/// Location of a message's elements.
pub(crate) enum Elements {
    /// In main memory, in the instance of the store.
    InStore,
    /// In an instance that the dispatcher of GPUs has found.
    At(StagedMemory),
    /// None: there was no memory.
    Nowhere(Arc<Failure>),
}

/// Memory that the dispatcher of GPUs has found for a message.
pub(crate) struct StagedMemory {
    /// Address of element 0 of the store.
    pub(crate) start: u64,
    /// The memory that contains the instance.
    pub(crate) memory: MemoryId,
    /// The work that must finish before the memory is used.
    pub(crate) arrival: Arrival,
}

impl Posted {
    /// Takes a message of a run without GPUs; `None` if another thread has taken it.
    pub(crate) fn in_store(task: Arc<Task>) -> Option<Posted> {
        let operation = task.take_one()?;
        Some(Posted {
            task,
            operation,
            elements: Elements::InStore,
        })
    }

    /// Returns whether the message can be started. If a GPU has failed, the message starts without
    /// elements, and fails.
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
    /// Returns the operands of a message in memory.
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
                // SAFETY: the dispatcher found the address in an instance of the message's own
                // store, which the operation holds. All copies to it have arrived, and no other
                // task uses that store until this task has ended.
                unsafe { Tiles::at(operation, &tile.cut, |_, _, _, _| Ok(start)) }
            }
        }
    }

    /// Returns the memory that contains the elements.
    pub(crate) fn memory(&self) -> MemoryId {
        match self {
            Elements::At(found) => found.memory,
            Elements::InStore | Elements::Nowhere(_) => MAIN,
        }
    }
}
