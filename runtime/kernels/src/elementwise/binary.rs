//! Functions of two elements: their declarations.

use super::declaration::{
    Declaration, Gives, bits, counted, counted_integer, counted_real, cuda, functions, integer,
    loops, number, real, real_inexact,
};
use super::loops::{each2, map2, map2_swapped, over};
use super::parts::{Parts, half_next_after};
use super::wide::{wide, wide2};
use super::{division, quotient};
use crate::Tile;
use crate::dtype::{
    Comparable, Complex, DType, Element, Float, Inexact, Integer, Number, Promotion, dispatch,
    with_integer, with_native_float, with_native_real, with_unsigned,
};
use crate::math::{self, Narrow};

/// Computes `out = op(a, b)`.
///
/// # Panics
/// Panics unless the shapes are equal, `a` and `b` have one type, and `out` has the type that
/// [`BinaryOp::output_dtype`] returns for it.
pub fn binary(op: BinaryOp, a: &Tile, b: &Tile, out: &mut Tile) {
    let dtype = a.dtype();
    assert_eq!(dtype, b.dtype(), "{op} needs operands of one type");
    let Some(expected) = op.output_dtype(dtype) else {
        unreachable!("{op} is not defined for {dtype}");
    };
    assert_eq!(expected, out.dtype(), "{op} of {dtype} gives {expected}");
    let Some(block) = op.declaration().block(dtype) else {
        unreachable!("{op} is not implemented for {dtype}");
    };
    over([a, b, out], block);
}

impl BinaryOp {
    /// Whether this is one of the six comparisons.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        matches!(
            self,
            Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual
        )
    }
}

/// Returns `power`, or the square of `x` if `y` is 2: it has one rounding, as on its own.
#[inline(always)]
fn square_or(x: f64, y: f64, power: f64) -> f64 {
    if y == 2.0 { x * x } else { power }
}

/// The loops of a function of two elements of any type.
macro_rules! of_any {
    (|$x:ident, $y:ident| $body:expr) => {
        loops!(
            word T => map2(|$x: T, $y: T| $body),
            float T => map2(|$x: T, $y: T| $body),
            complex P => map2(|$x: Complex<P>, $y: Complex<P>| $body),
        )
    };
}

/// The loops of an order: `bool` is compared as 0 and 1.
macro_rules! order {
    ($map:ident, $function:ident) => {
        loops!(bool => $map($function::<u8>), real T => $map($function::<T>))
    };
}

// Functions instead of closures: loops that differ in the order of operands share code.
#[inline(always)]
fn is_less<T: Comparable>(x: T, y: T) -> bool {
    x < y
}

#[inline(always)]
fn is_at_most<T: Comparable>(x: T, y: T) -> bool {
    x <= y
}

