//! Norms of vectors and matrices.

use super::View;
use crate::kernel::{BinaryOp, ReduceOp, UnaryOp};
use weft_core::error::CallError;
use weft_core::site::Site;

/// A norm of matrices that is computed by sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixNorm {
    /// The root of the sum of all squares.
    Frobenius,
    /// The largest sum of a column's magnitudes.
    One,
    /// The smallest sum of a column's magnitudes.
    MinusOne,
    /// The largest sum of a row's magnitudes.
    Infinity,
    /// The smallest sum of a row's magnitudes.
    MinusInfinity,
}

impl View {
    /// Returns the squares of the magnitudes, which are real for complex numbers.
    pub(super) fn square_size(&self, call: Site) -> Result<View, CallError> {
        let square = |part: &View| part.unary(UnaryOp::Square, call);
        if self.dtype().is_complex() {
            let part = |op| square(&self.unary(op, call)?);
            return part(UnaryOp::Real)?.with(BinaryOp::Add, &part(UnaryOp::Imag)?, call);
        }
        square(self)
    }

    /// Returns the `p`-norm of all elements as one vector, or of the vectors along an axis: the
    /// `p`-th root of the sum of the magnitudes to the power `p`. For infinite `p` it is the
    /// largest magnitude (the smallest for minus infinity), and for 0 the number of elements that
    /// are not 0. Integers are treated as `f64`.
    pub(crate) fn norm(&self, p: f64, axis: Option<usize>, call: Site) -> Result<View, CallError> {
        if let Some(norm) = self.through_f32(call, |wide| wide.norm(p, axis, call)) {
            return norm;
        }
        let floats = self.floats(call)?;
        if p == 2.0 {
            let sum = floats
                .square_size(call)?
                .reduce(ReduceOp::Sum, axis, call)?;
            return sum.unary(UnaryOp::Sqrt, call);
        }
        let sizes = floats.unary(UnaryOp::Abs, call)?;
        if p == f64::INFINITY {
            return sizes.reduce(ReduceOp::Max, axis, call);
        }
        if p == f64::NEG_INFINITY {
            return sizes.reduce(ReduceOp::Min, axis, call);
        }
        if p == 0.0 {
            let count = sizes.reduce(ReduceOp::CountNonzero, axis, call)?;
            return count.cast(sizes.dtype(), call);
        }
        if p == 1.0 {
            return sizes.reduce(ReduceOp::Sum, axis, call);
        }
        let powers = sizes.with(BinaryOp::Pow, sizes.number(p), call)?;
        let sum = powers.reduce(ReduceOp::Sum, axis, call)?;
        sum.with(BinaryOp::Pow, sum.number(1.0 / p), call)
    }

    /// Returns a norm of the matrices of the last two axes, which must exist. Integers are treated
    /// as `f64`.
    pub(crate) fn matrix_norm(&self, norm: MatrixNorm, call: Site) -> Result<View, CallError> {
        let [rows, columns] = [self.ndim() - 2, self.ndim() - 1];
        let sums = |of: &View, along| of.reduce(ReduceOp::Sum, Some(along), call);
        let sizes = self.floats(call)?.unary(UnaryOp::Abs, call)?;
        let (along, op) = match norm {
            MatrixNorm::Frobenius => {
                let squares = sizes.unary(UnaryOp::Square, call)?;
                let sum = sums(&sums(&squares, columns)?, rows)?;
                return sum.unary(UnaryOp::Sqrt, call);
            }
            MatrixNorm::One => (rows, ReduceOp::Max),
            MatrixNorm::MinusOne => (rows, ReduceOp::Min),
            MatrixNorm::Infinity => (columns, ReduceOp::Max),
            MatrixNorm::MinusInfinity => (columns, ReduceOp::Min),
        };
        let sums = sums(&sizes, along)?;
        sums.reduce(op, Some(rows), call)
    }
}
