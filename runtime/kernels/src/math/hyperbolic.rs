//! Hyperbolic functions and their inverses.
//!
//! With `|x| = n ln 2 + r`, the sums and differences of `2^n e^r` and `2^-n e^-r` are products of
//! `2^n + 2^-n` and `2^n - 2^-n` with `cosh r` and `sinh r`. Those are even and odd, so that both
//! powers share their polynomials, which are best ones with errors below `2^-57`.
//!
//! The inverses are twice `atanh s`, plus a multiple of `ln 2`. With `sinh y` and `cosh y` known,
//! `s = tanh(y / 2) = sinh y / (1 + cosh y)`, so that nothing cancels near 0. Their polynomial has
//! an error below `2^-59`.

use super::exp::Reduced;
use super::log::LN_2;
use super::{EXPONENT, ONE_BITS, add, biased_exponent, polynomial, power_of_two};

/// Coefficients of `(cosh r - 1) / r^2` in `r^2`, the highest power first.
const COSH: [f64; 5] = [
    2.763_148_215_020_746_3e-7,
    2.480_148_937_409_818_2e-5,
    0.001_388_888_894_757_398_6,
    0.041_666_666_666_513_204,
    0.500_000_000_000_001_3,
];

/// Coefficients of `(sinh r - r) / r^3` in `r^2`, the highest power first.
const SINH: [f64; 5] = [
    2.510_914_727_252_721_3e-8,
    2.755_724_391_202_046_4e-6,
    0.000_198_412_698_864_007_5,
    0.008_333_333_333_321_532,
    0.166_666_666_666_666_77,
];

/// Coefficients of `(atanh s - s) / s^3` in `s^2` up to 1/9, the highest power first.
const ATANH: [f64; 10] = [
    0.085_185_844_403_632_21,
    0.041_651_635_150_492_58,
    0.060_541_305_741_688_284,
    0.066_503_534_971_997_67,
    0.076_932_897_733_977_77,
    0.090_908_715_191_815_9,
    0.111_111_119_969_108_94,
    0.142_857_142_737_426_33,
    0.200_000_000_000_799_98,
    0.333_333_333_333_331_5,
];

/// Hyperbolic functions of a reduced argument `r + low`: `cosh r - 1`, and `sinh r - r` plus `low`.
#[derive(Clone, Copy)]
struct Small {
    r: f64,
    even: f64,
    odd: f64,
}

impl Small {
    #[inline(always)]
    fn new(r: f64, low: f64) -> Small {
        let z = r * r;
        let even = z * polynomial(z, &COSH);
        let odd = (z * r).mul_add(polynomial(z, &SINH), low);
        // The change of `cosh r` by `low` matters where `r` is large.
        let even = r.mul_add(low, even);
        Small { r, even, odd }
    }

    /// Returns `of_cosh * cosh r + of_sinh * sinh r` as a sum, where the first factor is not
    /// smaller, or 0.
    #[inline(always)]
    fn combined(self, of_cosh: f64, of_sinh: f64) -> (f64, f64) {
        let high = of_sinh.mul_add(self.r, of_cosh);
        let lost = of_sinh.mul_add(self.r, of_cosh - high);
        (
            high,
            of_cosh.mul_add(self.even, of_sinh.mul_add(self.odd, lost)),
        )
    }
}

/// Returns the hyperbolic tangent, to 0.7 units in the last place.
#[inline(always)]
pub fn tanh(x: f64) -> f64 {
    let size = x.abs();
    // The result is 1 from here on.
    let capped = if size > 22.0 { 22.0 } else { size };
    let Reduced { n, r, low } = Reduced::new(capped);
    let small = Small::new(r, low);
    // Both sums are divided by 2^n.
    let inverse = power_of_two(n.wrapping_mul(-2));
    let (plus, minus) = (1.0 + inverse, 1.0 - inverse);
    let (over, over_low) = small.combined(minus, plus);
    let (under, under_low) = small.combined(plus, minus);
    // What the sums lose is 0 until `2^-n` is small, so that `1 - r` is near enough to `e^-r`.
    let lost = (1.0 - minus) - inverse;
    let lost = (-r).mul_add(lost, lost);
    let (over_low, under_low) = (over_low + lost, under_low - lost);
    let (over, over_low) = add(over, over_low);
    let (under, under_low) = add(under, under_low);
    let inverse = 1.0 / under;
    let quotient = over * inverse;
    let remainder = (-quotient).mul_add(under, over) + (-quotient).mul_add(under_low, over_low);
    remainder.mul_add(inverse, quotient).copysign(x)
}

/// The least argument whose hyperbolic sine and cosine are infinite, or a little more.
const LARGEST: f64 = 711.0;

/// Returns an eighth of `2^n + 2^-n`, what it loses, an eighth of `2^n - 2^-n`, which loses the
/// same with the other sign, and functions of the rest of the argument.
#[inline(always)]
fn eighths(size: f64) -> (f64, f64, f64, Small) {
    let capped = if size > LARGEST { LARGEST } else { size };
    let Reduced { n, r, low } = Reduced::new(capped);
    let up = power_of_two(n.wrapping_sub(4));
    let down = power_of_two(n.wrapping_neg().wrapping_sub(4));
    // From here on the smaller power does not count, and might be no number.
    let down = if size > 600.0 { 0.0 } else { down };
    let plus = up + down;
    (plus, (up - plus) + down, up - down, Small::new(r, low))
}

