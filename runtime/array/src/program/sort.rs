//! Sorting. The order is NumPy's, with NaN last.

use super::{Array, DynArray};
use crate::dtype::Element;
use weft_core::error::{CallError, Error, at_call};
use weft_core::site::Site;

impl DynArray {
    /// Returns a copy sorted along an axis, NaN last.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds.
    #[track_caller]
    pub fn sort(&self, axis: usize) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.sort(axis)?.into())
    }

    /// Returns the indices that sort each line along an axis. Equal elements keep their order.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds.
    #[track_caller]
    pub fn argsort(&self, axis: usize) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.argsort(axis)?.into())
    }
}

/// Selections.
impl DynArray {
    /// A copy whose lines along an axis have at these places the elements of the sorted line, NaN
    /// last, with no larger ones before and no smaller ones after them: NumPy's `partition`.
    ///
    /// # Errors
    /// Returns an error if the axis or a place is out of bounds.
    #[track_caller]
    pub fn partition(&self, places: &[usize], axis: usize) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok((self.view).partition(places, axis)?.into())
    }

    /// The indices that bring each line along an axis into such an order: NumPy's `argpartition`.
    ///
    /// # Errors
    /// Returns an error if the axis or a place is out of bounds.
    #[track_caller]
    pub fn argpartition(&self, places: &[usize], axis: usize) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok((self.view).argpartition(places, axis)?.into())
    }
}

impl<T: Element> Array<T> {
    /// Returns a copy sorted along the last axis, NaN last: NumPy's `sort`.
    ///
    /// # Panics
    /// Panics at the caller's line if the array has no axes.
    #[track_caller]
    #[must_use]
    pub fn sort(&self) -> Array<T> {
        let axis = at_call(self.as_dyn().view.last_axis());
        at_call(self.try_sort(axis))
    }

    /// Returns a copy sorted along an axis, NaN last.
    ///
    /// # Panics
    /// Panics at the caller's line if the axis is out of bounds.
    #[track_caller]
    #[must_use]
    pub fn sort_axis(&self, axis: usize) -> Array<T> {
        at_call(self.try_sort(axis))
    }

    /// Like [`sort_axis`](Self::sort_axis), but returns errors.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds.
    #[track_caller]
    pub fn try_sort(&self, axis: usize) -> Result<Array<T>, Error> {
        Ok(Array::wrap(self.as_dyn().sort(axis)?))
    }

    /// Returns the indices that sort each line along the last axis. Equal elements keep their
    /// order: NumPy's `argsort(kind="stable")`.
    ///
    /// # Panics
    /// Panics at the caller's line if the array has no axes.
    #[track_caller]
    #[must_use]
    pub fn argsort(&self) -> Array<i64> {
        let axis = at_call(self.as_dyn().view.last_axis());
        at_call(self.try_argsort(axis))
    }

    /// Returns the indices that sort each line along an axis. Equal elements keep their order.
    ///
    /// # Panics
    /// Panics at the caller's line if the axis is out of bounds.
    #[track_caller]
    #[must_use]
    pub fn argsort_axis(&self, axis: usize) -> Array<i64> {
        at_call(self.try_argsort(axis))
    }

    /// Like [`argsort_axis`](Self::argsort_axis), but returns errors.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds.
    #[track_caller]
    pub fn try_argsort(&self, axis: usize) -> Result<Array<i64>, Error> {
        Ok(Array::wrap(self.as_dyn().argsort(axis)?))
    }
}
