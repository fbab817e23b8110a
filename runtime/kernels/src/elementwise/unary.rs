//! Functions of one element: their declarations.

use super::declaration::{
    Declaration, Gives, bits, counted, counted_integer, cuda, functions, inexact, loops, number,
    real, real_inexact,
};
use super::loops::{constant, each1, long1, map1, over};
use super::parts::{Parts, half_spacing};
use super::quotient::Divisible;
use super::wide::wide;
use crate::Tile;
use crate::chain::copy_block;
use crate::dtype::{
    CastFrom, Complex, DType, Element, Float, Integer, Number, complex, dispatch, with_integer,
    with_native_float, with_native_real, with_unsigned,
};
use crate::math::{self, Narrow};

/// Computes `out = op(input)`.
///
/// # Panics
/// Panics unless the shapes are equal, and `out` has the type that [`UnaryOp::output_dtype`]
/// returns for the input.
pub fn unary(op: UnaryOp, input: &Tile, out: &mut Tile) {
    let dtype = input.dtype();
    let Some(expected) = op.output_dtype(dtype) else {
        unreachable!("{op} is not defined for {dtype}");
    };
    assert_eq!(expected, out.dtype(), "{op} of {dtype} gives {expected}");
    let Some(block) = op.declaration().block(dtype) else {
        unreachable!("{op} is not implemented for {dtype}");
    };
    over([input, out], block);
}

/// The loop of a function of `math` in vector code.
macro_rules! long {
    ($T:ident, $function:ident) => {
        long1(|x: $T| $T::narrow(math::$function(x.widen())))
    };
}

/// The loop of a function of `math` in vector code without calls.
macro_rules! inlined {
    ($T:ident, $function:ident) => {
        wide!(|x: $T| -> $T { $T::narrow(math::$function(x.widen())) })
    };
}

/// The loop of a logarithm of `math`, which has a shorter function for normal numbers.
macro_rules! logarithm {
    ($T:ident, $normal:ident, $function:ident) => {
        wide!(
            |x: $T| -> $T { $T::narrow(math::$normal(x.widen())) },
            unless !math::is_normal(x.widen()) => all { $T::narrow(math::$function(x.widen())) }
        )
    };
}

/// The loop of a function of `math` for angles below a bound. The system's function computes the
/// others.
macro_rules! trigonometric {
    ($T:ident, $near:path, $function:ident) => {
        wide!(|x: $T| -> $T { $near(x) }, unless math::is_far(x.widen()) => each { x.$function() })
    };
}

/// Returns the tangent of a value that is not far.
#[inline(always)]
fn near_tan<T: Narrow>(x: T) -> T {
    T::narrow(math::tan(x.widen()))
}

/// The loop of a complex function in double precision, whose results are rounded.
macro_rules! rounded {
    ($P:ident, $function:ident) => {
        each1(|z: Complex<$P>| {
            Complex::<$P>::cast_from(complex::$function(Complex::<f64>::cast_from(z)))
        })
    };
}

