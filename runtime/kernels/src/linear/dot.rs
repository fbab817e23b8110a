//! The product of two vectors.

use super::check_types;
use super::ring::{Ring, Total, with_ring};
use crate::dtype::Element;
use crate::order::{BLOCK, LANES, Pairwise, dense_vector, fold_tile, for_each_block, join_lanes};
use crate::simd::{Vectorised, vectorised};
use crate::{Tile, elementwise};

/// Computes the sum of products of `a` and `b`, which have one shape of any rank. `out` has one
/// element. For a tile of a vector this is a partial result, for [`combine_dot`].
///
/// # Panics
/// Panics if the shapes or types do not fit.
pub fn dot(a: &Tile, b: &Tile, out: &mut Tile) {
    check_types(a, b, out);
    assert_eq!(out.layout().shape.len(), 1, "a dot product is one element");
    let result = with_ring!(a.dtype(), T => dot_of::<T>(a, b).to_scalar());
    elementwise::fill(result, out);
}

/// Computes the sum of the partial results of [`dot`], in the order of `partials`.
///
/// # Panics
/// Panics if the shapes or types do not fit.
pub fn combine_dot(partials: &Tile, out: &mut Tile) {
    check_types(partials, partials, out);
    assert_eq!(out.layout().shape.len(), 1, "a dot product is one element");
    let result = with_ring!(out.dtype(), T => fold_tile::<Total<T>>(partials).to_scalar());
    elementwise::fill(result, out);
}

fn dot_of<T: Ring>(a: &Tile, b: &Tile) -> T {
    let mut total = Pairwise::new();
    if let (Some(a), Some(b)) = (dense_vector::<T>(a), dense_vector::<T>(b)) {
        let groups = [a, b].map(|vector| vector.chunks_exact(PAIRS * BLOCK));
        let [rest_a, rest_b] = groups.each_ref().map(|groups| groups.remainder());
        let [groups_a, groups_b] = groups;
        for (a, b) in groups_a.zip(groups_b) {
            let block = |n: usize| n * BLOCK..(n + 1) * BLOCK;
            let pairs = std::array::from_fn(|n| [&a[block(n)], &b[block(n)]]);
            for sum in dot_pairs(pairs) {
                total.push(sum, T::sum);
            }
        }
        for (a, b) in rest_a.chunks(BLOCK).zip(rest_b.chunks(BLOCK)) {
            total.push(dot_block(a, b), T::sum);
        }
        return total.finish(T::sum).unwrap_or(T::ZERO);
    }
    for_each_block::<T, 2>([a, b], &mut |[a, b]| total.push(dot_block(a, b), T::sum));
    total.finish(T::sum).unwrap_or(T::ZERO)
}

/// Returns the sum of products of at most a block of terms. Both slices have the same length.
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
        let [total] = products([self.a], self.b);
        total
    }
}

/// The number of pairs of vectors that are multiplied at a time, to hide the latency of additions.
pub(super) const PAIRS: usize = 4;

/// Returns the sums of products of [`PAIRS`] pairs of vectors, each in the order of [`dot_block`].
/// All slices have the same length.
pub(super) fn dot_pairs<T: Ring>(pairs: [[&[T]; 2]; PAIRS]) -> [T; PAIRS] {
    vectorised(DotPairs(pairs))
}

struct DotPairs<'a, T>([[&'a [T]; 2]; PAIRS]);

impl<T: Ring> Vectorised for DotPairs<'_, T> {
    type Output = [T; PAIRS];

    /// Written with indices, as [`products`].
    #[inline(always)]
    fn run(self) -> [T; PAIRS] {
        let count = self.0[0][0].len();
        let pairs = self.0.map(|pair| pair.map(|one| &one[..count]));
        let mut lanes = [[T::ZERO; LANES]; PAIRS];
        let mut at = 0;
        while at + LANES <= count {
            let mut pair = 0;
            while pair < PAIRS {
                let mut terms = [[T::ZERO; LANES]; 2];
                terms[0].copy_from_slice(&pairs[pair][0][at..at + LANES]);
                terms[1].copy_from_slice(&pairs[pair][1][at..at + LANES]);
                let mut lane = 0;
                while lane < LANES {
                    let product = terms[0][lane].product(terms[1][lane]);
                    lanes[pair][lane] = lanes[pair][lane].sum(product);
                    lane += 1;
                }
                pair += 1;
            }
            at += LANES;
        }
        for lane in 0..count - at {
            for (lanes, [a, b]) in lanes.iter_mut().zip(&pairs) {
                lanes[lane] = lanes[lane].sum(a[at + lane].product(b[at + lane]));
            }
        }
        lanes.map(|lanes| join_lanes(lanes, T::sum))
    }
}

/// The number of rows that are multiplied with one vector at a time: enough chains of additions to
/// hide their latency, and as many streams from memory as are prefetched.
pub(super) const ROWS: usize = 8;

/// Returns the sums of products of [`ROWS`] rows with one vector, each in the order of
/// [`dot_block`]. All slices have the same length.
pub(super) fn dot_rows<T: Ring>(rows: [&[T]; ROWS], b: &[T]) -> [T; ROWS] {
    vectorised(DotRows { rows, b })
}

struct DotRows<'a, T> {
    rows: [&'a [T]; ROWS],
    b: &'a [T],
}

impl<T: Ring> Vectorised for DotRows<'_, T> {
    type Output = [T; ROWS];

    #[inline(always)]
    fn run(self) -> [T; ROWS] {
        products(self.rows, self.b)
    }
}

/// Written with indices, since iterators are not inlined into code for a vector unit.
#[inline(always)]
fn products<T: Ring, const R: usize>(rows: [&[T]; R], b: &[T]) -> [T; R] {
    let count = b.len();
    let rows = rows.map(|row| &row[..count]);
    let mut lanes = [[T::ZERO; LANES]; R];
    let mut at = 0;
    while at + LANES <= count {
        let mut x = [T::ZERO; LANES];
        x.copy_from_slice(&b[at..at + LANES]);
        let mut row = 0;
        while row < R {
            let mut a = [T::ZERO; LANES];
            a.copy_from_slice(&rows[row][at..at + LANES]);
            let mut lane = 0;
            while lane < LANES {
                lanes[row][lane] = lanes[row][lane].sum(a[lane].product(x[lane]));
                lane += 1;
            }
            row += 1;
        }
        at += LANES;
    }
    for lane in 0..count - at {
        for (lanes, row) in lanes.iter_mut().zip(&rows) {
            lanes[lane] = lanes[lane].sum(row[at + lane].product(b[at + lane]));
        }
    }
    lanes.map(|lanes| join_lanes(lanes, T::sum))
}
