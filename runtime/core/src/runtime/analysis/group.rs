//! Creation of fused tasks from a group of operations.

use std::sync::Arc;

use smallvec::SmallVec;
use weft_geometry::{Access, Cut, Cuts, Region, Tiling};
use weft_trace::id::{OperationUid, ProcessorId, StoreUid};
use weft_trace::record;
use weft_trace::time::Timestamp;

use super::super::Core;
use super::{Analysis, Ancestors, Touch};
use crate::device::Queues;
use crate::fusion::{
    Bound, Closing, FOLDED, Form, Fused, Group, Input, Replay, Source, Whole, fold_of, step_of,
};
use crate::memory::{Accessor, BufferSwap, Memories};
use crate::observe::{Observers, Recorder};
use crate::operation::{self, Cutting, Labels, Operand, Operation, Request};
use crate::shape::{Layout, Shape};
use crate::task::{Ended, Outstanding, Task, Work};
use weft_elements::chain::Step;

impl Analysis {
    /// Takes an operation: adds it to the open group if it can be fused, otherwise analyses it
    /// after the group.
    pub(crate) fn accept(&mut self, core: &Core, operation: Arc<Operation>, on: ProcessorId) {
        let is_usual = !core.cutting.ranks().are_many() || self.exchange(core, &operation, on);
        let may_join = core.plan.fusion && !operation.shape.is_empty() && is_usual;
        match &core.gpus {
            Some(gpus) => self.accept_for_gpus(core, gpus, may_join, Whole(operation), on),
            None => self.accept_for_cpus(core, may_join, Whole(operation), on),
        }
    }

    fn accept_for_cpus(&mut self, core: &Core, may_join: bool, mut member: Whole, on: ProcessorId) {
        let shape = member.0.shape;
        let (step, fold) = match may_join {
            // Sums are cut by shape: on several ranks, their tiles differ from those of the values
            // that they sum.
            true if core.cutting.ranks().are_many() => (step_of(&member.0), None),
            true => (step_of(&member.0), fold_of(&member.0)),
            false => (None, None),
        };
        if let Some(group) = &mut self.group
            && group.shape == shape
        {
            let added = match (step.clone(), fold) {
                (Some(step), _) => group.add(step, member, true),
                (None, Some(fold)) => group.fold(fold, member),
                (None, None) => Err(member),
            };
            match added {
                Ok(()) => return,
                Err(back) => member = back,
            }
        }
        self.flush(core, Closing::Before(member.0.uid), on);
        if let Some(step) = step {
            let mut group = Group::new((0, 0), shape);
            match group.add(step, member, true) {
                Ok(()) => {
                    self.group = Some(group);
                    return;
                }
                Err(back) => member = back,
            }
        }
        self.analyse(core, member.0, on);
    }

    /// Returns the number of operations in the open group.
    pub(crate) fn open(&self) -> usize {
        self.group.as_ref().map_or(0, |group| group.members.len())
    }

    /// Closes the open group and makes its tasks.
    pub(crate) fn flush(&mut self, core: &Core, closing: Closing, on: ProcessorId) {
        match self.group.take() {
            Some(group) if core.gpus.is_some() => self.share_kernel(core, group, closing, on),
            Some(group) => self.analyse_group(core, group, on),
            None => {}
        }
    }

