//! A clock that is cheap to read, to compare the parts of a kernel.

#![allow(unsafe_code, reason = "reads the processor's time stamp counter")]

use std::sync::LazyLock;

/// Returns the time of a steady clock, in an unspecified unit.
#[inline]
pub(crate) fn ticks() -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: every x86-64 processor has the instruction, and Linux lets programs use it.
        unsafe { std::arch::x86_64::_rdtsc() }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        use std::time::Instant;
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        START.elapsed().as_nanos() as u64
    }
}

/// Returns the time that a reading takes, in ticks: the minimum of some readings, since interrupts
/// only add to it.
pub(crate) fn cost() -> u64 {
    static COST: LazyLock<u64> = LazyLock::new(|| {
        let readings = (0..64).map(|_| {
            let before = ticks();
            ticks().saturating_sub(before)
        });
        readings.min().unwrap_or(0)
    });
    *COST
}
