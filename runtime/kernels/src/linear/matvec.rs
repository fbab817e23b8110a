//! The product of a matrix and a vector.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use std::mem::MaybeUninit;

use super::check_types;
use super::columns::by_columns;
use super::dot::{PAIRS, ROWS, dot_block, dot_pairs, dot_rows};
use super::operands::{Operands, dense};
use super::ring::{Ring, with_ring};
use super::short::each_short_row;
use crate::Tile;
use crate::dtype::DType;
use crate::order::{BLOCK, Pairwise};

/// Computes `out = a x` for `a` of shape (m, k), `x` of shape (k) and `out` of shape (m), which
/// shares no element with the others.
///
/// The result of a row depends only on that row and `x`.
///
/// # Panics
/// Panics if the shapes or types do not fit.
pub fn matvec(a: &Tile, x: &Tile, out: &mut Tile) {
    check_types(a, x, out);
    let &[rows, terms] = a.dims() else {
        unreachable!("a matrix has two dimensions");
    };
    assert_eq!(x.dims(), [terms], "the vector fits the matrix");
    assert_eq!(out.dims(), [rows], "the result has an element for each row");
    let operands = Operands::new(a, x, out, [rows, terms], [0; 3]);
    with_ring!(a.dtype(), T => {
        // SAFETY: by the promises made for the tiles.
        unsafe { multiply::<T>(&operands) }
    });
}

/// Computes the product of each matrix of a stack with its own vector: `a` of shape (p, m, k),
/// `x` of shape (p, k), `out` of shape (p, m), which shares no element with the others. Each result
/// has the bits of [`matvec`].
///
/// # Panics
/// Panics if the shapes or types do not fit.
pub fn matvecs(a: &Tile, x: &Tile, out: &mut Tile) {
    check_types(a, x, out);
    let &[count, rows, terms] = a.dims() else {
        unreachable!("a stack of matrices has three dimensions");
    };
    assert_eq!(x.dims(), [count, terms], "the vectors fit the matrices");
    assert_eq!(out.dims(), [count, rows], "a result for each row");
    let size = a.dtype().size() as isize;
    let is_dense = a.byte_stride(2) == size && x.byte_stride(1) == size;
    let mut done = 0;
    if rows == 1 && is_dense && (1..=BLOCK).contains(&terms) {
        done = count / PAIRS * PAIRS;
        with_ring!(a.dtype(), T => {
            for number in (0..done).step_by(PAIRS) {
                // SAFETY: by the promises made for the tiles, whose lines have no gaps.
                unsafe { some_pairs::<T>(a, x, out, number, terms) };
            }
        });
    }
    for number in done..count {
        let at = [a, x, out].map(|tile| tile.byte_stride(0) * number as isize);
        let operands = Operands::new(a, x, out, [rows, terms], at);
        with_ring!(a.dtype(), T => {
            // SAFETY: by the promises made for the tiles.
            unsafe { multiply::<T>(&operands) }
        });
    }
}

/// Multiplies [`PAIRS`] matrices of one row with their vectors, from `number` on.
///
/// # Safety
/// The promises of the tiles must hold. They must be of type `T`, and hold these matrices and
/// vectors of `terms` elements without gaps.
unsafe fn some_pairs<T: Ring>(a: &Tile, x: &Tile, out: &Tile, number: usize, terms: usize) {
    let at = |tile: &Tile, pair: usize| {
        let step = tile.byte_stride(0);
        let at = tile
            .first()
            .wrapping_offset(step * (number + pair) as isize);
        at.cast::<T>()
    };
    // SAFETY: the caller's promise.
    let line = |tile: &Tile, pair| unsafe { std::slice::from_raw_parts(at(tile, pair), terms) };
    let sums = dot_pairs(std::array::from_fn(|pair| [line(a, pair), line(x, pair)]));
    for (pair, sum) in sums.into_iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe { at(out, pair).write(sum) };
    }
}

/// The number of terms from which rows of a small matrix are multiplied several at a time.
const LONG_ROWS: usize = 64;

/// # Safety
/// The promises of the operands' tiles must hold, and the tiles must be of type `T`.
unsafe fn multiply<T: Ring>(operands: &Operands) {
    // SAFETY: the caller's promise.
    unsafe {
        let by_terms = operands.right.unsigned_abs() > operands.down.unsigned_abs();
        if (by_terms && operands.rows > 1) || is_windows::<T>(operands) {
            by_columns::<T>(operands);
        } else {
            by_rows::<T>(operands);
        }
    }
}

/// Whether the rows are windows of one dense vector, of at most a block of terms. Their terms
/// are dense too, and need no additions across a vector register.
fn is_windows<T: Ring>(operands: &Operands) -> bool {
    let size = size_of::<T>() as isize;
    let is_float = const { matches!(T::DTYPE, DType::F32 | DType::F64) };
    is_float
        && operands.right == size
        && operands.down == size
        && operands.terms <= BLOCK
        && operands.rows >= ROWS
}

