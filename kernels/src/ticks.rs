//! A clock that is cheap to read, for weighing parts of a kernel against each other.

#![allow(unsafe_code, reason = "reads the processor's time stamp counter")]

/// Ticks of a steady clock, of no stated unit.
#[inline]
pub(crate) fn ticks() -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: every x86-64 processor has the instruction, and Linux lets programs use it.
        unsafe { std::arch::x86_64::_rdtsc() }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        use std::sync::LazyLock;
        use std::time::Instant;
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        START.elapsed().as_nanos() as u64
    }
}
