//! Variance, weighted means, differences and rounding.

use std::sync::Arc;

use super::forward::wrong;
use super::typed::typed;
use super::{Array, DynArray, Value};
use crate::dtype::{DType, Float, Number, Real, Scalar};
use crate::kernel::{BinaryOp, ReduceOp, UnaryOp};
use weft_core::error::{CallError, at_call};
use weft_core::site::Site;

impl DynArray {
    /// The squares of the distances from zero, which of complex numbers are real.
    pub(super) fn square_size(&self, call: Site) -> Result<DynArray, CallError> {
        let square = |part: DynArray| part.unary_by(UnaryOp::Square, call);
        if self.dtype().is_complex() {
            let part = |op| square(self.unary_by(op, call)?);
            return part(UnaryOp::Real)?.with(BinaryOp::Add, &part(UnaryOp::Imag)?, call);
        }
        square(self.clone())
    }

    /// The array itself if its elements are floats or complex, otherwise as `f64`.
    pub(super) fn floats(&self, call: Site) -> Result<DynArray, CallError> {
        if self.dtype().is_bool() || self.dtype().is_integer() {
            return self.cast_by(DType::F64, call);
        }
        Ok(self.clone())
    }

    /// A function of the elements along an axis, which stays with length 1, or of all elements.
    pub(super) fn reduce_kept(
        &self,
        op: ReduceOp,
        axis: Option<usize>,
        call: Site,
    ) -> Result<DynArray, CallError> {
        let reduced = self.reduce_by(op, axis, call)?;
        axis.map_or(Ok(reduced.clone()), |axis| reduced.with_axis(axis))
    }

    /// A number of elements as a value of this array's dtype.
    pub(super) fn number(&self, count: f64) -> Value {
        Value::Scalar(Scalar::F64(count).cast(self.dtype()))
    }

    /// The variance of all elements, or of those along an axis: the sum of the squared differences to the mean,
    /// divided by `count - ddof`. Computed in two passes; integers are treated as `f64`.
    ///
    /// # Errors
    /// The axis is out of bounds.
    #[track_caller]
    pub fn var(&self, axis: Option<usize>, ddof: usize) -> Result<DynArray, CallError> {
        self.var_by(axis, ddof, Site::caller())
    }

    fn var_by(&self, axis: Option<usize>, ddof: usize, call: Site) -> Result<DynArray, CallError> {
        if let Some(var) = self.through_f32(call, |wide| wide.var_by(axis, ddof, call)) {
            return var;
        }
        let floats = self.floats(call)?;
        let count = match axis {
            None => self.len(),
            Some(axis) => self.shape()[self.check_axis(axis)?],
        };
        let sum = floats.reduce_kept(ReduceOp::Sum, axis, call)?;
        let mean = sum.with(BinaryOp::Div, sum.number(count as f64), call)?;
        let squares = floats.with(BinaryOp::Sub, &mean, call)?.square_size(call)?;
        let sum = squares.reduce_by(ReduceOp::Sum, axis, call)?;
        let over = sum.number(count.saturating_sub(ddof) as f64);
        sum.with(BinaryOp::Div, over, call)
    }

    /// The standard deviation of all elements, or of those along an axis: the root of [`var`](Self::var).
    ///
    /// # Errors
    /// The axis is out of bounds.
    #[track_caller]
    pub fn std(&self, axis: Option<usize>, ddof: usize) -> Result<DynArray, CallError> {
        let call = Site::caller();
        self.var_by(axis, ddof, call)?.unary_by(UnaryOp::Sqrt, call)
    }

    /// The difference of the largest and the smallest element, of all or along an axis.
    ///
    /// # Errors
    /// The axis is out of bounds, or there are no elements.
    #[track_caller]
    pub fn ptp(&self, axis: Option<usize>) -> Result<DynArray, CallError> {
        let call = Site::caller();
        let (high, low) = (
            self.reduce_by(ReduceOp::Max, axis, call)?,
            self.reduce_by(ReduceOp::Min, axis, call)?,
        );
        high.with(BinaryOp::Sub, &low, call)
    }

