//! What other ranks need of an operation's inputs, and what it needs from them.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::smallvec;
use weft_geometry::{Access, Block, Cut, Region, Transfer};
use weft_trace::id::ProcessorId;

use super::Analysis;
use crate::fusion::{Group, Source, Whole, Written};
use crate::memory::Store;
use crate::operation::{Body, Operand, Operation, Peer, Request};
use crate::rank::exchange;
use crate::runtime::Core;
use crate::shape::{Layout, Shape};

/// How many messages there were between this rank and each other, both ways, and how many gathers: all ranks count alike.
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

impl Analysis {
    /// Sends and receives what an operation needs elsewhere and here. Whether it is cut as others of its shape are.
    pub(super) fn exchange(
        &mut self,
        core: &Core,
        operation: &Arc<Operation>,
        on: ProcessorId,
    ) -> bool {
        let cuts = core.cuts(&operation.shape, operation.body.grain());
        let exchange = exchange(&mut self.exchanges, operation, &cuts);
        operation.share_out(exchange.is_shared);
        for transfer in exchange.transfers.iter() {
            let receives = transfer.to == core.ranks.rank;
            let number = self.numbers.next(transfer);
            let (body, access) = match receives {
                true => {
                    let rank = transfer.from;
                    (Body::Receive(Peer { rank, number }), Access::Write)
                }
                false => {
                    let rank = transfer.to;
                    (Body::Send(Peer { rank, number }), Access::Read)
                }
            };
            let part = (transfer.operand, &transfer.block, receives);
            self.message(core, operation, part, (body, access), on);
        }
        for gather in exchange.gathers.iter() {
            let number = self.numbers.next_gather();
            core.expect_gather(number, gather.pieces.clone());
            let what = (Body::Gather(number), Access::ReadWrite);
            let part = (gather.operand, &gather.block, true);
            self.message(core, operation, part, what, on);
        }
        exchange.is_shared == (cuts.tiles() > 1)
    }

    /// Analyses a message of a block of an operand, which may be written.
    fn message(
        &mut self,
        core: &Core,
        for_: &Arc<Operation>,
        (operand, block, writes): (usize, &Block, bool),
        (body, access): (Body, Access),
        on: ProcessorId,
    ) {
        let Some(store) = for_.store(operand) else {
            return;
        };
        let open = self.group.as_deref();
        if open.is_some_and(|group| meets(core, group, store, block, writes)) {
            self.flush(core, on);
        }
        let layout = view(block, &store.shape);
        let operand = Operand::Array {
            store: store.clone(),
            layout,
            access,
        };
        let request = Request {
            parent: Some(for_.uid),
            ..Request::new(for_.call(), body, layout.shape, smallvec![operand])
        };
        core.outstanding.begin_inside();
        let message = Operation::new(core.own_operation(), core.recorder.now(), request).at(for_);
        message.begin_uses();
        self.analyse(core, Arc::new(message), on);
    }
}

/// A block as a view of its store.
pub(crate) fn view(block: &Block, store: &Shape) -> Layout {
    let mut view = Layout::contiguous(*store);
    for (axis, (first, end)) in block.bounds().iter().enumerate() {
        view.offset += first * view.strides[axis].unsigned_abs();
        view.shape = view.shape.with_dim(axis, end - first).unwrap_or(view.shape);
    }
    view
}

/// Whether what this rank does of a group, which comes before a message, must be analysed before it.
fn meets(
    core: &Core,
    group: &Group<Whole>,
    store: &Arc<Store>,
    block: &Block,
    writes: bool,
) -> bool {
    let Some(Whole(first)) = group.members.first() else {
        return false;
    };
    let cuts = core.own_cuts(&group.shape, first.body.grain(), first.is_shared());
    let own = cuts.all();
    // A store that is written may be renewed: the message belongs to the place where it is then.
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
