//! Products of stacks of matrices, and the sums of partial products.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use super::check_types;
use super::matmul::multiply;
use super::ring::{Ring, with_ring};
use crate::nest::{Nest, Run};
use crate::order::Pairwise;
use crate::{Tile, TileRef};

/// Computes the product of each pair of matrices of two stacks: `a` of shape (p, m, k), `b` of
/// shape (p, k, n), `out` of shape (p, m, n), which shares no element with the others. Each result
/// has the bits of [`matmul`](super::matmul).
///
/// # Panics
/// Panics if the shapes or types do not fit.
pub fn matmuls(a: &Tile, b: &Tile, out: &mut Tile) {
    check_types(a, b, out);
    let (&[count, m, k], &[of_b, inner, n]) = (a.dims(), b.dims()) else {
        unreachable!("a stack of matrices has three dimensions");
    };
    assert_eq!([count, k], [of_b, inner], "the stacks fit each other");
    assert_eq!(out.dims(), [count, m, n], "a product for each pair");
    multiply(a, b, out, [m, n, k], count);
}

/// Computes, for each element of `out`, the sum of the products of parts, which are along the first
/// axis of `partials` in the order of their terms. Parts are joined pairwise, like the carries of a
/// binary counter. Parts of `512 * 2^e` terms each, with a last part of fewer, give the bits of the
/// product of all terms by [`matvec`](super::matvec()).
///
/// # Panics
/// Panics if the shapes or types do not fit.
pub fn combine_parts(partials: &Tile, out: &mut Tile) {
    check_types(partials, partials, out);
    assert_eq!(&partials.dims()[1..], out.dims(), "an element of each part");
    with_ring!(out.dtype(), T => {
        // SAFETY: by the promises made for the tiles.
        unsafe { joined::<T>(partials, out) }
    });
}

/// # Safety
/// The tiles must have the type `T` and matching shapes.
unsafe fn joined<T: Ring>(partials: &Tile, out: &mut Tile) {
    let count = partials.dims()[0];
    let step = partials.byte_stride(0);
    let layout = partials.layout();
    let Some(layout) = layout.index(0, 0) else {
        return;
    };
    // SAFETY: a part of the caller's promise; only addresses are taken.
    let first = unsafe { TileRef::new(partials.data(), partials.dtype(), layout) };
    Nest::new([&first, out]).for_each_run(&mut |run: Run<2>| {
        for number in 0..run.count as isize {
            let [from, to] =
                [0, 1].map(|side| run.at[side].wrapping_offset(number * run.steps[side]));
            let mut total = Pairwise::new();
            for part in 0..count {
                let at = from.wrapping_offset(part as isize * step);
                // SAFETY: the caller's promise; the run stays inside the tiles.
                total.push(unsafe { at.cast::<T>().read() }, T::sum);
            }
            // SAFETY: the caller's promise; the run stays inside the tiles.
            unsafe {
                to.cast::<T>()
                    .write(total.finish(T::sum).unwrap_or(T::ZERO))
            };
        }
    });
}
