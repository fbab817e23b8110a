//! Details of work on devices: properties that many pieces of work share, written once, and events
//! other than work.
//!
//! Numbers of kinds are those of CUPTI (`cupti_activity.h`).

use super::frame::record;
use crate::id::{GpuUuid, ProcessorId};
use crate::time::Timestamp;

record! {
    /// A launch configuration that kernels share.
    55 => KernelShape {
        /// The id in [`DeviceWork`](super::DeviceWork).
        id: u32,
        /// The number of blocks along x.
        grid_x: u32,
        /// The number of blocks along y.
        grid_y: u32,
        /// The number of blocks along z.
        grid_z: u32,
        /// The number of threads of a block along x.
        block_x: u32,
        /// The number of threads of a block along y.
        block_y: u32,
        /// The number of threads of a block along z.
        block_z: u32,
        /// The number of registers of each thread.
        registers: u32,
        /// The shared memory of a block that the kernel declares, in bytes.
        static_shared: u32,
        /// The shared memory of a block that the launch requested, in bytes.
        dynamic_shared: u32,
        /// The shared memory that was set up for the kernel, in bytes.
        shared_executed: u32,
        /// The local memory of each thread, in bytes.
        local_per_thread: u32,
        /// The local memory of all threads, in bytes.
        local_total: u64,
        /// `CUpti_ActivityLaunchType`: single (0), or cooperative on one device (1) or several (2).
        launch_type: u32,
    }
}

record! {
    /// The source and destination that copies share.
    56 => CopyRoute {
        /// The id in [`DeviceWork`](super::DeviceWork).
        id: u32,
        /// `CUpti_ActivityMemcpyKind`.
        copy_kind: u32,
        /// The `CUpti_ActivityMemoryKind` that was read.
        source_kind: u32,
        /// The `CUpti_ActivityMemoryKind` that was written.
        destination_kind: u32,
        /// The CUDA device that was read; [`NO_DEVICE`] if unknown.
        source_device: u32,
        /// The context that was read; [`NO_DEVICE`] if unknown.
        source_context: u32,
        /// The CUDA device that was written; [`NO_DEVICE`] if unknown.
        destination_device: u32,
        /// The context that was written; [`NO_DEVICE`] if unknown.
        destination_context: u32,
    }
}

/// The number of no device, context, stream or event.
pub const NO_DEVICE: u32 = u32::MAX;

record! {
    /// The value that fills wrote.
    57 => FillValue {
        /// The id in [`DeviceWork`](super::DeviceWork).
        id: u32,
        /// The value.
        value: u32,
        /// The `CUpti_ActivityMemoryKind` that was written.
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
        /// The stream; [`NO_DEVICE`] if none.
        stream: u32,
        /// The event; [`NO_DEVICE`] if none.
        event: u32,
        /// CUPTI's correlation id of the call.
        correlation: u32,
        /// The start time.
        start: Timestamp,
        /// The end time.
        end: Timestamp,
    }
}

record! {
    /// An allocation or deallocation by CUDA, on CUPTI's clock.
    59 => DeviceMemory {
        /// Allocation (1) or deallocation (2).
        operation: u32,
        /// `CUpti_ActivityMemoryKind`.
        memory_kind: u32,
        /// The CUDA device.
        device: u32,
        /// The context.
        context: u32,
        /// CUPTI's correlation id of the call.
        correlation: u32,
        /// The address of the first byte.
        address: u64,
        /// The number of bytes.
        bytes: u64,
        /// The time.
        at: Timestamp,
    }
}

record! {
    /// A fault or a move of pages of unified memory, on CUPTI's clock.
    61 => PageEvent {
        /// `CUpti_ActivityUnifiedMemoryCounterKind`: bytes from host to device (1), from device to
        /// host (2), fault of the host (3), faults of a device (4), thrashing (5), throttling (6),
        /// remote map (7), or bytes between devices (8).
        counter: u32,
        /// The number of bytes or faults; of a fault of the host the address of its instruction.
        value: u64,
        /// The address of the first page.
        address: u64,
        /// The device that had the pages, or that faulted; [`NO_DEVICE`] for the host.
        source: u32,
        /// The device that gets the pages; [`NO_DEVICE`] for the host.
        destination: u32,
        /// The kind of access of a fault, or the cause of a move.
        flags: u32,
        /// The start time.
        start: Timestamp,
        /// The end time.
        end: Timestamp,
    }
}

record! {
    /// Time that CUPTI or the driver took in addition to the work, on CUPTI's clock.
    62 => Overhead {
        /// `CUpti_ActivityOverheadKind`.
        kind: u32,
        /// The operating system's id of the thread; 0 if unknown.
        thread: u32,
        /// The CUDA device; [`NO_DEVICE`] if it concerns none.
        device: u32,
        /// The context; [`NO_DEVICE`] if it concerns none.
        context: u32,
        /// The stream; [`NO_DEVICE`] if it concerns none.
        stream: u32,
        /// CUPTI's correlation id of the call in which it occurred; 0 if unknown.
        correlation: u32,
        /// The start time.
        start: Timestamp,
        /// The end time.
        end: Timestamp,
    }
}

record! {
    /// The CUDA device of a processor.
    60 => Gpu<'a> {
        /// The processor.
        processor: ProcessorId,
        /// The number of the CUDA device, as in [`DeviceWork`](super::DeviceWork).
        device: u32,
        /// The size of its memory in bytes.
        memory: u64,
        /// The number of its multiprocessors.
        multiprocessors: u32,
        /// The major number of its compute capability.
        major: u32,
        /// The minor number of its compute capability.
        minor: u32,
        /// The theoretical bandwidth of its memory in bytes a second, from clock and bus width;
        /// `None` if the driver does not report them.
        bandwidth: Option<u64>,
        /// Its UUID; `None` if the driver does not report one.
        uuid: Option<GpuUuid>,
    }
    tail
    /// The driver's name for the device.
    name: &'a str
}
