//! Indexing with masks.
//!
//! The length of a result depends on the mask's values. The call counts them and waits for the
//! count; the elements are then packed in parallel while the program continues.

use super::{Array, DynArray, IntoValue, Value};
use crate::dtype::Element;
use crate::lower::wrong;
use weft_core::error::{CallError, Error, at_call};
use weft_core::runtime::core_of;
use weft_core::site::Site;

impl DynArray {
    /// Returns the elements where `mask` is true, in row-major order, as a vector: `x[mask]`. A
    /// mask with fewer axes selects along the first ones and keeps the others. Waits for the number
    /// of elements.
    ///
    /// # Errors
    /// Returns an error if the mask is not `bool`, its shape is not that of the first axes, or an
    /// operation that it depends on failed.
    #[track_caller]
    pub fn take_where(&self, mask: &DynArray) -> Result<DynArray, Error> {
        let _call = Site::enter_caller();
        self.check_mask("take_where", mask)?;
        Ok(self.view.take_where(&mask.view)?.into())
    }

    /// Writes values where `mask` is true: `x[mask] = values`. A mask with fewer axes selects along
    /// the first ones. The values are cast. They either broadcast to the selection of one element
    /// of the mask, or there is one for each selected element in order. In that case the call waits
    /// for their number.
    ///
    /// # Errors
    /// Returns an error if the mask is not `bool`, its shape is not that of the first axes, the
    /// values do not fit, this is a broadcast view, or an operation that the mask depends on
    /// failed.
    #[track_caller]
    pub fn put_where(&self, mask: &DynArray, values: impl Into<Value>) -> Result<(), Error> {
        let _call = Site::enter_caller();
        self.check_mask("put_where", mask)?;
        let values = values.into();
        self.view.put_where(&mask.view, (&values).into())
    }

    /// Writes the elements of the vector `values`, which has this array's dtype, in order where a
    /// mask of this array's shape is not 0, without an operation. With `again` the vector is
    /// repeated or cut to the number of selected elements; without it the lengths must be equal.
    /// Returns `false` and writes nothing if the arrays do not fit, share elements or are large, if
    /// an operation that uses one of them is under way or has failed, if operations are recorded,
    /// with GPUs, and on several ranks.
    #[track_caller]
    pub fn place_at_once(&self, mask: &DynArray, values: &DynArray, again: bool) -> bool {
        let _call = Site::enter_caller();
        let cores = core_of([&self.view.core, &mask.view.core, &values.view.core]);
        cores.is_ok() && (self.view).placed_at_once(&mask.view, &values.view, again)
    }

    /// Writes the elements of the vector `values`, which has this array's dtype, one after the
    /// other and again from the first, where a mask of this array's shape is not 0: NumPy's
    /// `place`. Returns `false` and writes nothing if the arrays do not fit or are empty, with
    /// GPUs, and on several ranks.
    ///
    /// # Errors
    /// Returns an error if this is a broadcast view.
    #[track_caller]
    pub fn place(&self, mask: &DynArray, values: &DynArray) -> Result<bool, CallError> {
        let _call = Site::enter_caller();
        core_of([&self.view.core, &mask.view.core, &values.view.core])?;
        self.view.place(&mask.view, &values.view)
    }

    /// Counts the elements that are not 0 or false without an operation. Returns `None` in the
    /// cases that [`place_at_once`](Self::place_at_once) lists.
    pub fn count_at_once(&self) -> Option<usize> {
        self.view.counted_at_once()
    }

    /// Checks that a mask fits the first axes.
    fn check_mask(&self, operation: &'static str, mask: &DynArray) -> Result<(), CallError> {
        let dtype = mask.dtype();
        if !dtype.is_bool() {
            return Err(CallError::DType { operation, dtype });
        }
        core_of([&self.view.core, &mask.view.core])?;
        let (mask, whole) = (mask.shape(), self.shape());
        if !whole.starts_with(mask) {
            let why =
                format!("a mask of shape {mask:?} does not match an array of shape {whole:?}");
            return Err(wrong(operation, &why));
        }
        Ok(())
    }

    /// Returns the row-major numbers of the elements that are not 0 or false. Waits for their
    /// number.
    ///
    /// # Errors
    /// Returns an error if an operation that the array depends on failed.
    #[track_caller]
    pub fn flatnonzero(&self) -> Result<DynArray, Error> {
        let _call = Site::enter_caller();
        Ok(self.view.flatnonzero()?.into())
    }

    /// Returns the indices of the elements that are not 0 or false: a vector for each axis. Waits
    /// for their number.
    ///
    /// # Errors
    /// Returns an error if the array has no axes, or an operation that it depends on failed.
    #[track_caller]
    pub fn nonzero(&self) -> Result<Vec<DynArray>, Error> {
        let _call = Site::enter_caller();
        self.view.last_axis()?;
        let indices = self.view.nonzero()?;
        Ok(indices.into_iter().map(DynArray::from).collect())
    }

    /// Returns the indices of the elements that are not 0 or false: a row for each element. Waits
    /// for their number.
    ///
    /// # Errors
    /// Returns an error if an operation that the array depends on failed.
    #[track_caller]
    pub fn argwhere(&self) -> Result<DynArray, Error> {
        let _call = Site::enter_caller();
        Ok(self.view.argwhere()?.into())
    }

