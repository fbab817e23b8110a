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

/// How fast a memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bandwidth {
    /// Where it was read.
    pub source: SourceIndex,
    /// The CUDA device whose memory it is; `None` for main memory.
    pub device: Option<i64>,
    /// How it is known.
    pub origin: BandwidthOrigin,
    /// Bytes a second, read and written.
    pub per_second: u64,
}

/// How the speed of a memory is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BandwidthOrigin {
    /// By a run's threads at its end: the greater of reading and copying.
    Measured,
    /// By the clock of the memory and the width of its bus.
    Theoretical,
}

impl BandwidthOrigin {
    /// Both.
    pub const ALL: [BandwidthOrigin; 2] = [BandwidthOrigin::Measured, BandwidthOrigin::Theoretical];

    /// The word for it in outputs.
    pub const fn name(self) -> &'static str {
        match self {
            BandwidthOrigin::Measured => "measured",
            BandwidthOrigin::Theoretical => "theoretical",
        }
    }
}

/// How fast processors compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatSpeed {
    /// Where it was read.
    pub source: SourceIndex,
    /// Bits of a number: 64 or 32.
    pub bits: u16,
    /// Operations a second, by a run's threads at its end.
    pub per_second: u64,
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
