//! Functions of two operands.

use super::complex::complex_binary;
use super::half::half_binary_block;
use super::loops::{Block, each2, map2, over};
use crate::dtype::{
    Comparable, Complex, DType, Element, Float, Integer, Real, with_integer, with_native_float,
    with_native_real,
};
use crate::{BinaryOp, Tile};

/// `out = op(a, b)`.
///
/// # Panics
/// Unless the shapes are equal, `a` and `b` have one type, and `out` the one [`BinaryOp::output_dtype`] gives for it.
pub fn binary(op: BinaryOp, a: &Tile, b: &Tile, out: &Tile) {
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

/// The loop of a function of two elements of type `dtype`; its output has the type [`BinaryOp::output_dtype`]. `None`
/// where the function is not defined for it.
pub(crate) fn binary_block(op: BinaryOp, dtype: DType) -> Option<Block<3>> {
    op.output_dtype(dtype)?;
    match dtype {
        DType::Bool => equality::<bool>(op)
            .or_else(|| comparison::<bool>(op))
            .or_else(|| of_bool(op)),
        DType::F16 => half_binary_block(op),
        DType::C64 => equality::<Complex<f32>>(op).or_else(|| complex_binary::<Complex<f32>>(op)),
        DType::C128 => equality::<Complex<f64>>(op).or_else(|| complex_binary::<Complex<f64>>(op)),
        _ => with_native_real!(dtype, T => of_real::<T>(op), else None)
            .or_else(|| with_integer!(dtype, T => of_integer::<T>(op), else None))
            .or_else(|| with_native_float!(dtype, T => of_float::<T>(op), else None)),
    }
}

/// What is the same for every type.
#[allow(
    clippy::bool_comparison,
    reason = "`bool` is one of several types here"
)]
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
    Some(match op {
        BinaryOp::Less => map2(|x: T, y: T| x < y),
        BinaryOp::LessEqual => map2(|x: T, y: T| x <= y),
        BinaryOp::Greater => map2(|x: T, y: T| x > y),
        BinaryOp::GreaterEqual => map2(|x: T, y: T| x >= y),
        _ => return None,
    })
}

fn of_bool(op: BinaryOp) -> Option<Block<3>> {
    use BinaryOp::{Add, BitAnd, BitOr, BitXor, FMax, FMin, Maximum, Minimum, Mul};
    Some(match op {
        Add | BitOr | Maximum | FMax => map2(|x: bool, y: bool| x | y),
        Mul | BitAnd | Minimum | FMin => map2(|x: bool, y: bool| x & y),
        BitXor => map2(|x: bool, y: bool| x ^ y),
        _ => return None,
    })
}

fn of_real<T: Real>(op: BinaryOp) -> Option<Block<3>> {
    Some(match op {
        BinaryOp::Add => map2(T::plus),
        BinaryOp::Sub => map2(T::minus),
        BinaryOp::Mul => map2(T::times),
        BinaryOp::Minimum => map2(T::smaller),
        BinaryOp::Maximum => map2(T::larger),
        BinaryOp::FloorDiv => each2(T::floor_divide),
        BinaryOp::Rem => each2(T::remainder),
        BinaryOp::Pow => each2(T::power),
        _ => return equality::<T>(op).or_else(|| comparison::<T>(op)),
    })
}

fn of_integer<T: Integer>(op: BinaryOp) -> Option<Block<3>> {
    Some(match op {
        BinaryOp::FMin => map2(T::smaller),
        BinaryOp::FMax => map2(T::larger),
        BinaryOp::BitAnd => map2(T::bit_and),
        BinaryOp::BitOr => map2(T::bit_or),
        BinaryOp::BitXor => map2(T::bit_xor),
        BinaryOp::ShiftLeft => each2(T::shift_left),
        BinaryOp::ShiftRight => each2(T::shift_right),
        _ => return None,
    })
}

fn of_float<T: Float>(op: BinaryOp) -> Option<Block<3>>
where
    Complex<T>: Element,
{
    Some(match op {
        BinaryOp::Div => map2(T::divide),
        BinaryOp::FMin => map2(T::fmin),
        BinaryOp::FMax => map2(T::fmax),
        BinaryOp::Complex => map2(|re: T, im: T| Complex::new(re, im)),
        BinaryOp::CopySign => map2(|x: T, y: T| x.copysign(y)),
        BinaryOp::Atan2 => each2(|x: T, y: T| x.atan2(y)),
        BinaryOp::Hypot => each2(|x: T, y: T| x.hypot(y)),
        _ => return None,
    })
}
