//! What Weft needs of a driver of GPUs. The scheduler knows this trait alone, so that it can be watched at work.

#![allow(
    unsafe_code,
    reason = "promises about device memory are made by the caller"
)]

use std::ptr::NonNull;
use std::sync::Arc;

use super::call::Call;
use super::code::{self, Kernel};
use super::driver::Image;
use super::error::DriverError;
use super::factor::Factoring;
use super::work::{Address, Issued, Launch, Transform, Work};
use crate::error::Cause;
use crate::operation::{Body, Operand};
use weft_config::machine::library::CudaLibrary;
use weft_trace::id::GpuUuid;
use weft_trace::record::CodeOrigin;
use weft_trace::time::Timestamp;

/// Which of this rank's GPUs, from 0: CUDA's ordinal among the visible ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct GpuId(pub(crate) u8);

/// A queue of work of one GPU: what is in it runs in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct StreamId(pub(crate) u16);

/// A mark in a stream that other streams, and the host, can wait for. May be set again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct EventId(pub(crate) u32);

/// A kernel that is loaded on a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FunctionId(pub(crate) u32);

/// A kernel that can be launched.
#[derive(Debug)]
pub(crate) struct Ready {
    pub(crate) function: FunctionId,
    /// How it was made ready; `None` if it already was.
    pub(crate) preparation: Option<Box<Preparation>>,
}

/// Compiling or reading the code of a kernel, and loading it.
#[derive(Debug)]
pub(crate) struct Preparation {
    pub(crate) image: Arc<Image>,
    pub(crate) origin: CodeOrigin,
    /// When a thread began to make it ready.
    pub(crate) start: Timestamp,
    /// When its code was there.
    pub(crate) made: Timestamp,
    /// When it was loaded.
    pub(crate) end: Timestamp,
    /// When the caller began to wait for it; `None` if it was ready.
    pub(crate) waited_from: Option<Timestamp>,
}

/// A sequence of work that can be launched at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct GraphId(pub(crate) u32);

/// What there is to know of a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuInfo {
    /// Its name.
    pub name: String,
    /// Its memory, in bytes.
    pub memory: u64,
    /// Memory that is free at the start, in bytes.
    pub free: u64,
    /// Compute capability, major and minor.
    pub capability: (u32, u32),
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// Bytes a second that its memory can move, by its clock and bus; `None` where the driver does not say.
    pub bandwidth: Option<u64>,
    /// Its UUID; `None` if the driver does not report one.
    pub uuid: Option<GpuUuid>,
}

/// Drives the GPUs of this rank. Any thread may call it. Nothing waits for a GPU but
/// [`synchronize`](Self::synchronize) and [`settle`](Self::settle).
pub(crate) trait Driver: Send + Sync {
    /// The GPUs, by id.
    fn gpus(&self) -> &[GpuInfo];

    /// Makes the calling thread fit to drive GPUs.
    fn enter_thread(&self) -> Result<(), DriverError>;

    /// Waits until the GPU has nothing left to do.
    fn settle(&self, gpu: GpuId) -> Result<(), DriverError>;

    /// Takes device memory.
    fn allocate(&self, gpu: GpuId, bytes: usize) -> Result<Address, DriverError>;

    /// Gives device memory back.
    ///
    /// # Safety
    /// The address came from `allocate` on this GPU, and no work uses it any more.
    unsafe fn free(&self, gpu: GpuId, address: Address);

    /// Takes host memory that every GPU can use at the same address.
    fn allocate_pinned(&self, bytes: usize) -> Result<NonNull<u8>, DriverError>;

    /// Gives such memory back.
    ///
    /// # Safety
    /// The address came from `allocate_pinned`, and nothing uses it any more.
    unsafe fn free_pinned(&self, address: NonNull<u8>);

    /// Makes a stream.
    fn stream(&self, gpu: GpuId) -> Result<StreamId, DriverError>;

    /// Makes an event.
    fn event(&self, gpu: GpuId) -> Result<EventId, DriverError>;

    /// Sets the mark behind all that is in the stream.
    fn record(&self, event: EventId, stream: StreamId) -> Result<(), DriverError>;

