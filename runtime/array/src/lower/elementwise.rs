//! Elementwise functions, whose inputs are brought to one dtype and one shape.

use super::{Input, View, core_of, exact, exponent};
use crate::dtype::{DType, Scalar};
use crate::kernel::{BinaryOp, UnaryOp};
use crate::library;
use crate::shape::Shape;
use weft_core::error::CallError;

/// Returns the shape to which both broadcast.
fn together(
    operation: &'static str,
    left: Input<'_>,
    right: Input<'_>,
) -> Result<Shape, CallError> {
    let (left, right) = (left.shape(), right.shape());
    Shape::broadcast(left, right).ok_or_else(|| CallError::Broadcast {
        operation,
        left: left.dims().to_vec(),
        right: right.dims().to_vec(),
    })
}

impl View {
    /// Returns an elementwise function of one view. Integers become `f64` for real-valued
    /// functions.
    pub(crate) fn unary(&self, op: UnaryOp) -> Result<View, CallError> {
        let undefined = || CallError::DType {
            operation: op.name(),
            dtype: self.dtype(),
        };
        let dtype = op.input_dtype(self.dtype()).ok_or_else(undefined)?;
        let input = self.cast(dtype)?;
        let result = op.output_dtype(dtype).ok_or_else(undefined)?;
        let body = library::elementwise::unary(op);
        let shape = self.layout.shape;
        View::compute(&self.core, (result, shape), body, &[(&input).into()])
    }

    /// Returns the complex conjugates, or the view itself if it is not complex.
    pub(crate) fn conjugate(&self) -> Result<View, CallError> {
        if self.dtype().is_complex() {
            return self.unary(UnaryOp::Conj);
        }
        Ok(self.clone())
    }

    /// Returns the view itself if its elements are floats or complex, otherwise as `f64`.
    pub(crate) fn floats(&self) -> Result<View, CallError> {
        if self.dtype().is_bool() || self.dtype().is_integer() {
            return self.cast(DType::F64);
        }
        Ok(self.clone())
    }

    /// For `f16`, computes with the same values as `f32`, and rounds the result; `None` for other
    /// dtypes.
    pub(super) fn through_f32(
        &self,
        compute: impl FnOnce(&View) -> Result<View, CallError>,
    ) -> Option<Result<View, CallError>> {
        (self.dtype() == DType::F16).then(|| {
            let wide = self.cast(DType::F32)?;
            compute(&wide)?.cast(DType::F16)
        })
    }

    /// Returns a number as a value of this view's dtype.
    pub(crate) fn number(&self, number: f64) -> Scalar {
        Scalar::F64(number).cast(self.dtype())
    }

    /// Returns a function of this view and another one, or a value.
    pub(crate) fn with<'a>(
        &self,
        op: BinaryOp,
        other: impl Into<Input<'a>>,
    ) -> Result<View, CallError> {
        View::binary(op, self, other)
    }

    /// Returns an elementwise function of two inputs, which are broadcast and cast to one dtype.
    pub(crate) fn binary<'a, 'b>(
        op: BinaryOp,
        left: impl Into<Input<'a>>,
        right: impl Into<Input<'b>>,
    ) -> Result<View, CallError> {
        let (left, right) = (left.into(), right.into());
        match View::binary_at_once(op, left, right) {
            Some(made) => Ok(made),
            None => View::binary_submitted(op, left, right),
        }
    }

    /// Computes an elementwise function of two inputs by an operation, or returns an error.
    pub(crate) fn binary_submitted(
        op: BinaryOp,
        left: Input<'_>,
        right: Input<'_>,
    ) -> Result<View, CallError> {
        let common = left.common_dtype(right);
        if let Some(exact) = exact::compare(op, left, right, common)? {
            return Ok(exact);
        }
        let undefined = || CallError::DType {
            operation: op.name(),
            dtype: common,
        };
        let dtype = op.input_dtype(common).ok_or_else(undefined)?;
        let result = op.output_dtype(dtype).ok_or_else(undefined)?;
        let shape = together(op.name(), left, right)?;
        let core = core_of(&[left, right])?;
        let (mut first, mut second) = (None, None);
        let left = left.cast(dtype, &mut first)?;
        let right = right.cast(dtype, &mut second)?;
        let mut checked = None;
        let right = exponent::checked(op, right, &shape, &mut checked)?;
        let body = library::elementwise::binary(op);
        View::compute(core, (result, shape), body, &[left, right])
    }

    /// Writes an elementwise function of two inputs into this view.
    pub(crate) fn binary_into<'a, 'b>(
        &self,
        op: BinaryOp,
        left: impl Into<Input<'a>>,
        right: impl Into<Input<'b>>,
    ) -> Result<(), CallError> {
        let (left, right) = (left.into(), right.into());
        let common = left.common_dtype(right);
        if let Some(exact) = exact::compare(op, left, right, common)? {
            return self.assign(&exact);
        }
        let direct =
            op.input_dtype(common) == Some(common) && op.output_dtype(common) == Some(self.dtype());
        if !direct {
            let result = View::binary(op, left, right)?;
            return self.assign(&result);
        }
        core_of(&[self.into(), left, right])?;
        let (mut first, mut second) = (None, None);
        let left = left.cast(common, &mut first)?;
        let right = right.cast(common, &mut second)?;
        let mut checked = None;
        let right = exponent::checked(op, right, &self.layout.shape, &mut checked)?;
        self.overwrite(library::elementwise::binary(op), &[left, right])
    }

    /// Writes an elementwise function of `input` into this view.
    pub(crate) fn unary_into(&self, op: UnaryOp, input: &View) -> Result<(), CallError> {
        if op.output_dtype(input.dtype()) != Some(self.dtype()) {
            return self.assign(&input.unary(op)?);
        }
        core_of(&[self.into(), input.into()])?;
        self.overwrite(library::elementwise::unary(op), &[input.into()])
    }

    /// Returns `left` where the condition is true, and `right` elsewhere.
    pub(crate) fn select<'a, 'b>(
        condition: &View,
        left: impl Into<Input<'a>>,
        right: impl Into<Input<'b>>,
    ) -> Result<View, CallError> {
        let operation = "where";
        if !condition.dtype().is_bool() {
            return Err(CallError::DType {
                operation,
                dtype: condition.dtype(),
            });
        }
        let (left, right) = (left.into(), right.into());
        let dtype = left.common_dtype(right);
        let (mut first, mut second) = (None, None);
        let left = left.cast(dtype, &mut first)?;
        let right = right.cast(dtype, &mut second)?;
        let inputs = [condition.into(), left, right];
        let core = core_of(&inputs)?;
        let shape = together(operation, left, right)?;
        let whole = condition.layout.shape;
        let shape = Shape::broadcast(shape, whole).ok_or_else(|| CallError::Broadcast {
            operation,
            left: whole.dims().to_vec(),
            right: shape.dims().to_vec(),
        })?;
        let body = library::elementwise::select();
        View::compute(core, (dtype, shape), body, &inputs)
    }
}
