//! Tickets of streams: counters in device memory with which the blocks of a kernel find the last of
//! them. The kernels of a stream follow each other, so they share its tickets.

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

/// The tickets of a GPU's streams. Its uses include the work that clears them.
pub(super) struct Tickets(Block);

/// Returns whether a kernel takes tickets.
fn takes_tickets(work: &Work) -> bool {
    matches!(work, Work::Kernel(launch) if launch.kernel.takes_tickets())
}

impl Dispatcher<'_> {
    /// Takes memory for the tickets of a GPU if a kernel needs them and there are none. Puts the
    /// work that clears them before the kernels, and returns whether it did.
    pub(super) fn open_tickets(
        &mut self,
        gpu: GpuId,
        works: &mut SmallVec<[Work; 2]>,
        members: &[Member],
    ) -> Result<bool, Cause> {
        if self.tickets[usize::from(gpu.0)].is_some() || !works.iter().any(takes_tickets) {
            return Ok(false);
        }
        let Some(block) = self.block_for(gpu, STREAMS * BYTES, members)? else {
            return Ok(false);
        };
        let clear = Work::Fill {
            to: block.start(),
            pattern: 0,
            width: 4,
            count: STREAMS * TICKETS,
        };
        works.insert(0, clear);
        self.tickets[usize::from(gpu.0)] = Some(Tickets(block));
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
        let Some(Tickets(block)) = &self.tickets[usize::from(gpu.0)] else {
            return;
        };
        for work in works {
            if let Work::Kernel(launch) = work
                && launch.kernel.takes_tickets()
            {
                let at: Address = block.start() + (lane % STREAMS * BYTES) as u64;
                launch.args.push(at);
                waits.merge(&block.uses);
            }
        }
    }

    /// Notes that the work that clears a GPU's tickets stands before a point, or that it failed.
    pub(super) fn clear_tickets(&mut self, gpu: GpuId, point: Point, failed: bool) {
        let tickets = &mut self.tickets[usize::from(gpu.0)];
        if let Some(Tickets(block)) = tickets {
            block.uses.add(point);
        }
        if failed && let Some(Tickets(block)) = tickets.take() {
            self.gpus.memory(gpu).give_back(block);
        }
    }

    /// Gives the memory of all tickets back. No work is issued after this.
    pub(super) fn give_tickets_back(&mut self) {
        for (at, tickets) in self.tickets.iter_mut().enumerate() {
            if let Some(Tickets(mut block)) = tickets.take() {
                for lane in at * STREAMS..(at + 1) * STREAMS {
                    block.uses.add(self.streams.last_point(lane));
                }
                self.gpus.memory(GpuId(at as u8)).give_back(block);
            }
        }
    }
}
