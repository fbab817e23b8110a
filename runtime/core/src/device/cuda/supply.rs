//! Suppliers of pools: GPU memory, and host memory that GPUs use.

#![allow(unsafe_code, reason = "gives memory back to the driver")]

use std::collections::BTreeMap;
use std::fmt;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::api::{Driver, GpuId};
use crate::error::DriverError;
use crate::memory::{Refusal, Supply, System};

/// The memory of one GPU.
pub(super) struct Device {
    driver: Arc<dyn Driver>,
    gpu: GpuId,
}

impl Device {
    pub(super) fn new(driver: Arc<dyn Driver>, gpu: GpuId) -> Device {
        Device { driver, gpu }
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the memory of GPU {}", self.gpu.0)
    }
}

impl Supply for Device {
    fn allocate(&self, size: usize) -> Result<u64, Refusal> {
        self.driver.allocate(self.gpu, size).map_err(refusal)
    }

    fn segment(&self, size: usize, most: usize) -> usize {
        segment(size, most, 1 << 30)
    }

    fn release(&self, start: u64, _size: usize) {
        // A GPU that cannot be waited for runs nothing any more.
        drop(self.driver.settle(self.gpu));
        // SAFETY: the pool got the address from `allocate` and gives it back once; all work that
        // used it has run.
        unsafe { self.driver.free(self.gpu, start) };
    }
}

/// Unified memory that prefers one GPU.
pub(super) struct Unified {
    driver: Arc<dyn Driver>,
    gpu: GpuId,
    ahead: Mutex<Ahead>,
}

/// The bytes that are moved to the GPU before their first use: at most the memory that the GPU has
/// for arrays. If arrays in the GPU's own memory need a part of it, pages displace each other.
struct Ahead {
    left: usize,
    /// The bytes of each segment, by its address.
    moved: BTreeMap<u64, usize>,
}

impl Unified {
    /// Creates the supply. `free` is the number of bytes of the GPU's memory that it may fill ahead
    /// of use.
    pub(super) fn new(driver: Arc<dyn Driver>, gpu: GpuId, free: u64) -> Unified {
        let ahead = Mutex::new(Ahead {
            left: usize::try_from(free).unwrap_or(usize::MAX),
            moved: BTreeMap::new(),
        });
        Unified { driver, gpu, ahead }
    }

    fn ahead(&self) -> MutexGuard<'_, Ahead> {
        self.ahead.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Unified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unified memory of GPU {}", self.gpu.0)
    }
}

impl Supply for Unified {
    fn allocate(&self, size: usize) -> Result<u64, Refusal> {
        let mut ahead = self.ahead();
        let moved = ahead.left.min(size);
        let start = self.driver.allocate_unified(self.gpu, size, moved);
        let start = start.map_err(refusal)?;
        ahead.left -= moved;
        ahead.moved.insert(start, moved);
        Ok(start)
    }

    fn segment(&self, size: usize, most: usize) -> usize {
        segment(size, most, 1 << 30)
    }

    fn release(&self, start: u64, _size: usize) {
        // All GPUs and the host can use it. A GPU that cannot be waited for runs nothing any more.
        settle(&*self.driver);
        // SAFETY: the pool got the address from `allocate` and gives it back once; all work that
        // used it has run.
        unsafe { self.driver.free(self.gpu, start) };
        let mut ahead = self.ahead();
        let moved = ahead.moved.remove(&start).unwrap_or(0);
        ahead.left += moved;
    }
}

fn refusal(error: DriverError) -> Refusal {
    match error {
        DriverError::OutOfMemory { .. } => Refusal::Full,
        other => Refusal::Failed(other),
    }
}

/// Returns the size of a segment that serves many blocks, or all memory if that is little. Blocks
/// of two segments never merge.
fn segment(size: usize, most: usize, usual: usize) -> usize {
    if most <= usual {
        return most;
    }
    size.next_multiple_of(2 << 20).max(usual)
}

/// Host memory that every GPU can use.
pub(super) struct Pinned {
    driver: Arc<dyn Driver>,
}

impl Pinned {
    pub(super) fn new(driver: Arc<dyn Driver>) -> Pinned {
        Pinned { driver }
    }
}

impl fmt::Debug for Pinned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("pinned host memory")
    }
}

impl Supply for Pinned {
    fn allocate(&self, size: usize) -> Result<u64, Refusal> {
        let start = self.driver.allocate_pinned(size).map_err(refusal)?;
        Ok(start.as_ptr().expose_provenance() as u64)
    }

    fn segment(&self, size: usize, most: usize) -> usize {
        segment(size, most, 32 << 20)
    }

    fn release(&self, start: u64, _size: usize) {
        settle(&*self.driver);
        let start = std::ptr::with_exposed_provenance_mut(start as usize);
        if let Some(start) = NonNull::new(start) {
            // SAFETY: the pool got the address from `allocate` and gives it back once; all work
            // that used it has run.
            unsafe { self.driver.free_pinned(start) };
        }
    }
}

/// Ordinary host memory that GPUs copy from and to.
pub(crate) struct Pageable {
    driver: Arc<dyn Driver>,
}

impl Pageable {
    pub(crate) fn new(driver: Arc<dyn Driver>) -> Pageable {
        Pageable { driver }
    }
}

impl fmt::Debug for Pageable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("host memory")
    }
}

impl Supply for Pageable {
    fn allocate(&self, size: usize) -> Result<u64, Refusal> {
        System.allocate(size)
    }

    fn release(&self, start: u64, size: usize) {
        settle(&*self.driver);
        System.release(start, size);
    }

    fn segment(&self, size: usize, most: usize) -> usize {
        System.segment(size, most)
    }

    fn is_paged(&self) -> bool {
        true
    }

    fn discard(&self, start: u64, size: usize) -> usize {
        settle(&*self.driver);
        System.discard(start, size)
    }
}

/// Waits until no GPU copies any more. A GPU that cannot be waited for runs nothing.
fn settle(driver: &dyn Driver) {
    for gpu in 0..driver.gpus().len() {
        drop(driver.settle(GpuId(gpu as u8)));
    }
}
