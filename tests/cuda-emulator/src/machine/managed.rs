//! Unified memory: allocations, their limits, and events of their pages as records.

use super::Machine;
use super::code::Code;
use crate::cupti::activity::UnifiedWork;
use crate::cupti::{self, clock};
use crate::host::paging::{self, Event, Location, PAGE, What};
use crate::report::report;

/// The most bytes of neighbouring pages that one event of the driver covers.
const BLOCK: u64 = 2 << 20;

impl Machine {
    /// Allocates unified memory.
    pub(crate) fn take_managed(&mut self, bytes: u64) -> Result<u64, Code> {
        let taken: u64 = self.managed.values().sum();
        let gpus: u64 = self.gpus.iter().map(|gpu| gpu.memory.capacity).sum();
        if taken.saturating_add(bytes) > gpus + self.host_bytes {
            return Err(Code::OUT_OF_MEMORY);
        }
        let start = paging::allocate(bytes).ok_or(Code::OUT_OF_MEMORY)?;
        self.managed.insert(start, bytes);
        Ok(start)
    }

    /// Frees unified memory, even if it is still in use. Returns its size; `None` if none begins
    /// there.
    pub(crate) fn give_managed(&mut self, start: u64) -> Option<u64> {
        let bytes = self.managed.remove(&start)?;
        paging::free(start, bytes);
        Some(bytes)
    }

    /// Returns whether all these bytes are in one allocation of unified memory.
    pub(crate) fn is_managed(&self, start: u64, bytes: u64) -> bool {
        let below = self.managed.range(..=start).next_back();
        below.is_some_and(|(&low, size)| {
            start < low + size && start.saturating_add(bytes) <= low + size
        })
    }

    /// Returns the bytes of a GPU that pages of unified memory may take.
    pub(crate) fn room_for_pages(&self, gpu: usize) -> u64 {
        let memory = &self.gpus[gpu].memory;
        memory.capacity - memory.taken
    }

    /// Records what has happened to pages since the last call.
    pub(crate) fn tell_pages(&self) {
        let (events, lost) = paging::take_events();
        if lost > 0 {
            report(&format!(
                "{lost} events of pages of unified memory were lost"
            ));
        }
        // The fault of a page and its move alternate. Neighbouring events of one kind form blocks.
        let mut events = events;
        events.sort_by_key(|event| (event.what, event.from, event.to));
        let mut events = events.into_iter().peekable();
        while let Some(first) = events.next() {
            let (mut last, mut pages) = (first, 1);
            while let Some(next) = events.peek().filter(|next| follows(&first, &last, next)) {
                (last, pages) = (*next, pages + 1);
                events.next();
            }
            cupti::unified(&work(&first, &last, pages));
        }
    }
}

/// Whether an event belongs to the same block as those from `first` to `last`.
fn follows(first: &Event, last: &Event, next: &Event) -> bool {
    first.what == next.what
        && first.what != What::HostFault
        && (first.from, first.to) == (next.from, next.to)
        && next.address == last.address + PAGE
        && next.address / BLOCK == first.address / BLOCK
}

fn work(first: &Event, last: &Event, pages: u64) -> UnifiedWork {
    /// `CUPTI_UNIFIED_MEMORY_CPU_DEVICE_ID`.
    const HOST: u32 = u32::MAX;
    /// `CUPTI_ACTIVITY_UNIFIED_MEMORY_ACCESS_TYPE_UNKNOWN`.
    const UNKNOWN: u32 = 0;
    /// `CUPTI_ACTIVITY_UNIFIED_MEMORY_REMOTE_MAP_CAUSE_OUT_OF_MEMORY`.
    const OUT_OF_MEMORY: u32 = 4;
    let id = |place| match place {
        Location::Host => HOST,
        Location::Gpu(gpu) => gpu as u32,
    };
    let (counter, value, source, flags) = match first.what {
        // The value is the address of the instruction, which is unknown here.
        What::HostFault => (3, 0, id(first.to), UNKNOWN),
        What::GpuFault => (4, pages, id(first.to), UNKNOWN),
        What::Mapped => (7, pages * PAGE, id(first.from), OUT_OF_MEMORY),
        What::Moved(cause) => {
            let counter = match (first.from, first.to) {
                (Location::Host, _) => 1,
                (_, Location::Host) => 2,
                _ => 8,
            };
            (counter, pages * PAGE, id(first.from), cause as u32)
        }
    };
    UnifiedWork {
        counter,
        value,
        address: first.address,
        source,
        destination: id(first.to),
        flags,
        start: clock::at(first.at),
        end: clock::at(last.at.max(first.at + 1)),
    }
}
