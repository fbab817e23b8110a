//! Sine and cosine.
//!
//! `x = n pi/2 + r` with `|r| <= pi/4`, where `pi/2` is a sum of three floats whose products with
//! `n` are exact (Cody and Waite's reduction, with fused products). The polynomials, which take `r`
//! as a sum of two floats, are those of `k_sin.c` and `k_cos.c` in FDLIBM 5.3 (Sun Microsystems,
//! 1993).

#![allow(clippy::excessive_precision, reason = "the digits as published")]

use super::{add, nearest, polynomial};

/// Half of pi as a sum.
const PI_2: [f64; 3] = [
    std::f64::consts::FRAC_PI_2,
    6.123_233_995_736_766e-17,
    -1.497_384_904_859_169_8e-33,
];

/// The largest argument. Those beyond are left to the standard library, since `pi/2` would need
/// more parts.
const FAR: f64 = 1_073_741_824.0;

/// Coefficients of the sine, that of `r^13` first.
const SIN: [f64; 5] = [
    1.589_690_995_211_550_102_21e-10,
    -2.505_076_025_340_686_341_95e-8,
    2.755_731_370_707_006_767_89e-6,
    -1.984_126_982_985_794_931_34e-4,
    8.333_333_333_322_489_461_24e-3,
];
/// The coefficient of `r^3`.
const SIN_3: f64 = -1.666_666_666_666_663_243_48e-1;

/// Coefficients of the cosine, that of `r^14` first.
const COS: [f64; 6] = [
    -1.135_964_755_778_819_482_65e-11,
    2.087_572_321_298_174_827_90e-9,
    -2.755_731_435_139_066_330_35e-7,
    2.480_158_728_947_672_941_78e-5,
    -1.388_888_888_887_410_957_49e-3,
    4.166_666_666_666_660_190_37e-2,
];

/// Whether an argument is finite, and too large for [`sin`], [`cos`] and [`tan`].
#[inline(always)]
pub fn is_far(x: f64) -> bool {
    (x.abs() > FAR) & (x.abs() < f64::INFINITY)
}

/// Returns `a - b` and its rounding error.
#[inline(always)]
fn subtract(a: f64, b: f64) -> (f64, f64) {
    let difference = a - b;
    let back = difference - a;
    (difference, (a - (difference - back)) - (b + back))
}

/// Returns `n`, and `r` as a sum.
#[inline(always)]
fn reduce(x: f64) -> (i64, f64, f64) {
    let (multiple, n) = nearest(x * std::f64::consts::FRAC_2_PI);
    // This is exact: both are multiples of one power of 2, and the difference is small.
    let rest = (-multiple).mul_add(PI_2[0], x);
    let second = multiple * PI_2[1];
    let second_low = multiple.mul_add(PI_2[1], -second);
    let (rest, lost) = subtract(rest, second);
    let low = lost - multiple.mul_add(PI_2[2], second_low);
    let r = rest + low;
    (n, r, (rest - r) + low)
}

/// Returns the sine of `x + quarters * pi/2`.
#[inline(always)]
fn sine(x: f64, quarters: i64) -> f64 {
    let (n, r, low) = reduce(x);
    let n = n.wrapping_add(quarters);
    let z = r * r;
    let cube = z * r;
    let sin = r - ((z * (0.5 * low - cube * polynomial(z, &SIN)) - low) - cube * SIN_3);
    let half = 0.5 * z;
    let one = 1.0 - half;
    let cos = one + (((1.0 - one) - half) + (z * (z * polynomial(z, &COS)) - r * low));
    let value = if n & 1 == 0 { sin } else { cos };
    // Two quarters invert the sign.
    f64::from_bits(value.to_bits() ^ ((n as u64 & 2) << 62))
}

/// Returns the sine, to 0.9 units in the last place, unless the argument [`is_far`].
#[inline(always)]
pub fn sin(x: f64) -> f64 {
    // The next term of the series is negligible; this keeps the sign of 0.
    if x.abs() < 7.4e-9 { x } else { sine(x, 0) }
}

