//! Work on devices, as CUPTI in the process saw it.
//!
//! All times here are on CUPTI's clock, which [`DeviceClock`] samples tie to the monotonic one. A file without such a
//! sample says that they are on the monotonic clock itself.

use super::code::DeviceWorkKind;
use super::field::List;
use super::frame::record;
use crate::id::{LaunchUid, NameId};
use crate::time::Timestamp;

record! {
    /// A kernel, memcpy or memset on a device.
    50 => DeviceWork {
        /// What it is.
        kind: DeviceWorkKind,
        /// Its name.
        name: NameId,
        /// The CUDA device.
        device: u32,
        /// The CUDA context.
        context: u32,
        /// The CUDA stream.
        stream: u32,
        /// CUPTI's correlation id: that of the API call which started it.
        correlation: u32,
        /// The CUDA graph it was launched as part of; 0 for none.
        graph: u32,
        /// The node of that graph; 0 for none.
        graph_node: u64,
        /// When it began.
        start: Timestamp,
        /// When it ended.
        end: Timestamp,
        /// Bytes it moved or set; 0 if unknown.
        bytes: u64,
        /// The launch whose UID was pushed as external correlation id, where that was known when this was written;
        /// otherwise an [`ExternalId`] may say it.
        launch: Option<LaunchUid>,
        /// The [`KernelShape`](super::KernelShape), [`CopyRoute`](super::CopyRoute) or [`FillValue`](super::FillValue)
        /// with this id; 0 for none.
        detail: u32,
    }
}

record! {
    /// A call of the CUDA runtime or driver.
    51 => ApiCall {
        /// Its name, such as `cudaLaunchKernel`.
        name: NameId,
        /// The operating system's id of the calling thread.
        thread: u32,
        /// CUPTI's correlation id.
        correlation: u32,
        /// When it began.
        start: Timestamp,
        /// When it returned.
        end: Timestamp,
        /// What it returned.
        result: u32,
    }
}

record! {
    /// The launch whose UID was pushed as external correlation id when the call with this correlation id was made. CUPTI
    /// delivers it apart from the work, perhaps in another buffer.
    52 => ExternalId {
        /// CUPTI's correlation id.
        correlation: u32,
        /// The launch.
        launch: LaunchUid,
    }
}

/// Nodes of a CUDA graph, each with the launch that it is an execution of.
pub type Nodes<'a> = List<'a, (u64, LaunchUid)>;

record! {
    /// What the nodes of a CUDA graph stand for in one replay of it. Every replay has its own; one with many nodes has
    /// several of these.
    53 => GraphReplay<'a> {
        /// The launch of the replay: the UID that travelled when the whole graph was launched.
        replay: LaunchUid,
    }
    tail
    /// Graph node ids, as [`DeviceWork`] has them, and what each served: a launch, whose shares name its tasks.
    nodes: Nodes<'a>
}

record! {
    /// The same instant on two clocks. CUPTI's was read between two readings of the monotonic one.
    54 => DeviceClock {
        /// Monotonic clock, before.
        before: Timestamp,
        /// CUPTI's clock.
        device: i64,
        /// Monotonic clock, after.
        after: Timestamp,
    }
}
