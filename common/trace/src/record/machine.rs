//! The processors, memories and clocks of a run.

use super::code::{MemoryKind, ProcessorKind};
use super::frame::record;
use crate::id::{MemoryId, NameId, ProcessorId};
use crate::time::Timestamp;

record! {
    /// A processor of this rank.
    3 => Processor {
        /// The id.
        id: ProcessorId,
        /// The kind of the processor.
        kind: ProcessorKind,
        /// The operating system's id of its thread; 0 if it has none.
        thread: u32,
        /// The name in outputs, such as `CPU 0`.
        name: NameId,
    }
}

record! {
    /// A memory of this rank.
    4 => Memory {
        /// The id.
        id: MemoryId,
        /// The kind of the memory.
        kind: MemoryKind,
        /// The capacity in bytes.
        capacity: u64,
    }
}

record! {
    /// One instant on two clocks. The wall clock was read between two readings of the monotonic
    /// one.
    5 => ClockSample {
        /// The monotonic clock, before.
        before: Timestamp,
        /// The wall clock (nanoseconds since 1970-01-01 UTC).
        wall: i64,
        /// The monotonic clock, after.
        after: Timestamp,
    }
}

record! {
    /// One instant on this rank's and on another rank's monotonic clock. The other clock was read
    /// between two readings of this one.
    6 => RankClock {
        /// The other rank.
        peer: u16,
        /// The time before, on this rank's clock.
        before: Timestamp,
        /// The other rank's clock.
        theirs: Timestamp,
        /// This rank's clock, after.
        after: Timestamp,
    }
}

record! {
    /// The bandwidth of main memory, measured at the end of the run by several threads at once.
    7 => Bandwidth {
        /// The number of threads, equal to the number of workers of the run.
        threads: u32,
        /// The number of bytes that all threads accessed together.
        bytes: u64,
        /// The bytes read a second, if the threads only read.
        read: u64,
        /// The bytes read and written a second, if the threads copy.
        copy: u64,
    }
}

record! {
    /// The arithmetic speed of the processors, measured at the end of the run by several threads at
    /// once, with the widest vectors that kernels use.
    8 => FloatSpeed {
        /// The number of threads, equal to the number of workers of the run.
        threads: u32,
        /// The 64-bit operations a second of all threads together. A fused multiply-add counts as
        /// two.
        double: u64,
        /// The 32-bit operations a second of all threads together.
        single: u64,
    }
}
