//! Logarithms.
//!
//! `x = 2^k m` with `m` between `sqrt(1/2)` and `sqrt(2)`, `f = m - 1`, `s = f / (2 + f)` and
//! `ln(1 + f) = f - f^2/2 + s (f^2/2 + R(s^2))`. The formula and the polynomial `R` are those of
//! `e_log.c` and `s_log1p.c` in FDLIBM 5.3 (Sun Microsystems, 1993). Logarithms to base 2 and 10
//! keep the sum in two parts.

#![allow(clippy::excessive_precision, reason = "the digits as published")]

use super::{EXPONENT, ONE_BITS, biased_exponent, is_positive_finite, polynomial};

/// The natural logarithm of 2 as a sum; the first part has trailing zeros, so that its multiples
/// are exact.
pub(super) const LN_2: [f64; 2] = [
    6.931_471_803_691_238_164_90e-1,
    1.908_214_929_270_587_700_02e-10,
];
/// `1 / ln 2` as a sum.
const LOG2_E: [f64; 2] = [std::f64::consts::LOG2_E, 2.035_527_374_093_103_3e-17];
/// `1 / ln 10` as a sum.
const LOG10_E: [f64; 2] = [std::f64::consts::LOG10_E, 1.098_319_650_216_765e-17];
/// The logarithm of 2 to base 10 as a sum.
const LOG10_2: [f64; 2] = [
    3.010_299_956_636_117_713_06e-1,
    3.694_239_077_158_930_786_16e-13,
];

/// The coefficients of `R`, that of `s^14` first.
const SERIES: [f64; 7] = [
    1.479_819_860_511_658_591e-1,
    1.531_383_769_920_937_332e-1,
    1.818_357_216_161_805_012e-1,
    2.222_219_843_214_978_396e-1,
    2.857_142_874_366_239_149e-1,
    3.999_999_999_940_941_908e-1,
    6.666_666_666_666_735_130e-1,
];

/// The bits of `sqrt(1/2)`, rounded down a little.
const LEAST: u64 = 0x3fe6_a09e_0000_0000;

/// Returns the bits of the power of two `2^k`, for a positive normal number.
#[inline(always)]
fn power(x: f64) -> u64 {
    x.to_bits().wrapping_add(ONE_BITS - LEAST) & EXPONENT
}

/// Returns `k` and `f`, for a positive finite number.
#[inline(always)]
pub(super) fn split(x: f64) -> (f64, f64) {
    let is_subnormal = x < f64::MIN_POSITIVE;
    let scaled = x * 18_014_398_509_481_984.0;
    let x = if is_subnormal { scaled } else { x };
    let bias = if is_subnormal { 1077.0 } else { 1023.0 };
    split_biased(x, bias)
}

/// Does [`split`] for a number that [`is_normal`].
#[inline(always)]
pub(super) fn split_normal(x: f64) -> (f64, f64) {
    split_biased(x, 1023.0)
}

#[inline(always)]
fn split_biased(x: f64, bias: f64) -> (f64, f64) {
    let power = power(x);
    let m = f64::from_bits(x.to_bits().wrapping_sub(power).wrapping_add(ONE_BITS));
    (biased_exponent(power) - bias, m - 1.0)
}

/// Whether a number is positive, normal and finite.
#[inline(always)]
pub fn is_normal(x: f64) -> bool {
    let least = f64::MIN_POSITIVE.to_bits();
    x.to_bits().wrapping_sub(least) < f64::INFINITY.to_bits() - least
}

/// The terms that the formula adds to `f`: half of `f^2`, and `rest` of `s (f^2/2 + R)`.
struct Terms {
    half: f64,
    s: f64,
    z: f64,
    rest: f64,
}

impl Terms {
    #[inline(always)]
    fn new(f: f64) -> Terms {
        let half = 0.5 * f * f;
        let s = f / (2.0 + f);
        let z = s * s;
        let rest = s * polynomial(z, &SERIES).mul_add(z, half);
        Terms { half, s, z, rest }
    }
}

