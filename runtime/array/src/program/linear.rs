//! Products of vectors and matrices.

use super::{Array, DynArray};
use crate::dtype::{Element, Number};
use weft_core::error::{CallError, Error, at_call};
use weft_core::runtime::core_of;
use weft_core::site::Site;

impl DynArray {
    /// Returns the cross products of vectors of three elements along the last axis: NumPy's
    /// `cross` of arrays of one shape.
    ///
    /// # Errors
    /// Returns an error if the shapes differ, the last axis has not three elements, or the product
    /// is not defined for the dtypes.
    #[track_caller]
    pub fn cross(&self, other: &DynArray) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        core_of([&self.view.core, &other.view.core])?;
        Ok(self.view.cross(&other.view)?.into())
    }

    /// Returns the product of vectors and matrices, by their numbers of axes: one value for two
    /// vectors, a vector for a matrix and a vector in either order, and a matrix for two matrices.
    /// With more axes, the last two are matrices and the others are broadcast.
    ///
    /// # Errors
    /// Returns an error if the shapes do not match, an array has no axes, or the dtype is `bool`.
    #[track_caller]
    pub fn matmul(&self, other: &DynArray) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.matmul(&other.view)?.into())
    }
}

impl<T: Number> Array<T> {
    /// Returns the product of vectors and matrices, as NumPy's `dot`. With more axes, it is over
    /// the last axis of this array and the second to last of the other.
    ///
    /// # Panics
    /// Panics at the caller's line if the inner lengths differ.
    #[track_caller]
    #[must_use]
    pub fn dot(&self, other: &Array<T>) -> Array<T> {
        at_call(self.try_dot(other))
    }

    /// Like [`dot`](Self::dot), but returns errors.
    ///
    /// # Errors
    /// Returns an error if the inner lengths differ.
    #[track_caller]
    pub fn try_dot(&self, other: &Array<T>) -> Result<Array<T>, Error> {
        let _call = Site::enter_caller();
        let view = &self.as_dyn().view;
        Ok(Array::wrap(view.dot(&other.as_dyn().view)?.into()))
    }

    /// Returns the product of matrices, or of a matrix and a vector, as NumPy's `matmul`. With more
    /// axes, the last two are matrices and the others are broadcast.
    ///
    /// # Panics
    /// Panics at the caller's line if the shapes do not match.
    #[track_caller]
    #[must_use]
    pub fn matmul(&self, other: &Array<T>) -> Array<T> {
        at_call(self.try_matmul(other))
    }

    /// Like [`matmul`](Self::matmul), but returns errors.
    ///
    /// # Errors
    /// Returns an error if the inner lengths differ.
    #[track_caller]
    pub fn try_matmul(&self, other: &Array<T>) -> Result<Array<T>, Error> {
        Ok(Array::wrap(self.as_dyn().matmul(other.as_dyn())?))
    }
}

impl<T: Element> Array<T> {
    /// Returns a view with the axes in reverse order.
    #[must_use]
    pub fn t(&self) -> Array<T> {
        let view = &self.as_dyn().view;
        Array::wrap(view.with_layout(view.layout.transpose()).into())
    }
}
