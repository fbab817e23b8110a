//! Access to memory: by which GPU, and when.

use super::Machine;
use super::code::Code;

/// The kind of a memory range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    /// In memory of this GPU.
    Device(usize),
    /// In unified memory.
    Managed,
    /// In host memory that the driver knows.
    Pinned,
    /// In memory of the program that the driver does not know.
    Pageable,
}

impl Machine {
    /// Returns the kind of these bytes; fails if they are in device memory and not all allocated.
    pub(crate) fn place(&self, start: u64, bytes: u64) -> Result<Space, Code> {
        if let Some(gpu) = self.owner(start) {
            let held = self.gpus[gpu].memory.holding(start, bytes);
            return held
                .map(|_| Space::Device(gpu))
                .ok_or(Code::ILLEGAL_ADDRESS);
        }
        Ok(if self.is_managed(start, bytes) {
            Space::Managed
        } else if self.is_pinned(start, bytes) {
            Space::Pinned
        } else {
            Space::Pageable
        })
    }

    /// Returns the GPU that an address belongs to, in use or not.
    pub(crate) fn owner(&self, address: u64) -> Option<usize> {
        self.gpus.iter().position(|gpu| gpu.memory.owns(address))
    }

    /// Opens the memory that kernels of a GPU may access, closes all other.
    pub(crate) fn open_for(&mut self, gpu: usize) {
        for other in 0..self.gpus.len() {
            let allowed = other == gpu || self.gpus[gpu].peers.contains(&other);
            self.gpus[other].memory.set_open(allowed);
        }
    }

    /// Opens all device memory: copies go between GPUs without peer access too.
    pub(crate) fn open_memory(&mut self) {
        for gpu in &mut self.gpus {
            gpu.memory.set_open(true);
        }
    }

    /// Closes all device memory, unless `$WEFT_EMULATED_REACHABLE` says that network devices reach
    /// it, as MPI's that are CUDA-aware do.
    pub(crate) fn close_memory(&mut self) {
        if self.is_reachable {
            return self.open_memory();
        }
        for gpu in &mut self.gpus {
            gpu.memory.set_open(false);
        }
    }
}
