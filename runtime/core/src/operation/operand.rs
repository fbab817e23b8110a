//! The operands of operations.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::dtype::{DType, Scalar};
use crate::memory::{Buffer, HostData, Store};
use crate::recycle::{Recycle, recycled};
use crate::shape::Layout;

/// An operand of an operation. Its access is declared in the [`Descriptor`](super::Descriptor).
#[derive(Clone)]
pub enum Operand {
    /// A view of a store.
    Array {
        /// The data.
        store: Arc<Store>,
        /// The view of the store.
        layout: Layout,
        /// The buffer of the store that is read or written.
        slot: Slot,
    },
    /// One value, used for every element.
    Scalar(Scalar),
    /// Values of the program, row-major in the operation's shape.
    Host(Arc<HostData>),
}

recycled!(Operand);

/// The operands of an operation, in the order of their declarations.
pub type Operands = Recycle<Operand>;

impl Operand {
    /// Creates an operand for a view of a store, whose buffer the analysis chooses.
    #[inline]
    pub fn array(store: Arc<Store>, layout: Layout) -> Operand {
        Operand::Array {
            store,
            layout,
            slot: Slot::default(),
        }
    }

    /// Returns the dtype of its elements.
    pub(crate) fn dtype(&self) -> DType {
        match self {
            Operand::Array { store, .. } => store.dtype,
            Operand::Scalar(scalar) => scalar.dtype(),
            Operand::Host(values) => values.dtype(),
        }
    }
}

/// The buffer of a store. The analysis sets it once, in program order, before tasks read it.
#[derive(Default)]
pub struct Slot(AtomicBool);

impl Slot {
    pub(super) fn set(&self, to: Buffer) {
        self.0.store(to == Buffer::Back, Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> Buffer {
        match self.0.load(Ordering::Relaxed) {
            false => Buffer::Front,
            true => Buffer::Back,
        }
    }
}

impl Clone for Slot {
    fn clone(&self) -> Slot {
        Slot(AtomicBool::new(self.0.load(Ordering::Relaxed)))
    }
}
