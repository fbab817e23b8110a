//! The use of each memory, and its holders.

use weft_trace::record::MemoryKind;

use crate::error::{Error, HeldStore, at_call};
use crate::runtime::{Runtime, current};

/// One memory of this rank at one moment. Sizes are bytes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PoolStatus {
    /// The kind of memory.
    pub memory: MemoryKind,
    /// Its number among the memories of this kind.
    pub number: usize,
    /// Its capacity.
    pub capacity: u64,
    /// Bytes held by arrays and kernels.
    pub live: u64,
    /// Peak of the bytes held.
    pub peak: u64,
    /// Free bytes.
    pub free: u64,
    /// The largest free block.
    pub largest_free: u64,
    /// Free bytes that are kept for the next array and not returned to the system.
    pub kept: u64,
    /// Holders of the memory, largest first.
    pub holders: Vec<HeldStore>,
}

impl PoolStatus {
    /// The part of the free bytes outside the largest free block: 0 if they are contiguous.
    pub fn fragmentation(&self) -> f64 {
        match self.free {
            0 => 0.0,
            free => 1.0 - self.largest_free as f64 / free as f64,
        }
    }
}

/// Returns the use of each memory of this rank, with its holders. Does not wait for running
/// operations.
///
/// # Panics
/// At the caller's line if no runtime runs and `WEFT_CONFIG` is wrong.
#[track_caller]
pub fn pool_status() -> Vec<PoolStatus> {
    at_call(current()).pool_status()
}

/// Waits for running operations and returns unused memory to the system: pages of main memory,
/// segments of GPU memory, and instances kept for stencils. Returns an upper bound of the bytes.
///
/// # Panics
/// See [`pool_status`].
#[track_caller]
pub fn reclaim() -> u64 {
    at_call(at_call(current()).reclaim())
}

impl Runtime {
    /// Returns [`pool_status`] of this runtime; empty in a process that was forked from the
    /// runtime's.
    pub fn pool_status(&self) -> Vec<PoolStatus> {
        if !self.core().is_of_this_process() {
            return Vec::new();
        }
        self.core().memories.status()
    }

    /// Runs [`reclaim`] on this runtime.
    ///
    /// # Errors
    /// See [`wait`](Self::wait).
    pub fn reclaim(&self) -> Result<u64, Error> {
        self.wait()?;
        Ok(self.core().memories.reclaim())
    }
}
