//! Every function, compared with sums of two floats, and at special values.

mod double;
mod pairs;

use weft_kernels::testing::Draw;
use weft_kernels::testing::inner::math::*;

use double::Double;

type Function = fn(f64) -> f64;

/// A function, its exact value, the bounds of its arguments, and the allowed error in units in the
/// last place.
struct Case {
    name: &'static str,
    function: Function,
    exact: fn(f64) -> Double,
    ranges: &'static [(f64, f64)],
    ulps: f64,
}

/// Bounds for logarithms: near 1, small, and all magnitudes.
const LOGARITHM: &[(f64, f64)] = &[
    (0.0, 3.0),
    (0.7, 1.42),
    (0.99, 1.01),
    (1e-320, 1e-307),
    (0.0, 1e300),
];

const CASES: &[Case] = &[
    Case {
        name: "exp",
        function: exp,
        exact: double::exp,
        ranges: &[(-708.3, 709.7), (-1.0, 1.0), (-1e-5, 1e-5)],
        ulps: 0.7,
    },
    Case {
        name: "exp of subnormal results",
        function: exp,
        exact: double::exp,
        ranges: &[(-745.0, -708.4)],
        ulps: 1.0,
    },
    Case {
        name: "exp2",
        function: exp2,
        exact: double::exp2,
        ranges: &[(-1021.9, 1023.9), (-1.0, 1.0), (-1e-5, 1e-5)],
        ulps: 0.7,
    },
    Case {
        name: "exp2 of subnormal results",
        function: exp2,
        exact: double::exp2,
        ranges: &[(-1074.0, -1022.0)],
        ulps: 1.0,
    },
    Case {
        name: "exp_m1",
        function: exp_m1,
        exact: double::exp_m1,
        ranges: &[
            (-60.0, 709.7),
            (37.0, 37.4),
            (-1.5, 1.5),
            (0.34, 0.36),
            (-1e-5, 1e-5),
        ],
        ulps: 0.9,
    },
    Case {
        name: "ln",
        function: ln,
        exact: double::ln,
        ranges: LOGARITHM,
        ulps: 0.9,
    },
    Case {
        name: "ln_1p",
        function: ln_1p,
        exact: double::ln_1p,
        ranges: &[
            (-1.0, 3.0),
            (-0.3, 0.45),
            (-1e-5, 1e-5),
            (0.0, 1e300),
            (1e307, 1.79e308),
        ],
        ulps: 0.9,
    },
    Case {
        name: "log2",
        function: log2,
        exact: double::log2,
        ranges: LOGARITHM,
        ulps: 0.9,
    },
    Case {
        name: "log10",
        function: log10,
        exact: double::log10,
        ranges: LOGARITHM,
        ulps: 0.9,
    },
    Case {
        name: "sin",
        function: sin,
        exact: double::sin,
        ranges: &[
            (-1.0, 1.0),
            (-10.0, 10.0),
            (-1e9, 1e9),
            (-1e-5, 1e-5),
            (3.140_5, 3.142_5),
        ],
        ulps: 0.9,
    },
    Case {
        name: "cos",
        function: cos,
        exact: double::cos,
        ranges: &[
            (-1.0, 1.0),
            (-10.0, 10.0),
            (-1e9, 1e9),
            (-1e-5, 1e-5),
            (1.57, 1.571),
        ],
        ulps: 0.9,
    },
    Case {
        name: "tanh",
        function: tanh,
        exact: double::tanh,
        ranges: &[
            (-1.0, 1.0),
            (-25.0, 25.0),
            (0.17, 0.18),
            (18.0, 19.0),
            (-1e-5, 1e-5),
        ],
        ulps: 0.7,
    },
    Case {
        name: "tan",
        function: tan,
        exact: double::tan,
        ranges: &[
            (-1.0, 1.0),
            (-10.0, 10.0),
            (-1e9, 1e9),
            (-1e-5, 1e-5),
            (1.57, 1.571),
        ],
        ulps: 0.9,
    },
    Case {
        name: "atan",
        function: atan,
        exact: double::atan,
        ranges: &[
            (-1.0, 1.0),
            (-5.0, 5.0),
            (-1e9, 1e9),
            (-1e-5, 1e-5),
            (0.43, 0.45),
            (0.68, 0.7),
            (1.44, 1.47),
            (2.27, 2.3),
        ],
        ulps: 0.9,
    },
    Case {
        name: "asin",
        function: asin,
        exact: double::asin,
        ranges: &[(-1.0, 1.0), (0.49, 0.51), (0.999, 1.0), (-1e-5, 1e-5)],
        ulps: 0.8,
    },
    Case {
        name: "acos",
        function: acos,
        exact: double::acos,
        ranges: &[
            (-1.0, 1.0),
            (0.49, 0.51),
            (-0.51, -0.49),
            (0.999, 1.0),
            (-1e-5, 1e-5),
        ],
        ulps: 0.9,
    },
    Case {
        name: "sinh",
        function: sinh,
        exact: double::sinh,
        ranges: &[
            (-709.7, 709.7),
            (37.0, 37.4),
            (18.0, 20.0),
            (-2.0, 2.0),
            (-1e-5, 1e-5),
        ],
        ulps: 0.8,
    },
    Case {
        name: "cosh",
        function: cosh,
        exact: double::cosh,
        ranges: &[
            (-709.7, 709.7),
            (37.0, 37.4),
            (18.0, 20.0),
            (-2.0, 2.0),
            (-1e-5, 1e-5),
        ],
        ulps: 0.8,
    },
    Case {
        name: "asinh",
        function: asinh,
        exact: double::asinh,
        ranges: &[
            (-1.0, 1.0),
            (0.7, 0.8),
            (-100.0, 100.0),
            (-1e9, 1e9),
            (1e17, 1e19),
            (-1e-5, 1e-5),
        ],
        ulps: 2.0,
    },
    Case {
        name: "acosh",
        function: acosh,
        exact: double::acosh,
        ranges: &[
            (1.0, 1.5),
            (1.0, 100.0),
            (1.0, 1e9),
            (1e17, 1e19),
            (1.0, 1.00001),
        ],
        ulps: 2.0,
    },
    Case {
        name: "atanh",
        function: atanh,
        exact: double::atanh,
        ranges: &[
            (-1.0, 1.0),
            (0.3, 0.6),
            (-0.1, 0.1),
            (0.999, 1.0),
            (-1e-5, 1e-5),
        ],
        ulps: 1.5,
    },
    Case {
        name: "cbrt",
        function: cbrt,
        exact: double::cbrt,
        ranges: &[(-1.0, 1.0), (1.0, 8.0), (-1e300, 1e300), (-1e-5, 1e-5)],
        ulps: 0.6,
    },
];

