//! What an operation's operands are for the rules by which ranks exchange elements.

#[cfg_attr(
    not(feature = "mpi"),
    allow(dead_code, reason = "for those who have ranks")
)]
mod parts;
mod stream;

use std::sync::Arc;

use smallvec::SmallVec;
use weft_geometry::words::View;
use weft_geometry::{Cuts, Exchange, Exchanges, Spread, Spreads, Used};

#[allow(
    unused_imports,
    reason = "for messages between ranks, in builds that have them"
)]
pub(crate) use self::parts::{PART_BYTES, PartSize};
pub(crate) use self::stream::ProgramStream;
#[allow(
    unused_imports,
    reason = "for messages between ranks, in builds that have them"
)]
pub(crate) use self::stream::Tail;

use crate::memory::Store;
use crate::operation::{Operand, Operation};

/// The stores of an operation's operands.
struct Stores<'a>(&'a Operation);

impl Spreads for Stores<'_> {
    fn get(&self, operand: usize) -> Spread {
        let store = self.0.store(operand);
        store.map_or_else(Spread::default, |store| store.spread().clone())
    }

    fn set(&mut self, operand: usize, spread: Spread) {
        if let Some(store) = self.0.store(operand) {
            *store.spread() = spread;
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
                projection: self.body.projection(index),
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

/// Finds the messages that an operation needs, and notes what every rank has then.
pub(crate) fn exchange(exchanges: &mut Exchanges, operation: &Operation, cuts: &Cuts) -> Exchange {
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
                projection: body.projection(index),
            }),
            Operand::Scalar(_) | Operand::Host(_) => None,
        })
        .collect();
    let mut stores = Stores(operation);
    exchanges.exchange(&used, body.can_be_shared(), cuts, &mut stores)
}
