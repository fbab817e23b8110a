//! One loop compiled for several instruction sets, chosen while the program runs.
//!
//! The copies compute the same bits: Rust contracts no multiplication and addition into one instruction.

#![allow(
    unsafe_code,
    reason = "calls a function compiled for an instruction set after testing for it"
)]

/// A loop to compile for each instruction set. `run` must be `#[inline(always)]`.
pub(super) trait Vectorised {
    /// What the loop gives.
    type Output;

    /// The loop.
    fn run(self) -> Self::Output;
}

/// Runs the best copy of the loop for this machine.
#[inline(always)]
pub(super) fn vectorised<V: Vectorised>(body: V) -> V::Output {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn with_avx2<V: Vectorised>(body: V) -> V::Output {
            body.run()
        }

        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the instruction set was just found.
            return unsafe { with_avx2(body) };
        }
    }
    body.run()
}
