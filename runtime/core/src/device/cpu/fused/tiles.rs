//! Memory addresses of the operands of a group's tile.

#![allow(unsafe_code, reason = "builds the tiles that kernels trust")]

use smallvec::SmallVec;
use weft_trace::time::Timestamp;

use super::Run;
use super::failures::{Failures, note};
use crate::dtype::ScalarBits;
use crate::fusion::{Bound, Fused, Input};
use crate::operation::Cutting;
use crate::shape::{Layout, MAX_DIMS};
use crate::traffic::{View, bytes_read};
use weft_elements::{Tile, TileRef};
use weft_geometry::Cut;

/// The operands of a tile, in memory.
pub(super) struct Tiles {
    pub(super) inputs: SmallVec<[TileRef<'static>; 8]>,
    pub(super) outputs: SmallVec<[Tile<'static>; 4]>,
    pub(super) fold: Option<Tile<'static>>,
    /// The values that tiles of single values point to.
    _values: Option<Box<[ScalarBits]>>,
}

// SAFETY: the fields are addresses and layouts. Threads that share them work on disjoint parts.
unsafe impl Sync for Tiles {}

impl Tiles {
    /// Finds the memory of every operand, and creates missing instances for outputs. Operations
    /// whose inputs will never have a value, or whose outputs have no memory, are marked as failed.
    pub(super) fn find(of: &Run<'_>, at: Timestamp, failures: &mut Failures) -> Tiles {
        let &Run {
            executor,
            task,
            fused,
            ..
        } = of;
        let mut values: Option<Box<[ScalarBits]>> = None;
        let mut inputs = SmallVec::new();
        for (number, input) in fused.inputs.iter().enumerate() {
            inputs.push(match input {
                Input::View { bound, .. } => {
                    note(fused, number, &bound.store, failures);
                    let data = bound.store.data(bound.slot).unwrap_or(std::ptr::null_mut());
                    let part = task.cut.of(&bound.layout);
                    // SAFETY: as in `tile`; the elements that are read have been written, by a task
                    // that this one waited for.
                    unsafe { TileRef::new(data, bound.store.dtype, part) }
                }
                Input::Scalar(scalar) => {
                    let values = values.get_or_insert_with(|| {
                        fused.inputs.iter().map(|_| ScalarBits::default()).collect()
                    });
                    values[number] = ScalarBits::from_scalar(scalar);
                    let data = values[number].bytes.as_mut_ptr();
                    let layout = Layout {
                        shape: task.cut.of(&Layout::contiguous(fused.shape)).shape,
                        strides: [0; MAX_DIMS],
                        offset: 0,
                    };
                    // SAFETY: every element of the layout is the value, which lives in the box as
                    // long as the tiles; it is only read.
                    unsafe { TileRef::new(data, scalar.dtype(), layout) }
                }
            });
        }
        let mut write = |bound: &Bound, layout: Layout, operation: usize, follows: bool| {
            // An operation whose input has failed needs no memory.
            if failures[operation].is_some() {
                return tile(std::ptr::null_mut(), bound, layout);
            }
            let maker = fused.operations[operation].maker();
            let own = || follows.then(|| own_cut(executor.cutting, fused).of(&bound.layout));
            let data = executor
                .memories
                .with_room(|| bound.store.part_for(bound.slot, &layout, own, maker, at));
            let data = data.unwrap_or_else(|full| {
                let operation_of = &fused.operations[operation];
                let cause = executor.memories.out_of_memory(&full, operation_of);
                failures[operation] = Some(operation_of.failure(cause));
                std::ptr::null_mut()
            });
            tile(data, bound, layout)
        };
        let mut outputs = SmallVec::new();
        for (step, bound) in &fused.outputs {
            let layout = task.cut.of(&bound.layout);
            outputs.push(write(bound, layout, usize::from(*step), true));
        }
        let last = fused.operations.len() - 1;
        let fold = fused.folded.as_ref().map(|(_, bound)| {
            let part = fused.operations[last].part(1, &task.cut);
            write(bound, part.unwrap_or(bound.layout), last, false)
        });
        Tiles {
            inputs,
            outputs,
            fold,
            _values: values,
        }
    }

    /// Returns the part of these tiles that lies in one tile of the task. Single values stay in
    /// place.
    pub(super) fn part(&self, fused: &Fused, cut: &Cut) -> Tiles {
        let inputs = fused.inputs.iter().zip(&self.inputs).map(|(input, whole)| {
            let layout = match input {
                Input::View { bound, .. } => cut.of(&bound.layout),
                Input::Scalar(_) => Layout {
                    shape: cut.of(&Layout::contiguous(fused.shape)).shape,
                    ..*whole.layout()
                },
            };
            // SAFETY: the address is that of the whole tile, whose elements include those of the
            // part.
            unsafe { TileRef::new(whole.data(), whole.dtype(), layout) }
        });
        let outputs = fused.outputs.iter().zip(&self.outputs);
        let outputs = outputs.map(|((_, bound), whole)| part_of(whole, cut.of(&bound.layout)));
        let fold = match (&fused.folded, &self.fold, fused.operations.last()) {
            (Some((_, bound)), Some(whole), Some(last)) => {
                let part = last.part(1, cut).unwrap_or(bound.layout);
                Some(part_of(whole, part))
            }
            _ => None,
        };
        Tiles {
            inputs: inputs.collect(),
            outputs: outputs.collect(),
            fold,
            _values: None,
        }
    }

    pub(super) fn bytes_written(&self) -> u64 {
        let bytes = |tile: &Tile<'_>| (tile.layout().shape.len() * tile.dtype().size()) as u64;
        self.outputs.iter().chain(&self.fold).map(bytes).sum()
    }

    pub(super) fn bytes_read(&self) -> u64 {
        bytes_read(self.inputs.iter().map(|tile| View {
            data: tile.data().addr() as u64,
            size: tile.dtype().size(),
            layout: tile.layout(),
        }))
    }
}

/// Returns the part of a group that this rank computes.
fn own_cut(cutting: &Cutting, fused: &Fused) -> Cut {
    let is_shared = fused.operations[0].is_shared();
    cutting
        .own_cuts(&fused.shape, fused.tiling(), is_shared)
        .all()
}

/// Returns a part of a tile that is written.
fn part_of(whole: &Tile<'_>, layout: Layout) -> Tile<'static> {
    // SAFETY: the address is that of the whole tile, whose elements include those of the part; the
    // parts of a task are disjoint.
    unsafe { Tile::new(whole.data(), whole.dtype(), layout) }
}

/// Returns a tile of a store.
fn tile(data: *mut u8, bound: &Bound, part: Layout) -> Tile<'static> {
    // SAFETY: as for the tiles of one operation: the instance holds the store's whole shape, and
    // lives as long as the store that `bound` holds. Tasks whose regions overlap run one after the
    // other. Within the group, a written element is not read, or is read at exactly the same index,
    // or is read from the other buffer of its store. A tile without memory is not run: its
    // operation has failed.
    unsafe { Tile::new(data, bound.store.dtype, part) }
}
