//! Tables of the recorded work, and of the reasons for its waits.

use crate::schema::{Bytes, Count, PrimaryKey, table};
use std::borrow::Cow;
use weft_model::{SourceIndex, StepKind, WaitKind};
use weft_trace::id::{ProcessorId, Uid};
use weft_trace::record::{CodeOrigin, DependencyKind};
use weft_trace::time::{Nanos, Timestamp};

table! {
    /// Operations on one tile, each run on one processor. The time of a launch of several tasks
    /// appears in full in each of them, so a sum of end - start counts it several times. The view
    /// weft_task_time has the share of each task as `time`.
    WEFT_TASK => TaskRow<'a> {
        source: SourceIndex as sourceId,
        uid: Uid as uid,
        operation: Uid as opUid,
        /// The index of the task in its operation.
        point: u32 as point,
        rank: Option<u16> as rank,
        /// The name of the operation.
        name: Cow<'a, str> as name,
        /// The kind of processor whose code it ran.
        variant: Option<Cow<'a, str>> as variant,
        /// 0xAARRGGBB, derived from its name.
        color: Option<i64> as color,
        processor: ProcessorId as processorId,
        /// The time at which the analysis created it.
        created: Timestamp as created,
        /// The time at which the last of its predecessors ended.
        ready: Timestamp as ready,
        start: Timestamp as start,
        end: Timestamp as end,
        provenance: Option<u32> as provenanceId,
        /// The first start of its work on a device, if the runtime recorded that instead of
        /// kernels.
        device_start: Option<Timestamp> as deviceStart,
        /// The last end of that work.
        device_end: Option<Timestamp> as deviceEnd,
        /// The part of end - start in which tasks ran that started later on the same processor.
        /// NULL: none.
        nested: Option<Nanos> as nested,
        /// Its floating-point operations, counted as in docs/roofline.md. NULL: unknown.
        float_operations: Option<Count> as floatOperations,
        /// The width of its numbers in bits: 64 or 32.
        float_bits: Option<u16> as floatBits,
    }
}

table! {
    /// Work handed to a processor in one piece: one or more tasks.
    WEFT_LAUNCH => LaunchRow {
        source: SourceIndex as sourceId,
        /// The number that NVTX payloads and CUPTI's external ids carry.
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
        /// The task's share of the launch. The shares of a launch add up to 1.
        share: f64 as share,
        /// 0: the share was measured, on CPUs in one of 64 blocks of the data. 1: only the whole
        /// launch was timed, and divided by the bytes that each task writes or by too small a
        /// sample.
        estimated: Option<bool> as estimated,
        /// ns: If estimated, the task's part of the time of the launch: of device time if it did
        /// work on a device, else of end - start.
        estimated_time: Option<i64> as estimatedTime,
    }
}

table! {
    /// Dependences between tasks.
    WEFT_DEPENDENCY => DependencyRow {
        source: SourceIndex as sourceId,
        /// The earlier task.
        from: Uid as fromUid,
        /// The later task.
        to: Uid as toUid,
        kind: DependencyKind as kind,
        /// The store that both access. Of several, the one with most bytes, preferring those
        /// through which data flows. NULL in profiles of earlier versions.
        store: Option<Uid> as storeUid,
        /// An upper limit of the bytes that both access. Exact if the views of both are boxes of
        /// the store.
        bytes: Option<Bytes> as bytes,
    }
}

table! {
    /// Intervals in which a task or the program's own thread waited.
    WEFT_WAIT => WaitRow {
        source: SourceIndex as sourceId,
        /// event: a task waited for an event; value: the program, or the body of a task, waited for
        /// the end of `opUid`; all: it waited for the end of all its operations; limit: too many
        /// operations were pending; agreement: the program waited for the other ranks; exchange: a
        /// tile of a concurrent task waited for the other tiles, whose operation is `opUid`.
        kind: Option<WaitKind> as kind,
        /// NULL for the program.
        task: Option<Uid> as taskUid,
        processor: Option<ProcessorId> as processorId,
        operation: Option<Uid> as opUid,
        /// The time at which it stopped running.
        start: Timestamp as start,
        /// The time of the awaited event; `end` if unknown.
        ready: Timestamp as ready,
        /// The time at which it resumed.
        end: Timestamp as end,
    }
}

table! {
    /// Calls of the runtime on behalf of operations.
    WEFT_RUNTIME_CALL => RuntimeCallRow<'a> {
        id: PrimaryKey as id,
        source: SourceIndex as sourceId,
        kind: Cow<'a, str> as kind,
        operation: Option<Uid> as opUid,
        processor: ProcessorId as processorId,
        start: Timestamp as start,
        end: Timestamp as end,
    }
}

table! {
    /// Kernels that were prepared for a GPU: compiled, or read from disk or from the bundle that is
    /// installed with Weft, and loaded, several at a time; and plans of cuFFT. WEFT_RUNTIME_CALL
    /// has a row of the kind `compile` for the time that a launch waited for one.
    WEFT_COMPILE => CompileRow<'a> {
        source: SourceIndex as sourceId,
        /// The launch that needed the kernel first.
        launch: Uid as launchUid,
        /// The operation of its first task.
        operation: Uid as opUid,
        /// The GPU.
        processor: ProcessorId as processorId,
        /// The kernel's name. For a plan, as in `cufft_z2z_1024x16`: the type, the length of lines,
        /// and their number.
        kernel: Cow<'a, str> as kernel,
        /// sm_N: code for this architecture. compute_N: PTX, which the driver compiles while it
        /// loads it.
        target: Cow<'a, str> as target,
        /// The first 8 bytes of the SHA-256 of the CUDA source, as a signed integer: kernels of one
        /// name may differ. 0 for a plan.
        source_hash: i64 as sourceHash,
        /// compiled: NVRTC made the code, or cuFFT the plan; disk: an earlier run had stored it;
        /// memory: the same run had compiled it for another GPU; bundle: it is in the file of
        /// kernels that is installed with Weft.
        origin: CodeOrigin as origin,
        start: Timestamp as start,
        /// The time at which the code was complete. Loading took the rest of the time.
        made: Timestamp as made,
        end: Timestamp as end,
        /// The last part of that time, in which the launch waited for the kernel. It may be longer
        /// than that time if the kernel had to wait for others. NULL: all of it.
        waited: Option<Nanos> as waited,
    }
}

table! {
    /// The chain of steps that determines the run's length, over all ranks, earliest first. Each
    /// instant belongs to one step, and the parts add up to the run's length.
    WEFT_CRITICAL_PATH => CriticalRow {
        /// The number, from 1.
        step: PrimaryKey as step,
        source: SourceIndex as sourceId,
        rank: Option<u16> as rank,
        /// issue: work was issued to a GPU; compile: a kernel was compiled or read, and loaded;
        /// program: the program ran its own code before the call of `opUid`; wait: the program
        /// resumed after a wait; queue: ready work waited to begin.
        kind: StepKind as kind,
        /// A task, a copy, or dependent partitioning, which counts as analysis. NULL for the
        /// program and other analysis.
        uid: Option<Uid> as uid,
        operation: Option<Uid> as opUid,
        processor: Option<ProcessorId> as processorId,
        start: Timestamp as start,
        end: Timestamp as end,
        /// The step's contribution to the run's length: end - start, or one task's share of it for
        /// a launch of several tasks.
        part: Nanos as part,
        provenance: Option<u32> as provenanceId,
    }
}