    /// The mean with weights: `sum(weights * x) / sum(weights)`, of all elements or along an axis. The weights have the
    /// array's shape, or are a vector along the axis.
    ///
    /// # Errors
    /// The axis is out of bounds, or the weights do not fit.
    #[track_caller]
    pub fn average(&self, weights: &DynArray, axis: Option<usize>) -> Result<DynArray, CallError> {
        self.average_by(weights, axis, Site::caller())
    }

    fn average_by(
        &self,
        weights: &DynArray,
        axis: Option<usize>,
        call: Site,
    ) -> Result<DynArray, CallError> {
        let operation = "average";
        if let Some(average) = self.through_f32(call, |wide| wide.average_by(weights, axis, call)) {
            return average;
        }
        let values = self.floats(call)?;
        let mut weights = weights.cast_by(values.dtype(), call)?;
        if let Some(axis) = axis
            && self.shape()[self.check_axis(axis)?..].first() == weights.shape().first()
            && weights.ndim() == 1
        {
            for behind in 0..self.ndim() - 1 - axis {
                weights = weights.with_axis(behind + 1)?;
            }
            weights = weights.broadcast_to(self.shape())?;
        }
        if weights.shape() != self.shape() {
            let (given, shape) = (weights.shape(), self.shape());
            let why = format!("weights of shape {given:?} for an array of {shape:?}");
            return Err(wrong(operation, &why));
        }
        let products = values.with(BinaryOp::Mul, &weights, call)?;
        let sum = products.reduce_by(ReduceOp::Sum, axis, call)?;
        let total = weights.reduce_by(ReduceOp::Sum, axis, call)?;
        sum.with(BinaryOp::Div, &total, call)
    }

    /// The elements limited to two bounds; NaN if one is NaN.
    ///
    /// # Errors
    /// The shapes do not broadcast together.
    #[track_caller]
    pub fn clip(
        &self,
        low: impl Into<Value>,
        high: impl Into<Value>,
    ) -> Result<DynArray, CallError> {
        self.clip_by(&low.into(), &high.into(), Site::caller())
    }

    fn clip_by(&self, low: &Value, high: &Value, call: Site) -> Result<DynArray, CallError> {
        // A single integer at or beyond the end of the dtype's range is no bound.
        let (least, most) = self.dtype().integer_range().unwrap_or_default();
        let is_bound = |bound: &Value, is_free: &dyn Fn(i128) -> bool| match bound {
            Value::Scalar(value) if value.is_beyond(self.dtype()) => {
                !value.integer().is_some_and(is_free)
            }
            _ => true,
        };
        let mut clipped = self.clone();
        if is_bound(low, &|value| value < least) {
            clipped = clipped.with(BinaryOp::Maximum, low.clone(), call)?;
        }
        if is_bound(high, &|value| value > most) {
            clipped = clipped.with(BinaryOp::Minimum, high.clone(), call)?;
        }
        match Arc::ptr_eq(&clipped.store, &self.store) {
            true => self.copied(call),
            false => Ok(clipped),
        }
    }

    /// The differences of neighbouring elements along an axis, applied `times` times.
    ///
    /// # Errors
    /// The axis is out of bounds.
    #[track_caller]
    pub fn diff(&self, times: usize, axis: usize) -> Result<DynArray, CallError> {
        let call = Site::caller();
        self.check_axis(axis)?;
        let mut now = self.clone();
        let op = if self.dtype().is_bool() {
            BinaryOp::NotEqual
        } else {
            BinaryOp::Sub
        };
        for _ in 0..times {
            let length = now.shape()[axis];
            if length == 0 {
                break;
            }
            let (next, before) = (now.part(axis, 1, length), now.part(axis, 0, length - 1));
            now = next.with(op, &before, call)?;
        }
        Ok(now)
    }

    /// Rounded to a number of decimals (negative: tens, hundreds, ...), halves to even, complex numbers by parts:
    /// NumPy's `round`.
    ///
    /// # Errors
    /// The dtype is `bool`.
    #[track_caller]
    pub fn round(&self, decimals: i32) -> Result<DynArray, CallError> {
        self.round_by(decimals, Site::caller())
    }

