//! Records that link GPU work from CUPTI to launches and clocks.

use super::SourceIndex;
use weft_trace::id::{ProcessorId, Uid};
use weft_trace::record::{CopyRoute, FillValue, KernelShape};
use weft_trace::time::Timestamp;

/// The launch that a node of a CUDA graph executed in one replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphNode {
    /// Where it was read.
    pub source: SourceIndex,
    /// The launch of the whole graph.
    pub replay: Uid,
    /// The node, as in [`Kernel::graph_node`](super::Kernel::graph_node).
    pub node: i64,
    /// The launch that the node was an execution of.
    pub launch: Uid,
}

/// A launch of the runtime itself, without a task. Its time is in
/// [`Work::runtime_calls`](crate::Work::runtime_calls).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InternalLaunch {
    /// Where it was read.
    pub source: SourceIndex,
    /// Its UID.
    pub uid: Uid,
}

/// The same instant on CUPTI's clock and on that of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceSample {
    /// The source.
    pub source: SourceIndex,
    /// On CUPTI's clock.
    pub device: Timestamp,
    /// On the source's clock.
    pub host: Timestamp,
    /// Maximum difference of the two, in ns.
    pub error: u64,
}

/// The same instant on the wall clock and on that of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WallSample {
    /// The source.
    pub source: SourceIndex,
    /// On the source's clock, as it was recorded.
    pub at: Timestamp,
    /// On the wall clock (ns since 1970-01-01 UTC).
    pub wall: i64,
    /// Maximum difference of the two, in ns.
    pub error: u64,
}

/// Maximum error of times on the base clock, in ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockError {
    /// Those of a source, without GPU work.
    pub rows: u64,
    /// Those of tasks whose names tie the clocks, which need no drift beyond what was read; else as `rows`.
    pub named: u64,
    /// Those of work on devices that CUPTI in the process saw, in addition.
    pub device: u64,
}

/// A row of [`Devices::details`](crate::Devices::details).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DetailIndex(pub u32);

/// Details from CUPTI in the process, shared by many kernels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Detail {
    /// How kernels were launched.
    Kernel(KernelShape),
    /// From where to where copies went.
    Copy(CopyRoute),
    /// What fills wrote.
    Fill(FillValue),
}

/// A rank's reading of another rank's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankLook {
    /// The source of the reading rank.
    pub source: SourceIndex,
    /// The other rank.
    pub peer: u16,
    /// On the reading rank's clock.
    pub at: Timestamp,
    /// On the other rank's clock.
    pub theirs: Timestamp,
    /// Maximum difference of the two, in ns: half the duration of the reading.
    pub error: u64,
}

/// A failed CUDA call, recorded by CUPTI in the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailedCall {
    /// Where it was read.
    pub source: SourceIndex,
    /// CUPTI's correlation id.
    pub correlation: i64,
    /// What it returned.
    pub result: u32,
}

/// A call that waited for a GPU, recorded by CUPTI in the process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Synchronization {
    /// Where it was read.
    pub source: SourceIndex,
    /// What was recorded. Its times are on the clock of this trace.
    pub record: weft_trace::record::Synchronization,
}

/// A CUDA allocation or release, recorded by CUPTI in the process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeviceMemory {
    /// Where it was read.
    pub source: SourceIndex,
    /// What was recorded. Its time is on the clock of this trace.
    pub record: weft_trace::record::DeviceMemory,
}

/// A processor that is a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuProcessor {
    /// Where it was read.
    pub source: SourceIndex,
    /// The processor.
    pub processor: ProcessorId,
    /// The CUDA device of that process.
    pub device: u32,
    /// Its name.
    pub name: super::StringIndex,
    /// Its memory, in bytes.
    pub memory: u64,
    /// Its multiprocessors.
    pub multiprocessors: u32,
    /// Its compute capability, before and after the point.
    pub capability: (u32, u32),
    /// Its UUID; `None` if the profile does not say.
    pub uuid: Option<super::StringIndex>,
}
