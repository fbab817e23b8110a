//! Selection of elements by masks and integer arrays.

use pyo3::prelude::*;
use weft::DynArray;

use crate::array::Array;
use crate::error::Raise;
use crate::frame;
use crate::kind::{self, Made, Source};
use crate::operand::Operand;

/// The indices of the set elements of a mask: one array for each axis.
#[pyfunction]
pub(crate) fn nonzero(array: Source<'_>) -> PyResult<Vec<Made>> {
    let _entered = frame::enter(array.py());
    let found = array.get().inner()?.nonzero().raise()?;
    Ok(found.into_iter().map(Made::own).collect())
}

/// The elements where a mask of the array's shape is set, as a vector.
#[pyfunction]
pub(crate) fn take_where(array: Source<'_>, mask: Source<'_>) -> PyResult<Made> {
    let _entered = frame::enter(array.py());
    let (inner, mask) = (array.get().inner()?, mask.get().inner()?);
    Ok(Made::own(inner.take_where(mask).raise()?))
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
        let values = Operand::of(values)?.cast(inner.dtype())?;
        let _entered = frame::enter(array.py());
        inner.put_where(mask, values).raise()
    })
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
        let values = Operand::of(values)?.cast(inner.dtype())?;
        let _entered = frame::enter(array.py());
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
    kind::of_array(array.py(), made, indices.get().is_number())
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
        let values = Operand::of(values)?.cast(inner.dtype())?;
        let _entered = frame::enter(array.py());
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
    kind::of_array(array.py(), made, is_deferred)
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
        let values = Operand::of(values)?.cast(inner.dtype())?;
        let _entered = frame::enter(array.py());
        inner.put_at(&pairs(&axes, &indices)?, values).raise()
    })
}
