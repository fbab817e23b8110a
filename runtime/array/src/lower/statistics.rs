//! Variance, weighted means, differences and rounding.

use std::sync::Arc;

use super::{Input, View};
use crate::kernel::{BinaryOp, ReduceOp, UnaryOp};
use weft_core::error::CallError;

impl View {
    /// Returns the variance of all elements, or of those along an axis: the sum of the squared
    /// differences to the mean, divided by `count - ddof`. Computed in two passes; integers are
    /// treated as `f64`.
    pub(crate) fn var(&self, axis: Option<usize>, ddof: usize) -> Result<View, CallError> {
        if let Some(var) = self.through_f32(|wide| wide.var(axis, ddof)) {
            return var;
        }
        let floats = self.floats()?;
        let count = axis.map_or(self.len(), |axis| self.dims()[axis]);
        let sum = floats.reduce_kept(ReduceOp::Sum, axis)?;
        let mean = sum.with(BinaryOp::Div, sum.number(count as f64))?;
        let squares = floats.with(BinaryOp::Sub, &mean)?.square_size()?;
        let sum = squares.reduce(ReduceOp::Sum, axis)?;
        let over = sum.number(count.saturating_sub(ddof) as f64);
        sum.with(BinaryOp::Div, over)
    }

    /// Returns the standard deviation of all elements, or of those along an axis: the root of
    /// [`var`](Self::var).
    pub(crate) fn std(&self, axis: Option<usize>, ddof: usize) -> Result<View, CallError> {
        self.var(axis, ddof)?.unary(UnaryOp::Sqrt)
    }

    /// Returns the difference between the largest and the smallest element, of all or along an
    /// axis.
    pub(crate) fn ptp(&self, axis: Option<usize>) -> Result<View, CallError> {
        let (high, low) = (
            self.reduce(ReduceOp::Max, axis)?,
            self.reduce(ReduceOp::Min, axis)?,
        );
        high.with(BinaryOp::Sub, &low)
    }

    /// Returns the weighted mean, `sum(weights * x) / sum(weights)`, of all elements or along an
    /// axis. The weights have the view's shape, or are a vector along the axis.
    pub(crate) fn average(&self, weights: &View, axis: Option<usize>) -> Result<View, CallError> {
        if let Some(average) = self.through_f32(|wide| wide.average(weights, axis)) {
            return average;
        }
        let values = self.floats()?;
        let mut weights = weights.cast(values.dtype())?;
        if let Some(axis) = axis
            && weights.dims() != self.dims()
        {
            for behind in 0..self.ndim() - 1 - axis {
                weights = weights.with_axis(behind + 1)?;
            }
            weights = weights.broadcast_to(self.dims())?;
        }
        let products = values.with(BinaryOp::Mul, &weights)?;
        let sum = products.reduce(ReduceOp::Sum, axis)?;
        let total = weights.reduce(ReduceOp::Sum, axis)?;
        sum.with(BinaryOp::Div, &total)
    }

    /// Returns the elements limited to two bounds; NaN if one is NaN.
    pub(crate) fn clip<'a, 'b>(
        &self,
        low: impl Into<Input<'a>>,
        high: impl Into<Input<'b>>,
    ) -> Result<View, CallError> {
        let (low, high) = (low.into(), high.into());
        // A single integer at or beyond the end of the dtype's range is not a bound.
        let (least, most) = self.dtype().integer_range().unwrap_or_default();
        let is_bound = |bound: Input<'_>, is_free: &dyn Fn(i128) -> bool| match bound {
            Input::Scalar(value) if value.is_beyond(self.dtype()) => {
                !value.integer().is_some_and(is_free)
            }
            _ => true,
        };
        let mut clipped = self.clone();
        if is_bound(low, &|value| value < least) {
            clipped = clipped.with(BinaryOp::Maximum, low)?;
        }
        if is_bound(high, &|value| value > most) {
            clipped = clipped.with(BinaryOp::Minimum, high)?;
        }
        match Arc::ptr_eq(&clipped.store, &self.store) {
            true => self.copied(),
            false => Ok(clipped),
        }
    }

    /// Returns the differences of neighbouring elements along an axis, applied `times` times.
    pub(crate) fn diff(&self, times: usize, axis: usize) -> Result<View, CallError> {
        let mut now = self.clone();
        let op = if self.dtype().is_bool() {
            BinaryOp::NotEqual
        } else {
            BinaryOp::Sub
        };
        for _ in 0..times {
            let length = now.dims()[axis];
            if length == 0 {
                break;
            }
            let (next, before) = (now.part(axis, 1, length), now.part(axis, 0, length - 1));
            now = next.with(op, &before)?;
        }
        Ok(now)
    }

    /// Rounds to a number of decimals (negative: tens, hundreds, ...), ties to even, complex
    /// numbers by parts, as NumPy's `round`.
    pub(crate) fn round(&self, decimals: i32) -> Result<View, CallError> {
        let dtype = self.dtype();
        if dtype.is_complex() {
            let part = |op| self.unary(op)?.round(decimals);
            return part(UnaryOp::Real)?.with(BinaryOp::Complex, &part(UnaryOp::Imag)?);
        }
        if decimals == 0 || (dtype.is_integer() && decimals > 0) {
            return self.unary(UnaryOp::Round);
        }
        let floats = self.floats()?;
        let factor = floats.number(10f64.powi(decimals.abs()));
        let (to, back) = if decimals > 0 {
            (BinaryOp::Mul, BinaryOp::Div)
        } else {
            (BinaryOp::Div, BinaryOp::Mul)
        };
        let moved = floats.with(to, factor)?;
        let rounded = moved.unary(UnaryOp::Round)?.with(back, factor)?;
        rounded.cast(dtype)
    }

    /// Returns the covariances of the rows of a matrix, whose columns are observations, as NumPy's
    /// `cov`.
    pub(crate) fn cov(&self, ddof: usize) -> Result<View, CallError> {
        let rows = self.floats()?;
        let count = rows.dims()[1];
        let sum = rows.reduce_kept(ReduceOp::Sum, Some(1))?;
        let mean = sum.with(BinaryOp::Div, sum.number(count as f64))?;
        let moved = rows.with(BinaryOp::Sub, &mean)?;
        let columns = moved.swapaxes(0, 1)?.conjugate()?;
        let product = moved.product("cov", &columns)?;
        let over = product.number(count.saturating_sub(ddof) as f64);
        product.with(BinaryOp::Div, over)?.squeeze(None)
    }
}
