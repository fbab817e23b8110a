//! Something an operation works on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::dtype::{DType, Scalar};
use crate::memory::{Buffer, HostData, Store};
use crate::recycle::{Recycle, recycled};
use crate::shape::Layout;

/// Something an operation works on. What is done with it, its [`Descriptor`](super::Descriptor) says.
#[derive(Clone)]
pub enum Operand {
    /// A view of a store.
    Array {
        /// The data.
        store: Arc<Store>,
        /// Which elements.
        layout: Layout,
        /// In which of its places the store is read or written.
        slot: Slot,
    },
    /// One value, used for every element.
    Scalar(Scalar),
    /// Values of the program, row-major in the operation's shape.
    Host(Arc<HostData>),
}

recycled!(Operand);

/// What an operation works on, in the order in which it is declared.
pub type Operands = Recycle<Operand>;

impl Operand {
    /// A view of a store, whose place the analysis chooses.
    #[inline]
    pub fn array(store: Arc<Store>, layout: Layout) -> Operand {
        Operand::Array {
            store,
            layout,
            slot: Slot::default(),
        }
    }

    /// The dtype of its elements.
    pub(crate) fn dtype(&self) -> DType {
        match self {
            Operand::Array { store, .. } => store.dtype,
            Operand::Scalar(scalar) => scalar.dtype(),
            Operand::Host(values) => values.dtype(),
        }
    }
}

/// A place of a store, set once by whoever puts the operation in order, before its tasks look.
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
