//! Arithmetic of the element types, with NumPy's rules where Rust's would panic or differ.

use super::Element;

/// Elements with arithmetic: everything but `bool`. Integers wrap; division by integer zero gives 0.
pub trait Number: Element {
    /// The smallest value: of floats, minus infinity.
    const LOWEST: Self;
    /// The largest value: of floats, infinity.
    const HIGHEST: Self;

    /// Addition.
    fn plus(self, other: Self) -> Self;
    /// Subtraction.
    fn minus(self, other: Self) -> Self;
    /// Multiplication.
    fn times(self, other: Self) -> Self;
    /// The quotient rounded to minus infinity.
    fn floor_divide(self, other: Self) -> Self;
    /// The remainder with the sign of `other`, as Python's `%`.
    fn remainder(self, other: Self) -> Self;
    /// `self` to the power `other`. An integer to a negative power is the exact value truncated to an integer
    /// (0, except for 1 and -1), and 0 to a negative power is 0.
    fn power(self, other: Self) -> Self;
    /// Minus `self`.
    fn negative(self) -> Self;
    /// The distance from zero; of the most negative integer, itself.
    fn absolute(self) -> Self;
    /// -1, 0 or 1; NaN of NaN.
    fn sign(self) -> Self;
    /// `1 / self`; of integers truncated, and 0 of 0.
    fn reciprocal(self) -> Self;
    /// The smaller one; NaN if one is NaN. Of equals, `self`.
    fn minimum(self, other: Self) -> Self;
    /// The larger one; NaN if one is NaN. Of equals, `self`.
    fn maximum(self, other: Self) -> Self;
    /// Whether the value is NaN; false for integers.
    fn is_not_a_number(self) -> bool;
}

/// Integers, signed or not.
pub trait Integer: Number {
    /// Bitwise and.
    fn bit_and(self, other: Self) -> Self;
    /// Bitwise or.
    fn bit_or(self, other: Self) -> Self;
    /// Bitwise exclusive or.
    fn bit_xor(self, other: Self) -> Self;
    /// Every bit inverted.
    fn bit_not(self) -> Self;
    /// Bits shifted to the left; 0 where `other` is negative or not below the width.
    fn shift_left(self, other: Self) -> Self;
    /// Bits shifted to the right, keeping the sign; where `other` is negative or not below the width, 0 or -1 by the
    /// sign of `self`.
    fn shift_right(self, other: Self) -> Self;
}

/// Floating-point numbers.
pub trait Float: Number + num_traits::Float {
    /// Division.
    fn divide(self, other: Self) -> Self;
    /// The nearest integer, halves to the even one.
    fn round_half_even(self) -> Self;
    /// The smaller one, ignoring a NaN if the other is a number.
    fn fmin(self, other: Self) -> Self;
    /// The larger one, ignoring a NaN if the other is a number.
    fn fmax(self, other: Self) -> Self;
}

