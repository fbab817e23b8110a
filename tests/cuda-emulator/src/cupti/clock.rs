//! The clock of the emulated GPUs. Its zero differs from the host's clocks, and it gains 20 us a
//! second.
#![allow(unsafe_code, reason = "asks the system for the time")]

/// The clock's time when the host's was 0: near the time since 1970, but different.
const OFFSET: u64 = 1_234_567_890_123_456_789;
/// Nanoseconds of the host in which it gains one.
const DRIFT: u64 = 50_000;

/// Its time, in ns.
pub(crate) fn now() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the struct is writable.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    let host = time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64;
    at(host)
}

/// Returns its time when the host's monotonic clock shows `host`, in ns.
pub(crate) fn at(host: u64) -> u64 {
    OFFSET + host + host / DRIFT
}
