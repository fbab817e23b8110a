//! Prefetching of outputs, one block ahead.

#![allow(unsafe_code, reason = "prefetches by address")]

use std::fs;
use std::sync::LazyLock;

/// The size of the L2 cache in bytes if the machine does not report it; common to most processors.
const USUAL: usize = 1 << 20;

/// Returns the size of a core's L2 cache in bytes. A tile at least as large was evicted since it
/// was last written.
pub(super) fn second_cache() -> usize {
    static BYTES: LazyLock<usize> = LazyLock::new(|| {
        let text = fs::read_to_string("/sys/devices/system/cpu/cpu0/cache/index2/size");
        text.ok().and_then(|text| bytes(&text)).unwrap_or(USUAL)
    });
    *BYTES
}

/// Parses a size such as `1024K` into bytes.
fn bytes(text: &str) -> Option<usize> {
    let kibibytes = text.trim().strip_suffix('K')?;
    kibibytes.parse::<usize>().ok()?.checked_mul(1 << 10)
}

/// Prefetches `bytes` bytes for writing, if the memory exists. Does nothing without AVX2.
#[inline]
pub(super) fn fetch(at: *const u8, bytes: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    let lines = match crate::simd::has_avx2() {
        true => bytes.div_ceil(64),
        false => 0,
    };
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    for line in 0..lines {
        // A prefetch for reading does not help: writing requests such a line again.
        // SAFETY: a prefetch neither reads nor writes, and has no effect on an address without
        // memory. Processors with AVX2 have the instruction, or treat it as a no-op.
        unsafe {
            std::arch::asm!(
                "prefetchw [{}]",
                in(reg) at.wrapping_add(line * 64),
                options(nostack, preserves_flags),
            );
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    {
        _ = (at, bytes);
    }
}
