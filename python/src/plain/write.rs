//! Functions that write to elements of an array. Each returns whether it has written.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};
use weft::DynArray;
use weft::dtype::DType;
use weft::program::Value;

use super::can_index;
use super::{array, axis_from_front, integer};
use crate::array::Array;
use crate::error::Raise;
use crate::frame;
use crate::primitive::weak_value;

/// An array of this dtype, or a Python number that such an array can hold.
fn value_of(object: &Bound<'_, PyAny>, dtype: DType) -> PyResult<Option<Value>> {
    match array(object) {
        Some(values) if values.get().element_type() == dtype => {
            Ok(Some(Value::Array(values.get().inner()?.clone())))
        }
        Some(_) => Ok(None),
        None => Ok(weak_value(object, dtype)?.map(Value::Scalar)),
    }
}

/// Whether values are a number, or have an element for each of this shape.
fn is_of_shape(values: &Value, shape: &[usize]) -> bool {
    match values {
        Value::Array(values) => values.shape() == shape,
        Value::Scalar(_) => true,
    }
}

/// Whether an argument is missing or has this text.
fn is_default(argument: Option<&Bound<'_, PyAny>>, text: &str) -> bool {
    argument.is_none_or(|given| {
        let given = given.cast_exact::<PyString>();
        given.is_ok_and(|given| given.to_str().is_ok_and(|given| given == text))
    })
}

/// Whether an argument is this boolean.
fn is_flag(argument: &Bound<'_, PyAny>, value: bool) -> bool {
    argument
        .cast_exact::<PyBool>()
        .is_ok_and(|given| given.is_true() == value)
}

/// `np.copyto` of an array that has the shape and dtype of the written one.
#[pyfunction]
#[pyo3(signature = (to, source, casting=None, mask=None))]
pub(crate) fn copyto_plain(
    to: &Bound<'_, PyAny>,
    source: &Bound<'_, PyAny>,
    casting: Option<&Bound<'_, PyAny>>,
    mask: Option<&Bound<'_, PyAny>>,
) -> PyResult<bool> {
    let (Some(to), Some(source)) = (array(to), array(source)) else {
        return Ok(false);
    };
    let is_plain = is_default(casting, "same_kind") && mask.is_none_or(|mask| is_flag(mask, true));
    let (inner, from) = (to.get().layout()?, source.get().values()?);
    let fits = is_plain
        && inner.dtype() == from.dtype()
        && inner.shape() == from.shape()
        && !inner.is_same_view_as(&from);
    match fits {
        true => written(to, |to| to.assign(source.get().values()?.as_ref()).raise()),
        false => Ok(false),
    }
}

/// Calls `write` with the array, with turns and parts in order.
fn written(to: &Bound<'_, Array>, write: impl FnOnce(&DynArray) -> PyResult<()>) -> PyResult<bool> {
    Array::written(to, |to| {
        let _entered = frame::enter(to.py());
        write(to.get().inner()?)
    })?;
    Ok(true)
}

/// `np.put` of a number, or of a vector that is long enough, at integers, in an array without gaps.
#[pyfunction]
#[pyo3(signature = (to, indices, values, mode=None))]
pub(crate) fn put_plain(
    to: &Bound<'_, PyAny>,
    indices: &Bound<'_, PyAny>,
    values: &Bound<'_, PyAny>,
    mode: Option<&Bound<'_, PyAny>>,
) -> PyResult<bool> {
    let (Some(to), Some(indices)) = (array(to), array(indices)) else {
        return Ok(false);
    };
    if !is_default(mode, "raise") {
        return Ok(false);
    }
    let (inner, indices) = (to.get().layout()?, indices.get().inner()?);
    let is_plain = can_index(indices.dtype())
        && inner.is_contiguous()
        && !inner.is_empty()
        && !indices.is_empty();
    if !is_plain {
        return Ok(false);
    }
    let values = match value_of(values, inner.dtype())? {
        Some(Value::Array(values)) if values.ndim() == 1 && values.len() >= indices.len() => {
            let mut first = values.viewing();
            first.range(0, 0, 1, indices.len()).raise()?;
            Value::Array(first.done().reshape(indices.shape()).raise()?)
        }
        Some(Value::Scalar(value)) => Value::Scalar(value),
        _ => return Ok(false),
    };
    written(to, |to| to.put(indices, None, values).raise())
}

