//! Functions of two operands.

use super::loops::{each2, map2};
use crate::dtype::{
    DType, Element, Float, Integer, Number, with_element, with_float, with_integer, with_number,
};
use crate::kernel::nest::Nest;
use crate::kernel::{BinaryOp, Tile};

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
    let nest = Nest::new([a, b, out]);
    let done = of_element(op, dtype, &nest)
        || with_number!(dtype, T => of_number::<T>(op, &nest), else of_bool(op, &nest))
        || with_integer!(dtype, T => of_integer::<T>(op, &nest), else false)
        || with_float!(dtype, T => of_float::<T>(op, &nest), else false);
    assert!(done, "{op} is not implemented for {dtype}");
}

/// What is the same for every type.
#[allow(
    clippy::bool_comparison,
    reason = "`bool` is one of several types here"
)]
fn of_element(op: BinaryOp, dtype: DType, nest: &Nest<3>) -> bool {
    if !op.is_predicate() {
        return false;
    }
    with_element!(dtype, T => match op {
        BinaryOp::Equal => map2(nest, |x: T, y: T| x == y),
        BinaryOp::NotEqual => map2(nest, |x: T, y: T| x != y),
        BinaryOp::Less => map2(nest, |x: T, y: T| x < y),
        BinaryOp::LessEqual => map2(nest, |x: T, y: T| x <= y),
        BinaryOp::Greater => map2(nest, |x: T, y: T| x > y),
        BinaryOp::GreaterEqual => map2(nest, |x: T, y: T| x >= y),
        BinaryOp::LogicalAnd => map2(nest, |x: T, y: T| x.is_true() & y.is_true()),
        BinaryOp::LogicalOr => map2(nest, |x: T, y: T| x.is_true() | y.is_true()),
        BinaryOp::LogicalXor => map2(nest, |x: T, y: T| x.is_true() ^ y.is_true()),
        _ => return false,
    });
    true
}

fn of_bool(op: BinaryOp, nest: &Nest<3>) -> bool {
    use BinaryOp::{Add, BitAnd, BitOr, BitXor, FMax, FMin, Maximum, Minimum, Mul};
    match op {
        Add | BitOr | Maximum | FMax => map2(nest, |x: bool, y: bool| x | y),
        Mul | BitAnd | Minimum | FMin => map2(nest, |x: bool, y: bool| x & y),
        BitXor => map2(nest, |x: bool, y: bool| x ^ y),
        _ => return false,
    }
    true
}

fn of_number<T: Number>(op: BinaryOp, nest: &Nest<3>) -> bool {
    match op {
        BinaryOp::Add => map2(nest, T::plus),
        BinaryOp::Sub => map2(nest, T::minus),
        BinaryOp::Mul => map2(nest, T::times),
        BinaryOp::Minimum => map2(nest, T::minimum),
        BinaryOp::Maximum => map2(nest, T::maximum),
        BinaryOp::FloorDiv => each2(nest, T::floor_divide),
        BinaryOp::Rem => each2(nest, T::remainder),
        BinaryOp::Pow => each2(nest, T::power),
        _ => return false,
    }
    true
}

fn of_integer<T: Integer>(op: BinaryOp, nest: &Nest<3>) -> bool {
    match op {
        BinaryOp::FMin => map2(nest, T::minimum),
        BinaryOp::FMax => map2(nest, T::maximum),
        BinaryOp::BitAnd => map2(nest, T::bit_and),
        BinaryOp::BitOr => map2(nest, T::bit_or),
        BinaryOp::BitXor => map2(nest, T::bit_xor),
        BinaryOp::ShiftLeft => each2(nest, T::shift_left),
        BinaryOp::ShiftRight => each2(nest, T::shift_right),
        _ => return false,
    }
    true
}

fn of_float<T: Float>(op: BinaryOp, nest: &Nest<3>) -> bool {
    match op {
        BinaryOp::Div => map2(nest, T::divide),
        BinaryOp::FMin => map2(nest, T::fmin),
        BinaryOp::FMax => map2(nest, T::fmax),
        BinaryOp::CopySign => map2(nest, |x: T, y: T| x.copysign(y)),
        BinaryOp::Atan2 => each2(nest, |x: T, y: T| x.atan2(y)),
        BinaryOp::Hypot => each2(nest, |x: T, y: T| x.hypot(y)),
        _ => return false,
    }
    true
}
