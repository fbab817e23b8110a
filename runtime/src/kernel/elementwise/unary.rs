//! Functions of one operand.

use super::loops::{each1, map1};
use crate::dtype::{
    DType, Element, Float, Integer, Number, with_element, with_float, with_integer, with_number,
};
use crate::kernel::nest::Nest;
use crate::kernel::{Tile, UnaryOp};

/// `out = op(input)`.
///
/// # Panics
/// Unless the shapes are equal, and `out` has the type [`UnaryOp::output_dtype`] gives for the input.
pub fn unary(op: UnaryOp, input: &Tile, out: &Tile) {
    let dtype = input.dtype();
    let Some(expected) = op.output_dtype(dtype) else {
        unreachable!("{op} is not defined for {dtype}");
    };
    assert_eq!(expected, out.dtype(), "{op} of {dtype} gives {expected}");
    let nest = Nest::new([input, out]);
    let done = of_element(op, dtype, &nest)
        || with_number!(dtype, T => of_number::<T>(op, &nest), else of_bool(op, &nest))
        || with_integer!(dtype, T => of_integer::<T>(op, &nest), else false)
        || with_float!(dtype, T => of_float::<T>(op, &nest), else false);
    assert!(done, "{op} is not implemented for {dtype}");
}

/// What is the same for every type.
fn of_element(op: UnaryOp, dtype: DType, nest: &Nest<2>) -> bool {
    if op != UnaryOp::LogicalNot {
        return false;
    }
    with_element!(dtype, T => map1(nest, |x: T| !x.is_true()));
    true
}

fn of_bool(op: UnaryOp, nest: &Nest<2>) -> bool {
    use UnaryOp::{Abs, BitNot, Ceil, Floor, IsFinite, IsInf, IsNan, Round, Trunc};
    match op {
        Abs | Floor | Ceil | Trunc | Round => map1(nest, |x: bool| x),
        BitNot => map1(nest, |x: bool| !x),
        IsNan | IsInf => map1(nest, |_: bool| false),
        IsFinite => map1(nest, |_: bool| true),
        _ => return false,
    }
    true
}

fn of_number<T: Number>(op: UnaryOp, nest: &Nest<2>) -> bool {
    match op {
        UnaryOp::Positive => map1(nest, |x: T| x),
        UnaryOp::Neg => map1(nest, T::negative),
        UnaryOp::Abs => map1(nest, T::absolute),
        UnaryOp::Sign => map1(nest, T::sign),
        UnaryOp::Square => map1(nest, |x: T| x.times(x)),
        UnaryOp::Reciprocal => map1(nest, T::reciprocal),
        UnaryOp::IsNan => map1(nest, T::is_not_a_number),
        _ => return false,
    }
    true
}

fn of_integer<T: Integer>(op: UnaryOp, nest: &Nest<2>) -> bool {
    use UnaryOp::{BitNot, Ceil, Floor, IsFinite, IsInf, Round, SignBit, Trunc};
    match op {
        Floor | Ceil | Trunc | Round => map1(nest, |x: T| x),
        BitNot => map1(nest, T::bit_not),
        IsInf => map1(nest, |_: T| false),
        IsFinite => map1(nest, |_: T| true),
        SignBit => map1(nest, |x: T| x < T::ZERO),
        _ => return false,
    }
    true
}

fn of_float<T: Float>(op: UnaryOp, nest: &Nest<2>) -> bool {
    match op {
        UnaryOp::Sqrt => map1(nest, |x: T| x.sqrt()),
        UnaryOp::Floor => map1(nest, |x: T| x.floor()),
        UnaryOp::Ceil => map1(nest, |x: T| x.ceil()),
        UnaryOp::Trunc => map1(nest, |x: T| x.trunc()),
        UnaryOp::Round => map1(nest, T::round_half_even),
        UnaryOp::Deg2rad => map1(nest, |x: T| x.to_radians()),
        UnaryOp::Rad2deg => map1(nest, |x: T| x.to_degrees()),
        UnaryOp::IsInf => map1(nest, |x: T| x.is_infinite()),
        UnaryOp::IsFinite => map1(nest, |x: T| x.is_finite()),
        UnaryOp::SignBit => map1(nest, |x: T| x.is_sign_negative()),
        UnaryOp::Cbrt => each1(nest, |x: T| x.cbrt()),
        UnaryOp::Exp => each1(nest, |x: T| x.exp()),
        UnaryOp::Exp2 => each1(nest, |x: T| x.exp2()),
        UnaryOp::Expm1 => each1(nest, |x: T| x.exp_m1()),
        UnaryOp::Log => each1(nest, |x: T| x.ln()),
        UnaryOp::Log2 => each1(nest, |x: T| x.log2()),
        UnaryOp::Log10 => each1(nest, |x: T| x.log10()),
        UnaryOp::Log1p => each1(nest, |x: T| x.ln_1p()),
        UnaryOp::Sin => each1(nest, |x: T| x.sin()),
        UnaryOp::Cos => each1(nest, |x: T| x.cos()),
        UnaryOp::Tan => each1(nest, |x: T| x.tan()),
        UnaryOp::Asin => each1(nest, |x: T| x.asin()),
        UnaryOp::Acos => each1(nest, |x: T| x.acos()),
        UnaryOp::Atan => each1(nest, |x: T| x.atan()),
        UnaryOp::Sinh => each1(nest, |x: T| x.sinh()),
        UnaryOp::Cosh => each1(nest, |x: T| x.cosh()),
        UnaryOp::Tanh => each1(nest, |x: T| x.tanh()),
        UnaryOp::Asinh => each1(nest, |x: T| x.asinh()),
        UnaryOp::Acosh => each1(nest, |x: T| x.acosh()),
        // Near -1 the formula of the standard library loses what it keeps near 1.
        UnaryOp::Atanh => each1(nest, |x: T| x.abs().atanh().copysign(x)),
        _ => return false,
    }
    true
}
