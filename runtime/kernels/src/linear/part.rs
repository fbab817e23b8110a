//! Products of a few rows and packed columns.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through their addresses"
)]

use super::ring::Ring;

/// Some rows of the left factor, and a packed strip or two of the right one.
pub(super) struct Part<T> {
    pub(super) a: *const T,
    pub(super) a_row: isize,
    pub(super) a_column: isize,
    pub(super) b: *const T,
    pub(super) terms: usize,
    pub(super) out: *mut T,
    pub(super) out_row: isize,
    pub(super) out_column: isize,
    pub(super) columns: usize,
    /// Whether nothing was written to the results yet.
    pub(super) is_first: bool,
}

impl<T: Ring> Part<T> {
    /// Returns the same part with elements of the type `U`.
    #[inline(always)]
    pub(super) fn cast<U>(&self) -> Part<U> {
        Part {
            a: self.a.cast(),
            a_row: self.a_row,
            a_column: self.a_column,
            b: self.b.cast(),
            terms: self.terms,
            out: self.out.cast(),
            out_row: self.out_row,
            out_column: self.out_column,
            columns: self.columns,
            is_first: self.is_first,
        }
    }

    /// Multiplies `R` rows by the first `W` columns of a strip of `C`.
    ///
    /// # Safety
    /// There must be as many rows, terms and columns.
    #[inline(always)]
    pub(super) unsafe fn multiply<const R: usize, const W: usize, const C: usize>(self) {
        let mut sums = [[T::ZERO; W]; R];
        let (mut a, mut b) = (self.a, self.b);
        let mut term = 0;
        while term < self.terms {
            // SAFETY: the caller's promise.
            unsafe {
                let strip = b.cast::<[T; W]>().read();
                let mut row = 0;
                while row < R {
                    let factor = a.wrapping_offset(row as isize * self.a_row).read();
                    let mut one = 0;
                    while one < W {
                        sums[row][one] = sums[row][one].plus_product(factor, strip[one]);
                        one += 1;
                    }
                    row += 1;
                }
            }
            a = a.wrapping_offset(self.a_column);
            b = b.wrapping_add(C);
            term += 1;
        }
        let mut row = 0;
        while row < R {
            let to = self.out.wrapping_offset(row as isize * self.out_row);
            // SAFETY: the caller's promise.
            unsafe {
                if self.columns == W && self.out_column == 1 {
                    let to = to.cast::<[T; W]>();
                    if !self.is_first {
                        let before = to.read();
                        let mut one = 0;
                        while one < W {
                            sums[row][one] = before[one].sum(sums[row][one]);
                            one += 1;
                        }
                    }
                    to.write(sums[row]);
                } else {
                    let mut one = 0;
                    while one < W {
                        if one < self.columns {
                            let to = to.wrapping_offset(one as isize * self.out_column);
                            let sum = sums[row][one];
                            to.write(match self.is_first {
                                true => sum,
                                false => to.read().sum(sum),
                            });
                        }
                        one += 1;
                    }
                }
            }
            row += 1;
        }
    }
}
