//! Functions of two operands.

use super::complex::complex_binary;
use super::division::{self, Divided};
use super::half::half_binary_block;
use super::loops::{each2, map2, map2_swapped, over};
use super::parts::{self, Parts};
use super::quotient;
use super::wide::{self, wide2};
use crate::chain::Block;
use crate::dtype::{
    Comparable, Complex, DType, Element, Float, Integer, Number, Real, with_integer, with_unsigned,
};
use crate::math::Narrow;
use crate::{BinaryOp, Tile};

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
    let Some(block) = binary_block(op, dtype) else {
        unreachable!("{op} is not implemented for {dtype}");
    };
    over([a, b, out], block);
}

/// Returns the loop of a function of two elements of type `dtype`, whose output has the type
/// [`BinaryOp::output_dtype`]; `None` if the function is not defined for it.
pub(crate) fn binary_block(op: BinaryOp, dtype: DType) -> Option<Block<3>> {
    op.output_dtype(dtype)?;
    match dtype {
        DType::Bool => of_any_integer(as_number(op), DType::U8),
        DType::F16 => half_binary_block(op),
        DType::C64 => equality::<Complex<f32>>(op).or_else(|| complex_binary::<Complex<f32>>(op)),
        DType::C128 => equality::<Complex<f64>>(op).or_else(|| complex_binary::<Complex<f64>>(op)),
        DType::F32 => of_real::<f32>(op).or_else(|| of_float::<f32>(op)),
        DType::F64 => of_real::<f64>(op).or_else(|| of_float::<f64>(op)),
        _ => of_any_integer(op, dtype)
            .or_else(|| with_integer!(dtype, T => of_integer::<T>(op), else None)),
    }
}

/// Returns the function of 0 and 1 that is `op` of false and true.
fn as_number(op: BinaryOp) -> BinaryOp {
    use BinaryOp::{Add, BitAnd, BitOr, FMax, FMin, Maximum, Minimum, Mul};
    match op {
        Add | Maximum | FMax => BitOr,
        Mul | Minimum | FMin => BitAnd,
        other => other,
    }
}

/// Functions that do not depend on the sign of integers, by the loops of unsigned integers.
fn of_any_integer(op: BinaryOp, dtype: DType) -> Option<Block<3>> {
    use BinaryOp::{Add, BitAnd, BitOr, BitXor, Mul, ShiftLeft, Sub};
    with_unsigned!(dtype.unsigned(), T => Some(match op {
        Add => map2(T::plus),
        Sub => map2(T::minus),
        Mul => map2(T::times),
        BitAnd => map2(T::bit_and),
        BitOr => map2(T::bit_or),
        BitXor => map2(T::bit_xor),
        ShiftLeft => each2(T::shift_left),
        _ if !dtype.is_signed_integer() => {
            return equality::<T>(op).or_else(|| comparison::<T>(op));
        }
        _ => return equality::<T>(op),
    }), else None)
}

/// Functions that are the same for every type.
fn equality<T: Element>(op: BinaryOp) -> Option<Block<3>> {
    Some(match op {
        BinaryOp::Equal => map2(|x: T, y: T| x == y),
        BinaryOp::NotEqual => map2(|x: T, y: T| x != y),
        BinaryOp::LogicalAnd => map2(|x: T, y: T| x.is_true() & y.is_true()),
        BinaryOp::LogicalOr => map2(|x: T, y: T| x.is_true() | y.is_true()),
        BinaryOp::LogicalXor => map2(|x: T, y: T| x.is_true() ^ y.is_true()),
        _ => return None,
    })
}

fn comparison<T: Comparable>(op: BinaryOp) -> Option<Block<3>> {
    let is_less = |x: T, y: T| x < y;
    let is_at_most = |x: T, y: T| x <= y;
    Some(match op {
        BinaryOp::Less => map2(is_less),
        BinaryOp::LessEqual => map2(is_at_most),
        BinaryOp::Greater => map2_swapped(is_less),
        BinaryOp::GreaterEqual => map2_swapped(is_at_most),
        _ => return None,
    })
}

/// Functions that depend on the sign of integers.
fn of_integer<T: Integer + Divided>(op: BinaryOp) -> Option<Block<3>> {
    Some(match op {
        BinaryOp::Minimum | BinaryOp::FMin => map2(T::smaller),
        BinaryOp::Maximum | BinaryOp::FMax => map2(T::larger),
        BinaryOp::FloorDiv => wide2::<T, division::FloorDivide>(),
        BinaryOp::Rem => wide2::<T, division::Remainder>(),
        BinaryOp::Fmod => wide2::<T, division::Fmod>(),
        BinaryOp::Gcd => each2(quotient::greatest_divisor::<T>),
        BinaryOp::Lcm => each2(quotient::least_multiple::<T>),
        BinaryOp::Pow => each2(T::power),
        BinaryOp::ShiftRight => each2(T::shift_right),
        _ => return comparison::<T>(op),
    })
}

fn of_real<T: Real>(op: BinaryOp) -> Option<Block<3>> {
    Some(match op {
        BinaryOp::Add => map2(T::plus),
        BinaryOp::Sub => map2(T::minus),
        BinaryOp::Mul => map2(T::times),
        BinaryOp::Minimum => map2(T::smaller),
        BinaryOp::Maximum => map2(T::larger),
        _ => return equality::<T>(op).or_else(|| comparison::<T>(op)),
    })
}

fn of_float<T: Float + Narrow + Parts>(op: BinaryOp) -> Option<Block<3>>
where
    Complex<T>: Element,
{
    Some(match op {
        BinaryOp::Div => map2(T::divide),
        BinaryOp::FMin => map2(T::fmin),
        BinaryOp::FMax => map2(T::fmax),
        BinaryOp::Complex => map2(|re: T, im: T| Complex::new(re, im)),
        BinaryOp::CopySign => map2(|x: T, y: T| x.copysign(y)),
        BinaryOp::Atan2 => wide2::<T, wide::Atan2>(),
        BinaryOp::Pow => wide2::<T, wide::Pow>(),
        BinaryOp::LdExp => wide2::<T, wide::LdExp>(),
        BinaryOp::LogAddExp => wide2::<T, wide::LogAddExp>(),
        BinaryOp::LogAddExp2 => wide2::<T, wide::LogAddExp2>(),
        BinaryOp::NextAfter => wide2::<T, parts::NextAfter>(),
        BinaryOp::Heaviside => wide2::<T, parts::Heaviside>(),
        BinaryOp::Fmod => wide2::<T, quotient::Fmod>(),
        BinaryOp::Rem => wide2::<T, quotient::Remainder>(),
        BinaryOp::FloorDiv => wide2::<T, quotient::FloorDivide>(),
        BinaryOp::Hypot => each2(|x: T, y: T| x.hypot(y)),
        _ => return None,
    })
}
