//! Norms of vectors and matrices.

use super::typed::typed;
use super::{Array, DynArray};
use crate::dtype::Float;
use weft_core::error::{CallError, at_call};
use weft_core::site::Site;

pub use crate::lower::norm::MatrixNorm;

impl DynArray {
    /// Returns the `p`-norm of all elements as one vector, or of the vectors along an axis: the
    /// `p`-th root of the sum of the magnitudes to the power `p`. For infinite `p` it is the
    /// largest magnitude (the smallest for minus infinity), and for 0 the number of elements that
    /// are not 0. Integers are treated as `f64`.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds, or `p` is infinite and there are no elements.
    #[track_caller]
    pub fn norm(&self, p: f64, axis: Option<usize>) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.norm(p, axis)?.into())
    }

    /// Returns a norm of the matrices of the last two axes. Integers are treated as `f64`.
    ///
    /// # Errors
    /// Returns an error if there are fewer than two axes, or no elements for a largest or smallest
    /// sum.
    #[track_caller]
    pub fn matrix_norm(&self, norm: MatrixNorm) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        self.view.check_axis(1)?;
        Ok(self.view.matrix_norm(norm)?.into())
    }
}

typed! { Float:
    /// Returns the Euclidean norm of all elements: the root of the sum of their squares.
    norm() = norm(2.0, None) -> T;
    /// Returns the Euclidean norm of the vectors along an axis.
    norm_axis(axis: usize) = norm(2.0, Some(axis)) -> T;
    /// Returns the `p`-norm of all elements; for infinite `p`, the largest magnitude.
    norm_p(p: f64) = norm(p, None) -> T;
    /// Returns the `p`-norm of the vectors along an axis.
    norm_p_axis(p: f64, axis: usize) = norm(p, Some(axis)) -> T;
    /// Returns a norm of the matrices of the last two axes.
    matrix_norm(norm: MatrixNorm) = matrix_norm(norm) -> T;
}
