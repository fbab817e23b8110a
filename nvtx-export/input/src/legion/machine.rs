//! Compact ids for Legion's 64-bit ids of processors and memories, unique within a file.
//!
//! An id has a tag in its top 8 bits, the node in the 16 bits from bit 40, and a number on that
//! node in its lowest 12 (processors) or 8 bits (memories). (Realm, `id.h`.)

use rustc_hash::FxHashMap;
use weft_model::{Memory, Processor, Recording, SourceIndex};
use weft_trace::id::{MemoryId, ProcessorId};
use weft_trace::record::{MemoryKind, ProcessorKind};

/// Compact ids, in the order of their first use.
#[derive(Debug, Default)]
pub(super) struct Slots {
    slots: FxHashMap<u64, u16>,
    ids: Vec<u64>,
    last: Option<(u64, u16)>,
}

impl Slots {
    /// Returns the compact id; `None` if there are too many.
    #[inline]
    pub(super) fn slot(&mut self, id: u64) -> Option<u16> {
        if let Some((last, slot)) = self.last
            && last == id
        {
            return Some(slot);
        }
        let slot = match self.slots.get(&id) {
            Some(slot) => *slot,
            None => {
                let slot = u16::try_from(self.ids.len()).ok()?;
                self.slots.insert(id, slot);
                self.ids.push(id);
                slot
            }
        };
        self.last = Some((id, slot));
        Some(slot)
    }

    fn iter(&self) -> impl Iterator<Item = (u16, u64)> + '_ {
        (0..).zip(self.ids.iter().copied())
    }
}

/// Descriptions of processors and memories, by Legion's ids.
#[derive(Debug, Default)]
pub(super) struct Machine {
    pub(super) processors: FxHashMap<u64, u64>,
    /// Kind and capacity.
    pub(super) memories: FxHashMap<u64, (u64, u64)>,
}

/// Appends the processors of a file.
fn processors(recording: &mut Recording, source: SourceIndex, slots: &Slots, machine: &Machine) {
    for (slot, id) in slots.iter() {
        let kind = machine.processors.get(&id);
        let (kind, word) = match kind {
            Some(0) => (ProcessorKind::Program, "External"),
            Some(1) => (ProcessorKind::Gpu, "GPU"),
            Some(2) => (ProcessorKind::Cpu, "CPU"),
            Some(3) => (ProcessorKind::Utility, "Utility"),
            Some(4) => (ProcessorKind::Io, "IO"),
            Some(7) => (ProcessorKind::Omp, "OMP"),
            Some(8) => (ProcessorKind::Python, "Python"),
            _ => (ProcessorKind::Other, "Processor"),
        };
        let name = format!("{word} n{}c{}", (id >> 40) as u16, id & 0xfff);
        recording.machine.processors.push(Processor {
            source,
            id: ProcessorId(slot),
            kind,
            thread: 0,
            name: recording.strings.intern(&name),
        });
    }
}

/// Appends the memories of a file.
fn memories(recording: &mut Recording, source: SourceIndex, slots: &Slots, machine: &Machine) {
    for (slot, id) in slots.iter() {
        let (kind, capacity) = machine.memories.get(&id).copied().unwrap_or_default();
        recording.machine.memories.push(Memory {
            source,
            id: MemoryId(slot),
            kind: match kind {
                1 => MemoryKind::Global,
                2 => MemoryKind::System,
                3 => MemoryKind::Registered,
                4 => MemoryKind::Numa,
                5 => MemoryKind::ZeroCopy,
                6 | 14 => MemoryKind::Framebuffer,
                7 => MemoryKind::Disk,
                8 | 9 => MemoryKind::File,
                13 => MemoryKind::Managed,
                _ => MemoryKind::Other,
            },
            capacity,
        });
    }
}

/// Processors and memories that a file uses, and those that it describes.
#[derive(Debug, Default)]
pub(super) struct Hardware {
    pub(super) machine: Machine,
    pub(super) processors: Slots,
    pub(super) memories: Slots,
}

/// Appends the processors and memories of a run's files. A file may use those that another file
/// describes.
pub(super) fn append(recording: &mut Recording, files: &mut [(SourceIndex, &mut Hardware)]) {
    let mut machine = Machine::default();
    for (_, file) in files.iter_mut() {
        machine
            .processors
            .extend(std::mem::take(&mut file.machine.processors));
        machine
            .memories
            .extend(std::mem::take(&mut file.machine.memories));
    }
    for (source, file) in files {
        processors(recording, *source, &file.processors, &machine);
        memories(recording, *source, &file.memories, &machine);
    }
}
