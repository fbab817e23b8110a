//! Indexing with one integer array.
//!
//! Negative indices count from the end. Bounds are checked when the operation runs. An index out of
//! bounds fails the operation, with [`Cause::Index`](weft_core::error::Cause::Index).

use super::{Array, DynArray, IntoValue, Value};
use crate::dtype::{Element, Integer};
use weft_core::error::{CallError, Error, at_call};
use weft_core::site::Site;

/// Integer types for indices, whose values all fit an `i64`.
pub trait IndexInteger: Integer {}

impl IndexInteger for i8 {}
impl IndexInteger for i16 {}
impl IndexInteger for i32 {}
impl IndexInteger for i64 {}
impl IndexInteger for u8 {}
impl IndexInteger for u16 {}
impl IndexInteger for u32 {}

impl DynArray {
    /// Returns the elements at these indices along an axis, or without an axis in row-major order:
    /// NumPy's `take`. The axes of the indices replace the axis.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds, the indices are not integers that fit an
    /// `i64`, or there are indices but no elements.
    #[track_caller]
    pub fn take(&self, indices: &DynArray, axis: Option<usize>) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.take(&indices.view, axis)?.into())
    }

    /// Writes values to the elements at these indices along an axis: `x[.., indices, ..] = values`.
    /// For equal indices, the last value takes effect. The values are cast to this array's dtype
    /// and broadcast to its shape, with the axes of the indices in place of the axis. Without an
    /// axis, indices are row-major numbers of elements, which must be evenly spaced in memory, and
    /// values are broadcast to the shape of the indices.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds, the indices are not integers that fit an
    /// `i64`, there are indices but no elements, the shapes do not match, or this is a broadcast
    /// view.
    #[track_caller]
    pub fn put(
        &self,
        indices: &DynArray,
        axis: Option<usize>,
        values: impl Into<Value>,
    ) -> Result<(), CallError> {
        let _call = Site::enter_caller();
        let values = values.into();
        self.view.put(&indices.view, axis, (&values).into())
    }
}

impl<T: Element> Array<T> {
    /// Returns the elements at these row-major indices, in the shape of the indices: NumPy's
    /// `take`.
    ///
    /// # Panics
    /// Panics at the caller's line if there are indices and no elements.
    #[track_caller]
    #[must_use]
    pub fn take<I: IndexInteger>(&self, indices: &Array<I>) -> Array<T> {
        at_call(self.try_take(indices, None))
    }

    /// Returns the elements at these indices along one axis, which is replaced by the axes of the
    /// indices: NumPy's `take`.
    ///
    /// # Panics
    /// Panics at the caller's line if the axis is out of bounds, or there are indices and no
    /// elements.
    #[track_caller]
    #[must_use]
    pub fn take_axis<I: IndexInteger>(&self, indices: &Array<I>, axis: usize) -> Array<T> {
        at_call(self.try_take(indices, Some(axis)))
    }

    /// Like [`take`](Self::take) or [`take_axis`](Self::take_axis), but returns errors.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds, or there are indices and no elements.
    #[track_caller]
    pub fn try_take<I: IndexInteger>(
        &self,
        indices: &Array<I>,
        axis: Option<usize>,
    ) -> Result<Array<T>, Error> {
        Ok(Array::wrap(self.as_dyn().take(indices.as_dyn(), axis)?))
    }

    /// Writes values, broadcast to the shape of the indices, to the elements at these row-major
    /// indices. For equal indices, the last value takes effect.
    ///
    /// # Panics
    /// Panics at the caller's line if the shapes do not match, there are indices and no elements,
    /// this is a broadcast view, or the elements are not evenly spaced in memory.
    #[track_caller]
    pub fn put<I: IndexInteger>(&self, indices: &Array<I>, values: impl IntoValue<T>) {
        at_call(self.try_put(indices, None, values));
    }

    /// Writes values to the elements at these indices along one axis:
    /// `x[.., indices, ..] = values`. The values are broadcast to this array's shape with the axes
    /// of the indices in place of the axis. For equal indices, the last value takes effect.
    ///
    /// # Panics
    /// Panics at the caller's line if the axis is out of bounds, the shapes do not match, there are
    /// indices and no elements, or this is a broadcast view.
    #[track_caller]
    pub fn put_axis<I: IndexInteger>(
        &self,
        indices: &Array<I>,
        axis: usize,
        values: impl IntoValue<T>,
    ) {
        at_call(self.try_put(indices, Some(axis), values));
    }

    /// Like [`put`](Self::put) or [`put_axis`](Self::put_axis), but returns errors.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds, the shapes do not match, there are indices
    /// and no elements, this is a broadcast view, or without an axis the elements are not evenly
    /// spaced in memory.
    #[track_caller]
    pub fn try_put<I: IndexInteger>(
        &self,
        indices: &Array<I>,
        axis: Option<usize>,
        values: impl IntoValue<T>,
    ) -> Result<(), Error> {
        let values = values.into_value();
        Ok(self.as_dyn().put(indices.as_dyn(), axis, values)?)
    }
}
