//! Operations as members of groups, before they are cut.

use std::sync::Arc;

use super::group::Joins;
use crate::operation::{Fusion, Operand, Operation};
use crate::shape::Layout;
use weft_elements::Handle;
use weft_elements::chain::Fold;

/// A whole operation. Operations of one shape are cut in the same way: tiles of the same number
/// work on the same indices.
pub(crate) struct Whole(pub(crate) Arc<Operation>);

impl Joins for Whole {
    /// The range of GPUs that its tasks are spread over, as start and end; both 0 on CPUs.
    type Processor = (usize, usize);

    fn operation(&self) -> &Arc<Operation> {
        &self.0
    }

    fn part(&self, operand: usize) -> Option<Layout> {
        match self.0.operands.get(operand)? {
            Operand::Array { layout, .. } => Some(*layout),
            Operand::Scalar(_) | Operand::Host(_) => None,
        }
    }
}

/// Returns the reduction of a whole array to one value for each tile; `None` for other operations.
pub(crate) fn fold_of(operation: &Operation) -> Option<Handle<dyn Fold>> {
    match &operation.body.fusion {
        Fusion::Fold(reduce) => Some(reduce.clone()),
        Fusion::Alone | Fusion::Step { .. } | Fusion::FoldLines(_) => None,
    }
}

/// Returns the reduction of all values or along an axis, which GPUs fuse; `None` for other
/// operations.
pub(crate) fn gpu_fold_of(operation: &Operation) -> Option<Handle<dyn Fold>> {
    fold_of(operation).or_else(|| line_fold_of(operation))
}

/// Returns the reduction along an axis; `None` for other operations.
pub(crate) fn line_fold_of(operation: &Operation) -> Option<Handle<dyn Fold>> {
    match &operation.body.fusion {
        Fusion::FoldLines(reduce) => Some(reduce.clone()),
        Fusion::Alone | Fusion::Step { .. } | Fusion::Fold(_) => None,
    }
}
