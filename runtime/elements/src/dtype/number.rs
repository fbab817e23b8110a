//! Arithmetic of the element types, by NumPy's rules where Rust's would panic or differ.

mod complex;
mod float;
mod integer;

use super::{Comparable, Element};

/// Elements with arithmetic: all except `bool`. Integers wrap.
pub trait Number: Element {
    /// The type of magnitudes: that of the parts of complex numbers, otherwise the type itself.
    type Magnitude: Real;

    /// Returns `self + other`.
    fn plus(self, other: Self) -> Self;
    /// Returns `self - other`.
    fn minus(self, other: Self) -> Self;
    /// Returns `self * other`.
    fn times(self, other: Self) -> Self;
    /// Returns `self` to the power `other`. An integer to a negative power is truncated to an
    /// integer (0, except for 1 and -1), and 0 to a negative power is 0.
    fn power(self, other: Self) -> Self;
    /// Returns `-self`.
    fn negative(self) -> Self;
    /// Returns the magnitude. The most negative integer is its own.
    fn absolute(self) -> Self::Magnitude;
    /// Returns -1, 0 or 1; NaN for NaN. For a complex number, returns the number of magnitude 1
    /// with the same angle.
    fn sign(self) -> Self;
    /// Returns `1 / self`; for integers truncated, and 0 for 0.
    fn reciprocal(self) -> Self;
}

/// Real numbers: integers and floats. Integer division by zero returns 0.
pub trait Real: Number<Magnitude = Self> + Comparable {
    /// Returns the quotient, rounded towards minus infinity.
    fn floor_divide(self, other: Self) -> Self;
    /// Returns the remainder with the sign of `other`, as Python's `%`.
    fn remainder(self, other: Self) -> Self;
}

/// Numbers with rounding: floats and complex numbers.
pub trait Inexact: Number {
    /// The complex type of at least this precision.
    type Complex: Inexact;

    /// Returns `self / other`.
    fn divide(self, other: Self) -> Self;
}

/// Integers, signed or not.
pub trait Integer: Real {
    /// Returns the bitwise and.
    fn bit_and(self, other: Self) -> Self;
    /// Returns the bitwise or.
    fn bit_or(self, other: Self) -> Self;
    /// Returns the bitwise exclusive or.
    fn bit_xor(self, other: Self) -> Self;
    /// Inverts every bit.
    fn bit_not(self) -> Self;
    /// Shifts bits to the left; 0 if `other` is negative or not below the width.
    fn shift_left(self, other: Self) -> Self;
    /// Shifts bits to the right, keeping the sign. If `other` is negative or not below the width,
    /// the result is 0 or -1, by the sign of `self`.
    fn shift_right(self, other: Self) -> Self;
}

/// Floating-point numbers.
pub trait Float: Real + Inexact + num_traits::Float {
    /// Rounds to the nearest integer, ties to even.
    fn round_half_even(self) -> Self;
    /// Returns the smaller value, ignoring a NaN if the other is a number.
    fn fmin(self, other: Self) -> Self;
    /// Returns the larger value, ignoring a NaN if the other is a number.
    fn fmax(self, other: Self) -> Self;
}
