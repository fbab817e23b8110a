//! Functions of complex numbers, computed in `f64`. Results in single precision are rounded from
//! these.
//!
//! The formulas are those of Python's `cmath` (Modules/cmathmodule.c), which follow Kahan, "Branch
//! cuts for complex elementary functions" (1987). The sign of a zero selects the side of a branch
//! cut, and no intermediate value overflows unless the result does. Results are within a few units
//! in the last place of the magnitude. Results for infinities and NaN are those of the C standard.

#![allow(missing_docs, reason = "each is the function of its name")]

mod inverse;
mod special;

use std::f64::consts::{LN_2, LN_10, LOG2_E, LOG10_E};

pub use inverse::{arccos, arccosh, arcsin, arcsinh, arctan, arctanh};

use super::{Complex, Inexact, Number};

/// A complex number of double precision.
type C = Complex<f64>;

/// The argument from which `exp` may overflow soon.
const LOG_LARGE: f64 = 708.0;

/// Returns `i z`.
fn turned(z: C) -> C {
    C::new(-z.im, z.re)
}

/// Returns `-i z`.
fn turned_back(z: C) -> C {
    C::new(z.im, -z.re)
}

/// Returns the number with this magnitude and angle. A part with a factor of 0 is 0 for any
/// magnitude.
fn at_angle(size: f64, angle: f64) -> C {
    if angle == 0.0 {
        return C::new(size, angle);
    }
    C::new(size * angle.cos(), size * angle.sin())
}

pub fn exp(z: C) -> C {
    if let Some(special) = special::exp(z) {
        return special;
    }
    if z.re > LOG_LARGE {
        let less = at_angle((z.re - 1.0).exp(), z.im);
        return C::new(less.re * std::f64::consts::E, less.im * std::f64::consts::E);
    }
    at_angle(z.re.exp(), z.im)
}

pub fn exp2(z: C) -> C {
    exp(C::new(z.re * LN_2, z.im * LN_2))
}

/// Returns `exp(z) - 1`, precise near 0.
pub fn expm1(z: C) -> C {
    let half = (z.im / 2.0).sin();
    C::new(
        z.re.exp_m1() * z.im.cos() - 2.0 * half * half,
        z.re.exp() * z.im.sin(),
    )
}

pub fn log(z: C) -> C {
    C::new(log_of_size(z), z.im.atan2(z.re))
}

/// Returns the logarithm of the magnitude.
fn log_of_size(z: C) -> f64 {
    let [x, y] = [z.re.abs(), z.im.abs()];
    let (long, short) = if x > y { (x, y) } else { (y, x) };
    if long > f64::MAX / 4.0 && long.is_finite() {
        return (x / 2.0).hypot(y / 2.0).ln() + LN_2;
    }
    if long < f64::MIN_POSITIVE && long > 0.0 {
        // Scaling by a power of two is exact.
        let scale = 2f64.powi(53);
        return (x * scale).hypot(y * scale).ln() - 53.0 * LN_2;
    }
    let size = x.hypot(y);
    if (0.71..=1.73).contains(&size) {
        // Precise near 1.
        return ((long - 1.0) * (long + 1.0) + short * short).ln_1p() / 2.0;
    }
    size.ln()
}

pub fn log2(z: C) -> C {
    let log = log(z);
    C::new(log.re * LOG2_E, log.im * LOG2_E)
}

pub fn log10(z: C) -> C {
    let log = log(z);
    C::new(log.re / LN_10, log.im * LOG10_E)
}

/// Returns `log(1 + z)`, precise near 0.
pub fn log1p(z: C) -> C {
    let square = z.re * z.re + z.im * z.im;
    let size = if square < 0.25 {
        (2.0 * z.re + square).ln_1p() / 2.0
    } else {
        log_of_size(C::new(z.re + 1.0, z.im))
    };
    C::new(size, z.im.atan2(z.re + 1.0))
}

