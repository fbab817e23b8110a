//! Prefetches of memory in runs that are too short for the processor to predict.

/// The size of a cache line in bytes.
pub(super) const LINE: usize = 64;

/// Prefetches the cache lines of `bytes` bytes from `at` on. Invalid addresses are harmless.
#[inline(always)]
pub(super) fn fetch(at: *const u8, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        // If `at` is inside of a line, the last bytes are in one more.
        let (at, end) = (at.wrapping_sub(at.addr() % LINE), at.addr() % LINE + bytes);
        let mut line = 0;
        while line < end {
            // Every processor of this kind has the instruction, which accesses nothing.
            #[allow(unsafe_code, reason = "the intrinsic takes any address")]
            // SAFETY: every processor of this kind has the instruction, which accesses nothing.
            unsafe {
                use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
                _mm_prefetch::<_MM_HINT_T1>(at.wrapping_add(line).cast());
            }
            line += LINE;
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (at, bytes, LINE);
}