/// `np.putmask` with a mask of the array's shape, and a number or an array of that shape.
#[pyfunction]
pub(crate) fn putmask_plain(
    to: &Bound<'_, PyAny>,
    mask: &Bound<'_, PyAny>,
    values: &Bound<'_, PyAny>,
) -> PyResult<bool> {
    let (Some(to), Some(mask)) = (array(to), array(mask)) else {
        return Ok(false);
    };
    let (inner, mask) = (to.get().layout()?, mask.get().inner()?);
    let is_plain = mask.dtype() == DType::Bool && mask.shape() == inner.shape();
    let values = value_of(values, inner.dtype())?;
    match values.filter(|values| is_plain && is_of_shape(values, inner.shape())) {
        Some(values) if !inner.is_empty() => written(to, |to| to.putmask(mask, values).raise()),
        _ => Ok(false),
    }
}

/// `np.place` of a vector of the array's dtype with a mask of its shape.
#[pyfunction]
pub(crate) fn place_plain(
    to: &Bound<'_, PyAny>,
    mask: &Bound<'_, PyAny>,
    values: &Bound<'_, PyAny>,
) -> PyResult<bool> {
    let (Some(to), Some(mask), Some(values)) = (array(to), array(mask), array(values)) else {
        return Ok(false);
    };
    let (mask, values) = (mask.get().inner()?, values.get().inner()?);
    let mut is_done = false;
    written(to, |to| {
        is_done = to.place(mask, values).raise()?;
        Ok(())
    })?;
    Ok(is_done)
}

/// `np.fill_diagonal` of a matrix with a number.
#[pyfunction]
#[pyo3(signature = (to, value, wrap=None))]
pub(crate) fn fill_diagonal_plain(
    to: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
    wrap: Option<&Bound<'_, PyAny>>,
) -> PyResult<bool> {
    let Some(to) = array(to) else {
        return Ok(false);
    };
    if wrap.is_some_and(|wrap| !is_flag(wrap, false)) {
        return Ok(false);
    }
    let inner = to.get().layout()?;
    match weak_value(value, inner.dtype())? {
        Some(value) if inner.ndim() == 2 && !inner.is_empty() => {
            written(to, |to| to.fill_diagonal(value).raise())
        }
        _ => Ok(false),
    }
}

/// `np.put_along_axis` of a number or of an element for each index, where the other axes have the
/// lengths of the indices'.
#[pyfunction]
pub(crate) fn put_along_plain(
    arr: &Bound<'_, PyAny>,
    indices: &Bound<'_, PyAny>,
    values: &Bound<'_, PyAny>,
    axis: &Bound<'_, PyAny>,
) -> PyResult<bool> {
    let (Some(to), Some(indices), Some(axis)) = (array(arr), array(indices), integer(axis)) else {
        return Ok(false);
    };
    let (inner, indices) = (to.get().layout()?, indices.get().inner()?);
    let Some(axis) = lines(inner, indices, axis) else {
        return Ok(false);
    };
    match value_of(values, inner.dtype())? {
        Some(values) if is_of_shape(&values, indices.shape()) => {
            written(to, |to| to.put_along_axis(indices, axis, values).raise())
        }
        _ => Ok(false),
    }
}

/// The axis of lines that integers index, each its own; `None` if the other axes differ in length.
pub(super) fn lines(of: &DynArray, indices: &DynArray, axis: isize) -> Option<usize> {
    let axis = axis_from_front(axis, of.ndim())?;
    let mut pairs = of.shape().iter().zip(indices.shape()).enumerate();
    let fits = of.ndim() == indices.ndim()
        && can_index(indices.dtype())
        && !of.is_empty()
        && !indices.is_empty()
        && pairs.all(|(at, (left, right))| at == axis || left == right);
    fits.then_some(axis)
}
