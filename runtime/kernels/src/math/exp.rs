//! Powers of e and of 2.
//!
//! `x = n ln 2 + r` with `|r| <= ln 2 / 2` (W. J. Cody and W. Waite, *Software Manual for the
//! Elementary Functions*, 1980). The Taylor series of `exp(r)` follows, with its first two terms as
//! a sum of two floats.

use super::{add, nearest, nearest_multiple, polynomial, power_of_two, sum};

/// The natural logarithm of 2, as a sum.
const LN_2: [f64; 2] = [std::f64::consts::LN_2, 2.319_046_813_846_299_6e-17];

/// Coefficients of `(exp(r) - 1 - r) / r^2`, interpolated at Chebyshev's points with an error below
/// `2^-59`, the highest power first.
const SECOND: [f64; 11] = [
    2.091_475_532_589_32e-9,
    2.510_531_272_962_210_3e-8,
    2.755_727_347_871_858e-7,
    2.755_725_517_000_089e-6,
    2.480_158_732_567_746e-5,
    0.000_198_412_698_750_022_8,
    0.001_388_888_888_888_371_1,
    0.008_333_333_333_326_084,
    0.041_666_666_666_666_67,
    0.166_666_666_666_666_7,
    0.5,
];

/// An argument as `n ln 2 + r + low`.
#[derive(Clone, Copy)]
pub(super) struct Reduced {
    pub(super) n: i64,
    pub(super) r: f64,
    pub(super) low: f64,
}

impl Reduced {
    /// Reduces `x`, for `|x|` below 2^20.
    #[inline(always)]
    pub(super) fn new(x: f64) -> Reduced {
        let (multiple, n) = nearest_multiple(x, std::f64::consts::LOG2_E);
        // This is exact: both are multiples of one power of 2, and the difference is small.
        let high = (-multiple).mul_add(LN_2[0], x);
        let r = (-multiple).mul_add(LN_2[1], high);
        let low = (-multiple).mul_add(LN_2[1], high - r);
        Reduced { n, r, low }
    }

    /// Returns `exp` without the factor `2^n`.
    #[inline(always)]
    fn part(self) -> f64 {
        let Reduced { r, low, .. } = self;
        let (high, lost) = add(1.0, r);
        let rest = (r * r).mul_add(polynomial(r, &SECOND), low.mul_add(r, low));
        high + (lost + rest)
    }

    /// Returns `exp`, for `n` from -1022 to 1022.
    #[inline(always)]
    fn moderate_exp(self) -> f64 {
        self.part() * power_of_two(self.n)
    }

    /// Returns `exp`, for `n` from -1079 to 1024, where `half` is about a half of `n`.
    #[inline(always)]
    fn exp(self, half: i64) -> f64 {
        // In two steps, since 2^n itself may be too large or too small.
        self.part() * power_of_two(half) * power_of_two(self.n.wrapping_sub(half))
    }
}

/// Clamps to two bounds; NaN is kept.
#[inline(always)]
fn between(x: f64, low: f64, high: f64) -> f64 {
    let x = if x < low { low } else { x };
    if x > high { high } else { x }
}

/// Returns `e^x`, to 0.7 units in the last place; to 1 if the result is subnormal.
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    // The result is 0 below, and infinite above.
    let x = between(x, -747.0, 710.0);
    let (_, half) = nearest_multiple(x, 0.5 * std::f64::consts::LOG2_E);
    Reduced::new(x).exp(half)
}

/// Whether the exponential of a number is normal, to base 2 and to base e.
#[inline(always)]
pub fn is_moderate(x: f64) -> bool {
    x.abs() < 708.0
}

/// Returns the bits of [`exp`] with fewer instructions, if `x` [`is_moderate`].
#[inline(always)]
pub fn moderate_exp(x: f64) -> f64 {
    Reduced::new(x).moderate_exp()
}

/// Coefficients of `(exp(r) - 1) / r`, interpolated at Chebyshev's points with an error below
/// `2^-43`, the highest power first.
const SHORT: [f64; 9] = [
    2.762_510_451_553_102_5e-6,
    2.487_616_678_494_265_5e-5,
    0.000_198_412_087_524_698_6,
    0.001_388_882_167_265_359_7,
    0.008_333_333_353_719_42,
    0.041_666_666_890_981_904,
    0.166_666_666_666_483,
    0.499_999_999_997_979_06,
    1.0,
];

/// Returns `e^x` with a relative error of `2^-42`, if `x` [`is_moderate`].
#[inline(always)]
pub(super) fn short_exp(x: f64) -> f64 {
    let (multiple, n) = nearest_multiple(x, std::f64::consts::LOG2_E);
    let r = (-multiple).mul_add(LN_2[0], x);
    polynomial(r, &SHORT).mul_add(r, 1.0) * power_of_two(n)
}

/// Returns `2^x`, to 0.7 units in the last place; to 1 if the result is subnormal.
#[inline(always)]
pub fn exp2(x: f64) -> f64 {
    let x = between(x, -1078.0, 1024.0);
    let (_, half) = nearest_multiple(x, 0.5);
    reduce_binary(x).exp(half)
}

/// Returns the bits of [`exp2`] with fewer instructions, if `x` [`is_moderate`].
#[inline(always)]
pub fn moderate_exp2(x: f64) -> f64 {
    reduce_binary(x).moderate_exp()
}

/// Returns `x ln 2`, reduced.
#[inline(always)]
fn reduce_binary(x: f64) -> Reduced {
    let (whole, n) = nearest(x);
    let part = x - whole;
    let r = part * LN_2[0];
    let low = part.mul_add(LN_2[1], part.mul_add(LN_2[0], -r));
    Reduced { n, r, low }
}

/// Returns `(x + low) ln 2`, reduced, where `low` is below the last place of `x`.
#[inline(always)]
fn reduce_binary_sum(x: f64, low: f64) -> Reduced {
    let (whole, n) = nearest(x);
    let part = x - whole;
    let r = part * LN_2[0];
    let low = (part + low).mul_add(LN_2[1], low.mul_add(LN_2[0], part.mul_add(LN_2[0], -r)));
    let (r, low) = add(r, low);
    Reduced { n, r, low }
}

/// Returns `2^(x + low)`, where `low` is below the last place of `x`, with the error of [`exp2`].
#[inline(always)]
pub(super) fn exp2_of_sum(x: f64, low: f64) -> f64 {
    let x = between(x, -1078.0, 1024.0);
    let (_, half) = nearest_multiple(x, 0.5);
    reduce_binary_sum(x, low).exp(half)
}

/// Returns the bits of [`exp2_of_sum`] with fewer instructions, for `x` from -1021 to 1021.
#[inline(always)]
pub(super) fn moderate_exp2_of_sum(x: f64, low: f64) -> f64 {
    reduce_binary_sum(x, low).moderate_exp()
}

/// Returns `e^x - 1`, to 0.9 units in the last place.
#[inline(always)]
pub fn exp_m1(x: f64) -> f64 {
    let Reduced { n, r, low } = Reduced::new(between(x, -50.0, 710.0));
    // Half of 2^n, which itself may be too large.
    let scale = power_of_two(n.wrapping_sub(1));
    let (first, lost) = add(1.0, r);
    let (high, lost_again) = sum(scale * first, -0.5);
    let rest = (r * r).mul_add(polynomial(r, &SECOND), low.mul_add(r, low));
    let value = 2.0 * (high + scale.mul_add(lost + rest, lost_again));
    // The next term of the series is negligible; this keeps the sign of 0.
    if x.abs() < f64::EPSILON / 4.0 {
        x
    } else {
        value
    }
}
