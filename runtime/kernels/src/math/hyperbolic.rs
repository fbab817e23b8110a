//! Hyperbolic functions and their inverses.
//!
//! With `E = e^|x| - 1` as a sum of two floats: `tanh x = E' / (E' + 2)` for `E'` of `2 |x|`,
//! `sinh x = (E + T) / 2` and `cosh x = 1 + (E - T) / 2`, where `T = E / (E + 1) = 1 - e^-|x|`. The
//! inverses are logarithms of `1 + a`, where `a` is a sum of two floats.

use super::exp::{exp_m1_pair, exp_m1_quarter};
use super::log::ln_1p_pair;
use super::{add, sum};

/// Returns `(high + low) / (high + low + one)`, as a sum of two floats.
#[inline(always)]
fn part_of_sum(high: f64, low: f64, one: f64) -> (f64, f64) {
    let (denominator, lost) = sum(high, one);
    let lost = lost + low;
    let inverse = 1.0 / denominator;
    let quotient = high * inverse;
    let remainder = (-quotient).mul_add(denominator, high) + (-quotient).mul_add(lost, low);
    (quotient, remainder * inverse)
}

/// Returns the hyperbolic tangent, to 0.7 units in the last place.
#[inline(always)]
pub fn tanh(x: f64) -> f64 {
    let size = x.abs();
    // The result is 1 from here on.
    let capped = if size > 22.0 { 22.0 } else { size };
    let (high, low) = exp_m1_pair(2.0 * capped);
    let (quotient, rest) = part_of_sum(high, low, 2.0);
    let value = (quotient + rest).copysign(x);
    // The next term of the series is negligible.
    if size < 3.7e-9 { x } else { value }
}

/// The largest argument whose hyperbolic sine and cosine are finite.
const LARGEST: f64 = 710.475_860_073_943_9;

/// Returns a quarter of `E`, and `T / 4`, each as a sum of two floats.
#[inline(always)]
fn quarters(size: f64) -> ((f64, f64), (f64, f64)) {
    let capped = if size > LARGEST { LARGEST } else { size };
    let (high, low) = exp_m1_quarter(capped);
    // `T` is 1 long before `E` may overflow.
    let is_large = high > 1e30;
    let (part, part_low) = if is_large {
        (1.0, 0.0)
    } else {
        (4.0 * high, 4.0 * low)
    };
    // Computed in any case, since a branch would keep the loop from being vector code.
    let (quotient, rest) = part_of_sum(part, part_low, 1.0);
    let (quotient, rest) = if is_large {
        (1.0, 0.0)
    } else {
        (quotient, rest)
    };
    ((high, low), (0.25 * quotient, 0.25 * rest))
}

/// Returns the hyperbolic sine, to 0.8 units in the last place.
#[inline(always)]
pub fn sinh(x: f64) -> f64 {
    let size = x.abs();
    let ((high, low), (other, rest)) = quarters(size);
    let (first, lost) = add(high, other);
    let value = 2.0 * (first + (lost + (low + rest)));
    let value = if size > LARGEST { f64::INFINITY } else { value }.copysign(x);
    // The next term of the series is negligible; this keeps the sign of 0.
    if size < 1.8e-8 { x } else { value }
}

/// Returns the hyperbolic cosine, to 0.8 units in the last place.
#[inline(always)]
pub fn cosh(x: f64) -> f64 {
    let size = x.abs();
    let ((high, low), (other, rest)) = quarters(size);
    let (first, lost) = sum(high, 0.5);
    let (second, lost_again) = add(first, -other);
    let value = 2.0 * (second + ((lost + lost_again) + (low - rest)));
    if size > LARGEST { f64::INFINITY } else { value }
}

/// The argument from which the square would overflow, and the result is the logarithm of twice the
/// argument.
const LARGE: f64 = 1e150;

/// Returns the inverse of the hyperbolic sine, to 2 units in the last place.
#[inline(always)]
pub fn asinh(x: f64) -> f64 {
    let size = x.abs();
    let is_large = size > LARGE;
    let t = if is_large { 1.0 } else { size };
    let square = t * t;
    let other = square / (1.0 + (1.0 + square).sqrt());
    let (high, low) = add(t, other);
    let (high, low) = if is_large { (size, 0.0) } else { (high, low) };
    let value = ln_1p_pair(high, low);
    let value = if is_large {
        value + std::f64::consts::LN_2
    } else {
        value
    };
    // The next term of the series is negligible; this keeps the sign of 0.
    if size < 1.8e-8 { x } else { value.copysign(x) }
}

/// Returns the inverse of the hyperbolic cosine, to 2 units in the last place; NaN below 1.
#[inline(always)]
pub fn acosh(x: f64) -> f64 {
    let is_large = x > LARGE;
    let t = if is_large { 1.0 } else { x - 1.0 };
    let root = t.mul_add(t, 2.0 * t).sqrt();
    let (high, low) = sum(root, t);
    let (high, low) = if is_large { (x, 0.0) } else { (high, low) };
    let value = ln_1p_pair(high, low);
    let value = if is_large {
        value + std::f64::consts::LN_2
    } else {
        value
    };
    if x < 1.0 { f64::NAN } else { value }
}

/// Returns the inverse of the hyperbolic tangent, to 1.5 units in the last place; NaN beyond 1.
#[inline(always)]
pub fn atanh(x: f64) -> f64 {
    let size = x.abs();
    let (denominator, lost) = sum(1.0, -size);
    let inverse = 1.0 / denominator;
    let twice = 2.0 * size;
    let quotient = twice * inverse;
    let remainder = (-quotient).mul_add(denominator, twice) - quotient * lost;
    let value = (0.5 * ln_1p_pair(quotient, remainder * inverse)).copysign(x);
    let value = if size < 1.0 {
        value
    } else {
        f64::INFINITY.copysign(x)
    };
    let value = if size > 1.0 { f64::NAN } else { value };
    // The next term of the series is negligible; this keeps the sign of 0, and NaN.
    if (size < 1.2e-8) | x.is_nan() {
        x
    } else {
        value
    }
}
