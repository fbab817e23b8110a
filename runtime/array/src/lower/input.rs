//! The inputs of operations: views and single values.

use std::sync::Arc;

use super::View;
use super::view::broadcast;
use crate::dtype::{DType, Promotion, Scalar};
use crate::shape::Shape;
use weft_core::error::CallError;
use weft_core::operation::Operand;
use weft_core::runtime::{self, Core};

/// A view or a single value that is read.
#[derive(Clone, Copy)]
pub(crate) enum Input<'a> {
    /// A view.
    View(&'a View),
    /// One value in place of all elements.
    Scalar(Scalar),
}

impl<'a> From<&'a View> for Input<'a> {
    #[inline]
    fn from(view: &'a View) -> Self {
        Input::View(view)
    }
}

impl<S: Into<Scalar>> From<S> for Input<'_> {
    #[inline]
    fn from(scalar: S) -> Self {
        Input::Scalar(scalar.into())
    }
}

impl<'a> Input<'a> {
    /// Returns the number of elements along each axis; no axes for a single value.
    #[inline]
    pub(crate) fn shape(self) -> Shape {
        match self {
            Input::View(view) => view.layout.shape,
            Input::Scalar(_) => Shape::SCALAR,
        }
    }

    /// Returns the dtype of the elements, or of the single value.
    #[inline]
    pub(crate) fn dtype(self) -> DType {
        match self {
            Input::View(view) => view.dtype(),
            Input::Scalar(scalar) => scalar.dtype(),
        }
    }

    /// Returns the shape to which both broadcast; `None` if there is none.
    #[inline]
    pub(super) fn shape_beside(self, other: Input<'_>) -> Option<Shape> {
        match (self, other) {
            (Input::View(one), Input::View(other)) => {
                let (one, other) = (&one.layout.shape, &other.layout.shape);
                // Most shapes are equal.
                match one == other {
                    true => Some(*one),
                    false => Shape::broadcast(*one, *other),
                }
            }
            (Input::View(one), Input::Scalar(_)) | (Input::Scalar(_), Input::View(one)) => {
                Some(one.layout.shape)
            }
            (Input::Scalar(_), Input::Scalar(_)) => Some(Shape::SCALAR),
        }
    }

    /// Returns the common dtype of an operation with `other`. A single value takes the dtype of a
    /// view of its kind, as in NumPy.
    pub(super) fn common_dtype(self, other: Input<'_>) -> DType {
        let kind = |dtype: DType| match dtype {
            DType::Bool => 0,
            complex if complex.is_complex() => 3,
            float if float.is_float() => 2,
            _ => 1,
        };
        match (self, other) {
            (Input::View(view), Input::Scalar(scalar))
            | (Input::Scalar(scalar), Input::View(view))
                if kind(scalar.dtype()) <= kind(view.dtype()) =>
            {
                view.dtype()
            }
            // A complex value takes a float's precision.
            (Input::View(view), Input::Scalar(scalar))
            | (Input::Scalar(scalar), Input::View(view))
                if scalar.dtype().is_complex() && view.dtype().is_float() =>
            {
                DType::promote(view.dtype(), DType::C64)
            }
            _ => DType::promote(self.dtype(), other.dtype()),
        }
    }

    /// Casts the input to another dtype, with the result in `kept`; an input of that dtype is
    /// returned unchanged. A single integer must be in the dtype's range, like Python's integers in
    /// NumPy 2.
    pub(crate) fn cast<'b>(
        self,
        dtype: DType,
        kept: &'b mut Option<View>,
    ) -> Result<Input<'b>, CallError>
    where
        'a: 'b,
    {
        match self {
            Input::View(view) if view.dtype() == dtype => Ok(self),
            Input::View(view) => Ok(Input::View(kept.insert(view.cast(dtype)?))),
            Input::Scalar(scalar) => scalar_as(scalar, dtype).map(Input::Scalar),
        }
    }

    /// Returns the input as an operand of this shape.
    #[inline]
    pub(crate) fn operand(
        self,
        operation: &'static str,
        shape: &Shape,
    ) -> Result<Operand, CallError> {
        match self {
            Input::Scalar(scalar) => Ok(Operand::Scalar(scalar)),
            // Most operands have the shape already, so the broadcast is skipped.
            Input::View(view) if view.layout.shape == *shape => Ok(view.operand()),
            Input::View(view) => {
                let layout = broadcast(operation, &view.layout, shape)?;
                Ok(Operand::array(view.store.clone(), layout))
            }
        }
    }
}

/// Casts a single value to the dtype of the view that it is combined with.
pub(crate) fn scalar_as(scalar: Scalar, dtype: DType) -> Result<Scalar, CallError> {
    if scalar.is_beyond(dtype) {
        return Err(CallError::Value {
            value: scalar,
            dtype,
        });
    }
    Ok(scalar.cast(dtype))
}

/// Returns the runtime of the views among `inputs`, which must be the same for all.
pub(crate) fn core_of<'a>(inputs: &[Input<'a>]) -> Result<&'a Arc<Core>, CallError> {
    let cores = inputs.iter().filter_map(|input| match input {
        Input::View(view) => Some(&view.core),
        Input::Scalar(_) => None,
    });
    runtime::core_of(cores)?.ok_or(CallError::Runtime("an operation needs at least one array"))
}
