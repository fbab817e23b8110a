//! Instants and their clocks.

#[cfg(target_os = "linux")]
mod monotonic;

#[cfg(target_os = "linux")]
pub use monotonic::{now, sample_clocks, wall_now};

use std::fmt;
use std::ops::{Add, Sub};

/// An instant: nanoseconds since the reference of its clock. May be negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// Creates an instant on the machine's monotonic clock (nanoseconds since boot,
    /// CLOCK_MONOTONIC).
    pub const fn from_nanos_since_boot(nanos: i64) -> Self {
        Timestamp(nanos)
    }

    /// Creates an instant on the wall clock (nanoseconds since 1970-01-01 UTC, CLOCK_REALTIME).
    pub const fn from_nanos_since_epoch(nanos: i64) -> Self {
        Timestamp(nanos)
    }

    /// Creates an instant of an Nsight Systems session (nanoseconds since its analysis start).
    pub const fn from_nanos_since_session_start(nanos: i64) -> Self {
        Timestamp(nanos)
    }

    /// Creates an instant of a Legion Prof file (nanoseconds since its ZeroTime).
    pub const fn from_nanos_since_legion_zero(nanos: i64) -> Self {
        Timestamp(nanos)
    }

    /// Returns the nanoseconds since the reference.
    pub const fn nanos(self) -> i64 {
        self.0
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A duration in nanoseconds. Signed: the difference of two instants can be negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nanos(pub i64);

impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Sub for Timestamp {
    type Output = Nanos;
    fn sub(self, earlier: Timestamp) -> Nanos {
        Nanos(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Nanos> for Timestamp {
    type Output = Timestamp;
    fn add(self, length: Nanos) -> Timestamp {
        Timestamp(self.0.saturating_add(length.0))
    }
}

impl Add for Nanos {
    type Output = Nanos;
    fn add(self, other: Nanos) -> Nanos {
        Nanos(self.0.saturating_add(other.0))
    }
}
