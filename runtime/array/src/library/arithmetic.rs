//! The number of floating-point operations of the array library's operations, counted as in
//! docs/roofline.md.
//!
//! Additions, subtractions, multiplications, divisions, square roots, and comparisons that select
//! an operand (a minimum) count as one. A fused multiply-add counts as two. Other comparisons,
//! roundings, sign changes and moves do not count, nor does integer arithmetic. A complex number is
//! two real ones.

use weft_core::operation::Computed;
use weft_trace::record::Arithmetic;

use super::generate::{Distribution, Generator};
use crate::kernel::{BinaryOp, ReduceOp, ScanOp, UnaryOp};

/// The operations that a complex multiplication takes beyond those of a real one, if it is added to
/// something.
pub(super) const COMPLEX: u64 = 4;

/// Whether operands are integers, whose arithmetic does not count.
fn is_exact(of: &Computed<'_>) -> bool {
    !of.dtype().is_float() && !of.dtype().is_complex()
}

pub(super) fn generated(generator: Generator, of: &Computed<'_>) -> Option<Arithmetic> {
    match generator {
        // The draw of an integer does not count; that of a float is one operation on its bits.
        Generator::Random { distribution, .. } => match distribution {
            Distribution::Uniform => of.each(1),
            Distribution::Integers { .. } => of.nothing(),
            // By the system's logarithm, sine and cosine.
            Distribution::Normal => None,
        },
        Generator::Arange { .. } if of.dtype().is_float() => of.each(2),
        Generator::Linspace { .. } => Some(Arithmetic {
            single: false,
            ..of.each(2)?
        }),
        Generator::Arange { .. } | Generator::Eye { .. } => of.nothing(),
    }
}

pub(super) fn unary(op: UnaryOp, of: &Computed<'_>) -> Option<Arithmetic> {
    if is_exact(of) {
        return of.nothing();
    }
    let is_complex = of.dtype().is_complex();
    let one = match is_complex {
        true => complex_unary(op)?,
        false => real_unary(op)?,
    };
    let counted = of.each(one)?;
    // Elementary functions are computed in 64 bits, even for narrower elements.
    Some(Arithmetic {
        single: counted.single && (one <= 1 || is_complex),
        ..counted
    })
}

pub(super) fn binary(op: BinaryOp, of: &Computed<'_>) -> Option<Arithmetic> {
    if is_exact(of) {
        return of.nothing();
    }
    let exponent = || of.scalar(1).map(|value| value.to::<f64>());
    of.each(match of.dtype().is_complex() {
        true => complex_binary(op)?,
        false => real_binary(op, exponent)?,
    })
}

/// Counts the reduction of the first operand to results, which are operand number `results`.
pub(super) fn reduced(op: ReduceOp, results: usize, of: &Computed<'_>) -> Option<Arithmetic> {
    if is_exact(of) {
        return of.nothing();
    }
    let one = reduction(op, of.dtype().is_complex());
    of.operations(of.joined(results)?.saturating_mul(one))
}

pub(super) fn scanned(scan: ScanOp, axis: u8, of: &Computed<'_>) -> Option<Arithmetic> {
    if is_exact(of) {
        return of.nothing();
    }
    let shape = of.part(0)?;
    let length = shape.dims().get(usize::from(axis)).copied()?;
    let lines = shape.len() / length.max(1);
    let op = match scan {
        ScanOp::CumSum => ReduceOp::Sum,
        ScanOp::CumProd => ReduceOp::Prod,
    };
    let joined = (shape.len() - lines.min(shape.len())) as u64;
    of.operations(joined.saturating_mul(reduction(op, of.dtype().is_complex())))
}

/// Counts the additions of weights, which are operand 1.
pub(super) fn weighted(of: &Computed<'_>) -> Option<Arithmetic> {
    let dtype = of.dtype_of(1)?;
    let one = if dtype.is_complex() { 2 } else { 1 };
    match dtype.is_float() || dtype.is_complex() {
        true => Some(Arithmetic {
            operations: of.size(1)?.saturating_mul(one),
            single: false,
        }),
        false => of.nothing(),
    }
}

/// Counts a sum of `terms` products for each element of an operand.
pub(super) fn products(operand: usize, terms: u64, of: &Computed<'_>) -> Option<Arithmetic> {
    if is_exact(of) {
        return of.nothing();
    }
    let one = if of.dtype().is_complex() {
        2 * COMPLEX
    } else {
        2
    };
    of.operations(of.size(operand)?.saturating_mul(terms).saturating_mul(one))
}

