//! Operands of products of a matrix and a vector.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use std::mem::MaybeUninit;

use super::ring::Ring;
use crate::Tile;
use crate::order::gather;

/// The largest matrix that is read in an order that suits the registers instead of memory, in
/// bytes: it fits in the L2 cache.
const NEAR: usize = 1 << 18;

/// The addresses of the operands, and their steps in bytes.
pub(super) struct Operands {
    pub(super) a: *const u8,
    pub(super) down: isize,
    pub(super) right: isize,
    pub(super) x: *const u8,
    pub(super) x_step: isize,
    pub(super) out: *mut u8,
    pub(super) out_step: isize,
    pub(super) rows: usize,
    pub(super) terms: usize,
}

impl Operands {
    /// Returns the operands for the last axes of tiles, which are those of a matrix and of vectors,
    /// at byte offsets `at` from the tiles' first elements.
    pub(super) fn new(
        a: &Tile,
        x: &Tile,
        out: &Tile,
        [rows, terms]: [usize; 2],
        at: [isize; 3],
    ) -> Operands {
        let last = |tile: &Tile, back: usize| tile.byte_stride(tile.dims().len() - back);
        Operands {
            a: a.first().wrapping_offset(at[0]),
            down: last(a, 2),
            right: last(a, 1),
            x: x.first().wrapping_offset(at[1]),
            x_step: last(x, 1),
            out: out.first().wrapping_offset(at[2]),
            out_step: last(out, 1),
            rows,
            terms,
        }
    }

    /// Whether `count` lines that are `step` bytes apart fit in the L2 cache.
    pub(super) fn are_near(count: usize, step: isize) -> bool {
        count.saturating_mul(step.unsigned_abs()) <= NEAR
    }

    /// # Safety
    /// `row` must be a row of the result, which must have type `T`.
    pub(super) unsafe fn write<T>(&self, row: usize, value: T) {
        // SAFETY: the caller's promise.
        unsafe {
            self.out
                .wrapping_offset(row as isize * self.out_step)
                .cast::<T>()
                .write(value)
        };
    }
}

/// Returns elements that are `step` bytes apart as a slice, in place or copied.
///
/// # Safety
/// There must be as many elements of type `T` as `scratch` has, and nothing may write them while
/// the slice is used.
pub(super) unsafe fn dense<T: Ring>(
    at: *const u8,
    step: isize,
    scratch: &mut [MaybeUninit<T>],
) -> &[T] {
    // SAFETY: the caller's promise.
    unsafe {
        if step == size_of::<T>() as isize {
            return std::slice::from_raw_parts(at.cast::<T>(), scratch.len());
        }
        gather(at, step, scratch)
    }
}
