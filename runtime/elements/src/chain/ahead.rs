//! Outputs that come from memory are fetched a block ahead.

#![allow(unsafe_code, reason = "prefetches by address")]

use std::fs;
use std::sync::LazyLock;

/// Bytes of the second cache where the machine does not say: what most processors have.
const USUAL: usize = 1 << 20;

/// Bytes of a core's second cache. A tile at least as large was pushed out of it since it was written last.
pub(super) fn second_cache() -> usize {
    static BYTES: LazyLock<usize> = LazyLock::new(|| {
        let text = fs::read_to_string("/sys/devices/system/cpu/cpu0/cache/index2/size");
        text.ok().and_then(|text| bytes(&text)).unwrap_or(USUAL)
    });
    *BYTES
}

/// `1024K` in bytes.
fn bytes(text: &str) -> Option<usize> {
    let kibibytes = text.trim().strip_suffix('K')?;
    kibibytes.parse::<usize>().ok()?.checked_mul(1 << 10)
}

/// Has the processor fetch so many bytes to be written, if they are there. Without AVX2 it fetches nothing.
#[inline]
pub(super) fn fetch(at: *const u8, bytes: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    let lines = match crate::simd::has_avx2() {
        true => bytes.div_ceil(64),
        false => 0,
    };
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    for line in 0..lines {
        // Not the prefetch for reading: such a line has to be asked for again before it is written.
        // SAFETY: a prefetch reads and writes nothing, and of an address without memory it does nothing. Processors with AVX2 have the
        // instruction, or take it as none.
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
