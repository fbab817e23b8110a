//! Records that link GPU work from CUPTI to launches and clocks.

use super::SourceIndex;
use weft_trace::id::{ProcessorId, Uid};
use weft_trace::record::{CopyRoute, FillValue, KernelShape};
use weft_trace::time::Timestamp;

/// The launch that a node of a CUDA graph executed in one replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphNode {
    /// The file it was read from.
    pub source: SourceIndex,
    /// The launch of the whole graph.
    pub replay: Uid,
    /// The node, as in [`Kernel::graph_node`](super::Kernel::graph_node).
    pub node: i64,
    /// The launch that this execution of the node belongs to.
    pub launch: Uid,
}

/// A launch of the runtime itself, without a task. Its time is in
/// [`Work::runtime_calls`](crate::Work::runtime_calls).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InternalLaunch {
    /// The file it was read from.
    pub source: SourceIndex,
    /// Its UID.
    pub uid: Uid,
}

/// One instant on CUPTI's clock and on the source's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceSample {
    /// The source.
    pub source: SourceIndex,
    /// The time on CUPTI's clock.
    pub device: Timestamp,
    /// The time on the source's clock.
    pub host: Timestamp,
    /// The largest possible error of the pair, in ns.
    pub error: u64,
}

/// One instant on the wall clock and on the source's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WallSample {
    /// The source.
    pub source: SourceIndex,
    /// The time on the source's clock, as recorded.
    pub at: Timestamp,
    /// The time on the wall clock, in ns since 1970-01-01 UTC.
    pub wall: i64,
    /// The largest possible error of the pair, in ns.
    pub error: u64,
}

/// The largest possible errors of times on the base clock, in ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockError {
    /// The error of a source's rows, except for GPU work.
    pub rows: u64,
    /// The error of tasks if the clocks are aligned by task names, since their drift is known
    /// within the measured range. Otherwise equal to `rows`.
    pub named: u64,
    /// The additional error of device work that CUPTI recorded in the process.
    pub device: u64,
}

/// A row of [`Devices::details`](crate::Devices::details).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DetailIndex(pub u32);

/// Details from CUPTI in the process, shared by many kernels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Detail {
    /// The launch of kernels.
    Kernel(KernelShape),
    /// The ends of copies.
    Copy(CopyRoute),
    /// The value written by fills.
    Fill(FillValue),
}

/// A rank's reading of another rank's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankLook {
    /// The source of the reading rank.
    pub source: SourceIndex,
    /// The other rank.
    pub peer: u16,
    /// The time on the reading rank's clock.
    pub at: Timestamp,
    /// The time on the other rank's clock.
    pub theirs: Timestamp,
    /// The largest possible error of the pair, in ns: half the duration of the reading.
    pub error: u64,
}

/// A failed CUDA call, recorded by CUPTI in the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailedCall {
    /// The file it was read from.
    pub source: SourceIndex,
    /// CUPTI's correlation id.
    pub correlation: i64,
    /// The code that it returned.
    pub result: u32,
}

/// A call that waited for a GPU, recorded by CUPTI in the process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Synchronization {
    /// The file it was read from.
    pub source: SourceIndex,
    /// The record, with times on the clock of this trace.
    pub record: weft_trace::record::Synchronization,
}

/// A CUDA allocation or release, recorded by CUPTI in the process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeviceMemory {
    /// The file it was read from.
    pub source: SourceIndex,
    /// The record, with its time on the clock of this trace.
    pub record: weft_trace::record::DeviceMemory,
}

/// A processor that is a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuProcessor {
    /// The file it was read from.
    pub source: SourceIndex,
    /// The processor.
    pub processor: ProcessorId,
    /// The CUDA device of that process.
    pub device: u32,
    /// Its name.
    pub name: super::StringIndex,
    /// Its memory, in bytes.
    pub memory: u64,
    /// The number of its multiprocessors.
    pub multiprocessors: u32,
    /// Its compute capability: major and minor version.
    pub capability: (u32, u32),
    /// Its UUID; `None` if the profile does not say.
    pub uuid: Option<super::StringIndex>,
}