/// # Safety
/// The promises of the operands' tiles must hold, and the tiles must be of type `T`.
unsafe fn by_rows<T: Ring>(operands: &Operands) {
    let size = size_of::<T>() as isize;
    if operands.x_step != size && operands.rows > 1 {
        let mut x = vec![T::ZERO; operands.terms];
        for (number, to) in x.iter_mut().enumerate() {
            let at = operands
                .x
                .wrapping_offset(number as isize * operands.x_step);
            // SAFETY: the caller's promise.
            *to = unsafe { at.cast::<T>().read() };
        }
        let copied = Operands {
            x: x.as_ptr().cast(),
            x_step: size,
            ..*operands
        };
        // SAFETY: the caller's promise; the copy is the vector.
        return unsafe { by_rows::<T>(&copied) };
    }
    let mut a_scratch = [const { MaybeUninit::<T>::uninit() }; BLOCK];
    let mut x_scratch = [const { MaybeUninit::<T>::uninit() }; BLOCK];
    // Several rows at a time, for the types of large products.
    let mut done = 0;
    let is_float = const { matches!(T::DTYPE, DType::F32 | DType::F64) };
    let is_near = operands.terms >= LONG_ROWS && Operands::are_near(operands.rows, operands.down);
    let is_some = is_float && is_near && operands.right == size && operands.rows >= ROWS;
    if operands.rows > 1 && operands.terms <= BLOCK && !is_some {
        // SAFETY: the caller's promise; the elements of the vector are contiguous.
        return unsafe { short_rows::<T>(operands) };
    }
    if is_float && operands.right == size {
        done = operands.rows / ROWS * ROWS;
        for row in (0..done).step_by(ROWS) {
            // SAFETY: the caller's promise; [`ROWS`] rows follow, and their elements are
            // contiguous.
            unsafe { some_rows::<T>(operands, row, &mut x_scratch) };
        }
    }
    for row in done..operands.rows {
        let first = operands.a.wrapping_offset(row as isize * operands.down);
        let mut total = Pairwise::new();
        for start in (0..operands.terms).step_by(BLOCK) {
            let count = BLOCK.min(operands.terms - start);
            let at = |base: *const u8, step: isize| base.wrapping_offset(step * start as isize);
            // SAFETY: the caller's promise; the block lies in the row and in the vector.
            let (a, x) = unsafe {
                let a = at(first, operands.right);
                let x = at(operands.x, operands.x_step);
                (
                    dense(a, operands.right, &mut a_scratch[..count]),
                    dense(x, operands.x_step, &mut x_scratch[..count]),
                )
            };
            total.push(dot_block(a, x), T::sum);
        }
        // SAFETY: the caller's promise.
        unsafe { operands.write(row, total.finish(T::sum).unwrap_or(T::ZERO)) };
    }
}

/// Multiplies rows of one block, whose results need not be joined.
///
/// # Safety
/// As for [`by_rows`]. The elements of the vector must be contiguous, and at most [`BLOCK`].
unsafe fn short_rows<T: Ring>(operands: &Operands) {
    // SAFETY: the caller's promise.
    unsafe {
        let x = std::slice::from_raw_parts(operands.x.cast::<T>(), operands.terms);
        let row = |row: usize| {
            operands
                .a
                .wrapping_offset(row as isize * operands.down)
                .cast::<T>()
        };
        let step = operands.right / size_of::<T>() as isize;
        each_short_row(row, step, x, operands.rows, |row, value| {
            operands.write(row, value)
        });
    }
}

/// Multiplies [`ROWS`] rows from `row` on.
///
/// # Safety
/// As for [`by_rows`]. The rows must exist, and the elements of a row must be contiguous.
unsafe fn some_rows<T: Ring>(
    operands: &Operands,
    row: usize,
    x_scratch: &mut [MaybeUninit<T>; BLOCK],
) {
    let first = operands.a.wrapping_offset(row as isize * operands.down);
    let mut totals = [const { Pairwise::new() }; ROWS];
    for start in (0..operands.terms).step_by(BLOCK) {
        let count = BLOCK.min(operands.terms - start);
        let x = operands.x.wrapping_offset(operands.x_step * start as isize);
        let a = |row: usize| {
            let at = first.wrapping_offset(row as isize * operands.down);
            at.cast::<T>().wrapping_add(start)
        };
        // SAFETY: the caller's promise; the block lies in the rows and in the vector.
        let sums = unsafe {
            let x = dense(x, operands.x_step, &mut x_scratch[..count]);
            let rows = std::array::from_fn(|row| std::slice::from_raw_parts(a(row), count));
            dot_rows(rows, x)
        };
        for (total, sum) in totals.iter_mut().zip(sums) {
            total.push(sum, T::sum);
        }
    }
    for (number, total) in totals.iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe { operands.write(row + number, total.finish(T::sum).unwrap_or(T::ZERO)) };
    }
}
