//! The product of two matrices.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use super::check_types;
use super::gemm::{self, Factor, Operand};
use super::ring::Ring;
use crate::dtype::{Complex, DType, Scalar, with_integer};
use crate::{Tile, elementwise};

/// `out = a b` for `a` of shape (m, k), `b` of shape (k, n), `out` of shape (m, n), which shares no element with the
/// others.
///
/// Floats and complex numbers are multiplied by the crates of `gemm`, on this thread alone: the order of terms depends on the shapes, on how
/// the operands lie in memory and on the machine's vector instructions. The error of an element is at most `k u S` to
/// first order, where `S` is the sum of the magnitudes of its terms.
///
/// # Panics
/// If the shapes or types do not fit.
pub fn matmul(a: &Tile, b: &Tile, out: &mut Tile) {
    check_types(a, b, out);
    let (&[m, k], &[inner, n]) = (a.dims(), b.dims()) else {
        unreachable!("a matrix has two dimensions");
    };
    assert_eq!(
        k, inner,
        "the second matrix has a row for each column of the first"
    );
    assert_eq!(
        out.dims(),
        [m, n],
        "the product has the rows of the first and the columns of the second"
    );
    if k == 0 {
        return elementwise::fill(Scalar::zero(out.dtype()), out);
    }
    if m == 0 || n == 0 {
        return;
    }
    // SAFETY: by the promises made for the tiles, which are not empty; the shapes fit.
    unsafe {
        match a.dtype() {
            DType::F32 => float::<f32>(a, b, out, [m, n, k]),
            DType::F64 => float::<f64>(a, b, out, [m, n, k]),
            DType::C64 => float::<Complex<f32>>(a, b, out, [m, n, k]),
            DType::C128 => float::<Complex<f64>>(a, b, out, [m, n, k]),
            DType::Bool => plain::<bool>(a, b, out, [m, n, k]),
            other => with_integer!(other, T => plain::<T>(a, b, out, [m, n, k]),
                else unreachable!("products of {other} are made in a wider type")),
        }
    }
}

/// # Safety
/// The tiles have the type `T` and fit the sizes [m, n, k], none of which is 0.
unsafe fn float<T: Factor>(a: &Tile, b: &Tile, out: &Tile, sizes: [usize; 3]) {
    let [a, b, out] = [a, b, out].map(operand);
    // SAFETY: the caller's promise.
    unsafe { T::multiply(out, a, b, sizes) }
}

/// The elements of a tile with two dimensions.
fn operand<T>(tile: &Tile) -> Operand<T> {
    let [rows, columns] = [0, 1].map(|axis| tile.layout().strides[axis]);
    Operand {
        first: tile.first().cast::<T>(),
        columns,
        rows,
    }
}

/// [`matmul`] of complex numbers as a build without the feature `linalg` does it, for tests.
///
/// # Panics
/// If the shapes or types do not fit, or a size is 0.
#[doc(hidden)]
pub fn multiply_parts(a: &Tile, b: &Tile, out: &mut Tile) {
    check_types(a, b, out);
    let sizes = [out.dims()[0], out.dims()[1], a.dims()[1]];
    assert!(a.dims() == [sizes[0], sizes[2]] && b.dims() == [sizes[2], sizes[1]]);
    assert!(sizes.iter().all(|size| *size > 0));
    // SAFETY: by the promises made for the tiles, which are not empty; the shapes fit.
    unsafe {
        match a.dtype() {
            DType::C64 => gemm::multiply_parts::<f32>(operand(out), operand(a), operand(b), sizes),
            DType::C128 => gemm::multiply_parts::<f64>(operand(out), operand(a), operand(b), sizes),
            other => unreachable!("{other} has no parts"),
        }
    }
}

/// # Safety
/// As [`float`].
unsafe fn plain<T: Ring>(a: &Tile, b: &Tile, out: &mut Tile, [m, n, k]: [usize; 3]) {
    let at = |tile: &Tile, i: usize, j: usize| {
        let steps = [tile.byte_stride(0), tile.byte_stride(1)];
        tile.first()
            .wrapping_offset(i as isize * steps[0] + j as isize * steps[1])
            .cast::<T>()
    };
    let b_step = b.layout().strides[1];
    let out_step = out.layout().strides[1];
    for i in 0..m {
        for l in 0..k {
            // SAFETY: the caller's promise; the indices are in the shapes.
            unsafe {
                let factor = at(a, i, l).read();
                let (row, to) = (at(b, l, 0), at(out, i, 0));
                for j in 0..n as isize {
                    let to = to.wrapping_offset(j * out_step);
                    let before = if l == 0 { T::ZERO } else { to.read() };
                    to.write(before.sum(factor.product(row.wrapping_offset(j * b_step).read())));
                }
            }
        }
    }
}
