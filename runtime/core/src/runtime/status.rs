//! The use of each memory, and its holders.

use super::{Runtime, current};
use crate::error::{Error, at_call};
use crate::memory::PoolStatus;

/// Returns the use of each memory of this rank, with its holders. Does not wait for running
/// operations.
///
/// # Panics
/// Panics at the caller's line if no runtime runs and `WEFT_CONFIG` is wrong.
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
