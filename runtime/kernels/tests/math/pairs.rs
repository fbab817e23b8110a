//! Functions of two floats.

use weft_kernels::testing::Draw;
use weft_kernels::testing::inner::math::*;

use super::double::{self, Double};

/// A float of any magnitude: random bits, of which some make an infinity or NaN.
fn any(draw: &mut Draw) -> f64 {
    f64::from_bits(draw.next())
}

/// A float between two bounds.
fn between(draw: &mut Draw, low: f64, high: f64) -> f64 {
    low + (high - low) * ((draw.next() >> 11) as f64 / 2f64.powi(53))
}

#[track_caller]
fn check_modulo(x: f64, y: f64) {
    let is_long = is_long_quotient(x, y);
    assert!(is_long || (x / y).abs() < 2f64.powi(53), "{x:e} {y:e}");
    if !is_long {
        assert_eq!(modulo(x, y).to_bits(), (x % y).to_bits(), "{x:e} % {y:e}");
    }
}

#[test]
fn remainders_are_exact() {
    let mut draw = Draw(1);
    for _ in 0..20_000 {
        check_modulo(any(&mut draw), any(&mut draw));
        let y = any(&mut draw);
        // Quotients from 1 to 2^53, and multiples, where the rounded quotient may be 1 too large.
        let quotient = 2f64.powf(between(&mut draw, 0.0, 53.0));
        check_modulo(y * quotient, y);
        let multiple = y * quotient.trunc();
        for x in [multiple, multiple.next_up(), multiple.next_down()] {
            check_modulo(x, y);
        }
        let subnormal = f64::from_bits(draw.next() >> 20);
        check_modulo(subnormal, f64::from_bits(draw.next() >> 24));
    }
    for x in [0.0, 1.0, f64::MIN_POSITIVE, f64::MAX] {
        for y in [1.0, -1.0, f64::INFINITY, f64::MAX, 5e-324] {
            check_modulo(x, y);
            check_modulo(-x, y);
        }
    }
    for (x, y) in [(1.0, 0.0), (f64::INFINITY, 1.0), (f64::NAN, 1.0)] {
        assert!(is_long_quotient(x, y) && is_long_quotient(y, f64::NAN));
    }
}

/// `m 2^(e + n)` for the mantissa and the exponent of `x`, rounded by integers.
fn scaled(x: f64, n: i64) -> f64 {
    let bits = x.to_bits();
    let biased = (bits >> 52 & 0x7ff) as i64;
    let (mantissa, exponent) = match biased {
        0 => (bits & ((1 << 52) - 1), -1074),
        _ => (bits & ((1 << 52) - 1) | 1 << 52, biased - 1075),
    };
    // To 53 bits, then as many fewer as a subnormal number lacks.
    let shift = mantissa.leading_zeros() as i64 - 11;
    let (mantissa, exponent) = (mantissa << shift, exponent - shift + n);
    let lost = (-1074 - exponent).clamp(0, 60) as u32;
    let kept = mantissa >> lost;
    let (rest, half) = (mantissa - (kept << lost), (1u64 << lost) >> 1);
    let is_up = lost > 0 && (rest > half || (rest == half && kept & 1 == 1));
    let size = match exponent {
        971.. if mantissa != 0 && exponent > 971 => f64::INFINITY,
        // Exact: the kept bits and the exponent are those of a float.
        _ => {
            let value = (kept + u64::from(is_up)) as f64;
            let exponent = (exponent + i64::from(lost)) as i32;
            value * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2)
        }
    };
    size.copysign(x)
}

#[test]
fn products_with_powers_of_two_are_rounded_once() {
    let mut draw = Draw(2);
    for _ in 0..20_000 {
        let x = any(&mut draw);
        if !x.is_finite() || x == 0.0 {
            continue;
        }
        let n = (draw.next() % 4400) as i64 - 2200;
        // The second power leads to a subnormal result.
        let exponent = (x.to_bits() >> 52 & 0x7ff) as i64;
        for n in [n, -exponent - (draw.next() % 56) as i64] {
            let value = ldexp(x, n as f64);
            assert_eq!(value.to_bits(), scaled(x, n).to_bits(), "{x:e} 2^{n}");
        }
    }
    for x in [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY] {
        for n in [0.0, 5.0, -5000.0, 5000.0, f64::INFINITY] {
            assert_eq!(ldexp(x, n).to_bits(), x.to_bits(), "{x} 2^{n}");
        }
    }
    assert!(ldexp(f64::NAN, 1.0).is_nan());
    assert_eq!((ldexp(3.0, 1.9), ldexp(3.0, f64::NAN)), (6.0, 3.0));
}

type Sum = (fn(f64, f64) -> f64, fn(f64, f64) -> (Double, Double), f64);