/// Returns the distance of `value` from the exact one, in units in the last place of floats with
/// `bits` bits.
fn distance(value: f64, exact: Double, bits: i32, least: i32) -> f64 {
    let exponent = exact.0.abs().log2().floor() as i32;
    // The logarithm may round up to the next power of two.
    let exponent = exponent - i32::from(exact.0.abs() < 2f64.powi(exponent));
    let ulp = exponent.max(least) - (bits - 1);
    // In two steps, so that no factor is subnormal.
    let error = exact.minus(Double(value, 0.0)).0.abs();
    error * 2f64.powi(-ulp / 2) * 2f64.powi(-ulp - (-ulp / 2))
}

fn draws(range: (f64, f64), seed: u64) -> impl Iterator<Item = f64> {
    let mut draw = Draw(seed);
    let (low, high) = range;
    (0..3000).map(move |_| low + (high - low) * ((draw.next() >> 11) as f64 / 2f64.powi(53)))
}

/// Calls `visit` with each case and arguments between its bounds, of magnitude at most `most`.
fn each_draw(most: f64, seed: u64, visit: impl Fn(&Case, f64)) {
    for case in CASES {
        for (low, high) in case.ranges {
            for x in draws((low.max(-most), high.min(most)), seed) {
                visit(case, x);
            }
        }
    }
}

#[test]
fn results_stay_within_stated_errors() {
    each_draw(f64::MAX, 1, |case, x| {
        let value = (case.function)(x);
        let error = distance(value, (case.exact)(x), 53, -1022);
        assert!(
            error <= case.ulps,
            "{}({x:e}) is {value:e}, by {error} units of the last place off",
            case.name
        );
    });
}

#[test]
fn narrow_float_results_are_mostly_correctly_rounded() {
    each_draw(80.0, 2, |case, x| {
        let x = x as f32;
        let value = f32::narrow((case.function)(x.widen()));
        let exact = (case.exact)(x.widen());
        if !(1e-37..1e38).contains(&exact.0.abs()) {
            return;
        }
        let error = distance(value.widen(), exact, 24, -126);
        assert!(error < 0.500_001, "{}({x:e}) is {value:e}", case.name);
    });
}

