//! Inverses of the trigonometric functions.
//!
//! `atan x` and `asin x` are `x + x^3 P(x^2)` near 0, where `P` is a best polynomial with an error
//! below `2^-57`. Other arguments are reduced by `atan x = atan c + atan((x - c) / (1 + c x))` with
//! `c` of 1/2 and 1, by `atan x = pi/2 - atan(1 / x)`, and by
//! `asin x = pi/2 - 2 asin(sqrt((1 - x) / 2))`.

use super::polynomial;

/// Half of pi, as a sum.
const PI_2: (f64, f64) = (std::f64::consts::FRAC_PI_2, 6.123_233_995_736_766e-17);
/// Pi, as a sum.
const PI: (f64, f64) = (std::f64::consts::PI, 1.224_646_799_147_353_2e-16);

/// The inverse tangents of 1/2 and 1, as sums. The first parts end with zeros, so that their
/// differences from pi are exact.
const ATAN_HALF: (f64, f64) = (0.463_647_609_000_805_7, 4.112_768_360_717_665e-16);
const ATAN_ONE: (f64, f64) = (std::f64::consts::FRAC_PI_4, 3.061_616_997_868_383e-17);

/// Coefficients of `P` of the inverse tangent for `x` up to 7/16, the highest power first.
const ATAN: [f64; 11] = [
    -0.016_249_980_912_925_763,
    0.036_494_742_750_551_13,
    -0.049_752_456_279_730_57,
    0.058_331_619_084_977_825,
    -0.066_610_098_728_238_52,
    0.076_918_699_241_715_04,
    -0.090_908_867_346_061_48,
    0.111_111_103_897_784_74,
    -0.142_857_142_721_481_23,
    0.199_999_999_998_724_73,
    -0.333_333_333_333_329_15,
];

/// Coefficients of `P` of the inverse sine for `x` up to 1/2, the highest power first.
const ASIN: [f64; 13] = [
    0.032_631_716_315_325_535,
    -0.021_003_928_977_835_93,
    0.021_710_830_437_555_496,
    0.003_705_040_823_457_759,
    0.010_780_609_038_121_112,
    0.011_398_849_682_604_68,
    0.013_980_828_072_560_83,
    0.017_351_611_395_484_644,
    0.022_372_215_021_522_684,
    0.030_381_942_706_601_613,
    0.044_642_857_174_636_02,
    0.074_999_999_999_707_74,
    0.166_666_666_666_667_6,
];

/// An angle from 0 to pi/4 as `base + base_low + atan(over / under)`.
struct Octant {
    base: f64,
    base_low: f64,
    over: f64,
    under: f64,
}

impl Octant {
    /// Returns the angle whose tangent is `small / large`, for `0 <= small <= large` and `large`
    /// not 0 or infinite.
    #[inline(always)]
    fn new(small: f64, large: f64) -> Octant {
        let is_middle = small > 0.4375 * large;
        let is_upper = small > 0.6875 * large;
        let pick = |lower: f64, middle: f64, upper: f64| {
            let low = if is_middle { middle } else { lower };
            if is_upper { upper } else { low }
        };
        let c = pick(0.0, 0.5, 1.0);
        Octant {
            base: pick(0.0, ATAN_HALF.0, ATAN_ONE.0),
            base_low: pick(0.0, ATAN_HALF.1, ATAN_ONE.1),
            over: (-c).mul_add(large, small),
            under: c.mul_add(small, large),
        }
    }

    /// Returns `from` plus the angle, or minus it, where `t` is `over / under` and `lost` its
    /// rounding error.
    #[inline(always)]
    fn angle(self, t: f64, lost: f64, from: (f64, f64), is_minus: bool) -> f64 {
        let turn = |x: f64| if is_minus { -x } else { x };
        let z = t * t;
        let rest = (t * z).mul_add(polynomial(z, &ATAN), self.base_low + lost);
        let base = from.0 + turn(self.base);
        base + (turn(t) + (turn(rest) + from.1))
    }
}