functions! {
    ($)
    /// A function of two elements of the same type.
    BinaryOp<3>, each_binary_method

    /// The sum; integers wrap, `bool` is "or".
    Add = "add" as plus, try_add(Number) -> T: plain {
        flops: Some(1),
        complex_flops: Some(2),
        loops: loops!(
            bool => map2(u8::bit_or),
            word T => map2(T::plus),
            float T => map2(T::plus),
            complex P => map2(Complex::<P>::plus),
        ),
    }
    /// The difference; integers wrap.
    Sub = "subtract" as minus, try_sub(Number) -> T: plain {
        short: "sub",
        takes: number,
        flops: Some(1),
        complex_flops: Some(2),
        loops: loops!(
            word T => map2(T::minus),
            float T => map2(T::minus),
            complex P => map2(Complex::<P>::minus),
        ),
    }
    /// The product; integers wrap, `bool` is "and".
    Mul = "multiply" as times, try_mul(Number) -> T: plain {
        short: "mul",
        flops: Some(1),
        complex_flops: Some(6),
        loops: loops!(
            bool => map2(u8::bit_and),
            word T => map2(T::times),
            float T => map2(T::times),
            complex P => map2(Complex::<P>::times),
        ),
    }
    /// The quotient of floats.
    Div = "divide" as over, try_div(Inexact) -> T: plain {
        short: "div",
        takes: |input| Some(bits(input).map_or(input, |_| DType::F64)),
        flops: Some(1),
        // By Smith's formula.
        complex_flops: Some(10),
        loops: loops!(
            float T => map2(T::divide),
            complex P => map2(Complex::<P>::divide),
        ),
    }
    /// The quotient rounded to minus infinity; 0 for an integer over 0.
    FloorDiv = "floor_divide" as floor_divide, try_floor_divide(Real) -> T: plain {
        short: "floordiv",
        takes: counted_real,
        flops: None,
        loops: loops!(
            integer T => wide2::<T, division::FloorDivide>(),
            float T => wide2::<T, quotient::FloorDivide>(),
        ),
    }
    /// The remainder with the divisor's sign, like the operator `%`; 0 for an integer over 0.
    Rem = "remainder" as remainder, try_rem(Real) -> T: plain {
        short: "rem",
        takes: counted_real,
        flops: None,
        loops: loops!(
            integer T => wide2::<T, division::Remainder>(),
            float T => wide2::<T, quotient::Remainder>(),
        ),
    }
    /// The remainder with the dividend's sign; 0 for an integer over 0.
    Fmod = "fmod" as fmod, try_fmod(Real) -> T: plain {
        takes: counted_real,
        flops: None,
        loops: loops!(
            integer T => wide2::<T, division::Fmod>(),
            float T => wide2::<T, quotient::Fmod>(),
        ),
    }
    /// The first to the power of the second. Exponents of integers must not be negative: if one is
    /// known at the call, a negative one is an error of the call. Otherwise it fails the operation,
    /// with `Cause::Exponent`.
    Pow = "power" as power, try_power(Number) -> T: plain {
        short: "pow",
        takes: counted,
        is_long: true,
        flops: None,
        complex_flops: None,
        ulps: 4,
        loops: loops!(
            integer T => each2(T::power),
            float T => wide!(
                |x: T, y: T| {
                    let (x, y) = (x.widen(), y.widen());
                    T::narrow(square_or(x, y, math::moderate_pow(x, y)))
                },
                unless !math::is_moderate_power(x.widen(), y.widen()) => all {
                    let (x, y) = (x.widen(), y.widen());
                    T::narrow(square_or(x, y, math::pow(x, y)))
                }
            ),
            complex P => each2(Complex::<P>::power),
        ),
    }
    /// The angle of the point (second, first), in radians.
    Atan2 = "arctan2" as arctan2, try_arctan2(Float) -> T: elementary {
        short: "atan2",
        takes: real_inexact,
        loops: loops!(
            float T => wide!(|y: T, x: T| T::narrow(math::atan2(y.widen(), x.widen()))),
        ),
    }
    /// The length of the hypotenuse of a right triangle with these sides.
    Hypot = "hypot" as hypot, try_hypot(Float) -> T: plain {
        takes: real_inexact,
        flops: None,
        ulps: 4,
        loops: loops!(float T => wide!(|x: T, y: T| x.hypotenuse(y))),
    }
    /// The first with the sign of the second.
    CopySign = "copysign" as copysign, try_copysign(Float) -> T: plain {
        takes: real_inexact,
        loops: loops!(float T => map2(|x: T, y: T| x.copysign(y))),
    }
    /// The first times 2 to the power of the second, which is an integer.
    LdExp = "ldexp": plain {
        takes: real_inexact,
        // Three products.
        flops: Some(3),
        loops: loops!(
            float T => wide!(|x: T, n: T| T::narrow(math::ldexp(x.widen(), n.widen()))),
        ),
    }
    /// The next number after the first in the direction of the second.
    NextAfter = "nextafter" as nextafter, try_nextafter(Float) -> T: plain {
        takes: real_inexact,
        loops: loops!(
            half => map2(half_next_after),
            float T => wide!(|x: T, y: T| x.next_after(y)),
        ),
    }
    /// The step function: 0 if the first is negative, 1 if it is positive, the second at 0.
    Heaviside = "heaviside" as heaviside, try_heaviside(Float) -> T: plain {
        takes: real_inexact,
        loops: loops!(float T => wide!(|x: T, y: T| {
            let step = if x > 0.0 { 1.0 } else { 0.0 };
            let step = if x == 0.0 { y } else { step };
            if x.is_nan() { x } else { step }
        })),
        cuda: cuda!("
template <typename T> WEFT_INLINE T heaviside(T a, T b) {
    return a != a ? a : a == (T)0 ? b : a > (T)0 ? (T)1 : (T)0;
}"),
    }
    /// The natural logarithm of the sum of powers of e.
    LogAddExp = "logaddexp" as logaddexp, try_logaddexp(Float) -> T: elementary {
        takes: real_inexact,
        // An exponential, a logarithm, and the arithmetic around them.
        flops: Some(44 + 41 + 2),
        complex_flops: Some(0),
        // Both parts may almost cancel.
        ulps: 64,
        loops: loops!(
            float T => wide!(|x: T, y: T| T::narrow(math::ln_add_exp(x.widen(), y.widen()))),
        ),
        cuda: cuda!("
template <typename T> WEFT_INLINE T logaddexp(T a, T b) {
    if (a != a || b != b) return a + b;
    if (a == b) return a + (T)0.6931471805599453;
    return (a > b ? a : b) + log1p(exp(-absolute(a - b)));
}"),
    }
    /// The logarithm to base 2 of the sum of powers of 2.
    LogAddExp2 = "logaddexp2" as logaddexp2, try_logaddexp2(Float) -> T: elementary {
        takes: real_inexact,
        flops: Some(42 + 41 + 3),
        complex_flops: Some(0),
        ulps: 64,
        loops: loops!(
            float T => wide!(|x: T, y: T| T::narrow(math::log2_add_exp2(x.widen(), y.widen()))),
        ),
        cuda: cuda!("
template <typename T> WEFT_INLINE T logaddexp2(T a, T b) {
    if (a != a || b != b) return a + b;
    if (a == b) return a + (T)1;
    return (a > b ? a : b) + log1p(exp2(-absolute(a - b))) * (T)1.4426950408889634;
}"),
    }
    /// The greatest common divisor.
    Gcd = "gcd" as gcd, try_gcd(Integer) -> T: plain {
        takes: integer,
        loops: loops!(integer T => each2(quotient::greatest_divisor::<T>)),
    }
    /// The least common multiple; it wraps.
    Lcm = "lcm" as lcm, try_lcm(Integer) -> T: plain {
        takes: integer,
        loops: loops!(integer T => each2(quotient::least_multiple::<T>)),
    }
    /// The smaller one; NaN if one is NaN.
    Minimum = "minimum" as minimum, try_minimum(Comparable) -> T: plain {
        short: "min",
        takes: real,
        swaps_half: true,
        flops: Some(1),
        loops: loops!(bool => map2(u8::bit_and), real T => map2(T::smaller)),
    }
    /// The larger one; NaN if one is NaN.
    Maximum = "maximum" as maximum, try_maximum(Comparable) -> T: plain {
        short: "max",
        takes: real,
        swaps_half: true,
        flops: Some(1),
        loops: loops!(bool => map2(u8::bit_or), real T => map2(T::larger)),
    }
    /// The smaller one; the other one if one is NaN.
    FMin = "fmin" as fmin, try_fmin(Float) -> T: plain {
        takes: real,
        flops: Some(1),
        loops: loops!(
            bool => map2(u8::bit_and),
            integer T => map2(T::smaller),
            float T => map2(T::fmin),
        ),
    }
    /// The larger one; the other one if one is NaN.
    FMax = "fmax" as fmax, try_fmax(Float) -> T: plain {
        takes: real,
        flops: Some(1),
        loops: loops!(
            bool => map2(u8::bit_or),
            integer T => map2(T::larger),
            float T => map2(T::fmax),
        ),
    }
    /// The complex number of a real part and an imaginary one.
    Complex = "complex": plain {
        is_universal: false,
        // Parts of complex numbers have at least 32 bits.
        takes: |input| Some(DType::promote(real_inexact(input)?, DType::F32)),
        gives: Gives::Complex,
        loops: loops!(float T => map2(|re: T, im: T| Complex::new(re, im))),
    }
    /// Whether both are equal.
    Equal = "equal" as equal, try_equal(Element) -> bool: predicate {
        short: "eq",
        loops: of_any!(|x, y| x == y),
    }
    /// Whether they differ.
    NotEqual = "not_equal" as not_equal, try_not_equal(Element) -> bool: predicate {
        short: "ne",
        loops: of_any!(|x, y| x != y),
    }
    /// Whether the first is smaller.
    Less = "less" as less, try_less(Comparable) -> bool: predicate {
        short: "lt",
        takes: real,
        loops: order!(map2, is_less),
    }
    /// Whether the first is smaller or equal.
    LessEqual = "less_equal" as less_equal, try_less_equal(Comparable) -> bool: predicate {
        short: "le",
        takes: real,
        loops: order!(map2, is_at_most),
    }
    /// Whether the first is larger.
    Greater = "greater" as greater, try_greater(Comparable) -> bool: predicate {
        short: "gt",
        takes: real,
        loops: order!(map2_swapped, is_less),
    }
    /// Whether the first is larger or equal.
    GreaterEqual = "greater_equal" as greater_equal, try_greater_equal(Comparable) -> bool: predicate {
        short: "ge",
        takes: real,
        loops: order!(map2_swapped, is_at_most),
    }
    /// Whether both are not zero.
    LogicalAnd = "logical_and" as logical_and, try_logical_and(Element) -> bool: predicate {
        short: "and",
        loops: of_any!(|x, y| x.is_true() & y.is_true()),
    }
    /// Whether one is not zero.
    LogicalOr = "logical_or" as logical_or, try_logical_or(Element) -> bool: predicate {
        short: "or",
        loops: of_any!(|x, y| x.is_true() | y.is_true()),
    }
    /// Whether exactly one is not zero.
    LogicalXor = "logical_xor" as logical_xor, try_logical_xor(Element) -> bool: predicate {
        short: "xor",
        loops: of_any!(|x, y| x.is_true() ^ y.is_true()),
    }
    /// The bits set in both.
    BitAnd = "bitwise_and": plain {
        short: "bitand",
        takes: bits,
        loops: loops!(word T => map2(T::bit_and)),
    }
    /// The bits set in one.
    BitOr = "bitwise_or": plain {
        short: "bitor",
        takes: bits,
        loops: loops!(word T => map2(T::bit_or)),
    }
    /// The bits set in exactly one.
    BitXor = "bitwise_xor": plain {
        short: "bitxor",
        takes: bits,
        loops: loops!(word T => map2(T::bit_xor)),
    }
    /// The first shifted left; 0 if the second is negative or too large.
    ShiftLeft = "left_shift" as left_shift, try_left_shift(Integer) -> T: plain {
        short: "shl",
        takes: counted_integer,
        loops: loops!(word T => map2(T::shift_left)),
    }
    /// The first shifted right, keeping its sign.
    ShiftRight = "right_shift" as right_shift, try_right_shift(Integer) -> T: plain {
        short: "shr",
        takes: counted_integer,
        loops: loops!(integer T => map2(T::shift_right)),
    }
}
