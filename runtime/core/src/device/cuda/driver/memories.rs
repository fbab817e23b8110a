//! Table of allocations. It frees them at the end, and finds the GPUs of a copy's addresses.

use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::super::work::Address;
use super::safe::{Context, DeviceMemory, PinnedMemory};
use crate::error::DriverError;

/// All memory that the driver has allocated.
#[derive(Debug, Default)]
pub(super) struct Memories {
    device: RwLock<BTreeMap<Address, DeviceMemory>>,
    pinned: Mutex<BTreeMap<usize, PinnedMemory>>,
}

impl Memories {
    pub(super) fn allocate(
        &self,
        context: &Arc<Context>,
        bytes: usize,
    ) -> Result<Address, DriverError> {
        Ok(self.keep(DeviceMemory::new(context, bytes)?))
    }

    /// Allocates unified memory that prefers a GPU; see [`DeviceMemory::unified`].
    pub(super) fn allocate_unified(
        &self,
        context: &Arc<Context>,
        bytes: usize,
        ahead: usize,
    ) -> Result<Address, DriverError> {
        Ok(self.keep(DeviceMemory::unified(context, bytes, ahead)?))
    }

    fn keep(&self, memory: DeviceMemory) -> Address {
        let address = memory.address();
        let mut device = self.device.write().unwrap_or_else(PoisonError::into_inner);
        device.insert(address, memory);
        address
    }

    /// Frees memory. Does nothing if the address is unknown.
    pub(super) fn free(&self, address: Address) {
        let mut device = self.device.write().unwrap_or_else(PoisonError::into_inner);
        let freed = device.remove(&address);
        drop(device);
        // Freeing may wait for the GPU, so it happens without the lock.
        drop(freed);
    }

    pub(super) fn allocate_pinned(
        &self,
        context: &Arc<Context>,
        bytes: usize,
    ) -> Result<NonNull<u8>, DriverError> {
        let memory = PinnedMemory::new(context, bytes)?;
        let address = memory.address();
        let mut pinned = self.pinned.lock().unwrap_or_else(PoisonError::into_inner);
        pinned.insert(address.addr().get(), memory);
        Ok(address)
    }

    pub(super) fn free_pinned(&self, address: NonNull<u8>) {
        let mut pinned = self.pinned.lock().unwrap_or_else(PoisonError::into_inner);
        let freed = pinned.remove(&address.addr().get());
        drop(pinned);
        drop(freed);
    }

    /// Returns the contexts of source and destination if a copy is between the own memories of two
    /// GPUs. Unified memory needs none: the driver finds its pages.
    pub(super) fn peers(&self, from: Address, to: Address) -> Option<(Arc<Context>, Arc<Context>)> {
        let device = self.device.read().unwrap_or_else(PoisonError::into_inner);
        let home = |address: Address| {
            let (_, memory) = device.range(..=address).next_back()?;
            let is_own = memory.holds(address) && !memory.is_unified();
            is_own.then(|| memory.context())
        };
        let (source, target) = (home(from)?, home(to)?);
        (source.gpu() != target.gpu()).then(|| (source.clone(), target.clone()))
    }
}
