//! Reductions along one axis.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use super::{check, reduce_empty, with_fold};
use crate::dtype::Element;
use crate::nest::{Nest, Run};
use crate::order::{Fold, Pairwise, fold_block, fold_length};
use crate::part::Part;
use crate::strip::{STRIP, Steps, Strip, fold_strip};
use crate::{ReduceOp, Tile};

/// The length below which many dense lines are folded at a time.
const SHORT: usize = 16;

/// Computes `out = op(input)` along dimension `axis`. `out` has that dimension removed, or kept
/// with length 1.
///
/// # Panics
/// Panics if the shapes or types do not fit, or if `op` returns an index (see
/// [`axis_index`](super::axis_index)). Panics if the axis has length 0 and `op` has no result for
/// no elements.
pub fn axis(op: ReduceOp, axis: usize, input: &Tile, out: &mut Tile) {
    check(op, input.dtype(), out.dtype());
    let (line, input, mut out) = split_axis(axis, input, out);
    if line.count == 0 {
        if !out.layout().shape.is_empty() {
            reduce_empty(op, input.dtype(), &mut out);
        }
        return;
    }
    with_fold!(op, input.dtype(), F => fold_axis::<F>(line, &input, &out));
}

/// The elements along an axis: their number, and the step in bytes.
#[derive(Clone, Copy)]
pub(super) struct Line {
    pub(super) count: usize,
    pub(super) step: isize,
}

/// Returns the line along the axis, the input at position 0 of it, and the output without it. The
/// two tiles then have one shape, and the first must not be read if the axis is empty.
pub(super) fn split_axis<'a>(
    axis: usize,
    input: &'a Tile,
    out: &'a Tile,
) -> (Line, Tile<'a>, Tile<'a>) {
    let count = input.dims().get(axis).copied();
    assert!(count.is_some(), "there is no axis {axis}");
    let line = Line {
        count: count.unwrap_or(0),
        step: input.byte_stride(axis),
    };
    let out = if out.layout().rank() == input.layout().rank() {
        assert_eq!(
            out.dims()[axis],
            1,
            "the output keeps axis {axis} with length 1"
        );
        out.without(axis)
    } else {
        out.through(*out.layout())
    };
    let input = input.without(axis);
    assert_eq!(
        input.layout().shape,
        out.layout().shape,
        "the output has the other axes of the input"
    );
    (line, input, out)
}

/// Folds the line along an axis for each element of the other axes.
pub(super) fn fold_axis<F: Fold<In: Element>>(line: Line, input: &Tile, out: &Tile) {
    let is_dense = line.step == size_of::<F::In>() as isize;
    Nest::new([input, out]).for_each_run(&mut |run: Run<2>| {
        if is_dense && line.count >= SHORT {
            fold_lines::<F>(line, run);
        } else {
            fold_strips::<F>(line, run);
        }
    });
}

/// Folds one dense line after the other.
fn fold_lines<F: Fold>(line: Line, run: Run<2>) {
    let Run {
        at: [mut from, mut to],
        steps: [from_step, to_step],
        count,
    } = run;
    for _ in 0..count {
        // SAFETY: by the promises made for the tiles; a dense line of the input starts here.
        let terms = unsafe { std::slice::from_raw_parts(from.cast::<F::In>(), line.count) };
        let result = fold_line::<F>(terms);
        // SAFETY: by the promises made for the tiles; a run stays inside them.
        unsafe { to.cast::<F::Acc>().write(result) };
        from = from.wrapping_offset(from_step);
        to = to.wrapping_offset(to_step);
    }
}

/// Folds one dense line.
pub(super) fn fold_line<F: Fold>(terms: &[F::In]) -> F::Acc {
    let length = fold_length::<F>();
    if terms.len() <= length {
        return fold_block::<F>(terms);
    }
    let mut total = Pairwise::new();
    terms
        .chunks(length)
        .for_each(|block| total.push(fold_block::<F>(block), F::join));
    total.finish(F::join).unwrap_or(F::START)
}

/// Folds neighbouring lines together.
fn fold_strips<F: Fold>(line: Line, run: Run<2>) {
    let Run {
        at: [from, to],
        steps: [across, to_step],
        count,
    } = run;
    for first in (0..count).step_by(STRIP) {
        let strip = Strip {
            at: from.wrapping_offset(first as isize * across),
            width: STRIP.min(count - first),
            across,
            count: line.count,
            along: line.step,
        };
        let to = to.wrapping_offset(first as isize * to_step);
        let steps = Steps {
            start: F::START,
            row: |_| (),
            step: |acc, term: F::In, ()| F::step(acc, term),
            join: F::join,
        };
        // SAFETY: by the promises made for the tiles; the strip consists of lines of the input.
        unsafe {
            fold_strip(strip, steps, |w, result| {
                to.wrapping_offset(w as isize * to_step)
                    .cast::<F::Acc>()
                    .write(result);
            });
        }
    }
}