/// Returns the hyperbolic sine, to 0.8 units in the last place.
#[inline(always)]
pub fn sinh(x: f64) -> f64 {
    let (plus, lost, minus, small) = eighths(x.abs());
    let (high, low) = small.combined(minus, plus);
    // What is lost is 0 until `2^-n` is small, so that `1 - r` is near enough to `e^-r`.
    let low = lost.mul_add(small.r - 1.0, low);
    let value = (8.0 * (high + low)).copysign(x);
    // The next term of the series is negligible, and an eighth might be subnormal.
    if x.abs() < 1.8e-8 { x } else { value }
}

/// Returns the hyperbolic cosine, to 0.8 units in the last place.
#[inline(always)]
pub fn cosh(x: f64) -> f64 {
    let (plus, lost, minus, small) = eighths(x.abs());
    let (high, low) = small.combined(plus, minus);
    let low = lost.mul_add(1.0 - small.r, low);
    8.0 * (high + low)
}

/// Returns `k ln 2 + 2 atanh s + 2 low`.
#[inline(always)]
fn joined(k: f64, s: f64, low: f64) -> f64 {
    let z = s * s;
    let rest = (s * z).mul_add(polynomial(z, &ATANH), k.mul_add(0.5 * LN_2[1], low));
    k.mul_add(LN_2[0], 2.0 * (s + rest))
}

/// The argument from which its square does not change the result, which is the logarithm of twice
/// the argument.
const LARGE: f64 = 1e18;

/// Returns the number with this hyperbolic sine and cosine, which are not negative. Only
/// `argument`, which is one of them, is read if it is [`LARGE`].
#[inline(always)]
fn area(sinh: f64, cosh: f64, argument: f64) -> f64 {
    let is_large = argument > LARGE;
    let (both, lost) = add(cosh, sinh);
    let both = if is_large { 0.5 * argument } else { both };
    let lost = if is_large { 0.0 } else { lost };
    // The sum is 2^k m, with `m` from 1 to 2.
    let power = f64::from_bits(both.to_bits() & EXPONENT);
    let is_near = both < 2.0;
    let over = if is_near { sinh } else { (both - power) + lost };
    let (under, under_low) = add(if is_near { cosh } else { both }, power);
    let inverse = 1.0 / under;
    let s = over * inverse;
    let remainder = (-s).mul_add(under, over) - s * under_low;
    let bias = if is_large { 1021.0 } else { 1023.0 };
    let value = joined(
        biased_exponent(power.to_bits()) - bias,
        s,
        remainder * inverse,
    );
    if argument < f64::INFINITY {
        value
    } else {
        argument
    }
}

/// Returns the inverse of the hyperbolic sine, to 2 units in the last place.
#[inline(always)]
pub fn asinh(x: f64) -> f64 {
    let size = x.abs();
    let value = area(size, size.mul_add(size, 1.0).sqrt(), size);
    // The next term of the series is negligible, and a subnormal half might be another number.
    if size < 1.8e-8 { x } else { value.copysign(x) }
}

/// Returns the inverse of the hyperbolic cosine, to 2 units in the last place; NaN below 1.
#[inline(always)]
pub fn acosh(x: f64) -> f64 {
    let t = x - 1.0;
    let value = area(t.mul_add(t, 2.0 * t).sqrt(), x, x);
    if x < 1.0 { f64::NAN } else { value }
}

/// The largest number below 1, and its result.
const BELOW_ONE: (f64, f64) = (0.999_999_999_999_999_9, 18.714_973_875_118_524);

/// Returns the inverse of the hyperbolic tangent, to 1.5 units in the last place; NaN beyond 1.
///
/// It is half of the logarithm of `(1 + x) / (1 - x) = 2^k (1 + s) / (1 - s)`, with `k` 0 up to a
/// third, and the exponent of `1 / (1 - x)` beyond. Then `|s|` is at most a third.
#[inline(always)]
pub fn atanh(x: f64) -> f64 {
    let size = x.abs();
    let exponent = (1.0 - size).to_bits() & EXPONENT;
    let is_near = size < 1.0 / 3.0;
    let power = f64::from_bits(if is_near {
        ONE_BITS
    } else {
        (2 * ONE_BITS).wrapping_sub(exponent)
    });
    let (plus, minus) = (1.0 + power, 1.0 - power);
    let s = size.mul_add(plus, minus) / size.mul_add(minus, plus);
    let value = 0.5 * joined(biased_exponent(power.to_bits()) - 1023.0, s, -0.0);
    let value = if size < BELOW_ONE.0 {
        value
    } else {
        BELOW_ONE.1
    };
    let value = if size == 1.0 { f64::INFINITY } else { value };
    let value = if size <= 1.0 { value } else { f64::NAN };
    value.copysign(x)
}
