//! Reductions that ignore NaN, and replacement of NaN.

use super::typed::typed;
use super::{Array, DynArray};
use crate::dtype::Float;
use weft_core::error::{CallError, at_call};
use weft_core::site::Site;

impl DynArray {
    /// Returns the values with NaN replaced by `nan`, and infinities by the given values, or by the
    /// largest and smallest number. The parts of complex numbers are handled separately.
    ///
    /// # Errors
    /// Returns an error if the runtime has finished.
    #[track_caller]
    pub fn nan_to_num(
        &self,
        nan: f64,
        high: Option<f64>,
        low: Option<f64>,
    ) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.nan_to_num(nan, high, low)?.into())
    }

    /// Returns the sum of the elements that are not NaN, of all or along an axis.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds.
    #[track_caller]
    pub fn nansum(&self, axis: Option<usize>) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.nansum(axis)?.into())
    }

    /// Returns the product of the elements that are not NaN, of all or along an axis.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds.
    #[track_caller]
    pub fn nanprod(&self, axis: Option<usize>) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.nanprod(axis)?.into())
    }

    /// Returns the smallest element that is not NaN, of all or along an axis; NaN if all are.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds, or there are no elements.
    #[track_caller]
    pub fn nanmin(&self, axis: Option<usize>) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.nanmin(axis)?.into())
    }

    /// Returns the largest element that is not NaN, of all or along an axis; NaN if all are.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds, or there are no elements.
    #[track_caller]
    pub fn nanmax(&self, axis: Option<usize>) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.nanmax(axis)?.into())
    }

    /// Returns the mean of the elements that are not NaN, of all or along an axis; NaN if all are.
    /// Integers are averaged as `f64`.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds.
    #[track_caller]
    pub fn nanmean(&self, axis: Option<usize>) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.nanmean(axis)?.into())
    }

    /// Returns the variance of the elements that are not NaN, of all or along an axis, divided by
    /// their number less `ddof`. Integers are treated as `f64`.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds.
    #[track_caller]
    pub fn nanvar(&self, axis: Option<usize>, ddof: usize) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.nanvar(axis, ddof)?.into())
    }

    /// Returns the standard deviation of the elements that are not NaN: the root of
    /// [`nanvar`](Self::nanvar).
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds.
    #[track_caller]
    pub fn nanstd(&self, axis: Option<usize>, ddof: usize) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.nanstd(axis, ddof)?.into())
    }
}

typed! { Float:
    /// Returns the values with NaN replaced by 0, and infinities by the largest and smallest
    /// number.
    nan_to_num() = nan_to_num(0.0, None, None) -> T;
    /// Returns the sum of the elements that are not NaN.
    nansum() = nansum(None) -> T;
    /// Returns the sum of the elements along an axis that are not NaN.
    nansum_axis(axis: usize) = nansum(Some(axis)) -> T;
    /// Returns the product of the elements that are not NaN.
    nanprod() = nanprod(None) -> T;
    /// Returns the smallest element that is not NaN; NaN if all are.
    nanmin() = nanmin(None) -> T;
    /// Returns the smallest element along an axis that is not NaN; NaN if all are.
    nanmin_axis(axis: usize) = nanmin(Some(axis)) -> T;
    /// Returns the largest element that is not NaN; NaN if all are.
    nanmax() = nanmax(None) -> T;
    /// Returns the largest element along an axis that is not NaN; NaN if all are.
    nanmax_axis(axis: usize) = nanmax(Some(axis)) -> T;
    /// Returns the mean of the elements that are not NaN; NaN if all are.
    nanmean() = nanmean(None) -> T;
    /// Returns the mean of the elements along an axis that are not NaN; NaN if all are.
    nanmean_axis(axis: usize) = nanmean(Some(axis)) -> T;
    /// Returns the variance of the elements that are not NaN.
    nanvar(ddof: usize) = nanvar(None, ddof) -> T;
    /// Returns the standard deviation of the elements that are not NaN.
    nanstd(ddof: usize) = nanstd(None, ddof) -> T;
}
