//! Views, copies and casts: the primitives of NumPy's shape functions.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use weft::DynArray;
use weft::dtype::{DType, Scalar};
use weft::program::Value;

use crate::array::Array;
use crate::dtype::DTypeArgument;
use crate::error::Raise;
use crate::frame;
use crate::hooks;
use crate::index;
use crate::kind::{self, ResultArray, Source};
use crate::operand::Operand;
use crate::plain;
use crate::scalar;

/// The elements cast to a dtype, as `astype`; the array itself if it has that dtype.
#[pyfunction]
pub(crate) fn cast(array: Source<'_>, dtype: DTypeArgument) -> PyResult<Py<PyAny>> {
    let py = array.py();
    hooks::check_parts(py, array.get().element_type(), dtype.0)?;
    let _entered = frame::enter(py);
    let made = array.get().inner()?.cast(dtype.0).raise()?;
    match array.is_number() {
        true => kind::wrap_array(py, made, array.get().is_number()),
        false => Ok(ResultArray::wrap(&array, made)?.bind(py)?.unbind()),
    }
}

/// A new array with the same elements.
#[pyfunction]
pub(crate) fn copy(array: Source<'_>) -> PyResult<ResultArray> {
    let _entered = frame::enter(array.py());
    Ok(ResultArray::own(array.get().values()?.copy().raise()?))
}

/// Writes a value or an array, broadcast, into an array.
#[pyfunction]
pub(crate) fn assign(array: &Bound<'_, Array>, value: &Bound<'_, PyAny>) -> PyResult<()> {
    Array::written(array, |array| {
        let target = array.get().inner()?;
        let operand = Operand::convert(value)?;
        hooks::check_parts(array.py(), operand.dtype(), target.dtype())?;
        let _entered = frame::enter(array.py());
        target.assign(operand.cast(target.dtype())?).raise()
    })
}

/// A view with its axes permuted.
#[pyfunction]
pub(crate) fn permute(array: Source<'_>, axes: Vec<usize>) -> PyResult<ResultArray> {
    let made = array.get().inner()?.permute(&axes).raise()?;
    ResultArray::view_of(&array, made)
}

/// The array in another shape: a view if possible, otherwise a copy.
#[pyfunction]
pub(crate) fn reshape(array: Source<'_>, shape: Vec<usize>) -> PyResult<ResultArray> {
    let _entered = frame::enter(array.py());
    let made = array.get().inner()?.reshape(&shape).raise()?;
    ResultArray::wrap(&array, made)
}

/// A read-only view, broadcast to a shape.
#[pyfunction]
pub(crate) fn broadcast_to(array: Source<'_>, shape: Vec<usize>) -> PyResult<ResultArray> {
    let made = array.get().inner()?.broadcast_to(&shape).raise()?;
    Ok(Array::view_of(&array, made).set_read_only().into())
}

/// The view of a diagonal of the first two axes, along the last axis of the result.
#[pyfunction]
pub(crate) fn diagonal(array: Source<'_>, offset: isize) -> PyResult<ResultArray> {
    let _entered = frame::enter(array.py());
    let made = array.get().inner()?.diagonal(offset).raise()?;
    ResultArray::wrap(&array, made)
}

/// The view that a basic key selects.
#[pyfunction]
pub(crate) fn view(array: Source<'_>, key: &Bound<'_, PyTuple>) -> PyResult<ResultArray> {
    match index::view(array.get().inner()?, key.as_any())? {
        Some(part) => ResultArray::view_of(&array, part),
        None => Err(pyo3::exceptions::PyIndexError::new_err(
            "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid indices",
        )),
    }
}

/// A view with this shape and these strides in elements, from the array's first element.
#[pyfunction]
pub(crate) fn strided(
    array: Source<'_>,
    shape: Vec<usize>,
    strides: Vec<isize>,
) -> PyResult<ResultArray> {
    let made = array.get().inner()?.strided(&shape, &strides).raise()?;
    ResultArray::view_of(&array, made)
}

/// Whether two arrays are views of one store.
#[pyfunction]
pub(crate) fn shares_store(left: Source<'_>, right: Source<'_>) -> PyResult<bool> {
    Ok(left.get().inner()?.shares_store_with(right.get().inner()?))
}

/// Whether two arrays are the same elements of one store.
#[pyfunction]
pub(crate) fn is_same_view(left: Source<'_>, right: Source<'_>) -> PyResult<bool> {
    Ok(left.get().inner()?.is_same_view_as(right.get().inner()?))
}

