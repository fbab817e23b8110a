//! Tickets of streams: counters in device memory with which the blocks of a kernel find the last of
//! them. The kernels of a stream follow each other, so they share its tickets.

#![allow(unsafe_code, reason = "frees memory of the driver")]

use smallvec::SmallVec;

use super::super::api::GpuId;
use super::super::streams::STREAMS;
use super::super::work::{Address, TICKETS, Work};
use super::Dispatcher;
use crate::error::Cause;
use crate::memory::{Point, Uses};

/// Size in bytes of the tickets of a stream.
const BYTES: usize = TICKETS * size_of::<u32>();

/// The tickets of a GPU's streams. They are memory of the driver, not of a pool, which could not
/// return their segment to the driver.
pub(super) struct Tickets {
    start: Address,
    /// The work that clears them.
    cleared: Uses,
}

/// Returns whether a kernel takes tickets.
fn takes_tickets(work: &Work) -> bool {
    matches!(work, Work::Kernel(launch) if launch.kernel.takes_tickets())
}

impl Dispatcher<'_> {
    /// Allocates the tickets of a GPU if a kernel needs them and there are none. Puts the work that
    /// clears them before the kernels, and returns whether it did.
    pub(super) fn open_tickets(
        &mut self,
        gpu: GpuId,
        works: &mut SmallVec<[Work; 2]>,
    ) -> Result<bool, Cause> {
        let known = &self.tickets[usize::from(gpu.0)];
        if known.is_some() || !works.iter().any(takes_tickets) {
            return Ok(false);
        }
        let start = loop {
            match self.gpus.driver.allocate(gpu, STREAMS * BYTES) {
                Ok(start) => break start,
                // Instances stay: the kernels may read them.
                Err(error) if error.lacks_memory() && self.gpus.memory(gpu).pool.reclaim() > 0 => {}
                Err(error) => return Err(self.gpus.explain(gpu, error).into()),
            }
        };
        let clear = Work::Fill {
            to: start,
            pattern: 0,
            width: 4,
            count: STREAMS * TICKETS,
        };
        works.insert(0, clear);
        self.tickets[usize::from(gpu.0)] = Some(Tickets {
            start,
            cleared: Uses::default(),
        });
        Ok(true)
    }

    /// Adds the tickets of a stream to the arguments of kernels that take them, and the work that
    /// clears them to `waits`.
    pub(super) fn hand_tickets(
        &self,
        (gpu, lane): (GpuId, usize),
        works: &mut [Work],
        waits: &mut Uses,
    ) {
        let Some(tickets) = &self.tickets[usize::from(gpu.0)] else {
            return;
        };
        for work in works {
            if let Work::Kernel(launch) = work
                && launch.kernel.takes_tickets()
            {
                let at = tickets.start + (lane % STREAMS * BYTES) as u64;
                launch.args.push(at);
                waits.merge(&tickets.cleared);
            }
        }
    }

    /// Notes the point behind the work that clears a GPU's tickets, or forgets them if it failed.
    pub(super) fn clear_tickets(&mut self, gpu: GpuId, point: Point, failed: bool) {
        let known = &mut self.tickets[usize::from(gpu.0)];
        match known {
            // The GPU may be lost, so the memory stays the driver's.
            Some(_) if failed => *known = None,
            Some(tickets) => tickets.cleared.add(point),
            None => {}
        }
    }

    /// Frees all tickets. No work is issued after this.
    pub(super) fn free_tickets(&mut self) {
        for (at, tickets) in self.tickets.iter_mut().enumerate() {
            let gpu = GpuId(at as u8);
            if let Some(Tickets { start, .. }) = tickets.take()
                && self.gpus.driver.settle(gpu).is_ok()
            {
                // SAFETY: the address is that of an allocation, and the GPU is idle.
                unsafe { self.gpus.driver.free(gpu, start) };
            }
        }
    }
}
