//! Diagonals and triangles of matrices, and products of all elements of two views.

use super::View;
use crate::dtype::Scalar;
use crate::kernel::{BinaryOp, ReduceOp};
use weft_core::error::CallError;

impl View {
    /// Returns the matrix with this vector on a diagonal, and 0 elsewhere: the main diagonal, or
    /// the `offset`-th above it.
    pub(crate) fn on_diagonal(&self, offset: isize) -> Result<View, CallError> {
        let side = self.len().saturating_add(offset.unsigned_abs());
        let zero = Scalar::zero(self.dtype());
        let out = View::filled(&self.core, self.dtype(), &[side, side], zero)?;
        out.diagonal(offset)?.assign(self)?;
        Ok(out)
    }

    /// Returns the sum of a diagonal of the first two axes: the main one, or the `offset`-th above
    /// it.
    pub(crate) fn trace(&self, offset: isize) -> Result<View, CallError> {
        let diagonal = self.diagonal(offset)?;
        let axis = (diagonal.ndim() > 1).then(|| diagonal.ndim() - 1);
        diagonal.reduce(ReduceOp::Sum, axis)
    }

    /// Returns a copy with 0 below a diagonal of the last two axes: the main one, or the
    /// `diagonal`-th above it.
    pub(crate) fn triu(&self, diagonal: isize) -> Result<View, CallError> {
        let below = self.is_below(diagonal.saturating_sub(1))?;
        let zero = Scalar::zero(self.dtype());
        View::select(&below, zero, self)
    }

    /// Returns a copy with 0 above a diagonal of the last two axes: the main one, or the
    /// `diagonal`-th above it.
    pub(crate) fn tril(&self, diagonal: isize) -> Result<View, CallError> {
        let below = self.is_below(diagonal)?;
        let zero = Scalar::zero(self.dtype());
        View::select(&below, self, zero)
    }

    /// Whether each element of the last two axes is on or below a diagonal.
    fn is_below(&self, diagonal: isize) -> Result<View, CallError> {
        self.check_axis(1)?;
        let last = self.ndim() - 1;
        let (rows, columns) = (self.dims()[last - 1], self.dims()[last]);
        let count = |start: isize, length: usize| View::counting(&self.core, start as i64, length);
        // Nothing changes beyond the corners, so counts can be kept in range.
        let diagonal = diagonal.clamp(-(rows as isize) - 1, columns as isize);
        let rows = count(diagonal, rows)?.with_axis(1)?;
        rows.with(BinaryOp::GreaterEqual, &count(0, columns)?)
    }

    /// Returns all products of an element of this view and one of the other, both in row-major
    /// order, as a matrix.
    pub(crate) fn outer(&self, other: &View) -> Result<View, CallError> {
        let column = self.flattened()?.with_axis(1)?;
        column.with(BinaryOp::Mul, &other.flattened()?)
    }

    /// Returns the Kronecker product.
    pub(crate) fn kron(&self, other: &View) -> Result<View, CallError> {
        let dims = self.ndim().max(other.ndim());
        let (mut left, mut right) = (self.at_least(dims)?, other.at_least(dims)?);
        let sides = left.dims().iter().zip(right.dims());
        let shape: Vec<usize> = sides.map(|(left, right)| left * right).collect();
        for axis in 0..dims {
            left = left.with_axis(2 * axis + 1)?;
            right = right.with_axis(2 * axis)?;
        }
        let product = left.with(BinaryOp::Mul, &right)?;
        product.reshaped(&shape)
    }
}