    /// Makes what comes into the stream later wait until the mark, as it is set at this call, is reached.
    fn wait(&self, stream: StreamId, event: EventId) -> Result<(), DriverError>;

    /// Whether the mark is reached.
    fn has_reached(&self, event: EventId) -> Result<bool, DriverError>;

    /// Waits until the mark is reached.
    fn synchronize(&self, event: EventId) -> Result<(), DriverError>;

    /// Loads a kernel, and compiles it before if its code is not known.
    fn prepare(&self, gpu: GpuId, kernel: &Kernel) -> Result<Ready, DriverError>;

    /// Begins to make a kernel ready that will be needed, without waiting for it.
    fn foresee(&self, _gpu: GpuId, _kernel: &Kernel) {}

    /// Makes no more kernels ready in the background, and waits for those that have begun: no work is issued any more.
    fn stop_compiling(&self) {}

    /// Bytes of device memory that transforms use while they run, which are given with the [work](Work::Fft). Makes a plan for them if there is
    /// none.
    fn plan(&self, gpu: GpuId, transform: &Transform) -> Result<usize, DriverError> {
        _ = (gpu, transform);
        Ok(0)
    }

    /// How the plan for transforms was made; `None` but for the first caller.
    fn planned(&self, gpu: GpuId, transform: &Transform) -> Option<Box<Preparation>> {
        _ = (gpu, transform);
        None
    }

    /// Puts work into a stream. `function` is what [`prepare`](Self::prepare) gave for the kernel of a launch; without it the driver prepares the
    /// kernel itself.
    ///
    /// # Safety
    /// Every address in the work is of memory that holds what the work reads and writes there, and stays so until the
    /// work has run; nothing else uses what it writes meanwhile.
    unsafe fn issue(
        &self,
        stream: StreamId,
        work: &Work,
        function: Option<FunctionId>,
    ) -> Result<(), DriverError>;

    /// Calls a function that puts work of its own into a stream. What it puts into the GPU's default stream, where many libraries put theirs,
    /// runs behind what is in this stream, and before what comes into it later.
    fn lend(&self, stream: StreamId, call: &dyn Call) -> Result<(), Cause>;

    /// Makes a graph that runs the launches one after the other. Nothing runs.
    fn graph(&self, gpu: GpuId, launches: &[Launch]) -> Result<GraphId, DriverError>;

    /// The ids by which CUPTI knows the nodes of the executable graph, in the order of the launches; empty where CUPTI
    /// does not say.
    fn nodes(&self, graph: GraphId) -> Vec<u64>;

    /// Replaces grid, block and arguments of a launch in a graph; the kernel must be the same.
    fn update(&self, graph: GraphId, at: usize, launch: &Launch) -> Result<(), DriverError>;

    /// Puts all launches of a graph into a stream.
    ///
    /// # Safety
    /// As for [`issue`](Self::issue), for each launch.
    unsafe fn replay(&self, graph: GraphId, stream: StreamId) -> Result<(), DriverError>;

    /// Ends a graph. Replays under way go on.
    fn forget(&self, graph: GraphId);

    /// Whether there are kernels for an operation; CPU workers run it otherwise.
    fn has_code(&self, body: &Body, operands: &[Operand]) -> bool {
        code::covers(body, operands) && self.lacks(body).is_none()
    }

    /// Why a library that does an operation cannot be used.
    fn lacks(&self, body: &Body) -> Option<DriverError> {
        let library = body.kernels.gpu()?.library()?;
        self.lacks_library(library)
    }

    /// Why a library cannot be used.
    fn lacks_library(&self, library: CudaLibrary) -> Option<DriverError> {
        _ = library;
        None
    }

    /// Bytes of device memory that a routine of a library needs for itself. Its addresses are not used.
    fn workspace(&self, gpu: GpuId, factoring: &Factoring) -> Result<usize, DriverError> {
        _ = (gpu, factoring);
        Ok(0)
    }

    /// What was put into streams up to this time.
    fn issued(&self) -> Issued;
}
