//! Tables that Weft writes under Nsight Systems' names and with its columns if no session was
//! recorded. Values that CUPTI does not report are NULL. Source: exports of Nsight Systems 2022.4
//! to 2026.2.

use super::{PrimaryKey, Table, table};
use std::borrow::Cow;
use weft_trace::time::Timestamp;

table! {
    /// Texts by their id.
    StringIds => StringRow<'a> {
        id: PrimaryKey as id,
        value: Cow<'a, str> as value,
    }
}

table! {
    /// Names of threads.
    ThreadNames => ThreadNameRow: Default {
        /// In StringIds.
        name: i64 as nameId,
        priority: Option<i64> as priority,
        thread: Option<i64> as globalTid,
    }
}

table! {
    /// NVTX ranges and domains. Without a session of Nsight Systems, one range for each launch.
    NVTX_EVENTS => NvtxRow<'a>: Default {
        start: Timestamp as start,
        end: Option<Timestamp> as end,
        /// In ENUM_NSYS_EVENT_TYPE.
        kind: i64 as eventType,
        range: Option<i64> as rangeId,
        category: Option<i64> as category,
        color: Option<i64> as color,
        text: Option<Cow<'a, str>> as text,
        /// Process and thread: hardware << 56 | virtual machine << 48 | pid << 24 | tid.
        thread: Option<i64> as globalTid,
        end_thread: Option<i64> as endGlobalTid,
        /// In StringIds.
        text_id: Option<i64> as textId,
        domain: Option<i64> as domainId,
        /// In the domain `weft`, the UID of the launch.
        payload: Option<i64> as uint64Value,
        int64: Option<i64> as int64Value,
        double: Option<f64> as doubleValue,
        uint32: Option<i64> as uint32Value,
        int32: Option<i64> as int32Value,
        float: Option<f64> as floatValue,
        json_text_id: Option<i64> as jsonTextId,
        json_text: Option<Cow<'a, str>> as jsonText,
    }
}

table! {
    /// CUDA kernels that CUPTI recorded.
    CUPTI_ACTIVITY_KIND_KERNEL => CuptiKernelRow: Default {
        start: Timestamp as start,
        end: Timestamp as end,
        device: i64 as deviceId,
        context: i64 as contextId,
        green_context: Option<i64> as greenContextId,
        stream: i64 as streamId,
        correlation: Option<i64> as correlationId,
        process: Option<i64> as globalPid,
        /// In StringIds.
        demangled_name: i64 as demangledName,
        /// In StringIds.
        short_name: i64 as shortName,
        mangled_name: Option<i64> as mangledName,
        /// In ENUM_CUDA_KERNEL_LAUNCH_TYPE.
        launch_type: Option<u32> as launchType,
        cache_config: Option<i64> as cacheConfig,
        registers: u32 as registersPerThread,
        grid_x: u32 as gridX,
        grid_y: u32 as gridY,
        grid_z: u32 as gridZ,
        block_x: u32 as blockX,
        block_y: u32 as blockY,
        block_z: u32 as blockZ,
        static_shared: u32 as staticSharedMemory,
        dynamic_shared: u32 as dynamicSharedMemory,
        local_per_thread: u32 as localMemoryPerThread,
        local_total: i64 as localMemoryTotal,
        grid: i64 as gridId,
        shared_executed: Option<u32> as sharedMemoryExecuted,
        graph_node: Option<i64> as graphNodeId,
        shared_limit: Option<i64> as sharedMemoryLimitConfig,
        graph: Option<i64> as graphId,
    }
}

table! {
    /// Copies that CUPTI recorded.
    CUPTI_ACTIVITY_KIND_MEMCPY => CuptiCopyRow: Default {
        start: Timestamp as start,
        end: Timestamp as end,
        device: i64 as deviceId,
        context: i64 as contextId,
        green_context: Option<i64> as greenContextId,
        stream: i64 as streamId,
        correlation: Option<i64> as correlationId,
        process: Option<i64> as globalPid,
        bytes: i64 as bytes,
        /// In ENUM_CUDA_MEMCPY_OPER.
        copy_kind: u32 as copyKind,
        deprecated_source: Option<i64> as deprecatedSrcId,
        /// In ENUM_CUDA_MEM_KIND.
        source_kind: Option<u32> as srcKind,
        destination_kind: Option<u32> as dstKind,
        source_device: Option<u32> as srcDeviceId,
        source_context: Option<u32> as srcContextId,
        destination_device: Option<u32> as dstDeviceId,
        destination_context: Option<u32> as dstContextId,
        migration_cause: Option<i64> as migrationCause,
        graph_node: Option<i64> as graphNodeId,
        address: Option<i64> as virtualAddress,
    }
}

