//! The activities that CUPTI records. Names and offsets are those of `cupti_activity.h`.

use super::layout::{Number, fields};

/// The kinds of activities that are read, as in `CUpti_ActivityKind`.
pub mod kind {
    /// A copy between host and device, or within a device.
    pub const MEMCPY: u32 = 1;
    /// A fill.
    pub const MEMSET: u32 = 2;
    /// A kernel that ran while concurrent kernels were disabled.
    pub const KERNEL: u32 = 3;
    /// A call of the driver.
    pub const DRIVER: u32 = 4;
    /// A call of the CUDA runtime.
    pub const RUNTIME: u32 = 5;
    /// A kernel.
    pub const CONCURRENT_KERNEL: u32 = 10;
    /// Time that recording itself took.
    pub const OVERHEAD: u32 = 17;
    /// A copy between two devices.
    pub const MEMCPY2: u32 = 22;
    /// A fault or a move of pages of unified memory.
    pub const UNIFIED_MEMORY_COUNTER: u32 = 25;
    /// A call that waited.
    pub const SYNCHRONIZATION: u32 = 38;
    /// An id that was pushed when a call was made.
    pub const EXTERNAL_CORRELATION: u32 = 39;
    /// An allocation or deallocation.
    pub const MEMORY2: u32 = 49;
    /// A whole CUDA graph.
    pub const GRAPH_TRACE: u32 = 51;

    /// All kinds that are read.
    pub const ALL: [u32; 13] = [
        MEMCPY,
        MEMSET,
        KERNEL,
        DRIVER,
        RUNTIME,
        CONCURRENT_KERNEL,
        OVERHEAD,
        MEMCPY2,
        UNIFIED_MEMORY_COUNTER,
        SYNCHRONIZATION,
        EXTERNAL_CORRELATION,
        MEMORY2,
        GRAPH_TRACE,
    ];
}

fields! {
    /// A kernel that ran.
    Kernel = "CUpti_ActivityKernel", 208 bytes {
        /// The number of registers of each thread.
        registers: u16 = 6 "registersPerThread",
        /// The start time.
        start: u64 = 16 "start",
        /// The end time.
        end: u64 = 24 "end",
        /// The CUDA device.
        device: u32 = 40 "deviceId",
        /// The context.
        context: u32 = 44 "contextId",
        /// The stream.
        stream: u32 = 48 "streamId",
        /// The number of blocks along x.
        grid_x: u32 = 52 "gridX",
        /// The number of blocks along y.
        grid_y: u32 = 56 "gridY",
        /// The number of blocks along z.
        grid_z: u32 = 60 "gridZ",
        /// The number of threads of a block along x.
        block_x: u32 = 64 "blockX",
        /// The number of threads of a block along y.
        block_y: u32 = 68 "blockY",
        /// The number of threads of a block along z.
        block_z: u32 = 72 "blockZ",
        /// The shared memory of a block that the kernel declares, in bytes.
        static_shared: u32 = 76 "staticSharedMemory",
        /// The shared memory of a block that the launch requested, in bytes.
        dynamic_shared: u32 = 80 "dynamicSharedMemory",
        /// The local memory of each thread, in bytes.
        local_per_thread: u32 = 84 "localMemoryPerThread",
        /// The correlation id of the API call that started it.
        correlation: u32 = 92 "correlationId",
        /// The number of this execution of the kernel.
        grid_id: u64 = 96 "gridId",
        /// The address of the mangled name.
        name: u64 = 104 "name",
        /// The kind of launch (`CUpti_ActivityLaunchType`).
        launch_type: u8 = 136 "launchType",
        /// The shared memory that was set up for the kernel, in bytes.
        shared_executed: u32 = 140 "sharedMemoryExecuted",
        /// The node of the CUDA graph that launched it; 0 if none.
        graph_node: u64 = 144 "graphNodeId",
        /// The CUDA graph that launched it; 0 if none.
        graph: u32 = 156 "graphId",
        /// The local memory of all threads, in bytes.
        local_total: u64 = 192 "localMemoryTotal_v2",
    }
    later {
        /// Whether it was launched from a device.
        is_device_launched: u8 = 208 "isDeviceLaunched",
    }
}

