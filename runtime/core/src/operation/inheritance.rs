//! The propagation of failures from operation to operation.

use std::sync::Arc;

use smallvec::SmallVec;
use weft_geometry::Access;

use super::Operation;
use crate::error::Failure;
use crate::identity::Order;
use crate::memory::FailureCell;

/// The inputs and outputs of an operation, reduced to their failures. It keeps neither the
/// operation nor data alive.
pub(crate) struct Inheritance {
    reader: Order,
    writer: Order,
    read: SmallVec<[Arc<FailureCell>; 3]>,
    written: SmallVec<[Arc<FailureCell>; 1]>,
}

impl Inheritance {
    /// Iterates over the failures of earlier operations that should have written inputs of the
    /// operation.
    pub(crate) fn failed_inputs(&self) -> impl Iterator<Item = Arc<Failure>> + '_ {
        self.read.iter().filter_map(|cell| cell.before(self.reader))
    }

    /// Sets the failure in the stores that the operation writes.
    pub(crate) fn poison(&self, failure: &Arc<Failure>) {
        for cell in &self.written {
            cell.set(self.writer, failure);
        }
    }

    /// Notes that the operation is under way and may still fail.
    pub(crate) fn begin_doubt(&self) {
        self.written.iter().for_each(|cell| cell.begin_doubt());
    }

    /// Ends this [doubt](Self::begin_doubt), once its failure, if any, has been set.
    pub(crate) fn end_doubt(&self) {
        self.written.iter().for_each(|cell| cell.end_doubt());
    }
}

impl Operation {
    /// Whether an input of the operation is written by another one under way that may still fail.
    /// Call it before [`failed_input`](Self::failed_input): a failure that occurs in between is
    /// then seen by one of the two.
    pub(crate) fn has_doubtful_input(&self) -> bool {
        self.arrays()
            .any(|array| array.declared.access != Access::Write && array.store.is_doubtful())
    }

    /// Returns the operation's part in the propagation of failures.
    pub(crate) fn inheritance(&self) -> Inheritance {
        let mut inheritance = Inheritance {
            reader: Order::from_uid(self.order),
            writer: self.writer(),
            read: SmallVec::new(),
            written: SmallVec::new(),
        };
        for array in self.arrays() {
            let cell = array.store.failure_cell();
            if array.declared.access != Access::Write {
                inheritance.read.push(cell.clone());
            }
            if array.declared.access != Access::Read {
                inheritance.written.push(cell.clone());
            }
        }
        inheritance
    }
}
