//! Processors and memories.

use super::{SourceIndex, StringIndex};
use weft_trace::id::{MemoryId, ProcessorId};
use weft_trace::record::{MemoryKind, ProcessorKind};

/// A processor of one rank.
#[derive(Clone, Copy, Debug)]
pub struct Processor {
    /// The file it was read from.
    pub source: SourceIndex,
    /// Its id within the source.
    pub id: ProcessorId,
    /// Its kind.
    pub kind: ProcessorKind,
    /// The operating system's id of its thread; 0 if it has no thread of its own.
    pub thread: u32,
    /// Its name.
    pub name: StringIndex,
}

/// The speed of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bandwidth {
    /// The file it was read from.
    pub source: SourceIndex,
    /// The CUDA device whose memory it is; `None` for main memory.
    pub device: Option<i64>,
    /// The origin of the value.
    pub origin: BandwidthOrigin,
    /// Bytes read and written per second.
    pub per_second: u64,
}

/// The origin of a memory's speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BandwidthOrigin {
    /// Measured by the run's threads at its end: the greater of reading and copying.
    Measured,
    /// Computed from the clock of the memory and the width of its bus.
    Theoretical,
}

impl BandwidthOrigin {
    /// All variants.
    pub const ALL: [BandwidthOrigin; 2] = [BandwidthOrigin::Measured, BandwidthOrigin::Theoretical];

    /// Returns its name in outputs.
    pub const fn name(self) -> &'static str {
        match self {
            BandwidthOrigin::Measured => "measured",
            BandwidthOrigin::Theoretical => "theoretical",
        }
    }
}

/// The arithmetic speed of processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatSpeed {
    /// The file it was read from.
    pub source: SourceIndex,
    /// The width of a number in bits: 64 or 32.
    pub bits: u16,
    /// Operations per second, measured by the run's threads at its end.
    pub per_second: u64,
}

/// A memory of one rank.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// The file it was read from.
    pub source: SourceIndex,
    /// Its id within the source.
    pub id: MemoryId,
    /// Its kind.
    pub kind: MemoryKind,
    /// Its size in bytes.
    pub capacity: u64,
}
