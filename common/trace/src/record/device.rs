//! Work on devices, as recorded by CUPTI in the process.
//!
//! All times here are on CUPTI's clock, which [`DeviceClock`] samples relate to the monotonic one.
//! In a file without such samples they are on the monotonic clock itself.

use super::code::DeviceWorkKind;
use super::field::List;
use super::frame::record;
use crate::id::{LaunchUid, NameId};
use crate::time::Timestamp;

record! {
    /// A kernel, memcpy or memset on a device.
    50 => DeviceWork {
        /// The kind of work.
        kind: DeviceWorkKind,
        /// The name.
        name: NameId,
        /// The CUDA device.
        device: u32,
        /// The CUDA context.
        context: u32,
        /// The CUDA stream.
        stream: u32,
        /// The correlation id of the API call that started it.
        correlation: u32,
        /// The CUDA graph that it was launched as part of; 0 if none.
        graph: u32,
        /// The node of that graph; 0 if none.
        graph_node: u64,
        /// The start time.
        start: Timestamp,
        /// The end time.
        end: Timestamp,
        /// The number of bytes moved or set; 0 if unknown.
        bytes: u64,
        /// The launch whose UID was pushed as external correlation id, if it was known when this
        /// record was written; otherwise see [`ExternalId`].
        launch: Option<LaunchUid>,
        /// The id of a [`KernelShape`](super::KernelShape), [`CopyRoute`](super::CopyRoute) or
        /// [`FillValue`](super::FillValue); 0 if none.
        detail: u32,
    }
}

record! {
    /// A call of the CUDA runtime or driver.
    51 => ApiCall {
        /// The name of the function, such as `cudaLaunchKernel`.
        name: NameId,
        /// The operating system's id of the calling thread.
        thread: u32,
        /// CUPTI's correlation id.
        correlation: u32,
        /// The start time.
        start: Timestamp,
        /// The time of the return.
        end: Timestamp,
        /// The return value.
        result: u32,
    }
}

record! {
    /// The launch whose UID was pushed as external correlation id when the call with this
    /// correlation id was made. CUPTI delivers it separately from the work, possibly in another
    /// buffer.
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
    /// The nodes of a CUDA graph in one replay of it, with the launches that they stand for. Each
    /// replay has its own record, or several if there are many nodes.
    53 => GraphReplay<'a> {
        /// The launch of the replay, whose UID was the external correlation id when the graph was
        /// launched.
        replay: LaunchUid,
    }
    tail
    /// Ids of graph nodes, as in [`DeviceWork`], each with the launch that it served. The shares of
    /// the launch name its tasks.
    nodes: Nodes<'a>
}

record! {
    /// One instant on two clocks. CUPTI's clock was read between two readings of the monotonic one.
    54 => DeviceClock {
        /// The monotonic clock, before.
        before: Timestamp,
        /// CUPTI's clock.
        device: i64,
        /// The monotonic clock, after.
        after: Timestamp,
    }
}
