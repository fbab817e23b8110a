//! The numbers that routines compute with, whatever the width of the elements in memory.

use std::iter::Sum;
use std::ops::{Add, Div, DivAssign, Mul, Neg, Sub, SubAssign};

pub(crate) use num_complex::Complex64;

/// A real or a complex number.
pub(crate) trait Scalar:
    Copy
    + PartialEq
    + std::fmt::Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + SubAssign
    + DivAssign
    + Sum
{
    const ZERO: Self;
    const ONE: Self;
    /// The number of parts in memory.
    const PARTS: u64;

    fn from_real(value: f64) -> Self;

    /// Returns the number with these parts, [`PARTS`](Self::PARTS) of them.
    fn from_parts(parts: &[f64]) -> Self;

    fn complex(self) -> Complex64;

    fn conj(self) -> Self;

    /// Returns the roots of `x x - sum x + product`; of two conjugate ones, first that with the
    /// positive imaginary part.
    fn roots(sum: Self, product: Self) -> [Complex64; 2];

    /// Returns its magnitude.
    fn size(self) -> f64 {
        self.complex().norm()
    }

    fn is_finite(self) -> bool {
        self.complex().is_finite()
    }
}

impl Scalar for f64 {
    const ZERO: f64 = 0.0;
    const ONE: f64 = 1.0;
    const PARTS: u64 = 1;

    fn from_real(value: f64) -> f64 {
        value
    }

    fn from_parts(parts: &[f64]) -> f64 {
        parts[0]
    }

    fn complex(self) -> Complex64 {
        Complex64::new(self, 0.0)
    }

    fn conj(self) -> f64 {
        self
    }

    fn roots(sum: f64, product: f64) -> [Complex64; 2] {
        let half = sum / 2.0;
        let square = half * half - product;
        let root = square.abs().sqrt();
        if square < 0.0 {
            return [root, -root].map(|imaginary| Complex64::new(half, imaginary));
        }
        // The larger one first: their difference may lose digits.
        let larger = half + f64::copysign(root, half);
        let other = if larger == 0.0 { 0.0 } else { product / larger };
        [larger, other].map(Scalar::complex)
    }
}

impl Scalar for Complex64 {
    const ZERO: Complex64 = Complex64::new(0.0, 0.0);
    const ONE: Complex64 = Complex64::new(1.0, 0.0);
    const PARTS: u64 = 2;

    fn from_real(value: f64) -> Complex64 {
        Complex64::new(value, 0.0)
    }

    fn from_parts(parts: &[f64]) -> Complex64 {
        Complex64::new(parts[0], parts[1])
    }

    fn complex(self) -> Complex64 {
        self
    }

    fn conj(self) -> Complex64 {
        Complex64::conj(&self)
    }

    fn roots(sum: Complex64, product: Complex64) -> [Complex64; 2] {
        let half = sum / 2.0;
        let root = (half * half - product).sqrt();
        [half + root, half - root]
    }
}
