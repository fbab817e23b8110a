//! Tickets of streams: counters in device memory with which the blocks of a kernel find the last of
//! them. The kernels of a stream follow each other, so they share its tickets.

#![allow(unsafe_code, reason = "frees memory of the driver")]

use smallvec::SmallVec;

use super::super::api::GpuId;
use super::super::streams::STREAMS;
use super::super::work::{Address, TICKETS, Work};
use super::Dispatcher;
use super::member::Member;
use crate::error::Cause;
use crate::memory::{Block, Point, Uses};

/// Size in bytes of the tickets of a stream.
const BYTES: usize = TICKETS * size_of::<u32>();

/// The tickets of a GPU's streams.
pub(super) struct Tickets {
    start: Address,
    /// The block of the pool that holds them. The driver holds them if it can, since a pool cannot
    /// return a segment in use.
    block: Option<Block>,
    /// The work that clears them, and earlier users of the block.
    cleared: Uses,
    /// Whether that work was issued.
    is_clear: bool,
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
        members: &[Member],
    ) -> Result<bool, Cause> {
        let at = usize::from(gpu.0);
        let is_clear = |tickets: &Tickets| tickets.is_clear;
        if !works.iter().any(takes_tickets) || self.tickets[at].as_ref().is_some_and(is_clear) {
            return Ok(false);
        }
        let start = match &self.tickets[at] {
            // An earlier launch failed.
            Some(tickets) => tickets.start,
            None => {
                let (start, block) = self.memory_for_tickets(gpu, members)?;
                let users = block.as_ref().map(|block| block.uses.clone());
                self.tickets[at] = Some(Tickets {
                    start,
                    block,
                    cleared: users.unwrap_or_default(),
                    is_clear: false,
                });
                start
            }
        };
        let clear = Work::Fill {
            to: start,
            pattern: 0,
            width: 4,
            count: STREAMS * TICKETS,
        };
        works.insert(0, clear);
        Ok(true)
    }

    /// Allocates the tickets of a GPU, or takes them from the pool if the driver has no memory.
    fn memory_for_tickets(
        &self,
        gpu: GpuId,
        members: &[Member],
    ) -> Result<(Address, Option<Block>), Cause> {
        let bytes = STREAMS * BYTES;
        loop {
            let error = match self.gpus.driver.allocate(gpu, bytes) {
                Ok(start) => return Ok((start, None)),
                Err(error) => error,
            };
            // Instances stay: the kernels may read them.
            if error.lacks_memory() && self.gpus.memory(gpu).pool.reclaim() > 0 {
                continue;
            }
            let block = match members.first() {
                Some(member) if error.lacks_memory() => {
                    self.scratch(gpu, bytes, &member.operation).ok().flatten()
                }
                _ => None,
            };
            return match block {
                Some(block) => Ok((block.start(), Some(block))),
                None => Err(self.gpus.explain(gpu, error).into()),
            };
        }
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

    /// Notes the point after the work that clears a GPU's tickets. If it failed, the next launch
    /// repeats it.
    pub(super) fn clear_tickets(&mut self, gpu: GpuId, point: Point, failed: bool) {
        if let Some(tickets) = &mut self.tickets[usize::from(gpu.0)] {
            tickets.cleared.add(point);
            tickets.is_clear = !failed;
        }
    }

    /// Frees all tickets. No work is issued after this.
    pub(super) fn free_tickets(&mut self) {
        for (at, tickets) in self.tickets.iter_mut().enumerate() {
            let Some(Tickets { start, block, .. }) = tickets.take() else {
                continue;
            };
            let gpu = GpuId(at as u8);
            if let Some(mut block) = block {
                for lane in at * STREAMS..(at + 1) * STREAMS {
                    block.uses.add(self.streams.last_point(lane));
                }
                self.gpus.memory(gpu).give_back(block);
            } else if self.gpus.driver.settle(gpu).is_ok() {
                // SAFETY: the address is that of an allocation, and the GPU is idle.
                unsafe { self.gpus.driver.free(gpu, start) };
            }
        }
    }
}
