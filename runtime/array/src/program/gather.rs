//! Indexing with several integer arrays: `x[i, j]`.
//!
//! As in NumPy, the index arrays are broadcast to one shape, which replaces the indexed axes in the
//! result: at the position of the first one if they are adjacent, otherwise in front. Slice first
//! to combine them with slices.

use super::{Array, DynArray, IndexInteger, IntoValue, Value};
use crate::dtype::Element;
use crate::lower::View;
use weft_core::error::{CallError, Error, at_call};
use weft_core::site::Site;

impl DynArray {
    /// Returns the elements selected by index arrays, one per axis: `x[i, j]`, NumPy's
    /// integer-array indexing.
    ///
    /// # Errors
    /// Returns an error if there are no indices, one is not an integer array, an axis is named
    /// twice or is out of bounds, or the indices do not broadcast together.
    #[track_caller]
    pub fn take_at(&self, indices: &[(usize, &DynArray)]) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.take_at(&views(indices))?.into())
    }

    /// Writes values to the elements selected by index arrays, one per axis: `x[i, j] = values`.
    /// The values are cast, and broadcast to the shape of [`take_at`](Self::take_at)'s result. If
    /// an element is selected more than once, the last value takes effect.
    ///
    /// # Errors
    /// Returns an error like [`take_at`](Self::take_at), if the values do not fit, or if this is a
    /// broadcast view.
    #[track_caller]
    pub fn put_at(
        &self,
        indices: &[(usize, &DynArray)],
        values: impl Into<Value>,
    ) -> Result<(), CallError> {
        let _call = Site::enter_caller();
        let values = values.into();
        self.view.put_at(&views(indices), (&values).into())
    }
}

/// Returns views of indices, with their axes.
fn views<'a>(indices: &[(usize, &'a DynArray)]) -> Vec<(usize, &'a View)> {
    let views = indices.iter().map(|(axis, index)| (*axis, &index.view));
    views.collect()
}

/// Pairs indices with the first axes.
fn leading<'a, I: IndexInteger>(indices: &[&'a Array<I>]) -> Vec<(usize, &'a DynArray)> {
    let arrays = indices.iter().map(|index| index.as_dyn());
    arrays.enumerate().collect()
}

impl<T: Element> Array<T> {
    /// Returns the elements selected by index arrays along the first axes: `x[i, j]`. The arrays
    /// are broadcast to one shape, which replaces these axes.
    ///
    /// # Panics
    /// Panics at the caller's line if there are no indices or more than axes, or they do not
    /// broadcast together.
    #[track_caller]
    #[must_use]
    pub fn take_at<I: IndexInteger>(&self, indices: &[&Array<I>]) -> Array<T> {
        Array::wrap(at_call(self.as_dyn().take_at(&leading(indices))))
    }

    /// Returns the elements selected by index arrays, one per axis:
    /// `x.take_at_axes(&[(0, &i), (2, &j)])` is `x[i, :, j]`. The broadcast shape replaces these
    /// axes: at the first one if they are adjacent, otherwise in front, as in NumPy.
    ///
    /// # Panics
    /// Panics at the caller's line if there are no indices, an axis is named twice or out of
    /// bounds, or the indices do not broadcast together.
    #[track_caller]
    #[must_use]
    pub fn take_at_axes<I: IndexInteger>(&self, indices: &[(usize, &Array<I>)]) -> Array<T> {
        at_call(self.try_take_at(indices))
    }

    /// Like [`take_at_axes`](Self::take_at_axes), but returns errors.
    ///
    /// # Errors
    /// Returns an error if there are no indices, an axis is named twice or out of bounds, or the
    /// indices do not broadcast together.
    #[track_caller]
    pub fn try_take_at<I: IndexInteger>(
        &self,
        indices: &[(usize, &Array<I>)],
    ) -> Result<Array<T>, Error> {
        let indices: Vec<_> = indices
            .iter()
            .map(|(axis, i)| (*axis, i.as_dyn()))
            .collect();
        Ok(Array::wrap(self.as_dyn().take_at(&indices)?))
    }

    /// Writes values to the elements selected by index arrays along the first axes:
    /// `x[i, j] = values`. If an element is selected more than once, the last value takes effect.
    ///
    /// # Panics
    /// Panics at the caller's line if there are no indices or more than axes, they or the values do
    /// not fit, or this is a broadcast view.
    #[track_caller]
    pub fn put_at<I: IndexInteger>(&self, indices: &[&Array<I>], values: impl IntoValue<T>) {
        let values = values.into_value();
        at_call(self.as_dyn().put_at(&leading(indices), values));
    }

    /// Writes values to the elements selected by index arrays, one per axis: `x[i, :, j] = values`.
    ///
    /// # Panics
    /// Panics at the caller's line if there are no indices, an axis is named twice or out of
    /// bounds, they or the values do not fit, or this is a broadcast view.
    #[track_caller]
    pub fn put_at_axes<I: IndexInteger>(
        &self,
        indices: &[(usize, &Array<I>)],
        values: impl IntoValue<T>,
    ) {
        at_call(self.try_put_at(indices, values));
    }

    /// Like [`put_at_axes`](Self::put_at_axes), but returns errors.
    ///
    /// # Errors
    /// Returns an error if there are no indices, an axis is named twice or out of bounds, they or
    /// the values do not fit, or this is a broadcast view.
    #[track_caller]
    pub fn try_put_at<I: IndexInteger>(
        &self,
        indices: &[(usize, &Array<I>)],
        values: impl IntoValue<T>,
    ) -> Result<(), Error> {
        let indices: Vec<_> = indices
            .iter()
            .map(|(axis, i)| (*axis, i.as_dyn()))
            .collect();
        Ok(self.as_dyn().put_at(&indices, values.into_value())?)
    }
}
