//! The exchange of an operation's inputs between this rank and others.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use weft_geometry::{Access, Block, Cut, Moved, Projection, Region, Transfer};
use weft_trace::id::ProcessorId;

use super::super::Core;
use super::Analysis;
use crate::fusion::{Closing, Group, Source, Whole, Written};
use crate::memory::Store;
use crate::operation::{
    Body, Cutting, Operand, Operation, Peer, Request, copy, gather as gather_of, pack, receive,
    send, unpack,
};
use crate::rank::{exchange, view};
use crate::shape::{Layout, Shape};

/// Numbers of messages between this rank and each other rank, both ways, and of gathers. All ranks
/// count in the same way.
#[derive(Default)]
pub(super) struct Numbers {
    between: FxHashMap<(u16, u16), u64>,
    gathers: u64,
}

impl Numbers {
    fn next(&mut self, transfer: &Transfer) -> u64 {
        let next = self
            .between
            .entry((transfer.from, transfer.to))
            .or_default();
        *next += 1;
        *next
    }

    fn next_gather(&mut self) -> u64 {
        self.gathers += 1;
        self.gathers
    }
}

/// The contents of a message.
struct About<'a> {
    /// Index of the operand that it is a part of.
    operand: usize,
    /// The block of the operand's store.
    block: &'a Block,
    /// The part of the block that is moved; `None` for all of it.
    moved: Option<&'a Moved>,
    /// The blocks of that part that this rank gives.
    given: SmallVec<[&'a Block; 1]>,
    /// The blocks of that part that this rank takes.
    taken: SmallVec<[&'a Block; 1]>,
}

impl Analysis {
    /// Sends what other ranks need of an operation's inputs, and receives what this rank needs.
    /// Returns whether the operation is cut like others of its shape.
    pub(super) fn exchange(
        &mut self,
        core: &Core,
        operation: &Arc<Operation>,
        on: ProcessorId,
    ) -> bool {
        let cuts = core.cuts(&operation.shape, operation.body.tiling);
        let exchange = exchange(&mut self.exchanges, operation, &cuts);
        operation.share_out(exchange.is_shared);
        for transfer in exchange.transfers.iter() {
            let receives = transfer.to == core.cutting.ranks().rank;
            let number = self.numbers.next(transfer);
            let body = |part: Projection| match receives {
                true => {
                    let rank = transfer.from;
                    receive(Peer { rank, number }, part)
                }
                false => {
                    let rank = transfer.to;
                    send(Peer { rank, number }, part)
                }
            };
            let block = &transfer.block;
            let (given, taken) = match receives {
                true => (smallvec![], smallvec![block]),
                false => (smallvec![block], smallvec![]),
            };
            let about = About {
                operand: transfer.operand,
                block,
                moved: transfer.moved.as_ref(),
                given,
                taken,
            };
            self.message(core, operation, &body, &about, on);
        }
        for gather in exchange.gathers.iter() {
            let number = self.numbers.next_gather();
            let block = &gather.block;
            let pieces = match core.gpus {
                None => gather.pieces.clone(),
                Some(_) => {
                    let pieces = gather.pieces.iter();
                    let within = pieces.map(|(piece, rank)| (piece.within(block), *rank));
                    within.collect()
                }
            };
            core.expect_gather(number, pieces);
            let of_rank = |own: bool| {
                let pieces = gather.pieces.iter();
                let pieces =
                    pieces.filter(move |(_, rank)| (*rank == core.cutting.ranks().rank) == own);
                pieces.map(|(piece, _)| piece)
            };
            // Elements that every rank already has are in no piece, and stay as they are.
            let all: usize = gather.pieces.iter().map(|(piece, _)| piece.len()).sum();
            let about = About {
                operand: gather.operand,
                block,
                moved: None,
                given: of_rank(true).collect(),
                taken: match all == block.len() {
                    true => smallvec![block],
                    false => of_rank(false).collect(),
                },
            };
            self.message(core, operation, &|_| gather_of(number), &about, on);
        }
        exchange.is_shared == (cuts.tiles() > 1)
    }

    /// Analyses a message for an operation; `body` makes the body for a part of a block.
    fn message(
        &mut self,
        core: &Core,
        for_: &Arc<Operation>,
        body: &dyn Fn(Projection) -> Body,
        about: &About<'_>,
        on: ProcessorId,
    ) {
        let Some(store) = for_.store(about.operand) else {
            return;
        };
        let block = about.block;
        let of_all = body(Projection::Same);
        let writes = of_all.operand(0).access != Access::Read;
        let open = self.group.as_deref();
        if open.is_some_and(|group| overlaps(&core.cutting, group, store, block, writes)) {
            self.flush(core, Closing::Before(for_.uid), on);
        }
        let of = |store: &Arc<Store>, block: &Block| {
            Operand::array(store.clone(), view(block, &store.shape))
        };
        let shape = |block: &Block| view(block, &store.shape).shape;
        if core.gpus.is_none() {
            let (body, shape) = match about.moved {
                None => (of_all, shape(block)),
                Some(moved) => (body(moved.projection()), without_gaps(&shape(block), moved)),
            };
            let operands = smallvec![of(store, block)];
            return self.add(core, for_, body, (shape, operands), on);
        }
        if let Some(moved) = about.moved {
            return self.staged(core, for_, of_all, (store, block, moved), on);
        }
        // GPUs and MPI work on a separate store. So neither waits for the other's work on the rest
        // of the array, and only the message itself goes through main memory.
        let whole = block.within(block);
        let between = core.store_at(for_.call(), store.dtype, shape(block));
        for piece in &about.given {
            let from = of(store, piece);
            let to = of(&between, &piece.within(block));
            let operands = smallvec![from, to];
            self.add(core, for_, copy(), (shape(piece), operands), on);
        }
        let message = smallvec![of(&between, &whole)];
        self.add(core, for_, of_all, (shape(block), message), on);
        for piece in &about.taken {
            let from = of(&between, &piece.within(block));
            let to = of(store, piece);
            let operands = smallvec![from, to];
            self.add(core, for_, copy(), (shape(piece), operands), on);
        }
    }

    /// Analyses a message of a block with gaps whose elements may be on GPUs: the elements go
    /// through a store without the gaps.
    fn staged(
        &mut self,
        core: &Core,
        for_: &Arc<Operation>,
        body: Body,
        (store, block, moved): (&Arc<Store>, &Block, &Moved),
        on: ProcessorId,
    ) {
        let of_block = view(block, &store.shape);
        let shape = without_gaps(&of_block.shape, moved);
        let between = core.store_at(for_.call(), store.dtype, shape);
        let packed = || Operand::array(between.clone(), Layout::contiguous(shape));
        let own = || Operand::array(store.clone(), of_block);
        let message = (shape, smallvec![packed()]);
        match body.operand(0).access {
            Access::Read => {
                let operands = smallvec![own(), packed()];
                self.add(core, for_, pack(moved), (shape, operands), on);
                self.add(core, for_, body, message, on);
            }
            Access::Write | Access::ReadWrite => {
                self.add(core, for_, body, message, on);
                let operands = smallvec![packed(), own()];
                self.add(core, for_, unpack(moved), (shape, operands), on);
            }
        }
    }

    /// Analyses an operation that only this rank runs, on behalf of another operation.
    fn add(
        &mut self,
        core: &Core,
        for_: &Arc<Operation>,
        body: Body,
        (shape, operands): (Shape, SmallVec<[Operand; 4]>),
        on: ProcessorId,
    ) {
        let request = Request {
            parent: Some(for_.uid),
            ..Request::new(body, shape, operands).called_at(for_.call())
        };
        core.queues.outstanding.begin_inside();
        let operation =
            Operation::new(core.own_operation(), core.observers.recorder.now(), request).at(for_);
        operation.begin_uses();
        self.analyse(core, Arc::new(operation), on);
    }
}

/// Returns the shape of the moved part of a block of this shape.
fn without_gaps(block: &Shape, moved: &Moved) -> Shape {
    let rows = moved.runs.indices_of(0);
    block.with_dim(moved.axis, rows).unwrap_or(*block)
}

/// Whether this rank's part of an earlier group must be analysed before a message.
fn overlaps(
    cutting: &Cutting,
    group: &Group<Whole>,
    store: &Arc<Store>,
    block: &Block,
    writes: bool,
) -> bool {
    let Some(Whole(first)) = group.members.first() else {
        return false;
    };
    let cuts = cutting.own_cuts(&group.shape, first.body.tiling, first.is_shared());
    let own = cuts.all();
    // A written store may be swapped: the message belongs to the instance that is current at that
    // point.
    let is_written = |written: &Written| Arc::ptr_eq(&written.view.store, store);
    let is_read = |source: &Source| match source {
        Source::View(view) if writes && Arc::ptr_eq(&view.store, store) => {
            touches(&view.layout, &store.shape, &own, block)
        }
        _ => false,
    };
    group.written.iter().any(is_written) || group.sources.iter().any(is_read)
}

fn touches(layout: &Layout, store: &Shape, own: &Cut, block: &Block) -> bool {
    let region = Region::of(&own.of(layout), store);
    region.is_some_and(|region| region.block(store).0.meet(block).is_some())
}
