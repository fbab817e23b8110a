//! Operations and their stores as the rules of exchange between ranks need them.

#[cfg_attr(
    not(feature = "mpi"),
    allow(dead_code, reason = "used by builds with ranks")
)]
mod parts;
mod stream;

use std::sync::Arc;

use smallvec::SmallVec;
use weft_geometry::words::View;
use weft_geometry::{Block, Cuts, Exchange, Exchanges, Spread, Spreads, Used};

#[allow(
    unused_imports,
    reason = "for messages between ranks, in builds that have them"
)]
pub(crate) use self::parts::{PART_BYTES, PartSize};
#[allow(
    unused_imports,
    reason = "for messages between ranks, in builds that have them"
)]
pub(crate) use self::stream::Tail;
pub(crate) use self::stream::{ProgramLock, ProgramStream};

use crate::memory::Store;
use crate::operation::{Operand, Operation};
use crate::shape::{Layout, Shape};

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
    /// Iterates over its views of stores, for the profile.
    pub(crate) fn views(&self) -> impl Iterator<Item = View> {
        self.arrays().map(|array| View {
            store: array.store.uid.raw(),
            layout: *array.layout,
            access: array.declared.access,
            projection: array.declared.projection.clone(),
        })
    }

    /// Returns the store of an operand, if it has one.
    pub(crate) fn store(&self, operand: usize) -> Option<&Arc<Store>> {
        match self.operands.get(operand)? {
            Operand::Array { store, .. } => Some(store),
            Operand::Scalar(_) | Operand::Host(_) => None,
        }
    }
}

/// Finds the messages that an operation needs, and updates the spreads of its stores.
pub(crate) fn exchange(exchanges: &mut Exchanges, operation: &Operation, cuts: &Cuts) -> Exchange {
    let used: SmallVec<[Used<'_>; 4]> = operation
        .arrays()
        .map(|array| Used {
            operand: array.index,
            store: array.store.uid.raw(),
            shape: &array.store.shape,
            layout: array.layout,
            access: array.declared.access,
            projection: &array.declared.projection,
        })
        .collect();
    let may_share = operation.body.role.can_be_shared();
    let mut stores = Stores(operation);
    exchanges.exchange(&used, &operation.shape, may_share, cuts, &mut stores)
}

/// Returns a block as a view of its store.
pub(crate) fn view(block: &Block, store: &Shape) -> Layout {
    let mut view = Layout::contiguous(*store);
    for (axis, (first, end)) in block.bounds().iter().enumerate() {
        view.offset += first * view.strides[axis].unsigned_abs();
        view.shape = view.shape.with_dim(axis, end - first).unwrap_or(view.shape);
    }
    view
}
