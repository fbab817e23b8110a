//! What other ranks need of an operation's inputs, and what it needs from them.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::smallvec;
use weft_geometry::{Access, Block, Cut, Region};
use weft_trace::id::ProcessorId;

use super::Analysis;
use crate::fusion::{Group, Source, Whole, Written};
use crate::memory::Store;
use crate::operation::{Body, Operand, Operation, Peer, Request};
use crate::rank::{Transfer, exchange};
use crate::runtime::Core;
use crate::shape::{Layout, Shape};

/// How many messages there were between this rank and each other, both ways: both sides count alike.
#[derive(Default)]
pub(super) struct Numbers(FxHashMap<(u16, u16), u64>);

impl Numbers {
    fn next(&mut self, transfer: &Transfer) -> u64 {
        let next = self.0.entry((transfer.from, transfer.to)).or_default();
        *next += 1;
        *next
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
        let ranks = core.ranks;
        let cuts = core.cuts(&operation.shape, operation.body.grain());
        let (transfers, shared) = exchange(operation, &cuts, ranks);
        operation.share_out(shared);
        for transfer in transfers {
            if ![transfer.from, transfer.to].contains(&ranks.rank) {
                continue;
            }
            let receives = transfer.to == ranks.rank;
            let open = self.group.as_deref();
            if open.is_some_and(|group| meets(core, group, &transfer, receives)) {
                self.flush(core, on);
            }
            let number = self.numbers.next(&transfer);
            let message = message(core, operation, &transfer, receives, number);
            self.analyse(core, message, on);
        }
        shared == (cuts.tiles() > 1)
    }
}

/// The operation that sends a block, or receives it.
fn message(
    core: &Core,
    for_: &Arc<Operation>,
    transfer: &Transfer,
    receives: bool,
    number: u64,
) -> Arc<Operation> {
    let (body, access) = match receives {
        true => (
            Body::Receive(Peer {
                rank: transfer.from,
                number,
            }),
            Access::Write,
        ),
        false => (
            Body::Send(Peer {
                rank: transfer.to,
                number,
            }),
            Access::Read,
        ),
    };
    let layout = view(&transfer.block, &transfer.store.shape);
    let operand = Operand::Array {
        store: transfer.store.clone(),
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
    Arc::new(message)
}

/// A block as a view of its store.
fn view(block: &Block, store: &Shape) -> Layout {
    let mut view = Layout::contiguous(*store);
    for (axis, (first, end)) in block.bounds().iter().enumerate() {
        view.offset += first * view.strides[axis].unsigned_abs();
        view.shape = view.shape.with_dim(axis, end - first).unwrap_or(view.shape);
    }
    view
}

/// Whether what this rank does of a group, which comes before a message, must be analysed before it.
fn meets(core: &Core, group: &Group<Whole>, transfer: &Transfer, receives: bool) -> bool {
    let Some(Whole(first)) = group.members.first() else {
        return false;
    };
    let cuts = core.own_cuts(&group.shape, first.body.grain(), first.is_shared());
    let own = cuts.all();
    // A store that is written may be renewed: the message belongs to the place where it is then.
    let writes = |written: &Written| Arc::ptr_eq(&written.view.store, &transfer.store);
    let reads = |source: &Source| match source {
        Source::View(view) => receives && touches(&view.store, &view.layout, &own, transfer),
        Source::Scalar(_) => false,
    };
    group.written.iter().any(writes) || group.sources.iter().any(reads)
}

fn touches(store: &Arc<Store>, layout: &Layout, own: &Cut, transfer: &Transfer) -> bool {
    if !Arc::ptr_eq(store, &transfer.store) {
        return false;
    }
    let region = Region::of(&own.of(layout), &store.shape);
    region.is_some_and(|region| {
        let (block, _) = region.block(&store.shape);
        block.meet(&transfer.block).is_some()
    })
}
