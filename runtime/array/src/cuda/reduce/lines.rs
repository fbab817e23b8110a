//! Reductions of the elements along an axis to one value for each line.

use smallvec::smallvec;

use super::super::fold::Fold;
use super::super::loops::{BLOCKS, Form, THREADS, arguments};
use super::super::nest::{Nest, Strided};
use super::super::{DeviceTile, Kernel};
use super::ReduceKernelKey;
use super::key::Stage;
use crate::shape::{Layout, MAX_DIMS, Shape};
use weft_core::cuda::{Address, Args, Launch, Work};

/// The fewest terms of a thread in its part of a line.
const TERMS: usize = 16;

/// A reduction along an axis.
pub(crate) struct Lines {
    fold: Fold,
    nest: Nest,
    is_wide: bool,
    /// The number of terms of a line. Their step in elements follows.
    count: usize,
    step: isize,
    /// The address and the step of the factors of the terms.
    weights: Option<(Address, isize)>,
    is_across: bool,
    lines: usize,
    parts: usize,
    length: usize,
    block: [usize; 2],
}

/// Returns a tile at position 0 of an axis, without the axis.
pub(in super::super) fn without(tile: &DeviceTile, axis: usize) -> DeviceTile {
    let mut strides = tile.layout.strides;
    strides.copy_within(axis + 1.., axis);
    strides[MAX_DIMS - 1] = 0;
    DeviceTile {
        layout: Layout {
            shape: tile.layout.shape.without(axis),
            strides,
            offset: tile.layout.offset,
        },
        ..*tile
    }
}

/// Whether indices into lines need 64 bits.
pub(in super::super) fn is_wide(shape: Shape, tiles: &[Strided]) -> bool {
    Nest::in_order(shape, tiles).is_some_and(|nest| nest.is_wide)
}

impl Lines {
    /// Plans a reduction of the elements of `input` along an axis to `out`, which does not have the
    /// axis; `None` if there are no lines.
    pub(in super::super) fn reduce(
        fold: Fold,
        axis: usize,
        input: &DeviceTile,
        out: &DeviceTile,
    ) -> Option<Lines> {
        Lines::new(fold, axis, input, out, None)
    }

    /// Plans the products of the rows of a matrix and a vector.
    pub(in super::super) fn matvec(
        matrix: &DeviceTile,
        vector: &DeviceTile,
        out: &DeviceTile,
    ) -> Option<Lines> {
        let weights = (Strided::from_tile(vector).first, vector.layout.strides[0]);
        Lines::new(Fold::products(matrix.dtype), 1, matrix, out, Some(weights))
    }

    fn new(
        fold: Fold,
        axis: usize,
        input: &DeviceTile,
        out: &DeviceTile,
        weights: Option<(Address, isize)>,
    ) -> Option<Lines> {
        let operands = [&without(input, axis), out].map(Strided::from_tile);
        let nest = Nest::new(out.layout.shape, &operands)?;
        let count = input.layout.shape.dims()[axis];
        let step = input.layout.strides[axis];
        let reach = Strided {
            first: 0,
            unit: 1,
            strides: [weights.map_or(0, |(_, step)| step); MAX_DIMS],
        };
        let is_wide = nest.is_wide
            || is_wide(input.layout.shape, &[Strided::from_tile(input)])
            || Shape::new(&[count]).is_some_and(|shape| is_wide(shape, &[reach]));
        let lines = out.layout.shape.len();
        let is_across = lines > 1 && nest.step(0, 0).unsigned_abs() < step.unsigned_abs();
        let mut this = Lines {
            fold,
            nest,
            is_wide,
            count,
            step,
            weights,
            is_across,
            lines,
            parts: 1,
            length: count,
            block: [1, 1],
        };
        this.share();
        Some(this)
    }

    /// Decides how threads share lines and terms.
    fn share(&mut self) {
        let lines = self.lines.next_power_of_two();
        let wanted = self.count.div_ceil(8).next_power_of_two();
        let (across, along) = if self.is_across {
            let across = lines.min(THREADS / wanted.min(8));
            (across, (THREADS / across).min(wanted))
        } else {
            let least = self.count.next_power_of_two().min(8);
            let along = wanted.clamp(least, THREADS);
            ((THREADS / along).min(lines), along)
        };
        self.block = if self.is_across {
            [across, along]
        } else {
            [along, across]
        };
        let blocks = self.lines.div_ceil(across);
        let parts = BLOCKS.div_ceil(blocks).min(self.count / (along * TERMS));
        self.length = self.count.div_ceil(parts.max(1)).max(1);
        self.parts = self.count.div_ceil(self.length).max(1);
    }

    /// Returns the number of bytes of device memory for the results of parts.
    pub(in super::super) fn scratch(&self) -> usize {
        if self.parts == 1 {
            0
        } else {
            self.parts * self.lines * self.fold.result_bytes()
        }
    }

    /// Returns the work.
    pub(in super::super) fn work(&self, scratch: Address) -> Work {
        let mut args: Args = smallvec![self.nest.first[0], self.step as u64];
        if let Some((vector, step)) = self.weights {
            args.extend([vector, step as u64]);
        }
        args.extend(self.arguments(scratch));
        self.launch(
            Kernel::from_source(ReduceKernelKey {
                fold: self.fold,
                stage: Stage::Lines {
                    form: self.form(),
                    is_across: self.is_across,
                },
            }),
            args,
        )
    }

    /// Returns the arguments after those of the terms.
    pub(super) fn arguments(&self, scratch: Address) -> Args {
        let mut args: Args = smallvec![self.nest.first[1]];
        let results = self.parts * self.lines;
        args.extend(self.fold.result_arguments(scratch, results));
        args.extend([self.lines, self.count, self.length].map(|count| count as u64));
        args.extend(arguments(&self.nest, &[0, 1]));
        args
    }

    /// Returns the launch of a kernel over the lines.
    pub(super) fn launch(&self, kernel: Kernel, args: Args) -> Work {
        let across = self.block[usize::from(!self.is_across)];
        Work::Kernel(Launch {
            kernel,
            grid: [self.lines.div_ceil(across) as u32, self.parts as u32, 1],
            block: [self.block[0] as u32, self.block[1] as u32, 1],
            args,
        })
    }

    /// Returns the form of the loops over the lines.
    pub(super) fn form(&self) -> Form {
        Form::new(&self.nest, &[0, 1], self.is_wide)
    }

    /// Returns whether neighbouring threads have neighbouring lines instead of terms.
    pub(super) fn is_across(&self) -> bool {
        self.is_across
    }

    /// Returns the step between terms of a line, in elements.
    pub(super) fn step(&self) -> isize {
        self.step
    }

    /// Makes indices as wide as those of another nest.
    pub(super) fn widen(&mut self, is_wide: bool) {
        self.is_wide |= is_wide;
    }
}
