//! Results for infinities and NaN: those of Annex G of the C standard, as in NumPy. `None` for
//! finite numbers.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

use super::C;

const INFINITY: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// Returns the result of a rule for numbers that are not finite.
fn rule(z: C, of: impl FnOnce(f64, f64) -> (f64, f64)) -> Option<C> {
    if z.re.is_finite() && z.im.is_finite() {
        return None;
    }
    let (re, im) = of(z.re, z.im);
    Some(C::new(re, im))
}

pub(super) fn exp(z: C) -> Option<C> {
    rule(z, |x, y| match (x, y) {
        (INFINITY, _) if y == 0.0 => (x, y),
        (INFINITY, _) if y.is_finite() => (x * y.cos(), x * y.sin()),
        (INFINITY, _) => (x, NAN),
        (f64::NEG_INFINITY, _) if y.is_finite() => (0.0 * y.cos(), 0.0 * y.sin()),
        (f64::NEG_INFINITY, _) => (0.0, 0f64.copysign(y)),
        _ if y == 0.0 => (NAN, y),
        _ => (NAN, NAN),
    })
}

pub(super) fn sinh(z: C) -> Option<C> {
    rule(z, |x, y| match (x.is_infinite(), y.is_finite()) {
        (true, true) if y == 0.0 => (x, y),
        (true, true) => (x * y.cos(), INFINITY * y.sin()),
        (true, false) => (x, NAN),
        _ if x == 0.0 => (x, NAN),
        _ if y == 0.0 => (NAN, y),
        _ => (NAN, NAN),
    })
}

pub(super) fn cosh(z: C) -> Option<C> {
    rule(z, |x, y| match (x.is_infinite(), y.is_finite()) {
        (true, true) if y == 0.0 => (INFINITY, y * x.signum()),
        (true, true) => (INFINITY * y.cos(), x * y.sin()),
        (true, false) => (INFINITY, NAN),
        _ if x == 0.0 => (NAN, x),
        _ if y == 0.0 => (NAN, y),
        _ => (NAN, NAN),
    })
}

pub(super) fn tanh(z: C) -> Option<C> {
    rule(z, |x, y| match (x.is_infinite(), y.is_finite()) {
        (true, true) => (x.signum(), 0f64.copysign(y.sin() * y.cos())),
        (true, false) => (x.signum(), 0f64.copysign(y)),
        _ if x == 0.0 => (x, NAN),
        _ if y == 0.0 => (NAN, y),
        _ => (NAN, NAN),
    })
}

pub(super) fn arcsinh(z: C) -> Option<C> {
    rule(z, |x, y| match (x.is_infinite(), y.is_infinite()) {
        (true, true) => (x, FRAC_PI_4.copysign(y)),
        (true, false) if y.is_nan() => (x, NAN),
        (true, false) => (x, 0f64.copysign(y)),
        (false, true) if x.is_nan() => (INFINITY, NAN),
        (false, true) => (INFINITY.copysign(x), FRAC_PI_2.copysign(y)),
        _ if y == 0.0 => (NAN, y),
        _ => (NAN, NAN),
    })
}

pub(super) fn arccosh(z: C) -> Option<C> {
    rule(z, |x, y| match x.is_infinite() || y.is_infinite() {
        true => (INFINITY, y.atan2(x)),
        false if x == 0.0 => (NAN, FRAC_PI_2),
        false => (NAN, NAN),
    })
}

pub(super) fn arccos(z: C) -> Option<C> {
    rule(z, |x, y| match x.is_infinite() || y.is_infinite() {
        true => (y.abs().atan2(x), -INFINITY.copysign(y)),
        false if x == 0.0 => (FRAC_PI_2, NAN),
        false => (NAN, NAN),
    })
}

pub(super) fn arctanh(z: C) -> Option<C> {
    rule(z, |x, y| match x.is_infinite() || y.is_infinite() {
        true if y.is_nan() => (0f64.copysign(x), NAN),
        true => (0f64.copysign(x), FRAC_PI_2.copysign(y)),
        false if x == 0.0 => (x, NAN),
        false => (NAN, NAN),
    })
}