    /// Returns the positions along an axis, or without one the elements in row-major order, at
    /// which the vector `condition` is true. It may be shorter. Waits for their number.
    ///
    /// # Errors
    /// Returns an error if the condition is not a vector or the axis is out of bounds, or an
    /// operation that it depends on failed.
    #[track_caller]
    pub fn compress(&self, condition: &DynArray, axis: Option<usize>) -> Result<DynArray, Error> {
        let _call = Site::enter_caller();
        let (view, condition) = (&self.view, &condition.view);
        let length = match axis {
            None => view.len(),
            Some(axis) => view.dims()[view.check_axis(axis)?],
        };
        if condition.ndim() != 1 || condition.len() > length {
            let shape = condition.dims();
            let why = format!("a condition of shape {shape:?} for {length} positions");
            return Err(wrong("compress", &why).into());
        }
        let places = condition.flatnonzero()?;
        Ok(view.take(&places, axis)?.into())
    }
}

impl<T: Element> Array<T> {
    /// Returns the elements where `mask` is true, in row-major order, as a vector: `x[mask]`. A
    /// mask with fewer axes selects along the first ones and keeps the others. Waits for the number
    /// of elements.
    ///
    /// # Panics
    /// Panics at the caller's line if the mask's shape is not that of the first axes, or an
    /// operation that it depends on failed.
    #[track_caller]
    #[must_use]
    pub fn take_where(&self, mask: &Array<bool>) -> Array<T> {
        at_call(self.try_take_where(mask))
    }

    /// Like [`take_where`](Self::take_where), but returns errors and failures.
    ///
    /// # Errors
    /// Returns an error if the mask's shape is not that of the first axes, or an operation that it
    /// depends on failed.
    #[track_caller]
    pub fn try_take_where(&self, mask: &Array<bool>) -> Result<Array<T>, Error> {
        Ok(Array::wrap(self.as_dyn().take_where(mask.as_dyn())?))
    }

    /// Writes values where `mask` is true: `x[mask] = values`. A mask with fewer axes selects along
    /// the first ones. The values either broadcast to the selection of one element of the mask, or
    /// there is one for each selected element in order. In that case the call waits for their
    /// number.
    ///
    /// # Panics
    /// Panics at the caller's line if the mask's shape is not that of the first axes, the values do
    /// not fit, this is a broadcast view, or an operation that the mask depends on failed.
    #[track_caller]
    pub fn put_where(&self, mask: &Array<bool>, values: impl IntoValue<T>) {
        at_call(self.try_put_where(mask, values));
    }

    /// Like [`put_where`](Self::put_where), but returns errors and failures.
    ///
    /// # Errors
    /// Returns an error if the mask's shape is not that of the first axes, the values do not fit,
    /// this is a broadcast view, or an operation that the mask depends on failed.
    #[track_caller]
    pub fn try_put_where(
        &self,
        mask: &Array<bool>,
        values: impl IntoValue<T>,
    ) -> Result<(), Error> {
        let values = values.into_value();
        self.as_dyn().put_where(mask.as_dyn(), values)
    }

    /// Returns the row-major numbers of the elements that are not 0 or false. Waits for their
    /// number.
    ///
    /// # Panics
    /// Panics at the caller's line if a computation that the array depends on failed.
    #[track_caller]
    #[must_use]
    pub fn flatnonzero(&self) -> Array<i64> {
        Array::wrap(at_call(self.as_dyn().flatnonzero()))
    }

    /// Returns the indices of the elements that are not 0 or false: a vector for each axis. Waits
    /// for their number.
    ///
    /// # Panics
    /// Panics at the caller's line if the array has no axes, or an operation that it depends on
    /// failed.
    #[track_caller]
    #[must_use]
    pub fn nonzero(&self) -> Vec<Array<i64>> {
        let indices = at_call(self.as_dyn().nonzero());
        indices.into_iter().map(Array::wrap).collect()
    }

    /// Returns the indices of the elements that are not 0 or false: a row for each element. Waits
    /// for their number.
    ///
    /// # Panics
    /// Panics at the caller's line if a computation that the array depends on failed.
    #[track_caller]
    #[must_use]
    pub fn argwhere(&self) -> Array<i64> {
        Array::wrap(at_call(self.as_dyn().argwhere()))
    }

    /// Returns the elements in row-major order at which the vector `condition` is true; it may be
    /// shorter. Waits for their number.
    ///
    /// # Panics
    /// Panics at the caller's line if the condition is not a vector or too long, or an operation
    /// that it depends on failed.
    #[track_caller]
    #[must_use]
    pub fn compress(&self, condition: &Array<bool>) -> Array<T> {
        let compressed = self.as_dyn().compress(condition.as_dyn(), None);
        Array::wrap(at_call(compressed))
    }

    /// Returns the positions along an axis at which the vector `condition` is true; it may be
    /// shorter. Waits for their number.
    ///
    /// # Panics
    /// Panics at the caller's line if the axis is out of bounds, the condition is not a vector or
    /// too long, or an operation that it depends on failed.
    #[track_caller]
    #[must_use]
    pub fn compress_axis(&self, condition: &Array<bool>, axis: usize) -> Array<T> {
        let compressed = self.as_dyn().compress(condition.as_dyn(), Some(axis));
        Array::wrap(at_call(compressed))
    }
}
