//! From tasks to work in streams: memory, kernels, waits, records.

#![allow(unsafe_code, reason = "hands addresses of instances to the driver")]

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};
use weft_config::Level;
use weft_trace::id::{LaunchUid, TaskUid};
use weft_trace::record::{self, ProcessorKind, Shares};
use weft_trace::time::Timestamp;

use super::super::api::GpuId;
use super::super::code::{self, Chain, DeviceOperand, DeviceTile, Job};
use super::super::completion::Finished;
use super::super::error::DriverError;
use super::super::fault::Fault;
use super::super::work::Work;
use super::Dispatcher;
use super::bundle::{Bundle, Held, signature};
use super::group::{Group, Member, Source};
use super::place::{Places, Use, Want};
use super::repeats::Verdict;
use crate::device::cpu::held_by;
use crate::dtype::DType;
use crate::error::{Cause, Failure};
use crate::memory::{OutOfMemory, Refusal, Store, Uses};
use crate::observe::{Message, Subsystem};
use crate::operation::{Body, Operand, Operation};
use crate::runtime::Core;
use crate::shape::{Layout, MAX_DIMS, Shape};
use crate::task::Access;

/// Work for a stream, and what it must wait for.
pub(super) struct Parcel {
    pub(super) gpu: GpuId,
    pub(super) works: SmallVec<[Work; 2]>,
    pub(super) places: Places,
    /// What it waits for, beside the tasks before its own and what the places wait for.
    pub(super) waits: Uses,
    /// Where a kernel in it may say that an index is wrong.
    pub(super) fault: Option<Fault>,
}

pub(in super::super) fn failure(operation: &Operation, cause: Cause) -> Failure {
    Failure {
        operation: operation.name(),
        uid: operation.uid,
        location: operation.call(),
        cause,
    }
}

/// Whatever the operation would have written is never to be read.
pub(in super::super) fn poison(core: &Core, operation: &Operation, failure: &Arc<Failure>) {
    for operand in &operation.operands {
        if let Operand::Array { store, access, .. } = operand
            && *access != Access::Read
        {
            store.fail(failure);
        }
    }
    core.failed(failure);
}

