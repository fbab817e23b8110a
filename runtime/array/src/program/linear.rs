//! Products of vectors and matrices.

use super::{Array, DynArray};
use crate::dtype::{Element, Number};
use weft_core::error::{CallError, Error, at_call};
use weft_core::site::Site;

impl DynArray {
    /// The product of vectors and matrices, by their numbers of axes: vector and vector to one value, matrix and
    /// vector or vector and matrix to a vector, matrix and matrix to a matrix. With more axes, the last two are
    /// matrices and the others are broadcast.
    ///
    /// # Errors
    /// The shapes do not match, an array has no axes, or the dtype is `bool`.
    #[track_caller]
    pub fn matmul(&self, other: &DynArray) -> Result<DynArray, CallError> {
        Ok(self.view.matmul(&other.view, Site::caller())?.into())
    }
}

impl<T: Number> Array<T> {
    /// The product of vectors and matrices; of more axes, over the last axis of this array and the last but one of the
    /// other: NumPy's `dot`.
    ///
    /// # Panics
    /// At the caller's line if the inner lengths differ.
    #[track_caller]
    #[must_use]
    pub fn dot(&self, other: &Array<T>) -> Array<T> {
        at_call(self.try_dot(other))
    }

    /// Like [`dot`](Self::dot), but returns errors.
    ///
    /// # Errors
    /// The inner lengths differ.
    #[track_caller]
    pub fn try_dot(&self, other: &Array<T>) -> Result<Array<T>, Error> {
        let (view, call) = (&self.as_dyn().view, Site::caller());
        Ok(Array::wrap(view.dot(&other.as_dyn().view, call)?.into()))
    }

    /// The product of matrices, or of a matrix and a vector; of more axes, of the matrices of the last two: NumPy's
    /// `matmul`.
    ///
    /// # Panics
    /// At the caller's line if the shapes do not match.
    #[track_caller]
    #[must_use]
    pub fn matmul(&self, other: &Array<T>) -> Array<T> {
        at_call(self.try_matmul(other))
    }

    /// Like [`matmul`](Self::matmul), but returns errors.
    ///
    /// # Errors
    /// The inner lengths differ.
    #[track_caller]
    pub fn try_matmul(&self, other: &Array<T>) -> Result<Array<T>, Error> {
        Ok(Array::wrap(self.as_dyn().matmul(other.as_dyn())?))
    }
}

impl<T: Element> Array<T> {
    /// A view with the axes in reverse order.
    #[must_use]
    pub fn t(&self) -> Array<T> {
        let view = &self.as_dyn().view;
        Array::wrap(view.with_layout(view.layout.transpose()).into())
    }
}
