//! Exact and approximate equality of arrays.

use super::{Array, DynArray, Value};
use crate::dtype::{Element, Number};
use weft_core::error::{CallError, Error, at_call};
use weft_core::site::Site;

pub use crate::lower::compare::Tolerance;

impl DynArray {
    /// Whether elements are equal within a tolerance, as NumPy's `isclose`. An infinity equals only
    /// itself.
    ///
    /// # Errors
    /// Returns an error if the shapes do not broadcast together.
    #[track_caller]
    pub fn isclose(
        &self,
        other: impl Into<Value>,
        tolerance: Tolerance,
    ) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let other = other.into();
        Ok(self.view.isclose((&other).into(), tolerance)?.into())
    }

    /// Whether all elements are equal within a tolerance. Waits for the result.
    ///
    /// # Errors
    /// Returns an error if the shapes do not broadcast together, or an operation that the arrays
    /// depend on failed.
    #[track_caller]
    pub fn allclose(&self, other: impl Into<Value>, tolerance: Tolerance) -> Result<bool, Error> {
        let _call = Site::enter_caller();
        let other = other.into();
        self.view.allclose((&other).into(), tolerance)
    }

    /// Whether shapes and elements are equal. Waits for the result if shapes are.
    ///
    /// # Errors
    /// Returns an error if an operation that the arrays depend on failed.
    #[track_caller]
    pub fn array_equal(&self, other: &DynArray) -> Result<bool, Error> {
        let _call = Site::enter_caller();
        self.view.array_equal(&other.view)
    }

    /// Whether elements are equal after broadcasting. Waits for the result if shapes broadcast.
    ///
    /// # Errors
    /// Returns an error if an operation that the arrays depend on failed.
    #[track_caller]
    pub fn array_equiv(&self, other: &DynArray) -> Result<bool, Error> {
        let _call = Site::enter_caller();
        self.view.array_equiv(&other.view)
    }
}

impl<T: Number> Array<T> {
    /// Whether elements are equal within a tolerance: NumPy's `isclose`.
    ///
    /// # Panics
    /// Panics at the caller's line if the shapes do not broadcast together.
    #[track_caller]
    #[must_use]
    pub fn isclose(&self, other: &Array<T>, tolerance: Tolerance) -> Array<bool> {
        Array::wrap(at_call(self.as_dyn().isclose(other.as_dyn(), tolerance)))
    }

    /// Whether all elements are equal within NumPy's tolerance (relative 1e-5, absolute 1e-8).
    /// Waits for the result.
    ///
    /// # Panics
    /// Panics at the caller's line if the shapes do not broadcast together, or an operation that
    /// the arrays depend on failed.
    #[track_caller]
    #[must_use]
    pub fn allclose(&self, other: &Array<T>) -> bool {
        at_call(self.as_dyn().allclose(other.as_dyn(), Tolerance::default()))
    }
}

impl<T: Element> Array<T> {
    /// Whether shapes and elements are equal. Waits for the result if shapes are.
    ///
    /// # Panics
    /// Panics at the caller's line, if an operation that the arrays depend on failed.
    #[track_caller]
    #[must_use]
    pub fn array_equal(&self, other: &Array<T>) -> bool {
        at_call(self.as_dyn().array_equal(other.as_dyn()))
    }
}
