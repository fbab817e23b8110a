//! The product of a matrix and a vector.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use std::mem::MaybeUninit;

use super::check_types;
use super::dot::{ROWS, dot_block, dot_rows};
use super::ring::{Ring, with_ring};
use crate::Tile;
use crate::dtype::DType;
use crate::order::{BLOCK, Pairwise, gather};
use crate::strip::{STRIP, Steps, Strip, fold_strip};

/// `out = a x` for `a` of shape (m, k), `x` of shape (k), `out` of shape (m), which shares no element with the others.
///
/// A row's result depends on that row and `x` alone.
///
/// # Panics
/// If the shapes or types do not fit.
pub fn matvec(a: &Tile, x: &Tile, out: &mut Tile) {
    check_types(a, x, out);
    let &[rows, terms] = a.dims() else {
        unreachable!("a matrix has two dimensions");
    };
    assert_eq!(x.dims(), [terms], "the vector fits the matrix");
    assert_eq!(out.dims(), [rows], "the result has an element for each row");
    let operands = Operands {
        a: a.first(),
        down: a.byte_stride(0),
        right: a.byte_stride(1),
        x: x.first(),
        x_step: x.byte_stride(0),
        out: out.first(),
        out_step: out.byte_stride(0),
        rows,
        terms,
    };
    with_ring!(a.dtype(), T => {
        // SAFETY: by the promises made for the tiles.
        unsafe {
            if operands.right.unsigned_abs() > operands.down.unsigned_abs() && rows > 1 {
                by_columns::<T>(&operands);
            } else {
                by_rows::<T>(&operands);
            }
        }
    });
}

/// The addresses of the operands, and their steps in bytes.
struct Operands {
    a: *const u8,
    down: isize,
    right: isize,
    x: *const u8,
    x_step: isize,
    out: *mut u8,
    out_step: isize,
    rows: usize,
    terms: usize,
}

impl Operands {
    /// # Safety
    /// `row` is a row of the result, which has type `T`.
    unsafe fn write<T>(&self, row: usize, value: T) {
        // SAFETY: the caller's promise.
        unsafe {
            self.out
                .wrapping_offset(row as isize * self.out_step)
                .cast::<T>()
                .write(value)
        };
    }
}

/// # Safety
/// The operands are as promised for their tiles, and of type `T`.
unsafe fn by_rows<T: Ring>(operands: &Operands) {
    let mut a_scratch = [const { MaybeUninit::<T>::uninit() }; BLOCK];
    let mut x_scratch = [const { MaybeUninit::<T>::uninit() }; BLOCK];
    // Several rows at a time for the types that large products are of.
    let mut done = 0;
    if const { matches!(T::DTYPE, DType::F32 | DType::F64) }
        && operands.right == size_of::<T>() as isize
    {
        done = operands.rows / ROWS * ROWS;
        for row in (0..done).step_by(ROWS) {
            // SAFETY: the caller's promise; so many rows follow, and their elements are neighbours.
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

/// [`ROWS`] rows from `row` on.
///
/// # Safety
/// As [`by_rows`]; the rows are there, and the elements of a row are neighbours.
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

/// Elements that lie `step` bytes apart as a slice: as they lie, or copied.
///
/// # Safety
/// There are as many elements of type `T` as `scratch` has, and nothing writes them while the slice is used.
unsafe fn dense<T: Ring>(at: *const u8, step: isize, scratch: &mut [MaybeUninit<T>]) -> &[T] {
    // SAFETY: the caller's promise.
    unsafe {
        if step == size_of::<T>() as isize {
            return std::slice::from_raw_parts(at.cast::<T>(), scratch.len());
        }
        gather(at, step, scratch)
    }
}

/// Many rows at a time, for matrices whose columns lie denser than their rows.
///
/// # Safety
/// As [`by_rows`].
unsafe fn by_columns<T: Ring>(operands: &Operands) {
    let steps = Steps {
        start: T::ZERO,
        row: |i: usize| {
            // SAFETY: the caller's promise; strips are as long as the vector.
            unsafe {
                operands
                    .x
                    .wrapping_offset(i as isize * operands.x_step)
                    .cast::<T>()
                    .read()
            }
        },
        step: |acc: T, a: T, x: T| acc.sum(a.product(x)),
        join: T::sum,
    };
    for first in (0..operands.rows).step_by(STRIP) {
        let strip = Strip {
            at: operands.a.wrapping_offset(first as isize * operands.down),
            width: STRIP.min(operands.rows - first),
            across: operands.down,
            count: operands.terms,
            along: operands.right,
        };
        // SAFETY: the caller's promise.
        unsafe { fold_strip(strip, steps, |w, total| operands.write(first + w, total)) };
    }
}
