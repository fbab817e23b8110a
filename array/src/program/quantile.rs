//! Medians and quantiles, computed by sorting.

use super::forward::checked;
use super::forward::wrong;
use super::typed::typed;
use super::{Array, DynArray, Value};
use crate::dtype::{Float, Scalar};
use crate::kernel::{BinaryOp, UnaryOp};
use crate::shape::Shape;
use weft_core::error::{CallError, at_call};
use weft_core::site::Site;

impl DynArray {
    /// The quantiles `q` (0 to 1) of all elements, or of those along an axis: one position for each on a new first
    /// axis. Values between elements are interpolated (NumPy's method "linear"). NaN if an element is NaN; integers
    /// are treated as `f64`.
    ///
    /// # Errors
    /// The axis is out of bounds, there are no elements, or a `q` is not between 0 and 1.
    #[track_caller]
    pub fn quantile(&self, q: &[f64], axis: Option<usize>) -> Result<DynArray, CallError> {
        let (operation, call) = ("quantile", Site::caller());
        if let Some(q) = q.iter().find(|q| !(0.0..=1.0).contains(*q)) {
            return Err(wrong(operation, &format!("{q} is not between 0 and 1")));
        }
        let (sorted, axis) = self.sorted_for(operation, axis, call)?;
        let length = sorted.shape()[axis];
        let shape = sorted.layout.shape.without(axis);
        let dims = [&[q.len()], shape.dims()].concat();
        let out = DynArray::unwritten(&self.core, sorted.dtype(), checked(&dims)?, call)?;
        for (number, q) in q.iter().enumerate() {
            let place = q * (length - 1) as f64;
            let below = (place.floor() as usize).min(length - 1);
            let part = place - place.floor();
            let [a, b] = [below, (below + 1).min(length - 1)].map(|at| sorted.position(axis, at));
            let step = b.with(BinaryOp::Sub, &a, call)?;
            // As NumPy: from the nearer end, so that both ends are met.
            let between = if part < 0.5 {
                let step = step.with(BinaryOp::Mul, step.number(part), call)?;
                a.with(BinaryOp::Add, &step, call)?
            } else {
                let step = step.with(BinaryOp::Mul, step.number(1.0 - part), call)?;
                b.with(BinaryOp::Sub, &step, call)?
            };
            out.position(0, number)
                .assign_by(&sorted.or_nan(axis, &between, call)?, call)?;
        }
        Ok(out)
    }

    /// The median of all elements, or of those along an axis: the middle one, or the mean of the two in the middle.
    /// NaN if an element is NaN or there are none; integers are treated as `f64`.
    ///
    /// # Errors
    /// The axis is out of bounds, or the dtype has no order.
    #[track_caller]
    pub fn median(&self, axis: Option<usize>) -> Result<DynArray, CallError> {
        self.median_by(axis, Site::caller())
    }

    fn median_by(&self, axis: Option<usize>, call: Site) -> Result<DynArray, CallError> {
        // The sum of two halves may be none.
        if let Some(median) = self.through_f32(call, |wide| wide.median_by(axis, call)) {
            return median;
        }
        let length = axis.map_or(self.len(), |axis| {
            self.shape().get(axis).copied().unwrap_or(1)
        });
        if length == 0 && !self.dtype().is_complex() {
            let dtype = self.floats(call)?.dtype();
            let shape = axis.map_or(Shape::SCALAR, |axis| self.layout.shape.without(axis));
            let fill = Scalar::F64(f64::NAN).cast(dtype);
            return DynArray::filled(&self.core, dtype, shape.dims(), fill, call);
        }
        let (sorted, axis) = self.sorted_for("median", axis, call)?;
        let length = sorted.shape()[axis];
        let upper = sorted.position(axis, length / 2);
        let mut middle = upper.clone();
        if length % 2 == 0 {
            let lower = sorted.position(axis, length / 2 - 1);
            middle = lower.with(BinaryOp::Add, &upper, call)?;
            middle = middle.with(BinaryOp::Div, middle.number(2.0), call)?;
        }
        match sorted.or_nan(axis, &middle, call)? {
            Value::Array(array) => Ok(array),
            Value::Scalar(_) => Ok(middle),
        }
    }

    /// Sorted along the axis that is returned.
    fn sorted_for(
        &self,
        operation: &'static str,
        axis: Option<usize>,
        call: Site,
    ) -> Result<(DynArray, usize), CallError> {
        if self.dtype().is_complex() {
            let dtype = self.dtype();
            return Err(CallError::DType { operation, dtype });
        }
        let floats = self.floats(call)?;
        let (lines, axis) = match axis {
            None => (floats.flattened(call)?, 0),
            Some(axis) => (floats, self.check_axis(axis)?),
        };
        if lines.shape()[axis] == 0 {
            return Err(wrong(operation, "not defined for an empty array"));
        }
        Ok((lines.sort_by(axis, call)?, axis))
    }

    /// The view of one position of an axis, both of which there are.
    fn position(&self, axis: usize, at: usize) -> DynArray {
        let layout = self.layout.index(axis, at as isize);
        self.with_layout(layout.unwrap_or(self.layout))
    }

    /// A value for each sorted line; NaN where the line's last element is NaN.
    fn or_nan(&self, axis: usize, value: &DynArray, call: Site) -> Result<Value, CallError> {
        let last = self.position(axis, self.shape()[axis] - 1);
        let is_nan = last.unary_by(UnaryOp::IsNan, call)?;
        DynArray::select_by(&is_nan, &Value::from(&last), &Value::from(value), call)
            .map(Value::Array)
    }
}

impl<T: Float> Array<T> {
    /// The quantile `q` (0 to 1) of all elements, as an array without axes: NumPy's method "linear".
    ///
    /// # Panics
    /// At the caller's line if there are no elements, or `q` lies outside 0 to 1.
    #[track_caller]
    #[must_use]
    pub fn quantile(&self, q: f64) -> Array<T> {
        let quantiles = at_call(self.as_dyn().quantile(&[q], None));
        Array::wrap(quantiles.position(0, 0))
    }

    /// The quantile `q` (0 to 1) of the elements along an axis.
    ///
    /// # Panics
    /// At the caller's line if the axis is out of bounds, there are no elements, or `q` lies outside 0 to 1.
    #[track_caller]
    #[must_use]
    pub fn quantile_axis(&self, q: f64, axis: usize) -> Array<T> {
        let quantiles = at_call(self.as_dyn().quantile(&[q], Some(axis)));
        Array::wrap(quantiles.position(0, 0))
    }

    /// The percentile `q` (0 to 100) of all elements, as an array without axes.
    ///
    /// # Panics
    /// At the caller's line if there are no elements, or `q` lies outside 0 to 100.
    #[track_caller]
    #[must_use]
    pub fn percentile(&self, q: f64) -> Array<T> {
        self.quantile(q / 100.0)
    }
}

typed! { Float:
    /// The quantiles `q` (0 to 1) of all elements, as a vector: NumPy's method "linear".
    quantiles(q: &[f64]) = quantile(q, None) -> T;
    /// The quantiles `q` (0 to 1) of the elements along an axis, on a new first axis.
    quantiles_axis(q: &[f64], axis: usize) = quantile(q, Some(axis)) -> T;
    /// The median of all elements, as an array without axes.
    median() = median(None) -> T;
    /// The median of the elements along an axis.
    median_axis(axis: usize) = median(Some(axis)) -> T;
}
