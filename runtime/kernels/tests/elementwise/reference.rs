//! The operations on one element, implemented independently of the kernels: integers in `i128`.

use weft_kernels::dtype::{CastFrom, Complex, DType, Element, Float, Inexact, Number, Scalar, f16};
use weft_kernels::testing::inner::complex;
use weft_kernels::{BinaryOp, UnaryOp};

use crate::scalars::wrap;

fn is_true(value: &Scalar) -> bool {
    *value != Scalar::zero(value.dtype())
}

macro_rules! float_unary {
    ($type:ident, $variant:ident, $op:expr, $x:expr) => {{
        let x: $type = $x;
        let value = match $op {
            UnaryOp::IsNan => return Scalar::Bool(x.is_nan()),
            UnaryOp::IsInf => return Scalar::Bool(x.is_infinite()),
            UnaryOp::IsFinite => return Scalar::Bool(x.is_finite()),
            UnaryOp::SignBit => return Scalar::Bool(x.is_sign_negative()),
            UnaryOp::LogicalNot => return Scalar::Bool(x == 0.0),
            UnaryOp::Positive | UnaryOp::Conj | UnaryOp::Real => x,
            UnaryOp::Imag => 0.0,
            UnaryOp::Angle => (0.0 as $type).atan2(x),
            UnaryOp::Neg => -x,
            UnaryOp::Abs => x.abs(),
            UnaryOp::Sign if x == 0.0 => 0.0,
            UnaryOp::Sign => x.signum(),
            UnaryOp::Square => x * x,
            UnaryOp::Reciprocal => x.recip(),
            UnaryOp::Sqrt => x.sqrt(),
            UnaryOp::Cbrt => x.cbrt(),
            UnaryOp::Exp => x.exp(),
            UnaryOp::Exp2 => x.exp2(),
            UnaryOp::Expm1 => x.exp_m1(),
            UnaryOp::Log => x.ln(),
            UnaryOp::Log2 => x.log2(),
            UnaryOp::Log10 => x.log10(),
            UnaryOp::Log1p => x.ln_1p(),
            UnaryOp::Sin => x.sin(),
            UnaryOp::Cos => x.cos(),
            UnaryOp::Tan => x.tan(),
            UnaryOp::Asin => x.asin(),
            UnaryOp::Acos => x.acos(),
            UnaryOp::Atan => x.atan(),
            UnaryOp::Sinh => x.sinh(),
            UnaryOp::Cosh => x.cosh(),
            UnaryOp::Tanh => x.tanh(),
            UnaryOp::Asinh => x.asinh(),
            // The standard library's formula loses bits near 1; `x - 1` is exact there.
            UnaryOp::Acosh if (1.0..2.0).contains(&x) => {
                let above = x - 1.0;
                (above + (above * (above + 2.0)).sqrt()).ln_1p()
            }
            UnaryOp::Acosh => x.acosh(),
            UnaryOp::Atanh => x.abs().atanh().copysign(x),
            UnaryOp::Floor => x.floor(),
            UnaryOp::Ceil => x.ceil(),
            UnaryOp::Trunc => x.trunc(),
            UnaryOp::Round => x.round_ties_even(),
            UnaryOp::Deg2rad => x.to_radians(),
            UnaryOp::Rad2deg => x.to_degrees(),
            UnaryOp::Fraction if x.is_infinite() => (0.0 as $type).copysign(x),
            UnaryOp::Fraction => x.fract().copysign(x),
            UnaryOp::Mantissa => parts::$type(x).0,
            UnaryOp::Exponent => return Scalar::I32(parts::$type(x).1),
            UnaryOp::Spacing if !x.is_finite() => $type::NAN,
            UnaryOp::Spacing if x < 0.0 => x.next_down() - x,
            UnaryOp::Spacing => x.abs().next_up() - x.abs(),
            other => unreachable!("{other} of floats"),
        };
        Scalar::$variant(value)
    }};
}
macro_rules! float_binary {
    ($type:ident, $variant:ident, $op:expr, $x:expr, $y:expr) => {{
        let (x, y): ($type, $type) = ($x, $y);
        let value = match $op {
            BinaryOp::Complex => return Complex::new(x, y).into(),
            BinaryOp::Less => return Scalar::Bool(x < y),
            BinaryOp::LessEqual => return Scalar::Bool(x <= y),
            BinaryOp::Greater => return Scalar::Bool(x > y),
            BinaryOp::GreaterEqual => return Scalar::Bool(x >= y),
            BinaryOp::Add => x + y,
            BinaryOp::Sub => x - y,
            BinaryOp::Mul => x * y,
            BinaryOp::Div => x / y,
            BinaryOp::FloorDiv | BinaryOp::Rem => {
                let (quotient, remainder) = divmod::$type(x, y);
                if $op == BinaryOp::FloorDiv {
                    quotient
                } else {
                    remainder
                }
            }
            BinaryOp::Pow if y == 2.0 => x * x,
            BinaryOp::Pow => x.powf(y),
            BinaryOp::Atan2 => x.atan2(y),
            BinaryOp::Hypot => x.hypot(y),
            BinaryOp::CopySign => x.copysign(y),
            BinaryOp::Fmod => x % y,
            BinaryOp::LdExp => {
                // Half of the factors at a time, of which only the last is not exact.
                let n = (y as i32).clamp(-3000, 3000);
                let (size, first) = parts::$type(x);
                scaled::$type(size, first + n)
            }
            BinaryOp::NextAfter if x.is_nan() || y.is_nan() => $type::NAN,
            BinaryOp::NextAfter if x == y => y,
            BinaryOp::NextAfter if x < y => x.next_up(),
            BinaryOp::NextAfter => x.next_down(),
            BinaryOp::Heaviside if x.is_nan() => x,
            BinaryOp::Heaviside if x == 0.0 => y,
            BinaryOp::Heaviside => f32::from(x > 0.0).into(),
            BinaryOp::LogAddExp if x == y => x + std::f64::consts::LN_2 as $type,
            BinaryOp::LogAddExp => x.max(y) + (-(x - y).abs()).exp().ln_1p(),
            BinaryOp::LogAddExp2 if x == y => x + 1.0,
            BinaryOp::LogAddExp2 => {
                x.max(y) + (-(x - y).abs()).exp2().ln_1p() * std::f64::consts::LOG2_E as $type
            }
            BinaryOp::Minimum if x.is_nan() || y.is_nan() => $type::NAN,
            BinaryOp::Maximum if x.is_nan() || y.is_nan() => $type::NAN,
            BinaryOp::FMin | BinaryOp::FMax if x.is_nan() => y,
            BinaryOp::FMin | BinaryOp::FMax if y.is_nan() => x,
            // Of zeros with different signs NumPy's vector code returns the second.
            BinaryOp::Minimum => {
                if x < y {
                    x
                } else {
                    y
                }
            }
            BinaryOp::Maximum => {
                if x > y {
                    x
                } else {
                    y
                }
            }
            BinaryOp::FMin => {
                if y < x {
                    y
                } else {
                    x
                }
            }
            BinaryOp::FMax => {
                if y > x {
                    y
                } else {
                    x
                }
            }
            other => unreachable!("{other} of floats"),
        };
        Scalar::$variant(value)
    }};
}
/// Rounds a result for `f16` that was computed in `f32`.
fn rounded(value: Scalar) -> Scalar {
    match value.dtype() {
        DType::F32 => value.cast(DType::F16),
        _ => value,
    }
}

