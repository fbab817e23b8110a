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
    /// Bits shifted to the left; 0 if `other` is negative or not below the width.
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
