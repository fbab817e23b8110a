//! The memories of a runtime, and waits until their stores are complete.

use weft_trace::record::{MemoryKind, RuntimeCallKind};

use super::{Core, until};
use crate::error::{CallError, Error};
use crate::memory::{Figures, Store};

impl Core {
    /// Whether there is a memory of this kind with a capacity above 0. Runs with GPUs have
    /// `Framebuffer`: if all memory of GPUs is unified, it stands for that.
    pub fn has_memory(&self, kind: MemoryKind) -> bool {
        self.memories.has(kind) || kind == MemoryKind::Framebuffer && self.has_gpus()
    }

    /// Requires unified memory for a store without data that no operation uses yet.
    ///
    /// # Errors
    /// Returns an error if the run has no GPU, or a GPU cannot share memory with the host.
    pub fn require_unified(&self, store: &Store) -> Result<(), CallError> {
        let Some(gpus) = &self.gpus else {
            return Err(CallError::NoUnified {
                why: "this run has no GPU; leave it out, or run with --gpus 1 or more".into(),
            });
        };
        gpus.provide_unified(&self.plan, self.memories.next_id())
            .map_err(|error| CallError::NoUnified {
                why: error.to_string(),
            })?;
        if let Some(cupti) = self.observers.cupti.get() {
            cupti.record_pages();
        }
        store.require_unified();
        Ok(())
    }

    /// Returns the total capacity of all memories of this rank, in bytes.
    pub fn capacity(&self) -> u64 {
        self.memories.capacity()
    }

    /// Waits until everything submitted so far has run.
    ///
    /// # Errors
    /// Returns an error if a thread of the runtime panicked, or this process was forked from the
    /// runtime's.
    pub fn wait_for_all(&self) -> Result<(), Error> {
        self.check_process()?;
        self.close_group();
        let wait = || -> Result<(), Error> {
            if !self.queues.outstanding.is_none() {
                until(|most| self.queues.outstanding.wait_for(0, most))?;
            }
            self.queues.outstanding.wait(0);
            // Operations that bodies submitted and did not wait for.
            let mut nested = self.level.all_nested();
            nested.try_for_each(|nested| nested.core().wait_for_nested())
        };
        // A program that has waited for its values has nothing to wait for at its end. A record of
        // that would count work of the language at the end of a process as part of the run.
        match self.has_outstanding() {
            true => self.waiting(RuntimeCallKind::Wait, None, wait)?,
            false => wait()?,
        }
        self.stop_error().map_or(Ok(()), Err)
    }

    /// Whether operations of the program, or of bodies of tasks, have not ended.
    fn has_outstanding(&self) -> bool {
        let mut nested = self.level.all_nested();
        !self.queues.outstanding.is_none() || nested.any(|nested| nested.core().has_outstanding())
    }

    /// Waits for all operations that bodies of tasks submitted.
    fn wait_for_nested(&self) -> Result<(), Error> {
        until(|most| self.queues.outstanding.wait_for(0, most))?;
        self.queues.outstanding.wait(0);
        if let Some(error) = self.stop_error() {
            return Err(error);
        }
        let mut nested = self.level.all_nested();
        nested.try_for_each(|nested| nested.core().wait_for_nested())
    }

    /// Returns the number of bytes of new arrays that surely fit: the largest free block of their
    /// memory, less an allowance for rounding and single values. With many ranks, the minimum of
    /// all: the same number on every rank. All ranks must call this.
    pub fn room_for_arrays(&self) -> usize {
        let free = |figures: Figures| figures.largest - figures.largest / 16;
        match &self.gpus {
            None => self.least_of_all(free(self.memories.main.pool.figures())),
            Some(gpus) => {
                let memories = gpus.memories.iter();
                let frees = memories.map(|memory| free(memory.pool.figures()));
                self.least_of_all(frees.min().unwrap_or(0) * gpus.memories.len())
            }
        }
    }
}
