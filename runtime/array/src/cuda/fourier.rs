//! Fourier transforms of the lines along an axis, by cuFFT.
//!
//! cuFFT takes lines with one step between their elements and one distance between lines, and
//! neither cuts nor scales them. Other lines are copied to scratch memory before the transform, and
//! their results from there after it. The kernels of these copies also change elements. Lines of
//! several such batches are several transforms with one plan, unless there are many batches.

mod key;
#[cfg(test)]
mod tests;

use smallvec::{SmallVec, smallvec};

pub(crate) use key::FourierKernelKey;

use super::loops::{Form, Walk, blocks, longest_grid};
use super::nest::{Loop, Nest, Strided};
use super::plan::tiles;
use super::reduce::lines::without;
use super::{DeviceTile, Job, Kernel};
use crate::dtype::DType;
use crate::kernel::fourier::FourierOp;
use crate::library::fourier::Fourier;
use crate::shape::{Layout, MAX_DIMS, Shape};
use weft_core::cuda::{
    Address, Args, Fft, Launch, LineSteps, Transform, TransformKind, Work, c::words,
};
use weft_core::dtype::Scalar;

/// The most batches that are worth a transform each.
const BATCHES: usize = 16;

/// The number of elements that a thread has in flight.
const EACH: usize = 4;

/// The alignment of memory for cuFFT, in bytes.
const ALIGNMENT: usize = 256;

/// The transforms and copies of a job.
#[derive(Clone, Debug)]
pub(crate) struct Transforms {
    fourier: Fourier,
    input: DeviceTile,
    out: DeviceTile,
    source: Side,
    target: Side,
    batches: Batches,
}

/// The lines that a transform reads or writes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Side {
    /// A tile at the operand's address, or at an offset of the scratch memory.
    tile: DeviceTile,
    is_scratch: bool,
}

/// Lines in the form of cuFFT: a batch of lines, and further batches elsewhere.
#[derive(Clone, Debug, PartialEq)]
struct Batches {
    lines: usize,
    /// The distance between lines, in the source and the target.
    distances: [usize; 2],
    /// The addresses of the first elements, in the source and the target.
    first: [Address; 2],
    /// The loops over further batches.
    others: SmallVec<[Loop; 3]>,
}

impl Side {
    fn operand(tile: &DeviceTile) -> Side {
        Side {
            tile: *tile,
            is_scratch: false,
        }
    }

    /// Creates a dense copy in scratch memory starting at an offset. The axis is the slowest one,
    /// or the fastest if it is the last one.
    fn copy(dtype: DType, shape: Shape, axis: usize, offset: usize) -> Side {
        let mut layout = Layout::contiguous(shape);
        if axis + 1 < shape.rank() {
            let others = shape.without(axis);
            let strides = Layout::contiguous(others).strides;
            layout.strides = [0; MAX_DIMS];
            layout.strides[..axis].copy_from_slice(&strides[..axis]);
            layout.strides[axis + 1..shape.rank()].copy_from_slice(&strides[axis..others.rank()]);
            layout.strides[axis] = others.len() as isize;
        }
        Side {
            tile: DeviceTile {
                start: offset as Address,
                dtype,
                layout,
            },
            is_scratch: true,
        }
    }

    /// Returns the size of a copy in bytes, up to the start of another one.
    fn bytes(&self) -> usize {
        let elements = self.tile.layout.shape.len();
        (elements * self.tile.dtype.size()).next_multiple_of(ALIGNMENT)
    }

    /// Returns the lines as a tile, for scratch memory at an address.
    fn tile_at(&self, scratch: Address) -> DeviceTile {
        DeviceTile {
            start: self.tile.start + if self.is_scratch { scratch } else { 0 },
            ..self.tile
        }
    }
}

/// Whether cuFFT can step through a tile, of whose lines `count` elements are used.
fn has_steps(tile: &DeviceTile, axis: usize, count: usize) -> bool {
    let dims = tile.layout.shape.dims().iter().zip(tile.layout.strides());
    let mut are_positive = dims.enumerate().map(|(at, (&extent, &stride))| {
        let used = if at == axis { count } else { extent };
        used <= 1 || stride > 0
    });
    are_positive.all(|is_positive| is_positive) && tile.layout.shape.dims()[axis] >= count
}

/// Whether the address of the first number is aligned for complex numbers.
fn is_aligned(first: Address, dtype: DType) -> bool {
    let complex = 2 * dtype.real().size() as u64;
    first.is_multiple_of(complex)
}

