//! Set operations on arrays, and indexing line by line.

use super::typed::typed;
use super::{Array, DynArray, IndexInteger, IntoValue, Value};
use crate::dtype::Element;
use crate::lower::wrong;
use weft_core::error::{CallError, Error, at_call};
use weft_core::site::Site;

impl DynArray {
    /// Whether each element is one of `values`: NumPy's `isin`. NaN is not in any set.
    ///
    /// # Errors
    /// Returns an error if the runtime has finished.
    #[track_caller]
    pub fn isin(&self, values: &DynArray) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.isin(&values.view)?.into())
    }

    /// Returns the sorted union of both arrays' values. Waits for their number.
    ///
    /// # Errors
    /// Returns an error if an operation that the arrays depend on failed.
    #[track_caller]
    pub fn union1d(&self, other: &DynArray) -> Result<DynArray, Error> {
        let _call = Site::enter_caller();
        Ok(self.view.union1d(&other.view)?.into())
    }

    /// Returns the sorted intersection of both arrays' values. Waits for their number.
    ///
    /// # Errors
    /// Returns an error if an operation that the arrays depend on failed.
    #[track_caller]
    pub fn intersect1d(&self, other: &DynArray) -> Result<DynArray, Error> {
        let _call = Site::enter_caller();
        Ok(self.view.intersect1d(&other.view)?.into())
    }

    /// Returns the sorted values of this array that are not in the other. Waits for their number.
    ///
    /// # Errors
    /// Returns an error if an operation that the arrays depend on failed.
    #[track_caller]
    pub fn setdiff1d(&self, other: &DynArray) -> Result<DynArray, Error> {
        let _call = Site::enter_caller();
        Ok(self.view.setdiff1d(&other.view)?.into())
    }

    /// Returns the sorted values that are in exactly one of both arrays. Waits for their number.
    ///
    /// # Errors
    /// Returns an error if an operation that the arrays depend on failed.
    #[track_caller]
    pub fn setxor1d(&self, other: &DynArray) -> Result<DynArray, Error> {
        let _call = Site::enter_caller();
        Ok(self.view.setxor1d(&other.view)?.into())
    }

    /// For each line along an axis, returns the elements at the indices in the corresponding line,
    /// such as those of `argsort`. The other axes are broadcast.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds, the numbers of axes differ, the shapes do not
    /// match, or the indices are not integers.
    #[track_caller]
    pub fn take_along_axis(&self, indices: &DynArray, axis: usize) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        self.check_lines("take_along_axis", indices, axis)?;
        let view = &self.view;
        Ok(view.take_along_axis(&indices.view, axis)?.into())
    }

    /// For each line along an axis, writes values to the elements at the indices in the
    /// corresponding line. The values are broadcast to the shape of the indices.
    ///
    /// # Errors
    /// Returns an error like [`take_along_axis`](Self::take_along_axis), if the values do not fit,
    /// or if this is a broadcast view.
    #[track_caller]
    pub fn put_along_axis(
        &self,
        indices: &DynArray,
        axis: usize,
        values: impl Into<Value>,
    ) -> Result<(), CallError> {
        let _call = Site::enter_caller();
        self.check_lines("put_along_axis", indices, axis)?;
        let values = values.into();
        self.view
            .put_along_axis(&indices.view, axis, (&values).into())
    }

    /// Checks that indices are lines along an axis.
    fn check_lines(
        &self,
        operation: &'static str,
        indices: &DynArray,
        axis: usize,
    ) -> Result<(), CallError> {
        self.view.check_axis(axis)?;
        let (given, dims) = (indices.ndim(), self.ndim());
        if given != dims {
            let why = format!("indices of {given} axes for {dims} axes");
            return Err(wrong(operation, &why));
        }
        Ok(())
    }
}

typed! { Element:
    /// Whether each element is one of `values`: NumPy's `isin`.
    isin(values: &Array<T>) = isin(values.as_dyn()) -> bool;
    /// Returns the sorted union of both arrays' values. Waits for their number.
    union1d(other: &Array<T>) = union1d(other.as_dyn()) -> T;
    /// Returns the sorted intersection of both arrays' values. Waits for their number.
    intersect1d(other: &Array<T>) = intersect1d(other.as_dyn()) -> T;
    /// Returns the sorted values of this array that are not in the other. Waits for their number.
    setdiff1d(other: &Array<T>) = setdiff1d(other.as_dyn()) -> T;
    /// Returns the sorted values that are in exactly one of both arrays. Waits for their number.
    setxor1d(other: &Array<T>) = setxor1d(other.as_dyn()) -> T;
}

impl<T: Element> Array<T> {
    /// For each line along an axis, returns the elements at the indices in the corresponding line,
    /// such as those of `argsort`.
    ///
    /// # Panics
    /// Panics at the caller's line if [`DynArray::take_along_axis`] returns an error.
    #[track_caller]
    #[must_use]
    pub fn take_along_axis<I: IndexInteger>(&self, indices: &Array<I>, axis: usize) -> Array<T> {
        let taken = self.as_dyn().take_along_axis(indices.as_dyn(), axis);
        Array::wrap(at_call(taken))
    }

    /// For each line along an axis, writes values to the elements at the indices in the
    /// corresponding line.
    ///
    /// # Panics
    /// Panics at the caller's line if [`DynArray::put_along_axis`] returns an error.
    #[track_caller]
    pub fn put_along_axis<I: IndexInteger>(
        &self,
        indices: &Array<I>,
        axis: usize,
        values: impl IntoValue<T>,
    ) {
        let values = values.into_value();
        at_call(self.as_dyn().put_along_axis(indices.as_dyn(), axis, values));
    }
}
