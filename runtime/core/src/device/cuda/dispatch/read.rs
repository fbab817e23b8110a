//! Copies between the program and GPUs: of its values to a GPU, and of results to the host.

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};
use weft_geometry::Cut;
use weft_trace::record::MemoryKind;
use weft_trace::time::Timestamp;

use super::super::api::GpuId;
use super::super::code::{DeviceOperand, DeviceTile, Job};
use super::super::work::Work;
use super::Dispatcher;
use super::issue::{Parcel, tile};
use super::member::Member;
use super::place::{Places, Use, Want};
use crate::dtype::DType;
use crate::error::Cause;
use crate::memory::{Store, Uses};
use crate::operation::{self, Descriptor, Operand, Operation};
use crate::shape::{Layout, MAX_DIMS};

/// Returns the address and the size in bytes of a view, if its elements are contiguous.
fn bytes_of(start: u64, dtype: DType, layout: &Layout) -> Option<(u64, usize)> {
    let size = dtype.size();
    let first = start.wrapping_add((layout.offset * size) as u64);
    layout
        .is_contiguous()
        .then_some((first, layout.shape.len() * size))
}

/// Returns a job that copies the elements of one tile to another of the same shape, by a kernel.
fn copy<'a>(body: &'a Descriptor, operands: &'a [DeviceOperand; 2], layout: &Layout) -> Job<'a> {
    Job {
        body,
        operands,
        first: [0; MAX_DIMS],
        whole: layout.shape,
        cut: Cut::whole(&layout.shape),
        verify: false,
        fault: 0,
    }
}

