//! Values computed from the index of an element.
//!
//! Each value depends on a number that is linear in the indices: the flat number of the element in
//! the whole array (ranges, random numbers), or its distance from a diagonal. The number is an
//! operand of the loops, like the output.

mod key;
mod source;

use super::c::words;
use super::grid::Grid;
use super::nest::{Loop, Nest, Strided};
use super::{DeviceTile, Kernel};
use crate::dtype::{DType, Number, Parameter, Scalar, f16, with_real};
use crate::library::generate::{Distribution, Generator};
use crate::shape::{MAX_DIMS, Shape};
use weft_core::cuda::{Args, Launch, Work};

pub(crate) use key::GenerateKernelKey;
use key::Kind;

/// The number of elements, or of pairs, that a thread of a kernel with one loop computes.
const EACH: usize = 4;

/// Returns the work that computes the values of a tile that starts at index `first` of an array of
/// shape `whole`; `None` if the tile has no elements. Fills are not part of this module.
pub(super) fn work(
    generator: Generator,
    out: &DeviceTile,
    first: [usize; MAX_DIMS],
    whole: Shape,
) -> Option<Work> {
    let (kind, values) = kind(generator, out.dtype);
    let operands = [number(generator, first, whole), Strided::from_tile(out)];
    let mut nest = Nest::new(out.layout.shape, &operands)?;
    if nest.loops.is_empty() {
        let steps = [1, 1].as_slice().into();
        nest.loops.push(Loop { count: 1, steps });
    }
    let rank = nest.loops.len();
    let length = nest.count(0);
    let key = GenerateKernelKey {
        kind,
        dtype: out.dtype,
        rank: rank as u8,
        is_dense: nest.step(0, 1) == 1,
        is_paired: kind.is_random() && nest.step(0, 0) == 1,
        is_wide: nest.is_wide,
    };
    if key.is_paired {
        // A run of numbers may begin and end within a pair.
        nest.loops[0].count = length / 2 + 1;
    }
    let grid = match rank {
        1 => Grid::flat(nest.count(0), EACH),
        _ => Grid::nested(&nest, rank, false),
    };
    let mut args = Args::from_slice(&[nest.first[1], nest.first[0], length as u64]);
    args.extend(grid.args);
    for operand in [0, 1] {
        args.extend((0..rank).map(|level| nest.step(level, operand) as u64));
    }
    args.extend(values);
    Some(Work::Kernel(Launch {
        kernel: Kernel::from_source(key),
        grid: grid.grid,
        block: grid.block,
        args,
    }))
}

/// Returns the number that a value depends on, at every index of the tile.
fn number(generator: Generator, first: [usize; MAX_DIMS], whole: Shape) -> Strided {
    if let Generator::Eye { diagonal } = generator {
        let mut strides = [0; MAX_DIMS];
        [strides[0], strides[1]] = [-1, 1];
        let distance = first[1]
            .wrapping_sub(first[0])
            .wrapping_sub(diagonal as usize);
        return Strided {
            first: distance as u64,
            unit: 1,
            strides,
        };
    }
    Strided {
        first: whole.ravel(&first[..whole.rank()]) as u64,
        unit: 1,
        strides: whole.row_major_strides(),
    }
}

/// Returns the kind of kernel, and the arguments for its values.
fn kind(generator: Generator, dtype: DType) -> (Kind, Args) {
    match generator {
        Generator::Arange { start, step } => (Kind::Arange, range(start, step, dtype)),
        Generator::Linspace {
            start: Parameter(start),
            stop: Parameter(stop),
            count,
            endpoint,
        } => {
            let spaces = count.saturating_sub(usize::from(endpoint));
            let last = if endpoint && count > 1 {
                count as u64 - 1
            } else {
                u64::MAX
            };
            let step = (stop - start) / spaces as f64;
            let floats = [start, stop, step, spaces as f64].map(f64::to_bits);
            let mut args = Args::from_slice(&floats);
            args.push(last);
            (Kind::Linspace, args)
        }
        Generator::Eye { .. } => (Kind::Eye, Args::new()),
        Generator::Random {
            distribution,
            source,
        } => {
            let mut args = Args::from_slice(&[source.seed, source.stream]);
            let kind = match distribution {
                Distribution::Uniform => Kind::Uniform,
                Distribution::Normal => Kind::Normal,
                Distribution::Integers { low, high } => {
                    // A span of all 2^64 values wraps to 0 here.
                    args.extend([low as u64, (high - low) as u64]);
                    Kind::Integers
                }
            };
            (kind, args)
        }
    }
}

/// Returns start and step of a range in the type of its elements. The step is the one left after
/// rounding `start + step`.
fn range(start: Scalar, step: Scalar, dtype: DType) -> Args {
    if dtype == DType::F16 {
        // Computed in `f32`, since sixteen-bit floats count to 2048 only.
        let start: f16 = start.to();
        let delta = (start + step.to::<f16>()).to_f32() - start.to_f32();
        return arguments(start.to_f32().into(), delta.into());
    }
    with_real!(dtype, T => {
        let start: T = start.to();
        let delta = start.plus(step.to()).minus(start);
        arguments(start.into(), delta.into())
    }, else unreachable!("a range of {dtype} is not defined"))
}

/// Returns two values as arguments.
fn arguments(start: Scalar, delta: Scalar) -> Args {
    [start, delta].into_iter().flat_map(words).collect()
}

#[cfg(test)]
mod tests;
