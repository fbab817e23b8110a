//! Tables of the inputs, of what they ran on and of what is missing.

use crate::schema::{Bytes, BytesPerSecond, Count, Key, TextKey, table};
use std::borrow::Cow;
use weft_model::{BandwidthOrigin, Flaw, RecordKind, Severity, SourceIndex, SourceKind, Urgency};
use weft_trace::id::{MemoryId, ProcessorId, Uid};
use weft_trace::record::{MemoryKind, ProcessorKind};
use weft_trace::time::Timestamp;

table! {
    /// The inputs. All times in the database are on one clock; WEFT_META says which, and how exactly it is known.
    WEFT_SOURCE => SourceRow<'a> {
        /// The number by which `sourceId` names it.
        id: Key as id,
        /// The file as it was given.
        path: Cow<'a, str> as path,
        kind: SourceKind as kind,
        /// The id of the run; UIDs are unique within a run. `run` and a number: of files that name no run and are of one. NULL: it has this file alone.
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
        /// Number of ranks of the run.
        ranks: Option<u16> as ranks,
        host: Option<Cow<'a, str>> as host,
        /// The boot of the host: its monotonic clock is one clock within it.
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
        /// The operating system's id of its thread; NULL where it has none of its own.
        thread: Option<u32> as thread,
        /// The UUID of a GPU: processors of several sources with one UUID are one GPU. NULL for others, and if it is not known.
        uuid: Option<Cow<'a, str>> as gpuUuid,
    }
}

table! {
    /// Memories of each rank.
    WEFT_MEMORY => MemoryRow {
        source: SourceIndex as sourceId,
        id: MemoryId as id,
        kind: MemoryKind as kind,
        /// What it can hold.
        capacity: Bytes as capacity,
    }
}

table! {
    /// How fast memories are, where that is known.
    WEFT_BANDWIDTH => BandwidthRow {
        source: SourceIndex as sourceId,
        /// The CUDA device whose memory it is; NULL: main memory.
        device: Option<i64> as deviceId,
        /// measured: by the run's threads at its end, the greater of reading and copying; theoretical: by the clock of the memory
        /// and the width of its bus.
        origin: BandwidthOrigin as origin,
        per_second: BytesPerSecond as bytesPerSecond,
    }
}

table! {
    /// How fast the processors of a rank compute, measured by the run's threads at its end with the widest vectors that kernels use; of
    /// GPUs it is not known.
    WEFT_FLOAT_SPEED => FloatSpeedRow {
        source: SourceIndex as sourceId,
        /// Bits of a number: 64 or 32.
        bits: u16 as bits,
        /// Additions and multiplications a second, all threads together.
        per_second: Count as operationsPerSecond,
    }
}

table! {
    /// What is known to be missing or was left out, as counters that are not 0.
    WEFT_LOSS => LossRow<'a> {
        /// NULL: of the join.
        source: Option<SourceIndex> as sourceId,
        name: Cow<'a, str> as name,
        /// note: nothing is missing; loss: something was not recorded or not kept; damage: an input was read only up to a
        /// damage.
        severity: Severity as severity,
        value: Count as value,
        /// What the number counts.
        meaning: Cow<'a, str> as meaning,
    }
}

table! {
    /// Records whose times cannot be true. They have no known duration, stand in no other table of Weft, and are counted in
    /// WEFT_LOSS.
    WEFT_UNTIMED => UntimedRow<'a> {
        source: SourceIndex as sourceId,
        kind: RecordKind as kind,
        /// not_recorded: start and end are 0; ends_before_start; out_of_range: no clock reads such a time; too_long: longer than
        /// 2^55 ns.
        flaw: Flaw as reason,
        /// Of a kernel, range or call; a task has the name of its operation.
        name: Option<Cow<'a, str>> as name,
        uid: Option<Uid> as uid,
        operation: Option<Uid> as opUid,
        processor: Option<ProcessorId> as processorId,
        device: Option<i64> as deviceId,
        stream: Option<i64> as streamId,
        thread: Option<i64> as globalTid,
        /// As recorded, on the clock of the source.
        start: i64 as start,
        /// As recorded; NULL of an instant.
        end: Option<i64> as end,
    }
}

table! {
    /// What Nsight Systems said about its own recording; errors and warnings are counted in WEFT_LOSS too.
    WEFT_DIAGNOSTIC => DiagnosticRow<'a> {
        source: SourceIndex as sourceId,
        at: Timestamp as time,
        severity: Urgency as severity,
        /// The process that it is about, as Nsight Systems numbers them.
        process: Option<i64> as globalPid,
        text: Cow<'a, str> as text,
    }
}

table! {
    /// Facts about the database and how it was joined.
    WEFT_META => MetaRow<'a> {
        key: TextKey<'a> as key,
        value: Cow<'a, str> as value,
    }
}
