//! Tables of stores, their memory, and copies between memories.

use crate::schema::{Bytes, Count, Numbers, table};
use std::borrow::Cow;
use weft_model::{PartitioningKind, SourceIndex};
use weft_trace::id::{MemoryId, Uid};
use weft_trace::record::MessageSide;
use weft_trace::time::Timestamp;

table! {
    /// The data of logical arrays.
    WEFT_STORE => StoreRow<'a> {
        source: SourceIndex as sourceId,
        uid: Uid as uid,
        /// In elements.
        shape: Numbers<'a> as shape,
        dtype: Cow<'a, str> as dtype,
        provenance: Option<u32> as provenanceId,
    }
}

table! {
    /// Allocations.
    WEFT_INSTANCE => InstanceRow {
        source: SourceIndex as sourceId,
        uid: Uid as uid,
        /// The store of which it holds a part. NULL: the runtime does not record it.
        store: Option<Uid> as storeUid,
        memory: MemoryId as memoryId,
        bytes: Bytes as bytes,
        created: Timestamp as created,
        /// The time at which it became usable.
        ready: Timestamp as ready,
        /// NULL: it still existed at the end of the trace.
        destroyed: Option<Timestamp> as destroyed,
        /// The operation that needed it first.
        operation: Option<Uid> as opUid,
    }
}

table! {
    /// The use of each memory over time.
    WEFT_MEMORY_USE => MemoryUseRow {
        source: SourceIndex as sourceId,
        memory: MemoryId as memoryId,
        at: Timestamp as time,
        /// The size of all allocated blocks.
        live: Bytes as live,
        /// The largest value of `live` so far.
        peak: Bytes as peak,
        /// The largest block that could have been allocated.
        largest_free: Bytes as largestFree,
        /// The size of free blocks that are retained, so that others cannot use the memory.
        kept: Bytes as kept,
    }
}

table! {
    /// Copies between memories, and fills.
    WEFT_COPY => CopyRow {
        source: SourceIndex as sourceId,
        uid: Uid as uid,
        operation: Uid as opUid,
        /// NULL: a fill. For a message, a memory of `srcRank`.
        from: Option<MemoryId> as srcMemoryId,
        to: MemoryId as dstMemoryId,
        bytes: Bytes as bytes,
        created: Timestamp as created,
        /// The time at which it was ready to begin.
        ready: Timestamp as ready,
        start: Timestamp as start,
        end: Timestamp as end,
        /// Only for messages between ranks.
        from_rank: Option<u16> as srcRank,
        to_rank: Option<u16> as dstRank,
    }
}

table! {
    /// The records of both sides of messages between ranks. Both sides are one row of WEFT_COPY.
    WEFT_MESSAGE => MessageRow {
        source: SourceIndex as sourceId,
        uid: Uid as uid,
        /// The `uid` of the row in WEFT_COPY.
        copy: Option<Uid> as copyUid,
        side: MessageSide as side,
        operation: Uid as opUid,
        from: u16 as srcRank,
        to: u16 as dstRank,
        /// The number of the message among those from the one rank to the other, from 1.
        number: Count as number,
        /// The memory on this side.
        memory: MemoryId as memoryId,
        bytes: Bytes as bytes,
        created: Timestamp as created,
        /// The time at which the data to send was ready, or the memory to receive into was unused.
        ready: Timestamp as ready,
        start: Timestamp as start,
        /// Just before the data was passed to the network, or when the network had delivered it.
        passed: Timestamp as passed,
        end: Timestamp as end,
    }
}

table! {
    /// Dependent partitioning of runs of Legion: computations of index spaces from data and from
    /// each other.
    WEFT_PARTITIONING => PartitioningRow {
        source: SourceIndex as sourceId,
        uid: Uid as uid,
        /// The computation. NULL: of an unknown kind.
        kind: Option<PartitioningKind> as kind,
        /// The operation that needed it.
        operation: Option<Uid> as opUid,
        created: Timestamp as created,
        /// The time at which it was ready to begin.
        ready: Timestamp as ready,
        start: Timestamp as start,
        end: Timestamp as end,
    }
}
