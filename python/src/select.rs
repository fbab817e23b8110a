//! Selection of elements by masks and integer arrays.

mod advanced;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt};
use weft::DynArray;
use weft::dtype::{DType, Scalar};
use weft::program::Value;

use self::advanced::{ArrayKey, has_arrays};
use crate::array::Array;
use crate::error::Raise;
use crate::frame;
use crate::kind::{self, ResultArray, Source};
use crate::operand::Operand;

/// The indices of the set elements of a mask: one array for each axis.
#[pyfunction]
pub(crate) fn nonzero(array: Source<'_>) -> PyResult<Vec<ResultArray>> {
    let _entered = frame::enter(array.py());
    let found = array.get().inner()?.nonzero().raise()?;
    Ok(found.into_iter().map(ResultArray::own).collect())
}

/// The indices of the elements that are not 0, a row for each.
#[pyfunction]
pub(crate) fn argwhere(array: Source<'_>) -> PyResult<ResultArray> {
    let _entered = frame::enter(array.py());
    Ok(ResultArray::own(array.get().inner()?.argwhere().raise()?))
}

/// The elements where a mask of the array's shape is set, as a vector.
#[pyfunction]
pub(crate) fn take_where(array: Source<'_>, mask: Source<'_>) -> PyResult<ResultArray> {
    let _entered = frame::enter(array.py());
    let (inner, mask) = (array.get().inner()?, mask.get().inner()?);
    Ok(ResultArray::own(inner.take_where(mask).raise()?))
}

/// Writes successive values where a mask of the array's shape is set.
#[pyfunction]
pub(crate) fn put_where(
    array: &Bound<'_, Array>,
    mask: Source<'_>,
    values: &Bound<'_, PyAny>,
) -> PyResult<()> {
    Array::written(array, |array| {
        let (inner, mask) = (array.get().inner()?, mask.get().inner()?);
        let _entered = frame::enter(array.py());
        let values = Operand::convert(values)?.cast(inner.dtype())?;
        inner.put_where(mask, values).raise()
    })
}

/// Counts the elements that are not 0, if this needs no operation.
#[pyfunction]
pub(crate) fn count_at_once(array: Source<'_>) -> PyResult<Option<Py<PyAny>>> {
    let Some(count) = array.get().inner()?.count_at_once() else {
        return Ok(None);
    };
    kind::wrap_value(array.py(), Scalar::I64(count as i64), false).map(Some)
}

/// Returns the mask if a key is one with the array's shape.
fn mask_of<'a>(array: &DynArray, key: &'a Bound<'_, PyAny>) -> Option<&'a DynArray> {
    let mask = key.cast::<Array>().ok()?.get();
    let is_mask = mask.element_type() == DType::Bool && !array.shape().is_empty();
    let mask = mask.inner_now().filter(|_| is_mask)?;
    (mask.shape() == array.shape()).then_some(mask)
}

/// Returns the indices along the first axis if a key is one array of integers.
fn integers_of<'a>(array: &DynArray, key: &'a Bound<'_, PyAny>) -> Option<&'a DynArray> {
    let indices = key.cast::<Array>().ok()?.get();
    let dtype = indices.element_type();
    let is_index = dtype.is_integer() && dtype != DType::U64;
    let indices = indices.inner_now().filter(|_| is_index)?;
    let is_plain = indices.ndim() > 0 && !indices.is_empty() && !array.is_empty();
    (is_plain && array.ndim() > 0).then_some(indices)
}

/// Returns the elements that arrays select: a mask of the array's shape, or those of a key with
/// arrays. Returns `None` for other keys.
pub(crate) fn selected(array: &DynArray, key: &Bound<'_, PyAny>) -> PyResult<Option<Py<PyAny>>> {
    let py = key.py();
    if let Some(mask) = mask_of(array, key) {
        let _entered = frame::enter(py);
        let made = ResultArray::own(array.take_where(mask).raise()?);
        return Ok(Some(made.bind(py)?.unbind()));
    }
    if !has_arrays(key) {
        return Ok(None);
    }
    let _entered = frame::enter(py);
    let made = match integers_of(array, key) {
        Some(indices) => array.take(indices, Some(0)).raise()?,
        None => match ArrayKey::parse(array, key)? {
            Some(key) => key.take()?,
            None => return Ok(None),
        },
    };
    Ok(Some(ResultArray::own(made).bind(py)?.unbind()))
}

/// Writes a number, or an array of the array's dtype, to the elements that a key with arrays
/// selects. Returns `false` and writes nothing for other keys and values.
fn set_with_arrays(
    array: &DynArray,
    key: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
) -> PyResult<bool> {
    if !has_arrays(key) {
        return Ok(false);
    }
    let _entered = frame::enter(key.py());
    let Some(key) = ArrayKey::parse(array, key)? else {
        return Ok(false);
    };
    let values = match value.cast::<Array>() {
        Ok(values) => values
            .get()
            .inner_now()
            .map(|values| Value::Array(values.clone())),
        Err(_) => number_of(array.dtype(), value)?.map(Value::Scalar),
    };
    match values {
        Some(values) => key.put(values),
        None => Ok(false),
    }
}

