//! The cube root, and the root of a sum of squares.

use super::{INTEGERS, is_positive_finite, nearest, polynomial};

/// A third of the upper bits of `x`, subtracted from these, approximates those of the inverse of
/// its cube root.
const FOUR_THIRDS_OF_ONE: f64 = 1_072_693_248.0 * 4.0 / 3.0;

/// Returns the cube root, to 0.6 units in the last place.
///
/// A third of the upper bits is an estimate `y` of the inverse root to 4 bits. With
/// `h = 1 - x y^3`, the exact one is `y (1 - h)^(-1/3)`; two steps take the first terms of its
/// series. The root is `x` times its square. A step of Newton's method with the exact remainder
/// gives the last bits. So nothing is divided.
#[inline(always)]
pub fn cbrt(x: f64) -> f64 {
    let size = x.abs();
    // Subnormal numbers have no exponent to divide, and the remainder of others would be subnormal.
    let is_small = size < 1e-290;
    let scaled = if is_small { size * TWO_108 } else { size };
    let upper = f64::from_bits((scaled.to_bits() >> 32) | INTEGERS.to_bits()) - INTEGERS;
    // The low half of the estimate's bits is arbitrary.
    let (_, bits) = nearest(upper.mul_add(-1.0 / 3.0, FOUR_THIRDS_OF_ONE - SHIFT));
    let mut inverse = f64::from_bits((bits as u64) << 32);
    // The compiler makes no vector code of a loop over both.
    inverse = closer(scaled, inverse, &SERIES);
    inverse = closer(scaled, inverse, &SERIES[1..]);
    let square = inverse * inverse;
    let root = scaled * square;
    let product = root * root;
    let product_lost = root.mul_add(root, -product);
    // Of the exact cube, so that the first difference is exact.
    let rest = (-product).mul_add(root, scaled) - product_lost * root;
    let value = (THIRD * square).mul_add(rest, root);
    let value = if is_small { value / TWO_36 } else { value };
    // The special cases are 0, infinity and NaN.
    if is_positive_finite(size) {
        value.copysign(x)
    } else {
        x
    }
}

/// Returns a better estimate of the inverse of the cube root, from the terms of the series.
#[inline(always)]
fn closer(x: f64, inverse: f64, series: &[f64]) -> f64 {
    let square = inverse * inverse;
    let h = (-(x * inverse)).mul_add(square, 1.0);
    (inverse * h).mul_add(polynomial(h, series), inverse)
}

/// Coefficients of `((1 - h)^(-1/3) - 1) / h`, the highest power first.
const SERIES: [f64; 4] = [35.0 / 243.0, 14.0 / 81.0, 2.0 / 9.0, THIRD];
const THIRD: f64 = 1.0 / 3.0;

/// 2 to the power of 108, and its cube root.
const TWO_108: f64 = TWO_36 * TWO_36 * TWO_36;
const TWO_36: f64 = 68_719_476_736.0;

/// The shift that makes the error of the estimate equal in both directions.
const SHIFT: f64 = 40_000.0;

/// Returns the length of the hypotenuse over two sides, to 0.51 units in the last place above the
/// subnormal numbers. It is infinite if a side is infinite, even if the other is NaN.
///
/// The root of the sum of squares is corrected once, by the exact difference between this sum and
/// the square of the root: Borges, "Algorithm 1014: An improved algorithm for hypot(x,y)" (2020).
#[inline(always)]
pub fn hypot(x: f64, y: f64) -> f64 {
    let (x, y) = (x.abs(), y.abs());
    let (long, short) = if x < y { (y, x) } else { (x, y) };
    // The squares of scaled sides, and the errors of these squares, are normal numbers.
    let is_large = long > TWO_500;
    let is_small = long < 1.0 / TWO_500;
    let scale = if is_large { 1.0 / TWO_600 } else { 1.0 };
    let scale = if is_small { TWO_600 } else { scale };
    let back = if is_large { TWO_600 } else { 1.0 };
    let back = if is_small { 1.0 / TWO_600 } else { back };
    let (a, b) = (long * scale, short * scale);
    let a_square = a * a;
    let root = a.mul_add(a, b * b).sqrt();
    let root_square = root * root;
    let above = (-b).mul_add(b, root_square - a_square) + root.mul_add(root, -root_square)
        - a.mul_add(a, -a_square);
    let value = (root - above / (root + root)) * back;
    // The root of 0 divides nothing.
    let value = if long == 0.0 && short == 0.0 {
        0.0
    } else {
        value
    };
    let is_infinite = (x == f64::INFINITY) | (y == f64::INFINITY);
    if is_infinite { f64::INFINITY } else { value }
}

/// 2 to the power of 500, and of 600.
const TWO_500: f64 = power(500);
const TWO_600: f64 = power(600);

/// Returns 2 to the power of a small exponent.
const fn power(exponent: u64) -> f64 {
    f64::from_bits((exponent + 1023) << 52)
}
