//! Functions of `f16`: those of `f32`, with rounded results.

#![allow(
    unsafe_code,
    reason = "calls loops over elements that it has converted"
)]

use half::slice::HalfFloatSliceExt;

use super::declaration::Declaration;
use crate::chain::Block;
use crate::dtype::half::from_f64;
use crate::dtype::{DType, Element, f16, with_native};
use crate::nest::Run;

/// The number of elements that are converted at a time.
const STRIP: usize = 512;

/// The step of contiguous elements in bytes.
const HALF: isize = size_of::<f16>() as isize;
const SINGLE: isize = size_of::<f32>() as isize;

/// Runs the loop for `f32` of a function on elements of `f16`.
///
/// # Safety
/// As for a [`Block`] of the function.
pub(super) unsafe fn through_single<const N: usize>(function: &Declaration<N>, mut run: Run<N>) {
    if function.swaps_half {
        run.at.swap(0, 1);
        run.steps.swap(0, 1);
    }
    let Some(block) = function.block(DType::F32) else {
        unreachable!("{} of f32", function.name);
    };
    let is_direct = function.output_dtype(DType::F16) != Some(DType::F16);
    // SAFETY: the caller's promise.
    unsafe { converted(run, block, is_direct) }
}

/// Runs a loop over `f32` on inputs of `f16`. The output is `f16`, or has the loop's own dtype
/// (`is_direct`).
///
/// # Safety
/// As for a [`Block`], with these dtypes.
unsafe fn converted<const N: usize>(run: Run<N>, block: Block<N>, is_direct: bool) {
    let mut wide = [[0f32; STRIP]; N];
    for first in (0..run.count).step_by(STRIP) {
        let count = STRIP.min(run.count - first);
        let at = |k: usize| run.at[k].wrapping_offset(run.steps[k] * first as isize);
        let mut steps = [SINGLE; N];
        for (k, strip) in wide[..N - 1].iter_mut().enumerate() {
            let needed = if run.steps[k] == 0 { 1 } else { count };
            // SAFETY: the caller's promise: there are `needed` elements.
            unsafe { widen(at(k), run.steps[k], &mut strip[..needed]) };
            if needed == 1 {
                steps[k] = 0;
            }
        }
        let mut inner = Run {
            at: wide.each_mut().map(|strip| strip.as_mut_ptr().cast()),
            steps,
            count,
        };
        if is_direct {
            (inner.at[N - 1], inner.steps[N - 1]) = (at(N - 1), run.steps[N - 1]);
        }
        // SAFETY: inputs were converted into the strips, and the output is another strip, or the
        // caller's.
        unsafe {
            block(inner);
            if !is_direct {
                narrow(&wide[N - 1][..count], at(N - 1), run.steps[N - 1]);
            }
        }
    }
}

/// Converts elements of `f16` that are `step` bytes apart.
///
/// # Safety
/// There must be as many elements as `to` has.
pub(super) unsafe fn widen(at: *const u8, step: isize, to: &mut [f32]) {
    // SAFETY: the caller's promise.
    unsafe {
        if step == HALF {
            std::slice::from_raw_parts(at.cast::<f16>(), to.len()).convert_to_f32_slice(to);
            return;
        }
        for (i, to) in to.iter_mut().enumerate() {
            *to = at
                .wrapping_offset(step * i as isize)
                .cast::<f16>()
                .read()
                .to_f32();
        }
    }
}

/// Rounds to elements of `f16`, `step` bytes apart.
///
/// # Safety
/// There must be room for the elements. `from` has at most a strip of them.
pub(super) unsafe fn narrow(from: &[f32], at: *mut u8, step: isize) {
    let mut strip = [f16::ZERO; STRIP];
    let strip = &mut strip[..from.len()];
    strip.convert_from_f32_slice(from);
    for (i, &value) in strip.iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe {
            at.wrapping_offset(step * i as isize)
                .cast::<f16>()
                .write(value)
        };
    }
}

/// Returns the loop that converts `f16` to another type, except for complex types.
pub(super) fn cast_from_half(to: DType) -> Block<2> {
    with_native!(to, U => |run| run_cast_from(U::DTYPE, run), else unreachable!("{to} is not a real number"))
}

/// Returns the loop that converts another type, except for complex types, to `f16`.
pub(super) fn cast_to_half(from: DType) -> Block<2> {
    with_native!(from, T => |run| run_cast_to(T::DTYPE, run), else unreachable!("{from} is not a real number"))
}

fn run_cast_from(to: DType, run: Run<2>) {
    let block = super::cast_block(DType::F32, to);
    let mut wide = [0f32; STRIP];
    for first in (0..run.count).step_by(STRIP) {
        let count = STRIP.min(run.count - first);
        let at = [0, 1].map(|k| run.at[k].wrapping_offset(run.steps[k] * first as isize));
        // SAFETY: the block's promise.
        unsafe {
            widen(at[0], run.steps[0], &mut wide[..count]);
            block(Run {
                at: [wide.as_mut_ptr().cast(), at[1]],
                steps: [SINGLE, run.steps[1]],
                count,
            });
        }
    }
}

fn run_cast_to(from: DType, run: Run<2>) {
    let block = super::cast_block(from, DType::F64);
    let mut wide = [0f64; STRIP];
    for first in (0..run.count).step_by(STRIP) {
        let count = STRIP.min(run.count - first);
        let at = [0, 1].map(|k| run.at[k].wrapping_offset(run.steps[k] * first as isize));
        // SAFETY: the block's promise.
        unsafe {
            block(Run {
                at: [at[0], wide.as_mut_ptr().cast()],
                steps: [run.steps[0], size_of::<f64>() as isize],
                count,
            });
            for (i, &value) in wide[..count].iter().enumerate() {
                let to = at[1].wrapping_offset(run.steps[1] * i as isize);
                to.cast::<f16>().write(from_f64(value));
            }
        }
    }
}