#[test]
fn functions_of_common_arguments_have_the_bits_of_the_others() {
    /// A function of common arguments, the complete one, and which arguments are common.
    type Pair = (Function, Function, fn(f64) -> bool);
    let pairs: [Pair; 5] = [
        (moderate_exp, exp, is_moderate),
        (moderate_exp2, exp2, is_moderate),
        (normal_ln, ln, is_normal),
        (normal_log2, log2, is_normal),
        (normal_log10, log10, is_normal),
    ];
    let edges = [
        f64::NAN,
        f64::INFINITY,
        f64::MAX,
        f64::MIN_POSITIVE,
        5e-324,
        0.0,
        707.999_999_999,
        708.0,
    ];
    let mut compared = [0; 5];
    for (number, (short, long, takes)) in pairs.into_iter().enumerate() {
        let mut draw = Draw(number as u64);
        let random = (0..5000).map(|_| f64::from_bits(draw.next()));
        let near = draws((-708.0, 708.0), 3);
        for x in edges
            .into_iter()
            .flat_map(|x| [x, -x])
            .chain(random)
            .chain(near)
        {
            if takes(x) {
                assert_eq!(short(x).to_bits(), long(x).to_bits(), "{number} of {x:e}");
                compared[number] += 1;
            }
        }
    }
    assert!(compared.iter().all(|count| *count > 1000), "{compared:?}");
}

