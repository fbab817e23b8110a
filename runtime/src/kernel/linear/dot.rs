//! The product of two vectors.

use super::check_types;
use super::ring::{Ring, Total};
use crate::dtype::{Element, with_element};
use crate::kernel::order::{LANES, Pairwise, fold_tile, for_each_block, join_lanes};
use crate::kernel::simd::{Vectorised, vectorised};
use crate::kernel::{Tile, elementwise};

/// `out` = the sum of products of `a` and `b`, which have one shape of any rank; `out` has one element. Of a vector cut
/// into tiles this is a partial result, for [`combine_dot`].
///
/// # Panics
/// If the shapes or types do not fit.
pub fn dot(a: &Tile, b: &Tile, out: &Tile) {
    check_types(a, b, out);
    assert_eq!(out.layout().shape.len(), 1, "a dot product is one element");
    let result = with_element!(a.dtype(), T => dot_of::<T>(a, b).to_scalar());
    elementwise::fill(result, out);
}

/// `out` = the sum of the partial products that [`dot`] gave, in the order they have in `partials`.
///
/// # Panics
/// If the shapes or types do not fit.
pub fn combine_dot(partials: &Tile, out: &Tile) {
    check_types(partials, partials, out);
    assert_eq!(out.layout().shape.len(), 1, "a dot product is one element");
    let result = with_element!(out.dtype(), T => fold_tile::<Total<T>>(partials).to_scalar());
    elementwise::fill(result, out);
}

fn dot_of<T: Ring>(a: &Tile, b: &Tile) -> T {
    let mut total = Pairwise::new();
    for_each_block::<T, 2>([a, b], &mut |[a, b]| total.push(dot_block(a, b), T::sum));
    total.finish(T::sum).unwrap_or(T::ZERO)
}

/// The sum of products of at most a block of terms.
pub(super) fn dot_block<T: Ring>(a: &[T], b: &[T]) -> T {
    vectorised(Products { rows: [a], x: b })[0]
}

/// The sums of products of each of `R` rows with `x`, at most a block long.
pub(super) struct Products<'a, T, const R: usize> {
    /// The rows, as long as `x`.
    pub(super) rows: [&'a [T]; R],
    /// The common factor.
    pub(super) x: &'a [T],
}

impl<T: Ring, const R: usize> Vectorised for Products<'_, T, R> {
    type Output = [T; R];

    #[inline(always)]
    fn run(self) -> [T; R] {
        let mut lanes = [[T::ZERO; LANES]; R];
        let (x, x_rest) = self.x.as_chunks::<LANES>();
        let rows = self.rows.map(|row| &row.as_chunks::<LANES>().0[..x.len()]);
        for (i, x) in x.iter().enumerate() {
            for r in 0..R {
                for l in 0..LANES {
                    lanes[r][l] = lanes[r][l].sum(rows[r][i][l].product(x[l]));
                }
            }
        }
        for (lanes, row) in lanes.iter_mut().zip(&self.rows) {
            let rest = &row[x.len() * LANES..];
            for ((lane, &a), &x) in lanes.iter_mut().zip(rest).zip(x_rest) {
                *lane = lane.sum(a.product(x));
            }
        }
        lanes.map(|lanes| join_lanes(lanes, T::sum))
    }
}
