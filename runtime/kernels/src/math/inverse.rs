//! Inverses of the trigonometric functions.
//!
//! `atan x` and `asin x` are `x + x^3 P(x^2)` near 0, where `P` interpolates the exact quotient at
//! Chebyshev's points with an error below `2^-59`. Other arguments are reduced by
//! `atan x = pi/4 + atan((x - 1) / (x + 1))` and `asin x = pi/2 - 2 asin(sqrt((1 - x) / 2))`.

use super::{add, polynomial, sum};

/// Half of pi, as a sum.
const PI_2: (f64, f64) = (std::f64::consts::FRAC_PI_2, 6.123_233_995_736_766e-17);
/// A quarter of pi, as a sum.
const PI_4: (f64, f64) = (std::f64::consts::FRAC_PI_4, 3.061_616_997_868_383e-17);
/// Pi, as a sum.
const PI: (f64, f64) = (std::f64::consts::PI, 1.224_646_799_147_353_2e-16);

/// Coefficients of `P` of the inverse tangent for `x^2` up to 0.1716, the highest power first.
const ATAN: [f64; 12] = [
    0.016_285_183_029_865_667,
    -0.034_570_044_186_095_536,
    0.045_515_730_866_641_91,
    -0.052_304_498_567_092_406,
    0.058_789_283_985_172_32,
    -0.066_664_248_336_135_52,
    0.076_922_963_721_299_64,
    -0.090_909_087_534_004_99,
    0.111_111_111_051_534_29,
    -0.142_857_142_856_598_06,
    0.199_999_999_999_998_04,
    -0.333_333_333_333_333_3,
];

/// Coefficients of `P` of the inverse sine for `x^2` up to 0.25, the highest power first.
const ASIN: [f64; 14] = [
    0.029_612_011_264_955_12,
    -0.019_241_671_746_743_04,
    0.019_554_513_336_123_378,
    0.003_044_879_909_455_677_3,
    0.009_319_560_794_767_446,
    0.009_621_842_970_100_282,
    0.011_566_459_612_121_669,
    0.013_963_780_012_203_57,
    0.017_352_816_540_325_496,
    0.022_372_157_443_507_22,
    0.030_381_944_475_532_34,
    0.044_642_857_142_551_895,
    0.075_000_000_000_001_18,
    0.166_666_666_666_666_66,
];

/// The tangent of pi/8, above which arguments are reduced.
const TAN_PI_8: f64 = 0.414_213_562_373_095_03;

/// Returns the angle whose tangent is `small / large`, from 0 to pi/4, as a sum, for
/// `0 <= small <= large` and `large` not 0.
#[inline(always)]
fn first_octant(small: f64, large: f64) -> (f64, f64) {
    let is_reduced = small > TAN_PI_8 * large;
    // Both are computed before the choice, since a branch would keep the loop from being vector
    // code.
    let (difference, difference_low) = sum(small, -large);
    let (total, total_low) = sum(small, large);
    let (over, over_low) = if is_reduced {
        (difference, difference_low)
    } else {
        (small, 0.0)
    };
    let (under, under_low) = if is_reduced {
        (total, total_low)
    } else {
        (large, 0.0)
    };
    let inverse = 1.0 / under;
    let r = over * inverse;
    let remainder = (-r).mul_add(under, over) + (over_low - r * under_low);
    let z = r * r;
    let rest = (r * z).mul_add(polynomial(z, &ATAN), remainder * inverse);
    let (base, base_low) = if is_reduced { PI_4 } else { (0.0, 0.0) };
    let (high, low) = sum(base, r);
    (high, low + (base_low + rest))
}

/// Returns the inverse tangent, to 0.9 units in the last place.
#[inline(always)]
pub fn atan(x: f64) -> f64 {
    let size = x.abs();
    // The result is pi/2 from here on.
    let capped = if size > 1e20 { 1e20 } else { size };
    let is_steep = capped > 1.0;
    let (small, large) = if is_steep {
        (1.0, capped)
    } else {
        (capped, 1.0)
    };
    let (high, low) = first_octant(small, large);
    let (base, base_low) = if is_steep { PI_2 } else { (0.0, 0.0) };
    let (high, low) = if is_steep { (-high, -low) } else { (high, low) };
    let (high, lost) = sum(base, high);
    let value = (high + (lost + (base_low + low))).copysign(x);
    // The next term of the series is negligible; this keeps the sign of 0.
    if size < 7.4e-9 { x } else { value }
}

