//! The interface of a GPU driver. The scheduler uses only this trait, so that tests can observe it.

#![allow(
    unsafe_code,
    reason = "promises about device memory are made by the caller"
)]

use std::ops::Range;
use std::ptr::NonNull;
use std::sync::Arc;

use super::call::Call;
use super::code::{self, Kernel};
use super::factor::{Factoring, Need};
use super::image::Image;
use super::work::{Address, Issued, Launch, Transform, Work};
use crate::error::Cause;
use crate::error::DriverError;
use crate::operation::{Body, Operand};
use weft_trace::id::GpuUuid;
use weft_trace::record::CodeOrigin;
use weft_trace::time::Timestamp;

/// Size in bytes of the workspace of a handle of cuBLAS, as NVIDIA recommends it for the newest
/// GPUs. A product then allocates no memory, and gives the same bits each time.
pub(crate) const WORKSPACE: usize = 32 << 20;

/// Number of a GPU of this rank, from 0. It counts the GPUs that the rank uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct GpuId(pub(crate) u8);

/// A queue of work of one GPU. Its items run in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct StreamId(pub(crate) u16);

/// A mark in a stream that other streams and the host can wait for. It may be set again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct EventId(pub(crate) u32);

/// A kernel that is loaded on a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FunctionId(pub(crate) u32);

/// A kernel that can be launched.
#[derive(Debug)]
pub(crate) struct Ready {
    pub(crate) function: FunctionId,
    /// Its preparation; `None` if it was ready before.
    pub(crate) preparation: Option<Box<Preparation>>,
}

/// The preparation of a kernel: compiling or reading its code, and loading it.
#[derive(Debug)]
pub(crate) struct Preparation {
    pub(crate) image: Arc<Image>,
    pub(crate) origin: CodeOrigin,
    /// Start of the preparation.
    pub(crate) start: Timestamp,
    /// Time when the code was available.
    pub(crate) made: Timestamp,
    /// Time when the code was loaded.
    pub(crate) end: Timestamp,
    /// Time when the caller began to wait; `None` if it did not wait.
    pub(crate) waited_from: Option<Timestamp>,
}

/// A sequence of launches that can be started at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct GraphId(pub(crate) u32);

/// Properties of a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuInfo {
    /// Name of the GPU.
    pub name: String,
    /// Size of its memory in bytes.
    pub memory: u64,
    /// Memory that is free at the start, in bytes.
    pub free: u64,
    /// Compute capability, major and minor.
    pub capability: (u32, u32),
    /// Number of streaming multiprocessors.
    pub multiprocessors: u32,
    /// Memory bandwidth in bytes per second, computed from clock and bus width; `None` if the
    /// driver does not report them.
    pub bandwidth: Option<u64>,
    /// UUID; `None` if the driver does not report one.
    pub uuid: Option<GpuUuid>,
    /// Whether host and GPU can use unified memory at the same time.
    pub has_unified: bool,
}

/// Drives the GPUs of this rank. Any thread may call it. Only [`synchronize`](Self::synchronize)
/// and [`settle`](Self::settle) wait for a GPU.
pub(crate) trait Driver: Send + Sync {
    /// Returns the GPUs, by id.
    fn gpus(&self) -> &[GpuInfo];

    /// Prepares the calling thread for driving GPUs.
    fn enter_thread(&self) -> Result<(), DriverError>;

    /// Waits until the GPU is idle.
    fn settle(&self, gpu: GpuId) -> Result<(), DriverError>;

    /// Allocates device memory.
    fn allocate(&self, gpu: GpuId, bytes: usize) -> Result<Address, DriverError>;

    /// Allocates unified memory that prefers this GPU. The host and all GPUs use it at the same
    /// address. The first `ahead` bytes are moved to the GPU before they are used.
    fn allocate_unified(
        &self,
        gpu: GpuId,
        bytes: usize,
        ahead: usize,
    ) -> Result<Address, DriverError>;

    /// Starts to move pages of unified memory to the GPU of a stream, after earlier work in the
    /// stream and before later work. The addresses are within one allocation.
    fn move_ahead(&self, stream: StreamId, range: Range<Address>) -> Result<(), DriverError> {
        _ = (stream, range);
        Ok(())
    }

    /// Frees device memory or unified memory.
    ///
    /// # Safety
    /// The address must come from `allocate` or `allocate_unified` on this GPU, and no work may use
    /// it any more.
    unsafe fn free(&self, gpu: GpuId, address: Address);

    /// Allocates host memory that every GPU can use at the same address.
    fn allocate_pinned(&self, bytes: usize) -> Result<NonNull<u8>, DriverError>;

    /// Frees pinned host memory.
    ///
    /// # Safety
    /// The address must come from `allocate_pinned`, and must not be used any more.
    unsafe fn free_pinned(&self, address: NonNull<u8>);

    /// Creates a stream.
    fn stream(&self, gpu: GpuId) -> Result<StreamId, DriverError>;

    /// Creates an event.
    fn event(&self, gpu: GpuId) -> Result<EventId, DriverError>;

