//! Functions of complex numbers, compared with NumPy's results.

use weft_kernels::dtype::{Complex, Inexact, Number};
use weft_kernels::testing::inner::complex::*;

/// A complex number of double precision.
type C = Complex<f64>;

/// NumPy's results. The file describes how they were computed.
const TABLE: &str = include_str!("complex/numpy.txt");

fn unary(name: &str) -> fn(C) -> C {
    match name {
        "sqrt" => sqrt,
        "exp" => exp,
        "exp2" => exp2,
        "expm1" => expm1,
        "log" => log,
        "log2" => log2,
        "log10" => log10,
        "log1p" => log1p,
        "sin" => sin,
        "cos" => cos,
        "tan" => tan,
        "arcsin" => arcsin,
        "arccos" => arccos,
        "arctan" => arctan,
        "sinh" => sinh,
        "cosh" => cosh,
        "tanh" => tanh,
        "arcsinh" => arcsinh,
        "arccosh" => arccosh,
        "arctanh" => arctanh,
        "reciprocal" => Number::reciprocal,
        "sign" => Number::sign,
        "square" => |z| z.times(z),
        other => panic!("a function of one number: {other}"),
    }
}

fn binary(name: &str) -> fn(C, C) -> C {
    match name {
        "add" => Number::plus,
        "subtract" => Number::minus,
        "multiply" => Number::times,
        "divide" => Inexact::divide,
        "power" => Number::power,
        other => panic!("a function of two numbers: {other}"),
    }
}

/// Whether two numbers are within `steps` roundings of the larger finite part.
fn near(got: C, wanted: C, steps: f64) -> bool {
    let parts = [wanted.re, wanted.im].map(f64::abs).into_iter();
    let size = parts.filter(|part| part.is_finite()).fold(0.0, f64::max);
    let part = |got: f64, wanted: f64| {
        got == wanted
            || got.is_nan() && wanted.is_nan()
            || (got - wanted).abs() <= steps * f64::EPSILON * size
    };
    part(got.re, wanted.re) && part(got.im, wanted.im)
}

#[test]
fn complex_functions_match_numpy() {
    let mut wrong = Vec::new();
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        let parts: Vec<f64> = words[1..]
            .iter()
            .map(|word| f64::from_bits(u64::from_str_radix(word, 16).unwrap()))
            .collect();
        let (z, wanted) = (C::new(parts[0], parts[1]), &parts[parts.len() - 2..]);
        let wanted = C::new(wanted[0], wanted[1]);
        let got = match parts.len() {
            4 => unary(words[0])(z),
            _ => binary(words[0])(z, C::new(parts[2], parts[3])),
        };
        let steps = match words[0] {
            "add" | "subtract" | "divide" | "reciprocal" | "square" | "sign" => 0.0,
            // NumPy's product may leave out one rounding.
            "multiply" => 1.0,
            // The error of the logarithm, times the exponent.
            "power" => 400.0,
            _ => 4.0,
        };
        let zeros =
            |a: f64, b: f64| a != 0.0 || b != 0.0 || a.is_sign_negative() == b.is_sign_negative();
        let signs = words[0] == "power" || zeros(got.re, wanted.re) && zeros(got.im, wanted.im);
        // NumPy's `log1p` loses the digits that this function is for.
        let is_imprecise = words[0] == "log1p" && (got - wanted).norm() <= f64::EPSILON;
        if (!near(got, wanted, steps) || !signs) && !is_imprecise {
            wrong.push(format!("{} {parts:?}: {got:?}, not {wanted:?}", words[0]));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn complex_functions_keep_digits_of_small_values() {
    // log(1 + z) is z - z^2 / 2 + ...
    let z = C::new(1e-12, 1e-9);
    assert!(near(
        log1p(z),
        C::new(1e-12 + 5e-19 - 5e-25, 1e-9 - 1e-21),
        1.0
    ));
    assert!(near(
        expm1(z),
        C::new(1e-12 - 5e-19 + 5e-25, 1e-9 + 1e-21),
        1.0
    ));
    // The root of the smallest numbers.
    let tiny = C::new(5e-324, 5e-324);
    let scale = 2f64.powi(-537);
    let root = C::new(1.0986841134678098 * scale, 0.45508986056222733 * scale);
    assert!(near(sqrt(tiny), root, 2.0));
}

#[test]
fn complex_functions_avoid_intermediate_overflow() {
    let large = C::new(1.5e308, -1.5e308);
    // Results of Python's cmath.sqrt and cmath.log.
    assert!(near(
        sqrt(large),
        C::new(1.345607733249115e154, -5.5736897274590134e153),
        2.0
    ));
    assert!(near(
        log(large),
        C::new(709.9482473405542, -std::f64::consts::FRAC_PI_4),
        2.0
    ));
    assert!(arccosh(large).re.is_finite() && arcsinh(large).re.is_finite());
}

#[test]
fn zero_signs_select_the_branch_side() {
    assert_eq!(sqrt(C::new(-4.0, 0.0)), C::new(0.0, 2.0));
    assert_eq!(sqrt(C::new(-4.0, -0.0)), C::new(0.0, -2.0));
    assert!(log(C::new(-1.0, -0.0)).im < 0.0);
    assert!(arcsin(C::new(2.0, 0.0)).im > 0.0 && arcsin(C::new(2.0, -0.0)).im < 0.0);
}