/// Computes by the functions of the dtype, which are tested against NumPy's results.
fn complex_unary<P: Float>(op: UnaryOp, z: Complex<P>) -> Scalar
where
    Complex<P>: Inexact<Magnitude = P>,
    Complex<f64>: CastFrom<Complex<P>>,
{
    let wide = Complex::<f64>::cast_from(z);
    let parts = |of: fn(f64) -> bool| of(wide.re) || of(wide.im);
    let value = match op {
        UnaryOp::IsNan => return Scalar::Bool(parts(f64::is_nan)),
        UnaryOp::IsInf => return Scalar::Bool(parts(f64::is_infinite)),
        UnaryOp::IsFinite => return Scalar::Bool(!parts(|part| !part.is_finite())),
        UnaryOp::LogicalNot => return Scalar::Bool(wide.re == 0.0 && wide.im == 0.0),
        UnaryOp::Abs => return z.absolute().into(),
        UnaryOp::Real => return z.re.into(),
        UnaryOp::Imag => return z.im.into(),
        UnaryOp::Angle => return z.im.atan2(z.re).into(),
        UnaryOp::Positive => return z.into(),
        UnaryOp::Neg => return z.negative().into(),
        UnaryOp::Sign => return Number::sign(z).into(),
        UnaryOp::Square => return z.times(z).into(),
        UnaryOp::Reciprocal => return Number::reciprocal(z).into(),
        UnaryOp::Conj => Complex::new(wide.re, -wide.im),
        UnaryOp::Round => Complex::new(wide.re.round_ties_even(), wide.im.round_ties_even()),
        UnaryOp::Sqrt => complex::sqrt(wide),
        UnaryOp::Exp => complex::exp(wide),
        UnaryOp::Exp2 => complex::exp2(wide),
        UnaryOp::Expm1 => complex::expm1(wide),
        UnaryOp::Log => complex::log(wide),
        UnaryOp::Log2 => complex::log2(wide),
        UnaryOp::Log10 => complex::log10(wide),
        UnaryOp::Log1p => complex::log1p(wide),
        UnaryOp::Sin => complex::sin(wide),
        UnaryOp::Cos => complex::cos(wide),
        UnaryOp::Tan => complex::tan(wide),
        UnaryOp::Asin => complex::arcsin(wide),
        UnaryOp::Acos => complex::arccos(wide),
        UnaryOp::Atan => complex::arctan(wide),
        UnaryOp::Sinh => complex::sinh(wide),
        UnaryOp::Cosh => complex::cosh(wide),
        UnaryOp::Tanh => complex::tanh(wide),
        UnaryOp::Asinh => complex::arcsinh(wide),
        UnaryOp::Acosh => complex::arccosh(wide),
        UnaryOp::Atanh => complex::arctanh(wide),
        other => unreachable!("{other} of complex numbers"),
    };
    Scalar::from(value).cast(Complex::<P>::DTYPE)
}

