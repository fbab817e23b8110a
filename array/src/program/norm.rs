//! Lengths of vectors and matrices.

use super::typed::typed;
use super::{Array, DynArray};
use crate::dtype::Float;
use crate::kernel::{BinaryOp, ReduceOp, UnaryOp};
use weft_core::error::{CallError, at_call};
use weft_core::site::Site;

/// A norm of matrices that sums suffice for.
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

impl DynArray {
    /// The `p`-norm of all elements taken as one vector, or of the vectors along an axis: the `p`-th root of the sum of
    /// the magnitudes to the power `p`; with `p` infinite the largest magnitude (the smallest for minus infinity), with 0
    /// how many are not 0. Integers are taken as `f64`.
    ///
    /// # Errors
    /// The axis is out of bounds, or `p` is infinite and there are no elements.
    #[track_caller]
    pub fn norm(&self, p: f64, axis: Option<usize>) -> Result<DynArray, CallError> {
        self.norm_by(p, axis, Site::caller())
    }

    fn norm_by(&self, p: f64, axis: Option<usize>, call: Site) -> Result<DynArray, CallError> {
        if let Some(norm) = self.through_f32(call, |wide| wide.norm_by(p, axis, call)) {
            return norm;
        }
        let floats = self.floats(call)?;
        if p == 2.0 {
            let sum = floats
                .square_size(call)?
                .reduce_by(ReduceOp::Sum, axis, call)?;
            return sum.unary_by(UnaryOp::Sqrt, call);
        }
        let sizes = floats.unary_by(UnaryOp::Abs, call)?;
        if p == f64::INFINITY {
            return sizes.reduce_by(ReduceOp::Max, axis, call);
        }
        if p == f64::NEG_INFINITY {
            return sizes.reduce_by(ReduceOp::Min, axis, call);
        }
        if p == 0.0 {
            let count = sizes.reduce_by(ReduceOp::CountNonzero, axis, call)?;
            return count.cast_by(sizes.dtype(), call);
        }
        if p == 1.0 {
            return sizes.reduce_by(ReduceOp::Sum, axis, call);
        }
        let powers = sizes.with(BinaryOp::Pow, sizes.number(p), call)?;
        let sum = powers.reduce_by(ReduceOp::Sum, axis, call)?;
        sum.with(BinaryOp::Pow, sum.number(1.0 / p), call)
    }

    /// A norm of the matrices of the last two axes. Integers are taken as `f64`.
    ///
    /// # Errors
    /// There are fewer than two axes, or no elements for a largest or smallest sum.
    #[track_caller]
    pub fn matrix_norm(&self, norm: MatrixNorm) -> Result<DynArray, CallError> {
        let call = Site::caller();
        self.check_axis(1)?;
        let [rows, columns] = [self.ndim() - 2, self.ndim() - 1];
        let sums = |of: &DynArray, along| of.reduce_by(ReduceOp::Sum, Some(along), call);
        let sizes = self.floats(call)?.unary_by(UnaryOp::Abs, call)?;
        let (along, op) = match norm {
            MatrixNorm::Frobenius => {
                let squares = sizes.unary_by(UnaryOp::Square, call)?;
                let sum = sums(&sums(&squares, columns)?, rows)?;
                return sum.unary_by(UnaryOp::Sqrt, call);
            }
            MatrixNorm::One => (rows, ReduceOp::Max),
            MatrixNorm::MinusOne => (rows, ReduceOp::Min),
            MatrixNorm::Infinity => (columns, ReduceOp::Max),
            MatrixNorm::MinusInfinity => (columns, ReduceOp::Min),
        };
        let sums = sums(&sizes, along)?;
        sums.reduce_by(op, Some(rows), call)
    }
}

typed! { Float:
    /// The Euclidean norm of all elements: the root of the sum of their squares.
    norm() = norm(2.0, None) -> T;
    /// The Euclidean norm of the vectors along an axis.
    norm_axis(axis: usize) = norm(2.0, Some(axis)) -> T;
    /// The `p`-norm of all elements: with `p` infinite the largest magnitude.
    norm_p(p: f64) = norm(p, None) -> T;
    /// The `p`-norm of the vectors along an axis.
    norm_p_axis(p: f64, axis: usize) = norm(p, Some(axis)) -> T;
    /// A norm of the matrices of the last two axes.
    matrix_norm(norm: MatrixNorm) = matrix_norm(norm) -> T;
}
