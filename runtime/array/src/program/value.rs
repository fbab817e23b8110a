//! Operands: arrays and scalars.

use super::{Array, DynArray};
use crate::dtype::{Element, Scalar};
use crate::lower::Input;

/// An array or a scalar.
#[derive(Clone, Debug)]
pub enum Value {
    /// An array.
    Array(DynArray),
    /// A scalar.
    Scalar(Scalar),
}

/// A borrowed array or a scalar.
#[derive(Clone, Copy, Debug)]
pub enum ValueRef<'a> {
    /// An array.
    Array(&'a DynArray),
    /// A scalar.
    Scalar(Scalar),
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

impl<'a> From<ValueRef<'a>> for Input<'a> {
    #[inline]
    fn from(value: ValueRef<'a>) -> Self {
        match value {
            ValueRef::Array(array) => Input::View(&array.view),
            ValueRef::Scalar(scalar) => Input::Scalar(scalar),
        }
    }
}

impl<'a> From<&'a Value> for Input<'a> {
    #[inline]
    fn from(value: &'a Value) -> Self {
        ValueRef::from(value).into()
    }
}

/// Operands that combine with an array of `T`: an array of `T`, borrowed or not, or a `T`.
pub trait IntoValue<T: Element> {
    /// Returns the operand.
    fn into_value(self) -> Value;

    /// Returns the operand by reference.
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