fn complex_binary<T: Inexact>(op: BinaryOp, x: T, y: T) -> Scalar {
    let value = match op {
        BinaryOp::Add => x.plus(y),
        BinaryOp::Sub => x.minus(y),
        BinaryOp::Mul => x.times(y),
        BinaryOp::Div => x.divide(y),
        BinaryOp::Pow => x.power(y),
        other => unreachable!("{other} of complex numbers"),
    };
    value.into()
}

pub(super) fn unary_reference(op: UnaryOp, a: &Scalar) -> Scalar {
    match *a {
        // The distance to the next number upwards.
        Scalar::F16(x) if op == UnaryOp::Spacing => match x.is_finite() {
            true => Scalar::F16(f16::from_f64(half_next(x, true).to_f64() - x.to_f64())),
            false => Scalar::F16(f16::NAN),
        },
        Scalar::F16(_) => rounded(unary_reference(op, &a.cast(DType::F32))),
        Scalar::C64(z) => complex_unary(op, z),
        Scalar::C128(z) => complex_unary(op, z),
        Scalar::F32(x) => float_unary!(f32, F32, op, x),
        Scalar::F64(x) => float_unary!(f64, F64, op, x),
        _ => integer_unary(op, a),
    }
}

fn integer_unary(op: UnaryOp, a: &Scalar) -> Scalar {
    let x = a.integer().unwrap();
    let value = match op {
        UnaryOp::LogicalNot => return Scalar::Bool(x == 0),
        UnaryOp::IsNan | UnaryOp::IsInf => return Scalar::Bool(false),
        UnaryOp::IsFinite => return Scalar::Bool(true),
        UnaryOp::SignBit => return Scalar::Bool(x < 0),
        UnaryOp::BitNot if a.dtype() == DType::Bool => 1 - x,
        UnaryOp::BitNot => -x - 1,
        UnaryOp::Neg => -x,
        UnaryOp::Abs => x.abs(),
        UnaryOp::Sign => x.signum(),
        UnaryOp::Square => x.wrapping_mul(x),
        UnaryOp::Reciprocal => 1i128.checked_div(x).unwrap_or(0),
        UnaryOp::BitCount => return Scalar::U8(x.unsigned_abs().count_ones() as u8),
        UnaryOp::Imag => 0,
        UnaryOp::Positive | UnaryOp::Conj | UnaryOp::Real => x,
        UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Trunc | UnaryOp::Round => x,
        other => unreachable!("{other} of an integer"),
    };
    wrap(value, a.dtype())
}