/// Returns the inverse tangent, to 0.9 units in the last place.
#[inline(always)]
pub fn atan(x: f64) -> f64 {
    let size = x.abs();
    // The result is pi/2 from here on.
    let capped = if size > 1e20 { 1e20 } else { size };
    let is_steep = capped > 1.0;
    let small = if is_steep { 1.0 } else { capped };
    let large = if is_steep { capped } else { 1.0 };
    let octant = Octant::new(small, large);
    let t = octant.over / octant.under;
    let from = if is_steep { PI_2 } else { (0.0, 0.0) };
    octant.angle(t, -0.0, from, is_steep).copysign(x)
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
    let octant = Octant::new(small, large);
    let inverse = 1.0 / octant.under;
    let t = octant.over * inverse;
    let lost = (-t).mul_add(octant.under, octant.over) * inverse;
    let is_left = x.is_sign_negative();
    let right = if is_left { PI } else { (0.0, 0.0) };
    let from = if is_steep { PI_2 } else { right };
    let value = octant.angle(t, lost, from, is_steep != is_left).copysign(y);
    if x.is_nan() || y.is_nan() {
        x + y
    } else {
        value
    }
}

/// The inverse sine of a number up to 1/2, as `x + rest`: of the magnitude of the argument, or, if
/// that is larger, of `sqrt((1 - magnitude) / 2)`.
struct Half {
    is_far: bool,
    x: f64,
    rest: f64,
}

impl Half {
    #[inline(always)]
    fn new(size: f64) -> Half {
        let is_far = size > 0.5;
        let z = if is_far {
            (-0.5f64).mul_add(size, 0.5)
        } else {
            size * size
        };
        let root = z.sqrt();
        // The rounding error of the root. Its divisor `2 root` need not be exact: half of the
        // exponent is an estimate within 4 %.
        let inverse = f64::from_bits(INVERSE_ROOT.wrapping_sub(z.to_bits() >> 1));
        let lost = (-root).mul_add(root, z) * inverse;
        let x = if is_far { root } else { size };
        let lost = if is_far { lost } else { 0.0 };
        let rest = (x * z).mul_add(polynomial(z, &ASIN), lost);
        Half { is_far, x, rest }
    }

    /// Returns `from + factor * angle`, where `factor` is a power of two with a sign, and `from` is
    /// 0 or larger than the angle.
    #[inline(always)]
    fn angle(self, from: (f64, f64), factor: f64) -> f64 {
        let turned = factor * self.x;
        let high = from.0 + turned;
        let lost = (from.0 - high) + turned;
        high + (lost + factor.mul_add(self.rest, from.1))
    }
}

/// Minus half the bits of a number from this leaves those of `0.5 / sqrt(x)`, almost.
const INVERSE_ROOT: u64 = 0x5fd6_eb50_c7b5_37a9;

/// Returns the inverse sine, to 0.8 units in the last place; NaN beyond 1.
#[inline(always)]
pub fn asin(x: f64) -> f64 {
    let half = Half::new(x.abs());
    let from = if half.is_far { PI_2 } else { (0.0, 0.0) };
    let factor = if half.is_far { -2.0 } else { 1.0 };
    half.angle(from, factor).copysign(x)
}

/// Returns the inverse cosine, to 0.9 units in the last place; NaN beyond 1.
#[inline(always)]
pub fn acos(x: f64) -> f64 {
    let half = Half::new(x.abs());
    let side = if x < 0.0 { PI } else { (0.0, 0.0) };
    let from = if half.is_far { side } else { PI_2 };
    let factor: f64 = if half.is_far { 2.0 } else { -1.0 };
    // Of a negative number the angle is subtracted instead of added, or added.
    let factor = f64::from_bits(factor.to_bits() ^ (x.to_bits() & SIGN));
    half.angle(from, factor)
}

const SIGN: u64 = 1 << 63;
