//! One loop compiled for several instruction sets, chosen while the program runs.
//!
//! The copies compute the same bits: Rust contracts a multiplication and an addition into one instruction only where the
//! program says `mul_add`, and if there is no such instruction the standard library computes what it would give.

#![allow(
    unsafe_code,
    reason = "calls a function compiled for an instruction set after testing for it"
)]

#[cfg(target_arch = "x86_64")]
use std::arch::is_x86_feature_detected;
#[cfg(target_arch = "x86_64")]
use std::sync::atomic::{AtomicU8, Ordering};

/// A loop to compile for each instruction set. `run` must be `#[inline(always)]`.
pub trait Vectorised {
    /// What the loop gives.
    type Output;

    /// The loop.
    fn run(self) -> Self::Output;
}

/// Runs the best copy of the loop for this machine.
#[inline(always)]
pub fn vectorised<V: Vectorised>(body: V) -> V::Output {
    vectorised_or(body, V::run)
}

/// Runs the best copy of the loop for this machine; on an x86-64 processor older than AVX2, `fallback`, which saves
/// compiling a copy of the loop that hardly any machine runs. `fallback` must compute the same bits.
#[inline(always)]
pub fn vectorised_or<V: Vectorised>(body: V, fallback: impl FnOnce(V) -> V::Output) -> V::Output {
    // Apart from the callers, which would each have a copy of it.
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

/// As [`vectorised`]; on an x86-64 processor older than AVX2, gives the loop back.
///
/// # Errors
/// The loop.
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
            // SAFETY: the instruction sets were found.
            AVX512 => Ok(unsafe { with_avx512(body) }),
            // SAFETY: the instruction sets were found.
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

/// The copy of loops that this machine runs. One byte, because each of hundreds of loops looks at it: the standard library
/// asks for every set of instructions alone.
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
