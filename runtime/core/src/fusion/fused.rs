//! A group that is complete: what its tiles read and write, and the kernel that does it.

use std::sync::Arc;

use smallvec::SmallVec;
use weft_geometry::Tiling;
use weft_trace::id::{OperationUid, TaskUid};

use super::group::Folded;
use super::replay::Form;
use crate::dtype::{DType, Scalar};
use crate::identity::UidRange;
use crate::memory::{Buffer, Store};
use crate::operation::{Labels, Operation};
use crate::shape::{Layout, Shape};
use weft_elements::chain::{ChainPlan, Step};

/// A view of a store in one of its places.
pub(crate) struct Bound {
    pub(crate) store: Arc<Store>,
    pub(crate) layout: Layout,
    pub(crate) slot: Buffer,
}

/// What a fused kernel reads.
#[allow(
    clippy::large_enum_variant,
    reason = "most are views, and there are a few at a time"
)]
pub(crate) enum Input {
    /// Elements of a store.
    View {
        /// Which.
        bound: Bound,
        /// The first of the operations that reads them.
        reader: u16,
    },
    /// One value for all.
    Scalar(Scalar),
}

impl Input {
    /// The dtype of the elements.
    pub(crate) fn dtype(&self) -> DType {
        match self {
            Input::View { bound, .. } => bound.store.dtype,
            Input::Scalar(scalar) => scalar.dtype(),
        }
    }
}

/// Operations that are done together, tile by tile.
pub(crate) struct Fused {
    /// The operations, in program order. The operation of step `i` has the number `i`; a reduction is the last.
    pub(crate) operations: SmallVec<[Arc<Operation>; 4]>,
    /// The shape that the tiles cover together.
    pub(crate) shape: Shape,
    pub(crate) inputs: SmallVec<[Input; 8]>,
    pub(crate) steps: SmallVec<[Step; 8]>,
    /// What is written, and by which steps.
    pub(crate) outputs: SmallVec<[(u16, Bound); 2]>,
    /// The last operation, where it is a reduction, and where the tiles' values go.
    pub(crate) folded: Option<(Folded, Bound)>,
    pub(crate) plan: Arc<ChainPlan>,
    /// What its launches are called; `None` where nobody watches.
    pub(crate) labels: Option<Labels>,
    /// UIDs of the tasks: a tile's one after another, in the order of the operations.
    pub(crate) uids: UidRange,
}

impl Fused {
    /// The first of the operations.
    pub(crate) fn first(&self) -> OperationUid {
        self.operations[0].uid
    }

    /// The stores of what its kernel reads and writes: handles besides those of the operations.
    pub(crate) fn stores(&self) -> impl Iterator<Item = &Arc<Store>> {
        let inputs = self.inputs.iter().filter_map(|input| match input {
            Input::View { bound, .. } => Some(&bound.store),
            Input::Scalar(_) => None,
        });
        let outputs = self.outputs.iter().map(|(_, bound)| &bound.store);
        let folded = self.folded.iter().map(|(_, bound)| &bound.store);
        inputs.chain(outputs).chain(folded)
    }

    /// What it is, whatever its stores are.
    pub(crate) fn form(&self) -> Form<'_> {
        Form {
            shape: &self.shape,
            inputs: &self.inputs,
            steps: &self.steps,
            outputs: &self.outputs,
            folded: self.folded.as_ref(),
        }
    }

    /// What decides how it is cut.
    pub(crate) fn tiling(&self) -> Tiling {
        match self.folded {
            Some(_) => Tiling::Shape { work: 1 },
            None => Tiling::Processors { work: 1 },
        }
    }

    /// The UID of the task that is one operation on one tile.
    pub(crate) fn task(&self, point: u32, operation: u32) -> TaskUid {
        let operations = self.operations.len() as u64;
        TaskUid(
            self.uids
                .get(u64::from(point) * operations + u64::from(operation)),
        )
    }
}
