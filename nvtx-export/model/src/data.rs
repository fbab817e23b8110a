//! Stores, their instances, and copies between memories.

use super::{ProvenanceIndex, SourceIndex, StringIndex};
use weft_trace::id::{MemoryId, Uid};
use weft_trace::time::Timestamp;

/// A row of [`Work::messages`](crate::Work::messages).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageIndex(pub u32);

/// The data of a logical array.
#[derive(Clone, Debug)]
pub struct Store {
    /// The file it was read from.
    pub source: SourceIndex,
    /// Its UID.
    pub uid: Uid,
    /// The type of its elements.
    pub dtype: StringIndex,
    /// The call that created it.
    pub provenance: ProvenanceIndex,
    /// Its shape.
    pub shape: Box<[u64]>,
}

/// A physical allocation.
#[derive(Clone, Copy, Debug)]
pub struct Instance {
    /// The file it was read from.
    pub source: SourceIndex,
    /// Its UID.
    pub uid: Uid,
    /// The store of which it holds a part; `None` if the runtime does not record it.
    pub store: Option<Uid>,
    /// The memory.
    pub memory: MemoryId,
    /// Its size in bytes.
    pub bytes: u64,
    /// The operation whose task needed it first.
    pub operation: Option<Uid>,
    /// The time of the request.
    pub created: Timestamp,
    /// The time from which it could be used.
    pub ready: Timestamp,
    /// The time at which its memory was freed; `None` if not recorded.
    pub destroyed: Option<Timestamp>,
}

/// The use of a memory at one time. Sizes are in bytes.
#[derive(Clone, Copy, Debug)]
pub struct MemoryUse {
    /// The file it was read from.
    pub source: SourceIndex,
    /// The memory.
    pub memory: MemoryId,
    /// The time of the sample.
    pub at: Timestamp,
    /// The size of all allocated blocks.
    pub live: u64,
    /// The largest value of `live` so far.
    pub peak: u64,
    /// The largest block that could have been allocated.
    pub largest_free: u64,
    /// The size of free blocks that are retained, so that others cannot use the memory.
    pub kept: u64,
}

/// A copy between memories, or a fill of one.
#[derive(Clone, Copy, Debug)]
pub struct Copy {
    /// The file it was read from.
    pub source: SourceIndex,
    /// Its UID.
    pub uid: Uid,
    /// The operation that needed it.
    pub operation: Uid,
    /// The source; `None` for a fill.
    pub from: Option<MemoryId>,
    /// The destination.
    pub to: MemoryId,
    /// The number of bytes copied.
    pub bytes: u64,
    /// The time of the request.
    pub created: Timestamp,
    /// The time at which it was ready to begin.
    pub ready: Timestamp,
    /// Start of the copy.
    pub start: Timestamp,
    /// End of the copy.
    pub end: Timestamp,
    /// The message, for a copy from one rank to another. `from` is then a memory of the sending
    /// rank, and a time is that at which both sides had reached the stage.
    pub message: Option<MessageIndex>,
}
