//! Conversion of tasks to work for streams: operands in memory, kernels, and points to wait for.

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};
use weft_trace::id::StoreUid;
use weft_trace::time::Timestamp;

use super::super::api::GpuId;
use super::super::call::Call;
use super::super::code::{self, Chain, DeviceOperand, DeviceTile, FoldedChain, Job};
use super::super::factor::WORKSPACE_ALIGNMENT;
use super::super::fault::Fault;
use super::super::work::Work;
use super::Dispatcher;
use super::member::{Group, Member};
use super::place::{Places, Use, Want};
use crate::dtype::DType;
use crate::error::Cause;
use crate::error::DriverError;
use crate::fusion::{Source, step_of};
use crate::memory::{Block, OutOfMemory, Uses};
use crate::operation::{GpuKernels, Operand, Operation, Role};
use crate::shape::Layout;
use crate::traffic::{Traffic, View, launch_traffic, read_by};

/// Work for a stream, and the points that it must wait for.
pub(super) struct Parcel {
    pub(super) gpu: GpuId,
    pub(super) works: SmallVec<[Work; 2]>,
    /// A function to call after the works.
    pub(super) call: Option<Arc<dyn Call>>,
    pub(super) places: Places,
    /// Points to wait for, in addition to those of the tasks' predecessors and of the places.
    pub(super) waits: Uses,
    /// The words in which a kernel reports a wrong index, if it can.
    pub(super) fault: Option<Fault>,
    /// Bytes that the kernels read and write, if recorded.
    pub(super) traffic: Option<Traffic>,
}

