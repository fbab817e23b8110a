//! Products of two matrices by blocks. They are used for integers, and for floats if one factor is
//! so small that it stays in a cache and the other one is read once, in place.
//!
//! A block of the right factor is packed into strips as wide as a vector register, padded with
//! zeros. The block is then multiplied by a few rows of the left factor at a time, with their
//! results in registers.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use super::fetch::fetch;
use super::gemm::Operand;
use super::part::Part;
use super::registers;
use super::ring::Ring;
use crate::simd::{Vectorised, vectorised};

/// The number of terms of a block.
pub(super) const TERMS: usize = 256;

/// The number of columns of a block: with [`TERMS`] rows of `f64` it takes half of an L2 cache.
const COLUMNS: usize = 256;

/// The number of rows of the left factor that are multiplied at a time. Their results take one
/// vector register of 64 bytes, or two of 32, and leave registers for the factors.
const ROWS: usize = 6;

/// The number of strips of a row that are prefetched at a time.
const LONG: usize = 8;

/// The packed block of a call, kept between calls of a stack.
pub(super) type Packed<T> = Vec<T>;

/// Computes `out = a b` for sizes `[m, n, k]`. Terms are added in order, [`TERMS`] at a time.
///
/// # Safety
/// The operands must hold elements at all their indices, and `out` must share none with the others.
/// No size may be 0.
pub(super) unsafe fn multiply<T: Ring>(
    out: &Operand<T>,
    a: &Operand<T>,
    b: &Operand<T>,
    [m, n, k]: [usize; 3],
    packed: &mut Packed<T>,
) {
    let lanes = const { lanes(size_of::<T>()) };
    let length = k.min(TERMS) * n.min(COLUMNS).next_multiple_of(lanes);
    if packed.len() < length {
        packed.resize(length, T::ZERO);
    }
    vectorised(Blocked {
        out,
        a,
        b,
        sizes: [m, n, k],
        packed,
    });
}

/// Returns the number of elements of a strip.
const fn lanes(size: usize) -> usize {
    match size {
        1 => 64,
        2 => 32,
        4 => 16,
        8 => 8,
        _ => 4,
    }
}

struct Blocked<'a, T> {
    out: &'a Operand<T>,
    a: &'a Operand<T>,
    b: &'a Operand<T>,
    sizes: [usize; 3],
    packed: &'a mut [T],
}

impl<T: Ring> Vectorised for Blocked<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        // SAFETY: the promises made for the operands.
        unsafe {
            match const { lanes(size_of::<T>()) } {
                64 => self.by_strips::<64, 32, 16>(),
                32 => self.by_strips::<32, 16, 8>(),
                16 => self.by_strips::<16, 8, 4>(),
                8 => self.by_strips::<8, 4, 2>(),
                _ => self.by_strips::<4, 2, 1>(),
            }
        }
    }
}

