//! Medians and quantiles, computed from the elements at some places of sorted lines.

use super::{View, checked};
use crate::dtype::Scalar;
use crate::kernel::{BinaryOp, UnaryOp};
use crate::shape::Shape;
use weft_core::error::CallError;

impl View {
    /// Returns the quantiles `q` (0 to 1) of all elements, or of those along an axis, with a new
    /// first axis of one position for each. Values between elements are interpolated (NumPy's
    /// method "linear"). The result is NaN if an element is NaN. Integers are treated as `f64`.
    pub(crate) fn quantile(&self, q: &[f64], axis: Option<usize>) -> Result<View, CallError> {
        let place = |q: f64, length: usize| q * (length - 1) as f64;
        let pair = |place: f64, length: usize| {
            let below = (place.floor() as usize).min(length - 1);
            [below, (below + 1).min(length - 1)]
        };
        let places = |length| {
            q.iter()
                .flat_map(|q| pair(place(*q, length), length))
                .collect()
        };
        let (sorted, axis) = self.placed_along(axis, places)?;
        let length = sorted.dims()[axis];
        let shape = sorted.layout.shape.without(axis);
        let dims = [&[q.len()], shape.dims()].concat();
        let out = View::unwritten(&self.core, sorted.dtype(), checked(&dims)?)?;
        for (number, q) in q.iter().enumerate() {
            let place = place(*q, length);
            let part = place - place.floor();
            let [a, b] = pair(place, length).map(|at| sorted.position(axis, at));
            let step = b.with(BinaryOp::Sub, &a)?;
            // As in NumPy, computed from the nearer end, so that both ends are exact.
            let between = if part < 0.5 {
                let step = step.with(BinaryOp::Mul, step.number(part))?;
                a.with(BinaryOp::Add, &step)?
            } else {
                let step = step.with(BinaryOp::Mul, step.number(1.0 - part))?;
                b.with(BinaryOp::Sub, &step)?
            };
            out.position(0, number)
                .assign(&sorted.or_nan(axis, &between)?)?;
        }
        Ok(out)
    }

    /// Returns the median of all elements, or of those along an axis: the middle one, or the mean
    /// of the two in the middle. The result is NaN if an element is NaN or there are none. Integers
    /// are treated as `f64`.
    pub(crate) fn median(&self, axis: Option<usize>) -> Result<View, CallError> {
        // The sum of two `f16` numbers may overflow.
        if let Some(median) = self.through_f32(|wide| wide.median(axis)) {
            return median;
        }
        let length = axis.map_or(self.len(), |axis| self.dims()[axis]);
        if length == 0 {
            let dtype = self.floats()?.dtype();
            let shape = axis.map_or(Shape::SCALAR, |axis| self.layout.shape.without(axis));
            let fill = Scalar::F64(f64::NAN).cast(dtype);
            return View::filled(&self.core, dtype, shape.dims(), fill);
        }
        let places = |length: usize| vec![(length - 1) / 2, length / 2];
        let (sorted, axis) = self.placed_along(axis, places)?;
        let length = sorted.dims()[axis];
        let upper = sorted.position(axis, length / 2);
        let mut middle = upper.clone();
        if length % 2 == 0 {
            let lower = sorted.position(axis, length / 2 - 1);
            middle = lower.with(BinaryOp::Add, &upper)?;
            middle = middle.with(BinaryOp::Div, middle.number(2.0))?;
        }
        sorted.or_nan(axis, &middle)
    }

    /// Floats whose lines along the axis that is returned have the elements of some places of their
    /// length, and the last one, where they stand in sorted order.
    fn placed_along(
        &self,
        axis: Option<usize>,
        places: impl FnOnce(usize) -> Vec<usize>,
    ) -> Result<(View, usize), CallError> {
        let floats = self.floats()?;
        let (lines, axis) = match axis {
            None => (floats.flattened()?, 0),
            Some(axis) => (floats, axis),
        };
        let length = lines.dims()[lines.check_axis(axis)?];
        let mut places = match length {
            0 => vec![],
            _ => places(length),
        };
        places.extend(length.checked_sub(1));
        Ok((lines.partition(&places, axis)?, axis))
    }

    /// Returns the value for each sorted line; NaN if the line's last element is NaN.
    fn or_nan(&self, axis: usize, value: &View) -> Result<View, CallError> {
        let last = self.position(axis, self.dims()[axis] - 1);
        let is_nan = last.unary(UnaryOp::IsNan)?;
        View::select(&is_nan, &last, value)
    }
}
