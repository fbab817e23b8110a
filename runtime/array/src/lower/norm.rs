//! Norms of vectors and matrices.

use super::View;
use crate::kernel::{BinaryOp, ReduceOp, UnaryOp};
use weft_core::error::CallError;

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
    pub(super) fn square_size(&self) -> Result<View, CallError> {
        let square = |part: &View| part.unary(UnaryOp::Square);
        if self.dtype().is_complex() {
            let part = |op| square(&self.unary(op)?);
            return part(UnaryOp::Real)?.with(BinaryOp::Add, &part(UnaryOp::Imag)?);
        }
        square(self)
    }

    /// Returns the `p`-norm of all elements as one vector, or of the vectors along an axis: the
    /// `p`-th root of the sum of the magnitudes to the power `p`. For infinite `p` it is the
    /// largest magnitude (the smallest for minus infinity), and for 0 the number of elements that
    /// are not 0. Integers are treated as `f64`.
    pub(crate) fn norm(&self, p: f64, axis: Option<usize>) -> Result<View, CallError> {
        if let Some(norm) = self.through_f32(|wide| wide.norm(p, axis)) {
            return norm;
        }
        let floats = self.floats()?;
        if p == 2.0 {
            let sum = floats.square_size()?.reduce(ReduceOp::Sum, axis)?;
            return sum.unary(UnaryOp::Sqrt);
        }
        let sizes = floats.unary(UnaryOp::Abs)?;
        if p == f64::INFINITY {
            return sizes.reduce(ReduceOp::Max, axis);
        }
        if p == f64::NEG_INFINITY {
            return sizes.reduce(ReduceOp::Min, axis);
        }
        if p == 0.0 {
            let count = sizes.reduce(ReduceOp::CountNonzero, axis)?;
            return count.cast(sizes.dtype());
        }
        if p == 1.0 {
            return sizes.reduce(ReduceOp::Sum, axis);
        }
        let powers = sizes.with(BinaryOp::Pow, sizes.number(p))?;
        let sum = powers.reduce(ReduceOp::Sum, axis)?;
        sum.with(BinaryOp::Pow, sum.number(1.0 / p))
    }

    /// Returns a norm of the matrices of the last two axes, which must exist. Integers are treated
    /// as `f64`.
    pub(crate) fn matrix_norm(&self, norm: MatrixNorm) -> Result<View, CallError> {
        let [rows, columns] = [self.ndim() - 2, self.ndim() - 1];
        let sums = |of: &View, along| of.reduce(ReduceOp::Sum, Some(along));
        let sizes = self.floats()?.unary(UnaryOp::Abs)?;
        let (along, op) = match norm {
            MatrixNorm::Frobenius => {
                let squares = sizes.unary(UnaryOp::Square)?;
                let sum = sums(&sums(&squares, columns)?, rows)?;
                return sum.unary(UnaryOp::Sqrt);
            }
            MatrixNorm::One => (rows, ReduceOp::Max),
            MatrixNorm::MinusOne => (rows, ReduceOp::Min),
            MatrixNorm::Infinity => (columns, ReduceOp::Max),
            MatrixNorm::MinusInfinity => (columns, ReduceOp::Min),
        };
        let sums = sums(&sizes, along)?;
        sums.reduce(op, Some(rows))
    }
}
