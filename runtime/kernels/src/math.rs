//! Elementary functions that become vector code: straight-line arithmetic without branches or
//! tables.
//!
//! Everything is computed in `f64`, and rounded once for narrower floats. A product in a sum is
//! either always fused (`mul_add`) or never. So results have the same bits in every copy of a loop,
//! at every place in an array and on every machine. On a machine without such an instruction, the
//! standard library computes the same result.
//!
//! The error of each function is documented in units in the last place of the exact result, and
//! tested against sums of two `f64`.

mod exp;
mod hyperbolic;
mod inverse;
mod join;
mod log;
mod modulo;
mod power;
mod root;
mod scale;
mod trigonometric;

pub use exp::{exp, exp_m1, exp2, is_moderate, moderate_exp, moderate_exp2};
pub use hyperbolic::{acosh, asinh, atanh, cosh, sinh, tanh};
pub use inverse::{acos, asin, atan, atan2};
pub use join::{ln_add_exp, log2_add_exp2};
pub use log::{is_normal, ln, ln_1p, log2, log10, normal_ln, normal_log2, normal_log10};
pub use modulo::{is_long_quotient, modulo};
pub use power::{is_moderate_power, moderate_pow, pow};
pub use root::{cbrt, hypot};
pub use scale::ldexp;
pub use trigonometric::{cos, is_far, sin, tan};

/// A float type of these functions.
pub trait Narrow: Copy {
    /// Returns the value as `f64`.
    fn widen(self) -> f64;
    /// Returns the nearest value of this type.
    fn narrow(value: f64) -> Self;
    /// Returns [`hypot`](self::hypot) of two values, rounded to this type.
    fn hypotenuse(self, other: Self) -> Self;
    /// Returns `exp`, rounded to this type, of a value that [`is_moderate`].
    fn moderate_exp(self) -> Self;
    /// Returns [`sin`](self::sin), rounded to this type, unless the value [`is_far`].
    fn near_sin(self) -> Self;
    /// Returns [`cos`](self::cos), rounded to this type, unless the value [`is_far`].
    fn near_cos(self) -> Self;
}

impl Narrow for f64 {
    #[inline(always)]
    fn widen(self) -> f64 {
        self
    }
    #[inline(always)]
    fn narrow(value: f64) -> f64 {
        value
    }
    #[inline(always)]
    fn hypotenuse(self, other: f64) -> f64 {
        hypot(self, other)
    }
    #[inline(always)]
    fn moderate_exp(self) -> f64 {
        moderate_exp(self)
    }
    #[inline(always)]
    fn near_sin(self) -> f64 {
        sin(self)
    }
    #[inline(always)]
    fn near_cos(self) -> f64 {
        cos(self)
    }
}

impl Narrow for f32 {
    #[inline(always)]
    fn widen(self) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn narrow(value: f64) -> f32 {
        value as f32
    }
    #[inline(always)]
    fn hypotenuse(self, other: f32) -> f32 {
        // The squares are exact, and their sum neither overflows nor underflows.
        let (x, y) = (self.widen(), other.widen());
        let value = (x * x + y * y).sqrt() as f32;
        let is_infinite = (self.abs() == f32::INFINITY) | (other.abs() == f32::INFINITY);
        if is_infinite { f32::INFINITY } else { value }
    }
    // With an error below 2^-40 before the rounding, one result in about 2^15 is not the nearest.
    #[inline(always)]
    fn moderate_exp(self) -> f32 {
        exp::short_exp(self.widen()) as f32
    }
    #[inline(always)]
    fn near_sin(self) -> f32 {
        // The multiple of pi that is subtracted has lost the sign of 0.
        let value = trigonometric::short_sine(self.widen(), 0) as f32;
        if self == 0.0 { self } else { value }
    }
    #[inline(always)]
    fn near_cos(self) -> f32 {
        trigonometric::short_sine(self.widen(), 1) as f32
    }
}

/// The bits of 1.
const ONE_BITS: u64 = 1.0f64.to_bits();

/// The exponent's bits.
const EXPONENT: u64 = f64::INFINITY.to_bits();

/// 2 to the power of 52. A float with these bits, plus an integer below 2^32 in its lowest ones, is
/// the sum of both.
const INTEGERS: f64 = 4_503_599_627_370_496.0;

/// Returns the exponent of a power of two with these bits, plus 1023.
#[inline(always)]
fn biased_exponent(power: u64) -> f64 {
    f64::from_bits(INTEGERS.to_bits() | (power >> 52)) - INTEGERS
}

/// Whether a number is above 0 and below infinity. Integers are compared: the compiler would test
/// for each class of other floats.
#[inline(always)]
fn is_positive_finite(x: f64) -> bool {
    x.to_bits().wrapping_sub(1) < f64::INFINITY.to_bits() - 1
}

/// The number whose sum with a float of magnitude below 2^51 has the nearest integer in its low
/// bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// Returns the nearest integer, as a float and as an integer, for a magnitude below 2^51.
#[inline(always)]
fn nearest(x: f64) -> (f64, i64) {
    let sum = x + ROUND;
    (
        sum - ROUND,
        sum.to_bits().wrapping_sub(ROUND.to_bits()) as i64,
    )
}

/// Returns the integer nearest to `x * factor`, or almost, as [`nearest`] does.
#[inline(always)]
fn nearest_multiple(x: f64, factor: f64) -> (f64, i64) {
    let sum = x.mul_add(factor, ROUND);
    (
        sum - ROUND,
        sum.to_bits().wrapping_sub(ROUND.to_bits()) as i64,
    )
}

/// Returns 2 to the power of an integer from -1022 to 1023.
#[inline(always)]
fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits((exponent.wrapping_add(1023) as u64) << 52)
}

/// Returns `a + b` and its rounding error, if `a` is 0 or not smaller in magnitude than `b`.
#[inline(always)]
fn add(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, (a - sum) + b)
}

/// Returns `a + b` and its rounding error.
#[inline(always)]
fn sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let back = sum - a;
    (sum, (a - (sum - back)) + (b - back))
}

/// Evaluates a polynomial, whose coefficient of the highest power comes first.
#[inline(always)]
fn polynomial(z: f64, coefficients: &[f64]) -> f64 {
    let (first, others) = (coefficients[0], &coefficients[1..]);
    let mut sum = first;
    for &term in others {
        sum = sum.mul_add(z, term);
    }
    sum
}
