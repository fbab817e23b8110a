//! Reductions of all elements, or of those along one axis.
//!
//! A whole array is reduced in two steps, so that tiles can be reduced at the same time:
//! [`partial`] for each tile, then [`combine`] of all partial results in the order of the tiles.
//! [`partial_index`] and [`combine_index`] do the same for `argmin` and `argmax`. The order inside
//! each step depends only on shapes (blocks of 512 terms in 8 lanes, added pairwise). So results
//! depend on the cut of the array, and on nothing else. The error of a sum of `n` terms in one step
//! is at most `(64 + 3 + ceil(log2(n / 512))) * u * S`, to first order, where `S` is the sum of
//! their magnitudes and `u` is 2^-53 for `f64` and 2^-24 for `f32`.
//!
//! [`axis`] takes terms along the axis in the same order, regardless of the cut of other axes. If
//! the axis itself is cut, [`axis`] or [`partial_axis_index`] computes a row of results for each
//! part, and [`combine`] or [`combine_index`] combines the rows.
//!
//! [`segments`] reduces parts of an axis that its caller names.

mod along;
pub(super) mod fold;
mod index;
mod segments;
mod stream;

pub use along::axis;
pub use index::{axis_index, combine_index, partial_axis_index, partial_index};
pub use segments::segments;

pub(super) use fold::{Summand, with_fold};

use super::order::fold_tile;
use super::{ReduceOp, Tile, elementwise};
use crate::dtype::{DType, Scalar};

/// Computes `out = op(input)` over all elements of a tile. `out` has one element of type
/// [`ReduceOp::output_dtype`].
///
/// # Panics
/// Panics if `out` has another type or number of elements, or if `op` returns an index (see
/// [`partial_index`]). Panics if there are no elements and `op` has no result for none.
pub fn partial(op: ReduceOp, input: &Tile, out: &mut Tile) {
    check(op, input.dtype(), out.dtype());
    assert_eq!(
        out.layout().shape.len(),
        1,
        "a partial result is one element"
    );
    if input.layout().shape.is_empty() {
        return reduce_empty(op, input.dtype(), out);
    }
    let result: Scalar = with_fold!(op, input.dtype(), F => fold_tile::<F>(input).into());
    elementwise::fill(result, out);
}

/// Combines the partial results of [`partial`], in the order along the first axis of `partials`. If
/// [`axis`] returned a row of them for each part of an axis, combines them for each line.
///
/// # Panics
/// Panics as [`axis`] does. `partials` must have the type of a result too.
pub fn combine(op: ReduceOp, partials: &Tile, out: &mut Tile) {
    axis(op.combining(), 0, partials, out);
}

fn check(op: ReduceOp, input: DType, out: DType) {
    assert!(!op.is_index(), "{op} has its own reductions");
    assert_eq!(
        op.output_dtype(input),
        out,
        "{op} of {input} gives another type"
    );
}

/// Sets `out` to the reduction of no elements of type `input`.
///
/// # Panics
/// Panics if there is none.
pub(super) fn reduce_empty(op: ReduceOp, input: DType, out: &mut Tile) {
    let nothing = op.reduce_empty(input);
    assert!(nothing.is_some(), "{op} of no elements is not defined");
    if let Some(value) = nothing {
        elementwise::fill(value, out);
    }
}
