//! Running sums, products and extremes along an axis.
//!
//! Terms are added one after the other, as in NumPy, so that the bits depend only on the line. The
//! error of running sum number `i` is at most `i * u * S`, to first order, where `S` is the sum of
//! the magnitudes of its terms and `u` is 2^-53 for `f64` and 2^-24 for `f32`.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use super::nest::{Nest, Run};
use super::reduce::Summand;
use super::{ScanOp, Tile};
use crate::dtype::{
    CastFrom, Comparable, DType, Element, Number, f16, with_comparable, with_element,
};
use crate::part::Part;

/// The number of neighbouring lines that are scanned together if they are denser than the terms of
/// a line.
const STRIP: usize = 256;

/// Computes the running results of `input` along dimension `axis`. Both operands have the same
/// shape, and `out` has the type [`ScanOp::output_dtype`].
///
/// # Panics
/// Panics if the shapes or types do not fit, or there is no such axis.
pub fn scan(op: ScanOp, axis: usize, input: &Tile, out: &mut Tile) {
    let Some(lines) = Lines::new(op, axis, input, out) else {
        return;
    };
    if matches!(op, ScanOp::CumMax | ScanOp::CumMin) {
        return with_comparable!(input.dtype(), T => match op {
            ScanOp::CumMax => lines.scan::<T, T>(T::larger),
            _ => lines.scan::<T, T>(T::smaller),
        }, else unreachable!("complex numbers have no order"));
    }
    with_element!(input.dtype(), T => {
        type Total = <T as Summand>::Total;
        match op {
            ScanOp::CumProd => lines.scan::<T, Total>(Total::times),
            _ => lines.scan::<T, Total>(Total::plus),
        }
    });
}

/// Like [`scan`] of `f32`, but each running result is rounded to `f16` before the next term is
/// added.
///
/// # Panics
/// Panics if the shapes or types do not fit, or there is no such axis.
pub fn scan_half(op: ScanOp, axis: usize, input: &Tile, out: &mut Tile) {
    let Some(lines) = Lines::new(op, axis, input, out) else {
        return;
    };
    assert_eq!(input.dtype(), DType::F32, "`f16` is scanned as `f32`");
    let round = |value: f32| f32::from(f16::from_f32(value));
    match op {
        ScanOp::CumSum => lines.scan::<f32, f32>(|total, term| round(total + term)),
        ScanOp::CumProd => lines.scan::<f32, f32>(|total, term| round(total * term)),
        ScanOp::CumMax => lines.scan::<f32, f32>(f32::larger),
        ScanOp::CumMin => lines.scan::<f32, f32>(f32::smaller),
    }
}

/// Lines of `count` terms, one for each element of two tiles. Terms are a fixed number of bytes
/// apart in input and output.
struct Lines<'a> {
    count: usize,
    steps: [isize; 2],
    input: Tile<'a>,
    out: Tile<'a>,
}

impl<'a> Lines<'a> {
    /// Returns the lines along an axis; `None` if they have no terms.
    fn new(op: ScanOp, axis: usize, input: &'a Tile, out: &'a mut Tile) -> Option<Lines<'a>> {
        assert_eq!(
            op.output_dtype(input.dtype()),
            out.dtype(),
            "{op} of {} gives another type",
            input.dtype()
        );
        assert_eq!(input.dims(), out.dims(), "running results have a shape");
        let Some(&count) = input.dims().get(axis) else {
            unreachable!("there is no axis {axis}");
        };
        let lines = Lines {
            count,
            steps: [input.byte_stride(axis), out.byte_stride(axis)],
            input: input.without(axis),
            out: out.without(axis),
        };
        (count > 0).then_some(lines)
    }

    /// Scans lines of terms of type `T`, with running results of type `A`.
    fn scan<T: Element, A: Element + CastFrom<T>>(&self, join: impl Fn(A, A) -> A) {
        Nest::new([&self.input, &self.out]).for_each_run(&mut |run: Run<2>| {
            let is_dense = self.steps[1].abs() <= run.steps[1].abs();
            let width = if is_dense { 1 } else { STRIP };
            for first in (0..run.count).step_by(width) {
                let part = Run {
                    at: [0, 1].map(|k| run.at[k].wrapping_offset(run.steps[k] * first as isize)),
                    steps: run.steps,
                    count: width.min(run.count - first),
                };
                // SAFETY: by the promises made for the tiles; a run stays inside them.
                unsafe { self.strip::<T, A>(part, &join) };
            }
        });
    }

    /// Scans neighbouring lines, at most [`STRIP`].
    ///
    /// # Safety
    /// The lines must be inside of the operands.
    unsafe fn strip<T: Element, A: Element + CastFrom<T>>(
        &self,
        run: Run<2>,
        join: &impl Fn(A, A) -> A,
    ) {
        let mut totals = [A::ZERO; STRIP];
        let totals = &mut totals[..run.count];
        let mut at = run.at;
        for i in 0..self.count {
            let [mut from, mut to] = at;
            for total in totals.iter_mut() {
                // SAFETY: the caller's promise.
                unsafe {
                    let term = A::cast_from(from.cast::<T>().read());
                    *total = if i == 0 { term } else { join(*total, term) };
                    to.cast::<A>().write(*total);
                }
                from = from.wrapping_offset(run.steps[0]);
                to = to.wrapping_offset(run.steps[1]);
            }
            at = [0, 1].map(|k| at[k].wrapping_offset(self.steps[k]));
        }
    }
}