impl Dispatcher<'_> {
    /// Copies results to host memory: as bytes if contiguous, else by a kernel that writes to
    /// pinned memory.
    pub(super) fn read(
        &mut self,
        gpu: GpuId,
        member: &Member,
        at: Timestamp,
    ) -> Result<Parcel, Cause> {
        let operation = &member.operation;
        let [
            Operand::Array { store, .. },
            Operand::Array { store: out, .. },
        ] = operation.operands.as_slice()
        else {
            return Err(defect(operation));
        };
        let [from, to] = parts(member)?;
        let (host, is_pinned) = self.host(out, operation, at)?;
        let (mut places, source) = self.find_place(gpu, store, from, Use::Read, operation, at)?;
        out.add_uses_to(out.slot(), &mut places.waits);
        if to.shape.is_empty() {
            return Ok(Parcel {
                call: None,
                places,
                ..nothing(gpu)
            });
        }
        let target = tile(host, out.dtype, to);
        match (
            bytes_of(source.start, source.dtype, &from),
            bytes_of(host, out.dtype, &to),
        ) {
            (Some((from, bytes)), Some((to, _))) => Ok(Parcel {
                call: None,
                works: smallvec![Work::Copy { from, to, bytes }],
                places,
                ..nothing(gpu)
            }),
            _ if is_pinned => {
                let operands = [DeviceOperand::Tile(source), DeviceOperand::Tile(target)];
                self.parcel(
                    gpu,
                    &copy(&operation::copy(), &operands, &from),
                    places,
                    operation,
                )
            }
            (_, Some((to, bytes))) => {
                self.through_scratch(gpu, operation, places, bytes, |scratch| {
                    let between = tile(scratch, source.dtype, Layout::contiguous(from.shape));
                    let last = Work::Copy {
                        from: scratch,
                        to,
                        bytes,
                    };
                    ([source, between], None, Some(last))
                })
            }
            // The program reads into whole stores, whose tiles along the outermost axis are
            // contiguous.
            _ => Err(defect(operation)),
        }
    }

    /// Copies values of the program to a GPU.
    pub(super) fn load(
        &mut self,
        gpu: GpuId,
        member: &Member,
        at: Timestamp,
    ) -> Result<Parcel, Cause> {
        let operation = &member.operation;
        let [Operand::Host(host), Operand::Array { store, .. }] = operation.operands.as_slice()
        else {
            return Err(defect(operation));
        };
        let [from, to] = parts(member)?;
        let (places, target) = self.find_place(gpu, store, to, Use::Write, operation, at)?;
        let address = host.start().expose_provenance() as u64;
        let Some((from_first, bytes)) = bytes_of(address, host.dtype(), &from) else {
            return Err(defect(operation));
        };
        if bytes == 0 {
            return Ok(Parcel {
                call: None,
                places,
                ..nothing(gpu)
            });
        }
        match bytes_of(target.start, target.dtype, &to) {
            Some((to, bytes)) => Ok(Parcel {
                call: None,
                works: smallvec![Work::Copy {
                    from: from_first,
                    to,
                    bytes
                }],
                places,
                ..nothing(gpu)
            }),
            None => self.through_scratch(gpu, operation, places, bytes, |scratch| {
                let between = tile(scratch, target.dtype, Layout::contiguous(to.shape));
                let first = Work::Copy {
                    from: from_first,
                    to: scratch,
                    bytes,
                };
                ([between, target], Some(first), None)
            }),
        }
    }

    /// Finds the memory of one view.
    fn find_place(
        &mut self,
        gpu: GpuId,
        store: &Arc<Store>,
        layout: Layout,
        use_of: Use,
        operation: &Operation,
        at: Timestamp,
    ) -> Result<(Places, DeviceTile), Cause> {
        let wants = [Want {
            store,
            layout,
            use_of,
        }];
        let places = self.places(gpu, &wants, operation, at)?;
        match places.tiles.first().copied() {
            Some(tile) => Ok((places, tile)),
            None => Err(defect(operation)),
        }
    }

    /// Copies by a kernel, with a copy of bytes before or after it, through temporary memory of the
    /// GPU.
    fn through_scratch(
        &mut self,
        gpu: GpuId,
        operation: &Operation,
        places: Places,
        bytes: usize,
        plan: impl FnOnce(u64) -> ([DeviceTile; 2], Option<Work>, Option<Work>),
    ) -> Result<Parcel, Cause> {
        let block = match self.scratch(gpu, bytes, operation) {
            Ok(Some(block)) => block,
            Ok(None) => return Err(defect(operation)),
            Err(full) => return Err(self.memories.out_of_memory(&full, operation)),
        };
        let (tiles, before, after) = plan(block.start());
        let waits = block.uses.clone();
        self.lent.push((gpu, block));
        let operands = tiles.map(DeviceOperand::Tile);
        let mut parcel = self.parcel(
            gpu,
            &copy(&operation::copy(), &operands, &tiles[0].layout),
            places,
            operation,
        )?;
        let mut works: SmallVec<[Work; 2]> = before.into_iter().collect();
        works.append(&mut parcel.works);
        works.extend(after);
        parcel.waits.merge(&waits);
        Ok(Parcel { works, ..parcel })
    }

    /// Finds host memory for a store that the program reads: pinned if there is room, so that a GPU
    /// can write to it directly.
    pub(super) fn host(
        &self,
        store: &Arc<Store>,
        operation: &Operation,
        at: Timestamp,
    ) -> Result<(u64, bool), Cause> {
        let pinned = store.data_in(store.slot(), &self.gpus.pinned, operation.maker(), at);
        let data = match pinned {
            Ok(data) => data,
            Err(_) => store
                .data_for(store.slot(), operation.maker(), at)
                .map_err(|full| self.memories.out_of_memory(&full, operation))?,
        };
        let kind = store.kind(store.slot());
        let is_pinned = kind == Some(MemoryKind::ZeroCopy);
        Ok((data.expose_provenance() as u64, is_pinned))
    }
}

/// Returns the parts of both operands that a task uses.
fn parts(member: &Member) -> Result<[Layout; 2], Cause> {
    let Member { task, operation } = member;
    let part = |index| operation.part(index, &task.cut);
    match (part(0), part(1)) {
        (Some(first), Some(second)) => Ok([first, second]),
        _ => Err(defect(operation)),
    }
}

/// Returns the error for operands that the program cannot create. Its outputs must never be read.
fn defect(operation: &Operation) -> Cause {
    Cause::Panicked(format!("{} has unknown operands", operation.name()))
}

fn nothing(gpu: GpuId) -> Parcel {
    Parcel {
        call: None,
        gpu,
        works: smallvec![],
        places: Places::default(),
        waits: Uses::default(),
        fault: None,
        traffic: None,
    }
}
