//! More about work on devices: what many pieces of it have in common, written once, and what is not work.
//!
//! Numbers of kinds are CUPTI's own (`cupti_activity.h`).

use super::frame::record;
use crate::id::{GpuUuid, ProcessorId};
use crate::time::Timestamp;

record! {
    /// How kernels were launched.
    55 => KernelShape {
        /// The id in [`DeviceWork`](super::DeviceWork).
        id: u32,
        /// Blocks along x.
        grid_x: u32,
        /// Blocks along y.
        grid_y: u32,
        /// Blocks along z.
        grid_z: u32,
        /// Threads of a block along x.
        block_x: u32,
        /// Threads of a block along y.
        block_y: u32,
        /// Threads of a block along z.
        block_z: u32,
        /// Registers of each thread.
        registers: u32,
        /// Shared memory of a block that the kernel declares, in bytes.
        static_shared: u32,
        /// Shared memory of a block that the launch asked for, in bytes.
        dynamic_shared: u32,
        /// Shared memory that was given, in bytes.
        shared_executed: u32,
        /// Local memory of each thread, in bytes.
        local_per_thread: u32,
        /// Local memory of all threads, in bytes.
        local_total: u64,
        /// `CUpti_ActivityLaunchType`: alone (0), or cooperatively on one device (1) or several (2).
        launch_type: u32,
    }
}

record! {
    /// From where to where copies went.
    56 => CopyRoute {
        /// The id in [`DeviceWork`](super::DeviceWork).
        id: u32,
        /// `CUpti_ActivityMemcpyKind`.
        copy_kind: u32,
        /// `CUpti_ActivityMemoryKind` of what was read.
        source_kind: u32,
        /// `CUpti_ActivityMemoryKind` of what was written.
        destination_kind: u32,
        /// The CUDA device that was read; [`NO_DEVICE`] if it is not told.
        source_device: u32,
        /// Its context; [`NO_DEVICE`] if it is not told.
        source_context: u32,
        /// The CUDA device that was written; [`NO_DEVICE`] if it is not told.
        destination_device: u32,
        /// Its context; [`NO_DEVICE`] if it is not told.
        destination_context: u32,
    }
}

/// No device, context, stream or event.
pub const NO_DEVICE: u32 = u32::MAX;

record! {
    /// What fills wrote.
    57 => FillValue {
        /// The id in [`DeviceWork`](super::DeviceWork).
        id: u32,
        /// The value.
        value: u32,
        /// `CUpti_ActivityMemoryKind` of what was written.
        memory_kind: u32,
    }
}

record! {
    /// A call that waited for a device, on CUPTI's clock.
    58 => Synchronization {
        /// `CUpti_ActivitySynchronizationType`.
        kind: u32,
        /// The context.
        context: u32,
        /// The stream; [`NO_DEVICE`] if it is about none.
        stream: u32,
        /// The event; [`NO_DEVICE`] if it is about none.
        event: u32,
        /// CUPTI's correlation id of the call.
        correlation: u32,
        /// When it began.
        start: Timestamp,
        /// When it ended.
        end: Timestamp,
    }
}

record! {
    /// Memory that CUDA gave or took back, on CUPTI's clock.
    59 => DeviceMemory {
        /// Given (1) or taken back (2).
        operation: u32,
        /// `CUpti_ActivityMemoryKind`.
        memory_kind: u32,
        /// The CUDA device.
        device: u32,
        /// The context.
        context: u32,
        /// CUPTI's correlation id of the call.
        correlation: u32,
        /// The first byte.
        address: u64,
        /// How much.
        bytes: u64,
        /// When.
        at: Timestamp,
    }
}

record! {
    /// Which CUDA device a processor is.
    60 => Gpu<'a> {
        /// The processor.
        processor: ProcessorId,
        /// The CUDA device, as [`DeviceWork`](super::DeviceWork) numbers them.
        device: u32,
        /// Its memory, in bytes.
        memory: u64,
        /// Its multiprocessors.
        multiprocessors: u32,
        /// Its compute capability, before the point.
        major: u32,
        /// And after it.
        minor: u32,
        /// Bytes a second that its memory can move by its clock and bus, in theory; `None` if the driver does not say.
        bandwidth: Option<u64>,
        /// Its UUID; `None` if the driver does not report one.
        uuid: Option<GpuUuid>,
    }
    tail
    /// What the driver calls it.
    name: &'a str
}
