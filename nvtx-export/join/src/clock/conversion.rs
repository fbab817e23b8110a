//! The linear conversion from one clock to another.

use weft_trace::time::Timestamp;

/// `to = from + offset + drift * (from - origin)`. Results that do not fit 64 bits saturate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Conversion {
    /// The time at which the offset holds, on the clock to convert from.
    pub origin: i64,
    /// The difference at the origin, in ns.
    pub offset: i64,
    /// The change of the difference per nanosecond since the origin. It is above -1.
    pub drift: f64,
}

impl Conversion {
    /// Returns the conversion that adds `offset` nanoseconds.
    pub const fn shift(offset: i64) -> Self {
        Conversion {
            origin: 0,
            offset,
            drift: 0.0,
        }
    }

    /// Returns a time on the clock to convert to.
    pub fn apply(&self, from: Timestamp) -> Timestamp {
        Timestamp::from_nanos_since_session_start(self.nanos(from.nanos()))
    }

    pub(super) fn nanos(&self, from: i64) -> i64 {
        let since = (i128::from(from) - i128::from(self.origin)) as f64;
        // Infinite and undefined products become the limits of i64, and 0.
        let drifted = i128::from((self.drift * since).round() as i64);
        clamp(i128::from(from) + i128::from(self.offset) + drifted)
    }

    /// Returns the opposite conversion.
    pub fn inverse(&self) -> Self {
        Conversion {
            origin: self.origin.saturating_add(self.offset),
            offset: self.offset.saturating_neg(),
            drift: -self.drift / (1.0 + self.drift),
        }
    }

    /// Returns this conversion followed by `next`.
    pub fn then(&self, next: &Conversion) -> Self {
        if *self == Conversion::default() {
            return *next;
        }
        let there = next.nanos(self.nanos(self.origin));
        Conversion {
            origin: self.origin,
            offset: clamp(i128::from(there) - i128::from(self.origin)),
            drift: self.drift + next.drift + self.drift * next.drift,
        }
    }
}

fn clamp(nanos: i128) -> i64 {
    nanos.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(nanos: i64) -> Timestamp {
        Timestamp::from_nanos_since_boot(nanos)
    }

    #[test]
    fn saturates_out_of_range_instants() {
        let far = Conversion {
            origin: i64::MIN,
            offset: i64::MAX,
            drift: 1e300,
        };
        assert_eq!(far.apply(at(i64::MAX)).nanos(), i64::MAX);
        let back = Conversion::shift(i64::MIN);
        assert_eq!(back.apply(at(i64::MIN)).nanos(), i64::MIN);
        assert_eq!(back.apply(at(i64::MAX)).nanos(), -1);
        assert_eq!(back.inverse().offset, i64::MAX);
    }

    proptest! {
        #[test]
        fn inverse_conversion_restores_the_instant(
            origin in -1i64 << 61..1 << 61,
            offset in -1i64 << 60..1 << 60,
            drift in -200e-6f64..200e-6,
            since in -4_000_000_000_000i64..4_000_000_000_000,
        ) {
            let there = Conversion { origin, offset, drift };
            let from = at(origin + since);
            let back = there.inverse().apply(there.apply(from));
            prop_assert!((back - from).0.abs() <= 2, "{} {}", back, from);
            let none = there.then(&there.inverse()).apply(from);
            prop_assert!((none - from).0.abs() <= 2, "{} {}", none, from);
        }

        #[test]
        fn chained_conversions_match_their_composition(
            offsets in prop::array::uniform2(-1i64 << 50..1 << 50),
            drifts in prop::array::uniform2(-200e-6f64..200e-6),
            from in -4_000_000_000_000i64..4_000_000_000_000,
        ) {
            let [first, second] = [0, 1].map(|n| Conversion { origin: 0, offset: offsets[n], drift: drifts[n] });
            let apart = second.apply(first.apply(at(from)));
            let both = first.then(&second).apply(at(from));
            prop_assert!((both - apart).0.abs() <= 2);
        }
    }
}