fields! {
    /// A copy between host and device, or within a device.
    Memcpy = "CUpti_ActivityMemcpy", 88 bytes {
        /// The direction of the copy (`CUpti_ActivityMemcpyKind`).
        copy_kind: u8 = 4 "copyKind",
        /// The kind of memory that was read.
        source_kind: u8 = 5 "srcKind",
        /// The kind of memory that was written.
        destination_kind: u8 = 6 "dstKind",
        /// The number of bytes.
        bytes: u64 = 8 "bytes",
        /// The start time.
        start: u64 = 16 "start",
        /// The end time.
        end: u64 = 24 "end",
        /// The CUDA device.
        device: u32 = 32 "deviceId",
        /// The context.
        context: u32 = 36 "contextId",
        /// The stream.
        stream: u32 = 40 "streamId",
        /// The correlation id of the API call that started it.
        correlation: u32 = 44 "correlationId",
        /// The node of the CUDA graph that launched it; 0 if none.
        graph_node: u64 = 64 "graphNodeId",
        /// The CUDA graph that launched it; 0 if none.
        graph: u32 = 72 "graphId",
    }
    later {
        /// The number of copies that this record represents.
        copies: u64 = 88 "copyCount",
    }
}

fields! {
    /// A copy between two devices.
    PeerCopy = "CUpti_ActivityMemcpyPtoP", 96 bytes {
        /// The direction of the copy (`CUpti_ActivityMemcpyKind`).
        copy_kind: u8 = 4 "copyKind",
        /// The kind of memory that was read.
        source_kind: u8 = 5 "srcKind",
        /// The kind of memory that was written.
        destination_kind: u8 = 6 "dstKind",
        /// The number of bytes.
        bytes: u64 = 8 "bytes",
        /// The start time.
        start: u64 = 16 "start",
        /// The end time.
        end: u64 = 24 "end",
        /// The CUDA device of the stream.
        device: u32 = 32 "deviceId",
        /// The context.
        context: u32 = 36 "contextId",
        /// The stream.
        stream: u32 = 40 "streamId",
        /// The device that was read.
        source_device: u32 = 44 "srcDeviceId",
        /// The context that was read.
        source_context: u32 = 48 "srcContextId",
        /// The device that was written.
        destination_device: u32 = 52 "dstDeviceId",
        /// The context that was written.
        destination_context: u32 = 56 "dstContextId",
        /// The correlation id of the API call that started it.
        correlation: u32 = 60 "correlationId",
        /// The node of the CUDA graph that launched it; 0 if none.
        graph_node: u64 = 72 "graphNodeId",
        /// The CUDA graph that launched it; 0 if none.
        graph: u32 = 80 "graphId",
    }
    later {}
}

fields! {
    /// A fill.
    Memset = "CUpti_ActivityMemset", 88 bytes {
        /// The value that was written.
        value: u32 = 4 "value",
        /// The number of bytes.
        bytes: u64 = 8 "bytes",
        /// The start time.
        start: u64 = 16 "start",
        /// The end time.
        end: u64 = 24 "end",
        /// The CUDA device.
        device: u32 = 32 "deviceId",
        /// The context.
        context: u32 = 36 "contextId",
        /// The stream.
        stream: u32 = 40 "streamId",
        /// The correlation id of the API call that started it.
        correlation: u32 = 44 "correlationId",
        /// The kind of memory.
        memory_kind: u16 = 50 "memoryKind",
        /// The node of the CUDA graph that launched it; 0 if none.
        graph_node: u64 = 64 "graphNodeId",
        /// The CUDA graph that launched it; 0 if none.
        graph: u32 = 72 "graphId",
    }
    later {}
}

fields! {
    /// A call of the driver or of the CUDA runtime.
    Api = "CUpti_ActivityAPI", 40 bytes {
        /// The function.
        function: u32 = 4 "cbid",
        /// The start time.
        start: u64 = 8 "start",
        /// The time of the return.
        end: u64 = 16 "end",
        /// The process.
        process: u32 = 24 "processId",
        /// The thread.
        thread: u32 = 28 "threadId",
        /// The correlation id, shared with the work that the call starts.
        correlation: u32 = 32 "correlationId",
        /// The return value.
        result: u32 = 36 "returnValue",
    }
    later {}
}

fields! {
    /// An id that was pushed when a call was made.
    ExternalCorrelation = "CUpti_ActivityExternalCorrelation", 24 bytes {
        /// The kind of the id, which identifies its owner.
        external_kind: u32 = 4 "externalKind",
        /// The id.
        id: u64 = 8 "externalId",
        /// The correlation id of the API call.
        correlation: u32 = 16 "correlationId",
    }
    later {}
}

