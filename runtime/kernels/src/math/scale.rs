//! Products with powers of 2.

use super::{nearest, power_of_two};

/// `x 2^n`, rounded once. A fraction of `n` is dropped, and NaN counts as 0.
///
/// One factor reaches over the exponents of normal numbers, three over all that matter. Of two
/// small ones the first leaves at least 53 bits for the second, so that a subnormal result is
/// rounded by the last product alone, or is 0 (as musl's `scalbn` does).
#[inline(always)]
pub fn ldexp(x: f64, n: f64) -> f64 {
    let n = if n < -2200.0 { -2200.0 } else { n };
    let n = if n > 2200.0 { 2200.0 } else { n };
    let n = if n.is_nan() { 0.0 } else { n.trunc() };
    let (first, rest) = step(n);
    let (second, rest) = step(rest);
    let rest = if rest < -1022.0 { -1022.0 } else { rest };
    let rest = if rest > 1023.0 { 1023.0 } else { rest };
    x * factor(first) * factor(second) * factor(rest)
}

/// The exponent of one factor, and what is left: 0 and `n` where one factor is enough.
#[inline(always)]
fn step(n: f64) -> (f64, f64) {
    let step = if n > 1023.0 { 1023.0 } else { 0.0 };
    let step = if n < -1022.0 { -969.0 } else { step };
    (step, n - step)
}

#[inline(always)]
fn factor(exponent: f64) -> f64 {
    power_of_two(nearest(exponent).1)
}
