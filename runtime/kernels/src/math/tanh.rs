//! The hyperbolic tangent.

use super::exp::exp_m1_pair;

/// The hyperbolic tangent, to 0.7 units of the last place: `e / (e + 2)` for `e = exp(2 |x|) - 1`, a quotient of sums
/// that is corrected by its remainder.
#[inline(always)]
pub fn tanh(x: f64) -> f64 {
    let size = x.abs();
    // From here on it is 1.
    let capped = if size > 22.0 { 22.0 } else { size };
    let (high, low) = exp_m1_pair(2.0 * capped);
    // What is divided by, as a sum: both ways, since either part may be the larger one.
    let sum = high + 2.0;
    let rest = sum - high;
    let lost = (high - (sum - rest)) + (2.0 - rest) + low;
    let inverse = 1.0 / sum;
    let quotient = high * inverse;
    let remainder = (-quotient).mul_add(sum, high) + (-quotient).mul_add(lost, low);
    let value = remainder.mul_add(inverse, quotient).copysign(x);
    // So small that the next term of the series is nothing.
    if size < 3.7e-9 { x } else { value }
}
