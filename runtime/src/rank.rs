//! What an operation's operands are for the rules by which ranks exchange elements.

mod stream;

use std::sync::Arc;

use smallvec::SmallVec;
use weft_geometry::words::View;
use weft_geometry::{Block, Cuts, Ranks, Spread, Spreads, Used};

pub(crate) use self::stream::Stream;
#[cfg(feature = "mpi")]
pub(crate) use self::stream::Tail;

use crate::memory::Store;
use crate::operation::{Operand, Operation};

/// Elements of a store that go from one rank to another before an operation.
pub(crate) struct Transfer {
    pub(crate) store: Arc<Store>,
    pub(crate) block: Block,
    pub(crate) from: u16,
    pub(crate) to: u16,
}

/// The stores of an operation's operands.
struct Stores<'a>(&'a Operation);

impl Spreads for Stores<'_> {
    fn with<R>(&mut self, operand: usize, then: impl FnOnce(&mut Spread) -> R) -> R {
        match self.0.store(operand) {
            Some(store) => then(&mut store.spread()),
            None => then(&mut Spread::default()),
        }
    }
}

impl Operation {
    /// Its views of stores, for the profile.
    pub(crate) fn views(&self) -> impl Iterator<Item = View> {
        let operands = self.operands.iter().enumerate();
        operands.filter_map(|(index, operand)| match operand {
            Operand::Array {
                store,
                layout,
                access,
            } => Some(View {
                store: store.uid.raw(),
                layout: *layout,
                access: *access,
                follow: self.body.follow(index),
            }),
            Operand::Scalar(_) | Operand::Host(_) => None,
        })
    }

    /// The store of an operand that has one.
    pub(crate) fn store(&self, operand: usize) -> Option<&Arc<Store>> {
        match self.operands.get(operand)? {
            Operand::Array { store, .. } => Some(store),
            Operand::Scalar(_) | Operand::Host(_) => None,
        }
    }
}

/// Finds the messages that an operation needs, as [`weft_geometry::exchange`] does.
pub(crate) fn exchange(operation: &Operation, cuts: &Cuts, ranks: Ranks) -> (Vec<Transfer>, bool) {
    let body = &operation.body;
    let operands = operation.operands.iter().enumerate();
    let used: SmallVec<[Used<'_>; 4]> = operands
        .filter_map(|(index, operand)| match operand {
            Operand::Array {
                store,
                layout,
                access,
            } => Some(Used {
                operand: index,
                store: store.uid.raw(),
                shape: &store.shape,
                layout,
                access: *access,
                follow: body.follow(index),
            }),
            Operand::Scalar(_) | Operand::Host(_) => None,
        })
        .collect();
    let may_share = body.can_be_shared();
    let mut stores = Stores(operation);
    let (transfers, is_shared) =
        weft_geometry::exchange(&used, may_share, cuts, ranks, &mut stores);
    let transfers = transfers.into_iter().filter_map(|transfer| {
        Some(Transfer {
            store: operation.store(transfer.operand)?.clone(),
            block: transfer.block,
            from: transfer.from,
            to: transfer.to,
        })
    });
    (transfers.collect(), is_shared)
}
