//! Products of stacks of matrices that are so small that a call for each, or the packing of a
//! factor, would take longer than the product.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use super::gemm::Operand;
use super::ring::Ring;
use crate::simd::{Vectorised, vectorised};

/// Maximum number of columns of a product.
const COLUMNS: usize = 8;

/// Maximum number of terms of an element.
const TERMS: usize = 16;

/// Maximum number of rows of a product.
const ROWS: usize = 16;

/// The matrices of a stack: the first one, and the step to the next in elements.
pub(super) struct Stack<T> {
    pub(super) first: Operand<T>,
    pub(super) step: isize,
}

/// Returns whether products of sizes `[m, n, k]` are computed here.
pub(super) fn are_tiny([m, n, k]: [usize; 3]) -> bool {
    m <= ROWS && n <= COLUMNS && k <= TERMS
}

/// Computes `count` products `out = a b` of sizes `[m, n, k]` with the bits of
/// [`blocked`](super::blocked): terms are added in order.
///
/// # Safety
/// The operands must hold elements at all their indices, and `out` must share none with the others.
/// The sizes must be [tiny](are_tiny).
pub(super) unsafe fn multiply<T: Ring>(
    out: &Stack<T>,
    a: &Stack<T>,
    b: &Stack<T>,
    sizes: [usize; 3],
    count: usize,
) {
    vectorised(Tiny {
        out,
        a,
        b,
        sizes,
        count,
    });
}

struct Tiny<'a, T> {
    out: &'a Stack<T>,
    a: &'a Stack<T>,
    b: &'a Stack<T>,
    sizes: [usize; 3],
    count: usize,
}

impl<T: Ring> Vectorised for Tiny<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        // SAFETY: the promises made for the operands.
        unsafe {
            match self.sizes[1] {
                1 => self.by_rows::<1>(),
                2 => self.by_rows::<2>(),
                3 => self.by_rows::<3>(),
                4 => self.by_rows::<4>(),
                5 => self.by_rows::<5>(),
                6 => self.by_rows::<6>(),
                7 => self.by_rows::<7>(),
                _ => self.by_rows::<COLUMNS>(),
            }
        }
    }
}

impl<T: Ring> Tiny<'_, T> {
    /// Multiplies matrices with `N` columns row by row.
    ///
    /// # Safety
    /// As [`multiply`].
    #[inline(always)]
    unsafe fn by_rows<const N: usize>(self) {
        let [m, _, k] = self.sizes;
        let dense = self.b.first.columns == 1;
        let mut right = [[T::ZERO; N]; TERMS];
        let mut number = 0;
        while number < self.count as isize {
            let start = |stack: &Stack<T>| stack.first.first.wrapping_offset(number * stack.step);
            let (a, b, out) = (start(self.a), start(self.b), start(self.out));
            let mut term = 0;
            while term < k {
                let row = b.wrapping_offset(term as isize * self.b.first.rows);
                // SAFETY: the caller's promise.
                unsafe {
                    if dense {
                        right[term] = row.cast::<[T; N]>().read();
                    } else {
                        let mut one = 0;
                        while one < N {
                            let from = row.wrapping_offset(one as isize * self.b.first.columns);
                            right[term][one] = from.read();
                            one += 1;
                        }
                    }
                }
                term += 1;
            }
            let mut row = 0;
            while row < m {
                let a = a.wrapping_offset(row as isize * self.a.first.rows);
                let mut sums = [T::ZERO; N];
                let mut term = 0;
                while term < k {
                    // SAFETY: the caller's promise.
                    let factor = unsafe {
                        a.wrapping_offset(term as isize * self.a.first.columns)
                            .read()
                    };
                    let mut one = 0;
                    while one < N {
                        sums[one] = sums[one].plus_product(factor, right[term][one]);
                        one += 1;
                    }
                    term += 1;
                }
                let to = out.wrapping_offset(row as isize * self.out.first.rows);
                // SAFETY: the caller's promise.
                unsafe {
                    if self.out.first.columns == 1 {
                        to.cast::<[T; N]>().write(sums);
                    } else {
                        let mut one = 0;
                        while one < N {
                            to.wrapping_offset(one as isize * self.out.first.columns)
                                .write(sums[one]);
                            one += 1;
                        }
                    }
                }
                row += 1;
            }
            number += 1;
        }
    }
}
