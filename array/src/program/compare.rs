//! Exact and approximate equality of arrays.

use super::{Array, DynArray, Value};
use crate::dtype::{DType, Element, Number, Promotion, Scalar};
use crate::kernel::{BinaryOp, ReduceOp, UnaryOp};
use crate::shape::Shape;
use weft_core::error::{CallError, Error, at_call};
use weft_core::site::Site;

/// When two values count as equal: `|a - b| <= absolute + relative * |b|`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Relative to the second value.
    pub relative: f64,
    /// Absolute.
    pub absolute: f64,
    /// Whether NaN is equal to NaN.
    pub equal_nan: bool,
}

impl Default for Tolerance {
    /// NumPy's: relative 1e-5, absolute 1e-8, NaN not equal to NaN.
    fn default() -> Tolerance {
        Tolerance {
            relative: 1e-5,
            absolute: 1e-8,
            equal_nan: false,
        }
    }
}

impl DynArray {
    /// Whether elements are equal within a tolerance: NumPy's `isclose`. An infinity equals only itself.
    ///
    /// # Errors
    /// The shapes do not broadcast together.
    #[track_caller]
    pub fn isclose(
        &self,
        other: impl Into<Value>,
        tolerance: Tolerance,
    ) -> Result<DynArray, CallError> {
        self.isclose_by(&other.into(), tolerance, Site::caller())
    }

    fn isclose_by(
        &self,
        other: &Value,
        tolerance: Tolerance,
        call: Site,
    ) -> Result<DynArray, CallError> {
        let left = self.floats(call)?;
        // As in NumPy, what is stretched is stretched last.
        let right = match other {
            Value::Array(array) => array.floats(call)?,
            Value::Scalar(scalar) => {
                let dtype = DType::promote(scalar.dtype(), DType::F64);
                let fill = scalar.cast(dtype);
                DynArray::filled(&self.core, dtype, &[], fill, call)?
            }
        };
        let distance = left
            .with(BinaryOp::Sub, &right, call)?
            .unary_by(UnaryOp::Abs, call)?;
        let size = right.unary_by(UnaryOp::Abs, call)?;
        let value = |value: f64| Value::Scalar(Scalar::F64(value).cast(size.dtype()));
        let allowed = size
            .with(BinaryOp::Mul, value(tolerance.relative), call)?
            .with(BinaryOp::Add, value(tolerance.absolute), call)?;
        let is_near = distance.with(BinaryOp::LessEqual, &allowed, call)?.with(
            BinaryOp::LogicalAnd,
            &right.unary_by(UnaryOp::IsFinite, call)?,
            call,
        )?;
        let is_equal = left.with(BinaryOp::Equal, &right, call)?;
        let is_close = is_near.with(BinaryOp::LogicalOr, &is_equal, call)?;
        if !tolerance.equal_nan {
            return Ok(is_close);
        }
        let are_nan = left.unary_by(UnaryOp::IsNan, call)?.with(
            BinaryOp::LogicalAnd,
            &right.unary_by(UnaryOp::IsNan, call)?,
            call,
        )?;
        is_close.with(BinaryOp::LogicalOr, &are_nan, call)
    }

    /// Whether all elements are equal within a tolerance. Waits for the result.
    ///
    /// # Errors
    /// The shapes do not broadcast together, or an operation that the arrays depend on failed.
    #[track_caller]
    pub fn allclose(&self, other: impl Into<Value>, tolerance: Tolerance) -> Result<bool, Error> {
        let call = Site::caller();
        self.isclose_by(&other.into(), tolerance, call)?
            .all_of_it(call)
    }

    /// Whether shapes and elements are equal. Waits for the result if shapes are.
    ///
    /// # Errors
    /// An operation that the arrays depend on failed.
    #[track_caller]
    pub fn array_equal(&self, other: &DynArray) -> Result<bool, Error> {
        let call = Site::caller();
        if self.shape() != other.shape() {
            return Ok(false);
        }
        self.with(BinaryOp::Equal, other, call)?.all_of_it(call)
    }

    /// Whether elements are equal after broadcasting. Waits for the result if shapes broadcast.
    ///
    /// # Errors
    /// An operation that the arrays depend on failed.
    #[track_caller]
    pub fn array_equiv(&self, other: &DynArray) -> Result<bool, Error> {
        let call = Site::caller();
        if Shape::broadcast(self.layout.shape, other.layout.shape).is_none() {
            return Ok(false);
        }
        self.with(BinaryOp::Equal, other, call)?.all_of_it(call)
    }

    fn all_of_it(&self, call: Site) -> Result<bool, Error> {
        let all: Vec<bool> = self.reduce_by(ReduceOp::All, None, call)?.view.read(call)?;
        Ok(all.first().copied().unwrap_or(true))
    }
}

impl<T: Number> Array<T> {
    /// Whether elements are equal within a tolerance: NumPy's `isclose`.
    ///
    /// # Panics
    /// At the caller's line if the shapes do not broadcast together.
    #[track_caller]
    #[must_use]
    pub fn isclose(&self, other: &Array<T>, tolerance: Tolerance) -> Array<bool> {
        Array::wrap(at_call(self.as_dyn().isclose(other.as_dyn(), tolerance)))
    }

    /// Whether all elements are equal within NumPy's tolerance (relative 1e-5, absolute 1e-8). Waits for the result.
    ///
    /// # Panics
    /// At the caller's line if the shapes do not broadcast together, or an operation that the arrays depend on failed.
    #[track_caller]
    #[must_use]
    pub fn allclose(&self, other: &Array<T>) -> bool {
        at_call(self.as_dyn().allclose(other.as_dyn(), Tolerance::default()))
    }
}

impl<T: Element> Array<T> {
    /// Whether shapes and elements are equal. Waits for the result if shapes are.
    ///
    /// # Panics
    /// At the caller's line, if an operation that the arrays depend on failed.
    #[track_caller]
    #[must_use]
    pub fn array_equal(&self, other: &Array<T>) -> bool {
        at_call(self.as_dyn().array_equal(other.as_dyn()))
    }
}
