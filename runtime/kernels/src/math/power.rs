//! Powers of any base.
//!
//! `x^y = 2^(y log2 x)`. The logarithm is a sum of two floats to about 65 bits: with `x = 2^k m`,
//! `m` from `sqrt(1/2)` to `sqrt(2)`, and `s = (m - 1) / (m + 1)`, it is
//! `k + 2 log2(e) (s + s^3/3 + s^5/5 + ...)`.

use super::exp::{exp2_of_sum, moderate_exp2_of_sum};
use super::log::{is_normal, split, split_normal};
use super::{INTEGERS, add, is_positive_finite, polynomial, sum};

/// `2 / ln 2`, as a sum.
const TWO_LOG2_E: (f64, f64) = (2.885_390_081_777_926_8, 4.071_054_748_186_206_6e-17);
/// A third, as a sum.
const THIRD: (f64, f64) = (0.333_333_333_333_333_3, 1.850_371_707_708_594e-17);

/// Coefficients of the series from `s^5` on, divided by `s^5`, interpolated at Chebyshev's points
/// for `s^2` up to 0.0295, the highest power first.
const SERIES: [f64; 8] = [
    0.058_618_445_118_246_13,
    0.058_530_937_599_893_966,
    0.066_674_032_586_526_5,
    0.076_922_974_644_920_55,
    0.090_909_091_678_533_6,
    0.111_111_111_108_272_5,
    0.142_857_142_857_146_85,
    0.2,
];

/// Returns the product of two sums, as a sum.
#[inline(always)]
fn product(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    let high = a.0 * b.0;
    let low = a.0.mul_add(b.0, -high);
    (high, low + a.0.mul_add(b.1, a.1 * b.0))
}

/// Returns the logarithm to base 2 of `2^k (1 + f)`, as a sum.
#[inline(always)]
fn log2((k, f): (f64, f64)) -> (f64, f64) {
    let (under, under_low) = add(2.0, f);
    let inverse = 1.0 / under;
    let s = f * inverse;
    let s_low = ((-s).mul_add(under, f) - s * under_low) * inverse;
    let z = product((s, s_low), (s, s_low));
    // The terms z/3 + z^2/5 + ..., of which the first one is computed as a sum.
    let third = product(z, THIRD);
    let square = product(z, z);
    let series = polynomial(z.0, &SERIES);
    let tail = square.0 * series;
    let tail_low = square.1.mul_add(series, square.0.mul_add(series, -tail));
    let (rest, rest_low) = add(third.0, tail);
    let rest = (rest, rest_low + (third.1 + tail_low));
    let scaled = product((s, s_low), TWO_LOG2_E);
    let small = product(scaled, rest);
    let (high, low) = add(scaled.0, small.0);
    let (high, low) = (high, low + (scaled.1 + small.1));
    let (whole, lost) = sum(k, high);
    add(whole, lost + low)
}

/// Returns `x^y`, to 0.8 units in the last place; to 1 if the result is subnormal. Special values
/// are those of C's `pow`.
#[inline(always)]
pub fn pow(x: f64, y: f64) -> f64 {
    let size = x.abs();
    let is_ordinary = is_positive_finite(size);
    let logarithm = log2(split(if is_ordinary { size } else { 1.0 }));
    // The result is 0 or infinite long before the product overflows. An infinite exponent is
    // treated as a large one.
    let capped = if y.abs() > 1e200 {
        1e200_f64.copysign(y)
    } else {
        y
    };
    let high = capped * logarithm.0;
    let low = capped.mul_add(logarithm.0, -high) + capped * logarithm.1;
    let is_out = !(-1078.0..=1024.0).contains(&high);
    let low = if is_out { 0.0 } else { low };
    let value = exp2_of_sum(high, low);
    // The result for 0 and infinity is 0 or infinity.
    let is_zero = (size == 0.0) == (y > 0.0);
    let edge = if is_zero { 0.0 } else { f64::INFINITY };
    let value = if is_ordinary { value } else { edge };
    // Half of an odd number is not an integer. From 2^53 on all floats are even.
    let is_whole = y.trunc() == y;
    let is_odd = is_whole & ((0.5 * y).trunc() != 0.5 * y) & (y.abs() < 9_007_199_254_740_992.0);
    let is_negative = x.is_sign_negative();
    let value = if is_negative & is_odd { -value } else { value };
    let is_finite_y = y.abs() < f64::INFINITY;
    let is_undefined = (x < 0.0) & is_ordinary & !is_whole & is_finite_y;
    let value = if is_undefined { f64::NAN } else { value };
    let value = if x.is_nan() | y.is_nan() {
        x + y
    } else {
        value
    };
    let is_one = (x == 1.0) | (y == 0.0) | ((x == -1.0) & (y.abs() == f64::INFINITY));
    if is_one { 1.0 } else { value }
}

/// Whether `x` is positive and normal, and `x^y` surely normal.
#[inline(always)]
pub fn is_moderate_power(x: f64, y: f64) -> bool {
    // At least the magnitude of the logarithm to base 2.
    let exponent = f64::from_bits(INTEGERS.to_bits() | (x.to_bits() >> 52)) - INTEGERS;
    let most = (exponent - 1022.5).abs() + 0.5;
    is_normal(x) & (y.abs() * most < 1020.0)
}

/// Returns the bits of [`pow`] with fewer instructions, if [`is_moderate_power`].
#[inline(always)]
pub fn moderate_pow(x: f64, y: f64) -> f64 {
    let logarithm = log2(split_normal(x));
    let high = y * logarithm.0;
    let low = y.mul_add(logarithm.0, -high) + y * logarithm.1;
    moderate_exp2_of_sum(high, low)
}
