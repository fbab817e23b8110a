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

pub use exp::{exp, exp_m1, exp2};
pub use hyperbolic::{acosh, asinh, atanh, cosh, sinh, tanh};
pub use inverse::{acos, asin, atan, atan2};
pub use join::{ln_add_exp, log2_add_exp2};
pub use log::{ln, ln_1p, log2, log10};
pub use modulo::{is_long_quotient, modulo};
pub use power::pow;
pub use root::cbrt;
pub use scale::ldexp;
pub use trigonometric::{cos, is_far, sin, tan};

/// A float type of these functions.
pub trait Narrow: Copy {
    /// Returns the value as `f64`.
    fn widen(self) -> f64;
    /// Returns the nearest value of this type.
    fn narrow(value: f64) -> Self;
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
