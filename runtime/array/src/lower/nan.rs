//! Reductions that ignore NaN, and replacement of NaN.

use super::View;
use crate::dtype::{DType, Scalar, f16};
use crate::kernel::{BinaryOp, ReduceOp, UnaryOp};
use weft_core::error::CallError;
use weft_core::site::Site;

impl View {
    /// Returns the values with NaN replaced by `nan`, and infinities by the given values, or by the
    /// largest and smallest number. The parts of complex numbers are handled separately.
    pub(crate) fn nan_to_num(
        &self,
        nan: f64,
        high: Option<f64>,
        low: Option<f64>,
        call: Site,
    ) -> Result<View, CallError> {
        if self.dtype().is_complex() {
            let part = |op| self.unary(op, call)?.nan_to_num(nan, high, low, call);
            return part(UnaryOp::Real)?.with(BinaryOp::Complex, &part(UnaryOp::Imag)?, call);
        }
        if !self.dtype().is_float() {
            return self.copied(call);
        }
        let (largest, smallest) = match self.dtype() {
            DType::F16 => (f16::MAX.into(), f16::MIN.into()),
            DType::F32 => (f32::MAX.into(), f32::MIN.into()),
            _ => (f64::MAX, f64::MIN),
        };
        let swap = |view: &View, mask: &View, value: f64| {
            View::select(mask, view.number(value), view, call)
        };
        let is = |value: f64| self.with(BinaryOp::Equal, self.number(value), call);
        let numbers = swap(self, &self.unary(UnaryOp::IsNan, call)?, nan)?;
        let bounded = swap(&numbers, &is(f64::INFINITY)?, high.unwrap_or(largest))?;
        swap(&bounded, &is(f64::NEG_INFINITY)?, low.unwrap_or(smallest))
    }

    /// Returns this view with another value in place of NaN, and where the NaN are.
    fn without_nan(&self, value: f64, call: Site) -> Result<(View, View), CallError> {
        let is_nan = self.unary(UnaryOp::IsNan, call)?;
        let value = match self.dtype() {
            // These dtypes have no NaN, so any value will do.
            dtype if dtype.is_bool() || dtype.is_integer() => self.number(0.0),
            _ => self.number(value),
        };
        let numbers = View::select(&is_nan, value, self, call)?;
        Ok((numbers, is_nan))
    }

    /// Returns the sum of the elements that are not NaN, of all or along an axis.
    pub(crate) fn nansum(&self, axis: Option<usize>, call: Site) -> Result<View, CallError> {
        let numbers = self.without_nan(0.0, call)?.0;
        numbers.reduce(ReduceOp::Sum, axis, call)
    }

    /// Returns the product of the elements that are not NaN, of all or along an axis.
    pub(crate) fn nanprod(&self, axis: Option<usize>, call: Site) -> Result<View, CallError> {
        let numbers = match self.dtype() {
            exact if exact.is_bool() || exact.is_integer() => self.clone(),
            _ => self.without_nan(1.0, call)?.0,
        };
        numbers.reduce(ReduceOp::Prod, axis, call)
    }

    /// Returns the smallest element that is not NaN, of all or along an axis; NaN if all are.
    pub(crate) fn nanmin(&self, axis: Option<usize>, call: Site) -> Result<View, CallError> {
        self.nan_bound(ReduceOp::Min, f64::INFINITY, axis, call)
    }

    /// Returns the largest element that is not NaN, of all or along an axis; NaN if all are.
    pub(crate) fn nanmax(&self, axis: Option<usize>, call: Site) -> Result<View, CallError> {
        self.nan_bound(ReduceOp::Max, f64::NEG_INFINITY, axis, call)
    }

    fn nan_bound(
        &self,
        op: ReduceOp,
        neutral: f64,
        axis: Option<usize>,
        call: Site,
    ) -> Result<View, CallError> {
        if !self.dtype().is_float() {
            return self.reduce(op, axis, call);
        }
        let (numbers, is_nan) = self.without_nan(neutral, call)?;
        let bound = numbers.reduce(op, axis, call)?;
        let are_all = is_nan.reduce(ReduceOp::All, axis, call)?;
        View::select(&are_all, bound.number(f64::NAN), &bound, call)
    }

    /// Returns the mean of the elements that are not NaN, of all or along an axis; NaN if all are.
    /// Integers are averaged as `f64`.
    pub(crate) fn nanmean(&self, axis: Option<usize>, call: Site) -> Result<View, CallError> {
        if let Some(mean) = self.through_f32(call, |wide| wide.nanmean(axis, call)) {
            return mean;
        }
        let (sum, count, _) = self.floats(call)?.nan_sum(axis, call)?;
        sum.with(BinaryOp::Div, &count, call)
    }

    /// Returns the variance of the elements that are not NaN, of all or along an axis, divided by
    /// their number less `ddof`. Integers are treated as `f64`.
    pub(crate) fn nanvar(
        &self,
        axis: Option<usize>,
        ddof: usize,
        call: Site,
    ) -> Result<View, CallError> {
        if let Some(var) = self.through_f32(call, |wide| wide.nanvar(axis, ddof, call)) {
            return var;
        }
        let floats = self.floats(call)?;
        let (sum, count, is_nan) = floats.nan_sum(axis, call)?;
        let mut mean = sum.with(BinaryOp::Div, &count, call)?;
        if let Some(axis) = axis {
            mean = mean.with_axis(axis)?;
        }
        let squares = floats.with(BinaryOp::Sub, &mean, call)?.square_size(call)?;
        let zero = Scalar::zero(squares.dtype());
        let squares = View::select(&is_nan, zero, &squares, call)?;
        let sum = squares.reduce(ReduceOp::Sum, axis, call)?;
        let count = count.cast(count.dtype().real(), call)?;
        let over = count.with(BinaryOp::Sub, count.number(ddof as f64), call)?;
        // As in NumPy, the result is NaN if no degrees of freedom are left.
        let is_left = over.with(BinaryOp::Greater, over.number(0.0), call)?;
        let var = sum.with(BinaryOp::Div, &over, call)?;
        View::select(&is_left, &var, var.number(f64::NAN), call)
    }

    /// Returns the standard deviation of the elements that are not NaN: the root of
    /// [`nanvar`](Self::nanvar).
    pub(crate) fn nanstd(
        &self,
        axis: Option<usize>,
        ddof: usize,
        call: Site,
    ) -> Result<View, CallError> {
        let var = self.nanvar(axis, ddof, call)?;
        var.unary(UnaryOp::Sqrt, call)
    }

    /// Returns the sum of the elements that are not NaN, their number in the same dtype, and where
    /// the NaN are.
    fn nan_sum(&self, axis: Option<usize>, call: Site) -> Result<(View, View, View), CallError> {
        let (numbers, is_nan) = self.without_nan(0.0, call)?;
        let sum = numbers.reduce(ReduceOp::Sum, axis, call)?;
        let is_number = is_nan.unary(UnaryOp::LogicalNot, call)?;
        let count = is_number.reduce(ReduceOp::CountNonzero, axis, call)?;
        Ok((sum, count.cast(self.dtype(), call)?, is_nan))
    }
}