impl Dispatcher<'_> {
    /// Issues the tasks of a group with one kernel, or one after the other if there is not enough
    /// memory for all together. `hidden` is a bit set of the steps whose results are not written.
    pub(super) fn issue_group(&mut self, group: Box<Group>, hidden: u64) {
        let mut next = Some(group);
        while let Some(group) = next {
            next = self.try_group(group, hidden);
        }
    }

    /// Issues a group, or makes room on the GPU and returns it, to be issued again.
    fn try_group(&mut self, group: Box<Group>, hidden: u64) -> Option<Box<Group>> {
        let start = self.observers.recorder.now();
        let visible = group.visible_but(hidden);
        let views = group.sources.iter().filter_map(|source| match source {
            Source::View(view) => Some(Want {
                store: &view.store,
                layout: view.layout,
                use_of: Use::Read,
            }),
            Source::Scalar(_) => None,
        });
        let (kept, swapped) = match group.swaps_buffers {
            // The last output is visible: the group reads its store.
            true => visible.split_at(visible.len() - 1),
            false => (visible.as_slice(), [].as_slice()),
        };
        let outputs = kept.iter().map(|at| Want {
            store: &group.written[*at].view.store,
            layout: group.written[*at].view.layout,
            use_of: Use::Write,
        });
        let reduced = group.members.last().filter(|_| group.folded.is_some());
        let reduced = reduced.and_then(|member| match member.operation.operands.get(1)? {
            Operand::Array { store, layout, .. } => Some(Want {
                store,
                layout: member
                    .operation
                    .part(1, &member.task.cut)
                    .unwrap_or(*layout),
                use_of: Use::Write,
            }),
            Operand::Scalar(_) | Operand::Host(_) => None,
        });
        let wants: SmallVec<[Want<'_>; 8]> = views.chain(outputs).chain(reduced).collect();
        let maker = group
            .members
            .first()
            .map(|member| member.operation.maker())?;
        let (mut places, full) = Places::find(self.gpus, group.place, &wants, maker, start);
        drop(wants);
        let mut rest = SmallVec::new();
        let mut other = None;
        if let ([at], None) = (swapped, &full) {
            let view = &group.written[*at].view;
            let (store, layout) = (&view.store, view.layout);
            match places.swap_buffers(self.gpus, group.place, store, layout, maker, start) {
                Some((tile, old)) => {
                    if let Some(old) = old {
                        rest = Dispatcher::rest(&tile, old, &store.shape);
                        self.remember_gpu_spare(store);
                    }
                    other = Some((group.written[*at].step, tile));
                }
                None => {
                    self.abandon(group.place, places);
                    self.issue_in_two(group);
                    return None;
                }
            }
        }
        let (scratch, full) = match full {
            None => self.fold_scratch(&group, places.tiles.last()),
            full => (None, full),
        };
        if let Some(full) = full {
            self.abandon(group.place, places);
            let keep: SmallVec<[StoreUid; 8]> = group.stores().map(|store| store.uid).collect();
            if self.make_room_in(&full.memory, group.place, maker, &keep, full.asked()) {
                return Some(group);
            }
            self.issue_apart(group, &full);
            return None;
        }
        let mut tiles = places.tiles.iter().copied();
        let mut inputs = SmallVec::new();
        for source in &group.sources {
            inputs.push(match source {
                Source::Scalar(scalar) => DeviceOperand::Scalar(*scalar),
                Source::View(_) => match tiles.next() {
                    Some(tile) => DeviceOperand::Tile(tile),
                    // There are as many tiles as requests.
                    None => return None,
                },
            });
        }
        let outputs = kept.iter().map(|at| group.written[*at].step);
        let outputs = outputs.zip(tiles.by_ref()).chain(other).collect();
        let chain = Chain {
            shape: group.shape,
            inputs,
            outputs,
            steps: group.steps,
        };
        let traffic = self.observers.recorder.is_on().then(|| {
            let read = chain.inputs.iter().filter_map(|input| match input {
                DeviceOperand::Tile(tile) => Some(view(tile)),
                DeviceOperand::Scalar(_) => None,
            });
            let written = chain.outputs.iter().map(|(_, tile)| view(tile));
            launch_traffic(
                read,
                written.chain(
                    places
                        .tiles
                        .last()
                        .filter(|_| group.folded.is_some())
                        .map(view),
                ),
            )
        });
        let mut works = smallvec![];
        let mut waits = Uses::default();
        match (&group.folded, group.members.last()) {
            (Some(folded), Some(last)) => {
                let address = scratch.map_or(0, |block| {
                    waits.merge(&block.uses);
                    let start = block.start();
                    self.lent.push((group.place, block));
                    start
                });
                // The tile after those of the outputs.
                let out = tiles.next()?;
                let folded = FoldedChain {
                    chain,
                    step: folded.step,
                    out,
                };
                works.extend(code::folded(&last.operation.body, &folded, address));
            }
            _ if group.shape.is_empty() => {}
            _ => works.extend(code::chain(&chain)),
        }
        works.extend(rest);
        // Only the members' operations refer to hidden stores, whose memory was never taken.
        drop(group.sources);
        drop(group.written);
        let parcel = Parcel {
            gpu: group.place,
            works,
            call: None,
            places,
            waits,
            fault: None,
            traffic,
        };
        self.send(parcel, group.members, start);
        None
    }

    /// Takes the temporary memory for the reduction at the end of a group, if it has one.
    fn fold_scratch(
        &self,
        group: &Group,
        out: Option<&DeviceTile>,
    ) -> (Option<Block>, Option<OutOfMemory>) {
        let (Some(dtype), Some(last), Some(out)) =
            (group.folded_dtype(), group.members.last(), out)
        else {
            return (None, None);
        };
        let operation = &last.operation;
        let bytes = code::fold_scratch(&operation.body, dtype, group.shape, out);
        match self.scratch(group.place, bytes, operation) {
            Ok(block) => (block, None),
            Err(full) => (None, Some(full)),
        }
    }

    /// Issues the last task of a group, which needed another instance of a store, after the others.
    fn issue_in_two(&mut self, group: Box<Group>) {
        let (gpu, shape) = (group.place, group.shape);
        drop((group.sources, group.written));
        let mut members = group.members;
        let last = members.pop();
        for members in [members, last.into_iter().collect()] {
            let mut part = Group::new(gpu, shape);
            for member in members {
                let Some(kind) = step_of(&member.operation) else {
                    self.issue_alone(gpu, member);
                    continue;
                };
                // They were in one group before, in the same order.
                if let Err(member) = part.add(kind, member, false) {
                    self.issue_alone(gpu, member);
                }
            }
            self.issue_group(part, 0);
        }
    }

    /// Issues the tasks of a group one by one.
    fn issue_apart(&mut self, group: Box<Group>, full: &OutOfMemory) {
        let (gpu, shape) = (group.place, group.shape);
        drop((group.sources, group.written));
        let mut members = group.members;
        if members.len() == 1 {
            if let Some(member) = members.pop() {
                let cause = self.memories.out_of_memory(full, &member.operation);
                let failure = member.operation.failure(cause);
                self.fail(member, &failure);
            }
            return;
        }
        for member in members {
            if let Some(failed) = member.operation.failed_input() {
                self.fail(member, &failed);
                continue;
            }
            let Some(kind) = step_of(&member.operation) else {
                self.issue_alone(gpu, member);
                continue;
            };
            let mut alone = Group::new(gpu, shape);
            match alone.add(kind, member, false) {
                Ok(()) => self.issue_group(alone, 0),
                Err(member) => self.issue_alone(gpu, member),
            }
        }
    }

    /// Issues one task with its own kernels.
    pub(super) fn issue_alone(&mut self, gpu: GpuId, member: Member) {
        let start = self.observers.recorder.now();
        let parcel = match member.operation.body.role {
            Role::Read => self.read(gpu, &member, start),
            Role::Load => self.load(gpu, &member, start),
            _ => self.job(gpu, &member, start),
        };
        match parcel {
            Ok(parcel) => self.send(parcel, smallvec![member], start),
            Err(cause) => {
                let failure = member.operation.failure(cause);
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
                Operand::Array { store, layout, .. } => {
                    let part = operation.part(index, &task.cut);
                    wants.push(Want {
                        store,
                        layout: part.unwrap_or(*layout),
                        use_of: operation.access(index).into(),
                    });
                    None
                }
                Operand::Scalar(scalar) => Some(DeviceOperand::Scalar(*scalar)),
                // Only `load` has values of the program, and has its own function.
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
        let kernels = operation.body.kernels.gpu();
        let verify = self.plan.verify && operation.body.kernels.is_body();
        let fault = match verify || kernels.is_some_and(GpuKernels::finds_faults) {
            true => Some(self.fault(operation)?),
            false => None,
        };
        let job = Job {
            fault: fault.as_ref().map_or(0, Fault::address),
            body: &operation.body,
            operands: &operands,
            first: operation.first(&task.cut),
            whole: operation.shape,
            cut: task.cut,
            verify,
        };
        let traffic = self.observers.recorder.is_on().then(|| Traffic {
            read: read_by(operation, &task.cut, |at| match operands.get(at)? {
                DeviceOperand::Tile(tile) => Some(view(tile)),
                DeviceOperand::Scalar(_) => None,
            }),
            written: operation.bytes_written(&task.cut),
        });
        let parcel = self.parcel(gpu, &job, places, operation)?;
        Ok(Parcel {
            fault,
            traffic,
            ..parcel
        })
    }

    /// Takes the words in which a kernel of the operation can report a wrong index.
    fn fault(&self, operation: &Operation) -> Result<Fault, Cause> {
        let store = operation.operands.iter().find_map(|operand| match operand {
            Operand::Array { store, .. } => Some(store),
            _ => None,
        });
        let holder = store
            .map(|store| store.holder(operation.maker(), None))
            .ok_or_else(|| {
                Cause::Panicked("an operation with indices works on no array".to_owned())
            })?;
        let pinned = &self.gpus.pinned;
        Fault::new(pinned, holder).map_err(|full| self.memories.out_of_memory(&full, operation))
    }

    /// Returns the bytes that libraries need for a job in addition to its scratch memory: the work
    /// area of its transform, and the largest workspace of its routines. Creates the plan and a
    /// handle at the first call; the libraries allocate memory for both.
    fn library_bytes(&self, gpu: GpuId, job: &Job<'_>) -> Result<(usize, usize), DriverError> {
        let driver = &self.gpus.driver;
        let area = match code::transform(job) {
            None => 0,
            Some(transform) => driver.plan(gpu, &transform)?,
        };
        let mut workspace = 0;
        for routine in code::routines(job) {
            workspace = driver.workspace(gpu, &routine)?.max(workspace);
        }
        Ok((area, workspace))
    }

    /// Returns the work of a job whose operands are in memory.
    pub(super) fn parcel(
        &mut self,
        gpu: GpuId,
        job: &Job<'_>,
        places: Places,
        operation: &Operation,
    ) -> Result<Parcel, Cause> {
        let keep: SmallVec<[StoreUid; 8]> = operation.stores().map(|store| store.uid).collect();
        let own = code::scratch(job);
        let (scratch, is_aligned) = loop {
            let (area, workspace) = match self.library_bytes(gpu, job) {
                Ok(both) => both,
                Err(error) => {
                    let may_retry =
                        error.lacks_memory() && self.make_room_for_libraries(gpu, operation);
                    if may_retry {
                        continue;
                    }
                    self.abandon(gpu, places);
                    return Err(self.gpus.explain(gpu, error).into());
                }
            };
            // Libraries need more alignment than blocks have.
            let is_aligned = area > 0 || workspace > 0;
            let bytes = match is_aligned {
                true => {
                    let own = own.next_multiple_of(WORKSPACE_ALIGNMENT);
                    WORKSPACE_ALIGNMENT + own + area + workspace
                }
                false => own,
            };
            match self.scratch(gpu, bytes, operation) {
                Ok(scratch) => break (scratch, is_aligned),
                Err(full) if self.make_room(gpu, operation.maker(), &keep, full.asked()) => {}
                Err(full) => {
                    self.abandon(gpu, places);
                    return Err(self.memories.out_of_memory(&full, operation));
                }
            }
        };
        let mut waits = Uses::default();
        let mut address = 0;
        if let Some(block) = &scratch {
            waits.merge(&block.uses);
            address = block.start();
            if is_aligned {
                address = address.next_multiple_of(WORKSPACE_ALIGNMENT as u64);
            }
        }
        let works = code::work(job, address);
        if let Some(block) = scratch {
            self.lent.push((gpu, block));
        }
        Ok(Parcel {
            gpu,
            works,
            call: code::call(job),
            places,
            waits,
            fault: None,
            traffic: None,
        })
    }
}

fn view(tile: &DeviceTile) -> View<'_> {
    View {
        data: tile.start,
        size: tile.dtype.size(),
        layout: &tile.layout,
    }
}

/// Returns a view of an instance as a tile.
pub(super) fn tile(start: u64, dtype: DType, layout: Layout) -> DeviceTile {
    DeviceTile {
        start,
        dtype,
        layout,
    }
}
