//! Tasks as members of groups.

use std::sync::Arc;

use super::super::api::GpuId;
use crate::fusion::{self, Joins};
use crate::operation::Operation;
use crate::shape::Layout;
use crate::task::Task;

/// A task and its operation.
pub(super) struct Member {
    pub(super) task: Arc<Task>,
    pub(super) operation: Arc<Operation>,
}

/// Elementwise tasks over one index space on one GPU.
pub(super) type Group = fusion::Group<Member>;

impl Joins for Member {
    type Processor = GpuId;

    fn operation(&self) -> &Arc<Operation> {
        &self.operation
    }

    fn part(&self, operand: usize) -> Option<Layout> {
        self.operation.part(operand, &self.task.cut)
    }
}