/// Returns the cosine, to 0.9 units in the last place, unless the argument [`is_far`].
#[inline(always)]
pub fn cos(x: f64) -> f64 {
    sine(x, 1)
}

/// Coefficients of `(sin r / r - 1) / r^2` in `r^2`, interpolated at Chebyshev's points with an
/// error below `2^-42`, the highest power first.
const SHORT_SIN: [f64; 5] = [
    -2.480_561_646_778_259e-8,
    2.755_599_071_607_455_2e-6,
    -0.000_198_412_669_162_803_4,
    0.008_333_333_331_078_498,
    -0.166_666_666_666_638_85,
];

/// Coefficients of `(cos r - 1) / r^2`, likewise, with an error below `2^-40`.
const SHORT_COS: [f64; 5] = [
    -2.723_711_474_951_88e-7,
    2.479_986_191_301_37e-5,
    -0.001_388_888_509_048_319_8,
    0.041_666_666_637_386_655,
    -0.499_999_999_999_638_8,
];

/// Returns the sine of `x + quarters * pi/2` with a relative error of `2^-41`, unless `x`
/// [`is_far`]. `x` must be an `f32`: none is so close to a multiple of `pi/2` that more parts of it
/// are needed.
#[inline(always)]
pub(super) fn short_sine(x: f64, quarters: i64) -> f64 {
    let (multiple, n) = nearest(x * std::f64::consts::FRAC_2_PI);
    let n = n.wrapping_add(quarters);
    let rest = (-multiple).mul_add(PI_2[0], x);
    let r = (-multiple).mul_add(PI_2[1], rest);
    let z = r * r;
    let sin = (r * z).mul_add(polynomial(z, &SHORT_SIN), r);
    let cos = z.mul_add(polynomial(z, &SHORT_COS), 1.0);
    let value = if n & 1 == 0 { sin } else { cos };
    // Two quarters invert the sign.
    f64::from_bits(value.to_bits() ^ ((n as u64 & 2) << 62))
}

/// Coefficients of `(tan x - x) / x^3` in `x^2`, for `x` up to pi/8, with an error below `2^-58`,
/// the highest power first.
const TAN: [f64; 9] = [
    0.000_329_078_698_140_685_46,
    0.000_558_888_599_880_131_8,
    0.001_461_615_060_624_671_8,
    0.003_591_489_035_727_039,
    0.008_863_278_789_401_48,
    0.021_869_486_773_229_117,
    0.053_968_254_008_815_573,
    0.133_333_333_332_876_3,
    0.333_333_333_333_335_1,
];

/// Returns the tangent, to 0.9 units in the last place, unless the argument [`is_far`].
///
/// With `t = tan(r / 2)` it is `2 t / (1 - t^2)`, or minus the inverse of that.
#[inline(always)]
pub fn tan(x: f64) -> f64 {
    let (n, r, low) = reduce(x);
    let half = 0.5 * r;
    let z = half * half;
    let low = 0.5 * low;
    let rest = (half * z).mul_add(polynomial(z, &TAN), z.mul_add(low, low));
    let (t, t_low) = add(half, rest);
    let (twice, twice_low) = (2.0 * t, 2.0 * t_low);
    let square = t * t;
    let square_low = t.mul_add(t, -square) + twice * t_low;
    let (one, lost) = add(1.0, -square);
    let one_low = lost - square_low;
    let is_turned = n & 1 != 0;
    let over = if is_turned { -one } else { twice };
    let over_low = if is_turned { -one_low } else { twice_low };
    let under = if is_turned { twice } else { one };
    let under_low = if is_turned { twice_low } else { one_low };
    let inverse = 1.0 / under;
    let quotient = over * inverse;
    let remainder = (-quotient).mul_add(under, over) + (-quotient).mul_add(under_low, over_low);
    let value = remainder.mul_add(inverse, quotient);
    // The next term of the series is negligible; this keeps the sign of 0.
    if x.abs() < 7.4e-9 { x } else { value }
}
