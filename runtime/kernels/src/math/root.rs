//! The cube root.

use super::nearest;

/// Two thirds of the upper bits of 1. Added to a third of the upper bits of `x`, they approximate
/// those of its cube root.
const TWO_THIRDS_OF_ONE: f64 = 1_072_693_248.0 * 2.0 / 3.0;

/// Returns the cube root, to 0.6 units in the last place.
///
/// A third of the upper bits is an estimate to 4 bits. Each of two steps of Halley's method triples
/// their number, and a step of Newton's method with the exact remainder gives the last ones.
#[inline(always)]
pub fn cbrt(x: f64) -> f64 {
    let size = x.abs();
    // Subnormal numbers have no exponent to divide, and twice the largest numbers is infinite.
    let is_small = size < f64::MIN_POSITIVE;
    let is_large = size > 1e300;
    let scaled = if is_small { size * TWO_54 } else { size };
    let scaled = if is_large { size / TWO_54 } else { scaled };
    let upper = f64::from_bits((scaled.to_bits() >> 32) | INTEGER.to_bits()) - INTEGER;
    // The low half of the estimate's bits is arbitrary.
    let (_, third) = nearest(upper.mul_add(1.0 / 3.0, TWO_THIRDS_OF_ONE - SHIFT));
    let mut root = f64::from_bits((third as u64) << 32);
    for _ in 0..2 {
        let cube = root * root * root;
        root *= (cube + 2.0 * scaled) / (2.0 * cube + scaled);
    }
    let square = root * root;
    let square_lost = root.mul_add(root, -square);
    let cube = square * root;
    let cube_lost = square.mul_add(root, -cube) + square_lost * root;
    let value = root + ((scaled - cube) - cube_lost) / (3.0 * square);
    let value = if is_small { value / TWO_18 } else { value };
    let value = if is_large { value * TWO_18 } else { value };
    // The special cases are 0, infinity and NaN.
    if size > 0.0 && size < f64::INFINITY {
        value.copysign(x)
    } else {
        x
    }
}

/// 2 to the power of 54, and its cube root.
const TWO_54: f64 = 18_014_398_509_481_984.0;
const TWO_18: f64 = 262_144.0;

/// 2 to the power of 52. A float with these bits, plus an integer below 2^32 in its lowest ones, is
/// the sum of both.
const INTEGER: f64 = 4_503_599_627_370_496.0;

/// The shift that makes the error of the estimate equal in both directions.
const SHIFT: f64 = 40_000.0;