/// Replaces the result for arguments outside of the formula: `x` from 0 down, infinity and NaN.
#[inline(always)]
fn with_edges(x: f64, value: f64) -> f64 {
    let edge = if x < 0.0 { f64::NAN } else { x };
    let edge = if x == 0.0 { f64::NEG_INFINITY } else { edge };
    if is_positive_finite(x) { value } else { edge }
}

/// Returns `k ln 2 + ln(1 + f) + lost`, where `lost` is small.
#[inline(always)]
fn natural(k: f64, f: f64, terms: Terms, lost: f64) -> f64 {
    // The larger parts as a sum. The multiple of ln 2 is exact, and 0 or larger than `f`.
    let multiple = k * LN_2[0];
    let high = multiple + f;
    let low = (multiple - high) + f;
    high + (low + (k.mul_add(LN_2[1], terms.rest + lost) - terms.half))
}

/// Returns the natural logarithm, to 0.9 units in the last place.
#[inline(always)]
pub fn ln(x: f64) -> f64 {
    let (k, f) = split(x);
    with_edges(x, natural(k, f, Terms::new(f), -0.0))
}

/// Returns the bits of [`ln`] with fewer instructions, if `x` [`is_normal`].
#[inline(always)]
pub fn normal_ln(x: f64) -> f64 {
    let (k, f) = split_normal(x);
    natural(k, f, Terms::new(f), -0.0)
}

/// Returns `ln(1 + x)`, to 0.9 units in the last place.
#[inline(always)]
pub fn ln_1p(x: f64) -> f64 {
    let sum = 1.0 + x;
    let power = power(sum);
    // (1 + x) 2^-k - 1 as a sum; x itself if k is 0. The factor 2^-k may be subnormal.
    let scale = f64::from_bits((2 * ONE_BITS + (2 << 52)).wrapping_sub(power));
    let quarter = 0.25 * x;
    let one = scale.mul_add(0.25, -1.0);
    let f = quarter.mul_add(scale, one);
    let lost = quarter.mul_add(scale, one - f);
    let terms = Terms::new(f);
    // Divided by `1 + f`, almost: 1 - 2 s + 2 s^2.
    let lost = lost.mul_add(2.0 * (terms.z - terms.s), lost);
    let value = with_edges(
        sum,
        natural(biased_exponent(power) - 1023.0, f, terms, lost),
    );
    // The next term of the series is negligible; this keeps the sign of 0.
    if x.abs() < f64::EPSILON / 4.0 {
        x
    } else {
        value
    }
}

/// Returns `ln(1 + f)` times a factor, plus `whole + low`, where `whole` is exact, and 0 or larger
/// than the rest.
#[inline(always)]
fn scaled(f: f64, factor: [f64; 2], whole: f64, low: f64) -> f64 {
    let Terms { half, rest, .. } = Terms::new(f);
    let high = f - half;
    let rest = (f - high) - half + rest;
    let first = high * factor[0];
    let lost = high.mul_add(factor[0], -first);
    let lost = rest.mul_add(factor[0], high.mul_add(factor[1], lost)) + low;
    let sum = whole + first;
    sum + (((whole - sum) + first) + lost)
}

/// Returns the logarithm to base 2, to 0.9 units in the last place.
#[inline(always)]
pub fn log2(x: f64) -> f64 {
    let (k, f) = split(x);
    with_edges(x, scaled(f, LOG2_E, k, -0.0))
}

/// Returns the bits of [`log2`] with fewer instructions, if `x` [`is_normal`].
#[inline(always)]
pub fn normal_log2(x: f64) -> f64 {
    let (k, f) = split_normal(x);
    scaled(f, LOG2_E, k, -0.0)
}

/// Returns the logarithm to base 10, to 0.9 units in the last place.
#[inline(always)]
pub fn log10(x: f64) -> f64 {
    let (k, f) = split(x);
    with_edges(x, scaled(f, LOG10_E, k * LOG10_2[0], k * LOG10_2[1]))
}

/// Returns the bits of [`log10`] with fewer instructions, if `x` [`is_normal`].
#[inline(always)]
pub fn normal_log10(x: f64) -> f64 {
    let (k, f) = split_normal(x);
    scaled(f, LOG10_E, k * LOG10_2[0], k * LOG10_2[1])
}
