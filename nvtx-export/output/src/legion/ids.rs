//! Ids of processors, memories and events in Legion's encoding, with their tags and nodes.

use weft_trace::id::MemoryId;
use weft_trace::record::{MemoryKind, ProcessorKind};

/// No event, no provenance.
pub(super) const NONE: u64 = 0;
/// No operation.
pub(super) const NO_OPERATION: u64 = u64::MAX;

/// A node of Legion, which represents a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Node(pub(super) u16);

impl Node {
    /// Returns a processor: tag 0x1d, the node in bits 55 to 40.
    pub(super) fn processor(self, number: u32) -> u64 {
        (0x1d << 56) | (u64::from(self.0) << 40) | u64::from(number)
    }

    /// Returns a memory: tag 0x1e, the node in bits 55 to 40.
    pub(super) fn memory(self, id: MemoryId) -> u64 {
        (0x1e << 56) | (u64::from(self.0) << 40) | u64::from(id.0)
    }

    /// Returns an event: bit 63, the node in bits 62 to 47, its number, and a generation in the
    /// lowest 20 bits.
    pub(super) fn event(self, number: u64) -> u64 {
        const NUMBERS: u64 = 1 << 27;
        let generation = (1 + number / NUMBERS) & 0xf_ffff;
        (1 << 63) | (u64::from(self.0) << 47) | ((number % NUMBERS) << 20) | generation
    }

    /// Returns an instance: tag 4 in the top 3 bits is Legion's own; the rest is a number.
    pub(super) fn instance(self, number: u64) -> u64 {
        (0x4 << 60) | (u64::from(self.0) << 44) | (number & ((1 << 44) - 1))
    }
}

/// Returns Legion's number for a kind of processor.
pub(super) const fn processor_kind(kind: ProcessorKind) -> i32 {
    match kind {
        // The program's thread was not created by Legion.
        ProcessorKind::Program | ProcessorKind::Other => 0,
        ProcessorKind::Gpu => 1,
        ProcessorKind::Cpu => 2,
        ProcessorKind::Utility => 3,
        ProcessorKind::Io => 4,
        ProcessorKind::Omp => 7,
        ProcessorKind::Python => 8,
    }
}

/// Returns Legion's number for a kind of memory.
pub(super) const fn memory_kind(kind: MemoryKind) -> i32 {
    match kind {
        // The reader rejects memories without a kind.
        MemoryKind::Other | MemoryKind::Global => 1,
        MemoryKind::System => 2,
        MemoryKind::Registered => 3,
        MemoryKind::Numa => 4,
        MemoryKind::ZeroCopy => 5,
        MemoryKind::Framebuffer => 6,
        MemoryKind::Disk => 7,
        MemoryKind::File => 9,
        MemoryKind::Managed => 13,
    }
}
