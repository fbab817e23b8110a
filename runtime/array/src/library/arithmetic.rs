//! How many floating-point operations the array library's operations do, as docs/roofline.md counts them.
//!
//! What processors count as arithmetic counts: additions, subtractions, multiplications, divisions, square roots, and a comparison
//! that selects one of its operands (a minimum) one each, a multiplication and addition in one two. Comparisons, roundings, and what
//! changes signs or moves values count nothing, nor does arithmetic of integers. A complex number is two real ones.

use weft_core::operation::Computed;
use weft_trace::record::Arithmetic;

use super::generate::{Distribution, Generator};
use crate::kernel::{BinaryOp, ReduceOp, ScanOp, UnaryOp};

/// What a complex multiplication takes more than a real one if it is added to something.
pub(super) const COMPLEX: u64 = 4;

/// Whether its numbers are neither real nor complex: integers, whose arithmetic counts nothing.
fn is_exact(of: &Computed<'_>) -> bool {
    !of.dtype().is_float() && !of.dtype().is_complex()
}

pub(super) fn generated(generator: Generator, of: &Computed<'_>) -> Option<Arithmetic> {
    match generator {
        // A draw of integers, or its bits as a float.
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
    // Elementary functions are computed in 64 bits, whatever their elements.
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

/// Elements of the first operand joined to the results, which are the operand of this number.
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

/// Weights, the operand 1, added to the counts of numbers.
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

/// A sum of so many products for each element of an operand.
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

/// What joining two elements takes.
fn reduction(op: ReduceOp, is_complex: bool) -> u64 {
    match (op, is_complex) {
        (ReduceOp::Any | ReduceOp::All | ReduceOp::CountNonzero, _) => 0,
        (ReduceOp::Prod, true) => 6,
        (_, true) => 2,
        (_, false) => 1,
    }
}

/// A function of one real number. Elementary ones count the steps of their formulas in `weft_kernels::math`; where the system
/// computes them, how much it does is not known.
fn real_unary(op: UnaryOp) -> Option<u64> {
    Some(match op {
        UnaryOp::Square
        | UnaryOp::Reciprocal
        | UnaryOp::Sqrt
        | UnaryOp::Deg2rad
        | UnaryOp::Rad2deg => 1,
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
        | UnaryOp::BitNot => 0,
    })
}

/// A function of one complex number.
fn complex_unary(op: UnaryOp) -> Option<u64> {
    Some(match op {
        UnaryOp::Square => 6,
        // The quotient of its parts, twice a part by it and another, and two quotients.
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

/// A function of two real numbers.
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
        // It is squared.
        BinaryOp::Pow if exponent() == Some(2.0) => 1,
        BinaryOp::Pow | BinaryOp::Rem | BinaryOp::FloorDiv | BinaryOp::Atan2 | BinaryOp::Hypot => {
            return None;
        }
        _ => 0,
    })
}

/// A function of two complex numbers.
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
