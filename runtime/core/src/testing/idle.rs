//! A driver whose calls return at once, for measuring the runtime's own cost of a task.

#![allow(unsafe_code, reason = "hands out addresses that are never read")]

use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use weft_config::Plan;

use crate::device::cuda::api::{
    Driver, EventId, FunctionId, GpuId, GpuInfo, GraphId, Ready, StreamId,
};
use crate::device::cuda::call::{Call, RawStream};
use crate::device::cuda::code::Kernel;
use crate::device::cuda::work::{Address, Issued, Launch, Work};
use crate::error::DriverError;
use crate::error::{Cause, Error};
use crate::runtime::Runtime;

/// Starts a runtime on a GPU that does nothing: issued work counts as done, and its results are
/// never read.
///
/// # Errors
/// See [`Runtime::new`].
pub fn on_idle_gpu(plan: Plan) -> Result<Runtime, Error> {
    let info = GpuInfo {
        name: "none".to_owned(),
        memory: 1 << 40,
        free: 1 << 40,
        capability: (9, 0),
        multiprocessors: 132,
        bandwidth: None,
        uuid: None,
        has_unified: true,
    };
    let driver = Nothing {
        info: [info],
        next: AtomicU64::new(1 << 40),
    };
    Runtime::with_driver(plan, Some(Arc::new(driver)))
}

/// A driver that does nothing.
struct Nothing {
    info: [GpuInfo; 1],
    next: AtomicU64,
}

impl Driver for Nothing {
    fn gpus(&self) -> &[GpuInfo] {
        &self.info
    }
    fn enter_thread(&self) -> Result<(), DriverError> {
        Ok(())
    }
    fn settle(&self, _: GpuId) -> Result<(), DriverError> {
        Ok(())
    }
    fn allocate(&self, _: GpuId, bytes: usize) -> Result<Address, DriverError> {
        Ok(self.next.fetch_add(bytes as u64, Ordering::Relaxed))
    }
    fn allocate_unified(&self, gpu: GpuId, bytes: usize, _: usize) -> Result<Address, DriverError> {
        self.allocate(gpu, bytes)
    }
    unsafe fn free(&self, _: GpuId, _: Address) {}
    fn allocate_pinned(&self, bytes: usize) -> Result<NonNull<u8>, DriverError> {
        let block = vec![0u64; bytes.div_ceil(8)].leak();
        Ok(NonNull::from(block).cast())
    }
    unsafe fn free_pinned(&self, _: NonNull<u8>) {}
    fn stream(&self, _: GpuId) -> Result<StreamId, DriverError> {
        Ok(StreamId(0))
    }
    fn event(&self, _: GpuId) -> Result<EventId, DriverError> {
        Ok(EventId(0))
    }
    fn record(&self, _: EventId, _: StreamId) -> Result<(), DriverError> {
        Ok(())
    }
    fn wait(&self, _: StreamId, _: EventId) -> Result<(), DriverError> {
        Ok(())
    }
    fn has_reached(&self, _: EventId) -> Result<bool, DriverError> {
        Ok(true)
    }
    fn synchronize(&self, _: EventId) -> Result<(), DriverError> {
        Ok(())
    }
    fn prepare(&self, _: GpuId, _: &Kernel) -> Result<Ready, DriverError> {
        Ok(Ready {
            function: FunctionId(0),
            preparation: None,
        })
    }
    unsafe fn issue(
        &self,
        _: StreamId,
        _: &Work,
        _: Option<FunctionId>,
    ) -> Result<(), DriverError> {
        Ok(())
    }
    fn lend(&self, _: StreamId, call: &dyn Call) -> Result<(), Cause> {
        call.call(RawStream {
            handle: 0,
            device: 0,
        })
    }
    fn graph(&self, _: GpuId, _: &[Launch]) -> Result<GraphId, DriverError> {
        Ok(GraphId(0))
    }
    fn nodes(&self, _: GraphId) -> Vec<u64> {
        Vec::new()
    }
    fn update(&self, _: GraphId, _: usize, _: &Launch) -> Result<(), DriverError> {
        Ok(())
    }
    unsafe fn replay(&self, _: GraphId, _: StreamId) -> Result<(), DriverError> {
        Ok(())
    }
    fn forget(&self, _: GraphId) {}
    fn issued(&self) -> Issued {
        Issued::default()
    }
}