/// Returns a Python number as an element of a dtype, if it is written unchanged.
fn number_of(dtype: DType, value: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
    Ok(
        if value.is_exact_instance_of::<PyFloat>() && dtype == DType::F64 {
            Some(Scalar::F64(value.extract()?))
        } else if value.is_exact_instance_of::<PyInt>() && !dtype.is_bool() && dtype != DType::F16 {
            let number = value.extract::<i64>().ok().map(Scalar::I64);
            let number = number.filter(|number| !number.is_beyond(dtype));
            number.map(|number| number.cast(dtype))
        } else if value.is_exact_instance_of::<PyBool>() && dtype.is_bool() {
            Some(Scalar::Bool(value.extract()?))
        } else {
            None
        },
    )
}

/// Writes a number, or the elements of an array of the array's dtype, where a mask of the array's
/// shape is set, or where arrays of integers select. Returns `false` and writes nothing for other
/// keys and values.
pub(crate) fn set_selected(
    array: &DynArray,
    key: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
) -> PyResult<bool> {
    let Some(mask) = mask_of(array, key) else {
        return set_with_arrays(array, key, value);
    };
    if let Ok(values) = value.cast::<Array>() {
        let _entered = frame::enter(key.py());
        let values = values.get().inner_now();
        return Ok(values.is_some_and(|values| array.place_at_once(mask, values, false)));
    }
    let Some(number) = number_of(array.dtype(), value)? else {
        return Ok(false);
    };
    let _entered = frame::enter(key.py());
    array.putmask(mask, number).raise()?;
    Ok(true)
}

/// Where a mask is set, writes a value, or the element at the same place of an array.
#[pyfunction]
pub(crate) fn putmask(
    array: &Bound<'_, Array>,
    mask: Source<'_>,
    values: &Bound<'_, PyAny>,
) -> PyResult<()> {
    Array::written(array, |array| {
        let inner = array.get().inner()?;
        let _entered = frame::enter(array.py());
        let values = Operand::convert(values)?.cast(inner.dtype())?;
        inner.putmask(mask.get().inner()?, values).raise()
    })
}

/// The elements that an integer array selects along an axis, or among all elements.
#[pyfunction]
#[pyo3(signature = (array, indices, axis=None))]
pub(crate) fn take(
    array: Source<'_>,
    indices: Source<'_>,
    axis: Option<usize>,
) -> PyResult<Py<PyAny>> {
    let _entered = frame::enter(array.py());
    let made = array
        .get()
        .inner()?
        .take(indices.get().inner()?, axis)
        .raise()?;
    kind::wrap_array(array.py(), made, indices.get().is_number())
}

/// Writes to the elements that an integer array selects along an axis, or among all elements.
#[pyfunction]
#[pyo3(signature = (array, indices, values, axis=None))]
pub(crate) fn put(
    array: &Bound<'_, Array>,
    indices: Source<'_>,
    values: &Bound<'_, PyAny>,
    axis: Option<usize>,
) -> PyResult<()> {
    Array::written(array, |array| {
        let inner = array.get().inner()?;
        let _entered = frame::enter(array.py());
        let values = Operand::convert(values)?.cast(inner.dtype())?;
        inner.put(indices.get().inner()?, axis, values).raise()
    })
}

/// Pairs the indexed axes with their indices.
fn pairs<'a>(axes: &[usize], indices: &'a [Source<'_>]) -> PyResult<Vec<(usize, &'a DynArray)>> {
    let indices = indices.iter().map(|index| index.get().inner());
    let pairs = axes.iter().copied().zip(indices);
    pairs.map(|(axis, index)| Ok((axis, index?))).collect()
}

/// The elements that integer arrays select together, one array for each of these axes.
#[pyfunction]
pub(crate) fn take_at(
    array: Source<'_>,
    axes: Vec<usize>,
    indices: Vec<Source<'_>>,
) -> PyResult<Py<PyAny>> {
    let _entered = frame::enter(array.py());
    let made = array
        .get()
        .inner()?
        .take_at(&pairs(&axes, &indices)?)
        .raise()?;
    let is_deferred = indices.iter().any(|index| index.get().is_number());
    kind::wrap_array(array.py(), made, is_deferred)
}

/// Writes to the elements that integer arrays select together.
#[pyfunction]
pub(crate) fn put_at(
    array: &Bound<'_, Array>,
    axes: Vec<usize>,
    indices: Vec<Source<'_>>,
    values: &Bound<'_, PyAny>,
) -> PyResult<()> {
    Array::written(array, |array| {
        let inner = array.get().inner()?;
        let _entered = frame::enter(array.py());
        let values = Operand::convert(values)?.cast(inner.dtype())?;
        inner.put_at(&pairs(&axes, &indices)?, values).raise()
    })
}