    fn analyse_group(&mut self, core: &Core, mut group: Box<Group<Whole>>, on: ProcessorId) {
        if group.members.len() == 1 && !group.swaps_buffers {
            if let Some(Whole(operation)) = group.members.pop() {
                drop(group);
                self.analyse(core, operation, on);
            }
            return;
        }
        let observers = &core.observers;
        let inputs = bind_inputs(&group);
        if group.swaps_buffers {
            match swap_buffers(
                &group,
                &core.cutting,
                &core.memories,
                observers.recorder.now(),
            ) {
                None => return self.analyse_in_two(core, group, on),
                Some((swap, last)) if swap.copy => {
                    core.queues.outstanding.begin_inside();
                    let uid = core.own_operation();
                    let copy = copy_between(&swap, &last, &group, (uid, observers.recorder.now()));
                    self.analyse_bound(core, copy, on);
                }
                Some(_) => {}
            }
        }
        let visible = group.visible();
        let swapped = group.swaps_buffers.then(|| group.written.len() - 1);
        let mut outputs: SmallVec<[(u16, Bound); 2]> = SmallVec::new();
        for at in visible {
            let written = &group.written[at];
            let (store, layout) = (written.view.store.clone(), written.view.layout);
            if swapped != Some(at) {
                store.overwrites(&layout);
            }
            let slot = store.slot();
            outputs.push((
                written.step,
                Bound {
                    store,
                    layout,
                    slot,
                },
            ));
        }
        let Group {
            shape,
            members,
            steps,
            folded,
            ..
        } = *group;
        let operations: SmallVec<[Arc<Operation>; 4]> = members
            .into_iter()
            .map(|Whole(operation)| operation)
            .collect();
        let folded = folded.and_then(|folded| match operations.last()?.operands.get(1)? {
            Operand::Array { store, layout, .. } => {
                store.overwrites(layout);
                let bound = Bound {
                    store: store.clone(),
                    layout: *layout,
                    slot: store.slot(),
                };
                Some((folded, bound))
            }
            _ => None,
        });
        let form = Form {
            shape: &shape,
            inputs: &inputs,
            steps: &steps,
            outputs: &outputs,
            folded: folded.as_ref(),
        };
        let known = self.replays.find(&form);
        let (plan, cuts) = match &known {
            Ok(replay) => (replay.plan.clone(), replay.cuts),
            Err(_) => {
                let tiling = match folded {
                    Some(_) => FOLDED,
                    None => Tiling::Processors { work: 1 },
                };
                let Some(plan) = self.replays.plan(&form) else {
                    unreachable!(
                        "every step of a group is defined for its dtypes: the calls were checked"
                    );
                };
                let shared = operations.first().is_some_and(|first| first.is_shared());
                (plan, core.cutting.own_cuts(&shape, tiling, shared))
            }
        };
        if cuts.count() == 0 {
            return self.pass_over(observers, &core.queues.outstanding, &operations, &cuts, on);
        }
        let uids = core
            .uids
            .next_many((cuts.count() * operations.len()) as u64);
        let labels = self.describe_fused(observers, &operations, &cuts);
        let fused = Arc::new(Fused {
            operations,
            shape,
            inputs,
            steps,
            outputs,
            folded,
            plan,
            labels,
            uids,
        });
        self.start(
            &observers.recorder,
            fused,
            &cuts,
            (on, &core.queues),
            swapped.is_some(),
            known,
        );
    }

    /// Ends operations all of whose tiles are on other ranks.
    fn pass_over(
        &mut self,
        observers: &Observers,
        outstanding: &Outstanding,
        operations: &[Arc<Operation>],
        cuts: &Cuts,
        on: ProcessorId,
    ) {
        let recorder = &observers.recorder;
        let start = self.last.unwrap_or_else(|| recorder.now());
        let mut uids: SmallVec<[OperationUid; 8]> = SmallVec::new();
        for operation in operations {
            if recorder.is_on() {
                self.describe(observers, operation, cuts);
                uids.push(operation.uid);
            }
            Ended::end_operation(operation).tell(outstanding);
        }
        let cut = recorder.now();
        self.planned(recorder, on, &uids, [start, cut, cut, cut]);
    }

    /// Makes the tasks of a group and queues those that are ready.
    fn start(
        &mut self,
        recorder: &Recorder,
        fused: Arc<Fused>,
        cuts: &Cuts,
        (on, queues): (ProcessorId, &Queues),
        swaps_buffers: bool,
        known: Result<Arc<Replay>, Option<u64>>,
    ) {
        let start = self.last.unwrap_or_else(|| recorder.now());
        let created = recorder.now();
        // For each tile, the index of its first predecessor.
        let mut followed: SmallVec<[usize; 16]> = SmallVec::new();
        for point in 0..cuts.count() as u32 {
            let cut = cuts.get(point as usize);
            let uid = fused.task(point, 0);
            let work = Work::Fused(fused.clone());
            let task = Task::new(uid, work, point, cut, created, false);
            let task = self.spares.make(task);
            let regions = known.as_ref().ok().map(|replay| {
                let each = replay.regions.len() / cuts.count();
                &replay.regions[each * point as usize..][..each]
            });
            let accesses = |visit: &mut dyn FnMut(Touch<'_>)| {
                each_access(&fused, &task, &cut, regions, visit);
            };
            followed.push(self.followed.len());
            match swaps_buffers {
                true => self.find(recorder, accesses),
                false => self.touch(recorder, None, accesses),
            }
            if recorder.is_on() {
                self.inner_edges(&fused, point, &cut);
            }
            self.record_edges(recorder, |member| fused.task(point, member));
            self.follow_edges(&task);
            self.tasks.push(task);
        }
        if swaps_buffers {
            // A tile may read elements that others write to the other instance; by now it has found
            // the accesses that these writes cover.
            let mut regions = 0..self.regions.len();
            followed.push(self.followed.len());
            let tasks = std::mem::take(&mut self.tasks);
            for (task, bounds) in tasks.iter().zip(followed.windows(2)) {
                let ancestors = Ancestors::default();
                self.put(
                    recorder,
                    &mut regions,
                    bounds[0]..bounds[1],
                    ancestors,
                    |visit| {
                        // The regions have been found.
                        each_access(&fused, task, &task.cut, Some(&[]), visit);
                    },
                );
            }
            self.tasks = tasks;
            self.forget_touches();
        }
        if let Err(Some(hash)) = known {
            let plan = fused.plan.clone();
            let regions = regions_of(&fused, cuts);
            self.replays.keep(hash, &fused.form(), plan, *cuts, regions);
        }
        let operations: SmallVec<[OperationUid; 8]> = match recorder.is_on() {
            true => fused.operations.iter().map(|one| one.uid).collect(),
            false => SmallVec::new(),
        };
        // So that the last tile to end drops the last handle.
        drop(fused);
        let ended = recorder.now();
        let tasks = std::mem::take(&mut self.tasks);
        queues.make_ready(tasks.iter().filter(|task| task.release(ended)).cloned());
        self.tasks = tasks;
        self.tasks.clear();
        self.planned(recorder, on, &operations, [start, created, created, ended]);
    }