fields! {
    /// A call that waited.
    Synchronization = "CUpti_ActivitySynchronization", 40 bytes {
        /// The kind of synchronization (`CUpti_ActivitySynchronizationType`).
        synchronization_type: u32 = 4 "type",
        /// The start time.
        start: u64 = 8 "start",
        /// The end time.
        end: u64 = 16 "end",
        /// The correlation id of the API call.
        correlation: u32 = 24 "correlationId",
        /// The context.
        context: u32 = 28 "contextId",
        /// The stream; all bits set if none.
        stream: u32 = 32 "streamId",
        /// The event; all bits set if none.
        event: u32 = 36 "cudaEventId",
    }
    later {
        /// The return value of the call.
        result: u32 = 48 "returnValue",
    }
}

fields! {
    /// An allocation or deallocation.
    MemoryOperation = "CUpti_ActivityMemory", 120 bytes {
        /// Allocation (1) or deallocation (2).
        operation: u32 = 4 "memoryOperationType",
        /// The kind of memory.
        memory_kind: u32 = 8 "memoryKind",
        /// The correlation id of the API call.
        correlation: u32 = 12 "correlationId",
        /// The address of the first byte.
        address: u64 = 16 "address",
        /// The number of bytes.
        bytes: u64 = 24 "bytes",
        /// The time.
        at: u64 = 32 "timestamp",
        /// The process.
        process: u32 = 48 "processId",
        /// The CUDA device.
        device: u32 = 52 "deviceId",
        /// The context.
        context: u32 = 56 "contextId",
        /// The stream; all bits set if none.
        stream: u32 = 60 "streamId",
    }
    later {}
}

fields! {
    /// A fault or a move of pages of unified memory.
    UnifiedMemory = "CUpti_ActivityUnifiedMemoryCounter", 64 bytes {
        /// The kind (`CUpti_ActivityUnifiedMemoryCounterKind`).
        counter: u32 = 4 "counterKind",
        /// A number of bytes or faults, or of a fault of the host the address of the instruction.
        value: u64 = 8 "value",
        /// The start time.
        start: u64 = 16 "start",
        /// The end time; not set for some kinds.
        end: u64 = 24 "end",
        /// The address of the first page.
        address: u64 = 32 "address",
        /// The device that had the pages, or that faulted; all bits set for the host.
        source: u32 = 40 "srcId",
        /// The device that gets the pages; all bits set for the host.
        destination: u32 = 44 "dstId",
        /// The kind of access of a fault, or the cause of a move.
        flags: u32 = 56 "flags",
    }
    later {}
}

fields! {
    /// Time that recording or the driver took, in addition to the work.
    Overhead = "CUpti_ActivityOverhead", 40 bytes {
        /// The cause (`CUpti_ActivityOverheadKind`).
        overhead_kind: u32 = 4 "overheadKind",
        /// The kind of object that it concerns (`CUpti_ActivityObjectKind`).
        object_kind: u32 = 8 "objectKind",
        /// The process of a thread, or a device.
        process_or_device: u32 = 12 "objectId.pt.processId",
        /// A thread, or the context of a device.
        thread_or_context: u32 = 16 "objectId.pt.threadId",
        /// The stream of a context.
        stream: u32 = 20 "objectId.dcs.streamId",
        /// The start time.
        start: u64 = 24 "start",
        /// The end time.
        end: u64 = 32 "end",
    }
    later {
        /// The correlation id of the API call.
        correlation: u32 = 40 "correlationId",
    }
}

fields! {
    /// A CUDA graph that ran and was recorded as a whole, without its nodes.
    GraphTrace = "CUpti_ActivityGraphTrace", 48 bytes {
        /// The correlation id of the API call that started it.
        correlation: u32 = 4 "correlationId",
        /// The start time.
        start: u64 = 8 "start",
        /// The end time.
        end: u64 = 16 "end",
        /// The CUDA device.
        device: u32 = 24 "deviceId",
        /// The graph.
        graph: u32 = 28 "graphId",
        /// The context.
        context: u32 = 32 "contextId",
        /// The stream.
        stream: u32 = 36 "streamId",
    }
    later {
        /// The device on which it ended.
        end_device: u32 = 48 "endDeviceId",
    }
}

/// The interface of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ApiKind {
    /// The driver: names that begin with `cu`.
    Driver,
    /// The CUDA runtime: names that begin with `cuda`.
    Runtime,
}

