//! What CUPTI tells, kind by kind. Names and offsets are those of `cupti_activity.h`.

use super::layout::{Number, fields};

/// Kinds of activities that are read, by `CUpti_ActivityKind`.
pub mod kind {
    /// A copy between host and device, or within a device.
    pub const MEMCPY: u32 = 1;
    /// A fill.
    pub const MEMSET: u32 = 2;
    /// A kernel, where kernels were kept from running beside each other.
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
    /// A call that waits.
    pub const SYNCHRONIZATION: u32 = 38;
    /// The id that was pushed when a call was made.
    pub const EXTERNAL_CORRELATION: u32 = 39;
    /// Memory taken or given back.
    pub const MEMORY2: u32 = 49;
    /// A whole CUDA graph.
    pub const GRAPH_TRACE: u32 = 51;

    /// All of them.
    pub const ALL: [u32; 12] = [
        MEMCPY,
        MEMSET,
        KERNEL,
        DRIVER,
        RUNTIME,
        CONCURRENT_KERNEL,
        OVERHEAD,
        MEMCPY2,
        SYNCHRONIZATION,
        EXTERNAL_CORRELATION,
        MEMORY2,
        GRAPH_TRACE,
    ];
}

fields! {
    /// A kernel that ran.
    Kernel = "CUpti_ActivityKernel", 208 bytes {
        /// Registers of each thread.
        registers: u16 = 6 "registersPerThread",
        /// When it began.
        start: u64 = 16 "start",
        /// When it ended.
        end: u64 = 24 "end",
        /// The CUDA device.
        device: u32 = 40 "deviceId",
        /// The context.
        context: u32 = 44 "contextId",
        /// The stream.
        stream: u32 = 48 "streamId",
        /// Blocks along x.
        grid_x: u32 = 52 "gridX",
        /// Blocks along y.
        grid_y: u32 = 56 "gridY",
        /// Blocks along z.
        grid_z: u32 = 60 "gridZ",
        /// Threads of a block along x.
        block_x: u32 = 64 "blockX",
        /// Threads of a block along y.
        block_y: u32 = 68 "blockY",
        /// Threads of a block along z.
        block_z: u32 = 72 "blockZ",
        /// Shared memory of a block that the kernel declares, in bytes.
        static_shared: u32 = 76 "staticSharedMemory",
        /// Shared memory of a block that the launch asked for, in bytes.
        dynamic_shared: u32 = 80 "dynamicSharedMemory",
        /// Local memory of each thread, in bytes.
        local_per_thread: u32 = 84 "localMemoryPerThread",
        /// The call that started it.
        correlation: u32 = 92 "correlationId",
        /// The number of this run of it.
        grid_id: u64 = 96 "gridId",
        /// The address of its name, mangled.
        name: u64 = 104 "name",
        /// How it was launched.
        launch_type: u8 = 136 "launchType",
        /// Shared memory that it was given, in bytes.
        shared_executed: u32 = 140 "sharedMemoryExecuted",
        /// The node of the graph that launched it; 0 for none.
        graph_node: u64 = 144 "graphNodeId",
        /// The graph that launched it; 0 for none.
        graph: u32 = 156 "graphId",
        /// Local memory of all threads, in bytes.
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
        /// From which side to which.
        copy_kind: u8 = 4 "copyKind",
        /// The kind of memory it read.
        source_kind: u8 = 5 "srcKind",
        /// The kind of memory it wrote.
        destination_kind: u8 = 6 "dstKind",
        /// How much.
        bytes: u64 = 8 "bytes",
        /// When it began.
        start: u64 = 16 "start",
        /// When it ended.
        end: u64 = 24 "end",
        /// The CUDA device.
        device: u32 = 32 "deviceId",
        /// The context.
        context: u32 = 36 "contextId",
        /// The stream.
        stream: u32 = 40 "streamId",
        /// The call that started it.
        correlation: u32 = 44 "correlationId",
        /// The node of the graph that launched it; 0 for none.
        graph_node: u64 = 64 "graphNodeId",
        /// The graph that launched it; 0 for none.
        graph: u32 = 72 "graphId",
    }
    later {
        /// Copies that this record stands for.
        copies: u64 = 88 "copyCount",
    }
}

fields! {
    /// A copy between two devices.
    PeerCopy = "CUpti_ActivityMemcpyPtoP", 96 bytes {
        /// From which side to which.
        copy_kind: u8 = 4 "copyKind",
        /// The kind of memory it read.
        source_kind: u8 = 5 "srcKind",
        /// The kind of memory it wrote.
        destination_kind: u8 = 6 "dstKind",
        /// How much.
        bytes: u64 = 8 "bytes",
        /// When it began.
        start: u64 = 16 "start",
        /// When it ended.
        end: u64 = 24 "end",
        /// The CUDA device whose stream it was in.
        device: u32 = 32 "deviceId",
        /// The context.
        context: u32 = 36 "contextId",
        /// The stream.
        stream: u32 = 40 "streamId",
        /// The device it read.
        source_device: u32 = 44 "srcDeviceId",
        /// The context it read.
        source_context: u32 = 48 "srcContextId",
        /// The device it wrote.
        destination_device: u32 = 52 "dstDeviceId",
        /// The context it wrote.
        destination_context: u32 = 56 "dstContextId",
        /// The call that started it.
        correlation: u32 = 60 "correlationId",
        /// The node of the graph that launched it; 0 for none.
        graph_node: u64 = 72 "graphNodeId",
        /// The graph that launched it; 0 for none.
        graph: u32 = 80 "graphId",
    }
    later {}
}

