//! Where a kernel says that it found an index outside its axis: host memory, since nobody waits for a GPU to ask it.

#![allow(
    unsafe_code,
    reason = "reads and clears what a kernel writes to pinned memory"
)]

use std::sync::Arc;

use super::work::Address;
use crate::error::Cause;
use crate::memory::{Block, Holder, Memory, OutOfMemory};
use crate::operation::Operation;

/// Two words that a kernel may write, the second one not 0: an index, and the length of its axis plus 1, or what its kernels say.
pub(super) struct Fault {
    block: Option<Block>,
    memory: Arc<Memory>,
}

const BYTES: usize = 16;

impl Fault {
    /// Takes the words from pinned memory and clears them.
    pub(super) fn new(memory: &Arc<Memory>, holder: Holder) -> Result<Fault, OutOfMemory> {
        let block = memory.take(BYTES, holder)?;
        let fault = Fault {
            block: Some(block),
            memory: memory.clone(),
        };
        // SAFETY: the block is 16 bytes or more of host memory, aligned to a cache line, and belongs to this alone: blocks
        // of pinned memory are given back when the work that used them has run.
        unsafe { fault.words().write_volatile([0; 2]) };
        Ok(fault)
    }

    fn words(&self) -> *mut [u64; 2] {
        std::ptr::with_exposed_provenance_mut(self.address() as usize)
    }

    /// Where they are, for GPUs and the host alike.
    pub(super) fn address(&self) -> Address {
        self.block.as_ref().map_or(0, Block::start)
    }

    /// What a kernel of the operation said, once the work has run.
    pub(super) fn cause(&self, operation: &Operation) -> Option<Cause> {
        // SAFETY: as in `new`; the work that may write has run.
        let words = unsafe { self.words().read_volatile() };
        let kernels = operation.body.kernels.gpu()?;
        (words[1] != 0).then(|| kernels.cause(words))
    }
}

impl Drop for Fault {
    fn drop(&mut self) {
        if let Some(block) = self.block.take() {
            self.memory.give_back(block);
        }
    }
}
