//! Medians and quantiles.

use super::typed::typed;
use super::{Array, DynArray};
use crate::dtype::Float;
use crate::lower::wrong;
use weft_core::error::{CallError, at_call};
use weft_core::site::Site;

impl DynArray {
    /// Returns the quantiles `q` (0 to 1) of all elements, or of those along an axis, with a new
    /// first axis of one position for each. Values between elements are interpolated (NumPy's
    /// method "linear"). The result is NaN if an element is NaN. Integers are treated as `f64`.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds, there are no elements, or a `q` is not
    /// between 0 and 1.
    #[track_caller]
    pub fn quantile(&self, q: &[f64], axis: Option<usize>) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let operation = "quantile";
        if let Some(q) = q.iter().find(|q| !(0.0..=1.0).contains(*q)) {
            return Err(wrong(operation, &format!("{q} is not between 0 and 1")));
        }
        if self.check_order(operation, axis)? == 0 {
            return Err(wrong(operation, "not defined for an empty array"));
        }
        Ok(self.view.quantile(q, axis)?.into())
    }

    /// Returns the median of all elements, or of those along an axis: the middle one, or the mean
    /// of the two in the middle. The result is NaN if an element is NaN or there are none. Integers
    /// are treated as `f64`.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds, or the dtype has no order.
    #[track_caller]
    pub fn median(&self, axis: Option<usize>) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        self.check_order("median", axis)?;
        Ok(self.view.median(axis)?.into())
    }

    /// Checks that elements have an order, and returns the number of those that are sorted
    /// together.
    fn check_order(
        &self,
        operation: &'static str,
        axis: Option<usize>,
    ) -> Result<usize, CallError> {
        let dtype = self.dtype();
        if dtype.is_complex() {
            return Err(CallError::DType { operation, dtype });
        }
        match axis {
            None => Ok(self.len()),
            Some(axis) => Ok(self.shape()[self.view.check_axis(axis)?]),
        }
    }
}

impl<T: Float> Array<T> {
    /// Returns the quantile `q` (0 to 1) of all elements, as an array without axes: NumPy's method
    /// "linear".
    ///
    /// # Panics
    /// Panics at the caller's line if there are no elements, or `q` is outside of 0 to 1.
    #[track_caller]
    #[must_use]
    pub fn quantile(&self, q: f64) -> Array<T> {
        let quantiles = at_call(self.as_dyn().quantile(&[q], None));
        Array::wrap(quantiles.view.position(0, 0).into())
    }

    /// Returns the quantile `q` (0 to 1) of the elements along an axis.
    ///
    /// # Panics
    /// Panics at the caller's line if the axis is out of bounds, there are no elements, or `q` is
    /// outside of 0 to 1.
    #[track_caller]
    #[must_use]
    pub fn quantile_axis(&self, q: f64, axis: usize) -> Array<T> {
        let quantiles = at_call(self.as_dyn().quantile(&[q], Some(axis)));
        Array::wrap(quantiles.view.position(0, 0).into())
    }

    /// Returns the percentile `q` (0 to 100) of all elements, as an array without axes.
    ///
    /// # Panics
    /// Panics at the caller's line if there are no elements, or `q` is outside of 0 to 100.
    #[track_caller]
    #[must_use]
    pub fn percentile(&self, q: f64) -> Array<T> {
        self.quantile(q / 100.0)
    }
}

typed! { Float:
    /// Returns the quantiles `q` (0 to 1) of all elements, as a vector: NumPy's method "linear".
    quantiles(q: &[f64]) = quantile(q, None) -> T;
    /// Returns the quantiles `q` (0 to 1) of the elements along an axis, on a new first axis.
    quantiles_axis(q: &[f64], axis: usize) = quantile(q, Some(axis)) -> T;
    /// Returns the median of all elements, as an array without axes.
    median() = median(None) -> T;
    /// Returns the median of the elements along an axis.
    median_axis(axis: usize) = median(Some(axis)) -> T;
}
