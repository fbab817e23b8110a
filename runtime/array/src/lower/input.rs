//! What operations read: views and single values.

use std::sync::Arc;

use super::View;
use super::view::broadcast;
use crate::dtype::{DType, Promotion, Scalar};
use crate::shape::Shape;
use weft_core::error::CallError;
use weft_core::operation::Operand;
use weft_core::runtime::{self, Core};
use weft_core::site::Site;

/// A view or a single value, to be read.
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
    /// Number of elements along each axis; none for a single value.
    #[inline]
    pub(crate) fn shape(self) -> Shape {
        match self {
            Input::View(view) => view.layout.shape,
            Input::Scalar(_) => Shape::SCALAR,
        }
    }

    /// The dtype of the elements, or of the single value.
    #[inline]
    pub(crate) fn dtype(self) -> DType {
        match self {
            Input::View(view) => view.dtype(),
            Input::Scalar(scalar) => scalar.dtype(),
        }
    }

    /// The shape that both broadcast to; `None` if there is none.
    #[inline]
    pub(super) fn shape_beside(self, other: Input<'_>) -> Option<Shape> {
        match (self, other) {
            (Input::View(one), Input::View(other)) => {
                let (one, other) = (&one.layout.shape, &other.layout.shape);
                // Most are equal.
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

    /// The dtype for arithmetic beside `other`: a single value gives way to a view of its kind, as in NumPy.
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

    /// It with another dtype, kept in `kept`; itself if it has it already. A single integer must lie in the dtype's range, as
    /// Python's integers must in NumPy 2.
    pub(crate) fn cast<'b>(
        self,
        dtype: DType,
        call: Site,
        kept: &'b mut Option<View>,
    ) -> Result<Input<'b>, CallError>
    where
        'a: 'b,
    {
        match self {
            Input::View(view) if view.dtype() == dtype => Ok(self),
            Input::View(view) => Ok(Input::View(kept.insert(view.cast(dtype, call)?))),
            Input::Scalar(scalar) => scalar_as(scalar, dtype).map(Input::Scalar),
        }
    }

    /// It as an operand of this shape.
    #[inline]
    pub(crate) fn operand(
        self,
        operation: &'static str,
        shape: &Shape,
    ) -> Result<Operand, CallError> {
        match self {
            Input::Scalar(scalar) => Ok(Operand::Scalar(scalar)),
            // Most operands have the shape already: their layout is not passed through a search.
            Input::View(view) if view.layout.shape == *shape => Ok(view.operand()),
            Input::View(view) => {
                let layout = broadcast(operation, &view.layout, shape)?;
                Ok(Operand::array(view.store.clone(), layout))
            }
        }
    }
}

/// A single value in the dtype of a view beside it.
pub(crate) fn scalar_as(scalar: Scalar, dtype: DType) -> Result<Scalar, CallError> {
    if scalar.is_beyond(dtype) {
        return Err(CallError::Value {
            value: scalar,
            dtype,
        });
    }
    Ok(scalar.cast(dtype))
}

/// The runtime of the views among `inputs`, which must be one.
pub(crate) fn core_of<'a>(inputs: &[Input<'a>]) -> Result<&'a Arc<Core>, CallError> {
    let cores = inputs.iter().filter_map(|input| match input {
        Input::View(view) => Some(&view.core),
        Input::Scalar(_) => None,
    });
    runtime::core_of(cores)?.ok_or(CallError::Runtime("an operation needs at least one array"))
}
