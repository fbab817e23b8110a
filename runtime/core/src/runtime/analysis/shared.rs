//! Groups of operations on GPUs. There is still one task for each operation and tile; the tasks of
//! a group share a kernel.

use weft_trace::id::ProcessorId;

use super::super::Core;
use super::Analysis;
use crate::device::cuda::Gpus;
use crate::fusion::{
    Closing, FOLDED, Group, Whole, gpu_fold_of, line_fold_of, shared_kernel, split, step_of,
};
use crate::operation::Operand;
use crate::shape::{Layout, Shape};
use weft_elements::Handle;
use weft_elements::chain::Fold;
use weft_geometry::Tiling;

impl Analysis {
    /// Takes an operation in a run with GPUs: adds it to the open group if it can share a kernel,
    /// otherwise analyses it after the group.
    pub(super) fn accept_for_gpus(
        &mut self,
        core: &Core,
        gpus: &Gpus,
        may_join: bool,
        mut member: Whole,
        on: ProcessorId,
    ) {
        let shape = member.0.shape;
        let place = gpus.spread(&member.0);
        let may_join = may_join && gpus.runs(&member.0);
        if let (true, Some(fold)) = (may_join, gpu_fold_of(&member.0)) {
            match self.fold_group(core, (fold, place), member) {
                Ok(is_awaited) => return self.end_if(core, is_awaited, on),
                Err(back) => member = back,
            }
        }
        let step = match may_join {
            true => step_of(&member.0),
            false => None,
        };
        let Some(step) = step else {
            self.flush(core, Closing::Before(member.0.uid), on);
            return self.analyse(core, member.0, on);
        };
        let (next, is_awaited) = (member.0.uid, member.0.latch.is_some());
        let fits = |group: &Group<Whole>| group.shape == shape && group.place == place;
        if self
            .group
            .as_deref()
            .is_some_and(|group| fits(group) && group.is_full())
        {
            self.share_first_part(core, gpus, &member, on);
        }
        if let Some(group) = &mut self.group
            && fits(group)
        {
            match group.add(step.clone(), member, gpus.hold_all) {
                Ok(()) => return self.end_if(core, is_awaited, on),
                Err(back) => member = back,
            }
        }
        self.flush(core, Closing::Before(next), on);
        let mut group = Group::new(place, shape);
        match group.add(step, member, gpus.hold_all) {
            Ok(()) => {
                self.group = Some(group);
                self.end_if(core, is_awaited, on);
            }
            Err(Whole(operation)) => self.analyse(core, operation, on),
        }
    }

    /// Adds a reduction to the open group, whose kernel then reduces its terms as it computes them.
    /// Returns whether the program waits for it; returns the reduction if it needs its own kernel.
    ///
    /// The result must have the same bits with its own kernel, which may run if the group is closed
    /// late. So the values must be those of a dense vector in each tile.
    fn fold_group(
        &mut self,
        core: &Core,
        (fold, place): (Handle<dyn Fold>, (usize, usize)),
        member: Whole,
    ) -> Result<bool, Whole> {
        let (operation, is_awaited) = (&member.0, member.0.latch.is_some());
        let Some(Operand::Array { layout, .. }) = operation.operands.first() else {
            return Err(member);
        };
        let is_dense = layout.strides == Layout::contiguous(layout.shape).strides;
        let has_code = operation.body.kernels.gpu().and_then(|gpu| gpu.fold());
        let cuts = |shape: &Shape, tiling| core.cutting.cuts(shape, tiling);
        match &mut self.group {
            Some(group)
                if group.place == place
                    && is_dense
                    && has_code.is_some()
                    // Ranks share sums and the values that they sum in different ways.
                    && !core.cutting.ranks().are_many() =>
            {
                let steps = cuts(&group.shape, Tiling::Processors { work: 1 });
                let is_alike = match line_fold_of(operation) {
                    Some(_) => {
                        steps.tiles() == 1
                            && cuts(&operation.shape, operation.body.tiling).tiles() == 1
                    }
                    None => {
                        let folds = cuts(&operation.shape, FOLDED);
                        group.shape == operation.shape
                            && (folds.tiles() == 1 || folds.get(0).axis() == 0)
                            // Fewer tiles would leave GPUs idle.
                            && folds.tiles() >= steps.tiles()
                    }
                };
                match is_alike {
                    true => group.fold(fold, member).map(|()| is_awaited),
                    false => Err(member),
                }
            }
            _ => Err(member),
        }
    }

    /// Closes the open group if the program waits for its last operation.
    fn end_if(&mut self, core: &Core, is_awaited: bool, on: ProcessorId) {
        if is_awaited {
            self.flush(core, Closing::Awaited, on);
        }
    }

    /// Closes the first part of a full group. The rest stays open, so that `next` can join it.
    fn share_first_part(&mut self, core: &Core, gpus: &Gpus, next: &Whole, on: ProcessorId) {
        let Some(group) = self.group.take() else {
            return;
        };
        let (place, shape) = (group.place, group.shape);
        let mut members = group.members;
        drop((group.sources, group.written));
        let mut rest = members.drain(split(&members)..).collect::<Vec<_>>();
        let end = rest.first().unwrap_or(next).0.uid;
        for (members, closing) in [
            (members.into_vec(), Some(end)),
            (std::mem::take(&mut rest), None),
        ] {
            for member in members {
                let uid = member.0.uid;
                let Some(step) = step_of(&member.0) else {
                    continue;
                };
                let group = self.group.get_or_insert_with(|| Group::new(place, shape));
                // They were in one group before, in the same order.
                if let Err(Whole(operation)) = group.add(step, member, gpus.hold_all) {
                    self.flush(core, Closing::Before(uid), on);
                    self.analyse(core, operation, on);
                }
            }
            if let Some(end) = closing {
                self.flush(core, Closing::Before(end), on);
            }
        }
    }

    /// Makes the tasks of a closed group.
    pub(super) fn share_kernel(
        &mut self,
        core: &Core,
        group: Box<Group<Whole>>,
        closing: Closing,
        on: ProcessorId,
    ) {
        let shared = shared_kernel(&group, closing);
        if let (Some(kernel), Some(gpus)) = (&shared, &core.gpus) {
            gpus.foresee_group(&group, kernel.hidden);
        }
        let members = group.members;
        drop((group.sources, group.written, group.steps));
        for (number, Whole(operation)) in members.into_iter().enumerate() {
            operation.bind();
            if let (None, Some(gpus)) = (&shared, &core.gpus) {
                gpus.foresee(&operation, core.plan.verify);
            }
            let shared = shared.as_ref().map(|kernel| (kernel, number));
            self.make_tasks(core, operation, shared, on);
        }
        // All at once, so that the dispatcher finds the tasks of the group together.
        self.release_tasks(core);
    }
}
