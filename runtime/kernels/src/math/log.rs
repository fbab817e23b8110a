//! Logarithms.
//!
//! `x = 2^k m` with `m` between `sqrt(1/2)` and `sqrt(2)`, `f = m - 1`, `s = f / (2 + f)` and
//! `ln(1 + f) = f - f^2/2 + s (f^2/2 + R(s^2))`. The formula and the polynomial `R` are those of
//! `e_log.c` and `s_log1p.c` in FDLIBM 5.3 (Sun Microsystems, 1993). Logarithms to base 2 and 10
//! keep the sum in two parts, as FreeBSD's `e_log2.c` and `e_log10.c` do, and use their constants.

#![allow(clippy::excessive_precision, reason = "the digits as published")]

/// The natural logarithm of 2 as a sum; the first part has trailing zeros, so that its multiples
/// are exact.
const LN_2: [f64; 2] = [
    6.931_471_803_691_238_164_90e-1,
    1.908_214_929_270_587_700_02e-10,
];
/// `1 / ln 2` as a sum.
const LOG2_E: [f64; 2] = [
    1.442_695_040_721_446_275_71,
    1.675_171_316_488_651_183_53e-10,
];
/// `1 / ln 10` as a sum.
const LOG10_E: [f64; 2] = [
    4.342_944_818_781_688_809_39e-1,
    2.508_294_671_164_527_522_98e-11,
];
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
const ONE: u64 = 0x3ff0_0000_0000_0000;
const MANTISSA: u64 = 0x000f_ffff_ffff_ffff;

/// `2^52`, to whose low bits an integer is added.
const FLOAT: f64 = 4_503_599_627_370_496.0;

/// Returns `k` and `f`, for a positive finite number.
#[inline(always)]
fn split(x: f64) -> (f64, f64) {
    let is_subnormal = x < f64::MIN_POSITIVE;
    let scaled = x * 18_014_398_509_481_984.0;
    let x = if is_subnormal { scaled } else { x };
    let shift = if is_subnormal { 54.0 } else { 0.0 };
    let bits = x.to_bits().wrapping_add(ONE - LEAST);
    let m = f64::from_bits((bits & MANTISSA).wrapping_add(LEAST));
    let exponent = f64::from_bits(FLOAT.to_bits() | (bits >> 52)) - FLOAT;
    (exponent - 1023.0 - shift, m - 1.0)
}

/// Returns the terms that the formula adds to `f`: half of `f^2`, and `s (f^2/2 + R)`.
#[inline(always)]
fn terms(f: f64) -> (f64, f64) {
    let half = 0.5 * f * f;
    let s = f / (2.0 + f);
    let z = s * s;
    let mut series = SERIES[0];
    for &term in &SERIES[1..] {
        series = series.mul_add(z, term);
    }
    (half, s * series.mul_add(z, half))
}

/// Replaces the result for arguments outside of the formula: `x` from 0 down, infinity and NaN.
#[inline(always)]
fn with_edges(x: f64, value: f64) -> f64 {
    let value = if x < f64::INFINITY { value } else { x };
    let value = if x < 0.0 { f64::NAN } else { value };
    if x == 0.0 { f64::NEG_INFINITY } else { value }
}

/// Returns `k ln 2 + ln(1 + f) + lost`, where `lost` is small.
#[inline(always)]
fn natural(k: f64, f: f64, lost: f64) -> f64 {
    let (half, rest) = terms(f);
    // The larger parts as a sum. The multiple of ln 2 is exact, and 0 or larger than `f`.
    let multiple = k * LN_2[0];
    let high = multiple + f;
    let low = (multiple - high) + f;
    high + (low + ((rest + k.mul_add(LN_2[1], lost)) - half))
}

/// Returns the natural logarithm, to 0.9 units in the last place.
#[inline(always)]
pub fn ln(x: f64) -> f64 {
    let (k, f) = split(x);
    with_edges(x, natural(k, f, 0.0))
}

/// Returns `ln(1 + x)`, to 0.9 units in the last place.
#[inline(always)]
pub fn ln_1p(x: f64) -> f64 {
    let value = ln_1p_pair(x, 0.0);
    // The next term of the series is negligible; this keeps the sign of 0.
    if x.abs() < f64::EPSILON / 4.0 {
        x
    } else {
        value
    }
}

/// Returns `ln(1 + x + low)`, where `low` is below the last place of `x`, with the error of
/// [`ln_1p`].
#[inline(always)]
pub(super) fn ln_1p_pair(x: f64, low: f64) -> f64 {
    let sum = 1.0 + x;
    let (k, f) = split(sum);
    // The rounding error of the sum.
    let lost = if x < 1.0 {
        x - (sum - 1.0)
    } else {
        1.0 - (sum - x)
    };
    let is_near = k == 0.0;
    let lost = if is_near { low } else { lost + low };
    let f = if is_near { x } else { f };
    with_edges(sum, natural(k, f, lost / sum))
}

/// Returns `k` and `m - 1` with `x = 2^k m`, `m` from `sqrt(1/2)` to `sqrt(2)`, for a positive
/// finite number.
#[inline(always)]
pub(super) fn mantissa(x: f64) -> (f64, f64) {
    split(x)
}

/// Returns `ln(1 + f)` as a sum whose first part has trailing zeros.
#[inline(always)]
fn pair(f: f64) -> (f64, f64) {
    let (half, rest) = terms(f);
    let high = f64::from_bits((f - half).to_bits() & 0xffff_ffff_0000_0000);
    (high, (f - high) - half + rest)
}

/// Returns the logarithm to base 2, to 0.9 units in the last place.
#[inline(always)]
pub fn log2(x: f64) -> f64 {
    let (k, f) = split(x);
    let (high, low) = pair(f);
    let first = high * LOG2_E[0];
    let sum = k + first;
    let second = (low + high) * LOG2_E[1] + low * LOG2_E[0] + ((k - sum) + first);
    with_edges(x, second + sum)
}

/// Returns the logarithm to base 10, to 0.9 units in the last place.
#[inline(always)]
pub fn log10(x: f64) -> f64 {
    let (k, f) = split(x);
    let (high, low) = pair(f);
    let first = high * LOG10_E[0];
    let whole = k * LOG10_2[0];
    let sum = whole + first;
    let second =
        k * LOG10_2[1] + (low + high) * LOG10_E[1] + low * LOG10_E[0] + ((whole - sum) + first);
    with_edges(x, second + sum)
}