impl Batches {
    /// Returns the lines along an axis of two tiles. Returns `None` if there are too many batches,
    /// or a batch is not aligned for complex numbers.
    fn new(source: &DeviceTile, target: &DeviceTile, axis: usize) -> Option<Batches> {
        let tiles = [source, target];
        let operands = tiles.map(|tile| Strided::from_tile(&without(tile, axis)));
        let mut nest = Nest::new(source.layout.shape.without(axis), &operands)?;
        let longest = (0..nest.loops.len()).max_by_key(|&level| nest.loops[level].count);
        let batch = longest.map(|level| nest.loops.remove(level));
        let (lines, steps) = match &batch {
            Some(Loop { count, steps }) => (*count, [steps[0], steps[1]]),
            None => (1, [1, 1]),
        };
        let number: usize = nest.loops.iter().map(|each| each.count).product();
        let first = [nest.first[0], nest.first[1]];
        let are_aligned = (0..2).all(|side| {
            let dtype = tiles[side].dtype;
            let even = |each: &Loop| dtype.is_complex() || each.steps[side] % 2 == 0;
            is_aligned(first[side], dtype) && nest.loops.iter().all(even)
        });
        let distances = steps.map(|step| usize::try_from(step).ok().filter(|step| *step > 0));
        let [Some(from), Some(to)] = distances else {
            return None;
        };
        (number <= BATCHES && are_aligned).then_some(Batches {
            lines,
            distances: [from, to],
            first,
            others: nest.loops,
        })
    }

    /// Returns the addresses of the first elements of each batch.
    fn firsts(&self, [source, target]: [&DeviceTile; 2]) -> Vec<[Address; 2]> {
        let units = [source, target].map(|tile| tile.dtype.size() as i64);
        let mut firsts = vec![self.first];
        for each in &self.others {
            let round = |first: &[Address; 2], round: usize| {
                std::array::from_fn(|side| {
                    let step = each.steps[side] as i64 * units[side];
                    first[side].wrapping_add_signed(round as i64 * step)
                })
            };
            let rounds = (0..each.count).flat_map(|at| firsts.iter().map(move |it| round(it, at)));
            firsts = rounds.collect();
        }
        firsts
    }
}

impl Transforms {
    /// Returns the transforms of a job [input, out]; `None` if it has no results.
    pub(crate) fn from_job(fourier: &Fourier, job: &Job<'_>) -> Option<Transforms> {
        let [input, out] = tiles(job)?;
        Transforms::new(fourier, input, out)
    }

    fn new(fourier: &Fourier, input: &DeviceTile, out: &DeviceTile) -> Option<Transforms> {
        if out.layout.shape.is_empty() {
            return None;
        }
        let Fourier { op, length, .. } = *fourier;
        let axis = usize::from(fourier.axis);
        let (reads, dtype) = match (op.is_from_real(), op.is_to_real()) {
            (true, _) => (length, out.dtype.real()),
            (_, true) => (length / 2 + 1, out.dtype.complex()),
            _ => (length, out.dtype),
        };
        // A transform to real numbers destroys its input, and uses imaginary parts that must be
        // ignored.
        let reads_input = !op.is_to_real() && input.dtype == dtype && has_steps(input, axis, reads);
        let writes_out = has_steps(out, axis, op.results(length));
        let shape = out.layout.shape.with_dim(axis, reads)?;
        let copied = Side::copy(dtype, shape, axis, 0);
        let written = |offset| Side::copy(out.dtype, out.layout.shape, axis, offset);
        let attempt = |source: Side, target: Side| {
            let batches = Batches::new(&source.tile, &target.tile, axis)?;
            Some((source, target, batches))
        };
        let direct = |is_direct: bool, tile| is_direct.then(|| Side::operand(tile));
        let (from, to) = (direct(reads_input, input), direct(writes_out, out));
        // The more of these are operands, the fewer copies are needed.
        let known = [(from, to), (None, to), (from, None)];
        let found = known.into_iter().find_map(|(from, to)| match (from, to) {
            (Some(from), Some(to)) => attempt(from, to),
            (None, Some(to)) => attempt(copied, to),
            (Some(from), None) => attempt(from, written(0)),
            (None, None) => None,
        });
        let (source, target, batches) = found.or_else(|| {
            // The copy is transformed in place if both sides are complex.
            let target = match op.is_from_real() || op.is_to_real() {
                true => written(copied.bytes()),
                false => copied,
            };
            attempt(copied, target)
        })?;
        Some(Transforms {
            fourier: *fourier,
            input: *input,
            out: *out,
            source,
            target,
            batches,
        })
    }

