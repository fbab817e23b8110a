//! Gathers: what some ranks have of a block goes to all, by one collective call.
//!
//! MPI wants such calls in one order on all ranks. They become ready in any order, and wait for their turn: the program's order, in
//! which each depends only on what comes before it, so that every turn comes.

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
use crate::shape::Layout;
use crate::task::view;

/// Numbers of gathers among those of messages between two ranks.
const GATHERS: u64 = 1 << 62;

/// What goes from which rank to all, by the numbers of gathers.
#[derive(Default)]
pub(super) struct Expected(Mutex<FxHashMap<u64, Pieces>>);

/// Blocks, and the ranks that they come from.
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

/// Gathers that are ready, and whose turn it is.
#[derive(Default)]
pub(super) struct InOrder {
    done: u64,
    ready: BTreeMap<u64, Posted>,
}

impl InOrder {
    pub(super) fn add(&mut self, number: u64, gather: Posted) {
        self.ready.insert(number, gather);
    }

    /// The next one, where it is ready.
    pub(super) fn next(&mut self) -> Option<Posted> {
        let next = self.ready.remove(&(self.done + 1))?;
        self.done += 1;
        Some(next)
    }
}

/// A gather under way. Of each rank come a word that says whether it has what it was to give, and its pieces.
pub(super) struct Gathering {
    number: u64,
    pieces: Pieces,
    /// Words of each rank.
    counts: Vec<usize>,
    rank: u16,
}

impl World {
    /// Asks MPI for a gather.
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
        let tiles = elements.tiles(executor, &operation, &TileTask::of(&task), start);
        if let Err(failure) = &tiles {
            // What fails on other ranks is told by this one.
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
    /// What this rank gives; no word where it has not what it should.
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

    /// Puts what came where it belongs.
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

    /// Calls `each` with every side of the messages that a gather is for this rank: the first has the task's own UID.
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

/// Words of a block.
fn words(operation: &Operation, block: &Block) -> usize {
    (block.len() * operation.dtype().size()).div_ceil(8)
}

/// A block as a view of a gather's store.
fn view_of(operation: &Operation, block: &Block) -> Option<Layout> {
    match operation.operands.first()? {
        Operand::Array { store, .. } => Some(view(block, &store.shape)),
        Operand::Scalar(_) | Operand::Host(_) => None,
    }
}
