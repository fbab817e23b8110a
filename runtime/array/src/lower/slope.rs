//! Gradients, integrals and interpolation.

use super::View;
use crate::dtype::DType;
use crate::kernel::{BinaryOp, ReduceOp};
use crate::library;
use weft_core::error::CallError;

impl View {
    /// Returns the gradient along an axis of at least two elements, for points with the given
    /// spacing: half the difference of both neighbours, and at the ends the difference to the only
    /// neighbour. Integers are treated as `f64`.
    pub(crate) fn gradient(&self, distance: f64, axis: usize) -> Result<View, CallError> {
        let length = self.dims()[axis];
        let values = self.floats()?;
        let out = View::unwritten(&self.core, values.dtype(), self.layout.shape)?;
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
            let difference = part(&values, ahead).with(BinaryOp::Sub, &part(&values, behind))?;
            let over = values.number(over);
            part(&out, to).binary_into(BinaryOp::Div, &difference, over)?;
        }
        Ok(out)
    }

    /// Returns the integral along an axis by the trapezoidal rule, for points with the given
    /// spacing. Integers are treated as `f64`.
    pub(crate) fn trapezoid(&self, distance: f64, axis: usize) -> Result<View, CallError> {
        let length = self.dims()[axis];
        let values = self.floats()?;
        let (after, before) = (
            values.part(axis, 1, length),
            values.part(axis, 0, length.saturating_sub(1)),
        );
        let sums = after.with(BinaryOp::Add, &before)?;
        let areas = sums.with(BinaryOp::Mul, sums.number(distance / 2.0))?;
        areas.reduce(ReduceOp::Sum, Some(axis))
    }

    /// Interpolates linearly, at the elements of `self`, a function with values `y` at increasing
    /// points `x`. Both must be vectors of one length above 0. Outside of them the result is one of
    /// the `ends`, or the first or last value. Computed as `f64`.
    pub(crate) fn interp(
        &self,
        x: &View,
        y: &View,
        ends: [Option<f64>; 2],
    ) -> Result<View, CallError> {
        let wide = |view: &View| view.cast(DType::F64);
        let (at, x, y) = (wide(self)?, wide(x)?, wide(y)?);
        let shape = self.layout.shape;
        let out = View::unwritten(&self.core, DType::F64, shape)?;
        let inputs = [(&at).into(), (&x).into(), (&y).into()];
        out.write_over(library::search::interpolate(ends), shape, &inputs)?;
        Ok(out)
    }
}
