//! Memory of GPUs, and host memory that all GPUs can use.

use std::ffi::c_uint;
use std::ptr::NonNull;
use std::sync::Arc;

use super::super::sys;

use super::super::super::work::Address;
use super::super::call::{check, check_memory};
use super::Context;
use crate::error::DriverError;

/// `CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP`: for every context, at the same address.
const PORTABLE_AND_MAPPED: c_uint = 1 | 2;

/// Memory of a GPU, or unified memory that prefers it.
#[derive(Debug)]
pub(crate) struct DeviceMemory {
    address: Address,
    bytes: usize,
    is_unified: bool,
    context: Arc<Context>,
}

impl DeviceMemory {
    pub(crate) fn new(context: &Arc<Context>, bytes: usize) -> Result<Self, DriverError> {
        let _entered = context.enter()?;
        let mut address = 0;
        let lacking = DriverError::OutOfMemory {
            gpu: context.gpu().0,
            bytes,
        };
        // SAFETY: writes an address. The driver rejects allocations of 0 bytes.
        let result = unsafe { sys::cuMemAlloc_v2(&mut address, bytes.max(1)) };
        check_memory("cuMemAlloc_v2", result, lacking)?;
        Ok(DeviceMemory {
            address,
            bytes,
            is_unified: false,
            context: context.clone(),
        })
    }

    /// Allocates unified memory that prefers the GPU, and starts to move its first `ahead` bytes
    /// there.
    pub(crate) fn unified(
        context: &Arc<Context>,
        bytes: usize,
        ahead: usize,
    ) -> Result<Self, DriverError> {
        let _entered = context.enter()?;
        let mut address = 0;
        let lacking = DriverError::OutOfMemory {
            gpu: context.gpu().0,
            bytes,
        };
        let bytes = bytes.max(1);
        // SAFETY: writes an address. The driver rejects allocations of 0 bytes.
        let result =
            unsafe { sys::cuMemAllocManaged(&mut address, bytes, sys::CU_MEM_ATTACH_GLOBAL) };
        check_memory("cuMemAllocManaged", result, lacking)?;
        // From here on the value frees the memory, also after an error.
        let memory = DeviceMemory {
            address,
            bytes,
            is_unified: true,
            context: context.clone(),
        };
        let advice = sys::CU_MEM_ADVISE_SET_PREFERRED_LOCATION;
        // SAFETY: the range was just allocated.
        check("cuMemAdvise", unsafe {
            sys::cuMemAdvise(address, bytes, advice, context.device())
        })?;
        if ahead > 0 {
            // The default stream. Kernels need not wait for it: they move what they touch.
            let stream = std::ptr::null_mut();
            // SAFETY: the range is within the allocation, whose content is not in use yet.
            check("cuMemPrefetchAsync", unsafe {
                sys::cuMemPrefetchAsync(address, ahead.min(bytes), context.device(), stream)
            })?;
        }
        Ok(memory)
    }

    /// Whether the memory is unified: every GPU and the host use it at this address.
    pub(crate) fn is_unified(&self) -> bool {
        self.is_unified
    }

    pub(crate) fn address(&self) -> Address {
        self.address
    }

    /// Returns whether an address is in this memory.
    pub(crate) fn holds(&self, address: Address) -> bool {
        address
            .checked_sub(self.address)
            .is_some_and(|offset| offset < self.bytes as u64)
    }

    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.context
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        let _entered = self.context.enter();
        // SAFETY: this value owns the memory; the driver waits for work that still uses it.
        let _ = unsafe { sys::cuMemFree_v2(self.address) };
    }
}

/// Pinned host memory that every GPU can use at the same address.
#[derive(Debug)]
pub(crate) struct PinnedMemory {
    address: NonNull<u8>,
    context: Arc<Context>,
}

// SAFETY: it is plain memory, which this value only frees.
unsafe impl Send for PinnedMemory {}
// SAFETY: as above.
unsafe impl Sync for PinnedMemory {}

impl PinnedMemory {
    /// Allocates memory that all contexts can use; `context` is any of them.
    pub(crate) fn new(context: &Arc<Context>, bytes: usize) -> Result<Self, DriverError> {
        let _entered = context.enter()?;
        let mut address = std::ptr::null_mut();
        // SAFETY: writes an address.
        let result =
            unsafe { sys::cuMemHostAlloc(&mut address, bytes.max(1), PORTABLE_AND_MAPPED) };
        let lacking = DriverError::OutOfPinned { bytes };
        check_memory("cuMemHostAlloc", result, lacking.clone())?;
        Ok(PinnedMemory {
            address: NonNull::new(address.cast()).ok_or(lacking)?,
            context: context.clone(),
        })
    }

    pub(crate) fn address(&self) -> NonNull<u8> {
        self.address
    }
}

impl Drop for PinnedMemory {
    fn drop(&mut self) {
        let _entered = self.context.enter();
        // SAFETY: this value owns the memory.
        let _ = unsafe { sys::cuMemFreeHost(self.address.as_ptr().cast()) };
    }
}