impl<T: Ring> Blocked<'_, T> {
    /// Multiplies by strips of `C` columns. The last one of a block has `H` or `Q` if no more are
    /// left.
    ///
    /// # Safety
    /// As [`multiply`]; `C` is [`lanes`] of the type.
    #[inline(always)]
    unsafe fn by_strips<const C: usize, const H: usize, const Q: usize>(mut self) {
        let [_, n, k] = self.sizes;
        let mut column = 0;
        while column < n {
            let columns = COLUMNS.min(n - column);
            let mut term = 0;
            while term < k {
                let terms = TERMS.min(k - term);
                // SAFETY: the caller's promise; the block lies in the right factor and fits what
                // was reserved.
                unsafe { self.pack::<C, H, Q>([term, terms], [column, columns]) };
                let at = [term, column];
                // SAFETY: the caller's promise, and as above.
                unsafe {
                    match registers::are_used::<T>() {
                        true => self.by_registers::<C>(at, terms, columns),
                        false => self.by_rows::<C, H, Q>(at, terms, columns),
                    }
                }
                term += terms;
            }
            column += columns;
        }
    }

    /// Multiplies all rows by the packed block, which begins at a term and a column.
    ///
    /// # Safety
    /// As [`by_strips`](Self::by_strips); the block lies within the factor and is packed.
    #[inline(always)]
    unsafe fn by_rows<const C: usize, const H: usize, const Q: usize>(
        &self,
        at: [usize; 2],
        terms: usize,
        columns: usize,
    ) {
        let m = self.sizes[0];
        let mut row = 0;
        while row < m {
            let rows = match m - row {
                0..2 => 1,
                2..ROWS => 2,
                _ => ROWS,
            };
            let mut strip = 0;
            while strip < columns {
                let part = self.part(row, at, terms, strip, C.min(columns - strip));
                // SAFETY: the caller's promise; the block lies within the matrix.
                unsafe {
                    match (rows, width::<C, H, Q>(part.columns)) {
                        (ROWS, wide) if wide == C => part.multiply::<ROWS, C, C>(),
                        (ROWS, wide) if wide == H => part.multiply::<ROWS, H, C>(),
                        (ROWS, _) => part.multiply::<ROWS, Q, C>(),
                        (2, wide) if wide == C => part.multiply::<2, C, C>(),
                        (2, wide) if wide == H => part.multiply::<2, H, C>(),
                        (2, _) => part.multiply::<2, Q, C>(),
                        (_, wide) if wide == C => part.multiply::<1, C, C>(),
                        (_, wide) if wide == H => part.multiply::<1, H, C>(),
                        _ => part.multiply::<1, Q, C>(),
                    }
                }
                strip += C;
            }
            row += rows;
        }
    }

    /// Does what [`by_rows`](Self::by_rows) does, with instructions for more rows and columns.
    ///
    /// # Safety
    /// As [`by_rows`](Self::by_rows); [`registers::are_used`] must be true.
    #[inline(always)]
    unsafe fn by_registers<const C: usize>(&self, at: [usize; 2], terms: usize, columns: usize) {
        const MANY: usize = registers::ROWS;
        let m = self.sizes[0];
        let mut row = 0;
        while row < m {
            let rows = match m - row {
                0..2 => 1,
                2..4 => 2,
                4..MANY => 4,
                _ => MANY,
            };
            let mut strip = 0;
            while strip < columns {
                let part = self.part(row, at, terms, strip, (2 * C).min(columns - strip));
                // SAFETY: the caller's promise; the block lies within the matrix.
                unsafe {
                    match (rows, part.columns > C) {
                        (MANY, true) => registers::multiply::<T, MANY, 2>(&part),
                        (MANY, false) => registers::multiply::<T, MANY, 1>(&part),
                        (4, true) => registers::multiply::<T, 4, 2>(&part),
                        (4, false) => registers::multiply::<T, 4, 1>(&part),
                        (2, true) => registers::multiply::<T, 2, 2>(&part),
                        (2, false) => registers::multiply::<T, 2, 1>(&part),
                        (_, true) => registers::multiply::<T, 1, 2>(&part),
                        (_, false) => registers::multiply::<T, 1, 1>(&part),
                    }
                }
                strip += 2 * C;
            }
            row += rows;
        }
    }

    /// Returns the rows from `row`, with columns of the packed block from `strip`.
    #[inline(always)]
    fn part(
        &self,
        row: usize,
        [term, column]: [usize; 2],
        terms: usize,
        strip: usize,
        columns: usize,
    ) -> Part<T> {
        Part {
            a: self.a.at(row, term),
            a_row: self.a.rows,
            a_column: self.a.columns,
            b: self.packed[strip * terms..].as_ptr(),
            terms,
            out: self.out.at(row, column + strip),
            out_row: self.out.rows,
            out_column: self.out.columns,
            columns,
            is_first: term == 0,
        }
    }

    /// Copies a block of the right factor: for each strip its rows, one after the other. Zeros
    /// follow the columns of a strip up to its [`width`].
    ///
    /// # Safety
    /// The block must be inside of the factor.
    #[inline(always)]
    unsafe fn pack<const C: usize, const H: usize, const Q: usize>(
        &mut self,
        [term, terms]: [usize; 2],
        [column, columns]: [usize; 2],
    ) {
        let mut strip = 0;
        while strip < columns {
            let count = C.min(columns - strip);
            let wide = width::<C, H, Q>(count);
            let to = &mut self.packed[strip * terms..][..terms * C];
            let mut row = 0;
            while row < terms {
                // Rows of the factor may be far apart, and this strip of each is only a cache line
                // or two.
                if strip % (LONG * C) == 0 {
                    let ahead = self.b.at(term + row, column + strip + LONG * C);
                    fetch(ahead.cast(), LONG * C * size_of::<T>());
                }
                let from = self.b.at(term + row, column + strip);
                let to = &mut to[row * C..][..C];
                // SAFETY: the caller's promise.
                unsafe {
                    if count == C && self.b.columns == 1 {
                        to.as_mut_ptr()
                            .cast::<[T; C]>()
                            .write(from.cast::<[T; C]>().read());
                    } else {
                        let mut one = 0;
                        while one < count {
                            to[one] = from.wrapping_offset(one as isize * self.b.columns).read();
                            one += 1;
                        }
                        to[count..wide].fill(T::ZERO);
                    }
                }
                row += 1;
            }
            strip += C;
        }
    }
}

/// Returns the number of columns with which a strip of `columns` is multiplied.
#[inline(always)]
const fn width<const C: usize, const H: usize, const Q: usize>(columns: usize) -> usize {
    match columns {
        few if few <= Q => Q,
        some if some <= H => H,
        _ => C,
    }
}
