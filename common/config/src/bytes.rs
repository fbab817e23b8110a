//! Numbers of bytes.

use std::fmt;

/// A number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

const MIB: u64 = 1 << 20;

impl Bytes {
    /// Creates a number of MiB, saturating.
    pub const fn mib(mib: u64) -> Self {
        Bytes(mib.saturating_mul(MIB))
    }

    /// Returns whole MiB, rounded down.
    pub const fn whole_mib(self) -> u64 {
        self.0 / MIB
    }
}

/// Formats a number as `134,217,728 (128 MiB)`.
impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} MiB)", grouped(self.0), grouped(self.whole_mib()))
    }
}

/// Formats a number with its decimal digits in groups of three: `1,048,576`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_sizes_with_units() {
        assert_eq!(Bytes::mib(128).to_string(), "134,217,728 (128 MiB)");
        assert_eq!(Bytes(0).to_string(), "0 (0 MiB)");
        assert_eq!(Bytes(999).to_string(), "999 (0 MiB)");
        assert_eq!(Bytes::mib(4096).to_string(), "4,294,967,296 (4,096 MiB)");
    }
}