macro_rules! integer {
    ($($type:ty, $absolute:expr, $sign:expr, $floor_divide:expr, $remainder:expr, $invert:expr);* $(;)?) => {
        $(impl Number for $type {
            const LOWEST: Self = <$type>::MIN;
            const HIGHEST: Self = <$type>::MAX;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn floor_divide(self, other: Self) -> Self {
                if other == 0 {
                    return 0;
                }
                $floor_divide(self, other)
            }
            #[inline(always)]
            fn remainder(self, other: Self) -> Self {
                if other == 0 {
                    return 0;
                }
                $remainder(self, other)
            }
            #[inline]
            fn power(self, other: Self) -> Self {
                #[allow(unused_comparisons, reason = "always false for the unsigned types")]
                if other < 0 {
                    return $invert(self, other);
                }
                let (mut result, mut base, mut exponent) = (1 as $type, self, other);
                while exponent != 0 {
                    if exponent & 1 == 1 {
                        result = result.wrapping_mul(base);
                    }
                    base = base.wrapping_mul(base);
                    exponent >>= 1;
                }
                result
            }
            #[inline(always)]
            fn negative(self) -> Self {
                self.wrapping_neg()
            }
            #[inline(always)]
            fn absolute(self) -> Self {
                $absolute(self)
            }
            #[inline(always)]
            fn sign(self) -> Self {
                $sign(self)
            }
            #[inline(always)]
            fn reciprocal(self) -> Self {
                if self == 0 { 0 } else { (1 as $type).wrapping_div(self) }
            }
            #[inline(always)]
            fn minimum(self, other: Self) -> Self {
                Ord::min(self, other)
            }
            #[inline(always)]
            fn maximum(self, other: Self) -> Self {
                Ord::max(self, other)
            }
            #[inline(always)]
            fn is_not_a_number(self) -> bool {
                false
            }
        }

        impl Integer for $type {
            #[inline(always)]
            fn bit_and(self, other: Self) -> Self {
                self & other
            }
            #[inline(always)]
            fn bit_or(self, other: Self) -> Self {
                self | other
            }
            #[inline(always)]
            fn bit_xor(self, other: Self) -> Self {
                self ^ other
            }
            #[inline(always)]
            fn bit_not(self) -> Self {
                !self
            }
            #[inline(always)]
            fn shift_left(self, other: Self) -> Self {
                if (other as u64) < u64::from(<$type>::BITS) { self.wrapping_shl(other as u32) } else { 0 }
            }
            #[inline(always)]
            fn shift_right(self, other: Self) -> Self {
                #[allow(unused_comparisons, reason = "always false for the unsigned types")]
                if (other as u64) < u64::from(<$type>::BITS) {
                    self.wrapping_shr(other as u32)
                } else if self < 0 {
                    !0
                } else {
                    0
                }
            }
        })*
    };
}

macro_rules! floor_divide_signed {
    ($type:ty) => {
        |a: $type, b: $type| {
            let quotient = a.wrapping_div(b);
            let uneven = a.wrapping_rem(b) != 0 && (a < 0) != (b < 0);
            quotient - <$type>::from(uneven)
        }
    };
}

macro_rules! remainder_signed {
    ($type:ty) => {
        |a: $type, b: $type| {
            let remainder = a.wrapping_rem(b);
            if remainder != 0 && (remainder < 0) != (b < 0) {
                remainder + b
            } else {
                remainder
            }
        }
    };
}

macro_rules! invert_signed {
    ($type:ty) => {
        |base: $type, exponent: $type| match base {
            1 => 1,
            -1 if exponent & 1 == 0 => 1,
            -1 => -1,
            _ => 0,
        }
    };
}

integer!(
    i32, i32::wrapping_abs, i32::signum, floor_divide_signed!(i32), remainder_signed!(i32), invert_signed!(i32);
    i64, i64::wrapping_abs, i64::signum, floor_divide_signed!(i64), remainder_signed!(i64), invert_signed!(i64);
    u32, |a| a, |a: u32| a.min(1), |a: u32, b: u32| a / b, |a: u32, b: u32| a % b, |_, _| 0;
    u64, |a| a, |a: u64| a.min(1), |a: u64, b: u64| a / b, |a: u64, b: u64| a % b, |_, _| 0;
);

