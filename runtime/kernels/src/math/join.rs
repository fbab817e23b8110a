//! Logarithms of sums of powers.
//!
//! With `a` the larger one and `b` the smaller one, `ln(e^a + e^b) = a + ln(1 + e^(b - a))`.

use super::{exp, exp2, ln_1p};

/// `ln(e^x + e^y)`. With `d = |x - y|` the error is at most 1 unit in the last place of the result
/// and `2 + d` of `ln(1 + e^-d)`, which is below 0.7: this is much of a result near 0 only.
#[inline(always)]
pub fn ln_add_exp(x: f64, y: f64) -> f64 {
    let added = ln_1p(exp(-(x - y).abs()));
    joined(x, y, added, std::f64::consts::LN_2)
}

/// `log2(2^x + 2^y)`. The error is at most 1 unit in the last place of the result and `3 + d` of
/// `log2(1 + 2^-d)`, which is at most 1.
#[inline(always)]
pub fn log2_add_exp2(x: f64, y: f64) -> f64 {
    let added = ln_1p(exp2(-(x - y).abs())) * std::f64::consts::LOG2_E;
    joined(x, y, added, 1.0)
}

/// The larger one and what is added to it: of equal ones, which may be infinite, the logarithm of
/// 2.
#[inline(always)]
fn joined(x: f64, y: f64, added: f64, of_two: f64) -> f64 {
    let larger = if x > y { x } else { y };
    let value = if x == y { x + of_two } else { larger + added };
    // The larger one of a number and NaN may be the number.
    if x.is_nan() || y.is_nan() {
        x + y
    } else {
        value
    }
}
