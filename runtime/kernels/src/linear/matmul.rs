//! The product of two matrices.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use super::gemm::{self, Factor, Operand};
use super::ring::Ring;
use super::{blocked, check_types, tiny};
use crate::dtype::{Complex, DType, Scalar, with_integer};
use crate::{Tile, elementwise};

/// Computes `out = a b` for `a` of shape (m, k), `b` of shape (k, n) and `out` of shape (m, n),
/// which shares no element with the others.
///
/// Floats and complex numbers are multiplied by the crates of `gemm`, or by `blocked` for floats
/// with a small factor or few terms, on this thread only. The order of terms depends on the shapes,
/// the memory layouts and the machine's vector instructions. The error of an element is at most
/// `k u S` to first order, where `S` is the sum of the magnitudes of its terms.
///
/// # Panics
/// Panics if the shapes or types do not fit.
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
    multiply(a, b, out, [m, n, k], 1);
}

/// Computes the products of `count` pairs of matrices of sizes `[m, n, k]`, along the first axis of
/// tiles with three axes.
pub(super) fn multiply(a: &Tile, b: &Tile, out: &mut Tile, sizes: [usize; 3], count: usize) {
    let [m, n, k] = sizes;
    if k == 0 {
        return elementwise::fill(Scalar::zero(out.dtype()), out);
    }
    if m == 0 || n == 0 || count == 0 {
        return;
    }
    // SAFETY: by the promises made for the tiles, which are not empty; the shapes fit.
    unsafe {
        match a.dtype() {
            DType::F32 => float::<f32>(a, b, out, sizes, count),
            DType::F64 => float::<f64>(a, b, out, sizes, count),
            DType::C64 => whole::<Complex<f32>>(a, b, out, sizes, count),
            DType::C128 => whole::<Complex<f64>>(a, b, out, sizes, count),
            DType::Bool => in_blocks::<bool>(a, b, out, sizes, count),
            other => with_integer!(other, T => in_blocks::<T>(a, b, out, sizes, count),
                else unreachable!("products of {other} are made in a wider type")),
        }
    }
}

/// The number of multiplications below which a call of the crates of `gemm` takes longer than the
/// product.
const FEW: usize = 1 << 9;

/// The most elements of a right factor that stays in registers while rows of the left one pass.
const TINY: usize = 32;

/// The most rows of a left factor with which a right one of many columns is streamed.
const THIN: usize = 16;

/// The minimum number of columns of a wide right factor.
const WIDE: usize = 512;

/// The fewest rows for which a packed right factor pays.
const FEW_ROWS: usize = 6;

/// The fewest terms for which that pays.
const FEW_TERMS: usize = 16;

/// The number of multiplications from which on `blocked` takes the place of the crates of `gemm`,
/// which take long to begin, and the most of them.
const LITTLE: usize = 1 << 15;
const SOME: usize = 1 << 21;

/// The most columns of a product for which fewer multiplications are enough: `gemm` computes more
/// of them.
const NARROW: usize = 8;

/// The most bytes of the right factor of such a product. From 128 KiB on, its packed copy would
/// take new pages from the operating system each time.
const CACHED: usize = 96 << 10;

/// Whether `blocked` adds the terms of each element in the order of the crates of `gemm`. These add
/// few results from contiguous rows and columns in another order, and begin with the last term if
/// rows of the right factor lie backwards.
fn keeps_bits(a: &Tile, b: &Tile, out: &Tile, [m, n, k]: [usize; 3]) -> bool {
    let stride = |tile: &Tile, before: usize| tile.layout().strides[tile.dims().len() - before];
    let is_by_dots = m * n <= 256 && stride(a, 1) == 1 && stride(b, 2) == 1;
    cfg!(target_arch = "x86_64")
        && k <= blocked::TERMS
        && n > 1
        && stride(out, 1) == 1
        && stride(b, 2) > 0
        && !is_by_dots
}