/// Powers of two: the side above which it is scaled down, the side below which it is scaled up, and
/// the scale of both.
const TWO_960: f64 = f64::from_bits((960 + 1023) << 52);
const TWO_100: f64 = f64::from_bits((100 + 1023) << 52);
const TWO_200: f64 = f64::from_bits((200 + 1023) << 52);

/// Returns the angle of the point `(x, y)`, from -pi to pi, to 0.9 units in the last place; to 2 if
/// the result is subnormal.
#[inline(always)]
pub fn atan2(y: f64, x: f64) -> f64 {
    let (high, wide) = (y.abs(), x.abs());
    let is_steep = high > wide;
    let (small, large) = if is_steep { (wide, high) } else { (high, wide) };
    // Scaling keeps sums from overflowing, and remainders from becoming subnormal.
    let scale = if large > TWO_960 { 1.0 / TWO_200 } else { 1.0 };
    let scale = if large < TWO_100 { TWO_200 } else { scale };
    let (small, large) = (small * scale, large * scale);
    // If an argument is infinite, either both are, or the other one is negligible.
    let is_infinite = large == f64::INFINITY;
    let small = if is_infinite {
        if small == large { 1.0 } else { 0.0 }
    } else {
        small
    };
    let large = if is_infinite || large == 0.0 {
        1.0
    } else {
        large
    };
    let (high, low) = first_octant(small, large);
    let is_left = x.is_sign_negative();
    let (base, base_low) = if is_steep {
        PI_2
    } else if is_left {
        PI
    } else {
        (0.0, 0.0)
    };
    let is_back = is_steep != is_left;
    let (high, low) = if is_back { (-high, -low) } else { (high, low) };
    let (high, lost) = sum(base, high);
    let value = (high + (lost + (base_low + low))).copysign(y);
    if x.is_nan() || y.is_nan() {
        x + y
    } else {
        value
    }
}

/// For the larger half of arguments, returns half of the angle as a sum, and the term that `P` adds
/// to it.
#[inline(always)]
fn half_angle(size: f64) -> (f64, f64) {
    let z = 0.5 * (1.0 - size);
    let root = z.sqrt();
    // The rounding error of the root; 0 for 0.
    let lost = (-root).mul_add(root, z) / (root + root);
    let lost = if root > 0.0 { lost } else { 0.0 };
    (root, (root * z).mul_add(polynomial(z, &ASIN), lost))
}

/// Returns the inverse sine, to 0.8 units in the last place; NaN beyond 1.
#[inline(always)]
pub fn asin(x: f64) -> f64 {
    let size = x.abs();
    let z = x * x;
    let near = (x * z).mul_add(polynomial(z, &ASIN), x);
    let (root, rest) = half_angle(size);
    let (high, lost) = add(PI_2.0, -2.0 * root);
    let far = (high + (lost + (-2.0f64).mul_add(rest, PI_2.1))).copysign(x);
    let value = if size > 0.5 { far } else { near };
    if size > 1.0 { f64::NAN } else { value }
}

/// Returns the inverse cosine, to 0.9 units in the last place; NaN beyond 1.
#[inline(always)]
pub fn acos(x: f64) -> f64 {
    let size = x.abs();
    let z = x * x;
    let (high, lost) = add(PI_2.0, -x);
    let near = high + (lost + (-(x * z)).mul_add(polynomial(z, &ASIN), PI_2.1));
    let (root, rest) = half_angle(size);
    let right = 2.0 * (root + rest);
    let (high, lost) = add(PI.0, -2.0 * root);
    let left = high + (lost + (-2.0f64).mul_add(rest, PI.1));
    let far = if x < 0.0 { left } else { right };
    let value = if size > 0.5 { far } else { near };
    if size > 1.0 { f64::NAN } else { value }
}