table! {
    /// Fills that CUPTI recorded.
    CUPTI_ACTIVITY_KIND_MEMSET => CuptiFillRow: Default {
        start: Timestamp as start,
        end: Timestamp as end,
        device: i64 as deviceId,
        context: i64 as contextId,
        green_context: Option<i64> as greenContextId,
        stream: i64 as streamId,
        correlation: Option<i64> as correlationId,
        process: Option<i64> as globalPid,
        value: u32 as value,
        bytes: i64 as bytes,
        graph_node: Option<i64> as graphNodeId,
        /// In ENUM_CUDA_MEM_KIND.
        memory_kind: Option<u32> as memKind,
    }
}

table! {
    /// Calls of the CUDA runtime and driver, recorded by CUPTI.
    CUPTI_ACTIVITY_KIND_RUNTIME => CuptiCallRow: Default {
        start: Timestamp as start,
        end: Timestamp as end,
        /// In ENUM_NSYS_EVENT_CLASS.
        class: i64 as eventClass,
        thread: Option<i64> as globalTid,
        correlation: Option<i64> as correlationId,
        /// In StringIds.
        name: i64 as nameId,
        /// 0: success.
        result: u32 as returnValue,
        call_chain: Option<i64> as callchainId,
    }
}

table! {
    /// Calls that waited for a device, recorded by CUPTI.
    CUPTI_ACTIVITY_KIND_SYNCHRONIZATION => CuptiWaitRow: Default {
        start: Timestamp as start,
        end: Timestamp as end,
        device: i64 as deviceId,
        context: i64 as contextId,
        green_context: Option<i64> as greenContextId,
        stream: i64 as streamId,
        correlation: Option<i64> as correlationId,
        process: Option<i64> as globalPid,
        /// In ENUM_CUPTI_SYNC_TYPE.
        kind: u32 as syncType,
        event: i64 as eventId,
    }
}

table! {
    /// CUDA allocations and releases of memory.
    CUDA_GPU_MEMORY_USAGE_EVENTS => CudaMemoryRow<'a>: Default {
        at: Timestamp as start,
        process: i64 as globalPid,
        device: i64 as deviceId,
        context: i64 as contextId,
        address: i64 as address,
        counter: i64 as pc,
        bytes: i64 as bytes,
        /// In ENUM_CUDA_MEM_KIND.
        memory_kind: u32 as memKind,
        /// In ENUM_CUDA_DEV_MEM_EVENT_OPER.
        operation: u32 as memoryOperationType,
        name: Option<Cow<'a, str>> as name,
        correlation: Option<i64> as correlationId,
        pool_address: Option<i64> as localMemoryPoolAddress,
        pool_threshold: Option<i64> as localMemoryPoolReleaseThreshold,
        pool_size: Option<i64> as localMemoryPoolSize,
        pool_used: Option<i64> as localMemoryPoolUtilizedSize,
        imported_address: Option<i64> as importedMemoryPoolAddress,
        imported_process: Option<i64> as importedMemoryPoolProcessId,
    }
}

table! {
    /// Faults of GPUs on pages of unified memory.
    CUDA_UM_GPU_PAGE_FAULT_EVENTS => GpuFaultRow {
        start: Timestamp as start,
        end: Timestamp as end,
        process: i64 as globalPid,
        device: i64 as deviceId,
        address: i64 as address,
        faults: i64 as numberOfPageFaults,
        /// In ENUM_CUDA_UNIF_MEM_ACCESS_TYPE.
        access: u32 as faultAccessType,
    }
}

table! {
    /// Faults of the host on pages of unified memory.
    CUDA_UM_CPU_PAGE_FAULT_EVENTS => HostFaultRow {
        at: Timestamp as start,
        process: i64 as globalPid,
        address: i64 as address,
        /// The address of the instruction.
        counter: Option<i64> as originalFaultPc,
        /// The function, in StringIds.
        function: i64 as CpuInstruction,
        /// The file of the function, in StringIds.
        module: i64 as module,
        unresolved: Option<i64> as unresolvedFaultPc,
    }
}

table! {
    /// Time that the recorder or the driver took in addition to the work of the program.
    PROFILER_OVERHEAD => ProfilerOverheadRow {
        start: Timestamp as start,
        end: Timestamp as end,
        thread: Option<i64> as globalTid,
        /// In StringIds.
        name: i64 as nameId,
        /// In ENUM_CUPTI_OVERHEAD_TYPE. Earlier versions lack it.
        kind: Option<i64> as overheadType,
        /// 0: success. Later versions lack it.
        result: Option<u32> as returnValue,
    }
}