    /// Adds the dependences between the steps of one kernel, for the profile.
    fn inner_edges(&mut self, fused: &Fused, point: u32, cut: &Cut) {
        let mut edge = |from: u16, to: u32| {
            let step = fused.operations.get(usize::from(from));
            let written = step.and_then(|step| written(step, cut));
            self.edges.push(super::Edge {
                earlier: Accessor {
                    uid: fused.task(point, u32::from(from)),
                    whole: fused.first(),
                    task: None,
                },
                kind: record::DependencyKind::ReadAfterWrite,
                member: to,
                store: written.map(|written| written.0),
                bytes: written.map_or(0, |written| written.1),
            });
        };
        for (to, step) in fused.steps.iter().enumerate() {
            for from in step.steps() {
                edge(from, to as u32);
            }
        }
        if let Some((folded, _)) = &fused.folded {
            edge(folded.step, fused.operations.len() as u32 - 1);
        }
    }

    /// Runs the last operation of a group after the others, if there is no memory for its buffer
    /// swap.
    fn analyse_in_two(&mut self, core: &Core, group: Box<Group<Whole>>, on: ProcessorId) {
        let shape = group.shape;
        let mut members = group.members;
        drop((group.sources, group.written, group.steps));
        let last = members.pop();
        let mut first = Group::new((0, 0), shape);
        for member in members {
            // They were in one group before, in the same order.
            let kind = step_of(&member.0);
            let back = match kind {
                Some(kind) => first.add(kind, member, false).err(),
                None => Some(member),
            };
            if let Some(Whole(operation)) = back {
                self.analyse(core, operation, on);
            }
        }
        self.analyse_group(core, first, on);
        if let Some(Whole(operation)) = last {
            self.analyse(core, operation, on);
        }
    }

    /// Records the operations, and returns the labels of their launches.
    fn describe_fused(
        &mut self,
        observers: &Observers,
        operations: &[Arc<Operation>],
        cuts: &Cuts,
    ) -> Option<Labels> {
        for operation in operations {
            operation.begin(cuts.count());
        }
        if !observers.recorder.is_on() && observers.nvtx.is_none() {
            return None;
        }
        for operation in operations {
            self.describe(observers, operation, cuts);
        }
        let first = operations.first()?;
        let location = first.location(self.wanted.provenance);
        let message = observers
            .nvtx
            .as_ref()
            .map(|nvtx| nvtx.fused(first.name(), location, operations.len() - 1));
        let kernel = self.names.fused(&observers.recorder, operations);
        Some(Labels { kernel, message })
    }
}

/// Returns the store that a step writes, and the number of bytes of it in a tile.
fn written(step: &Operation, cut: &Cut) -> Option<(StoreUid, u64)> {
    let mut arrays = step.arrays();
    let out = arrays.find(|array| array.declared.access != Access::Read)?;
    let bytes = cut.of(out.layout).shape.len() * out.store.dtype.size();
    Some((out.store.uid, bytes as u64))
}