/// Concatenates arrays of one dtype along an axis.
#[pyfunction]
pub(crate) fn concatenate(
    py: Python<'_>,
    arrays: Vec<Source<'_>>,
    axis: usize,
) -> PyResult<ResultArray> {
    let _entered = frame::enter(py);
    let arrays: Vec<DynArray> = arrays
        .iter()
        .map(|array| array.get().values().map(Cow::into_owned))
        .collect::<PyResult<_>>()?;
    Ok(ResultArray::own(
        DynArray::concatenate(&arrays, axis).raise()?,
    ))
}

/// Elements of the first array where a mask is set, otherwise of the second; both have one dtype.
#[pyfunction]
pub(crate) fn select(
    condition: Source<'_>,
    left: &Bound<'_, PyAny>,
    right: &Bound<'_, PyAny>,
    dtype: DTypeArgument,
) -> PyResult<ResultArray> {
    let (left, right) = (Operand::convert(left)?, Operand::convert(right)?);
    let is_deferred = condition.get().is_number() || left.is_deferred || right.is_deferred;
    let _entered = frame::enter(condition.py());
    let (left, right) = (left.cast(dtype.0)?, right.cast(dtype.0)?);
    let condition = condition.get().values()?;
    let made = DynArray::select(condition.as_ref(), left, right).raise()?;
    // The result of two weak values has the dtype of their kind.
    let made = made.cast(dtype.0).raise()?;
    Ok(match is_deferred && made.ndim() == 0 {
        true => Array::deferred_number(made).into(),
        false => ResultArray::own(made),
    })
}

/// [`select`] of arrays of one shape, the last two of one dtype; `None` for other operands. Nonzero
/// elements count as a set mask.
#[pyfunction]
pub(crate) fn selected(
    condition: &Bound<'_, PyAny>,
    left: &Bound<'_, PyAny>,
    right: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let py = condition.py();
    let Ok(condition) = condition.cast::<Array>() else {
        return Ok(None);
    };
    let condition = condition.get().inner()?;
    let arrays = [left, right].map(|object| object.cast::<Array>().ok());
    let of = match arrays {
        [Some(left), Some(right)] if left.get().element_type() != right.get().element_type() => {
            return Ok(None);
        }
        [Some(of), _] | [None, Some(of)] => of.get().inner()?,
        [None, None] => return Ok(None),
    };
    let value = |object: &Bound<'_, PyAny>, array: Option<&Bound<'_, Array>>| match array {
        Some(array) => {
            let array = array.get().inner()?;
            PyResult::Ok((array.shape() == condition.shape()).then(|| Value::Array(array.clone())))
        }
        None => Ok(weak_value(object, of.dtype())?.map(Value::Scalar)),
    };
    let (Some(left), Some(right)) = (value(left, arrays[0])?, value(right, arrays[1])?) else {
        return Ok(None);
    };
    let _entered = frame::enter(py);
    let mask = condition.cast(DType::Bool).raise()?;
    Ok(Some(ResultArray::own(
        DynArray::select(&mask, left, right).raise()?,
    )))
}

/// The value of a Python number in a dtype that results of it and of such elements have: an integer
/// or a float for floats, an integer that fits for integers.
pub(crate) fn weak_value(object: &Bound<'_, PyAny>, dtype: DType) -> PyResult<Option<Scalar>> {
    let fits = |value: &Scalar| match value {
        Scalar::F64(_) => dtype.is_float(),
        Scalar::I64(_) => dtype.is_float() || (dtype.is_integer() && !value.is_beyond(dtype)),
        _ => false,
    };
    let value = scalar::python(object)?.filter(fits);
    Ok(value.map(|value| value.cast(dtype)))
}

/// [`concatenate`] of a list or tuple of arrays that have one dtype and fit; `None` for other
/// objects.
#[pyfunction]
pub(crate) fn joined(arrays: &Bound<'_, PyAny>, axis: usize) -> PyResult<Option<ResultArray>> {
    let py = arrays.py();
    let Some(items) = plain::items(arrays) else {
        return Ok(None);
    };
    let _entered = frame::enter(py);
    let mut parts: Vec<DynArray> = Vec::with_capacity(items.len());
    for item in &items {
        let Ok(array) = item.cast::<Array>() else {
            return Ok(None);
        };
        let array = array.get().inner()?;
        let first = parts.first().unwrap_or(array);
        let (own, others) = (array.shape(), first.shape());
        let fits = own.len() == others.len()
            && axis < own.len()
            && (0..own.len()).all(|at| at == axis || own[at] == others[at]);
        if !fits || array.dtype() != first.dtype() {
            return Ok(None);
        }
        parts.push(array.clone());
    }
    if parts.is_empty() {
        return Ok(None);
    }
    Ok(Some(ResultArray::own(
        DynArray::concatenate(&parts, axis).raise()?,
    )))
}
