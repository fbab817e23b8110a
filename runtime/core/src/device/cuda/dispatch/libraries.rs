//! Handles of libraries in streams. They exist before the work that needs them is issued, so that a
//! full GPU makes room for their memory as for any other allocation.

use smallvec::SmallVec;
use weft_trace::id::StoreUid;

use super::super::api::{GpuId, WORKSPACE};
use super::super::factor::WORKSPACE_ALIGNMENT;
use super::super::work::Work;
use super::Dispatcher;
use super::member::Member;
use crate::error::{Cause, DriverError};
use crate::memory::{Block, Uses};
use crate::operation::Operation;

/// A block of the pool that a handle of cuBLAS uses as its workspace.
pub(super) struct Workspace {
    gpu: GpuId,
    /// The stream of the handle.
    lane: usize,
    block: Block,
}

/// Returns whether a library has a handle for this work in each stream.
fn needs_handle(work: &Work) -> bool {
    matches!(work, Work::Gemm(_) | Work::Factor(_))
}

impl Dispatcher<'_> {
    /// Creates the handles that work needs in a stream. Adds the earlier users of their memory to
    /// `waits`.
    pub(super) fn open_libraries(
        &mut self,
        (gpu, lane): (GpuId, usize),
        works: &[Work],
        members: &[Member],
        waits: &mut Uses,
    ) -> Result<(), Cause> {
        let Some(first) = members.first() else {
            return Ok(());
        };
        for work in works.iter().filter(|work| needs_handle(work)) {
            self.open_library((gpu, lane), work, &first.operation, waits)?;
        }
        Ok(())
    }

    fn open_library(
        &mut self,
        (gpu, lane): (GpuId, usize),
        work: &Work,
        operation: &Operation,
        waits: &mut Uses,
    ) -> Result<(), Cause> {
        let stream = self.streams.id(lane);
        let mut workspace = None;
        loop {
            let address = workspace.as_ref().map(aligned);
            let error = match self.gpus.driver.open_library(stream, work, address) {
                Ok(()) => break,
                Err(error) => error,
            };
            let has_room = error.lacks_memory()
                && (self.gpus.memory(gpu).pool.reclaim() > 0
                    || match error {
                        // The driver has no memory for a workspace, but the pool may have.
                        DriverError::OutOfMemory { .. } if workspace.is_none() => {
                            workspace = self.workspace(gpu, operation)?;
                            workspace.is_some()
                        }
                        _ => self.make_room_for_libraries(gpu, operation),
                    });
            if !has_room {
                if let Some(block) = workspace {
                    self.gpus.memory(gpu).give_back(block);
                }
                return Err(self.gpus.explain(gpu, error).into());
            }
        }
        if let Some(block) = workspace {
            waits.merge(&block.uses);
            self.workspaces.push(Workspace { gpu, lane, block });
        }
        Ok(())
    }

    /// Takes memory for a workspace from the pool.
    fn workspace(&mut self, gpu: GpuId, operation: &Operation) -> Result<Option<Block>, Cause> {
        let keep = stores(operation);
        loop {
            match self.scratch(gpu, WORKSPACE + WORKSPACE_ALIGNMENT, operation) {
                Ok(block) => return Ok(block),
                Err(full) if self.make_room(gpu, operation.maker(), &keep, full.asked()) => {}
                Err(full) => return Err(self.memories.out_of_memory(&full, operation)),
            }
        }
    }

    /// Makes room for an allocation by a library: returns the pool's free segments to the driver.
    /// If there are none, frees blocks until there is one. Returns whether more memory is free than
    /// before.
    pub(super) fn make_room_for_libraries(&mut self, gpu: GpuId, operation: &Operation) -> bool {
        if self.gpus.memory(gpu).pool.reclaim() > 0 {
            return true;
        }
        if self.drop_gpu_spares() {
            self.gpus.memory(gpu).pool.reclaim();
            return true;
        }
        let keep = stores(operation);
        let memory = self.gpus.memory(gpu).clone();
        self.spill(&memory, gpu, operation.maker(), &keep, |pool, _| {
            pool.reclaim() > 0
        })
    }

    /// Gives the memory of workspaces back. No work is issued after this.
    pub(super) fn give_workspaces_back(&mut self) {
        for Workspace {
            gpu,
            lane,
            mut block,
        } in self.workspaces.drain(..)
        {
            block.uses.add(self.streams.last_point(lane));
            self.gpus.memory(gpu).give_back(block);
        }
    }
}

/// Returns the first address in a block that is aligned for a workspace.
fn aligned(block: &Block) -> u64 {
    block.start().next_multiple_of(WORKSPACE_ALIGNMENT as u64)
}

fn stores(operation: &Operation) -> SmallVec<[StoreUid; 8]> {
    operation.stores().map(|store| store.uid).collect()
}
