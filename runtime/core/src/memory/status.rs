//! The use of a memory, and its holders.

use weft_trace::record::MemoryKind;

use crate::error::HeldStore;

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
    /// Holders of the memory, largest first. Arrays of at most 4 KiB may be missing, with at most
    /// a 64th of the capacity.
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