/// A parsed record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each variant is documented at its struct")]
pub enum Activity {
    Kernel(Kernel),
    Memcpy(Memcpy),
    PeerCopy(PeerCopy),
    Memset(Memset),
    Api(ApiKind, Api),
    ExternalCorrelation(ExternalCorrelation),
    Synchronization(Synchronization),
    MemoryOperation(MemoryOperation),
    UnifiedMemory(UnifiedMemory),
    Overhead(Overhead),
    GraphTrace(GraphTrace),
}

/// The reason why a record cannot be parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unread {
    /// The kind is unknown.
    #[error("activities of kind {0} are unknown")]
    Unknown(u32),
    /// The record is shorter than any of its kind.
    #[error("an activity of kind {kind} has {length} bytes, too few for one")]
    Short {
        /// The kind; 0 if the record is too short to have one.
        kind: u32,
        /// The length in bytes.
        length: usize,
    },
}

impl Activity {
    /// Parses `record`, which is exactly one record.
    ///
    /// # Errors
    /// Returns an error if the kind is unknown, or the record is too short.
    pub fn parse(record: &[u8]) -> Result<Activity, Unread> {
        let length = record.len();
        let kind = u32::at(record, 0).ok_or(Unread::Short { kind: 0, length })?;
        let activity = match kind {
            kind::KERNEL | kind::CONCURRENT_KERNEL => Kernel::read(record).map(Activity::Kernel),
            kind::MEMCPY => Memcpy::read(record).map(Activity::Memcpy),
            kind::MEMCPY2 => PeerCopy::read(record).map(Activity::PeerCopy),
            kind::MEMSET => Memset::read(record).map(Activity::Memset),
            kind::DRIVER => Api::read(record).map(|api| Activity::Api(ApiKind::Driver, api)),
            kind::RUNTIME => Api::read(record).map(|api| Activity::Api(ApiKind::Runtime, api)),
            kind::EXTERNAL_CORRELATION => {
                ExternalCorrelation::read(record).map(Activity::ExternalCorrelation)
            }
            kind::SYNCHRONIZATION => Synchronization::read(record).map(Activity::Synchronization),
            kind::MEMORY2 => MemoryOperation::read(record).map(Activity::MemoryOperation),
            kind::UNIFIED_MEMORY_COUNTER => {
                UnifiedMemory::read(record).map(Activity::UnifiedMemory)
            }
            kind::OVERHEAD => Overhead::read(record).map(Activity::Overhead),
            kind::GRAPH_TRACE => GraphTrace::read(record).map(Activity::GraphTrace),
            unknown => return Err(Unread::Unknown(unknown)),
        };
        activity.ok_or(Unread::Short { kind, length })
    }

    /// Returns the fields that are read from records of a kind; `None` if the kind is unknown.
    pub const fn layout(kind: u32) -> Option<super::Layout> {
        Some(match kind {
            kind::KERNEL | kind::CONCURRENT_KERNEL => Kernel::LAYOUT,
            kind::MEMCPY => Memcpy::LAYOUT,
            kind::MEMCPY2 => PeerCopy::LAYOUT,
            kind::MEMSET => Memset::LAYOUT,
            kind::DRIVER | kind::RUNTIME => Api::LAYOUT,
            kind::EXTERNAL_CORRELATION => ExternalCorrelation::LAYOUT,
            kind::SYNCHRONIZATION => Synchronization::LAYOUT,
            kind::MEMORY2 => MemoryOperation::LAYOUT,
            kind::UNIFIED_MEMORY_COUNTER => UnifiedMemory::LAYOUT,
            kind::OVERHEAD => Overhead::LAYOUT,
            kind::GRAPH_TRACE => GraphTrace::LAYOUT,
            _ => return None,
        })
    }
}

/// Returns Nsight Systems' name for copies of this kind.
pub const fn memcpy_name(kind: u32) -> &'static str {
    match kind {
        1 => "[CUDA memcpy HtoD]",
        2 => "[CUDA memcpy DtoH]",
        3 => "[CUDA memcpy HtoA]",
        4 => "[CUDA memcpy AtoH]",
        5 => "[CUDA memcpy AtoA]",
        6 => "[CUDA memcpy AtoD]",
        7 => "[CUDA memcpy DtoA]",
        8 => "[CUDA memcpy DtoD]",
        9 => "[CUDA memcpy HtoH]",
        10 => "[CUDA memcpy PtoP]",
        11 => "[CUDA Unified Memory memcpy HtoD]",
        12 => "[CUDA Unified Memory memcpy DtoH]",
        13 => "[CUDA Unified Memory memcpy DtoD]",
        _ => "[CUDA memcpy]",
    }
}