/// Returns the operations that join two elements.
fn reduction(op: ReduceOp, is_complex: bool) -> u64 {
    match (op, is_complex) {
        (ReduceOp::Any | ReduceOp::All | ReduceOp::CountNonzero, _) => 0,
        (ReduceOp::Prod, true) => 6,
        (_, true) => 2,
        (_, false) => 1,
    }
}

/// Returns the operations of a function of one real number. Elementary functions count the steps of
/// their formulas in `weft_kernels::math`. If the system computes them, the number is unknown.
fn real_unary(op: UnaryOp) -> Option<u64> {
    Some(match op {
        UnaryOp::Square
        | UnaryOp::Reciprocal
        | UnaryOp::Sqrt
        | UnaryOp::Deg2rad
        | UnaryOp::Rad2deg
        | UnaryOp::Fraction
        | UnaryOp::Spacing => 1,
        UnaryOp::Exp => 44,
        UnaryOp::Exp2 => 42,
        UnaryOp::Expm1 => 55,
        UnaryOp::Log => 35,
        UnaryOp::Log1p => 41,
        UnaryOp::Log2 => 39,
        UnaryOp::Log10 => 42,
        UnaryOp::Sin | UnaryOp::Cos => 68,
        UnaryOp::Tanh => 75,
        UnaryOp::Cbrt
        | UnaryOp::Tan
        | UnaryOp::Asin
        | UnaryOp::Acos
        | UnaryOp::Atan
        | UnaryOp::Sinh
        | UnaryOp::Cosh
        | UnaryOp::Asinh
        | UnaryOp::Acosh
        | UnaryOp::Atanh
        | UnaryOp::Angle => return None,
        UnaryOp::Positive
        | UnaryOp::Neg
        | UnaryOp::Abs
        | UnaryOp::Sign
        | UnaryOp::Floor
        | UnaryOp::Ceil
        | UnaryOp::Trunc
        | UnaryOp::Round
        | UnaryOp::IsNan
        | UnaryOp::IsInf
        | UnaryOp::IsFinite
        | UnaryOp::SignBit
        | UnaryOp::LogicalNot
        | UnaryOp::Conj
        | UnaryOp::Real
        | UnaryOp::Imag
        | UnaryOp::Mantissa
        | UnaryOp::Exponent
        | UnaryOp::BitCount
        | UnaryOp::BitNot => 0,
    })
}

/// Returns the operations of a function of one complex number.
fn complex_unary(op: UnaryOp) -> Option<u64> {
    Some(match op {
        UnaryOp::Square => 6,
        // A quotient of the parts, a part times it plus the other part, and two quotients.
        UnaryOp::Reciprocal => 5,
        UnaryOp::Positive
        | UnaryOp::Neg
        | UnaryOp::Conj
        | UnaryOp::Real
        | UnaryOp::Imag
        | UnaryOp::Round
        | UnaryOp::IsNan
        | UnaryOp::IsInf
        | UnaryOp::IsFinite
        | UnaryOp::LogicalNot => 0,
        _ => return None,
    })
}

/// Returns the operations of a function of two real numbers.
fn real_binary(op: BinaryOp, exponent: impl Fn() -> Option<f64>) -> Option<u64> {
    Some(match op {
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Minimum
        | BinaryOp::Maximum
        | BinaryOp::FMin
        | BinaryOp::FMax => 1,
        // An exponential, a logarithm, and the arithmetic around them.
        BinaryOp::LogAddExp => 44 + 41 + 2,
        BinaryOp::LogAddExp2 => 42 + 41 + 3,
        // Three products.
        BinaryOp::LdExp => 3,
        // The number is squared.
        BinaryOp::Pow if exponent() == Some(2.0) => 1,
        BinaryOp::Pow
        | BinaryOp::Rem
        | BinaryOp::Fmod
        | BinaryOp::FloorDiv
        | BinaryOp::Atan2
        | BinaryOp::Hypot => return None,
        _ => 0,
    })
}

/// Returns the operations of a function of two complex numbers.
fn complex_binary(op: BinaryOp) -> Option<u64> {
    Some(match op {
        BinaryOp::Add | BinaryOp::Sub => 2,
        BinaryOp::Mul => 6,
        // By Smith's formula.
        BinaryOp::Div => 10,
        BinaryOp::Pow => return None,
        _ => 0,
    })
}

#[cfg(test)]
mod tests;