/// # Safety
/// The tiles must have the type `T` and the sizes [m, n, k], none of which may be 0.
unsafe fn float<T: Factor + Ring>(a: &Tile, b: &Tile, out: &Tile, sizes: [usize; 3], count: usize) {
    let [m, n, k] = sizes;
    let last = b.dims().len() - 1;
    let (steps, bytes) = (m * n * k, n * k * size_of::<T>());
    let is_small = m >= FEW_ROWS
        && k >= FEW_TERMS
        && steps <= SOME
        && (steps > LITTLE || n <= NARROW)
        && bytes <= CACHED
        && keeps_bits(a, b, out, sizes);
    let is_streamed = m <= THIN && n >= WIDE && k > 4 && b.layout().strides[last] == 1;
    // SAFETY: the caller's promise.
    unsafe {
        match (is_small || is_streamed || steps <= FEW || n * k <= TINY) && fuses() {
            true => in_blocks::<T>(a, b, out, sizes, count),
            false => whole::<T>(a, b, out, sizes, count),
        }
    }
}

/// Whether this machine has the instructions that [`blocked`] needs for floats.
fn fuses() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        crate::simd::has_avx2()
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        cfg!(target_arch = "aarch64")
    }
}

/// Multiplies by the crates of `gemm`.
///
/// # Safety
/// See [`float`].
unsafe fn whole<T: Factor>(a: &Tile, b: &Tile, out: &Tile, sizes: [usize; 3], count: usize) {
    for number in 0..count {
        let [a, b, out] = [a, b, out].map(|tile| operand(tile, number));
        // SAFETY: the caller's promise.
        unsafe { T::multiply(out, a, b, sizes) }
    }
}

/// # Safety
/// See [`float`].
unsafe fn in_blocks<T: Ring>(a: &Tile, b: &Tile, out: &Tile, sizes: [usize; 3], count: usize) {
    if tiny::are_tiny(sizes) {
        let [a, b, out] = [a, b, out].map(|tile| tiny::Stack {
            first: operand(tile, 0),
            step: step(tile),
        });
        // SAFETY: the caller's promise.
        return unsafe { tiny::multiply::<T>(&out, &a, &b, sizes, count) };
    }
    let mut packed = blocked::Packed::new();
    for number in 0..count {
        let [a, b, out] = [a, b, out].map(|tile| operand(tile, number));
        // SAFETY: the caller's promise.
        unsafe { blocked::multiply::<T>(&out, &a, &b, sizes, &mut packed) }
    }
}

/// Returns a tile with two dimensions, or one of the matrices of a tile with three, as an operand.
fn operand<T>(tile: &Tile, number: usize) -> Operand<T> {
    let strides = tile.layout().strides;
    let stack = tile.dims().len() - 2;
    let before = number as isize * step(tile);
    Operand {
        first: tile.first().cast::<T>().wrapping_offset(before),
        columns: strides[stack + 1],
        rows: strides[stack],
    }
}

/// Returns the step between the matrices of a tile in elements; 0 for one matrix.
fn step(tile: &Tile) -> isize {
    match tile.dims().len() {
        3 => tile.layout().strides[0],
        _ => 0,
    }
}

/// Computes [`matmul`] of complex numbers like a build without the feature `linalg`, for tests.
///
/// # Panics
/// Panics if the shapes or types do not fit, or a size is 0.
#[doc(hidden)]
pub fn multiply_parts(a: &Tile, b: &Tile, out: &mut Tile) {
    check_types(a, b, out);
    let sizes = [out.dims()[0], out.dims()[1], a.dims()[1]];
    assert!(a.dims() == [sizes[0], sizes[2]] && b.dims() == [sizes[2], sizes[1]]);
    assert!(sizes.iter().all(|size| *size > 0));
    // SAFETY: by the promises made for the tiles, which are not empty; the shapes fit.
    unsafe {
        match a.dtype() {
            DType::C64 => {
                gemm::multiply_parts::<f32>(operand(out, 0), operand(a, 0), operand(b, 0), sizes)
            }
            DType::C128 => {
                gemm::multiply_parts::<f64>(operand(out, 0), operand(a, 0), operand(b, 0), sizes)
            }
            other => unreachable!("{other} has no parts"),
        }
    }
}
