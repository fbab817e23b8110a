//! Reductions that ignore NaN, and replacement of NaN.

use super::View;
use crate::dtype::{DType, Scalar, f16};
use crate::kernel::{BinaryOp, ReduceOp, UnaryOp};
use weft_core::error::CallError;

impl View {
    /// Returns the values with NaN replaced by `nan`, and infinities by the given values, or by the
    /// largest and smallest number. The parts of complex numbers are handled separately.
    pub(crate) fn nan_to_num(
        &self,
        nan: f64,
        high: Option<f64>,
        low: Option<f64>,
    ) -> Result<View, CallError> {
        if self.dtype().is_complex() {
            let part = |op| self.unary(op)?.nan_to_num(nan, high, low);
            return part(UnaryOp::Real)?.with(BinaryOp::Complex, &part(UnaryOp::Imag)?);
        }
        if !self.dtype().is_float() {
            return self.copied();
        }
        let (largest, smallest) = match self.dtype() {
            DType::F16 => (f16::MAX.into(), f16::MIN.into()),
            DType::F32 => (f32::MAX.into(), f32::MIN.into()),
            _ => (f64::MAX, f64::MIN),
        };
        let swap =
            |view: &View, mask: &View, value: f64| View::select(mask, view.number(value), view);
        let is = |value: f64| self.with(BinaryOp::Equal, self.number(value));
        let numbers = swap(self, &self.unary(UnaryOp::IsNan)?, nan)?;
        let bounded = swap(&numbers, &is(f64::INFINITY)?, high.unwrap_or(largest))?;
        swap(&bounded, &is(f64::NEG_INFINITY)?, low.unwrap_or(smallest))
    }

    /// Returns this view with another value in place of NaN, and where the NaN are.
    fn without_nan(&self, value: f64) -> Result<(View, View), CallError> {
        let is_nan = self.unary(UnaryOp::IsNan)?;
        let value = match self.dtype() {
            // These dtypes have no NaN, so any value will do.
            dtype if dtype.is_bool() || dtype.is_integer() => self.number(0.0),
            _ => self.number(value),
        };
        let numbers = View::select(&is_nan, value, self)?;
        Ok((numbers, is_nan))
    }

    /// Returns the sum of the elements that are not NaN, of all or along an axis.
    pub(crate) fn nansum(&self, axis: Option<usize>) -> Result<View, CallError> {
        let numbers = self.without_nan(0.0)?.0;
        numbers.reduce(ReduceOp::Sum, axis)
    }

    /// Returns the product of the elements that are not NaN, of all or along an axis.
    pub(crate) fn nanprod(&self, axis: Option<usize>) -> Result<View, CallError> {
        let numbers = match self.dtype() {
            exact if exact.is_bool() || exact.is_integer() => self.clone(),
            _ => self.without_nan(1.0)?.0,
        };
        numbers.reduce(ReduceOp::Prod, axis)
    }

    /// Returns the smallest element that is not NaN, of all or along an axis; NaN if all are.
    pub(crate) fn nanmin(&self, axis: Option<usize>) -> Result<View, CallError> {
        self.reduce(ReduceOp::FMin, axis)
    }

    /// Returns the largest element that is not NaN, of all or along an axis; NaN if all are.
    pub(crate) fn nanmax(&self, axis: Option<usize>) -> Result<View, CallError> {
        self.reduce(ReduceOp::FMax, axis)
    }

    /// Returns the mean of the elements that are not NaN, of all or along an axis; NaN if all are.
    /// Integers are averaged as `f64`.
    pub(crate) fn nanmean(&self, axis: Option<usize>) -> Result<View, CallError> {
        if let Some(mean) = self.through_f32(|wide| wide.nanmean(axis)) {
            return mean;
        }
        let (sum, count, _) = self.floats()?.nan_sum(axis)?;
        sum.with(BinaryOp::Div, &count)
    }

    /// Returns the variance of the elements that are not NaN, of all or along an axis, divided by
    /// their number less `ddof`. Integers are treated as `f64`.
    pub(crate) fn nanvar(&self, axis: Option<usize>, ddof: usize) -> Result<View, CallError> {
        if let Some(var) = self.through_f32(|wide| wide.nanvar(axis, ddof)) {
            return var;
        }
        let floats = self.floats()?;
        let (sum, count, is_nan) = floats.nan_sum(axis)?;
        let mut mean = sum.with(BinaryOp::Div, &count)?;
        if let Some(axis) = axis {
            mean = mean.with_axis(axis)?;
        }
        let squares = floats.with(BinaryOp::Sub, &mean)?.square_size()?;
        let zero = Scalar::zero(squares.dtype());
        let squares = View::select(&is_nan, zero, &squares)?;
        let sum = squares.reduce(ReduceOp::Sum, axis)?;
        let count = count.cast(count.dtype().real())?;
        let over = count.with(BinaryOp::Sub, count.number(ddof as f64))?;
        // As in NumPy, the result is NaN if no degrees of freedom are left.
        let is_left = over.with(BinaryOp::Greater, over.number(0.0))?;
        let var = sum.with(BinaryOp::Div, &over)?;
        View::select(&is_left, &var, var.number(f64::NAN))
    }

    /// Returns the standard deviation of the elements that are not NaN: the root of
    /// [`nanvar`](Self::nanvar).
    pub(crate) fn nanstd(&self, axis: Option<usize>, ddof: usize) -> Result<View, CallError> {
        let var = self.nanvar(axis, ddof)?;
        var.unary(UnaryOp::Sqrt)
    }

    /// Returns the sum of the elements that are not NaN, their number in the same dtype, and where
    /// the NaN are.
    fn nan_sum(&self, axis: Option<usize>) -> Result<(View, View, View), CallError> {
        let (numbers, is_nan) = self.without_nan(0.0)?;
        let sum = numbers.reduce(ReduceOp::Sum, axis)?;
        let is_number = is_nan.unary(UnaryOp::LogicalNot)?;
        let count = is_number.reduce(ReduceOp::CountNonzero, axis)?;
        Ok((sum, count.cast(self.dtype())?, is_nan))
    }
}