table! {
    /// The overheads that CUPTI recorded, in later versions.
    CUPTI_ACTIVITY_KIND_OVERHEAD => CuptiOverheadRow {
        start: Timestamp as start,
        end: Timestamp as end,
        thread: Option<i64> as globalTid,
        correlation: Option<i64> as correlationId,
        /// In StringIds.
        name: Option<i64> as nameId,
        /// In ENUM_CUPTI_OVERHEAD_TYPE.
        kind: Option<i64> as overheadType,
    }
}

table! {
    /// GPUs.
    TARGET_INFO_GPU => GpuRow<'a>: Default {
        machine: i64 as vmId,
        id: i64 as id,
        name: Option<Cow<'a, str>> as name,
        bus: Option<Cow<'a, str>> as busLocation,
        discrete: Option<i64> as isDiscrete,
        cache: Option<i64> as l2CacheSize,
        memory: Option<i64> as totalMemory,
        bandwidth: Option<i64> as memoryBandwidth,
        clock: Option<i64> as clockRate,
        multiprocessors: Option<u32> as smCount,
        watched: Option<i64> as pwGpuId,
        uuid: Option<Cow<'a, str>> as uuid,
        luid: Option<i64> as luid,
        chip: Option<Cow<'a, str>> as chipName,
        device: Option<u32> as cuDevice,
        major: Option<u32> as computeMajor,
        minor: Option<u32> as computeMinor,
    }
}

/// The tables above.
pub const NSYS_TABLES: [Table; 13] = [
    StringRow::TABLE,
    ThreadNameRow::TABLE,
    NvtxRow::TABLE,
    CuptiKernelRow::TABLE,
    CuptiCopyRow::TABLE,
    CuptiFillRow::TABLE,
    CuptiCallRow::TABLE,
    CuptiWaitRow::TABLE,
    CudaMemoryRow::TABLE,
    GpuFaultRow::TABLE,
    HostFaultRow::TABLE,
    ProfilerOverheadRow::TABLE,
    GpuRow::TABLE,
];

/// A table of names of numbers. A row holds number, name and label.
pub type Names = (&'static str, &'static [(i64, &'static str, &'static str)]);

/// Returns the SQL that creates and fills a table of names.
pub fn create_names(names: &Names) -> String {
    let (table, rows) = names;
    let rows: Vec<String> = rows
        .iter()
        .map(|(id, name, label)| format!("    ({id}, '{name}', '{label}')"))
        .collect();
    format!(
        "CREATE TABLE {table} (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);\n\
         INSERT INTO {table} VALUES\n{};\n",
        rows.join(",\n")
    )
}

/// The event types in [`NvtxRow`].
pub const EVENT_TYPES: Names = (
    "ENUM_NSYS_EVENT_TYPE",
    &[
        (33, "NvtxCategory", "NvtxCategory"),
        (59, "NvtxPushPopRange", "NvtxPushPopRange"),
        (75, "NvtxDomainCreate", "NvtxDomainCreate"),
    ],
);

