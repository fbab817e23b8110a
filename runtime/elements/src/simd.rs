//! Loops that are compiled for several instruction sets, one of which is chosen at run time.
//!
//! All copies compute the same bits. Rust fuses a multiplication and an addition only if the
//! program uses `mul_add`, and without such an instruction the standard library computes the same
//! result.

#![allow(
    unsafe_code,
    reason = "calls a function compiled for an instruction set after testing for it"
)]

#[cfg(target_arch = "x86_64")]
use std::arch::is_x86_feature_detected;
#[cfg(target_arch = "x86_64")]
use std::sync::atomic::{AtomicU8, Ordering};

/// A loop that is compiled for each instruction set. `run` must be `#[inline(always)]`.
pub trait Vectorised {
    /// The result of the loop.
    type Output;

    /// Runs the loop.
    fn run(self) -> Self::Output;
}

/// Runs the best copy of the loop for this machine.
#[inline(always)]
pub fn vectorised<V: Vectorised>(body: V) -> V::Output {
    vectorised_or(body, V::run)
}

/// Runs the best copy of the loop for this machine. On an x86-64 processor without AVX2 it runs
/// `fallback`, which must compute the same bits. This saves compiling a copy of the loop that
/// hardly any machine uses.
#[inline(always)]
pub fn vectorised_or<V: Vectorised>(body: V, fallback: impl FnOnce(V) -> V::Output) -> V::Output {
    // A separate function, since every caller would have a copy of it.
    #[cold]
    #[inline(never)]
    fn apart<V: Vectorised>(body: V, fallback: impl FnOnce(V) -> V::Output) -> V::Output {
        fallback(body)
    }

    match try_vectorised(body) {
        Ok(output) => output,
        Err(body) => apart(body, fallback),
    }
}

/// Runs the loop as [`vectorised`] does, or returns it on an x86-64 processor without AVX2.
///
/// # Errors
/// Returns the loop itself.
#[inline(always)]
pub fn try_vectorised<V: Vectorised>(body: V) -> Result<V::Output, V> {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,fma")]
        fn with_avx2<V: Vectorised>(body: V) -> V::Output {
            body.run()
        }

        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
        fn with_avx512<V: Vectorised>(body: V) -> V::Output {
            body.run()
        }

        match unit() {
            // SAFETY: the instruction sets were detected.
            AVX512 => Ok(unsafe { with_avx512(body) }),
            // SAFETY: the instruction sets were detected.
            AVX2 => Ok(unsafe { with_avx2(body) }),
            _ => Err(body),
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        Ok(body.run())
    }
}

#[cfg(target_arch = "x86_64")]
const NEITHER: u8 = 1;
#[cfg(target_arch = "x86_64")]
const AVX2: u8 = 2;
#[cfg(target_arch = "x86_64")]
const AVX512: u8 = 3;

/// Returns the copy of loops for this machine. The answer is one byte, since each of hundreds of
/// loops reads it: the standard library checks every instruction set separately.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn unit() -> u8 {
    static UNIT: AtomicU8 = AtomicU8::new(0);

    #[cold]
    #[inline(never)]
    fn find() -> u8 {
        let unit = if has_avx512() {
            AVX512
        } else if has_avx2() {
            AVX2
        } else {
            NEITHER
        };
        UNIT.store(unit, Ordering::Relaxed);
        unit
    }

    match UNIT.load(Ordering::Relaxed) {
        0 => find(),
        unit => unit,
    }
}

/// Whether this machine has AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

/// Whether this machine has the parts of AVX-512 that loops are compiled for.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("fma")
}