pub(super) fn binary_reference(op: BinaryOp, a: &Scalar, b: &Scalar) -> Scalar {
    match op {
        BinaryOp::Equal => return Scalar::Bool(a == b),
        BinaryOp::NotEqual => return Scalar::Bool(a != b),
        BinaryOp::LogicalAnd => return Scalar::Bool(is_true(a) && is_true(b)),
        BinaryOp::LogicalOr => return Scalar::Bool(is_true(a) || is_true(b)),
        BinaryOp::LogicalXor => return Scalar::Bool(is_true(a) != is_true(b)),
        _ => {}
    }
    match (*a, *b) {
        (Scalar::F16(x), Scalar::F16(y)) if op == BinaryOp::NextAfter => Scalar::F16(match () {
            () if x.is_nan() || y.is_nan() => f16::NAN,
            () if x == y => x,
            () => half_next(x, x < y),
        }),
        // NumPy's code for `f16` returns the first of two zeros.
        (Scalar::F16(_), _) if matches!(op, BinaryOp::Minimum | BinaryOp::Maximum) => rounded(
            binary_reference(op, &b.cast(DType::F32), &a.cast(DType::F32)),
        ),
        (Scalar::F16(_), _) => rounded(binary_reference(
            op,
            &a.cast(DType::F32),
            &b.cast(DType::F32),
        )),
        (Scalar::C64(x), Scalar::C64(y)) => complex_binary(op, x, y),
        (Scalar::C128(x), Scalar::C128(y)) => complex_binary(op, x, y),
        (Scalar::F32(x), Scalar::F32(y)) => float_binary!(f32, F32, op, x, y),
        (Scalar::F64(x), Scalar::F64(y)) => float_binary!(f64, F64, op, x, y),
        _ => integer_binary(op, a, b),
    }
}

/// The next `f16` in a direction.
fn half_next(x: f16, is_up: bool) -> f16 {
    let order = |x: f16| match x.to_bits() {
        bits if bits & 0x8000 == 0 => i32::from(bits),
        bits => -i32::from(bits & 0x7fff),
    };
    let next = order(x) + if is_up { 1 } else { -1 };
    match next < 0 {
        false => f16::from_bits(next as u16),
        true => f16::from_bits(0x8000 | -next as u16),
    }
}

fn integer_binary(op: BinaryOp, a: &Scalar, b: &Scalar) -> Scalar {
    use BinaryOp::*;
    let (x, y, dtype) = (a.integer().unwrap(), b.integer().unwrap(), a.dtype());
    let bits = 8 * dtype.size() as i128;
    let value = match op {
        Less => return Scalar::Bool(x < y),
        LessEqual => return Scalar::Bool(x <= y),
        Greater => return Scalar::Bool(x > y),
        GreaterEqual => return Scalar::Bool(x >= y),
        Add => x + y,
        Sub => x - y,
        Mul => x.wrapping_mul(y),
        FloorDiv | Rem if y == 0 => 0,
        FloorDiv => (x - x.rem_euclid(y)) / y - i128::from(y < 0 && x.rem_euclid(y) != 0),
        Rem => x - y * ((x - x.rem_euclid(y)) / y - i128::from(y < 0 && x.rem_euclid(y) != 0)),
        Fmod => x.checked_rem(y).unwrap_or(0),
        Gcd => divisor(x, y),
        Lcm => match divisor(x, y) {
            0 => 0,
            common => (x.abs() / common).wrapping_mul(y.abs()),
        },
        Pow => return integer_power(x, y, dtype),
        Minimum | FMin => x.min(y),
        Maximum | FMax => x.max(y),
        BitAnd => x & y,
        BitOr => x | y,
        BitXor => x ^ y,
        ShiftLeft if (0..bits).contains(&y) => x.wrapping_shl(y as u32),
        ShiftLeft => 0,
        ShiftRight if (0..bits).contains(&y) => x >> y,
        ShiftRight => -i128::from(x < 0),
        other => unreachable!("{other} of integers"),
    };
    wrap(value, dtype)
}

