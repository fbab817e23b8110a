//! Half precision: values are stored in 16 bits, and computed in `f32`.

use super::{Comparable, Float, Inexact, Number, Real, f16};

/// Rounds a double to the nearest half, ties to even.
///
/// The double is first rounded to `f32` by rounding to odd. A second rounding then gives the same
/// result as a single one (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums:
/// proved algorithms using rounding to odd", 2008).
#[inline]
pub fn from_f64(value: f64) -> f16 {
    let nearest = value as f32;
    let back = f64::from(nearest);
    let bits = nearest.to_bits();
    if back == value || value.is_nan() || bits & 1 == 1 {
        return f16::from_f32(nearest);
    }
    // Moves from an even neighbour to the odd one on the other side of the value.
    let odd = if back.abs() < value.abs() {
        bits + 1
    } else {
        bits - 1
    };
    f16::from_f32(f32::from_bits(odd))
}

macro_rules! through_f32 {
    ($Trait:ident: $($name:ident),*; $($own:tt)*) => {
        impl $Trait for f16 {
            $($own)*
            $(#[inline]
            fn $name(self, other: f16) -> f16 {
                f16::from_f32($Trait::$name(self.to_f32(), other.to_f32()))
            })*
        }
    };
}

through_f32!(Number: plus, minus, times, power;
    type Magnitude = f16;

    #[inline]
    fn negative(self) -> f16 {
        -self
    }
    #[inline]
    fn absolute(self) -> f16 {
        f16::from_bits(self.to_bits() & 0x7fff)
    }
    #[inline]
    fn sign(self) -> f16 {
        f16::from_f32(Number::sign(self.to_f32()))
    }
    #[inline]
    fn reciprocal(self) -> f16 {
        f16::from_f32(Number::reciprocal(self.to_f32()))
    }
);

through_f32!(Real: floor_divide, remainder;);

through_f32!(Inexact: divide;
    type Complex = super::Complex<f32>;
);

impl Comparable for f16 {
    const LOWEST: f16 = f16::NEG_INFINITY;
    const HIGHEST: f16 = f16::INFINITY;

    // Of zeros with different signs, `f32` returns the second one.
    #[inline]
    fn smaller(self, other: f16) -> f16 {
        f16::from_f32(Comparable::smaller(other.to_f32(), self.to_f32()))
    }
    #[inline]
    fn larger(self, other: f16) -> f16 {
        f16::from_f32(Comparable::larger(other.to_f32(), self.to_f32()))
    }
    #[inline(always)]
    fn smaller_number(self, other: f16) -> f16 {
        if other < self { other } else { self }
    }
    #[inline(always)]
    fn larger_number(self, other: f16) -> f16 {
        if other > self { other } else { self }
    }
}

through_f32!(Float: fmin, fmax;
    #[inline]
    fn round_half_even(self) -> f16 {
        f16::from_f32(self.to_f32().round_ties_even())
    }
);