    /// Sets the mark after all work in the stream.
    fn record(&self, event: EventId, stream: StreamId) -> Result<(), DriverError>;

    /// Makes later work in the stream wait for the mark, as it is set at the time of this call.
    fn wait(&self, stream: StreamId, event: EventId) -> Result<(), DriverError>;

    /// Returns whether the mark is reached.
    fn has_reached(&self, event: EventId) -> Result<bool, DriverError>;

    /// Waits until the mark is reached.
    fn synchronize(&self, event: EventId) -> Result<(), DriverError>;

    /// Loads a kernel, and compiles it first if its code is not cached.
    fn prepare(&self, gpu: GpuId, kernel: &Kernel) -> Result<Ready, DriverError>;

    /// Starts to prepare a kernel that will be needed, without waiting for it.
    fn foresee(&self, _gpu: GpuId, _kernel: &Kernel) {}

    /// Stops preparing kernels in the background, and waits for those already started. No work is
    /// issued after this.
    fn stop_compiling(&self) {}

    /// Returns the number of bytes of temporary device memory that transforms need, to be given
    /// with the [work](Work::Fft). Creates a plan if there is none.
    fn plan(&self, gpu: GpuId, transform: &Transform) -> Result<usize, DriverError> {
        _ = (gpu, transform);
        Ok(0)
    }

    /// Creates the handle of the library that does this work in a stream, if there is none. Does
    /// nothing for other work. `workspace` is device memory of [`WORKSPACE`] bytes, aligned to
    /// [`WORKSPACE_ALIGNMENT`], for a new handle of cuBLAS. It must stay allocated while the stream
    /// may hold work. Without it the driver allocates memory.
    ///
    /// [`WORKSPACE_ALIGNMENT`]: super::factor::WORKSPACE_ALIGNMENT
    fn open_library(
        &self,
        stream: StreamId,
        work: &Work,
        workspace: Option<Address>,
    ) -> Result<(), DriverError> {
        _ = (stream, work, workspace);
        Ok(())
    }

    /// Returns the preparation of the plan for transforms to the first caller, and `None` to later
    /// ones.
    fn planned(&self, gpu: GpuId, transform: &Transform) -> Option<Box<Preparation>> {
        _ = (gpu, transform);
        None
    }

    /// Puts work into a stream. `function` is the result of [`prepare`](Self::prepare) for the
    /// kernel of a launch. Without it the driver prepares the kernel itself.
    ///
    /// # Safety
    /// Every address in the work must be of memory for the data that the work reads or writes
    /// there. It must stay valid until the work has run. Meanwhile the memory that the work writes
    /// must have no other user.
    unsafe fn issue(
        &self,
        stream: StreamId,
        work: &Work,
        function: Option<FunctionId>,
    ) -> Result<(), DriverError>;

    /// Calls a function that puts work of its own into a stream. Its work in the GPU's default
    /// stream, which many libraries use, runs after earlier work in this stream and before later
    /// work.
    fn lend(&self, stream: StreamId, call: &dyn Call) -> Result<(), Cause>;

    /// Creates a graph that runs the launches one after the other. Runs nothing.
    fn graph(&self, gpu: GpuId, launches: &[Launch]) -> Result<GraphId, DriverError>;

    /// Returns CUPTI's ids of the nodes of the executable graph, in the order of the launches;
    /// empty if CUPTI does not report them.
    fn nodes(&self, graph: GraphId) -> Vec<u64>;

    /// Replaces grid, block and arguments of a launch in a graph; the kernel must be the same.
    fn update(&self, graph: GraphId, at: usize, launch: &Launch) -> Result<(), DriverError>;

    /// Puts all launches of a graph into a stream.
    ///
    /// # Safety
    /// As for [`issue`](Self::issue), for each launch.
    unsafe fn replay(&self, graph: GraphId, stream: StreamId) -> Result<(), DriverError>;

    /// Destroys a graph. Replays under way continue.
    fn forget(&self, graph: GraphId);

    /// Returns whether GPUs have kernels for an operation. Otherwise CPU workers run it.
    fn has_code(&self, body: &Body, operands: &[Operand]) -> bool {
        code::covers(body, operands) && self.lacks(body).is_none()
    }

    /// Returns why the library that an operation needs cannot be used; `None` if it can.
    fn lacks(&self, body: &Body) -> Option<DriverError> {
        let need = body.kernels.gpu()?.need()?;
        self.lacks_functions(need)
    }

    /// Returns why functions of a library cannot be used; `None` if they can.
    fn lacks_functions(&self, need: Need) -> Option<DriverError> {
        _ = need;
        None
    }

    /// Returns the number of bytes of device memory that a library routine needs for itself. The
    /// addresses in `factoring` are not used.
    fn workspace(&self, gpu: GpuId, factoring: &Factoring) -> Result<usize, DriverError> {
        _ = (gpu, factoring);
        Ok(0)
    }

    /// Returns the amount of work put into streams so far.
    fn issued(&self) -> Issued;
}