    fn round_by(&self, decimals: i32, call: Site) -> Result<DynArray, CallError> {
        let (operation, dtype) = ("round", self.dtype());
        if dtype.is_complex() {
            let part = |op| self.unary_by(op, call)?.round_by(decimals, call);
            return part(UnaryOp::Real)?.with(BinaryOp::Complex, &part(UnaryOp::Imag)?, call);
        }
        if dtype.is_bool() {
            return Err(CallError::DType { operation, dtype });
        }
        if decimals == 0 || (dtype.is_integer() && decimals > 0) {
            return self.unary_by(UnaryOp::Round, call);
        }
        let floats = self.floats(call)?;
        let factor = floats.number(10f64.powi(decimals.abs()));
        let (to, back) = if decimals > 0 {
            (BinaryOp::Mul, BinaryOp::Div)
        } else {
            (BinaryOp::Div, BinaryOp::Mul)
        };
        let moved = floats.with(to, factor.clone(), call)?;
        let rounded = moved
            .unary_by(UnaryOp::Round, call)?
            .with(back, factor, call)?;
        rounded.cast_by(dtype, call)
    }

    /// The covariances of the rows of a matrix, whose columns are observations: NumPy's `cov`.
    ///
    /// # Errors
    /// The array has neither one axis nor two.
    #[track_caller]
    pub fn cov(&self, ddof: usize) -> Result<DynArray, CallError> {
        let (operation, call) = ("cov", Site::caller());
        let rows = match self.ndim() {
            1 => self.with_axis(0)?,
            2 => self.clone(),
            dims => {
                return Err(wrong(
                    operation,
                    &format!("{dims} axes, neither one nor two"),
                ));
            }
        };
        let rows = rows.floats(call)?;
        let count = rows.shape()[1];
        let sum = rows.reduce_kept(ReduceOp::Sum, Some(1), call)?;
        let mean = sum.with(BinaryOp::Div, sum.number(count as f64), call)?;
        let moved = rows.with(BinaryOp::Sub, &mean, call)?;
        let columns = moved.swapaxes(0, 1)?.conjugate(call)?;
        let product = moved.product(operation, &columns, call)?;
        let over = product.number(count.saturating_sub(ddof) as f64);
        product.with(BinaryOp::Div, over, call)?.squeeze(None)
    }
}

typed! { Float:
    /// The variance of all elements: the sum of the squared differences to the mean, divided by `count - ddof`.
    var(ddof: usize) = var(None, ddof) -> T;
    /// The variance of the elements along an axis.
    var_axis(axis: usize, ddof: usize) = var(Some(axis), ddof) -> T;
    /// The standard deviation of all elements: the root of the variance.
    std(ddof: usize) = std(None, ddof) -> T;
    /// The standard deviation of the elements along an axis.
    std_axis(axis: usize, ddof: usize) = std(Some(axis), ddof) -> T;
    /// The mean with weights of the array's shape: `sum(weights * x) / sum(weights)`.
    average(weights: &Array<T>) = average(weights.as_dyn(), None) -> T;
    /// The mean with weights along an axis; the weights have the array's shape, or are a vector along the axis.
    average_axis(weights: &Array<T>, axis: usize) = average(weights.as_dyn(), Some(axis)) -> T;
    /// The covariances of the rows of a matrix, whose columns are observations: NumPy's `cov`.
    cov(ddof: usize) = cov(ddof) -> T;
}

typed! { Real:
    /// The difference of the largest and the smallest element.
    ptp() = ptp(None) -> T;
    /// The difference of the largest and the smallest element along an axis.
    ptp_axis(axis: usize) = ptp(Some(axis)) -> T;
    /// The elements limited to two bounds; NaN if one is NaN.
    clip(low: T, high: T) = clip(low.to_scalar(), high.to_scalar()) -> T;
}

typed! { Number:
    /// The differences of neighbouring elements along an axis, applied `times` times.
    diff(times: usize, axis: usize) = diff(times, axis) -> T;
    /// Rounded to a number of decimals, halves to even: NumPy's `round`.
    round(decimals: i32) = round(decimals) -> T;
}