/// Computes the greatest common divisor by Euclid's algorithm.
fn divisor(x: i128, y: i128) -> i128 {
    match y {
        0 => x.abs(),
        _ => divisor(y, x % y),
    }
}

/// Computes powers by repeated squaring, modulo the range at each step.
fn integer_power(base: i128, exponent: i128, dtype: DType) -> Scalar {
    if exponent < 0 {
        return wrap(
            if base.abs() == 1 {
                base.pow((exponent & 1) as u32)
            } else {
                0
            },
            dtype,
        );
    }
    let modulo = |value: i128| wrap(value, dtype).integer().unwrap();
    let mut result = 1i128;
    for bit in (0..64).rev() {
        result = modulo(result.wrapping_mul(result));
        if exponent >> bit & 1 == 1 {
            result = modulo(result.wrapping_mul(base));
        }
    }
    wrap(result, dtype)
}

/// NumPy's `npy_divmod`, translated from C.
mod divmod {
    macro_rules! divmod {
        ($type:ident) => {
            pub(super) fn $type(a: $type, b: $type) -> ($type, $type) {
                let mut modulus = a % b;
                if b == 0.0 {
                    return (a / b, modulus);
                }
                let mut div = (a - modulus) / b;
                if modulus != 0.0 {
                    if (b < 0.0) != (modulus < 0.0) {
                        modulus += b;
                        div -= 1.0;
                    }
                } else {
                    modulus = (0.0 as $type).copysign(b);
                }
                let floor = if div != 0.0 {
                    let floor = div.floor();
                    if div - floor > 0.5 {
                        floor + 1.0
                    } else {
                        floor
                    }
                } else {
                    (0.0 as $type).copysign(a / b)
                };
                (floor, modulus)
            }
        };
    }
    divmod!(f32);
    divmod!(f64);
}

/// A float as a number from 0.5 up to 1 and the exponent of a power of 2, by halving and doubling.
mod parts {
    macro_rules! parts {
        ($type:ident) => {
            pub(super) fn $type(x: $type) -> ($type, i32) {
                let (mut part, mut exponent) = (x, 0);
                if x == 0.0 || !x.is_finite() {
                    return (x, 0);
                }
                while part.abs() >= 1.0 {
                    (part, exponent) = (part / 2.0, exponent + 1);
                }
                while part.abs() < 0.5 {
                    (part, exponent) = (part * 2.0, exponent - 1);
                }
                (part, exponent)
            }
        };
    }
    parts!(f32);
    parts!(f64);
}

/// A number from 0.5 up to 1 times a power of 2.
mod scaled {
    macro_rules! scaled {
        ($type:ident) => {
            pub(super) fn $type(part: $type, mut exponent: i32) -> $type {
                let mut value = part;
                while exponent > 0 {
                    (value, exponent) = (value * 2.0, exponent - 1);
                }
                // The part is at least 0.5, so that only the last product may be rounded.
                let normal = exponent.max($type::MIN_EXP);
                for _ in 0..-normal {
                    value /= 2.0;
                }
                let rest = (exponent - normal).max(-100);
                value * (2.0 as $type).powi(rest)
            }
        };
    }
    scaled!(f32);
    scaled!(f64);
}