#[test]
fn logarithms_of_sums_are_as_near_as_stated() {
    let sums: [Sum; 2] = [
        (ln_add_exp, double::ln_add_exp, 2.0),
        (log2_add_exp2, double::log2_add_exp2, 3.0),
    ];
    let ulp = |x: f64| x.abs().next_up() - x.abs();
    let mut draw = Draw(3);
    for _ in 0..20_000 {
        // Far from 0, near it, and where both parts almost cancel.
        let far = between(&mut draw, -700.0, 700.0);
        let near = between(&mut draw, -1.0, 1.0);
        let distance = between(&mut draw, 0.0, 30.0);
        for (function, exact, units) in sums {
            let cancelled = -exact(0.0, -distance).0.0;
            for x in [far, near, cancelled] {
                let y = x - distance;
                let (added, sum) = exact(x, y);
                let value = function(x, y);
                let error = sum.minus(Double(value, 0.0)).0.abs();
                let bound = ulp(sum.0) + (units + (x - y)) * ulp(added.0);
                assert!(error <= bound, "{x:e} {y:e}: {value:e}, {error:e} off");
                assert_eq!(value.to_bits(), function(y, x).to_bits());
            }
        }
    }
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    for (function, _, _) in sums {
        assert_eq!(function(inf, inf), inf);
        assert_eq!(function(-inf, -inf), -inf);
        assert_eq!(function(-inf, inf), inf);
        assert_eq!(function(3.0, -inf), 3.0);
        assert!(function(nan, -inf).is_nan() && function(inf, nan).is_nan());
    }
}

/// Returns the error of [`hypot`] in units in the last place; 0 where squares are not exact sums.
fn hypot_error(x: f64, y: f64) -> f64 {
    let value = hypot(x, y);
    let sizes = [x, y, value].map(f64::abs);
    if !sizes.iter().all(|size| (1e-100..1e100).contains(size)) {
        return 0.0;
    }
    let square = |x: f64| Double(x * x, x.mul_add(x, -(x * x)));
    let above = square(value).minus(square(x)).minus(square(y));
    let unit = value.next_up() - value;
    (above.0 / (2.0 * value) / unit).abs()
}

#[test]
fn hypotenuses_are_near_those_of_the_standard_library() {
    let mut draw = Draw(7);
    for round in 0..40_000 {
        let x = any(&mut draw);
        let y = match round % 4 {
            0 => any(&mut draw),
            // Of similar magnitude, and such that the result overflows or is subnormal.
            1 => x * between(&mut draw, -4.0, 4.0),
            2 => f64::from_bits(draw.next() >> 12),
            _ => x,
        };
        let (got, expected) = (hypot(x, y), x.hypot(y));
        let is_near = got.to_bits().abs_diff(expected.to_bits()) <= 1;
        assert!(
            is_near || got.is_nan() && expected.is_nan(),
            "{x:e} {y:e}: {got:e}, not {expected:e}"
        );
        assert_eq!(got.to_bits(), hypot(y, -x).to_bits(), "{x:e} {y:e}");
        assert!(hypot_error(x, y) < 0.51, "{x:e} {y:e}: {got:e}");
        let (x, y) = (x as f32, y as f32);
        let (got, expected) = (x.hypotenuse(y), x.hypot(y));
        let is_near = got.to_bits().abs_diff(expected.to_bits()) <= 1;
        assert!(is_near || got.is_nan() && expected.is_nan(), "{x:e} {y:e}");
    }
    for scale in [-1000, -520, -500, -30, 0, 30, 500, 520, 1000] {
        let unit = 2f64.powi(scale);
        for (a, b, c) in [(3.0, 4.0, 5.0), (5.0, 12.0, 13.0), (20.0, 21.0, 29.0)] {
            assert_eq!(hypot(a * unit, b * unit), c * unit, "{a} {b} {scale}");
        }
    }
    for x in [0.0, 1.0, f64::NAN, f64::INFINITY, 5e-324] {
        assert_eq!(hypot(x, f64::NEG_INFINITY), f64::INFINITY);
        assert_eq!((x as f32).hypotenuse(f32::NEG_INFINITY), f32::INFINITY);
        assert!(hypot(x, f64::NAN).is_nan() || x.is_infinite());
    }
    assert_eq!(hypot(0.0, -0.0).to_bits(), 0);
    assert_eq!(hypot(5e-324, 0.0), 5e-324);
}

#[test]
fn moderate_powers_have_the_bits_of_others() {
    let (mut draw, mut compared) = (Draw(8), 0);
    for round in 0..40_000 {
        let x = any(&mut draw);
        let y = match round % 3 {
            0 => any(&mut draw),
            1 => between(&mut draw, -3.0, 3.0),
            _ => between(&mut draw, -1020.0, 1020.0) / x.abs().log2(),
        };
        if is_moderate_power(x, y) {
            compared += 1;
            assert!(pow(x, y).is_normal(), "{x:e} to {y:e}");
            assert_eq!(
                moderate_pow(x, y).to_bits(),
                pow(x, y).to_bits(),
                "{x:e} to {y:e}"
            );
        }
    }
    assert!(compared > 5000, "{compared}");
}
