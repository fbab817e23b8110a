//! Powers of e and of 2.
//!
//! `x = n ln 2 + r` with `|r| <= ln 2 / 2` (W. J. Cody and W. Waite, *Software Manual for the
//! Elementary Functions*, 1980). The Taylor series of `exp(r)` follows, with its first two terms as
//! a sum of two floats.

use super::{add, nearest, polynomial, power_of_two, sum};

/// The natural logarithm of 2, as a sum.
const LN_2: [f64; 2] = [std::f64::consts::LN_2, 2.319_046_813_846_299_6e-17];

/// `1 / k!` for `k` from 13 down to 2. The rest of the series is below `2^-57`.
const TAYLOR: [f64; 12] = [
    1.0 / 6_227_020_800.0,
    1.0 / 479_001_600.0,
    1.0 / 39_916_800.0,
    1.0 / 3_628_800.0,
    1.0 / 362_880.0,
    1.0 / 40_320.0,
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    1.0 / 2.0,
];

/// An argument as `n ln 2 + r + low`.
#[derive(Clone, Copy)]
struct Reduced {
    n: i64,
    r: f64,
    low: f64,
}

impl Reduced {
    /// Reduces `x`, for `|x|` below 2^20.
    #[inline(always)]
    fn new(x: f64) -> Reduced {
        let (multiple, n) = nearest(x * std::f64::consts::LOG2_E);
        // This is exact: both are multiples of one power of 2, and the difference is small.
        let high = (-multiple).mul_add(LN_2[0], x);
        let r = (-multiple).mul_add(LN_2[1], high);
        let low = (-multiple).mul_add(LN_2[1], high - r);
        Reduced { n, r, low }
    }

    /// Returns `exp(r + low) - 1 - r`.
    #[inline(always)]
    fn rest(self) -> f64 {
        let r = self.r;
        (r * r).mul_add(polynomial(r, &TAYLOR), self.low.mul_add(r, self.low))
    }

    /// Returns `exp`, for `n` from -1079 to 1024.
    #[inline(always)]
    fn exp(self) -> f64 {
        let (high, low) = add(1.0, self.r);
        let value = high + (low + self.rest());
        // In two steps, since 2^n itself may be too large or too small.
        let half = ((self.n.wrapping_add(2200) as u64) >> 1).wrapping_sub(1100) as i64;
        value * power_of_two(half) * power_of_two(self.n.wrapping_sub(half))
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
    Reduced::new(between(x, -747.0, 710.0)).exp()
}

/// Returns `2^x`, to 0.7 units in the last place; to 1 if the result is subnormal.
#[inline(always)]
pub fn exp2(x: f64) -> f64 {
    exp2_of_sum(x, 0.0)
}

/// Returns `2^(x + low)`, where `low` is below the last place of `x`, with the error of [`exp2`].
#[inline(always)]
pub(super) fn exp2_of_sum(x: f64, low: f64) -> f64 {
    let x = between(x, -1078.0, 1024.0);
    let (whole, n) = nearest(x);
    let part = x - whole;
    let r = part * LN_2[0];
    let low = (part + low).mul_add(LN_2[1], low.mul_add(LN_2[0], part.mul_add(LN_2[0], -r)));
    let (r, low) = add(r, low);
    Reduced { n, r, low }.exp()
}

/// Returns `e^x - 1`, to 0.9 units in the last place.
#[inline(always)]
pub fn exp_m1(x: f64) -> f64 {
    let (high, _) = exp_m1_pair(between(x, -50.0, 710.0));
    // The next term of the series is negligible.
    if x.abs() < f64::EPSILON / 4.0 {
        x
    } else {
        high
    }
}

/// Returns `e^x - 1` as a sum whose first part is the nearest float, or almost, for `x` from -50 to
/// 710; infinite if it is too large. Subnormal arguments lose their last bits.
#[inline(always)]
pub(super) fn exp_m1_pair(x: f64) -> (f64, f64) {
    let (high, low) = scaled_exp_m1(x, 1);
    (2.0 * high, 2.0 * low)
}

/// Returns a quarter of `e^x - 1` as a sum, for `x` from 0 to 710.8.
#[inline(always)]
pub(super) fn exp_m1_quarter(x: f64) -> (f64, f64) {
    scaled_exp_m1(x, 2)
}

/// Returns `(e^x - 1) / 2^shift` as a sum. The power of two that `e^x` is scaled by may itself be
/// too large.
#[inline(always)]
fn scaled_exp_m1(x: f64, shift: i64) -> (f64, f64) {
    let Reduced { n, r, low } = Reduced::new(x);
    // Half of the square with its rounding error, and the rest of the series.
    let half = 0.5 * r;
    let square = half * r;
    let lost = half.mul_add(r, -square);
    let rest = (square * 2.0 * r).mul_add(polynomial(r, &TAYLOR[..11]), lost + low.mul_add(r, low));
    let scale = power_of_two(n.wrapping_sub(shift));
    // Each is 0 or larger than the term that is added to it.
    let (base, base_low) = sum(scale, -power_of_two(-shift));
    let (first, first_low) = add(base, scale * r);
    let (second, second_low) = add(first, scale * square);
    add(
        second,
        scale.mul_add(rest, base_low + first_low + second_low),
    )
}
