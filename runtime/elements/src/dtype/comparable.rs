//! The order of values.

use super::Element;

/// Elements that can be compared: `bool`, integers and floats.
pub trait Comparable: Element + PartialOrd {
    /// The lower bound of all values except NaN: minus infinity for floats.
    const LOWEST: Self;
    /// The upper bound of all values except NaN: infinity for floats.
    const HIGHEST: Self;

    /// Returns the smaller value; NaN if one is NaN. Of zeros with different signs, returns the
    /// same as NumPy: `other` for `f32` and `f64`, `self` for `f16`.
    fn smaller(self, other: Self) -> Self;
    /// Returns the larger value, by the rules of [`smaller`](Self::smaller).
    fn larger(self, other: Self) -> Self;
    /// Returns [`smaller`](Self::smaller) of two values that are not NaN, in one instruction.
    #[inline(always)]
    fn smaller_number(self, other: Self) -> Self {
        if self < other { self } else { other }
    }
    /// Returns [`larger`](Self::larger) of two values that are not NaN, in one instruction.
    #[inline(always)]
    fn larger_number(self, other: Self) -> Self {
        if self > other { self } else { other }
    }
}

macro_rules! exact {
    ($($type:ty: $lowest:expr, $highest:expr;)*) => {
        $(impl Comparable for $type {
            const LOWEST: Self = $lowest;
            const HIGHEST: Self = $highest;

            #[inline(always)]
            fn smaller(self, other: Self) -> Self {
                Ord::min(self, other)
            }
            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                Ord::max(self, other)
            }
        })*
    };
}

exact! {
    bool: false, true;
    i8: i8::MIN, i8::MAX;
    i16: i16::MIN, i16::MAX;
    i32: i32::MIN, i32::MAX;
    i64: i64::MIN, i64::MAX;
    u8: u8::MIN, u8::MAX;
    u16: u16::MIN, u16::MAX;
    u32: u32::MIN, u32::MAX;
    u64: u64::MIN, u64::MAX;
}

macro_rules! float {
    ($($type:ty),*) => {
        $(impl Comparable for $type {
            const LOWEST: Self = <$type>::NEG_INFINITY;
            const HIGHEST: Self = <$type>::INFINITY;

            #[inline(always)]
            #[allow(clippy::eq_op, reason = "NaN is what differs from itself; this form becomes vector code")]
            fn smaller(self, other: Self) -> Self {
                if (self < other) | (self != self) { self } else { other }
            }
            #[inline(always)]
            #[allow(clippy::eq_op, reason = "NaN is what differs from itself; this form becomes vector code")]
            fn larger(self, other: Self) -> Self {
                if (self > other) | (self != self) { self } else { other }
            }
        })*
    };
}

float!(f32, f64);
