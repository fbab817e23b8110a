//! Exact and approximate equality.

use super::{Input, View};
use crate::dtype::{DType, Promotion};
use crate::kernel::{BinaryOp, ReduceOp, UnaryOp};
use crate::shape::Shape;
use weft_core::error::{CallError, Error};

/// The tolerance of equal values: `|a - b| <= absolute + relative * |b|`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// The tolerance relative to the second value.
    pub relative: f64,
    /// The absolute tolerance.
    pub absolute: f64,
    /// Whether NaN is equal to NaN.
    pub equal_nan: bool,
}

impl Default for Tolerance {
    /// Returns NumPy's tolerance: relative 1e-5, absolute 1e-8, NaN not equal to NaN.
    fn default() -> Tolerance {
        Tolerance {
            relative: 1e-5,
            absolute: 1e-8,
            equal_nan: false,
        }
    }
}

impl View {
    /// Whether elements are equal within a tolerance, as by NumPy's `isclose`. An infinity equals
    /// only itself.
    pub(crate) fn isclose(
        &self,
        other: Input<'_>,
        tolerance: Tolerance,
    ) -> Result<View, CallError> {
        let left = self.floats()?;
        // As in NumPy, broadcasting comes last.
        let right = match other {
            Input::View(view) => view.floats()?,
            Input::Scalar(scalar) => {
                let dtype = DType::promote(scalar.dtype(), DType::F64);
                View::filled(&self.core, dtype, &[], scalar)?
            }
        };
        let distance = left.with(BinaryOp::Sub, &right)?.unary(UnaryOp::Abs)?;
        let size = right.unary(UnaryOp::Abs)?;
        let allowed = size
            .with(BinaryOp::Mul, size.number(tolerance.relative))?
            .with(BinaryOp::Add, size.number(tolerance.absolute))?;
        let is_near = distance
            .with(BinaryOp::LessEqual, &allowed)?
            .with(BinaryOp::LogicalAnd, &right.unary(UnaryOp::IsFinite)?)?;
        let is_equal = left.with(BinaryOp::Equal, &right)?;
        let is_close = is_near.with(BinaryOp::LogicalOr, &is_equal)?;
        if !tolerance.equal_nan {
            return Ok(is_close);
        }
        let are_nan = left
            .unary(UnaryOp::IsNan)?
            .with(BinaryOp::LogicalAnd, &right.unary(UnaryOp::IsNan)?)?;
        is_close.with(BinaryOp::LogicalOr, &are_nan)
    }

    /// Whether all elements are equal within a tolerance. Waits for the result.
    pub(crate) fn allclose(&self, other: Input<'_>, tolerance: Tolerance) -> Result<bool, Error> {
        self.isclose(other, tolerance)?.all_of_it()
    }

    /// Whether shapes and elements are equal. Waits for the result if the shapes are.
    pub(crate) fn array_equal(&self, other: &View) -> Result<bool, Error> {
        if self.dims() != other.dims() {
            return Ok(false);
        }
        self.with(BinaryOp::Equal, other)?.all_of_it()
    }

    /// Whether elements are equal after broadcasting. Waits for the result if the shapes broadcast.
    pub(crate) fn array_equiv(&self, other: &View) -> Result<bool, Error> {
        if Shape::broadcast(self.layout.shape, other.layout.shape).is_none() {
            return Ok(false);
        }
        self.with(BinaryOp::Equal, other)?.all_of_it()
    }

    fn all_of_it(&self) -> Result<bool, Error> {
        let all: Vec<bool> = self.reduce(ReduceOp::All, None)?.read()?;
        Ok(all.first().copied().unwrap_or(true))
    }
}
