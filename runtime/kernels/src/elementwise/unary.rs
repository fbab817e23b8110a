//! Functions of one operand.

#![allow(
    unsafe_code,
    reason = "writes an operand through the address of its tile"
)]

use super::complex::complex_unary;
use super::half::half_unary_block;
use super::loops::{long1, long1_unless, map1, over};
use super::parts::{self, Parts};
use super::quotient::Divisible;
use super::wide::{self, wide1};
use crate::chain::{Block, copy_block};
use crate::dtype::{
    CastFrom, DType, Element, Float, Integer, Number, Real, with_integer, with_unsigned,
};
use crate::math::{self, Narrow};
use crate::nest::Run;
use crate::{Tile, UnaryOp};

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
    let Some(block) = unary_block(op, dtype) else {
        unreachable!("{op} is not implemented for {dtype}");
    };
    over([input, out], block);
}

/// Returns the loop of a function of one element of type `dtype`, whose output has the type
/// [`UnaryOp::output_dtype`]; `None` if the function is not defined for it.
pub(crate) fn unary_block(op: UnaryOp, dtype: DType) -> Option<Block<2>> {
    op.output_dtype(dtype)?;
    match dtype {
        DType::Bool => of_bool(op),
        DType::F16 => half_unary_block(op),
        DType::C64 => complex_unary::<f32>(op),
        DType::C128 => complex_unary::<f64>(op),
        DType::F32 => of_real::<f32>(op).or_else(|| of_float::<f32>(op)),
        DType::F64 => of_real::<f64>(op).or_else(|| of_float::<f64>(op)),
        _ => of_any_integer(op, dtype)
            .or_else(|| with_integer!(dtype, T => of_integer::<T>(op), else None)),
    }
}

fn of_bool(op: UnaryOp) -> Option<Block<2>> {
    use UnaryOp::{
        Abs, BitNot, Ceil, Floor, Imag, IsFinite, IsInf, IsNan, LogicalNot, Real, Round, Trunc,
    };
    Some(match op {
        Abs | Floor | Ceil | Trunc | Round | Real => copy_block(DType::Bool),
        BitNot | LogicalNot => map1(|x: bool| !x),
        IsNan | IsInf | Imag => constant::<u8, 0>(),
        IsFinite => constant::<u8, 1>(),
        _ => return None,
    })
}

/// Functions that do not depend on the sign of integers, by the loops of unsigned integers.
fn of_any_integer(op: UnaryOp, dtype: DType) -> Option<Block<2>> {
    use UnaryOp::{
        BitNot, Ceil, Conj, Floor, Imag, IsFinite, IsInf, IsNan, LogicalNot, Neg, Positive, Real,
        Round, Square, Trunc,
    };
    Some(match op {
        Positive | Conj | Real | Floor | Ceil | Trunc | Round => copy_block(dtype),
        IsNan | IsInf => constant::<u8, 0>(),
        IsFinite => constant::<u8, 1>(),
        _ => with_unsigned!(dtype.unsigned(), T => match op {
            Imag => constant::<T, 0>(),
            LogicalNot => map1(|x: T| x == 0),
            BitNot => map1(T::bit_not),
            Neg => map1(T::negative),
            Square => map1(|x: T| x.times(x)),
            _ => return None,
        }, else return None),
    })
}

/// Returns the loop that writes a small constant for every input.
fn constant<T: Element + CastFrom<u8>, const VALUE: u8>() -> Block<2> {
    |run| {
        let value = T::cast_from(VALUE);
        let Run {
            at: [_, out],
            steps: [_, step],
            count,
        } = run;
        for i in 0..count as isize {
            // SAFETY: the block's promise.
            unsafe { out.wrapping_offset(step * i).cast::<T>().write(value) };
        }
    }
}

fn of_real<T: Real>(op: UnaryOp) -> Option<Block<2>> {
    Some(match op {
        UnaryOp::Positive | UnaryOp::Conj | UnaryOp::Real => copy_block(T::DTYPE),
        UnaryOp::Imag => constant::<T, 0>(),
        UnaryOp::LogicalNot => map1(|x: T| !x.is_true()),
        UnaryOp::Neg => map1(T::negative),
        UnaryOp::Abs => map1(|x: T| x.absolute()),
        UnaryOp::Sign => map1(|x: T| Number::sign(x)),
        UnaryOp::Square => map1(|x: T| x.times(x)),
        UnaryOp::Reciprocal => map1(|x: T| Number::reciprocal(x)),
        UnaryOp::IsNan => map1(T::is_not_a_number),
        _ => return None,
    })
}

