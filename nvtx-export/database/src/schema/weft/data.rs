//! Tables of stores, their memory, and what is moved between memories.

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
        /// The store that it holds part of; NULL where the runtime does not say.
        store: Option<Uid> as storeUid,
        memory: MemoryId as memoryId,
        bytes: Bytes as bytes,
        created: Timestamp as created,
        /// When it could be used.
        ready: Timestamp as ready,
        /// NULL: it was there at the end of the trace.
        destroyed: Option<Timestamp> as destroyed,
        /// The operation that needed it first.
        operation: Option<Uid> as opUid,
    }
}

table! {
    /// How much of each memory was in use.
    WEFT_MEMORY_USE => MemoryUseRow {
        source: SourceIndex as sourceId,
        memory: MemoryId as memoryId,
        at: Timestamp as time,
        /// In blocks that somebody held.
        live: Bytes as live,
        /// The most that was held at a time so far.
        peak: Bytes as peak,
        /// The largest block that could have been given out.
        largest_free: Bytes as largestFree,
        /// Held by nobody, and kept from others.
        kept: Bytes as kept,
    }
}

table! {
    /// Copies between memories, and fills.
    WEFT_COPY => CopyRow {
        source: SourceIndex as sourceId,
        uid: Uid as uid,
        operation: Uid as opUid,
        /// NULL: a fill. Of a message, a memory of `srcRank`.
        from: Option<MemoryId> as srcMemoryId,
        to: MemoryId as dstMemoryId,
        bytes: Bytes as bytes,
        created: Timestamp as created,
        /// When it could begin.
        ready: Timestamp as ready,
        start: Timestamp as start,
        end: Timestamp as end,
        /// Of a message between ranks.
        from_rank: Option<u16> as srcRank,
        to_rank: Option<u16> as dstRank,
    }
}

table! {
    /// What each side of a message between ranks recorded. Both sides are one row of WEFT_COPY.
    WEFT_MESSAGE => MessageRow {
        source: SourceIndex as sourceId,
        uid: Uid as uid,
        /// The `uid` of the row in WEFT_COPY.
        copy: Option<Uid> as copyUid,
        side: MessageSide as side,
        operation: Uid as opUid,
        from: u16 as srcRank,
        to: u16 as dstRank,
        /// Which of the messages from the one rank to the other, from 1.
        number: Count as number,
        /// On this side.
        memory: MemoryId as memoryId,
        bytes: Bytes as bytes,
        created: Timestamp as created,
        /// When what is sent was there, or what is received could be written.
        ready: Timestamp as ready,
        start: Timestamp as start,
        /// Just before the network was given what is sent, or when it had delivered what is received.
        passed: Timestamp as passed,
        end: Timestamp as end,
    }
}

table! {
    /// Dependent partitioning of runs of Legion: computations of index spaces from data and from each other.
    WEFT_PARTITIONING => PartitioningRow {
        source: SourceIndex as sourceId,
        uid: Uid as uid,
        /// What was computed; NULL: of a kind that is not known.
        kind: Option<PartitioningKind> as kind,
        /// The operation that it was needed for.
        operation: Option<Uid> as opUid,
        created: Timestamp as created,
        /// When it could begin.
        ready: Timestamp as ready,
        start: Timestamp as start,
        end: Timestamp as end,
    }
}
