//! Tables of physical work, of what it was done for, and of NVTX ranges.

use crate::schema::{Bytes, Count, Key, table};
use std::borrow::Cow;
use weft_model::{KernelKind, Method, RangeKind, Reason, Recorder, SourceIndex};
use weft_trace::id::{ProcessorId, Uid};
use weft_trace::time::Timestamp;

table! {
    /// Physical work. Each row has rows in WEFT_KERNEL_TASK, or one in WEFT_UNMATCHED.
    WEFT_KERNEL => KernelRow<'a> {
        id: Key as id,
        source: SourceIndex as sourceId,
        /// Who recorded it.
        recorder: Recorder as source,
        /// graph: a whole CUDA graph, recorded in place of its nodes.
        kind: KernelKind as kind,
        name: Cow<'a, str> as name,
        rank: Option<u16> as rank,
        processor: Option<ProcessorId> as processorId,
        /// The GPU, by a number that no other GPU of the source has: with Nsight Systems that of TARGET_INFO_GPU, where
        /// TARGET_INFO_CUDA_DEVICE tells which GPU the device of a process is; else the CUDA device of the process.
        device: Option<i64> as deviceId,
        context: Option<i64> as contextId,
        stream: Option<i64> as streamId,
        /// CUPTI's, by which work and the call that started it name each other.
        correlation: Option<i64> as correlationId,
        graph: Option<i64> as graphId,
        graph_node: Option<i64> as graphNodeId,
        /// The start of the CUDA call that launched it. NULL: no call was recorded, as for work on CPUs.
        called: Option<Timestamp> as called,
        start: Timestamp as start,
        end: Timestamp as end,
        /// By a kernel of the runtime, each byte of its operands once, or by a copy. NULL: not known, as of other kernels on GPUs.
        bytes_read: Option<Bytes> as bytesRead,
        /// By a kernel of the runtime, a copy or a fill.
        bytes_written: Option<Bytes> as bytesWritten,
        /// Floating-point operations: those of the tasks that it worked for. NULL: not known, or its launch has other kernels too.
        float_operations: Option<Count> as floatOperations,
        /// The GPU that a copy between two GPUs reads, numbered as deviceId.
        from_device: Option<i64> as fromDeviceId,
        /// The GPU that it writes.
        to_device: Option<i64> as toDeviceId,
    }
}

table! {
    /// What version 1 of the tables has in place of `bytesRead` and `bytesWritten`.
    WEFT_KERNEL => KernelBytesRow {
        id: Key as id,
        /// Written by a kernel of the runtime, or moved by a copy or fill.
        bytes: Option<Bytes> as bytes,
    }
}

table! {
    /// The tasks that a kernel worked for, by its launch.
    WEFT_KERNEL_TASK => KernelTaskRow {
        kernel: i64 as kernelId,
        /// That of the task.
        source: SourceIndex as sourceId,
        launch: Uid as launchUid,
        task: Uid as taskUid,
        /// How the launch was found: recorded by the runtime (nodes of a CUDA graph also by their order, if there are as many as launches); by CUPTI's
        /// external id; by the NVTX range around the call; by name and time.
        method: Method as method,
        /// The task's part of the kernel; those of one kernel add up to 1.
        share: f64 as share,
        /// Whether that is estimated, as in WEFT_LAUNCH_TASK.
        estimated: Option<bool> as estimated,
    }
}

table! {
    /// Kernels without a launch.
    WEFT_UNMATCHED => UnmatchedRow {
        kernel: Key as kernelId,
        reason: Reason as reason,
    }
}

table! {
    /// The innermost NVTX range around the call that started a kernel.
    WEFT_KERNEL_RANGE => KernelRangeRow {
        kernel: Key as kernelId,
        /// The row id in NVTX_EVENTS, or else the id in WEFT_RANGE.
        range: i64 as nvtxRowId,
    }
}

table! {
    /// Ranges without a UID and the tasks whose bodies they are, matched one to one by name, line and time.
    WEFT_RANGE_TASK => RangeTaskRow {
        /// As in WEFT_KERNEL_RANGE.
        range: Key as nvtxRowId,
        source: SourceIndex as sourceId,
        task: Uid as taskUid,
        method: Method as method,
    }
}

table! {
    /// NVTX ranges of sessions whose own tables are not in this database.
    WEFT_RANGE => RangeRow<'a> {
        /// Above the row ids of NVTX_EVENTS.
        id: Key as id,
        source: SourceIndex as sourceId,
        /// The row id in NVTX_EVENTS of its own session.
        row: i64 as nvtxRowId,
        kind: RangeKind as style,
        start: Timestamp as start,
        end: Timestamp as end,
        /// 0: it was open when the session ended.
        closed: bool as closed,
        /// The thread as Nsight Systems numbers them.
        thread: i64 as globalTid,
        /// The thread that ended it, where that is another.
        end_thread: Option<i64> as endGlobalTid,
        domain: Cow<'a, str> as domain,
        message: Cow<'a, str> as message,
        /// 0xAARRGGBB.
        color: Option<u32> as color,
        /// The launch that it names.
        launch: Option<Uid> as launchUid,
    }
}