fn of_integer<T: Integer + Divisible>(op: UnaryOp) -> Option<Block<2>> {
    Some(match op {
        UnaryOp::Abs => map1(|x: T| x.absolute()),
        UnaryOp::Sign => map1(|x: T| Number::sign(x)),
        UnaryOp::Reciprocal => map1(|x: T| Number::reciprocal(x)),
        UnaryOp::SignBit => map1(|x: T| x < T::ZERO),
        UnaryOp::BitCount => map1(T::count),
        _ => return None,
    })
}

fn of_float<T: Float + Narrow + Parts>(op: UnaryOp) -> Option<Block<2>> {
    let is_far = |x: T| math::is_far(x.widen());
    Some(match op {
        UnaryOp::Sqrt => map1(|x: T| x.sqrt()),
        UnaryOp::Floor => long1(|x: T| x.floor()),
        UnaryOp::Ceil => long1(|x: T| x.ceil()),
        UnaryOp::Trunc => long1(|x: T| x.trunc()),
        UnaryOp::Round => long1(T::round_half_even),
        UnaryOp::Deg2rad => map1(|x: T| x.to_radians()),
        UnaryOp::Rad2deg => map1(|x: T| x.to_degrees()),
        UnaryOp::IsInf => map1(|x: T| x.is_infinite()),
        UnaryOp::IsFinite => map1(|x: T| x.is_finite()),
        UnaryOp::SignBit => map1(|x: T| x.is_sign_negative()),
        UnaryOp::Fraction => wide1::<T, parts::Fraction>(),
        UnaryOp::Mantissa => wide1::<T, parts::Mantissa>(),
        UnaryOp::Exponent => wide1::<T, parts::Exponent>(),
        UnaryOp::Spacing => wide1::<T, parts::Spacing>(),
        UnaryOp::Angle => wide1::<T, wide::Angle>(),
        UnaryOp::Cbrt => wide1::<T, wide::Cbrt>(),
        UnaryOp::Exp => long1(|x: T| T::narrow(math::exp(x.widen()))),
        UnaryOp::Exp2 => long1(|x: T| T::narrow(math::exp2(x.widen()))),
        UnaryOp::Expm1 => long1(|x: T| T::narrow(math::exp_m1(x.widen()))),
        UnaryOp::Log => long1(|x: T| T::narrow(math::ln(x.widen()))),
        UnaryOp::Log2 => long1(|x: T| T::narrow(math::log2(x.widen()))),
        UnaryOp::Log10 => long1(|x: T| T::narrow(math::log10(x.widen()))),
        UnaryOp::Log1p => long1(|x: T| T::narrow(math::ln_1p(x.widen()))),
        UnaryOp::Sin => long1_unless(
            |x: T| T::narrow(math::sin(x.widen())),
            is_far,
            |x: T| x.sin(),
        ),
        UnaryOp::Cos => long1_unless(
            |x: T| T::narrow(math::cos(x.widen())),
            is_far,
            |x: T| x.cos(),
        ),
        UnaryOp::Tan => long1_unless(
            |x: T| T::narrow(math::tan(x.widen())),
            is_far,
            |x: T| x.tan(),
        ),
        UnaryOp::Asin => wide1::<T, wide::Asin>(),
        UnaryOp::Acos => wide1::<T, wide::Acos>(),
        UnaryOp::Atan => wide1::<T, wide::Atan>(),
        UnaryOp::Sinh => wide1::<T, wide::Sinh>(),
        UnaryOp::Cosh => wide1::<T, wide::Cosh>(),
        UnaryOp::Tanh => long1(|x: T| T::narrow(math::tanh(x.widen()))),
        UnaryOp::Asinh => wide1::<T, wide::Asinh>(),
        UnaryOp::Acosh => wide1::<T, wide::Acosh>(),
        UnaryOp::Atanh => wide1::<T, wide::Atanh>(),
        _ => return None,
    })
}