/// Calls `visit` with each part of a store that a tile accesses, the access, and the number of the
/// accessing operation.
fn each_part(
    fused: &Fused,
    cut: &Cut,
    mut visit: impl FnMut(&Bound, Access, u32, &dyn Fn() -> Layout),
) {
    for input in &fused.inputs {
        if let Input::View { bound, reader } = input {
            let part = || cut.of(&bound.layout);
            visit(bound, Access::Read, u32::from(*reader), &part);
        }
    }
    for (step, bound) in &fused.outputs {
        let part = || cut.of(&bound.layout);
        visit(bound, Access::Write, u32::from(*step), &part);
    }
    if let (Some((_, bound)), Some(last)) = (&fused.folded, fused.operations.last()) {
        let part = || last.part(1, cut).unwrap_or(bound.layout);
        let writer = fused.operations.len() as u32 - 1;
        visit(bound, Access::Write, writer, &part);
    }
}

/// Calls `visit` with each access of a tile. Regions come from `known` if given.
fn each_access(
    fused: &Fused,
    task: &Arc<Task>,
    cut: &Cut,
    known: Option<&[Option<Region>]>,
    visit: &mut dyn FnMut(Touch<'_>),
) {
    let mut at = 0;
    each_part(fused, cut, |bound, access, member, part| {
        let region = || match known {
            Some(known) => known.get(at)?.clone(),
            None => Region::of(&part(), &bound.store.shape),
        };
        visit(Touch {
            store: &bound.store,
            access,
            by: Accessor {
                uid: fused.task(task.point, member),
                whole: fused.first(),
                task: Some(task.clone()),
            },
            member,
            region: &region,
        });
        at += 1;
    });
}

/// Returns the regions of the accesses of all tiles.
fn regions_of(fused: &Fused, cuts: &Cuts) -> Vec<Option<Region>> {
    let mut regions = Vec::new();
    for point in 0..cuts.count() {
        each_part(fused, &cuts.get(point), |bound, _, _, part| {
            regions.push(Region::of(&part(), &bound.store.shape));
        });
    }
    regions
}

/// Binds the inputs of a group to the current slots of their stores.
fn bind_inputs(group: &Group<Whole>) -> SmallVec<[Input; 8]> {
    let readers = |source: usize| {
        let reads = |step: &Step| step.reads(source as u16);
        group.steps.iter().position(reads).unwrap_or(0) as u16
    };
    let inputs = group.sources.iter().enumerate();
    inputs
        .map(|(at, source)| match source {
            Source::Scalar(scalar) => Input::Scalar(*scalar),
            Source::View(view) => Input::View {
                bound: Bound {
                    store: view.store.clone(),
                    layout: view.layout,
                    slot: view.store.slot(),
                },
                reader: readers(at),
            },
        })
        .collect()
}

/// Redirects the last output of a group to the other instance of its store; `None` if there is no
/// memory for that.
fn swap_buffers(
    group: &Group<Whole>,
    cutting: &Cutting,
    memories: &Memories,
    at: Timestamp,
) -> Option<(BufferSwap, Arc<Operation>)> {
    let Whole(last) = group.members.last()?;
    let view = &group.written.last()?.view;
    let own = || {
        let tiling = Tiling::Processors { work: 1 };
        let cuts = cutting.own_cuts(&group.shape, tiling, last.is_shared());
        (cuts.count() > 0).then(|| cuts.all().of(&view.layout))
    };
    let swap = view
        .store
        .swap_buffers(&view.layout, own, last.maker(), at)?;
    memories.remember_host_spare(&view.store);
    Some((swap, last.clone()))
}

/// Makes the operation that copies the elements that a swap does not write.
fn copy_between(
    swap: &BufferSwap,
    for_: &Arc<Operation>,
    group: &Group<Whole>,
    (uid, at): (OperationUid, Timestamp),
) -> Arc<Operation> {
    let store = group
        .written
        .last()
        .map(|written| written.view.store.clone());
    let shape = store.as_ref().map_or(Shape::SCALAR, |store| {
        // A rank holds runs of elements.
        let row = store
            .is_in_parts()
            .then(|| Shape::new(&[store.shape.len()]));
        row.flatten().unwrap_or(store.shape)
    });
    let operand = || {
        let layout = Layout::contiguous(shape);
        store.clone().map(|store| Operand::array(store, layout))
    };
    let operands = [operand(), operand()];
    let request = Request {
        parent: Some(for_.uid),
        ..Request::new(
            operation::copy(),
            shape,
            operands.into_iter().flatten().collect(),
        )
        .called_at(for_.call())
    };
    let operation = Operation::new(uid, at, request).at(for_);
    operation.begin_uses();
    operation.set_slot(0, swap.from);
    operation.set_slot(1, swap.to);
    Arc::new(operation)
}
