//! Methods of arrays that are not functions of the package, or take other arguments.

use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList};
use weft::dtype::{DType, Scalar};
use weft::shape::MAX_DIMS;

use super::array;
use crate::array::Array;
use crate::error::Raise;
use crate::kind::ResultArray;
use crate::primitive::weak_value;
use crate::{frame, index, run, scalar};

/// The most elements of a list that is made one by one. NumPy makes longer lists faster.
const MOST_IN_LIST: usize = 64;

/// `array.item(at)` for an element that is available. `at` is an integer for a vector, or a tuple
/// of integers.
#[pyfunction]
#[pyo3(signature = (object, at=None))]
pub(crate) fn item_plain(
    object: &Bound<'_, PyAny>,
    at: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<Py<PyAny>>> {
    let Some(of) = array(object) else {
        return Ok(None);
    };
    let inner = of.get().inner()?;
    let value = match at {
        Some(at) if at.is_exact_instance_of::<PyInt>() => {
            index::places(inner, at).and_then(|places| inner.element(&places))
        }
        None if inner.len() == 1 => inner.element(&[0; MAX_DIMS][..inner.ndim()]),
        _ => None,
    };
    value
        .map(|value| scalar::to_python(object.py(), value))
        .transpose()
}

/// `array.tolist()` of a small array with axes.
#[pyfunction]
pub(crate) fn tolist_plain<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(of) = array(object) else {
        return Ok(None);
    };
    let inner = of.get().inner()?;
    if inner.ndim() == 0 || inner.len() > MOST_IN_LIST {
        return Ok(None);
    }
    let py = object.py();
    let _entered = frame::enter(py);
    let values = run::read(py, inner)?;
    nested(py, &mut values.iter(), inner.shape()).map(Some)
}

/// Makes a list of the next values in this shape.
fn nested<'py>(
    py: Python<'py>,
    values: &mut impl Iterator<Item = Scalar>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let Some((&length, inner)) = shape.split_first() else {
        return Ok(match values.next() {
            Some(value) => scalar::to_python(py, value)?.into_bound(py),
            None => py.None().into_bound(py),
        });
    };
    let items: Vec<_> = (0..length)
        .map(|_| nested(py, values, inner))
        .collect::<PyResult<_>>()?;
    Ok(PyList::new(py, items)?.into_any())
}

/// `array.fill(value)` with a number of Python that the dtype can represent.
#[pyfunction]
pub(crate) fn fill_plain(object: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Some(of) = array(object) else {
        return Ok(false);
    };
    let dtype = of.get().element_type();
    // A number may be too large for a smaller float, which NumPy warns of.
    let is_exact = dtype == DType::F64 || dtype.is_integer() || dtype == DType::Bool;
    let Some(value) = weak_value(value, dtype)?.filter(|_| is_exact) else {
        return Ok(false);
    };
    Array::written(of, |of| {
        let _entered = frame::enter(of.py());
        of.get().inner()?.assign(value).raise()
    })?;
    Ok(true)
}

/// `array.flatten()`.
#[pyfunction]
pub(crate) fn flatten_plain(object: &Bound<'_, PyAny>) -> PyResult<Option<ResultArray>> {
    let Some(of) = array(object) else {
        return Ok(None);
    };
    let inner = of.get().inner()?;
    let _entered = frame::enter(object.py());
    let copy = inner.copy().raise()?;
    let flat = copy.reshape(&[copy.len()]).raise()?;
    Ok(Some(ResultArray::own(flat)))
}

/// `array.sort(axis)` of real numbers.
#[pyfunction]
pub(crate) fn sort_in_place_plain(
    object: &Bound<'_, PyAny>,
    axis: &Bound<'_, PyAny>,
) -> PyResult<bool> {
    let Some(of) = array(object) else {
        return Ok(false);
    };
    let Some(axis) = super::integer(axis)
        .and_then(|axis| super::axis_from_front(axis, of.get().layout().ok()?.ndim()))
    else {
        return Ok(false);
    };
    if of.get().element_type().is_complex() {
        return Ok(false);
    }
    Array::written(of, |of| {
        let _entered = frame::enter(of.py());
        let inner = of.get().inner()?;
        inner.assign(&inner.sort(axis).raise()?).raise()
    })?;
    Ok(true)
}
