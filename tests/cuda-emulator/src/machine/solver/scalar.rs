//! The numbers that routines compute with, whatever the width of the elements in memory.

use std::iter::Sum;
use std::ops::{Add, Mul, Neg, Sub, SubAssign};

pub(crate) use num_complex::Complex64;

/// A real or a complex number.
pub(crate) trait Scalar:
    Copy
    + PartialEq
    + std::fmt::Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + SubAssign
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

    /// Returns the quotient. Only the result may overflow.
    fn over(self, by: Self) -> Self;

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

    fn over(self, by: f64) -> f64 {
        self / by
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

    fn over(self, by: Complex64) -> Complex64 {
        // The library divides by the square of the magnitude, which overflows above 1e154.
        let largest = by.re.abs().max(by.im.abs());
        if !largest.is_normal() {
            return self / by;
        }
        let scale = 2.0_f64.powi((largest.log2().floor() as i32).clamp(-1000, 1000));
        (self / scale) / (by / scale)
    }

    fn roots(sum: Complex64, product: Complex64) -> [Complex64; 2] {
        let half = sum / 2.0;
        let root = (half * half - product).sqrt();
        [half + root, half - root]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complex_quotients_do_not_overflow_on_the_way() {
        let number = Complex64::new;
        for size in [1e-300, 1e-160, 1.0, 1e160, 1e200, 1e300] {
            for by in [number(3.0, 4.0), number(-4.0, 0.0), number(0.0, 5.0)] {
                let quotient = number(2.0, -7.0);
                let product = quotient * by * size;
                let found = product.over(by * size);
                assert!((found - quotient).norm() < 1e-14, "{size} {by} {found}");
            }
        }
        assert!(!number(1.0, 1.0).over(number(0.0, 0.0)).is_finite());
    }
}