fields! {
    /// A fill.
    Memset = "CUpti_ActivityMemset", 88 bytes {
        /// With what.
        value: u32 = 4 "value",
        /// How much.
        bytes: u64 = 8 "bytes",
        /// When it began.
        start: u64 = 16 "start",
        /// When it ended.
        end: u64 = 24 "end",
        /// The CUDA device.
        device: u32 = 32 "deviceId",
        /// The context.
        context: u32 = 36 "contextId",
        /// The stream.
        stream: u32 = 40 "streamId",
        /// The call that started it.
        correlation: u32 = 44 "correlationId",
        /// The kind of memory.
        memory_kind: u16 = 50 "memoryKind",
        /// The node of the graph that launched it; 0 for none.
        graph_node: u64 = 64 "graphNodeId",
        /// The graph that launched it; 0 for none.
        graph: u32 = 72 "graphId",
    }
    later {}
}

fields! {
    /// A call of the driver or of the CUDA runtime.
    Api = "CUpti_ActivityAPI", 40 bytes {
        /// Which function.
        function: u32 = 4 "cbid",
        /// When it began.
        start: u64 = 8 "start",
        /// When it returned.
        end: u64 = 16 "end",
        /// The process.
        process: u32 = 24 "processId",
        /// The thread.
        thread: u32 = 28 "threadId",
        /// The number of the call, which the work it starts carries.
        correlation: u32 = 32 "correlationId",
        /// What it returned.
        result: u32 = 36 "returnValue",
    }
    later {}
}

fields! {
    /// The id that was pushed when a call was made.
    ExternalCorrelation = "CUpti_ActivityExternalCorrelation", 24 bytes {
        /// Whose ids these are.
        external_kind: u32 = 4 "externalKind",
        /// The id.
        id: u64 = 8 "externalId",
        /// The call.
        correlation: u32 = 16 "correlationId",
    }
    later {}
}

fields! {
    /// A call that waited.
    Synchronization = "CUpti_ActivitySynchronization", 40 bytes {
        /// What for.
        synchronization_type: u32 = 4 "type",
        /// When it began.
        start: u64 = 8 "start",
        /// When it ended.
        end: u64 = 16 "end",
        /// The call.
        correlation: u32 = 24 "correlationId",
        /// The context.
        context: u32 = 28 "contextId",
        /// The stream; all bits set if it is about none.
        stream: u32 = 32 "streamId",
        /// The event; all bits set if it is about none.
        event: u32 = 36 "cudaEventId",
    }
    later {
        /// What the call returned.
        result: u32 = 48 "returnValue",
    }
}

fields! {
    /// Memory taken or given back.
    MemoryOperation = "CUpti_ActivityMemory", 120 bytes {
        /// Taken (1) or given back (2).
        operation: u32 = 4 "memoryOperationType",
        /// The kind of memory.
        memory_kind: u32 = 8 "memoryKind",
        /// The call.
        correlation: u32 = 12 "correlationId",
        /// The first byte.
        address: u64 = 16 "address",
        /// How much.
        bytes: u64 = 24 "bytes",
        /// When.
        at: u64 = 32 "timestamp",
        /// The process.
        process: u32 = 48 "processId",
        /// The CUDA device.
        device: u32 = 52 "deviceId",
        /// The context.
        context: u32 = 56 "contextId",
        /// The stream; all bits set if it is about none.
        stream: u32 = 60 "streamId",
    }
    later {}
}

fields! {
    /// Time that recording, or the driver, took beside the work.
    Overhead = "CUpti_ActivityOverhead", 40 bytes {
        /// For what.
        overhead_kind: u32 = 4 "overheadKind",
        /// When it began.
        start: u64 = 24 "start",
        /// When it ended.
        end: u64 = 32 "end",
    }
    later {
        /// The call.
        correlation: u32 = 40 "correlationId",
    }
}

fields! {
    /// A CUDA graph that ran, where its nodes are not told apart.
    GraphTrace = "CUpti_ActivityGraphTrace", 48 bytes {
        /// The call that started it.
        correlation: u32 = 4 "correlationId",
        /// When it began.
        start: u64 = 8 "start",
        /// When it ended.
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
        /// The device that it ended on.
        end_device: u32 = 48 "endDeviceId",
    }
}

/// Of which interface a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ApiKind {
    /// The driver: names that begin with `cu`.
    Driver,
    /// The CUDA runtime: names that begin with `cuda`.
    Runtime,
}

/// What one record tells.
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
    Overhead(Overhead),
    GraphTrace(GraphTrace),
}

/// Why a record tells nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unread {
    /// It is of a kind that is not read.
    #[error("activities of kind {0} are unknown")]
    Unknown(u32),
    /// It is shorter than records of its kind are.
    #[error("an activity of kind {kind} has {length} bytes, too few for one")]
    Short {
        /// Its kind; 0 if not even that is there.
        kind: u32,
        /// Its length in bytes.
        length: usize,
    },
}

impl Activity {
    /// Reads the record that takes all of `record`.
    ///
    /// # Errors
    /// It is of an unknown kind, or too short.
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
            kind::OVERHEAD => Overhead::read(record).map(Activity::Overhead),
            kind::GRAPH_TRACE => GraphTrace::read(record).map(Activity::GraphTrace),
            unknown => return Err(Unread::Unknown(unknown)),
        };
        activity.ok_or(Unread::Short { kind, length })
    }

    /// What is read of records of a kind; `None` of unknown ones.
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
            kind::OVERHEAD => Overhead::LAYOUT,
            kind::GRAPH_TRACE => GraphTrace::LAYOUT,
            _ => return None,
        })
    }
}

/// What Nsight Systems calls a copy of this kind in its reports.
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
