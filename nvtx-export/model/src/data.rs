//! Stores, their instances, and copies between memories.

use super::{MessageIndex, ProvenanceIndex, SourceIndex, StringIndex};
use weft_trace::id::{MemoryId, Uid};
use weft_trace::time::Timestamp;

/// A logical array's data.
#[derive(Clone, Debug)]
pub struct Store {
    /// Where it was read.
    pub source: SourceIndex,
    /// Its UID.
    pub uid: Uid,
    /// The type of its elements.
    pub dtype: StringIndex,
    /// The call that made it.
    pub provenance: ProvenanceIndex,
    /// Its shape.
    pub shape: Box<[u64]>,
}

/// A physical allocation.
#[derive(Clone, Copy, Debug)]
pub struct Instance {
    /// Where it was read.
    pub source: SourceIndex,
    /// Its UID.
    pub uid: Uid,
    /// The store it holds part of; `None` where the runtime does not say.
    pub store: Option<Uid>,
    /// The memory.
    pub memory: MemoryId,
    /// Bytes it takes there.
    pub bytes: u64,
    /// The operation whose task needed it first.
    pub operation: Option<Uid>,
    /// When it was asked for.
    pub created: Timestamp,
    /// When it could be used.
    pub ready: Timestamp,
    /// When its memory was given back; `None` where that was not recorded.
    pub destroyed: Option<Timestamp>,
}

/// How much of a memory was in use at one moment. Sizes are bytes.
#[derive(Clone, Copy, Debug)]
pub struct MemoryUse {
    /// Where it was read.
    pub source: SourceIndex,
    /// The memory.
    pub memory: MemoryId,
    /// When.
    pub at: Timestamp,
    /// In blocks that somebody held.
    pub live: u64,
    /// The most that was held at a time so far.
    pub peak: u64,
    /// The largest block that could have been given out.
    pub largest_free: u64,
    /// Held by nobody, and kept from others.
    pub kept: u64,
}

/// A copy between memories, or a fill of one.
#[derive(Clone, Copy, Debug)]
pub struct Copy {
    /// Where it was read.
    pub source: SourceIndex,
    /// Its UID.
    pub uid: Uid,
    /// The operation it was needed for.
    pub operation: Uid,
    /// From where; `None` for a fill.
    pub from: Option<MemoryId>,
    /// To where.
    pub to: MemoryId,
    /// Bytes moved.
    pub bytes: u64,
    /// When it was asked for.
    pub created: Timestamp,
    /// When it could begin.
    pub ready: Timestamp,
    /// When it began.
    pub start: Timestamp,
    /// When it ended.
    pub end: Timestamp,
    /// The message that it is, where it goes from one rank to another. `from` is then a memory of the rank that sends, and the
    /// times are those at which both sides were as far.
    pub message: Option<MessageIndex>,
}
