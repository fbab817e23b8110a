//! Gradients, integrals and interpolation.

use super::View;
use super::count::Side;
use crate::dtype::DType;
use crate::kernel::{BinaryOp, ReduceOp};
use weft_core::error::CallError;
use weft_core::site::Site;

impl View {
    /// Returns the gradient along an axis of at least two elements, for points with the given
    /// spacing: half the difference of both neighbours, and at the ends the difference to the only
    /// neighbour. Integers are treated as `f64`.
    pub(crate) fn gradient(
        &self,
        distance: f64,
        axis: usize,
        call: Site,
    ) -> Result<View, CallError> {
        let length = self.dims()[axis];
        let values = self.floats(call)?;
        let out = View::unwritten(&self.core, values.dtype(), self.layout.shape, call)?;
        let parts = [
            ((0, 1), (1, 2), (0, 1), distance),
            (
                (1, length - 1),
                (2, length),
                (0, length - 2),
                2.0 * distance,
            ),
            (
                (length - 1, length),
                (length - 1, length),
                (length - 2, length - 1),
                distance,
            ),
        ];
        for (to, ahead, behind, over) in parts {
            let part = |of: &View, (start, end)| of.part(axis, start, end);
            let difference =
                part(&values, ahead).with(BinaryOp::Sub, &part(&values, behind), call)?;
            let over = values.number(over);
            part(&out, to).binary_into(BinaryOp::Div, &difference, over, call)?;
        }
        Ok(out)
    }

    /// Returns the integral along an axis by the trapezoidal rule, for points with the given
    /// spacing. Integers are treated as `f64`.
    pub(crate) fn trapezoid(
        &self,
        distance: f64,
        axis: usize,
        call: Site,
    ) -> Result<View, CallError> {
        let length = self.dims()[axis];
        let values = self.floats(call)?;
        let (after, before) = (
            values.part(axis, 1, length),
            values.part(axis, 0, length.saturating_sub(1)),
        );
        let sums = after.with(BinaryOp::Add, &before, call)?;
        let areas = sums.with(BinaryOp::Mul, sums.number(distance / 2.0), call)?;
        areas.reduce(ReduceOp::Sum, Some(axis), call)
    }

    /// Interpolates linearly, at the elements of `self`, a function with values `y` at increasing
    /// points `x`. Both must be vectors of one length above 0. Outside of them the result is the
    /// first or last value. Computed as `f64`.
    pub(crate) fn interp(&self, x: &View, y: &View, call: Site) -> Result<View, CallError> {
        let wide = |view: &View| view.cast(DType::F64, call);
        let (at, x, y) = (wide(self)?, wide(x)?, wide(y)?);
        let count = x.len();
        let (x_first, y_first) = (x.part(0, 0, 1), y.part(0, 0, 1));
        let (x_last, y_last) = (x.part(0, count - 1, count), y.part(0, count - 1, count));
        if count == 1 {
            return y.broadcast_to(self.dims())?.copied(call);
        }
        let right = x.searchsorted(&at, Side::Right, call)?;
        let lower = right
            .with(BinaryOp::Sub, 1i64, call)?
            .clip(0i64, count as i64 - 2, call)?;
        let upper = lower.with(BinaryOp::Add, 1i64, call)?;
        let (x0, y0) = (
            x.take(&lower, Some(0), call)?,
            y.take(&lower, Some(0), call)?,
        );
        let (x1, y1) = (
            x.take(&upper, Some(0), call)?,
            y.take(&upper, Some(0), call)?,
        );
        let rise = y1.with(BinaryOp::Sub, &y0, call)?;
        let slope = rise.with(BinaryOp::Div, &x1.with(BinaryOp::Sub, &x0, call)?, call)?;
        let step = at.with(BinaryOp::Sub, &x0, call)?;
        let inside = slope
            .with(BinaryOp::Mul, &step, call)?
            .with(BinaryOp::Add, &y0, call)?;
        let is_below = at.with(BinaryOp::Less, &x_first, call)?;
        let is_above = at.with(BinaryOp::GreaterEqual, &x_last, call)?;
        let value = View::select(&is_below, &y_first, &inside, call)?;
        View::select(&is_above, &y_last, &value, call)
    }
}