    /// Returns the transform for cuFFT.
    pub(crate) fn transform(&self) -> Transform {
        let Fourier { op, length, .. } = self.fourier;
        let axis = usize::from(self.fourier.axis);
        let steps = |side: &Side, distance: usize| LineSteps {
            // A line of one element has no steps.
            step: usize::try_from(side.tile.layout.strides[axis]).map_or(1, |step| step.max(1)),
            distance,
        };
        let [from, to] = self.batches.distances;
        Transform {
            kind: match op {
                FourierOp::Forward => TransformKind::Forward,
                FourierOp::Inverse => TransformKind::Inverse,
                FourierOp::RealForward | FourierOp::HermitianInverse => TransformKind::RealForward,
                FourierOp::RealInverse | FourierOp::Hermitian => TransformKind::RealInverse,
            },
            real: self.out.dtype.real(),
            length,
            lines: self.batches.lines,
            input: steps(&self.source, from),
            output: steps(&self.target, to),
        }
    }

    /// Returns the number of bytes of device memory for copies.
    pub(crate) fn scratch(&self) -> usize {
        let sides = [&self.source, &self.target];
        let ends = sides.map(|side| match side.is_scratch {
            true => side.tile.start as usize + side.bytes(),
            false => 0,
        });
        ends[0].max(ends[1])
    }

    /// Returns the work, with that memory at `scratch`, followed by cuFFT's.
    pub(crate) fn work(&self, scratch: Address) -> SmallVec<[Work; 2]> {
        let Fourier { op, length, .. } = self.fourier;
        let scale = self.fourier.scale.0;
        let axis = usize::from(self.fourier.axis);
        let [source, target] = [&self.source, &self.target].map(|side| side.tile_at(scratch));
        let mut works: SmallVec<[Work; 2]> = smallvec![];
        let mut change = Change {
            scale,
            is_conjugated: op == FourierOp::Hermitian,
            known: None,
            halves: None,
        };
        if self.source.is_scratch {
            let known = self.input.layout.shape.dims()[axis];
            let before = Change {
                known: (known < source.layout.shape.dims()[axis]).then_some(known),
                halves: op.is_to_real().then_some(length),
                ..change
            };
            works.extend(before.work(axis, &self.input, &source));
            change.scale = 1.0;
        }
        let transform = self.transform();
        let area = scratch + self.scratch() as Address;
        let [from, to] = [&self.source, &self.target].map(|side| match side.is_scratch {
            true => scratch,
            false => 0,
        });
        let firsts = self.batches.firsts([&source, &target]);
        works.extend(firsts.into_iter().map(|[input, output]| {
            Work::Fft(Fft {
                transform,
                input: input + from,
                output: output + to,
                area,
            })
        }));
        let after = Change {
            is_conjugated: op == FourierOp::HermitianInverse,
            ..change
        };
        if self.target.is_scratch || after.is_conjugated || after.scale != 1.0 {
            works.extend(after.work(axis, &target, &self.out));
        }
        works
    }
}

/// The changes to elements while they are copied.
#[derive(Clone, Copy, Debug)]
struct Change {
    scale: f64,
    is_conjugated: bool,
    /// The number of elements of a line that exist, if zeros follow.
    known: Option<usize>,
    /// The length of signals, for half spectra. Their first elements are made real, and for an even
    /// length also the middle ones.
    halves: Option<usize>,
}

impl Change {
    /// Returns the work that copies elements to the places of `to`. Both tiles may be the same.
    fn work(&self, axis: usize, from: &DeviceTile, to: &DeviceTile) -> Option<Work> {
        let place = Strided {
            first: 0,
            unit: 1,
            strides: std::array::from_fn(|at| {
                let counts = self.known.is_some() || self.halves.is_some();
                isize::from(at == axis && counts)
            }),
        };
        let operands = [Strided::from_tile(from), place, Strided::from_tile(to)];
        let nest = Nest::new(to.layout.shape, &operands)?;
        let form = Form::new(&nest, &[0, 1, 2], nest.is_wide);
        let walk = Walk::new(&nest, &[0, 1, 2], EACH);
        let number = |value: f64| match to.dtype.real() {
            DType::F32 => words(Scalar::F32(value as f32))[0],
            _ => words(Scalar::F64(value))[0],
        };
        let nowhere = -1i64 as u64;
        let middle = self.halves.filter(|length| length.is_multiple_of(2));
        let mut args: Args = smallvec![
            nest.first[0],
            nest.first[2],
            number(self.scale),
            number(if self.is_conjugated { -1.0 } else { 1.0 }),
            self.known.map_or(i64::MAX as u64, |known| known as u64),
            self.halves.map_or(nowhere, |_| 0),
            middle.map_or(nowhere, |length| length as u64 / 2),
        ];
        args.extend(walk.args);
        Some(Work::Kernel(Launch {
            kernel: Kernel::from_source(FourierKernelKey {
                from: from.dtype,
                to: to.dtype,
                form,
            }),
            grid: blocks(longest_grid(walk.units)),
            block: walk.block,
            args,
        }))
    }
}
