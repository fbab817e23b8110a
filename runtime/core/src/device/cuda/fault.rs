//! Reports of kernels about wrong indices. They are in host memory, because no thread waits for a
//! GPU to read them.

#![allow(
    unsafe_code,
    reason = "reads and clears pinned memory that a kernel writes"
)]

use std::sync::Arc;

use super::work::Address;
use crate::error::Cause;
use crate::memory::{Block, Holder, Memory, OutOfMemory};
use crate::operation::Operation;

/// Two words that a kernel may write: an index and the length of its axis plus 1, or other words
/// that only its kernels define. The second word is 0 if there is no fault.
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
        // SAFETY: the block has at least 16 bytes of host memory, is aligned to a cache line, and
        // has no other user: blocks of pinned memory are given back when the work that used them
        // has run.
        unsafe { fault.words().write_volatile([0; 2]) };
        Ok(fault)
    }

    fn words(&self) -> *mut [u64; 2] {
        std::ptr::with_exposed_provenance_mut(self.address() as usize)
    }

    /// Returns the address of the words, which is the same for GPUs and the host.
    pub(super) fn address(&self) -> Address {
        self.block.as_ref().map_or(0, Block::start)
    }

    /// Returns the fault that a kernel of the operation reported, once the work has run.
    pub(super) fn cause(&self, operation: &Operation) -> Option<Cause> {
        // SAFETY: as in `new`; the work that may write the words has run.
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
