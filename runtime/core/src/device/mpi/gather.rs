//! Gathers: collective calls that send each rank's pieces of a block to all ranks.
//!
//! MPI requires the same order of collective calls on all ranks. Gathers become ready in any order
//! and wait for their turn in program order. A gather depends only on earlier operations, so its
//! turn always comes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use weft_geometry::Block;
use weft_trace::id::TaskUid;
use weft_trace::record::MessageSide;

use super::World;
use super::flight::{Flight, Then};
use crate::device::cpu::{TileTask, Tiles};
use crate::device::{Executor, Posted};
use crate::error::{Cause, Failure};
use crate::identity::Uids;
use crate::operation::{Operand, Operation, Peer, Role};
use crate::rank::view;
use crate::shape::Layout;

/// Bit that separates the numbers of gathers from those of messages between two ranks.
const GATHERS: u64 = 1 << 62;

/// Pieces of each gather and the ranks that send them, by the number of the gather.
#[derive(Default)]
pub(super) struct Expected(Mutex<FxHashMap<u64, Pieces>>);

/// Blocks, and the ranks that send them.
type Pieces = Arc<[(Block, u16)]>;

impl Expected {
    pub(super) fn add(&self, number: u64, pieces: Pieces) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(number, pieces);
    }

    fn take(&self, number: u64) -> Pieces {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.remove(&number).unwrap_or_default()
    }
}

/// Gathers that are ready, and the number of gathers started so far.
#[derive(Default)]
pub(super) struct InOrder {
    done: u64,
    ready: BTreeMap<u64, Posted>,
}

impl InOrder {
    pub(super) fn add(&mut self, number: u64, gather: Posted) {
        self.ready.insert(number, gather);
    }

    /// Removes the next gather in program order, if it is ready.
    pub(super) fn next(&mut self) -> Option<Posted> {
        let next = self.ready.remove(&(self.done + 1))?;
        self.done += 1;
        Some(next)
    }
}

/// A gather under way. Each rank contributes one word that tells whether its data is present, and
/// then its pieces.
pub(super) struct Gathering {
    number: u64,
    pieces: Pieces,
    /// Number of words that each rank contributes.
    counts: Vec<usize>,
    rank: u16,
}

impl World {
    /// Starts a gather.
    pub(super) fn begin_gather(&self, executor: &Executor<'_>, posted: Posted) -> Option<Flight> {
        let Posted {
            task,
            operation,
            elements,
        } = posted;
        let Role::Gather(number) = operation.body.role else {
            return None;
        };
        let start = executor.observers.recorder.now();
        let ranks = self.net.ranks();
        let pieces = self.expected.take(number);
        let mut counts = vec![0; usize::from(ranks.size)];
        for (block, from) in pieces.iter() {
            let count = &mut counts[usize::from(*from)];
            *count = (*count).max(1) + words(&operation, block);
        }
        let gathering = Gathering {
            number,
            pieces,
            counts,
            rank: ranks.rank,
        };
        let tiles = elements.tiles(executor, &operation, &TileTask::from_task(&task), start);
        if let Err(failure) = &tiles {
            // Only this rank reports the failures that follow on other ranks.
            executor.health.fail(&operation, failure);
            self.control.could_not_send(operation.recorded(), failure);
        }
        let given = gathering.given(&operation, tiles.as_ref().ok());
        drop(tiles);
        let all = self.net.buffer(gathering.counts.iter().sum());
        let asked = executor.observers.recorder.now();
        let request = self.net.gather(given, all, &gathering.counts);
        Some(Flight {
            task,
            request,
            then: Then::Spread(gathering),
            start,
            asked,
            operation,
            elements,
        })
    }
}

impl Gathering {
    /// Packs this rank's contribution. The first word stays 0 if its data is missing.
    fn given(&self, operation: &Operation, tiles: Option<&Tiles<'_>>) -> Vec<u64> {
        let mut given = vec![0; self.counts[usize::from(self.rank)]];
        let Some((is_there, mut rest)) = given.split_first_mut() else {
            return given;
        };
        if let Some(tiles) = tiles {
            *is_there = 1;
            for (block, _) in self.pieces.iter().filter(|(_, from)| *from == self.rank) {
                let (own, others) = rest.split_at_mut(words(operation, block));
                if let Some(view) = view_of(operation, block) {
                    tiles.pack(&view, own);
                }
                rest = others;
            }
        }
        given
    }

    /// Unpacks the pieces of the other ranks into the store.
    pub(super) fn spread(
        &self,
        operation: &Operation,
        tiles: &Tiles<'_>,
        all: &[u64],
    ) -> Result<(), Arc<Failure>> {
        let mut rest = all;
        for (rank, count) in self.counts.iter().enumerate() {
            let (of_rank, others) = rest.split_at(*count);
            rest = others;
            let Some((is_there, mut words_left)) = of_rank.split_first() else {
                continue;
            };
            if *is_there == 0 {
                return Err(operation.failure(Cause::Rank(rank as u16)));
            }
            for (block, _) in self
                .pieces
                .iter()
                .filter(|(_, from)| usize::from(*from) == rank)
            {
                let (own, others) = words_left.split_at(words(operation, block));
                words_left = others;
                if let Some(view) = view_of(operation, block)
                    && rank != usize::from(self.rank)
                {
                    tiles.unpack(&view, own);
                }
            }
        }
        Ok(())
    }

    /// Calls `each` for every message that a gather counts as on this rank. The first message has
    /// the UID of the task.
    pub(super) fn sides(
        &self,
        uids: &Uids,
        operation: &Operation,
        mut tile: TileTask,
        mut each: impl FnMut(&TileTask, (MessageSide, Peer), u64),
    ) {
        let size = operation.dtype().size() as u64;
        let mut bytes = vec![0; self.counts.len()];
        for (block, from) in self.pieces.iter() {
            bytes[usize::from(*from)] += block.len() as u64 * size;
        }
        let own = usize::from(self.rank);
        let others = || (0..self.counts.len()).filter(|rank| *rank != own);
        let number = GATHERS | self.number;
        let received = others().map(|rank| (MessageSide::Receive, rank, bytes[rank]));
        let sent = others().map(|rank| (MessageSide::Send, rank, bytes[own]));
        for (side, rank, bytes) in received.chain(sent).filter(|(_, _, bytes)| *bytes > 0) {
            let rank = rank as u16;
            each(&tile, (side, Peer { rank, number }), bytes);
            tile.uid = TaskUid(uids.next());
        }
    }
}

/// Returns the number of words that a block takes.
fn words(operation: &Operation, block: &Block) -> usize {
    (block.len() * operation.dtype().size()).div_ceil(8)
}

/// Returns a block as a view of a gather's store.
fn view_of(operation: &Operation, block: &Block) -> Option<Layout> {
    match operation.operands.first()? {
        Operand::Array { store, .. } => Some(view(block, &store.shape)),
        Operand::Scalar(_) | Operand::Host(_) => None,
    }
}
