//! Lengths of vectors and matrices.

use super::typed::typed;
use super::{Array, DynArray};
use crate::dtype::Float;
use weft_core::error::{CallError, at_call};
use weft_core::site::Site;

pub use crate::lower::norm::MatrixNorm;

impl DynArray {
    /// The `p`-norm of all elements taken as one vector, or of the vectors along an axis: the `p`-th root of the sum of
    /// the magnitudes to the power `p`; with `p` infinite the largest magnitude (the smallest for minus infinity), with 0
    /// how many are not 0. Integers are taken as `f64`.
    ///
    /// # Errors
    /// The axis is out of bounds, or `p` is infinite and there are no elements.
    #[track_caller]
    pub fn norm(&self, p: f64, axis: Option<usize>) -> Result<DynArray, CallError> {
        Ok(self.view.norm(p, axis, Site::caller())?.into())
    }

    /// A norm of the matrices of the last two axes. Integers are taken as `f64`.
    ///
    /// # Errors
    /// There are fewer than two axes, or no elements for a largest or smallest sum.
    #[track_caller]
    pub fn matrix_norm(&self, norm: MatrixNorm) -> Result<DynArray, CallError> {
        self.view.check_axis(1)?;
        Ok(self.view.matrix_norm(norm, Site::caller())?.into())
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
