//! A closed group: the stores that its tiles read and write, and the kernel.

use std::sync::Arc;

use smallvec::SmallVec;
use weft_geometry::Tiling;
use weft_trace::id::{OperationUid, TaskUid};

use super::group::Folded;
use crate::dtype::{DType, Scalar};
use crate::identity::UidRange;
use crate::memory::{Buffer, Store};
use crate::operation::{Labels, Operation};
use crate::shape::{Layout, Shape};
use weft_elements::chain::{ChainPlan, Step};

/// The tiling of a group that ends in a reduction: that of the reduction, by shape alone.
pub(crate) const FOLDED: Tiling = Tiling::Shape { work: 1 };

/// A view of a store in one of its buffers.
pub(crate) struct Bound {
    pub(crate) store: Arc<Store>,
    pub(crate) layout: Layout,
    pub(crate) slot: Buffer,
}

/// An input of a fused kernel.
#[allow(
    clippy::large_enum_variant,
    reason = "most are views, and there are a few at a time"
)]
pub(crate) enum Input {
    /// Elements of a store.
    View {
        /// The view that is read.
        bound: Bound,
        /// The number of the first operation that reads it.
        reader: u16,
    },
    /// One value for all elements.
    Scalar(Scalar),
}

impl Input {
    /// Returns the dtype of the elements.
    pub(crate) fn dtype(&self) -> DType {
        match self {
            Input::View { bound, .. } => bound.store.dtype,
            Input::Scalar(scalar) => scalar.dtype(),
        }
    }
}

/// Fused operations, which run together tile by tile.
pub(crate) struct Fused {
    /// The operations, in program order. The operation of step `i` has the number `i`; a reduction
    /// is the last.
    pub(crate) operations: SmallVec<[Arc<Operation>; 4]>,
    /// The shape that the tiles cover together.
    pub(crate) shape: Shape,
    pub(crate) inputs: SmallVec<[Input; 8]>,
    pub(crate) steps: SmallVec<[Step; 8]>,
    /// The outputs, each with the step that computes it.
    pub(crate) outputs: SmallVec<[(u16, Bound); 2]>,
    /// The last operation if it is a reduction, and the target of the tiles' values.
    pub(crate) folded: Option<(Folded, Bound)>,
    pub(crate) plan: Arc<ChainPlan>,
    /// The labels of its launches; `None` if nothing observes them.
    pub(crate) labels: Option<Labels>,
    /// UIDs of the tasks: consecutive for each tile, in the order of the operations.
    pub(crate) uids: UidRange,
}

/// The properties of a group that are independent of its stores.
#[derive(Clone, Copy)]
pub(crate) struct Form<'a> {
    pub(crate) shape: &'a Shape,
    pub(crate) inputs: &'a [Input],
    pub(crate) steps: &'a [Step],
    pub(crate) outputs: &'a [(u16, Bound)],
    pub(crate) folded: Option<&'a (Folded, Bound)>,
}

impl Fused {
    /// Returns the UID of the first operation.
    pub(crate) fn first(&self) -> OperationUid {
        self.operations[0].uid
    }

    /// Iterates over the stores that its kernel reads and writes. These are handles in addition to
    /// those of the operations.
    pub(crate) fn stores(&self) -> impl Iterator<Item = &Arc<Store>> {
        let inputs = self.inputs.iter().filter_map(|input| match input {
            Input::View { bound, .. } => Some(&bound.store),
            Input::Scalar(_) => None,
        });
        let outputs = self.outputs.iter().map(|(_, bound)| &bound.store);
        let folded = self.folded.iter().map(|(_, bound)| &bound.store);
        inputs.chain(outputs).chain(folded)
    }

    /// Returns its form, which is independent of its stores.
    pub(crate) fn form(&self) -> Form<'_> {
        Form {
            shape: &self.shape,
            inputs: &self.inputs,
            steps: &self.steps,
            outputs: &self.outputs,
            folded: self.folded.as_ref(),
        }
    }

    /// Returns the tiling of the group.
    pub(crate) fn tiling(&self) -> Tiling {
        match self.folded {
            Some(_) => FOLDED,
            None => Tiling::Processors { work: 1 },
        }
    }

    /// Returns the UID of the task of one operation on one tile.
    pub(crate) fn task(&self, point: u32, operation: u32) -> TaskUid {
        let operations = self.operations.len() as u64;
        TaskUid(
            self.uids
                .get(u64::from(point) * operations + u64::from(operation)),
        )
    }
}