impl Dispatcher<'_> {
    /// Does the tasks of a group with one kernel; one after the other where memory for all together is lacking.
    pub(super) fn issue_group(&mut self, group: Group) {
        let start = self.core.recorder.now();
        let visible = group.visible();
        let views = group.sources.iter().filter_map(|source| match source {
            Source::View(view) => Some(Want {
                store: &view.store,
                layout: view.layout,
                use_of: Use::Read,
            }),
            Source::Scalar(_) => None,
        });
        let (kept, renewed) = match group.renews {
            // The last of what is written is visible: the group reads its store.
            true => visible.split_at(visible.len() - 1),
            false => (visible.as_slice(), [].as_slice()),
        };
        let outputs = kept.iter().map(|at| Want {
            store: &group.written[*at].view.store,
            layout: group.written[*at].view.layout,
            use_of: Use::Write,
        });
        let wants: SmallVec<[Want<'_>; 8]> = views.chain(outputs).collect();
        let Some(uid) = group.members.first().map(|member| member.operation.uid) else {
            return;
        };
        let (mut places, full) = Places::find(self.gpus, group.gpu, &wants, uid, start);
        drop(wants);
        let mut rest = SmallVec::new();
        let mut other = None;
        if let ([at], None) = (renewed, &full) {
            let view = &group.written[*at].view;
            let (store, layout) = (&view.store, view.layout);
            match places.renew(self.gpus, group.gpu, store, layout, uid, start) {
                Some((tile, old)) => {
                    if let Some(old) = old {
                        rest = self.rest(group.gpu, &tile, old, &store.shape);
                        self.remember_renewed(store);
                    }
                    other = Some((group.written[*at].step, tile));
                }
                None => {
                    self.abandon(group.gpu, places);
                    return self.issue_in_two(group);
                }
            }
        }
        if let Some(full) = full {
            self.abandon(group.gpu, places);
            if self.make_room() {
                return self.issue_group(group);
            }
            return self.issue_apart(group, &full);
        }
        let mut tiles = places.tiles.iter().copied();
        let mut inputs = SmallVec::new();
        for source in &group.sources {
            inputs.push(match (source, tiles.len() > 0) {
                (Source::Scalar(scalar), _) => DeviceOperand::Scalar(*scalar),
                (Source::View(_), _) => match tiles.next() {
                    Some(tile) => DeviceOperand::Tile(tile),
                    // There are as many tiles as wants.
                    None => return,
                },
            });
        }
        let outputs = kept.iter().map(|at| group.written[*at].step).zip(tiles);
        let chain = Chain {
            shape: group.shape,
            inputs,
            outputs: outputs.chain(other).collect(),
            steps: group.steps,
        };
        let mut works = smallvec![];
        if !group.shape.is_empty() {
            let info = &self.gpus.driver.gpus()[usize::from(group.gpu.0)];
            works.extend(code::chain(&chain, info));
        }
        works.extend(rest);
        // Nothing but the members' operations refers to what is hidden: its memory was never taken.
        drop(group.sources);
        drop(group.written);
        let parcel = Parcel {
            gpu: group.gpu,
            works,
            places,
            waits: Uses::default(),
            fault: None,
        };
        self.send(parcel, group.members, start);
    }

    /// What copies all of a store that lies outside of a slice to another instance of it.
    fn rest(&self, gpu: GpuId, view: &DeviceTile, old: u64, store: &Shape) -> SmallVec<[Work; 4]> {
        let info = &self.gpus.driver.gpus()[usize::from(gpu.0)];
        let mut works = SmallVec::new();
        for layout in outside(&view.layout, store) {
            let from = tile(old, view.dtype, layout);
            let to = tile(view.start, view.dtype, layout);
            let operands = [DeviceOperand::Tile(from), DeviceOperand::Tile(to)];
            let copy = Job {
                body: Body::Copy,
                operands: &operands,
                first: [0; MAX_DIMS],
                whole: layout.shape,
                fault: 0,
            };
            works.extend(code::work(&copy, 0, info));
        }
        works
    }

    /// Does the last task of a group, which wanted another instance of a store, after the others.
    fn issue_in_two(&mut self, group: Group) {
        let (gpu, shape) = (group.gpu, group.shape);
        drop((group.sources, group.written));
        let mut members = group.members;
        let last = members.pop();
        for members in [members, last.into_iter().collect()] {
            let mut part = Group::new(gpu, shape);
            for member in members {
                let Some(kind) = super::step_of(&member.operation) else {
                    continue;
                };
                // They were together before, in the same order.
                if let Err(member) = part.add(kind, member, false) {
                    self.issue_alone(gpu, member);
                }
            }
            self.issue_group(part);
        }
    }

    /// Does the tasks of a group one by one.
    fn issue_apart(&mut self, group: Group, full: &OutOfMemory) {
        let (gpu, shape) = (group.gpu, group.shape);
        drop((group.sources, group.written));
        let mut members = group.members;
        if members.len() == 1 {
            if let Some(member) = members.pop() {
                let cause = out_of_memory(full, "FBMEM");
                let failure = Arc::new(failure(&member.operation, cause));
                self.fail(member, &failure);
            }
            return;
        }
        for member in members {
            let Some(kind) = super::step_of(&member.operation) else {
                continue;
            };
            if let Some(failed) = super::failed_input(&member.operation).cloned() {
                self.fail(member, &failed);
                continue;
            }
            let mut alone = Group::new(gpu, shape);
            match alone.add(kind, member, false) {
                Ok(()) => self.issue_group(alone),
                Err(member) => self.issue_alone(gpu, member),
            }
        }
    }

    /// Does one task with kernels of its own.
    pub(super) fn issue_alone(&mut self, gpu: GpuId, member: Member) {
        let start = self.core.recorder.now();
        let parcel = match member.operation.body {
            Body::Read => self.read(gpu, &member, start),
            Body::Load => self.load(gpu, &member, start),
            _ => self.job(gpu, &member, start),
        };
        match parcel {
            Ok(parcel) => self.send(parcel, smallvec![member], start),
            Err(cause) => {
                let failure = Arc::new(failure(&member.operation, cause));
                self.fail(member, &failure);
            }
        }
    }

    fn job(&mut self, gpu: GpuId, member: &Member, at: Timestamp) -> Result<Parcel, Cause> {
        let Member { task, operation } = member;
        let mut wants: SmallVec<[Want<'_>; 4]> = smallvec![];
        let mut operands: SmallVec<[Option<DeviceOperand>; 4]> = smallvec![];
        for (index, operand) in operation.operands.iter().enumerate() {
            operands.push(match operand {
                Operand::Array {
                    store,
                    layout,
                    access,
                } => {
                    let part = operation.part(index, &task.cut, task.point);
                    wants.push(Want {
                        store,
                        layout: part.unwrap_or(*layout),
                        use_of: match access {
                            Access::Read => Use::Read,
                            Access::Write => Use::Write,
                            Access::ReadWrite => Use::Both,
                        },
                    });
                    None
                }
                Operand::Scalar(scalar) => Some(DeviceOperand::Scalar(*scalar)),
                // Only `load` has values of the program, and is not done here.
                Operand::Host(_) => None,
            });
        }
        let places = self.places(gpu, &wants, operation, at)?;
        let mut tiles = places.tiles.iter();
        let operands: SmallVec<[DeviceOperand; 4]> = operands
            .into_iter()
            .filter_map(|known| {
                known.or_else(|| tiles.next().map(|tile| DeviceOperand::Tile(*tile)))
            })
            .collect();
        let mut first = [0; MAX_DIMS];
        if task.cut.axis() < operation.shape.rank() {
            first[task.cut.axis()] = task.cut.first();
        }
        let fault = match operation.body {
            Body::Take { .. } | Body::Put { .. } => Some(self.fault(operation)?),
            _ => None,
        };
        let job = Job {
            fault: fault.as_ref().map_or(0, Fault::address),
            body: operation.body,
            operands: &operands,
            first,
            whole: operation.shape,
        };
        let parcel = self.parcel(gpu, &job, places, operation)?;
        Ok(Parcel { fault, ..parcel })
    }

    /// Words in which a kernel of the operation may say that an index is wrong.
    fn fault(&self, operation: &Operation) -> Result<Fault, Cause> {
        let store = operation.operands.iter().find_map(|operand| match operand {
            Operand::Array { store, .. } => Some(store),
            _ => None,
        });
        let holder = store.map(|store| store.holder()).ok_or_else(|| {
            Cause::Panicked("an operation with indices works on no array".to_owned())
        })?;
        let pinned = &self.gpus.pinned;
        Fault::new(pinned, holder).map_err(|full| out_of_memory(&full, pinned.kind.name()))
    }

    /// The work of a job whose operands are in memory.
    pub(super) fn parcel(
        &mut self,
        gpu: GpuId,
        job: &Job<'_>,
        places: Places,
        operation: &Operation,
    ) -> Result<Parcel, Cause> {
        let info = &self.gpus.driver.gpus()[usize::from(gpu.0)];
        let scratch = self.scratch(gpu, code::scratch(job), operation);
        let scratch = match scratch {
            Ok(scratch) => scratch,
            Err(full) => {
                self.abandon(gpu, places);
                return Err(out_of_memory(&full, "FBMEM"));
            }
        };
        let mut waits = Uses::default();
        let mut address = 0;
        if let Some(block) = &scratch {
            waits.merge(&block.uses);
            address = block.start();
        }
        let works = code::work(job, address, info);
        if let Some(block) = scratch {
            self.lent.push((gpu, block));
        }
        Ok(Parcel {
            gpu,
            works,
            places,
            waits,
            fault: None,
        })
    }

    /// Finds the memory of views, or says why not.
    pub(super) fn places(
        &mut self,
        gpu: GpuId,
        wants: &[Want<'_>],
        operation: &Operation,
        at: Timestamp,
    ) -> Result<Places, Cause> {
        let (places, full) = Places::find(self.gpus, gpu, wants, operation.uid, at);
        match full {
            None => Ok(places),
            Some(full) => {
                self.abandon(gpu, places);
                if self.make_room() {
                    return self.places(gpu, wants, operation, at);
                }
                Err(out_of_memory(&full, "FBMEM"))
            }
        }
    }

    /// Notes that a store may keep an instance for the next renewal.
    fn remember_renewed(&mut self, store: &Arc<Store>) {
        let store = Arc::downgrade(store);
        self.renewed
            .retain(|known| known.strong_count() > 0 && !known.ptr_eq(&store));
        self.renewed.push(store);
    }

    /// Gives up instances that are kept for the next renewal; true where there were any.
    fn make_room(&mut self) -> bool {
        let stores: Vec<_> = self
            .renewed
            .drain(..)
            .filter_map(|store| store.upgrade())
            .collect();
        let dropped = stores
            .iter()
            .filter(|store| store.residence().drop_spares());
        dropped.count() > 0
    }

    /// Makes the copies that were to come before a launch that never comes: where instances have grown, they hold the
    /// only content.
    fn abandon(&mut self, gpu: GpuId, mut places: Places) {
        places.forget_writes();
        if places.transfers().next().is_none() {
            return;
        }
        let parcel = Parcel {
            gpu,
            works: smallvec![],
            places,
            waits: Uses::default(),
            fault: None,
        };
        self.send(parcel, smallvec![], self.core.recorder.now());
    }

    /// Puts work into a stream, and lets everything know of it.
    fn send(&mut self, parcel: Parcel, members: SmallVec<[Member; 4]>, start: Timestamp) {
        let Parcel {
            gpu,
            works,
            places,
            mut waits,
            mut fault,
        } = parcel;
        waits.merge(&places.waits);
        for member in &members {
            member.task.take_waits(&mut waits);
        }
        let launch = match members.as_slice() {
            [only] => LaunchUid(only.task.uid.0),
            _ => LaunchUid(self.core.uids.next()),
        };
        let core = self.core;
        let message = message(core, &members);
        let verdict = match &mut self.repeats {
            Some(repeats) => {
                let alone = places.transfers().next().is_none() && !members.is_empty();
                repeats.next(if alone { signature(&works) } else { None })
            }
            None => Verdict::Issue,
        };
        if verdict == Verdict::Issue || self.bundle.as_ref().is_some_and(|held| held.gpu != gpu) {
            self.close_bundle(None);
        }
        let lane = match &self.bundle {
            Some(bundle) => bundle.lane,
            None => self.streams.choose(gpu, &waits),
        };
        let mut outcome = self.streams.order(lane, &waits);
        if verdict == Verdict::Issue {
            let nvtx = core.nvtx.as_ref().zip(message.as_ref());
            let range =
                nvtx.map(|(nvtx, message)| nvtx.push(message, ProcessorKind::Gpu, launch.0.raw()));
            outcome = outcome.and_then(|()| self.transfer(lane, &places, &members));
            let id = core.external_id(launch);
            for work in &works {
                // SAFETY: the addresses are of instances that the members' operations hold, or of blocks that are given
                // back with the point behind this work; both are reused only by work that waits for that point. The
                // analysis orders tasks whose regions meet, `waits` has the points of those before, and streams keep
                // that order.
                outcome = outcome
                    .and_then(|()| unsafe { self.gpus.driver.issue(self.streams.id(lane), work) });
            }
            drop(id);
            drop(range);
        } else {
            let tasks = members
                .iter()
                .map(|member| (member.task.uid, bytes_written(member)));
            let held = Held {
                works,
                launch,
                message,
                tasks: tasks.collect(),
            };
            let bundle = self.bundle.get_or_insert_with(|| Bundle {
                gpu,
                lane,
                held: Vec::new(),
            });
            bundle.held.push(held);
        }
        let end = self.core.recorder.now();
        let point = match verdict {
            Verdict::Issue => self.streams.advance(lane),
            // All that is held stands before one point.
            Verdict::Hold | Verdict::Replay(_) => self.streams.next_point(lane),
        };
        places.issued(point);
        for (gpu, mut block) in self.lent.drain(..) {
            block.uses.add(point);
            self.gpus.memory(gpu).pool.give_back(block);
        }
        self.record(gpu, &members, launch, start, end);
        for member in &members {
            member.task.set_point(point);
        }
        let outcome = outcome.err();
        self.core.recorder.at_moment(end, || {
            for member in members {
                if let Some(error) = &outcome {
                    let cause = Cause::Device(error.clone());
                    let failure = Arc::new(failure(&member.operation, cause));
                    poison(self.core, &member.operation, &failure);
                }
                self.finish(member, fault.take());
            }
        });
        if let Verdict::Replay(body) = verdict {
            self.close_bundle(Some(body));
        }
    }

    /// Copies what a launch needs and another GPU, or an older instance, has.
    fn transfer(
        &mut self,
        lane: usize,
        places: &Places,
        members: &[Member],
    ) -> Result<(), DriverError> {
        for (place, transfer) in places.transfers() {
            let start = self.core.recorder.now();
            let uid = self.core.uids.next();
            let work = Work::Copy {
                from: transfer.from,
                to: transfer.to,
                bytes: transfer.bytes,
            };
            let _id = self.core.external_id(LaunchUid(uid));
            // SAFETY: source and destination lie in instances of one store that live until the point behind this launch;
            // the launch waits for whoever wrote the source.
            unsafe { self.gpus.driver.issue(self.streams.id(lane), &work) }?;
            let end = self.core.recorder.now();
            let Some(member) = members.first() else {
                continue;
            };
            if self.core.recorder.is_on() {
                self.core.recorder.write(&record::Copy {
                    uid: TaskUid(uid),
                    operation: member.operation.uid,
                    source: self.gpus.memory(GpuId(transfer.source.0)).id,
                    destination: self.gpus.memory(GpuId(place.0)).id,
                    bytes: transfer.bytes as u64,
                    created: start,
                    ready: start,
                    start,
                    end,
                });
                self.core.recorder.write(&record::Launch {
                    uid: LaunchUid(uid),
                    processor: self.gpus.processor(GpuId(place.0)),
                    start,
                    end,
                    shares: Shares::Items(&[]),
                });
            }
        }
        Ok(())
    }

    /// Writes down what was issued. The times are those of the issuing thread: the GPU's own come from CUPTI.
    fn record(
        &self,
        gpu: GpuId,
        members: &[Member],
        launch: LaunchUid,
        start: Timestamp,
        end: Timestamp,
    ) {
        let recorder = &self.core.recorder;
        let Some(first) = members.first() else { return };
        self.core.log.say(
            Subsystem::Task,
            Level::Debug,
            format_args!(
                "{} {} point {} and {} more issued to GPU {}",
                first.operation.name(),
                first.task.uid,
                first.task.point,
                members.len() - 1,
                gpu.0,
            ),
        );
        if !recorder.is_on() {
            return;
        }
        let processor = self.gpus.processor(gpu);
        let mut shares: SmallVec<[(TaskUid, f64); 8]> = smallvec![];
        if members.len() > 1 {
            let bytes: SmallVec<[f64; 8]> = members.iter().map(bytes_written).collect();
            let all: f64 = bytes.iter().sum();
            let share = |bytes: &f64| match all {
                0.0 => 1.0 / members.len() as f64,
                all => bytes / all,
            };
            shares.extend(
                members
                    .iter()
                    .zip(&bytes)
                    .map(|(m, bytes)| (m.task.uid, share(bytes))),
            );
        }
        recorder.write(&record::Launch {
            uid: launch,
            processor,
            start,
            end,
            shares: Shares::Items(&shares),
        });
        for Member { task, operation } in members {
            recorder.write(&record::Task {
                uid: task.uid,
                operation: operation.uid,
                point: task.point,
                processor,
                created: task.created,
                ready: task.ready().min(start),
                start,
                end,
            });
        }
    }

    /// Ends a task that is in its stream, or never will be.
    fn finish(&mut self, member: Member, fault: Option<Fault>) {
        let Member { task, operation } = member;
        let is_last = operation.task_ended();
        // The values of the program, and what the program waits to read, must stay until the work has run.
        let stays = matches!(operation.body, Body::Load | Body::Read)
            || operation.latch.is_some()
            || fault.is_some();
        self.finished.push(Finished {
            task,
            operation: stays.then_some(operation),
            is_last,
            fault,
        });
    }

    /// Ends a task that cannot run.
    pub(super) fn fail(&mut self, member: Member, failure: &Arc<Failure>) {
        poison(self.core, &member.operation, failure);
        self.finish(member, None);
        self.mark_if_many();
    }
}

/// What the NVTX range of a launch says.
fn message(core: &Core, members: &[Member]) -> Option<Message> {
    let nvtx = core.nvtx.as_ref()?;
    let operation = &members.first()?.operation;
    match members.len() {
        1 => operation.labels()?.message,
        more => {
            let location = operation.location(core.plan.provenance);
            Some(nvtx.fused(operation.name(), location, more - 1))
        }
    }
}

/// The parts of a store that lie outside of a slice of it without steps: before and behind it along each axis.
fn outside(view: &Layout, store: &Shape) -> SmallVec<[Layout; 4]> {
    let whole = Layout::contiguous(*store);
    let rank = store.rank();
    let first = store.unravel(view.offset);
    let (mut low, mut high) = ([0; MAX_DIMS], [0; MAX_DIMS]);
    high[..rank].copy_from_slice(store.dims());
    let mut parts = SmallVec::new();
    for axis in 0..rank {
        let end = first[axis] + view.shape.dims()[axis];
        for (from, to) in [(0, first[axis]), (end, store.dims()[axis])] {
            if from < to {
                let (mut low, mut high) = (low, high);
                (low[axis], high[axis]) = (from, to);
                parts.push(whole.tile(&low[..rank], &high[..rank]));
            }
        }
        (low[axis], high[axis]) = (first[axis], end);
    }
    parts
}

fn bytes_written(member: &Member) -> f64 {
    let Member { task, operation } = member;
    let outputs = operation
        .operands
        .iter()
        .enumerate()
        .filter_map(|(at, operand)| match operand {
            Operand::Array { store, access, .. } if *access != Access::Read => {
                let part = operation.part(at, &task.cut, task.point)?;
                Some((part.shape.len() * store.dtype.size()) as f64)
            }
            _ => None,
        });
    outputs.sum()
}

/// Why there is no memory, as an error of the operation that asked.
pub(super) fn out_of_memory(full: &OutOfMemory, memory: &'static str) -> Cause {
    if let Some(Refusal::Failed(error)) = &full.refusal {
        return error.clone().into();
    }
    Cause::OutOfMemory {
        asked: full.asked,
        memory,
        used: full.used,
        capacity: full.capacity,
        holders: held_by(&full.holders),
    }
}

/// A view of an instance as a tile.
pub(super) fn tile(start: u64, dtype: DType, layout: Layout) -> DeviceTile {
    DeviceTile {
        start,
        dtype,
        layout,
    }
}
