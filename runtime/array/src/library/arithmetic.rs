//! The number of floating-point operations of the array library's operations, counted as in
//! docs/roofline.md.
//!
//! Additions, subtractions, multiplications, divisions, square roots, and comparisons that select
//! an operand (a minimum) count as one. A fused multiply-add counts as two. Other comparisons,
//! roundings, sign changes and moves do not count, nor does integer arithmetic. A complex number is
//! two real ones.

use weft_core::operation::Computed;
use weft_trace::record::Arithmetic;

use crate::kernel::{BinaryOp, ReduceOp, ScanOp, UnaryOp};

/// The operations that a complex multiplication takes beyond those of a real one, if it is added to
/// something.
pub(super) const COMPLEX: u64 = 4;

/// Whether operands are integers, whose arithmetic does not count.
fn is_exact(of: &Computed<'_>) -> bool {
    !of.dtype().is_float() && !of.dtype().is_complex()
}

pub(super) fn unary(op: UnaryOp, of: &Computed<'_>) -> Option<Arithmetic> {
    if is_exact(of) {
        return of.nothing();
    }
    let is_complex = of.dtype().is_complex();
    let one = op.flops(is_complex)?;
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
    let is_complex = of.dtype().is_complex();
    let is_two = || of.scalar(1).is_some_and(|value| value.to::<f64>() == 2.0);
    if op == BinaryOp::Pow && !is_complex && is_two() {
        // The number is squared.
        return of.each(1);
    }
    of.each(op.flops(is_complex)?)
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
    let joined = (shape.len() - lines.min(shape.len())) as u64;
    of.operations(joined.saturating_mul(reduction(scan.reduce(), of.dtype().is_complex())))
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

/// Counts the sum, the difference and the product of each interpolation.
pub(super) fn interpolated(of: &Computed<'_>) -> Option<Arithmetic> {
    Some(Arithmetic {
        operations: of.size(0)?.saturating_mul(3),
        single: false,
    })
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

#[cfg(test)]
mod tests;
