//! The product of two vectors.

use super::check_types;
use super::ring::{Ring, Total, with_ring};
use crate::dtype::Element;
use crate::order::{LANES, Pairwise, fold_tile, for_each_block, join_lanes};
use crate::simd::{Vectorised, vectorised};
use crate::{Tile, elementwise};

/// `out` = the sum of products of `a` and `b`, which have one shape of any rank; `out` has one element. Of a vector cut
/// into tiles this is a partial result, for [`combine_dot`].
///
/// # Panics
/// If the shapes or types do not fit.
pub fn dot(a: &Tile, b: &Tile, out: &Tile) {
    check_types(a, b, out);
    assert_eq!(out.layout().shape.len(), 1, "a dot product is one element");
    let result = with_ring!(a.dtype(), T => dot_of::<T>(a, b).to_scalar());
    elementwise::fill(result, out);
}

/// `out` = the sum of the partial products that [`dot`] gave, in the order they have in `partials`.
///
/// # Panics
/// If the shapes or types do not fit.
pub fn combine_dot(partials: &Tile, out: &Tile) {
    check_types(partials, partials, out);
    assert_eq!(out.layout().shape.len(), 1, "a dot product is one element");
    let result = with_ring!(out.dtype(), T => fold_tile::<Total<T>>(partials).to_scalar());
    elementwise::fill(result, out);
}

fn dot_of<T: Ring>(a: &Tile, b: &Tile) -> T {
    let mut total = Pairwise::new();
    for_each_block::<T, 2>([a, b], &mut |[a, b]| total.push(dot_block(a, b), T::sum));
    total.finish(T::sum).unwrap_or(T::ZERO)
}

/// The sum of products of at most a block of terms; both slices have one length.
pub(super) fn dot_block<T: Ring>(a: &[T], b: &[T]) -> T {
    vectorised(Products { a, b })
}

struct Products<'a, T> {
    a: &'a [T],
    b: &'a [T],
}

impl<T: Ring> Vectorised for Products<'_, T> {
    type Output = T;

    #[inline(always)]
    fn run(self) -> T {
        let mut lanes = [T::ZERO; LANES];
        let ((a, a_rest), (b, b_rest)) = (self.a.as_chunks::<LANES>(), self.b.as_chunks::<LANES>());
        for (a, b) in a.iter().zip(b) {
            for ((lane, &a), &b) in lanes.iter_mut().zip(a).zip(b) {
                *lane = lane.sum(a.product(b));
            }
        }
        for ((lane, &a), &b) in lanes.iter_mut().zip(a_rest).zip(b_rest) {
            *lane = lane.sum(a.product(b));
        }
        join_lanes(lanes, T::sum)
    }
}
