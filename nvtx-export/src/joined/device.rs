//! What ties the work on devices that CUPTI saw to launches and clocks.

use super::SourceIndex;
use weft_trace::id::{ProcessorId, Uid};
use weft_trace::record::{CopyRoute, FillValue, KernelShape};
use weft_trace::time::Timestamp;

/// What one node of a CUDA graph stood for in one replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphNode {
    /// Where it was read.
    pub source: SourceIndex,
    /// The launch of the whole graph.
    pub replay: Uid,
    /// The node, as [`Kernel::graph_node`](super::Kernel::graph_node) has it.
    pub node: i64,
    /// The launch that the node was an execution of.
    pub launch: Uid,
}

/// A launch that the runtime made for itself; it serves no task. Its time is in
/// [`Joined::runtime_calls`](super::Joined::runtime_calls).
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
    /// How far the two may be apart, in ns.
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
    /// How far the two may be apart, in ns.
    pub error: u64,
}

/// How far times may be off on the base clock, in ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockError {
    /// Those of a source but for work on devices.
    pub rows: u64,
    /// Those of tasks whose names tie the clocks, which need no drift beyond what was read; else as `rows`.
    pub named: u64,
    /// Those of work on devices that CUPTI in the process saw, in addition.
    pub device: u64,
}

/// A row of [`Joined::details`](super::Joined::details).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DetailIndex(pub u32);

/// What CUPTI in the process told of many kernels at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Detail {
    /// How kernels were launched.
    Kernel(KernelShape),
    /// From where to where copies went.
    Copy(CopyRoute),
    /// What fills wrote.
    Fill(FillValue),
}

/// A look of a rank at another rank's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankLook {
    /// The source of the rank that looked.
    pub source: SourceIndex,
    /// The other rank.
    pub peer: u16,
    /// On the clock of the one that looked.
    pub at: Timestamp,
    /// On the other's.
    pub theirs: Timestamp,
    /// How far the two may be apart, in ns: half of what the look took.
    pub error: u64,
}

/// A call of CUDA that did not return 0, as CUPTI in the process saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailedCall {
    /// Where it was read.
    pub source: SourceIndex,
    /// CUPTI's correlation id.
    pub correlation: i64,
    /// What it returned.
    pub result: u32,
}

/// A call that waited for a device, as CUPTI in the process saw it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Synchronization {
    /// Where it was read.
    pub source: SourceIndex,
    /// What was recorded. Its times are on the clock of this trace.
    pub record: weft_trace::record::Synchronization,
}

/// Memory that CUDA gave or took back, as CUPTI in the process saw it.
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
}
