//! Reductions that ignore NaN, and replacement of NaN.

use super::typed::typed;
use super::{Array, DynArray};
use crate::dtype::Float;
use weft_core::error::{CallError, at_call};
use weft_core::site::Site;

impl DynArray {
    /// The values with NaN replaced by `nan` and infinities by the largest and smallest number or the values given;
    /// the parts of complex numbers are handled separately.
    ///
    /// # Errors
    /// The runtime has finished.
    #[track_caller]
    pub fn nan_to_num(
        &self,
        nan: f64,
        high: Option<f64>,
        low: Option<f64>,
    ) -> Result<DynArray, CallError> {
        Ok(self.view.nan_to_num(nan, high, low, Site::caller())?.into())
    }

    /// The sum of the elements that are not NaN, of all or along an axis.
    ///
    /// # Errors
    /// The axis is out of bounds.
    #[track_caller]
    pub fn nansum(&self, axis: Option<usize>) -> Result<DynArray, CallError> {
        Ok(self.view.nansum(axis, Site::caller())?.into())
    }

    /// The product of the elements that are not NaN, of all or along an axis.
    ///
    /// # Errors
    /// The axis is out of bounds.
    #[track_caller]
    pub fn nanprod(&self, axis: Option<usize>) -> Result<DynArray, CallError> {
        Ok(self.view.nanprod(axis, Site::caller())?.into())
    }

    /// The smallest element that is not NaN, of all or along an axis; NaN if all are.
    ///
    /// # Errors
    /// The axis is out of bounds, or there are no elements.
    #[track_caller]
    pub fn nanmin(&self, axis: Option<usize>) -> Result<DynArray, CallError> {
        Ok(self.view.nanmin(axis, Site::caller())?.into())
    }

    /// The largest element that is not NaN, of all or along an axis; NaN if all are.
    ///
    /// # Errors
    /// The axis is out of bounds, or there are no elements.
    #[track_caller]
    pub fn nanmax(&self, axis: Option<usize>) -> Result<DynArray, CallError> {
        Ok(self.view.nanmax(axis, Site::caller())?.into())
    }

    /// The mean of the elements that are not NaN, of all or along an axis; NaN if all are. Integers as `f64`.
    ///
    /// # Errors
    /// The axis is out of bounds.
    #[track_caller]
    pub fn nanmean(&self, axis: Option<usize>) -> Result<DynArray, CallError> {
        Ok(self.view.nanmean(axis, Site::caller())?.into())
    }

    /// The variance of the elements that are not NaN, of all or along an axis, over their number less `ddof`. Integers as
    /// `f64`.
    ///
    /// # Errors
    /// The axis is out of bounds.
    #[track_caller]
    pub fn nanvar(&self, axis: Option<usize>, ddof: usize) -> Result<DynArray, CallError> {
        Ok(self.view.nanvar(axis, ddof, Site::caller())?.into())
    }

    /// The standard deviation of the elements that are not NaN: the root of [`nanvar`](Self::nanvar).
    ///
    /// # Errors
    /// The axis is out of bounds.
    #[track_caller]
    pub fn nanstd(&self, axis: Option<usize>, ddof: usize) -> Result<DynArray, CallError> {
        Ok(self.view.nanstd(axis, ddof, Site::caller())?.into())
    }
}

typed! { Float:
    /// The values with NaN replaced by 0, and infinities by the largest and smallest number.
    nan_to_num() = nan_to_num(0.0, None, None) -> T;
    /// The sum of the elements that are not NaN.
    nansum() = nansum(None) -> T;
    /// The sum of the elements along an axis that are not NaN.
    nansum_axis(axis: usize) = nansum(Some(axis)) -> T;
    /// The product of the elements that are not NaN.
    nanprod() = nanprod(None) -> T;
    /// The smallest element that is not NaN; NaN if all are.
    nanmin() = nanmin(None) -> T;
    /// The smallest element along an axis that is not NaN; NaN if all are.
    nanmin_axis(axis: usize) = nanmin(Some(axis)) -> T;
    /// The largest element that is not NaN; NaN if all are.
    nanmax() = nanmax(None) -> T;
    /// The largest element along an axis that is not NaN; NaN if all are.
    nanmax_axis(axis: usize) = nanmax(Some(axis)) -> T;
    /// The mean of the elements that are not NaN; NaN if all are.
    nanmean() = nanmean(None) -> T;
    /// The mean of the elements along an axis that are not NaN; NaN if all are.
    nanmean_axis(axis: usize) = nanmean(Some(axis)) -> T;
    /// The variance of the elements that are not NaN.
    nanvar(ddof: usize) = nanvar(None, ddof) -> T;
    /// The standard deviation of the elements that are not NaN.
    nanstd(ddof: usize) = nanstd(None, ddof) -> T;
}