macro_rules! float {
    ($($type:ty),*) => {
        $(impl Number for $type {
            const LOWEST: Self = <$type>::NEG_INFINITY;
            const HIGHEST: Self = <$type>::INFINITY;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }
            #[inline]
            fn floor_divide(self, other: Self) -> Self {
                if other == 0.0 {
                    return self / other;
                }
                let remainder = self % other;
                let mut quotient = (self - remainder) / other;
                if remainder != 0.0 && (other < 0.0) != (remainder < 0.0) {
                    quotient -= 1.0;
                }
                if quotient == 0.0 {
                    return (0.0 as $type).copysign(self / other);
                }
                // The quotient is an integer up to rounding: take the nearest, not the one below.
                let floor = quotient.floor();
                if quotient - floor > 0.5 { floor + 1.0 } else { floor }
            }
            #[inline]
            fn remainder(self, other: Self) -> Self {
                let remainder = self % other;
                if other == 0.0 {
                    remainder
                } else if remainder == 0.0 {
                    (0.0 as $type).copysign(other)
                } else if (other < 0.0) != (remainder < 0.0) {
                    remainder + other
                } else {
                    remainder
                }
            }
            #[inline]
            fn power(self, other: Self) -> Self {
                if other == 2.0 { self * self } else { self.powf(other) }
            }
            #[inline(always)]
            fn negative(self) -> Self {
                -self
            }
            #[inline(always)]
            fn absolute(self) -> Self {
                <$type>::abs(self)
            }
            #[inline(always)]
            fn sign(self) -> Self {
                if self > 0.0 {
                    1.0
                } else if self < 0.0 {
                    -1.0
                } else if self == 0.0 {
                    0.0
                } else {
                    self
                }
            }
            #[inline(always)]
            fn reciprocal(self) -> Self {
                1.0 / self
            }
            #[inline(always)]
            #[allow(clippy::eq_op, reason = "NaN is what differs from itself; this form becomes vector code")]
            fn minimum(self, other: Self) -> Self {
                if (self <= other) | (self != self) { self } else { other }
            }
            #[inline(always)]
            #[allow(clippy::eq_op, reason = "NaN is what differs from itself; this form becomes vector code")]
            fn maximum(self, other: Self) -> Self {
                if (self >= other) | (self != self) { self } else { other }
            }
            #[inline(always)]
            fn is_not_a_number(self) -> bool {
                self.is_nan()
            }
        }

        impl Float for $type {
            #[inline(always)]
            fn divide(self, other: Self) -> Self {
                self / other
            }
            #[inline(always)]
            fn round_half_even(self) -> Self {
                self.round_ties_even()
            }
            #[inline(always)]
            #[allow(clippy::eq_op, reason = "NaN is what differs from itself; this form becomes vector code")]
            fn fmin(self, other: Self) -> Self {
                if (self <= other) | (other != other) { self } else { other }
            }
            #[inline(always)]
            #[allow(clippy::eq_op, reason = "NaN is what differs from itself; this form becomes vector code")]
            fn fmax(self, other: Self) -> Self {
                if (self >= other) | (other != other) { self } else { other }
            }
        })*
    };
}

float!(f32, f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integer_division_follows_python() {
        assert_eq!(Number::floor_divide(-7i32, 2), -4);
        assert_eq!(Number::remainder(-7i32, 2), 1);
        assert_eq!(Number::remainder(7i64, -2), -1);
        assert_eq!(Number::floor_divide(5u32, 0), 0);
        assert_eq!(Number::remainder(5i64, 0), 0);
        assert_eq!(Number::floor_divide(i32::MIN, -1), i32::MIN);
        assert_eq!(Number::remainder(i32::MIN, -1), 0);
    }

    #[test]
    fn integer_powers_wrap_and_truncate() {
        assert_eq!(Number::power(3i32, 4), 81);
        assert_eq!(Number::power(2u32, 33), 0);
        assert_eq!(Number::power(-1i64, -3), -1);
        assert_eq!(Number::power(2i64, -1), 0);
    }

    #[test]
    fn wide_shifts_do_not_wrap_around() {
        assert_eq!(1i32.shift_left(32), 0);
        assert_eq!(1i32.shift_left(-1), 0);
        assert_eq!((-8i32).shift_right(1), -4);
        assert_eq!((-8i32).shift_right(40), -1);
        assert_eq!(8i64.shift_right(64), 0);
        assert_eq!(u64::MAX.shift_right(64), 0);
        assert_eq!(u64::MAX.shift_left(63), 1 << 63);
    }

    #[test]
    fn float_division_follows_python() {
        assert_eq!(Number::floor_divide(-7.5f64, 2.0), -4.0);
        assert_eq!(Number::remainder(-7.5f64, 2.0), 0.5);
        assert_eq!(Number::floor_divide(1.0f64, 0.1), 9.0);
        assert!(Number::remainder(6.0f64, -3.0).is_sign_negative());
        assert_eq!(Number::floor_divide(1.0f32, 0.0), f32::INFINITY);
        assert!(Number::remainder(1.0f32, 0.0).is_nan());
    }

    #[test]
    fn extremes_pass_nan_on_or_skip_it() {
        assert!(Number::minimum(1.0, f64::NAN).is_nan());
        assert!(Number::maximum(f64::NAN, 1.0).is_nan());
        assert_eq!(Float::fmin(1.0, f64::NAN), 1.0);
        assert_eq!(Float::fmax(f64::NAN, 1.0), 1.0);
        assert!(Float::fmax(f64::NAN, f64::NAN).is_nan());
    }
}
