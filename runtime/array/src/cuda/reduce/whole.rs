//! Reductions of whole arrays to one value.

use smallvec::smallvec;

use super::super::fold::Fold;
use super::super::loops::{BLOCKS, Form, THREADS, Walk, blocks};
use super::super::nest::{Nest, Strided};
use super::super::{DeviceTile, Kernel};
use super::ReduceKernelKey;
use super::key::{Stage, each};
use crate::shape::{MAX_DIMS, Shape};
use weft_core::cuda::{Address, Launch, Work};

/// The number of elements below which one block folds an array.
const ONE_BLOCK: usize = 8192;

/// A reduction of a tile to one value.
pub(crate) struct Whole {
    fold: Fold,
    nest: Nest,
    walk: Walk,
    blocks: usize,
}

/// Returns the operands in the loops of a reduction.
fn operands(fold: Fold, nest: &Nest) -> &'static [usize] {
    match nest.first.len() {
        1 => &[0],
        // Numbers come first in the nest, whose order the last operand decides, and last in the
        // kernel.
        _ if fold.is_arg() => &[1, 0],
        _ => &[0, 1],
    }
}

impl Whole {
    /// Plans a function of all elements of a tile; `None` if there are none.
    pub(in super::super) fn reduce(
        fold: Fold,
        input: &DeviceTile,
        first: [usize; MAX_DIMS],
        whole: Shape,
    ) -> Option<Whole> {
        let number = Strided {
            first: whole.ravel(&first[..whole.rank()]) as u64,
            unit: 1,
            strides: whole.row_major_strides(),
        };
        let both = [number, Strided::from_tile(input)];
        let operands = if fold.is_arg() { &both } else { &both[1..] };
        Whole::new(fold, Nest::new(input.layout.shape, operands)?)
    }

    /// Plans the sum of products of two vectors; `None` if they are empty.
    pub(in super::super) fn dot(left: &DeviceTile, right: &DeviceTile) -> Option<Whole> {
        let operands = [Strided::from_tile(left), Strided::from_tile(right)];
        let nest = Nest::new(left.layout.shape, &operands)?;
        Whole::new(Fold::products(left.dtype), nest)
    }

    /// Plans a function of the elements of a dense vector at no address; `None` if there are none.
    pub(super) fn of_vector(fold: Fold, length: usize) -> Option<Whole> {
        let shape = Shape::new(&[length])?;
        let tile = Strided {
            first: 0,
            unit: 1,
            strides: shape.row_major_strides(),
        };
        Whole::new(fold, Nest::new(shape, &[tile])?)
    }

    /// Returns the number of blocks.
    pub(super) fn blocks(&self) -> usize {
        self.blocks
    }

    /// Returns the threads of a block along x, y and z.
    pub(super) fn block(&self) -> [u32; 3] {
        self.walk.block
    }

    /// Returns the number of units of work for blocks.
    pub(super) fn units(&self) -> usize {
        self.walk.units
    }

    fn new(fold: Fold, nest: Nest) -> Option<Whole> {
        let walk = Walk::new(&nest, operands(fold, &nest), each(fold));
        let elements: usize = nest.loops.iter().map(|each| each.count).product();
        let blocks = if elements <= ONE_BLOCK {
            1
        } else {
            walk.units.min(BLOCKS)
        };
        Some(Whole {
            fold,
            nest,
            walk,
            blocks,
        })
    }

    /// Returns the number of bytes of device memory for the results of blocks.
    pub(in super::super) fn scratch(&self) -> usize {
        if self.blocks == 1 {
            0
        } else {
            self.blocks * self.fold.result_bytes()
        }
    }

    /// Returns the work. `out` has the address of the result, and then that of the number if the
    /// result is a place.
    pub(in super::super) fn work(&self, scratch: Address, out: &[Address]) -> Work {
        let fold = self.fold;
        let operands = operands(fold, &self.nest);
        let form = Form::new(&self.nest, operands, self.nest.is_wide);
        let mut args: weft_core::cuda::Args =
            operands.iter().map(|&n| self.nest.first[n]).collect();
        args.extend(fold.result_arguments(scratch, self.blocks));
        args.extend(out.iter().copied());
        args.extend(self.walk.args.iter().copied());
        Work::Kernel(Launch {
            kernel: Kernel::from_source(ReduceKernelKey {
                fold,
                stage: Stage::Whole(form),
            }),
            grid: blocks(self.blocks),
            block: self.walk.block,
            args,
        })
    }
}

/// Returns the work that combines `count` results. The address and the step of their values are
/// given, and of their numbers if they are places. `out` is as for [`Whole::work`]; the address of
/// a value is 0 if only the number is needed.
pub(in super::super) fn combine(
    fold: Fold,
    count: usize,
    partials: &[Address],
    steps: [isize; 2],
    out: &[Address],
) -> Work {
    let mut args: weft_core::cuda::Args = smallvec![count as u64, steps[0] as u64];
    args.extend(partials.iter().copied());
    args.extend(out.iter().copied());
    if fold.is_arg() {
        args.push(steps[1] as u64);
    }
    Work::Kernel(Launch {
        kernel: Kernel::from_source(ReduceKernelKey {
            fold: fold.combining(),
            stage: Stage::Combine,
        }),
        grid: blocks(1),
        block: blocks(THREADS),
        args,
    })
}
