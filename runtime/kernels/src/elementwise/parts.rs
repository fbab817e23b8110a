//! Parts of floats and their neighbours, read off their bits.

use crate::dtype::{Float, f16};

/// A float whose bits are known.
pub(super) trait Parts: Float {
    /// The next number in the direction of another one, which is returned if both are equal.
    fn next_after(self, to: Self) -> Self;
    /// The distance to the next number away from 0, with the sign of this one; NaN for infinities
    /// and NaN.
    fn spacing(self) -> Self;
    /// The number without its whole part, with its sign.
    fn fraction(self) -> Self;
    /// The number divided by a power of 2, from 0.5 up to 1; 0, infinities and NaN unchanged.
    fn mantissa(self) -> Self;
    /// The exponent of that power; 0 for 0, infinities and NaN.
    fn exponent(self) -> i32;
}

macro_rules! parts {
    ($($type:ident, $bits:ident, $digits:literal, $bias:literal, $scale:literal;)*) => {
        $(impl Parts for $type {
            #[inline(always)]
            fn next_after(self, to: $type) -> $type {
                const SIGN: $bits = 1 << ($bits::BITS - 1);
                let bits = self.to_bits();
                let grows = (self < to) == (self > 0.0);
                let moved = if grows { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
                let moved = if self == 0.0 { (to.to_bits() & SIGN) | 1 } else { moved };
                let value = if self == to { to } else { $type::from_bits(moved) };
                if self.is_nan() | to.is_nan() { self + to } else { value }
            }
            #[inline(always)]
            fn spacing(self) -> $type {
                let size = self.abs();
                let distance = $type::from_bits(size.to_bits().wrapping_add(1)) - size;
                let distance = if self < 0.0 { -distance } else { distance };
                if size < $type::INFINITY { distance } else { $type::NAN }
            }
            #[inline(always)]
            fn fraction(self) -> $type {
                let rest = self - self.trunc();
                let rest = if self.abs() == $type::INFINITY { 0.0 } else { rest };
                rest.copysign(self)
            }
            #[inline(always)]
            fn mantissa(self) -> $type {
                const EXPONENT: $bits = (($bias << 1) | 1) << $digits;
                let is_subnormal = self.abs() < $type::MIN_POSITIVE;
                let scaled = if is_subnormal { self * $scale } else { self };
                let value = $type::from_bits((scaled.to_bits() & !EXPONENT) | (($bias - 1) << $digits));
                if self != 0.0 && self.abs() < $type::INFINITY { value } else { self }
            }
            #[inline(always)]
            fn exponent(self) -> i32 {
                let is_subnormal = self.abs() < $type::MIN_POSITIVE;
                let scaled = if is_subnormal { self * $scale } else { self };
                let biased = (scaled.to_bits() >> $digits) as i32 & (($bias << 1) | 1);
                let shift = if is_subnormal { $digits + 2 } else { 0 };
                let exponent = biased - ($bias - 1) - shift;
                if self != 0.0 && self.abs() < $type::INFINITY { exponent } else { 0 }
            }
        })*
    };
}

parts! {
    f32, u32, 23, 127, 33_554_432.0;
    f64, u64, 52, 1023, 18_014_398_509_481_984.0;
}

/// [`next_after`](Parts::next_after), but returns the first of two equal numbers, as NumPy does for
/// `f16`.
pub(super) fn half_next_after(x: f16, y: f16) -> f16 {
    let bits = x.to_bits();
    if x.is_nan() || y.is_nan() {
        f16::NAN
    } else if x == y {
        x
    } else if x == f16::ZERO {
        f16::from_bits((y.to_bits() & 0x8000) | 1)
    } else if (x < y) == (x > f16::ZERO) {
        f16::from_bits(bits + 1)
    } else {
        f16::from_bits(bits - 1)
    }
}

/// The distance to the next larger number, as in NumPy for `f16`.
pub(super) fn half_spacing(x: f16) -> f16 {
    if !x.is_finite() {
        return f16::NAN;
    }
    let next = half_next_after(x, f16::INFINITY);
    f16::from_f32(next.to_f32() - x.to_f32())
}
