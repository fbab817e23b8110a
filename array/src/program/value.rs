//! Operands: arrays and scalars.

use super::{Array, DynArray};
use crate::dtype::{DType, Element, Promotion, Scalar};
use crate::shape::{Layout, Shape};
use weft_core::error::CallError;
use weft_core::operation::Operand;

/// An array or a scalar.
#[derive(Clone, Debug)]
pub enum Value {
    /// An array.
    Array(DynArray),
    /// A scalar.
    Scalar(Scalar),
}

/// An array or a scalar that is only looked at.
#[derive(Clone, Copy, Debug)]
pub enum ValueRef<'a> {
    /// An array.
    Array(&'a DynArray),
    /// A scalar.
    Scalar(Scalar),
}

impl ValueRef<'_> {
    /// The dtype of the elements, or of the single value.
    #[inline]
    pub(super) fn dtype(self) -> DType {
        match self {
            ValueRef::Array(array) => array.dtype(),
            ValueRef::Scalar(scalar) => scalar.dtype(),
        }
    }

    /// The shape that both broadcast to; `None` where there is none.
    #[inline]
    pub(super) fn shape_beside(self, other: ValueRef<'_>) -> Option<Shape> {
        match (self, other) {
            (ValueRef::Array(one), ValueRef::Array(other)) => {
                let (one, other) = (&one.layout.shape, &other.layout.shape);
                // Most are equal.
                match one == other {
                    true => Some(*one),
                    false => Shape::broadcast(*one, *other),
                }
            }
            (ValueRef::Array(one), ValueRef::Scalar(_))
            | (ValueRef::Scalar(_), ValueRef::Array(one)) => Some(one.layout.shape),
            (ValueRef::Scalar(_), ValueRef::Scalar(_)) => Some(Shape::SCALAR),
        }
    }
}

impl<'a> From<&'a DynArray> for ValueRef<'a> {
    fn from(array: &'a DynArray) -> Self {
        ValueRef::Array(array)
    }
}

impl<'a> From<&'a Value> for ValueRef<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Array(array) => ValueRef::Array(array),
            Value::Scalar(scalar) => ValueRef::Scalar(*scalar),
        }
    }
}

impl Value {
    /// Number of elements along each axis; none for a single value.
    pub(crate) fn shape(&self) -> Shape {
        match self {
            Value::Array(array) => array.layout.shape,
            Value::Scalar(_) => Shape::SCALAR,
        }
    }

    /// The dtype for arithmetic beside `other`: a single value gives way to an array of its kind, as in NumPy.
    pub(crate) fn common_dtype(&self, other: &Value) -> DType {
        let kind = |dtype: DType| match dtype {
            DType::Bool => 0,
            complex if complex.is_complex() => 3,
            float if float.is_float() => 2,
            _ => 1,
        };
        match (self, other) {
            (Value::Array(array), Value::Scalar(scalar))
            | (Value::Scalar(scalar), Value::Array(array))
                if kind(scalar.dtype()) <= kind(array.dtype()) =>
            {
                array.dtype()
            }
            // A complex value takes a float's precision.
            (Value::Array(array), Value::Scalar(scalar))
            | (Value::Scalar(scalar), Value::Array(array))
                if scalar.dtype().is_complex() && array.dtype().is_float() =>
            {
                DType::promote(array.dtype(), DType::C64)
            }
            _ => DType::promote(self.dtype(), other.dtype()),
        }
    }

    /// The dtype of the elements, or of the single value.
    pub(super) fn dtype(&self) -> DType {
        match self {
            Value::Array(array) => array.dtype(),
            Value::Scalar(scalar) => scalar.dtype(),
        }
    }

    /// The value to be read as an operand of this shape.
    #[inline]
    pub(crate) fn operand(
        &self,
        operation: &'static str,
        shape: &Shape,
    ) -> Result<Operand, CallError> {
        match self {
            Value::Scalar(scalar) => Ok(Operand::Scalar(*scalar)),
            // Most operands have the shape already: their layout is not passed through a search.
            Value::Array(array) if array.layout.shape == *shape => Ok(array.operand()),
            Value::Array(array) => {
                let layout = broadcast(operation, &array.layout, shape)?;
                Ok(Operand::array(array.store.clone(), layout))
            }
        }
    }
}

/// The layout broadcast to a shape.
pub(crate) fn broadcast(
    operation: &'static str,
    layout: &Layout,
    shape: &Shape,
) -> Result<Layout, CallError> {
    layout
        .broadcast_to(*shape)
        .ok_or_else(|| CallError::Broadcast {
            operation,
            left: layout.shape.dims().to_vec(),
            right: shape.dims().to_vec(),
        })
}

/// Operands that combine with an array of `T`: an array of `T`, borrowed or not, or a `T`.
pub trait IntoValue<T: Element> {
    /// The operand.
    fn into_value(self) -> Value;

    /// The operand, to look at.
    fn value(&self) -> ValueRef<'_>;
}

impl<T: Element> IntoValue<T> for &Array<T> {
    fn into_value(self) -> Value {
        Value::Array(self.as_dyn().clone())
    }

    #[inline]
    fn value(&self) -> ValueRef<'_> {
        ValueRef::Array(self.as_dyn())
    }
}

impl<T: Element> IntoValue<T> for Array<T> {
    fn into_value(self) -> Value {
        Value::Array(self.into_dyn())
    }

    #[inline]
    fn value(&self) -> ValueRef<'_> {
        ValueRef::Array(self.as_dyn())
    }
}

impl<T: Element> IntoValue<T> for T {
    fn into_value(self) -> Value {
        Value::Scalar(self.to_scalar())
    }

    #[inline]
    fn value(&self) -> ValueRef<'_> {
        ValueRef::Scalar(self.to_scalar())
    }
}

impl From<&DynArray> for Value {
    fn from(array: &DynArray) -> Self {
        Value::Array(array.clone())
    }
}

impl<S: Into<Scalar>> From<S> for Value {
    fn from(scalar: S) -> Self {
        Value::Scalar(scalar.into())
    }
}
