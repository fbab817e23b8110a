//! Tables of physical work, the tasks it served, and NVTX ranges.

use crate::schema::{Bytes, Count, PrimaryKey, table};
use std::borrow::Cow;
use weft_model::{KernelKind, Method, RangeKind, Reason, Recorder, SourceIndex};
use weft_trace::id::{ProcessorId, Uid};
use weft_trace::time::Timestamp;

table! {
    /// Physical work. Each row has rows in WEFT_KERNEL_TASK, or one in WEFT_UNMATCHED.
    WEFT_KERNEL => KernelRow<'a> {
        id: PrimaryKey as id,
        source: SourceIndex as sourceId,
        /// The recorder.
        recorder: Recorder as source,
        /// graph: a whole CUDA graph, recorded in place of its nodes.
        kind: KernelKind as kind,
        name: Cow<'a, str> as name,
        rank: Option<u16> as rank,
        processor: Option<ProcessorId> as processorId,
        /// The GPU, by a number that is unique in the source. With Nsight Systems, the number in
        /// TARGET_INFO_GPU, to which TARGET_INFO_CUDA_DEVICE maps the devices of processes.
        /// Otherwise the CUDA device of the process.
        device: Option<i64> as deviceId,
        context: Option<i64> as contextId,
        stream: Option<i64> as streamId,
        /// CUPTI's correlation id, which work and the call that started it have in common.
        correlation: Option<i64> as correlationId,
        graph: Option<i64> as graphId,
        graph_node: Option<i64> as graphNodeId,
        /// The start of the CUDA call that launched it. NULL: no call was recorded, as for work on
        /// CPUs.
        called: Option<Timestamp> as called,
        start: Timestamp as start,
        end: Timestamp as end,
        /// For a kernel of the runtime, each byte of its operands once; also for copies. NULL:
        /// unknown, as for other kernels on GPUs.
        bytes_read: Option<Bytes> as bytesRead,
        /// For a kernel of the runtime, a copy or a fill.
        bytes_written: Option<Bytes> as bytesWritten,
        /// The floating-point operations of the tasks it served. NULL: unknown, or its launch has
        /// several kernels.
        float_operations: Option<Count> as floatOperations,
        /// The GPU that a copy between two GPUs reads, numbered as deviceId.
        from_device: Option<i64> as fromDeviceId,
        /// The GPU that it writes.
        to_device: Option<i64> as toDeviceId,
    }
}

table! {
    /// The column of version 1 that `bytesRead` and `bytesWritten` replace.
    WEFT_KERNEL => KernelBytesRow {
        id: PrimaryKey as id,
        /// Written by a kernel of the runtime, or moved by a copy or fill.
        bytes: Option<Bytes> as bytes,
    }
}

table! {
    /// The tasks that a kernel served, by its launch.
    WEFT_KERNEL_TASK => KernelTaskRow {
        kernel: i64 as kernelId,
        /// The source of the task.
        source: SourceIndex as sourceId,
        launch: Uid as launchUid,
        task: Uid as taskUid,
        /// How the launch was found. recorded: by the runtime (nodes of a CUDA graph also by their
        /// order, if there are as many as launches); external_id: by CUPTI's external id; range: by
        /// the NVTX range around the call; name_time: by name and time.
        method: Method as method,
        /// The task's share of the kernel. The shares of a kernel add up to 1.
        share: f64 as share,
        /// Whether the share is estimated, as in WEFT_LAUNCH_TASK.
        estimated: Option<bool> as estimated,
    }
}

table! {
    /// Kernels without a launch.
    WEFT_UNMATCHED => UnmatchedRow {
        kernel: PrimaryKey as kernelId,
        reason: Reason as reason,
    }
}

table! {
    /// The innermost NVTX range around the call that started a kernel.
    WEFT_KERNEL_RANGE => KernelRangeRow {
        kernel: PrimaryKey as kernelId,
        /// The row id in NVTX_EVENTS, or else the id in WEFT_RANGE.
        range: i64 as nvtxRowId,
    }
}

table! {
    /// Ranges without a UID and the tasks whose bodies they enclose, matched one to one by name,
    /// line and time.
    WEFT_RANGE_TASK => RangeTaskRow {
        /// As in WEFT_KERNEL_RANGE.
        range: PrimaryKey as nvtxRowId,
        source: SourceIndex as sourceId,
        task: Uid as taskUid,
        method: Method as method,
    }
}

table! {
    /// NVTX ranges of sessions whose own tables are not in this database.
    WEFT_RANGE => RangeRow<'a> {
        /// The id, above all row ids of NVTX_EVENTS.
        id: PrimaryKey as id,
        source: SourceIndex as sourceId,
        /// The row id in NVTX_EVENTS of its own session.
        row: i64 as nvtxRowId,
        kind: RangeKind as style,
        start: Timestamp as start,
        end: Timestamp as end,
        /// 0: it was still open when the session ended.
        closed: bool as closed,
        /// The thread, as numbered by Nsight Systems.
        thread: i64 as globalTid,
        /// The thread that closed it, if another one.
        end_thread: Option<i64> as endGlobalTid,
        domain: Cow<'a, str> as domain,
        message: Cow<'a, str> as message,
        /// 0xAARRGGBB.
        color: Option<u32> as color,
        /// The launch whose UID it carries.
        launch: Option<Uid> as launchUid,
    }
}
