//! What the run ran on.

use super::code::{MemoryKind, ProcessorKind};
use super::frame::record;
use crate::id::{MemoryId, NameId, ProcessorId};
use crate::time::Timestamp;

record! {
    /// A processor of this rank.
    3 => Processor {
        /// Its id.
        id: ProcessorId,
        /// What it is.
        kind: ProcessorKind,
        /// The operating system's id of its thread; 0 if it has none of its own.
        thread: u32,
        /// Its name in outputs, such as `CPU 0`.
        name: NameId,
    }
}

record! {
    /// A memory of this rank.
    4 => Memory {
        /// Its id.
        id: MemoryId,
        /// What it is.
        kind: MemoryKind,
        /// Bytes it can hold.
        capacity: u64,
    }
}

record! {
    /// The same instant on two clocks. The wall clock was read between two readings of the monotonic one.
    5 => ClockSample {
        /// Monotonic clock, before.
        before: Timestamp,
        /// Wall clock (nanoseconds since 1970-01-01 UTC).
        wall: i64,
        /// Monotonic clock, after.
        after: Timestamp,
    }
}

record! {
    /// The same instant on this rank's monotonic clock and on another rank's. The other's was read between two readings of this
    /// one's.
    6 => RankClock {
        /// The other rank.
        peer: u16,
        /// This rank's clock, before.
        before: Timestamp,
        /// The other rank's clock.
        theirs: Timestamp,
        /// This rank's clock, after.
        after: Timestamp,
    }
}

record! {
    /// How fast main memory is, measured at the end of the run by several threads at once.
    7 => Bandwidth {
        /// The threads: as many as the run had workers.
        threads: u32,
        /// Bytes they walked over, all together.
        bytes: u64,
        /// Bytes they read a second, where they only read.
        read: u64,
        /// Bytes they read and wrote a second, where they copied.
        copy: u64,
    }
}

record! {
    /// How fast the processors compute, measured at the end of the run by several threads at once, with the widest vectors that kernels
    /// use.
    8 => FloatSpeed {
        /// The threads: as many as the run had workers.
        threads: u32,
        /// Operations a second of numbers of 64 bits, all threads together; a multiplication and addition in one are two.
        double: u64,
        /// The same of numbers of 32 bits.
        single: u64,
    }
}
