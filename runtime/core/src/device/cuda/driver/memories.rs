//! What is allocated, so that it is given back at the end, and so that a copy knows which GPUs it is between.

use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::super::error::DriverError;
use super::super::work::Address;
use super::safe::{Context, DeviceMemory, PinnedMemory};

/// All memory that the driver has given out.
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
        let memory = DeviceMemory::new(context, bytes)?;
        let address = memory.address();
        let mut device = self.device.write().unwrap_or_else(PoisonError::into_inner);
        device.insert(address, memory);
        Ok(address)
    }

    /// Drops memory; nothing where it is not known.
    pub(super) fn free(&self, address: Address) {
        let mut device = self.device.write().unwrap_or_else(PoisonError::into_inner);
        let freed = device.remove(&address);
        drop(device);
        // Giving it back may wait for the GPU; the lock does not.
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

    /// The contexts of the two GPUs that a copy is between; `None` where it is not between two.
    pub(super) fn peers(&self, from: Address, to: Address) -> Option<(Arc<Context>, Arc<Context>)> {
        let device = self.device.read().unwrap_or_else(PoisonError::into_inner);
        let home = |address: Address| {
            let (_, memory) = device.range(..=address).next_back()?;
            memory.holds(address).then(|| memory.context())
        };
        let (source, target) = (home(from)?, home(to)?);
        (source.gpu() != target.gpu()).then(|| (source.clone(), target.clone()))
    }
}
