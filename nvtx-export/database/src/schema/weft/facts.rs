//! Tables of the inputs, their machines, and missing records.

use crate::schema::{Bytes, BytesPerSecond, Count, PrimaryKey, TextKey, table};
use std::borrow::Cow;
use weft_model::{BandwidthOrigin, Flaw, RecordKind, Severity, SourceIndex, SourceKind, Urgency};
use weft_trace::id::{MemoryId, ProcessorId, Uid};
use weft_trace::record::{MemoryKind, ProcessorKind};
use weft_trace::time::Timestamp;

table! {
    /// The inputs. All times in the database are on one clock; WEFT_META states which, and how
    /// accurate it is.
    WEFT_SOURCE => SourceRow<'a> {
        /// The number by which `sourceId` refers to it.
        id: PrimaryKey as id,
        /// The file as given by the user.
        path: Cow<'a, str> as path,
        kind: SourceKind as kind,
        /// The id of the run, within which UIDs are unique. For files of one run that do not name
        /// it, `run` and a number. NULL: this file is a run of its own.
        run: Option<Cow<'a, str>> as run,
        rank: Option<u16> as rank,
        host: Option<Cow<'a, str>> as host,
    }
}

table! {
    /// The processes that wrote profiles.
    WEFT_RANK => RankRow<'a> {
        source: SourceIndex as sourceId,
        rank: u16 as rank,
        /// The number of ranks of the run.
        ranks: Option<u16> as ranks,
        host: Option<Cow<'a, str>> as host,
        /// The boot of the host, within which its monotonic clock is one clock.
        boot_id: Option<Cow<'a, str>> as bootId,
        pid: Option<u32> as pid,
        program: Option<Cow<'a, str>> as program,
    }
}

table! {
    /// Processors of each rank.
    WEFT_PROCESSOR => ProcessorRow<'a> {
        source: SourceIndex as sourceId,
        id: ProcessorId as id,
        kind: ProcessorKind as kind,
        name: Cow<'a, str> as name,
        /// The operating system's id of its thread. NULL: it has no thread of its own.
        thread: Option<u32> as thread,
        /// The UUID of a GPU. Processors of several sources with one UUID are one GPU. NULL for
        /// other processors, and if unknown.
        uuid: Option<Cow<'a, str>> as gpuUuid,
    }
}

table! {
    /// Memories of each rank.
    WEFT_MEMORY => MemoryRow {
        source: SourceIndex as sourceId,
        id: MemoryId as id,
        kind: MemoryKind as kind,
        /// The size of the memory.
        capacity: Bytes as capacity,
    }
}

table! {
    /// The speeds of memories, if known.
    WEFT_BANDWIDTH => BandwidthRow {
        source: SourceIndex as sourceId,
        /// The CUDA device whose memory it is. NULL: main memory.
        device: Option<i64> as deviceId,
        /// measured: by the run's threads at its end, the greater of reading and copying;
        /// theoretical: computed from the clock of the memory and the width of its bus.
        origin: BandwidthOrigin as origin,
        per_second: BytesPerSecond as bytesPerSecond,
    }
}

table! {
    /// The arithmetic speed of a rank's processors, measured by the run's threads at its end with
    /// the widest vectors that kernels use. It is not known for GPUs.
    WEFT_FLOAT_SPEED => FloatSpeedRow {
        source: SourceIndex as sourceId,
        /// The width of a number in bits: 64 or 32.
        bits: u16 as bits,
        /// Additions and multiplications per second, summed over all threads.
        per_second: Count as operationsPerSecond,
    }
}

table! {
    /// Counters of records that are missing or were left out, if they are not 0.
    WEFT_LOSS => LossRow<'a> {
        /// NULL: a loss in the join.
        source: Option<SourceIndex> as sourceId,
        name: Cow<'a, str> as name,
        /// note: nothing is missing; loss: records were not written or not kept; damage: an input
        /// was read only up to the damage.
        severity: Severity as severity,
        value: Count as value,
        /// The meaning of the count.
        meaning: Cow<'a, str> as meaning,
    }
}

table! {
    /// Records with impossible times. Their duration is unknown. They are in no other table of
    /// Weft, and are counted in WEFT_LOSS.
    WEFT_UNTIMED => UntimedRow<'a> {
        source: SourceIndex as sourceId,
        kind: RecordKind as kind,
        /// not_recorded: start and end are 0; ends_before_start; out_of_range: no clock reads such
        /// a time; too_long: longer than 2^55 ns.
        flaw: Flaw as reason,
        /// The name of a kernel, range or call, or of a task's operation.
        name: Option<Cow<'a, str>> as name,
        uid: Option<Uid> as uid,
        operation: Option<Uid> as opUid,
        processor: Option<ProcessorId> as processorId,
        device: Option<i64> as deviceId,
        stream: Option<i64> as streamId,
        thread: Option<i64> as globalTid,
        /// The recorded value, on the clock of the source.
        start: i64 as start,
        /// The recorded value. NULL for an instant.
        end: Option<i64> as end,
    }
}

table! {
    /// Messages of Nsight Systems about its recording. Errors and warnings are counted in WEFT_LOSS
    /// too.
    WEFT_DIAGNOSTIC => DiagnosticRow<'a> {
        source: SourceIndex as sourceId,
        at: Timestamp as time,
        severity: Urgency as severity,
        /// The process that it concerns, as numbered by Nsight Systems.
        process: Option<i64> as globalPid,
        text: Cow<'a, str> as text,
    }
}

table! {
    /// Properties of the database and of the join.
    WEFT_META => MetaRow<'a> {
        key: TextKey<'a> as key,
        value: Cow<'a, str> as value,
    }
}
