//! Products of a few rows and packed columns with AVX-512, whose results fill the registers.
//!
//! These are instructions by name, since the compiler keeps at most half as many results of a loop
//! in registers. Each result is the same sum as in [`blocked`](super::blocked).

#![allow(
    unsafe_code,
    reason = "instructions of a processor that was tested for, on operands by their addresses"
)]

use super::part::Part;
use super::ring::Ring;

/// The number of rows that are multiplied at a time: with two vectors of each they take 24 of 32
/// registers.
pub(super) const ROWS: usize = 12;

/// Whether this machine has instructions for elements of this type here.
#[inline(always)]
pub(super) fn are_used<T: Ring>() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use crate::dtype::DType;
        let is_float = const { matches!(T::DTYPE, DType::F32 | DType::F64) };
        is_float && crate::simd::has_avx512()
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Multiplies `R` rows by `W` strips, each of a vector's columns. The last one may have fewer.
///
/// # Safety
/// There must be as many rows and terms, and the columns of the part. [`are_used`] must be true.
#[inline(always)]
pub(super) unsafe fn multiply<T: Ring, const R: usize, const W: usize>(part: &Part<T>) {
    #[cfg(target_arch = "x86_64")]
    {
        use crate::dtype::DType;
        // SAFETY: the caller's promise; the elements have this type.
        unsafe {
            match T::DTYPE {
                DType::F32 => x86::f32_rows::<R, W>(&part.cast()),
                DType::F64 => x86::f64_rows::<R, W>(&part.cast()),
                _ => {}
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = part;
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;
    use std::array;

    use super::{Part, Ring};

    macro_rules! rows {
        (
            $name:ident, $T:ty, $lanes:literal, $zero:ident, $load:ident, $all:ident,
            $fused:ident, $store:ident
        ) => {
            /// # Safety
            /// See [`multiply`](super::multiply).
            #[target_feature(enable = "avx512f")]
            pub(super) unsafe fn $name<const R: usize, const W: usize>(part: &Part<$T>) {
                let mut sums = [[$zero(); W]; R];
                let rows: [isize; R] = array::from_fn(|row| row as isize * part.a_row);
                let next = part.terms * $lanes;
                let (mut a, mut b) = (part.a, part.b);
                for _ in 0..part.terms {
                    // SAFETY: the caller's promise; each strip has a vector for each term.
                    unsafe {
                        let mut strips = [$zero(); W];
                        let mut w = 0;
                        while w < W {
                            strips[w] = $load(b.add(w * next));
                            w += 1;
                        }
                        let mut row = 0;
                        while row < R {
                            let factor = $all(a.offset(rows[row]).read());
                            let mut w = 0;
                            while w < W {
                                sums[row][w] = $fused(factor, strips[w], sums[row][w]);
                                w += 1;
                            }
                            row += 1;
                        }
                    }
                    a = a.wrapping_offset(part.a_column);
                    b = b.wrapping_add($lanes);
                }
                // Results leave the registers here, in a loop that the compiler unrolls. Otherwise
                // it would keep them in memory throughout.
                let mut results = [[[0.0; $lanes]; W]; R];
                let mut row = 0;
                while row < R {
                    let mut w = 0;
                    while w < W {
                        // SAFETY: there is room for a vector.
                        unsafe { $store(results[row][w].as_mut_ptr(), sums[row][w]) };
                        w += 1;
                    }
                    row += 1;
                }
                for (row, results) in results.iter().enumerate() {
                    let to = part.out.wrapping_offset(row as isize * part.out_row);
                    let results = results.as_flattened();
                    // SAFETY: the caller's promise.
                    unsafe {
                        match part.out_column {
                            // The number of results is known to the compiler.
                            1 if part.columns == W * $lanes => add(results, to, 1, part.is_first),
                            1 => add(&results[..part.columns], to, 1, part.is_first),
                            step => add(&results[..part.columns], to, step, part.is_first),
                        }
                    }
                }
            }
        };
    }

    /// Writes results to elements that are `step` apart, or adds them.
    ///
    /// # Safety
    /// There must be as many elements.
    #[inline(always)]
    unsafe fn add<T: Ring>(results: &[T], to: *mut T, step: isize, is_first: bool) {
        for (one, result) in results.iter().enumerate() {
            let to = to.wrapping_offset(one as isize * step);
            // SAFETY: the caller's promise.
            unsafe {
                to.write(match is_first {
                    true => *result,
                    false => to.read().sum(*result),
                });
            }
        }
    }

    rows!(
        f64_rows,
        f64,
        8,
        _mm512_setzero_pd,
        _mm512_loadu_pd,
        _mm512_set1_pd,
        _mm512_fmadd_pd,
        _mm512_storeu_pd
    );
    rows!(
        f32_rows,
        f32,
        16,
        _mm512_setzero_ps,
        _mm512_loadu_ps,
        _mm512_set1_ps,
        _mm512_fmadd_ps,
        _mm512_storeu_ps
    );
}
