//! Processors and memories.

use super::{SourceIndex, StringIndex};
use weft_trace::id::{MemoryId, ProcessorId};
use weft_trace::record::{MemoryKind, ProcessorKind};

/// A processor of one rank.
#[derive(Clone, Copy, Debug)]
pub struct Processor {
    /// Where it was read.
    pub source: SourceIndex,
    /// Its id within the source.
    pub id: ProcessorId,
    /// What it is.
    pub kind: ProcessorKind,
    /// The operating system's id of its thread; 0 where it has none of its own.
    pub thread: u32,
    /// Its name.
    pub name: StringIndex,
}

/// A memory of one rank.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Where it was read.
    pub source: SourceIndex,
    /// Its id within the source.
    pub id: MemoryId,
    /// What it is.
    pub kind: MemoryKind,
    /// Bytes it can hold.
    pub capacity: u64,
}
