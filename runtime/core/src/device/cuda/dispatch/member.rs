//! Tasks as members of groups.

use std::sync::Arc;

use smallvec::SmallVec;

use super::super::api::GpuId;
use crate::fusion::{self, Joins, SharedKernel, StepKind};
use crate::operation::Operation;
use crate::shape::Layout;
use crate::task::Task;
use weft_elements::Handle;
use weft_elements::chain::Fold;

/// A task and its operation.
pub(super) struct Member {
    pub(super) task: Arc<Task>,
    pub(super) operation: Arc<Operation>,
}

/// Elementwise tasks over one index space on one GPU.
pub(super) type Group = fusion::Group<Member>;

/// The arrived tasks of those that share a kernel.
pub(super) struct Gathering {
    kernel: Arc<SharedKernel>,
    /// The groups of tasks on one tile, by tile number.
    tiles: SmallVec<[(u32, Box<Group>); 1]>,
}

/// The part of a task in a shared kernel.
pub(super) enum Joining {
    /// It computes values.
    Step(StepKind),
    /// It reduces values of the others.
    Fold(Handle<dyn Fold>),
}

impl Joining {
    /// Returns the part of an operation's tasks; `None` if they need their own kernel.
    pub(super) fn from_operation(operation: &Operation) -> Option<Joining> {
        let step = fusion::step_of(operation).map(Joining::Step);
        step.or_else(|| fusion::gpu_fold_of(operation).map(Joining::Fold))
    }
}

/// The result of adding a task that shares a kernel.
pub(super) enum Gathered {
    /// More tasks of its tile are expected.
    Waits,
    /// It was the last task of its tile.
    Complete(Box<Group>),
    /// It cannot be fused with the tasks before it.
    Apart(Member),
}

impl Gathering {
    /// Creates an empty gathering for the tasks that share a kernel.
    pub(super) fn new(kernel: Arc<SharedKernel>) -> Gathering {
        Gathering {
            kernel,
            tiles: SmallVec::new(),
        }
    }

    /// Returns whether it gathers the tasks that share this kernel.
    pub(super) fn is_of(&self, kernel: &Arc<SharedKernel>) -> bool {
        Arc::ptr_eq(&self.kernel, kernel)
    }

    /// Adds a task on a GPU.
    pub(super) fn add(
        &mut self,
        gpu: GpuId,
        joining: Joining,
        member: Member,
        may_swap: bool,
    ) -> Gathered {
        let (point, shape) = (
            member.task.point,
            member.operation.part_shape(&member.task.cut),
        );
        let known = self.tiles.iter().position(|(known, _)| *known == point);
        let at = known.unwrap_or_else(|| {
            self.tiles.push((point, Group::new(gpu, shape)));
            self.tiles.len() - 1
        });
        let group = &mut self.tiles[at].1;
        // A reduction along an axis has the shape of its result.
        let is_alike = group.shape == shape || matches!(joining, Joining::Fold(_));
        if group.place != gpu || !is_alike {
            return Gathered::Apart(member);
        }
        let added = match joining {
            Joining::Step(kind) => group.add(kind, member, may_swap),
            Joining::Fold(fold) => group.fold(fold, member),
        };
        match added {
            Err(member) => Gathered::Apart(member),
            Ok(()) if group.members.len() == self.kernel.operations => {
                Gathered::Complete(self.tiles.remove(at).1)
            }
            Ok(()) => Gathered::Waits,
        }
    }

    /// Returns whether no task waits for others.
    pub(super) fn is_empty(&self) -> bool {
        self.tiles.is_empty()
    }

    /// Returns the results that the kernel does not write, see [`SharedKernel::hidden`].
    pub(super) fn hidden(&self) -> u64 {
        self.kernel.hidden
    }

    /// Returns the tasks of incomplete groups, in program order.
    pub(super) fn into_members(self) -> impl Iterator<Item = Member> {
        let mut members: Vec<Member> = Vec::new();
        for (_, group) in self.tiles {
            members.extend(group.members);
        }
        members.sort_by_key(|member| (member.task.uid.raw(), member.task.point));
        members.into_iter()
    }
}

impl Joins for Member {
    type Processor = GpuId;

    fn operation(&self) -> &Arc<Operation> {
        &self.operation
    }

    fn part(&self, operand: usize) -> Option<Layout> {
        self.operation.part(operand, &self.task.cut)
    }
}