functions! {
    ($)
    /// A function of one element.
    UnaryOp<2>, each_unary_method

    /// The element itself.
    Positive = "positive": plain { short: "pos", takes: number, loops: loops!(same), }
    /// Minus the element; integers wrap.
    Neg = "negative": plain {
        short: "neg",
        takes: number,
        loops: loops!(
            word T => map1(T::negative),
            float T => map1(T::negative),
            complex P => map1(Complex::<P>::negative),
        ),
    }
    /// The absolute value; that of the most negative integer is itself.
    Abs = "absolute" as abs(Number) -> T::Magnitude: plain {
        short: "abs",
        gives: Gives::Real,
        complex_flops: None,
        loops: loops!(
            bool => copy_block(DType::Bool),
            real T => map1(|x: T| x.absolute()),
            complex P => long1(|z: Complex<P>| z.re.hypotenuse(z.im)),
        ),
    }
    /// -1, 0 or 1; NaN for NaN. For a complex number, `x / |x|`.
    Sign = "sign" as sign(Number) -> T: plain {
        takes: number,
        complex_flops: None,
        loops: loops!(
            real T => map1(|x: T| Number::sign(x)),
            complex P => each1(|z: Complex<P>| Number::sign(z)),
        ),
    }
    /// The element times itself.
    Square = "square" as square(Number) -> T: plain {
        takes: counted,
        flops: Some(1),
        complex_flops: Some(6),
        loops: loops!(
            word T => map1(|x: T| x.times(x)),
            float T => map1(|x: T| x.times(x)),
            complex P => map1(|z: Complex<P>| z.times(z)),
        ),
    }
    /// 1 over the element; truncated for integers, and 0 for 0.
    Reciprocal = "reciprocal" as reciprocal(Inexact) -> T: plain {
        short: "recip",
        takes: counted,
        flops: Some(1),
        // A quotient of the parts, a part times it plus the other part, and two quotients.
        complex_flops: Some(5),
        loops: loops!(
            real T => map1(|x: T| Number::reciprocal(x)),
            complex P => each1(|z: Complex<P>| Number::reciprocal(z)),
        ),
    }
    /// The square root.
    Sqrt = "sqrt" as sqrt(Inexact) -> T: plain {
        takes: inexact,
        flops: Some(1),
        complex_flops: None,
        loops: loops!(float T => map1(|x: T| x.sqrt()), complex P => rounded!(P, sqrt)),
    }
    /// The cube root.
    Cbrt = "cbrt" as cbrt(Float) -> T: elementary {
        takes: real_inexact,
        loops: loops!(float T => inlined!(T, cbrt)),
    }
    /// `e` to the power of the element.
    Exp = "exp" as exp(Inexact) -> T: elementary {
        flops: Some(44),
        loops: loops!(
            float T => wide!(
                |x: T| -> T { x.moderate_exp() },
                unless !math::is_moderate(x.widen()) => all { T::narrow(math::exp(x.widen())) }
            ),
            complex P => rounded!(P, exp),
        ),
    }
    /// 2 to the power of the element.
    Exp2 = "exp2" as exp2(Inexact) -> T: elementary {
        flops: Some(42),
        loops: loops!(
            float T => wide!(
                |x: T| -> T { T::narrow(math::moderate_exp2(x.widen())) },
                unless !math::is_moderate(x.widen()) => all { T::narrow(math::exp2(x.widen())) }
            ),
            complex P => rounded!(P, exp2),
        ),
    }
    /// `exp(x) - 1`, precise near 0.
    Expm1 = "expm1" as expm1(Inexact) -> T: elementary {
        flops: Some(55),
        loops: loops!(float T => long!(T, exp_m1), complex P => rounded!(P, expm1)),
    }
    /// The natural logarithm.
    Log = "log" as log(Inexact) -> T: elementary {
        flops: Some(35),
        loops: loops!(float T => logarithm!(T, normal_ln, ln), complex P => rounded!(P, log)),
    }
    /// The logarithm to base 2.
    Log2 = "log2" as log2(Inexact) -> T: elementary {
        flops: Some(39),
        loops: loops!(float T => logarithm!(T, normal_log2, log2), complex P => rounded!(P, log2)),
    }
    /// The logarithm to base 10.
    Log10 = "log10" as log10(Inexact) -> T: elementary {
        flops: Some(42),
        loops: loops!(float T => logarithm!(T, normal_log10, log10), complex P => rounded!(P, log10)),
    }
    /// `log(1 + x)`, precise near 0.
    Log1p = "log1p" as log1p(Inexact) -> T: elementary {
        flops: Some(41),
        loops: loops!(float T => long!(T, ln_1p), complex P => rounded!(P, log1p)),
    }
    /// The sine of an angle in radians.
    Sin = "sin" as sin(Inexact) -> T: elementary {
        flops: Some(68),
        loops: loops!(float T => trigonometric!(T, Narrow::near_sin, sin), complex P => rounded!(P, sin)),
    }
    /// The cosine of an angle in radians.
    Cos = "cos" as cos(Inexact) -> T: elementary {
        flops: Some(68),
        loops: loops!(float T => trigonometric!(T, Narrow::near_cos, cos), complex P => rounded!(P, cos)),
    }
    /// The tangent of an angle in radians.
    Tan = "tan" as tan(Inexact) -> T: elementary {
        loops: loops!(float T => trigonometric!(T, near_tan, tan), complex P => rounded!(P, tan)),
    }
    /// The inverse sine, in radians.
    Asin = "arcsin" as arcsin(Inexact) -> T: elementary {
        short: "asin",
        loops: loops!(float T => inlined!(T, asin), complex P => rounded!(P, arcsin)),
    }
    /// The inverse cosine, in radians.
    Acos = "arccos" as arccos(Inexact) -> T: elementary {
        short: "acos",
        loops: loops!(float T => inlined!(T, acos), complex P => rounded!(P, arccos)),
    }
    /// The inverse tangent, in radians.
    Atan = "arctan" as arctan(Inexact) -> T: elementary {
        short: "atan",
        loops: loops!(float T => inlined!(T, atan), complex P => rounded!(P, arctan)),
    }
    /// The hyperbolic sine.
    Sinh = "sinh" as sinh(Inexact) -> T: elementary {
        loops: loops!(float T => inlined!(T, sinh), complex P => rounded!(P, sinh)),
    }
    /// The hyperbolic cosine.
    Cosh = "cosh" as cosh(Inexact) -> T: elementary {
        loops: loops!(float T => inlined!(T, cosh), complex P => rounded!(P, cosh)),
    }
    /// The hyperbolic tangent.
    Tanh = "tanh" as tanh(Inexact) -> T: elementary {
        flops: Some(75),
        loops: loops!(float T => long!(T, tanh), complex P => rounded!(P, tanh)),
    }
    /// The inverse hyperbolic sine.
    Asinh = "arcsinh" as arcsinh(Inexact) -> T: elementary {
        short: "asinh",
        // Rust computes it from other functions, with more roundings; also the next two.
        ulps: 64,
        loops: loops!(float T => inlined!(T, asinh), complex P => rounded!(P, arcsinh)),
    }
    /// The inverse hyperbolic cosine.
    Acosh = "arccosh" as arccosh(Inexact) -> T: elementary {
        short: "acosh",
        ulps: 64,
        loops: loops!(float T => inlined!(T, acosh), complex P => rounded!(P, arccosh)),
    }
    /// The inverse hyperbolic tangent.
    Atanh = "arctanh" as arctanh(Inexact) -> T: elementary {
        short: "atanh",
        ulps: 64,
        loops: loops!(float T => inlined!(T, atanh), complex P => rounded!(P, arctanh)),
    }
    /// Rounded down to an integer.
    Floor = "floor" as floor(Float) -> T: plain {
        takes: real,
        loops: loops!(float T => long1(|x: T| x.floor()), same),
    }
    /// Rounded up to an integer.
    Ceil = "ceil" as ceil(Float) -> T: plain {
        takes: real,
        loops: loops!(float T => long1(|x: T| x.ceil()), same),
    }
    /// Rounded towards zero to an integer.
    Trunc = "trunc" as trunc(Float) -> T: plain {
        takes: real,
        loops: loops!(float T => long1(|x: T| x.trunc()), same),
    }
    /// Rounded to the nearest integer, halves to the even one.
    Round = "rint" as rint(Inexact) -> T: plain {
        loops: loops!(
            float T => long1(T::round_half_even),
            complex P => map1(|z: Complex<P>| {
                Complex::new(z.re.round_half_even(), z.im.round_half_even())
            }),
            same,
        ),
    }
    /// The element without its whole part, with its sign.
    Fraction = "fraction": plain {
        is_universal: false,
        takes: real_inexact,
        flops: Some(1),
        loops: loops!(float T => wide!(|x: T| -> T { x.fraction() })),
        cuda: cuda!("
template <typename T> WEFT_INLINE T fraction(T a) {
    return copysign(isinf(a) ? (T)0 : a - trunc(a), a);
}"),
    }
    /// The element divided by a power of 2, from 0.5 up to 1; 0, infinities and NaN unchanged.
    Mantissa = "mantissa": plain {
        is_universal: false,
        takes: real_inexact,
        loops: loops!(float T => wide!(|x: T| -> T { x.mantissa() })),
    }
    /// The exponent of that power, an `i32`; 0 for 0, infinities and NaN.
    Exponent = "exponent": plain {
        is_universal: false,
        takes: real_inexact,
        gives: Gives::Only(DType::I32),
        loops: loops!(float T => wide!(|x: T| -> i32 { x.exponent() })),
    }
    /// The distance to the next number.
    Spacing = "spacing" as spacing(Float) -> T: plain {
        takes: real_inexact,
        flops: Some(1),
        loops: loops!(
            half => map1(half_spacing),
            float T => wide!(|x: T| -> T { x.spacing() }),
        ),
    }
    /// The number of bits set in the magnitude, a `u8`.
    BitCount = "bitwise_count" as bitwise_count(Integer) -> u8: plain {
        takes: counted_integer,
        gives: Gives::Only(DType::U8),
        loops: loops!(integer T => map1(T::count)),
    }
    /// Degrees to radians.
    Deg2rad = "deg2rad" as deg2rad(Float) -> T: plain {
        takes: real_inexact,
        flops: Some(1),
        loops: loops!(float T => map1(|x: T| x.to_radians())),
    }
    /// Radians to degrees.
    Rad2deg = "rad2deg" as rad2deg(Float) -> T: plain {
        takes: real_inexact,
        flops: Some(1),
        loops: loops!(float T => map1(|x: T| x.to_degrees())),
    }
    /// Whether the element is NaN.
    IsNan = "isnan" as isnan(Inexact) -> bool: predicate {
        loops: loops!(
            exact => constant::<u8, 0>(),
            float T => map1(T::is_not_a_number),
            complex P => map1(|z: Complex<P>| z.re.is_nan() | z.im.is_nan()),
        ),
    }
    /// Whether the element is an infinity.
    IsInf = "isinf" as isinf(Inexact) -> bool: predicate {
        loops: loops!(
            exact => constant::<u8, 0>(),
            float T => map1(|x: T| x.is_infinite()),
            complex P => map1(|z: Complex<P>| z.re.is_infinite() | z.im.is_infinite()),
        ),
    }
    /// Whether the element is neither an infinity nor NaN.
    IsFinite = "isfinite" as isfinite(Inexact) -> bool: predicate {
        loops: loops!(
            exact => constant::<u8, 1>(),
            float T => map1(|x: T| x.is_finite()),
            complex P => map1(|z: Complex<P>| z.re.is_finite() & z.im.is_finite()),
        ),
    }
    /// Whether the sign bit is set; for integers, whether they are below 0.
    SignBit = "signbit" as signbit(Float) -> bool: predicate {
        takes: |input| if input.is_integer() { Some(input) } else { real_inexact(input) },
        loops: loops!(
            integer T => map1(|x: T| x.lt(&T::ZERO)),
            float T => map1(|x: T| x.is_sign_negative()),
        ),
    }
    /// Whether the element is zero.
    LogicalNot = "logical_not" as logical_not(Element) -> bool: predicate {
        short: "not",
        loops: loops!(
            bool => map1(|x: bool| !x),
            word T => map1(|x: T| x == 0),
            float T => map1(|x: T| !x.is_true()),
            complex P => map1(|z: Complex<P>| !z.is_true()),
        ),
    }
    /// The complex conjugate; a real number itself.
    Conj = "conjugate" as conj(Number) -> T: plain {
        takes: counted,
        loops: loops!(
            complex P => map1(|z: Complex<P>| Complex::new(z.re, z.im.negative())),
            same,
        ),
    }
    /// The real part of a complex number, as a new array; a real number itself.
    Real = "real" as real(Number) -> T::Magnitude: plain {
        is_universal: false,
        gives: Gives::Real,
        loops: loops!(complex P => map1(|z: Complex<P>| z.re), same),
    }
    /// The imaginary part of a complex number, as a new array; 0 for a real number.
    Imag = "imag" as imag(Number) -> T::Magnitude: plain {
        is_universal: false,
        gives: Gives::Real,
        loops: loops!(
            word T => constant::<T, 0>(),
            float T => constant::<T, 0>(),
            complex P => map1(|z: Complex<P>| z.im),
        ),
    }
    /// The angle to the positive real axis, in radians.
    Angle = "angle" as angle(Inexact) -> T::Magnitude: elementary {
        is_universal: false,
        gives: Gives::Real,
        is_long: false,
        loops: loops!(
            float T => wide!(|x: T| -> T { T::narrow(math::atan2(0.0, x.widen())) }),
            complex P => long1(|z: Complex<P>| {
                P::narrow(math::atan2(z.im.widen(), z.re.widen()))
            }),
        ),
    }
    /// The element with every bit inverted; for `bool`, the other value.
    BitNot = "invert": plain {
        short: "bitnot",
        takes: bits,
        loops: loops!(bool => map1(|x: bool| !x), word T => map1(T::bit_not)),
    }
}
