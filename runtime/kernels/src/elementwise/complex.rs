//! Functions and conversions of complex numbers.

#![allow(unsafe_code, reason = "calls loops over the parts of complex numbers")]

use super::cast_block;
use super::loops::{each1, each2, long1, map1, map2};
use crate::chain::Block;
use crate::dtype::{
    CastFrom, Complex, DType, Element, Float, Inexact, Number, complex, with_complex, with_element,
};
use crate::math::{self, Narrow};
use crate::nest::Run;
use crate::{BinaryOp, UnaryOp};

/// Returns the loop of a function of one complex number whose parts have type `P`.
pub(super) fn complex_unary<P: Float + Narrow>(op: UnaryOp) -> Option<Block<2>>
where
    Complex<P>: Inexact<Magnitude = P>,
    Complex<f64>: CastFrom<Complex<P>>,
{
    /// A function in double precision whose result is rounded.
    macro_rules! rounded {
        ($of:path) => {
            each1(|z: Complex<P>| Complex::<P>::cast_from($of(Complex::<f64>::cast_from(z))))
        };
    }
    type Of<P> = Complex<P>;
    Some(match op {
        UnaryOp::Positive => map1(|z: Of<P>| z),
        UnaryOp::Neg => map1(Of::<P>::negative),
        UnaryOp::Conj => map1(|z: Of<P>| Complex::new(z.re, z.im.negative())),
        UnaryOp::Real => map1(|z: Of<P>| z.re),
        UnaryOp::Imag => map1(|z: Of<P>| z.im),
        UnaryOp::Angle => long1(|z: Of<P>| P::narrow(math::atan2(z.im.widen(), z.re.widen()))),
        UnaryOp::Abs => each1(|z: Of<P>| z.absolute()),
        UnaryOp::Sign => each1(|z: Of<P>| Number::sign(z)),
        UnaryOp::Square => map1(|z: Of<P>| z.times(z)),
        UnaryOp::Reciprocal => each1(|z: Of<P>| Number::reciprocal(z)),
        UnaryOp::Round => {
            map1(|z: Of<P>| Complex::new(z.re.round_half_even(), z.im.round_half_even()))
        }
        UnaryOp::IsNan => map1(|z: Of<P>| z.re.is_nan() | z.im.is_nan()),
        UnaryOp::IsInf => map1(|z: Of<P>| z.re.is_infinite() | z.im.is_infinite()),
        UnaryOp::IsFinite => map1(|z: Of<P>| z.re.is_finite() & z.im.is_finite()),
        UnaryOp::LogicalNot => map1(|z: Of<P>| !z.is_true()),
        UnaryOp::Sqrt => rounded!(complex::sqrt),
        UnaryOp::Exp => rounded!(complex::exp),
        UnaryOp::Exp2 => rounded!(complex::exp2),
        UnaryOp::Expm1 => rounded!(complex::expm1),
        UnaryOp::Log => rounded!(complex::log),
        UnaryOp::Log2 => rounded!(complex::log2),
        UnaryOp::Log10 => rounded!(complex::log10),
        UnaryOp::Log1p => rounded!(complex::log1p),
        UnaryOp::Sin => rounded!(complex::sin),
        UnaryOp::Cos => rounded!(complex::cos),
        UnaryOp::Tan => rounded!(complex::tan),
        UnaryOp::Asin => rounded!(complex::arcsin),
        UnaryOp::Acos => rounded!(complex::arccos),
        UnaryOp::Atan => rounded!(complex::arctan),
        UnaryOp::Sinh => rounded!(complex::sinh),
        UnaryOp::Cosh => rounded!(complex::cosh),
        UnaryOp::Tanh => rounded!(complex::tanh),
        UnaryOp::Asinh => rounded!(complex::arcsinh),
        UnaryOp::Acosh => rounded!(complex::arccosh),
        UnaryOp::Atanh => rounded!(complex::arctanh),
        _ => return None,
    })
}

/// Returns the loop of a function of two complex numbers, except for comparisons.
pub(super) fn complex_binary<T: Inexact>(op: BinaryOp) -> Option<Block<3>> {
    Some(match op {
        BinaryOp::Add => map2(T::plus),
        BinaryOp::Sub => map2(T::minus),
        BinaryOp::Mul => map2(T::times),
        BinaryOp::Div => map2(T::divide),
        BinaryOp::Pow => each2(T::power),
        _ => return None,
    })
}

/// Returns the loop that converts to or from a complex type, except for copies.
pub(super) fn cast_complex(from: DType, to: DType) -> Block<2> {
    match (from.is_complex(), to) {
        (true, DType::Bool) => with_complex!(from, T => map1(|z: T| z.is_true()),
            else unreachable!("{from} is complex")),
        (true, to) if to.is_complex() => {
            with_complex!(from, T => with_complex!(to, U => map1(|z: T| U::cast_from(z)),
                else unreachable!("{to} is complex")), else unreachable!("{from} is complex"))
        }
        // The real part comes first, and only it is read.
        (true, to) => with_element!(to, U => with_complex!(from, T => |run| {
            // SAFETY: the block's promise.
            unsafe { cast_block(T::DTYPE.real(), U::DTYPE)(run) }
        }, else unreachable!("{from} is complex"))),
        _ => with_element!(from, T => with_complex!(to, U => |run| {
            // SAFETY: the block's promise.
            unsafe { to_complex(run, T::DTYPE, U::DTYPE.real()) }
        }, else unreachable!("{to} is complex"))),
    }
}

/// Converts to the real parts, and sets the imaginary parts to 0.
///
/// # Safety
/// As for a [`Block`] from `from` to the complex type with parts of type `part`.
unsafe fn to_complex(run: Run<2>, from: DType, part: DType) {
    // SAFETY: the caller's promise: parts are `part` bytes apart. An element that is written in
    // place has the size of the complex number, and its real part is written after it was read.
    unsafe {
        cast_block(from, part)(run);
        for i in 0..run.count as isize {
            let re = run.at[1].wrapping_offset(run.steps[1] * i);
            re.wrapping_add(part.size()).write_bytes(0, part.size());
        }
    }
}
