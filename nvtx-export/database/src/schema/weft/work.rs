//! Tables of what ran, and why it waited.

use crate::schema::{Bytes, Count, Key, table};
use std::borrow::Cow;
use weft_model::{SourceIndex, StepKind, WaitKind};
use weft_trace::id::{ProcessorId, Uid};
use weft_trace::record::{CodeOrigin, DependencyKind};
use weft_trace::time::{Nanos, Timestamp};

table! {
    /// Operations on one tile, each run on one processor. A launch of several tasks stands whole in each of them, so that the sum
    /// of end - start counts it several times: the view weft_task_time has the share of each as `time`.
    WEFT_TASK => TaskRow<'a> {
        source: SourceIndex as sourceId,
        uid: Uid as uid,
        operation: Uid as opUid,
        /// Which of the operation's tasks.
        point: u32 as point,
        rank: Option<u16> as rank,
        /// That of the operation.
        name: Cow<'a, str> as name,
        /// The kind of processor whose code it ran.
        variant: Option<Cow<'a, str>> as variant,
        /// 0xAARRGGBB, by its name.
        color: Option<i64> as color,
        processor: ProcessorId as processorId,
        /// When the analysis made it.
        created: Timestamp as created,
        /// When the last task that it depends on had ended.
        ready: Timestamp as ready,
        start: Timestamp as start,
        end: Timestamp as end,
        provenance: Option<u32> as provenanceId,
        /// The first start of its work on a device, where a runtime recorded that in place of kernels.
        device_start: Option<Timestamp> as deviceStart,
        /// The last end of that work.
        device_end: Option<Timestamp> as deviceEnd,
        /// Of end - start, the time in which tasks ran that started later on the same processor; NULL: none.
        nested: Option<Nanos> as nested,
        /// Floating-point operations that it computes, as docs/roofline.md counts them. NULL: not known.
        float_operations: Option<Count> as floatOperations,
        /// Bits of the numbers that it computes with: 64 or 32.
        float_bits: Option<u16> as floatBits,
    }
}

table! {
    /// What was handed to a processor: one or more tasks at once.
    WEFT_LAUNCH => LaunchRow {
        source: SourceIndex as sourceId,
        /// The number that travels in NVTX payloads and CUPTI's external ids.
        uid: Uid as uid,
        processor: ProcessorId as processorId,
        start: Timestamp as start,
        end: Timestamp as end,
    }
}

table! {
    /// The tasks that a launch serves.
    WEFT_LAUNCH_TASK => LaunchTaskRow {
        source: SourceIndex as sourceId,
        launch: Uid as launchUid,
        task: Uid as taskUid,
        /// The task's part of the launch; those of one launch add up to 1.
        share: f64 as share,
        /// 0: the share was measured, on CPUs in one of 64 blocks of the data; 1: only the whole launch was timed, and divided by the bytes that
        /// each task writes or by too small a sample.
        estimated: Option<bool> as estimated,
        /// ns: If estimated, the task's part of what the launch took: of device time if it did work on a device, else from its start to its end.
        estimated_time: Option<i64> as estimatedTime,
    }
}

table! {
    /// Why one task waited for another.
    WEFT_DEPENDENCY => DependencyRow {
        source: SourceIndex as sourceId,
        /// The earlier task.
        from: Uid as fromUid,
        /// The later task.
        to: Uid as toUid,
        kind: DependencyKind as kind,
        /// The store that both access: of several the one with most bytes, of those through which data flows if there are some.
        /// NULL in profiles of earlier versions.
        store: Option<Uid> as storeUid,
        /// Bytes of it that both access, at most; exact where the views of both are boxes of the store.
        bytes: Option<Bytes> as bytes,
    }
}

table! {
    /// Times in which a task, or the program's own thread, could not go on.
    WEFT_WAIT => WaitRow {
        source: SourceIndex as sourceId,
        /// event: a task waited for an event; value: the program, or the body of a task, waited for the end of `opUid`; all: of all
        /// that it had asked for; limit: too many operations were under way; agreement: other ranks had not come as far; exchange: a tile
        /// of a concurrent task waited for the other tiles, whose operation is `opUid`.
        kind: Option<WaitKind> as kind,
        /// NULL of the program.
        task: Option<Uid> as taskUid,
        processor: Option<ProcessorId> as processorId,
        operation: Option<Uid> as opUid,
        /// When it stopped running.
        start: Timestamp as start,
        /// When what it waited for had come; `end` where that is not known.
        ready: Timestamp as ready,
        /// When it ran again.
        end: Timestamp as end,
    }
}

table! {
    /// What the runtime itself did for an operation.
    WEFT_RUNTIME_CALL => RuntimeCallRow<'a> {
        id: Key as id,
        source: SourceIndex as sourceId,
        kind: Cow<'a, str> as kind,
        operation: Option<Uid> as opUid,
        processor: ProcessorId as processorId,
        start: Timestamp as start,
        end: Timestamp as end,
    }
}

table! {
    /// Kernels that were made ready for a GPU: compiled, or read from the disk, and loaded, several at a time; and plans of cuFFT.
    /// WEFT_RUNTIME_CALL has a row of the kind `compile` for the time that a launch waited for one.
    WEFT_COMPILE => CompileRow<'a> {
        source: SourceIndex as sourceId,
        /// The launch that needed the kernel first.
        launch: Uid as launchUid,
        /// The operation of its first task.
        operation: Uid as opUid,
        /// The GPU.
        processor: ProcessorId as processorId,
        /// The kernel's name; of a plan as in `cufft_z2z_1024x16`: the numbers, the length of lines, and their number.
        kernel: Cow<'a, str> as kernel,
        /// sm_N: code of this architecture. compute_N: PTX, which the driver compiles while it loads it.
        target: Cow<'a, str> as target,
        /// The first 8 bytes of the SHA-256 of the CUDA source, as a signed integer: kernels of one name may differ. 0 of a plan.
        source_hash: i64 as sourceHash,
        /// compiled: NVRTC made the code, or cuFFT the plan; disk: an earlier run had kept it; memory: the same run had compiled it for another GPU.
        origin: CodeOrigin as origin,
        start: Timestamp as start,
        /// When the code was there; loading it took the rest.
        made: Timestamp as made,
        end: Timestamp as end,
        /// The last part of that time, in which the launch waited for the kernel; it may be longer than that time if the kernel had to wait for
        /// others. NULL: all of it.
        waited: Option<Nanos> as waited,
    }
}

table! {
    /// The chain of steps that set the run's length, over all ranks, earliest first. Each instant belongs to one step, and the parts
    /// add up to the run's length.
    WEFT_CRITICAL_PATH => CriticalRow {
        /// From 1.
        step: Key as step,
        source: SourceIndex as sourceId,
        rank: Option<u16> as rank,
        /// issue: work was handed to a GPU; compile: a kernel was compiled or read, and loaded; program: the program's own time before the call of `opUid`; wait: the program had
        /// waited and went on; queue: what could begin had not begun.
        kind: StepKind as kind,
        /// A task, a copy, or dependent partitioning, which counts as analysis; NULL of the program and other analysis.
        uid: Option<Uid> as uid,
        operation: Option<Uid> as opUid,
        processor: Option<ProcessorId> as processorId,
        start: Timestamp as start,
        end: Timestamp as end,
        /// What it adds to the run's length: end - start, or of a launch of several tasks the share of one.
        part: Nanos as part,
        provenance: Option<u32> as provenanceId,
    }
}
