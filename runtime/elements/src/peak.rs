//! Measurement of a thread's peak speed of floating-point arithmetic.

#![allow(
    unsafe_code,
    reason = "calls functions compiled for an instruction set after testing for it"
)]

use std::hint::black_box;

/// The number of multiplications and additions of each number in one call.
const STEPS: u64 = 8192;

/// The number of vectors that are computed at a time. It is large enough that no multiplication
/// waits for the one before it (on two units with a latency of five cycles), and small enough for
/// 16 registers.
const VECTORS: usize = 12;

/// The factor of each multiplication. With [`TERM`] values stay near 1, since products of very
/// small numbers are slow.
const FACTOR: f64 = 0.999;
const TERM: f64 = 0.001;

/// Computes with `f64` numbers in the widest vectors that kernels use on this machine, and returns
/// the number of operations.
pub fn doubles() -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        if crate::simd::has_avx512() {
            // SAFETY: the instruction set was just detected.
            return unsafe { x86::doubles_of_512() };
        }
        if crate::simd::has_avx2() {
            // SAFETY: the instruction sets were just detected.
            return unsafe { x86::doubles_of_256() };
        }
    }
    plain::<f64, 2>(FACTOR, TERM, |number, factor, term| {
        #[cfg(target_arch = "aarch64")]
        return number.mul_add(factor, term);
        // Fused only if there is such an instruction: the standard library's emulation is slow.
        #[cfg(not(target_arch = "aarch64"))]
        return number * factor + term;
    })
}

/// Computes with `f32` numbers in the widest vectors that kernels use on this machine, and returns
/// the number of operations.
pub fn singles() -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        if crate::simd::has_avx512() {
            // SAFETY: the instruction set was just detected.
            return unsafe { x86::singles_of_512() };
        }
        if crate::simd::has_avx2() {
            // SAFETY: the instruction sets were just detected.
            return unsafe { x86::singles_of_256() };
        }
    }
    let (factor, term) = (FACTOR as f32, TERM as f32);
    plain::<f32, 4>(factor, term, |number, factor, term| {
        #[cfg(target_arch = "aarch64")]
        return number.mul_add(factor, term);
        #[cfg(not(target_arch = "aarch64"))]
        return number * factor + term;
    })
}

/// Returns the number of operations on `numbers` numbers at a time.
const fn count(numbers: usize) -> u64 {
    2 * STEPS * numbers as u64
}

/// Computes without vectors of a certain width: `LANES` numbers at a time, as most processors have
/// in one vector.
fn plain<T: Copy + From<u8>, const LANES: usize>(
    factor: T,
    term: T,
    step: impl Fn(T, T, T) -> T,
) -> u64 {
    let mut numbers = black_box([[T::from(1); LANES]; VECTORS]);
    let (factor, term) = black_box((factor, term));
    for _ in 0..STEPS {
        for number in numbers.iter_mut().flatten() {
            *number = step(*number, factor, term);
        }
    }
    black_box(numbers);
    count(VECTORS * LANES)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{FACTOR, STEPS, TERM, VECTORS, count};
    use std::arch::x86_64::{
        _mm256_fmadd_pd, _mm256_fmadd_ps, _mm256_set1_pd, _mm256_set1_ps, _mm512_fmadd_pd,
        _mm512_fmadd_ps, _mm512_set1_pd, _mm512_set1_ps,
    };
    use std::hint::black_box;

    macro_rules! fused {
        ($($name:ident $features:literal: $float:ty, $lanes:literal, $set:ident, $fused:ident;)*) => {$(
            #[target_feature(enable = $features)]
            pub(super) fn $name() -> u64 {
                let mut numbers = [$set(black_box(1.0)); VECTORS];
                let factor = $set(black_box(FACTOR as $float));
                let term = $set(black_box(TERM as $float));
                for _ in 0..STEPS {
                    for number in &mut numbers {
                        *number = $fused(*number, factor, term);
                    }
                }
                black_box(numbers);
                count(VECTORS * $lanes)
            }
        )*};
    }

    fused! {
        doubles_of_512 "avx512f": f64, 8, _mm512_set1_pd, _mm512_fmadd_pd;
        singles_of_512 "avx512f": f32, 16, _mm512_set1_ps, _mm512_fmadd_ps;
        doubles_of_256 "avx2,fma": f64, 4, _mm256_set1_pd, _mm256_fmadd_pd;
        singles_of_256 "avx2,fma": f32, 8, _mm256_set1_ps, _mm256_fmadd_ps;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_operations_by_vector_width() {
        assert_eq!(doubles() * 2, singles());
        assert_eq!(doubles() % count(VECTORS), 0);
        let plain = plain::<f64, 2>(FACTOR, TERM, |a, b, c| a * b + c);
        assert_eq!(plain, 2 * STEPS * 2 * VECTORS as u64);
    }

    #[test]
    #[ignore = "prints how fast this machine is"]
    fn measures_peak_speed() {
        for (name, what) in [("f64", doubles as fn() -> u64), ("f32", singles)] {
            let best = (0..2000)
                .map(|_| {
                    let begin = std::time::Instant::now();
                    let count = what();
                    count as f64 / begin.elapsed().as_nanos() as f64
                })
                .fold(0.0, f64::max);
            println!("{name}: {best:.1} GFLOP/s");
        }
    }
}
