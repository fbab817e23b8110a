//! Inverse trigonometric and hyperbolic functions.

use std::f64::consts::{FRAC_PI_2, LN_2};

use super::{C, special, sqrt, turned, turned_back};

/// The bound above which `1 + z` rounds to `z`, and squares overflow soon.
const LARGE: f64 = 4.0e307;

/// The square root of [`LARGE`].
const ROOT_LARGE: f64 = 6.7e153;

/// The square root of the smallest normal number.
const ROOT_TINY: f64 = 1.5e-154;

fn is_large(z: C) -> bool {
    z.re.abs() > LARGE || z.im.abs() > LARGE
}

/// Returns the logarithm of twice the magnitude, where doubling would overflow.
fn log_of_twice(z: C) -> f64 {
    (z.re / 2.0).hypot(z.im / 2.0).ln() + 2.0 * LN_2
}

pub fn arccos(z: C) -> C {
    if let Some(special) = special::arccos(z) {
        return special;
    }
    if is_large(z) {
        return C::new(z.im.abs().atan2(z.re), -log_of_twice(z).copysign(z.im));
    }
    let below = sqrt(C::new(1.0 - z.re, -z.im));
    let above = sqrt(C::new(1.0 + z.re, z.im));
    C::new(
        2.0 * below.re.atan2(above.re),
        arcsinh_of(above.re * below.im - above.im * below.re),
    )
}

pub fn arccosh(z: C) -> C {
    if let Some(special) = special::arccosh(z) {
        return special;
    }
    if is_large(z) {
        return C::new(log_of_twice(z), z.im.atan2(z.re));
    }
    let below = sqrt(C::new(z.re - 1.0, z.im));
    let above = sqrt(C::new(z.re + 1.0, z.im));
    C::new(
        arcsinh_of(below.re * above.re + below.im * above.im),
        2.0 * below.im.atan2(above.re),
    )
}

pub fn arcsin(z: C) -> C {
    turned_back(arcsinh(turned(z)))
}

pub fn arcsinh(z: C) -> C {
    if let Some(special) = special::arcsinh(z) {
        return special;
    }
    if is_large(z) {
        return C::new(log_of_twice(z).copysign(z.re), z.im.atan2(z.re.abs()));
    }
    let plus = sqrt(C::new(1.0 + z.im, -z.re));
    let minus = sqrt(C::new(1.0 - z.im, z.re));
    C::new(
        arcsinh_of(plus.re * minus.im - minus.re * plus.im),
        z.im.atan2(plus.re * minus.re - plus.im * minus.im),
    )
}

pub fn arctan(z: C) -> C {
    turned_back(arctanh(turned(z)))
}

pub fn arctanh(z: C) -> C {
    if let Some(special) = special::arctanh(z) {
        return special;
    }
    if z.re.is_sign_negative() {
        let mirrored = arctanh(C::new(-z.re, -z.im));
        return C::new(-mirrored.re, -mirrored.im);
    }
    let y = z.im.abs();
    if z.re > ROOT_LARGE || y > ROOT_LARGE {
        let half = (z.re / 2.0).hypot(y / 2.0);
        return C::new(z.re / 4.0 / half / half, FRAC_PI_2.copysign(z.im));
    }
    if z.re == 1.0 && y < ROOT_TINY {
        if y == 0.0 {
            return C::new(f64::INFINITY, z.im);
        }
        let re = -(y.sqrt() / y.hypot(2.0).sqrt()).ln();
        return C::new(re, (2f64.atan2(-y) / 2.0).copysign(z.im));
    }
    let below = 1.0 - z.re;
    let re = (4.0 * z.re / (below * below + y * y)).ln_1p() / 4.0;
    let im = -(-2.0 * z.im).atan2(below * (1.0 + z.re) - y * y) / 2.0;
    C::new(re, im)
}

/// Returns `arcsinh` of a real number. The standard library's function loses digits of tiny
/// numbers.
fn arcsinh_of(x: f64) -> f64 {
    let size = x.abs();
    let result = if size < 2f64.powi(-28) {
        size
    } else if size > 2f64.powi(28) {
        size.ln() + LN_2
    } else {
        let square = size * size;
        (size + square / (1.0 + (1.0 + square).sqrt())).ln_1p()
    };
    result.copysign(x)
}
