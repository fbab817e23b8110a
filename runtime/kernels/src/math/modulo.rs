//! Remainders of quotients that are rounded to zero.

/// From this quotient on, neighbouring floats are further apart than 1.
const LONG: f64 = 9_007_199_254_740_992.0;

/// The remainder of `x / y` with the sign of `x`, exactly, unless [`is_long_quotient`].
///
/// The rounded quotient is the exact one cut to an integer, or 1 more: the remainder is then
/// negative, and `|y|` short. Both are multiples of the last place of `y` and not larger than `y`,
/// so that nothing is rounded.
#[inline(always)]
pub fn modulo(x: f64, y: f64) -> f64 {
    let (size, divisor) = (x.abs(), y.abs());
    let quotient = (size / divisor).trunc();
    let rest = (-quotient).mul_add(divisor, size);
    let rest = if rest < 0.0 { rest + divisor } else { rest };
    // An infinite divisor leaves the dividend as it is.
    let rest = if size < divisor { size } else { rest };
    rest.copysign(x)
}

/// Whether [`modulo`] is not exact: the quotient is too large, infinite, or NaN.
#[inline(always)]
pub fn is_long_quotient(x: f64, y: f64) -> bool {
    let is_short = x.abs() / y.abs() < LONG;
    !is_short
}
