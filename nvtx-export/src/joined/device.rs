//! What ties the work on devices that CUPTI saw to launches and clocks.

use super::SourceIndex;
use weft_trace::id::Uid;
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
    /// Those of work on devices that CUPTI in the process saw, in addition.
    pub device: u64,
}