/// Returns the root with a non-negative real part.
pub fn sqrt(z: C) -> C {
    let [x, y] = [z.re.abs(), z.im.abs()];
    if z.re == 0.0 && z.im == 0.0 {
        return C::new(0.0, z.im);
    }
    if z.im.is_infinite() {
        return C::new(f64::INFINITY, z.im);
    }
    // The sum of x / 8 and y / 8 does not overflow. Tiny numbers are scaled by a power of 4.
    let size = if x < f64::MIN_POSITIVE && y < f64::MIN_POSITIVE {
        let [x, y] = [x, y].map(|part| part * 2f64.powi(54));
        (x + x.hypot(y)).sqrt() * 2f64.powi(-27) / std::f64::consts::SQRT_2
    } else {
        let x = x / 8.0;
        2.0 * (x + x.hypot(y / 8.0)).sqrt()
    };
    let other = y / (2.0 * size);
    if z.re >= 0.0 {
        C::new(size, other.copysign(z.im))
    } else {
        C::new(other, size.copysign(z.im))
    }
}

/// Returns `a` to the power `b`. Small integer powers are computed by multiplication, as in NumPy.
pub fn power(a: C, b: C) -> C {
    if b.re == 0.0 && b.im == 0.0 {
        return C::new(1.0, 0.0);
    }
    if a.re == 0.0 && a.im == 0.0 {
        return if b.re > 0.0 {
            C::new(0.0, 0.0)
        } else {
            C::new(f64::NAN, f64::NAN)
        };
    }
    if b.im == 0.0 && b.re.fract() == 0.0 && b.re.abs() < 100.0 {
        let result = whole_power(a, b.re.abs() as u32);
        return if b.re < 0.0 {
            C::new(1.0, 0.0).divide(result)
        } else {
            result
        };
    }
    exp(b.times(log(a)))
}

fn whole_power(mut base: C, mut exponent: u32) -> C {
    let mut result: Option<C> = None;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = Some(result.map_or(base, |result| result.times(base)));
        }
        exponent >>= 1;
        if exponent > 0 {
            base = base.times(base);
        }
    }
    result.unwrap_or(C::new(1.0, 0.0))
}

pub fn sinh(z: C) -> C {
    if let Some(special) = special::sinh(z) {
        return special;
    }
    if z.re.abs() > LOG_LARGE {
        let less = z.re - z.re.signum();
        let part =
            |trigonometric: f64, hyperbolic: f64| trigonometric * hyperbolic * std::f64::consts::E;
        return C::new(part(z.im.cos(), less.sinh()), part(z.im.sin(), less.cosh()));
    }
    C::new(z.im.cos() * z.re.sinh(), z.im.sin() * z.re.cosh())
}

pub fn cosh(z: C) -> C {
    if let Some(special) = special::cosh(z) {
        return special;
    }
    if z.re.abs() > LOG_LARGE {
        let less = z.re - z.re.signum();
        let part =
            |trigonometric: f64, hyperbolic: f64| trigonometric * hyperbolic * std::f64::consts::E;
        return C::new(part(z.im.cos(), less.cosh()), part(z.im.sin(), less.sinh()));
    }
    C::new(z.im.cos() * z.re.cosh(), z.im.sin() * z.re.sinh())
}

pub fn tanh(z: C) -> C {
    if let Some(special) = special::tanh(z) {
        return special;
    }
    if z.re.abs() > LOG_LARGE / 2.0 {
        let tiny = 4.0 * z.im.sin() * z.im.cos() * (-2.0 * z.re.abs()).exp();
        return C::new(1f64.copysign(z.re), tiny);
    }
    let (tx, ty) = (z.re.tanh(), z.im.tan());
    let cx = 1.0 / z.re.cosh();
    let both = tx * ty;
    let size = 1.0 + both * both;
    C::new(tx * (1.0 + ty * ty) / size, ((ty / size) * cx) * cx)
}

pub fn sin(z: C) -> C {
    turned_back(sinh(turned(z)))
}

pub fn cos(z: C) -> C {
    cosh(turned(z))
}

pub fn tan(z: C) -> C {
    turned_back(tanh(turned(z)))
}