#[test]
fn short_functions_of_narrow_floats_are_mostly_correctly_rounded() {
    type Narrowed = fn(f32) -> f32;
    type Case = (Narrowed, fn(f64) -> Double, &'static [(f64, f64)]);
    let cases: [Case; 3] = [
        (
            f32::moderate_exp,
            double::exp,
            &[(-87.0, 88.0), (-1e-3, 1e-3)],
        ),
        (
            f32::near_sin,
            double::sin,
            &[(-10.0, 10.0), (-1e9, 1e9), (-1e-3, 1e-3)],
        ),
        (
            f32::near_cos,
            double::cos,
            &[(-10.0, 10.0), (-1e9, 1e9), (-1e-3, 1e-3)],
        ),
    ];
    for (number, (function, exact, ranges)) in cases.into_iter().enumerate() {
        let multiples = (1..3000).map(|n| f64::from(n) * std::f64::consts::FRAC_PI_2);
        let multiples = multiples.filter(|_| number > 0);
        for x in ranges
            .iter()
            .flat_map(|range| draws(*range, 5))
            .chain(multiples)
        {
            let x = x as f32;
            let value = function(x);
            let error = distance(value.widen(), exact(x.widen()), 24, -126);
            assert!(error < 0.500_02, "{number} of {x:e} is {value:e}: {error}");
        }
    }
    for zero in [0.0f32, -0.0] {
        assert_eq!(zero.near_sin().to_bits(), zero.to_bits());
        assert_eq!(zero.near_cos(), 1.0);
    }
    assert_eq!(f32::moderate_exp(-200.0), 0.0);
    assert_eq!(f32::moderate_exp(200.0), f32::INFINITY);
}

/// The doubles nearest to multiples of pi/2, where most of the argument cancels.
#[test]
fn multiples_of_half_pi_keep_their_remainder() {
    for n in (1..3000).chain((1 << 29) - 1000..1 << 29) {
        let x = f64::from(n) * std::f64::consts::FRAC_PI_2;
        for (function, exact) in [
            (sin as Function, double::sin as fn(f64) -> Double),
            (cos, double::cos),
        ] {
            let error = distance(function(x), exact(x), 53, -1022);
            assert!(error <= 0.9, "{n} quarters: {error}");
        }
    }
}

#[test]
fn edge_values_match_the_standard_library() {
    let functions: [(Function, Function); 20] = [
        (exp, f64::exp),
        (exp2, f64::exp2),
        (exp_m1, f64::exp_m1),
        (ln, f64::ln),
        (ln_1p, f64::ln_1p),
        (log2, f64::log2),
        (log10, f64::log10),
        (sin, f64::sin),
        (cos, f64::cos),
        (tanh, f64::tanh),
        (tan, f64::tan),
        (asin, f64::asin),
        (acos, f64::acos),
        (atan, f64::atan),
        (sinh, f64::sinh),
        (cosh, f64::cosh),
        (asinh, f64::asinh),
        (acosh, f64::acosh),
        (atanh, f64::atanh),
        (cbrt, f64::cbrt),
    ];
    let edges = [
        0.0,
        f64::INFINITY,
        f64::NAN,
        5e-324,
        1e-310,
        f64::MIN_POSITIVE,
        1e-17,
        1e-9,
        1.0,
        800.0,
        1100.0,
        1e5,
        1e300,
        f64::MAX,
    ];
    for (number, (function, expected)) in functions.into_iter().enumerate() {
        for x in edges.into_iter().flat_map(|x| [x, -x]) {
            // Sine, cosine and tangent do not accept these, and the standard library's inverses
            // overflow.
            if matches!(number, 7 | 8 | 10 | 16 | 17) && x.abs() >= 1e300 {
                continue;
            }
            let (got, expected) = (function(x), expected(x));
            // Exact if the result is special, and otherwise within a unit.
            let is_same = got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan();
            let is_near = expected.is_normal() && got.to_bits().abs_diff(expected.to_bits()) <= 1;
            assert!(
                is_same || is_near,
                "function {number} of {x:e}: {got:e}, not {expected:e}"
            );
        }
    }
    for k in -1074..1024 {
        let power = if k < -1022 {
            f64::from_bits(1 << (k + 1074))
        } else {
            2f64.powi(k)
        };
        assert_eq!(exp2(f64::from(k)), power);
        assert_eq!(log2(power), f64::from(k));
    }
    // The largest arguments with finite results, and the next ones.
    assert!(exp(709.782_712_893_384).is_finite());
    assert_eq!(exp(709.782_712_893_384_1), f64::INFINITY);
    assert!(exp_m1(709.782_712_893_384).is_finite());
    assert_eq!(exp_m1(709.782_712_893_384_1), f64::INFINITY);
    assert!(exp2(1_023.999_999_999_999_9).is_finite());
    // The logarithm of twice the largest number, which itself is infinite, and the largest number
    // below 1.
    for inverse in [asinh, acosh] {
        assert_eq!(inverse(f64::MAX), 710.475_860_073_944);
    }
    assert_eq!(atanh(1.0_f64.next_down()), 18.714_973_875_118_524);
}

#[test]
fn detects_far_arguments() {
    assert!(is_far(1.1e9) && is_far(-1e300));
    assert!(!is_far(1e9) && !is_far(f64::INFINITY) && !is_far(f64::NAN));
}

#[test]
fn powers_and_angles_stay_within_stated_errors() {
    let mut draw = Draw(7);
    let mut uniform = move |low: f64, high: f64| {
        low + (high - low) * ((draw.next() >> 11) as f64 / 2f64.powi(53))
    };
    for (bases, exponents) in [
        ((0.0, 3.0), (-20.0, 20.0)),
        ((0.9, 1.1), (-5000.0, 5000.0)),
        ((0.999_999, 1.000_001), (-5e8, 5e8)),
        ((0.0, 1e300), (-1.0, 1.0)),
        ((1e-300, 1e-290), (-1.0, 1.0)),
        ((1.39, 1.414), (1900.0, 2100.0)),
        ((1.39, 1.414), (-2100.0, -1900.0)),
        ((0.7072, 0.72), (1900.0, 2100.0)),
    ] {
        for _ in 0..5000 {
            let (x, y) = (uniform(bases.0, bases.1), uniform(exponents.0, exponents.1));
            let exact = double::pow(x, y);
            if !(1e-300..1e300).contains(&exact.0) {
                continue;
            }
            let error = distance(pow(x, y), exact, 53, -1022);
            assert!(error <= 0.8, "{x:e} to the power of {y:e}: {error}");
        }
    }
    for (wide, high) in [
        (1.0, 1.0),
        (1.0, 1e-3),
        (1e-3, 1.0),
        (1e9, 1.0),
        (1.0, 1e20),
        (1e300, 1e300),
        (1e-290, 1e-290),
        (1e-191, 1e-308),
    ] {
        for _ in 0..3000 {
            let (x, y) = (uniform(-wide, wide), uniform(-high, high));
            let error = distance(atan2(y, x), double::atan2(y, x), 53, -1022);
            assert!(error <= 0.9, "angle of ({x:e}, {y:e}): {error}");
        }
    }
}

/// Powers that are representable are exact, and special values are those of C.
#[test]
fn special_powers_and_angles_match_the_standard_library() {
    for base in -40..=40 {
        for exponent in 0..=9 {
            let (x, exact) = (f64::from(base), f64::from(base).powi(exponent));
            assert_eq!(
                pow(x, f64::from(exponent)).to_bits(),
                exact.to_bits(),
                "{base}^{exponent}"
            );
        }
    }
    let largest = f64::MAX;
    let mut edges = vec![
        0.0,
        5e-324,
        1e-310,
        1e-300,
        0.3,
        0.5,
        1.0,
        1.5,
        2.0,
        3.0,
        1e9,
        1e16,
        4_503_599_627_370_497.0,
        1e300,
        largest,
        f64::INFINITY,
        f64::NAN,
    ];
    edges.extend(edges.clone().into_iter().map(|x| -x));
    let is_same = |got: f64, expected: f64| {
        got.to_bits() == expected.to_bits()
            || got.is_nan() && expected.is_nan()
            || got.to_bits().abs_diff(expected.to_bits()) <= 1 && expected != 0.0
    };
    for &x in &edges {
        for &y in &edges {
            let (got, expected) = (pow(x, y), x.powf(y));
            assert!(
                is_same(got, expected),
                "{x:e} to the power of {y:e}: {got:e}, not {expected:e}"
            );
            let (got, expected) = (atan2(y, x), y.atan2(x));
            assert!(
                is_same(got, expected),
                "angle of ({x:e}, {y:e}): {got:e}, not {expected:e}"
            );
        }
    }
}
