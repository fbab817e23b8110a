//! Element types of `faer`.

use std::ops::{Div, Mul, SubAssign};

use faer::traits::ComplexField;
use num_complex::Complex;

/// The type of magnitudes.
pub(crate) trait Magnitude: Copy + 'static {
    /// The nearest value.
    fn nearest(value: f64) -> Self;
}

/// A type that `faer` works with.
pub(crate) trait Number:
    ComplexField<Real: Magnitude>
    + Copy
    + PartialEq
    + SubAssign
    + Mul<Output = Self>
    + Div<Output = Self>
{
    const ZERO: Self;
    const ONE: Self;

    /// The real and the imaginary part.
    fn parts(self) -> [f64; 2];

    /// The value with these parts; real types ignore the imaginary part.
    fn from_parts(parts: [f64; 2]) -> Self;
}

macro_rules! numbers {
    ($($real:ty),*) => {
        $(impl Magnitude for $real {
            fn nearest(value: f64) -> $real {
                value as $real
            }
        }

        impl Number for $real {
            const ZERO: $real = 0.0;
            const ONE: $real = 1.0;

            fn parts(self) -> [f64; 2] {
                [f64::from(self), 0.0]
            }

            fn from_parts([real, _]: [f64; 2]) -> $real {
                real as $real
            }
        }

        impl Number for Complex<$real> {
            const ZERO: Self = Complex::new(0.0, 0.0);
            const ONE: Self = Complex::new(1.0, 0.0);

            fn parts(self) -> [f64; 2] {
                [f64::from(self.re), f64::from(self.im)]
            }

            fn from_parts([real, imaginary]: [f64; 2]) -> Self {
                Complex::new(real as $real, imaginary as $real)
            }
        })*
    };
}

numbers!(f32, f64);
