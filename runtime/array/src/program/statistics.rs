//! Variance, weighted means, differences and rounding.

use super::typed::typed;
use super::{Array, DynArray, Value};
use crate::dtype::{Float, Number, Real};
use crate::lower::wrong;
use weft_core::error::{CallError, at_call};
use weft_core::site::Site;

impl DynArray {
    /// Returns the variance of all elements, or of those along an axis: the sum of the squared
    /// differences to the mean, divided by `count - ddof`. Computed in two passes; integers are
    /// treated as `f64`.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds.
    #[track_caller]
    pub fn var(&self, axis: Option<usize>, ddof: usize) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        self.check_optional(axis)?;
        Ok(self.view.var(axis, ddof)?.into())
    }

    /// Returns the standard deviation of all elements, or of those along an axis: the root of
    /// [`var`](Self::var).
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds.
    #[track_caller]
    pub fn std(&self, axis: Option<usize>, ddof: usize) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        self.check_optional(axis)?;
        Ok(self.view.std(axis, ddof)?.into())
    }

    /// Checks that the axis exists, if one is given.
    fn check_optional(&self, axis: Option<usize>) -> Result<(), CallError> {
        match axis {
            Some(axis) => self.view.check_axis(axis).map(drop),
            None => Ok(()),
        }
    }

    /// Returns the difference between the largest and the smallest element, of all or along an
    /// axis.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds, or there are no elements.
    #[track_caller]
    pub fn ptp(&self, axis: Option<usize>) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.ptp(axis)?.into())
    }

    /// Returns the weighted mean, `sum(weights * x) / sum(weights)`, of all elements or along an
    /// axis. The weights have the array's shape, or are a vector along the axis.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds, or the weights do not fit.
    #[track_caller]
    pub fn average(&self, weights: &DynArray, axis: Option<usize>) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let is_along = match axis {
            Some(axis) => *weights.shape() == [self.shape()[self.view.check_axis(axis)?]],
            None => false,
        };
        if !is_along && weights.shape() != self.shape() {
            let (given, shape) = (weights.shape(), self.shape());
            let why = format!("weights of shape {given:?} for an array of {shape:?}");
            return Err(wrong("average", &why));
        }
        let view = &self.view;
        Ok(view.average(&weights.view, axis)?.into())
    }

    /// Returns the elements limited to two bounds; NaN if one is NaN.
    ///
    /// # Errors
    /// Returns an error if the shapes do not broadcast together.
    #[track_caller]
    pub fn clip(
        &self,
        low: impl Into<Value>,
        high: impl Into<Value>,
    ) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let (low, high) = (low.into(), high.into());
        Ok(self.view.clip(&low, &high)?.into())
    }

    /// Returns the differences of neighbouring elements along an axis, applied `times` times.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds.
    #[track_caller]
    pub fn diff(&self, times: usize, axis: usize) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        self.view.check_axis(axis)?;
        Ok(self.view.diff(times, axis)?.into())
    }

    /// Rounds to a number of decimals (negative: tens, hundreds, ...), ties to even, complex
    /// numbers by parts, as NumPy's `round`.
    ///
    /// # Errors
    /// Returns an error if the dtype is `bool`.
    #[track_caller]
    pub fn round(&self, decimals: i32) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let (operation, dtype) = ("round", self.dtype());
        if dtype.is_bool() {
            return Err(CallError::DType { operation, dtype });
        }
        Ok(self.view.round(decimals)?.into())
    }

    /// Returns the covariances of the rows of a matrix, whose columns are observations: NumPy's
    /// `cov`.
    ///
    /// # Errors
    /// Returns an error if the array has neither one axis nor two.
    #[track_caller]
    pub fn cov(&self, ddof: usize) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let rows = match self.ndim() {
            1 => self.view.with_axis(0)?,
            2 => self.view.clone(),
            dims => return Err(wrong("cov", &format!("{dims} axes, neither one nor two"))),
        };
        Ok(rows.cov(ddof)?.into())
    }
}

typed! { Float:
    /// Returns the variance of all elements: the sum of the squared differences to the mean,
    /// divided by `count - ddof`.
    var(ddof: usize) = var(None, ddof) -> T;
    /// Returns the variance of the elements along an axis.
    var_axis(axis: usize, ddof: usize) = var(Some(axis), ddof) -> T;
    /// Returns the standard deviation of all elements: the root of the variance.
    std(ddof: usize) = std(None, ddof) -> T;
    /// Returns the standard deviation of the elements along an axis.
    std_axis(axis: usize, ddof: usize) = std(Some(axis), ddof) -> T;
    /// Returns the weighted mean, `sum(weights * x) / sum(weights)`, with weights of the array's
    /// shape.
    average(weights: &Array<T>) = average(weights.as_dyn(), None) -> T;
    /// Returns the weighted mean along an axis. The weights have the array's shape, or are a vector
    /// along the axis.
    average_axis(weights: &Array<T>, axis: usize) = average(weights.as_dyn(), Some(axis)) -> T;
    /// Returns the covariances of the rows of a matrix, whose columns are observations: NumPy's
    /// `cov`.
    cov(ddof: usize) = cov(ddof) -> T;
}

typed! { Real:
    /// Returns the difference between the largest and the smallest element.
    ptp() = ptp(None) -> T;
    /// Returns the difference between the largest and the smallest element along an axis.
    ptp_axis(axis: usize) = ptp(Some(axis)) -> T;
    /// Returns the elements limited to two bounds; NaN if one is NaN.
    clip(low: T, high: T) = clip(low.to_scalar(), high.to_scalar()) -> T;
}

typed! { Number:
    /// Returns the differences of neighbouring elements along an axis, applied `times` times.
    diff(times: usize, axis: usize) = diff(times, axis) -> T;
    /// Rounds to a number of decimals, ties to even, as NumPy's `round`.
    round(decimals: i32) = round(decimals) -> T;
}