/// The names of the numbers in the tables of CUPTI.
pub const CUDA_NAMES: [Names; 8] = [
    (
        "ENUM_CUDA_MEMCPY_OPER",
        &[
            (0, "CUDA_MEMCPY_KIND_UNKNOWN", "Unknown"),
            (1, "CUDA_MEMCPY_KIND_HTOD", "Host-to-Device"),
            (2, "CUDA_MEMCPY_KIND_DTOH", "Device-to-Host"),
            (3, "CUDA_MEMCPY_KIND_HTOA", "Host-to-Array"),
            (4, "CUDA_MEMCPY_KIND_ATOH", "Array-to-Host"),
            (5, "CUDA_MEMCPY_KIND_ATOA", "Array-to-Array"),
            (6, "CUDA_MEMCPY_KIND_ATOD", "Array-to-Device"),
            (7, "CUDA_MEMCPY_KIND_DTOA", "Device-to-Array"),
            (8, "CUDA_MEMCPY_KIND_DTOD", "Device-to-Device"),
            (9, "CUDA_MEMCPY_KIND_HTOH", "Host-to-Host"),
            (10, "CUDA_MEMCPY_KIND_PTOP", "Peer-to-Peer"),
            (11, "CUDA_MEMCPY_KIND_UVM_HTOD", "Unified Host-to-Device"),
            (12, "CUDA_MEMCPY_KIND_UVM_DTOH", "Unified Device-to-Host"),
            (13, "CUDA_MEMCPY_KIND_UVM_DTOD", "Unified Device-to-Device"),
        ],
    ),
    (
        "ENUM_CUDA_MEM_KIND",
        &[
            (0, "CUDA_MEMOPR_MEMORY_KIND_PAGEABLE", "Pageable"),
            (1, "CUDA_MEMOPR_MEMORY_KIND_PINNED", "Pinned"),
            (2, "CUDA_MEMOPR_MEMORY_KIND_DEVICE", "Device"),
            (3, "CUDA_MEMOPR_MEMORY_KIND_ARRAY", "Array"),
            (4, "CUDA_MEMOPR_MEMORY_KIND_MANAGED", "Managed"),
            (5, "CUDA_MEMOPR_MEMORY_KIND_DEVICE_STATIC", "Device Static"),
            (
                6,
                "CUDA_MEMOPR_MEMORY_KIND_MANAGED_STATIC",
                "Managed Static",
            ),
            (7, "CUDA_MEMOPR_MEMORY_KIND_UNKNOWN", "Unknown"),
        ],
    ),
    (
        "ENUM_CUDA_DEV_MEM_EVENT_OPER",
        &[
            (0, "CUDA_DEV_MEM_EVENT_OPR_ALLOCATION", "Allocation"),
            (1, "CUDA_DEV_MEM_EVENT_OPR_DEALLOCATION", "Deallocation"),
        ],
    ),
    (
        "ENUM_CUDA_UNIF_MEM_ACCESS_TYPE",
        &[
            (0, "CUDA_UNIFIED_MEMORY_ACCESS_TYPE_UNKNOWN", "Unknown"),
            (1, "CUDA_UNIFIED_MEMORY_ACCESS_TYPE_READ", "Read"),
            (2, "CUDA_UNIFIED_MEMORY_ACCESS_TYPE_WRITE", "Write"),
            (3, "CUDA_UNIFIED_MEMORY_ACCESS_TYPE_ATOMIC", "Atomic"),
            (4, "CUDA_UNIFIED_MEMORY_ACCESS_TYPE_PREFETCH", "Prefetch"),
        ],
    ),
    (
        "ENUM_CUDA_KERNEL_LAUNCH_TYPE",
        &[
            (0, "CUDA_KERNEL_LAUNCH_TYPE_UNKNOWN", "Unknown"),
            (1, "CUDA_KERNEL_LAUNCH_TYPE_REGULAR", "Regular"),
            (
                2,
                "CUDA_KERNEL_LAUNCH_TYPE_COOPERATIVE_SINGLE_DEVICE",
                "Coop Single Device",
            ),
            (
                3,
                "CUDA_KERNEL_LAUNCH_TYPE_COOPERATIVE_MULTI_DEVICE",
                "Coop Multi Device",
            ),
        ],
    ),
    (
        "ENUM_CUPTI_SYNC_TYPE",
        &[
            (0, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_UNKNOWN", "Unknown"),
            (
                1,
                "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE",
                "Event sync",
            ),
            (
                2,
                "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT",
                "Stream wait sync",
            ),
            (
                3,
                "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE",
                "Stream sync",
            ),
            (
                4,
                "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE",
                "Context sync",
            ),
        ],
    ),
    (
        "ENUM_CUPTI_OVERHEAD_TYPE",
        &[
            (0, "OVERHEAD_UNDEFINED", "Undefined"),
            (1, "OVERHEAD_UNKNOWN", "Unknown"),
            (2, "OVERHEAD_DRIVER_COMPILER", "Driver JIT compiler (CUDA)"),
            (3, "OVERHEAD_CUPTI_BUFFER_FLUSH", "Buffer flush (Profiler)"),
            (
                4,
                "OVERHEAD_CUPTI_INSTRUMENTATION",
                "Instrumentation (Profiler)",
            ),
            (
                5,
                "OVERHEAD_CUPTI_RESOURCE",
                "Resource creation/destruction (Profiler)",
            ),
            (
                6,
                "OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING",
                "Runtime module loading (CUDA)",
            ),
            (
                7,
                "OVERHEAD_LAZY_FUNCTION_LOADING",
                "Lazy function loading (CUDA)",
            ),
            (
                8,
                "OVERHEAD_COMMAND_BUFFER_FULL",
                "Command buffer full (CUDA)",
            ),
        ],
    ),
    (
        "ENUM_NSYS_EVENT_CLASS",
        &[
            (0, "TRACE_PROCESS_EVENT_CUDA_RUNTIME", "CUDA runtime"),
            (1, "TRACE_PROCESS_EVENT_CUDA_DRIVER", "CUDA driver"),
        ],
    ),
];
