//! Arithmetic of the element types, with NumPy's rules where Rust's would panic or differ.

mod complex;
mod float;
mod integer;

use super::{Comparable, Element};

/// Elements with arithmetic: everything but `bool`. Integers wrap.
pub trait Number: Element {
    /// The type of distances from zero: of complex numbers that of their parts, else the type itself.
    type Magnitude: Real;

    /// Addition.
    fn plus(self, other: Self) -> Self;
    /// Subtraction.
    fn minus(self, other: Self) -> Self;
    /// Multiplication.
    fn times(self, other: Self) -> Self;
    /// `self` to the power `other`. An integer to a negative power is the exact value truncated to an integer
    /// (0, except for 1 and -1), and 0 to a negative power is 0.
    fn power(self, other: Self) -> Self;
    /// Minus `self`.
    fn negative(self) -> Self;
    /// The distance from zero; of the most negative integer, itself.
    fn absolute(self) -> Self::Magnitude;
    /// -1, 0 or 1; NaN of NaN. Of a complex number the one of magnitude 1 in its direction.
    fn sign(self) -> Self;
    /// `1 / self`; of integers truncated, and 0 of 0.
    fn reciprocal(self) -> Self;
}

/// Numbers on a line: integers and floats. Division by integer zero gives 0.
pub trait Real: Number<Magnitude = Self> + Comparable {
    /// The quotient rounded to minus infinity.
    fn floor_divide(self, other: Self) -> Self;
    /// The remainder with the sign of `other`, as Python's `%`.
    fn remainder(self, other: Self) -> Self;
}

/// Numbers that stand for others nearby: floats and complex numbers.
pub trait Inexact: Number {
    /// The complex numbers of at least this precision.
    type Complex: Inexact;

    /// Division.
    fn divide(self, other: Self) -> Self;
}

/// Integers, signed or not.
pub trait Integer: Real {
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
pub trait Float: Real + Inexact + num_traits::Float {
    /// The nearest integer, halves to the even one.
    fn round_half_even(self) -> Self;
    /// The smaller one, ignoring a NaN if the other is a number.
    fn fmin(self, other: Self) -> Self;
    /// The larger one, ignoring a NaN if the other is a number.
    fn fmax(self, other: Self) -> Self;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integer_division_follows_python() {
        assert_eq!(Real::floor_divide(-7i32, 2), -4);
        assert_eq!(Real::remainder(-7i32, 2), 1);
        assert_eq!(Real::remainder(7i64, -2), -1);
        assert_eq!(Real::floor_divide(5u32, 0), 0);
        assert_eq!(Real::remainder(5i64, 0), 0);
        assert_eq!(Real::floor_divide(i32::MIN, -1), i32::MIN);
        assert_eq!(Real::remainder(i32::MIN, -1), 0);
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
        assert_eq!(Real::floor_divide(-7.5f64, 2.0), -4.0);
        assert_eq!(Real::remainder(-7.5f64, 2.0), 0.5);
        assert_eq!(Real::floor_divide(1.0f64, 0.1), 9.0);
        assert!(Real::remainder(6.0f64, -3.0).is_sign_negative());
        assert_eq!(Real::floor_divide(1.0f32, 0.0), f32::INFINITY);
        assert!(Real::remainder(1.0f32, 0.0).is_nan());
    }

    #[test]
    fn extremes_pass_nan_on_or_skip_it() {
        assert!(Comparable::smaller(1.0, f64::NAN).is_nan());
        assert!(Comparable::larger(f64::NAN, 1.0).is_nan());
        assert_eq!(Float::fmin(1.0, f64::NAN), 1.0);
        assert_eq!(Float::fmax(f64::NAN, 1.0), 1.0);
        assert!(Float::fmax(f64::NAN, f64::NAN).is_nan());
    }
}
