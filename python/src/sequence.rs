//! Reductions, running results, sorting and searching.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use weft::kernel::{ReduceOp, ScanOp};
use weft::program::{Overlap, Side};

use crate::error::Raise;
use crate::frame;
use crate::kind::{self, ResultArray, Source};

fn unknown(what: &str, name: &str) -> PyErr {
    PyValueError::new_err(format!("Weft has no {what} {name}"))
}

/// A reduction by NumPy's name, of all elements or along one axis.
#[pyfunction]
#[pyo3(signature = (array, name, axis=None, keeps_axes=false))]
pub(crate) fn reduce(
    array: Source<'_>,
    name: &str,
    axis: Option<usize>,
    keeps_axes: bool,
) -> PyResult<Py<PyAny>> {
    let op = ReduceOp::ALL.iter().find(|op| op.name() == name);
    let op = op.ok_or_else(|| unknown("reduction", name))?;
    let _entered = frame::enter(array.py());
    let inner = array.get().values()?;
    let made = inner.reduce(*op, axis).raise()?;
    if keeps_axes {
        // The result becomes part of an array, so Python needs no number.
        return Ok(ResultArray::own(made).bind(array.py())?.unbind());
    }
    kind::wrap_array(array.py(), made, array.is_deferred_beyond(kind::FEW))
}

/// A reduction by NumPy's name of segments of the first axis, given by their starts and lengths.
#[pyfunction]
pub(crate) fn reduce_segments(
    array: Source<'_>,
    name: &str,
    starts: Source<'_>,
    counts: Source<'_>,
) -> PyResult<Option<ResultArray>> {
    let op = ReduceOp::ALL.iter().find(|op| op.name() == name);
    let op = op.ok_or_else(|| unknown("reduction", name))?;
    let _entered = frame::enter(array.py());
    let (starts, counts) = (starts.get().inner()?, counts.get().inner()?);
    let made = array.get().inner()?.reduce_segments(*op, starts, counts);
    Ok(made.raise()?.map(ResultArray::own))
}

/// Running results along an axis: `cumsum`, `cumprod`, `cummax` or `cummin`.
#[pyfunction]
pub(crate) fn scan(array: Source<'_>, name: &str, axis: usize) -> PyResult<ResultArray> {
    let op = ScanOp::ALL.iter().find(|op| op.name() == name);
    let op = op.ok_or_else(|| unknown("scan", name))?;
    let _entered = frame::enter(array.py());
    Ok(ResultArray::own(
        array.get().inner()?.scan(*op, Some(axis)).raise()?,
    ))
}

/// A copy, sorted along an axis.
#[pyfunction]
pub(crate) fn sort(array: Source<'_>, axis: usize) -> PyResult<ResultArray> {
    let _entered = frame::enter(array.py());
    Ok(ResultArray::own(array.get().inner()?.sort(axis).raise()?))
}

/// The indices that sort the array along an axis; equal elements keep their order.
#[pyfunction]
pub(crate) fn argsort(array: Source<'_>, axis: usize) -> PyResult<ResultArray> {
    let _entered = frame::enter(array.py());
    Ok(ResultArray::own(
        array.get().inner()?.argsort(axis).raise()?,
    ))
}

/// Each line along an axis with the elements of some places as in sorted order.
#[pyfunction]
pub(crate) fn partition(
    array: Source<'_>,
    places: Vec<usize>,
    axis: usize,
) -> PyResult<ResultArray> {
    let _entered = frame::enter(array.py());
    let made = array.get().inner()?.partition(&places, axis).raise()?;
    Ok(ResultArray::own(made))
}

/// The numbers of each line's elements in such an order.
#[pyfunction]
pub(crate) fn argpartition(
    array: Source<'_>,
    places: Vec<usize>,
    axis: usize,
) -> PyResult<ResultArray> {
    let _entered = frame::enter(array.py());
    let made = array.get().inner()?.argpartition(&places, axis).raise()?;
    Ok(ResultArray::own(made))
}

/// The places of values in a sorted vector.
#[pyfunction]
pub(crate) fn searchsorted(
    sorted: Source<'_>,
    values: Source<'_>,
    right: bool,
) -> PyResult<ResultArray> {
    let side = if right { Side::Right } else { Side::Left };
    let _entered = frame::enter(sorted.py());
    let made = sorted
        .get()
        .inner()?
        .searchsorted(values.get().inner()?, side);
    Ok(ResultArray::own(made.raise()?))
}

/// The count of each number, or the sum of its weights.
#[pyfunction]
#[pyo3(signature = (array, weights, least))]
pub(crate) fn bincount(
    array: Source<'_>,
    weights: Option<Source<'_>>,
    least: usize,
) -> PyResult<ResultArray> {
    let _entered = frame::enter(array.py());
    let weights = weights
        .as_ref()
        .map(|weights| weights.get().inner())
        .transpose()?;
    let made = array.get().inner()?.bincount(weights, least);
    Ok(ResultArray::own(made.raise()?))
}

/// The count of each number, or the sum of its weights; all numbers are below `bins`.
#[pyfunction]
#[pyo3(signature = (array, weights, bins))]
pub(crate) fn bincount_below(
    array: Source<'_>,
    weights: Option<Source<'_>>,
    bins: usize,
) -> PyResult<ResultArray> {
    let _entered = frame::enter(array.py());
    let weights = weights
        .as_ref()
        .map(|weights| weights.get().inner())
        .transpose()?;
    let made = array.get().inner()?.bincount_below(bins, weights);
    Ok(ResultArray::own(made.raise()?))
}

/// The number of values between each edge and the next, of which the last bin includes both, or the
/// sum of their weights.
#[pyfunction]
#[pyo3(signature = (array, edges, weights))]
pub(crate) fn histogram(
    array: Source<'_>,
    edges: Source<'_>,
    weights: Option<Source<'_>>,
) -> PyResult<ResultArray> {
    let _entered = frame::enter(array.py());
    let weights = weights
        .as_ref()
        .map(|weights| weights.get().inner())
        .transpose()?;
    let edges = edges.get().inner()?;
    let made = array.get().inner()?.histogram_between(edges, weights);
    Ok(ResultArray::own(made.raise()?))
}

/// Linear interpolation at the elements of an array between points. `left` and `right` are the
/// results outside of them, by default the first and the last value.
#[pyfunction]
#[pyo3(signature = (array, x, y, left, right))]
pub(crate) fn interp(
    array: Source<'_>,
    x: Source<'_>,
    y: Source<'_>,
    left: Option<f64>,
    right: Option<f64>,
) -> PyResult<ResultArray> {
    let _entered = frame::enter(array.py());
    let (x, y) = (x.get().inner()?, y.get().inner()?);
    let made = array.get().inner()?.interp(x, y, [left, right]);
    Ok(ResultArray::own(made.raise()?))
}

/// The elements in order, each once.
#[pyfunction]
pub(crate) fn unique(array: Source<'_>) -> PyResult<ResultArray> {
    let _entered = frame::enter(array.py());
    Ok(ResultArray::own(array.get().inner()?.unique().raise()?))
}

/// The elements in order, each once, with the places of their first ones, the number of each
/// element's value, and their counts.
#[pyfunction]
pub(crate) fn unique_all(
    array: Source<'_>,
) -> PyResult<(ResultArray, ResultArray, ResultArray, ResultArray)> {
    let _entered = frame::enter(array.py());
    let all = array.get().inner()?.unique_all().raise()?;
    Ok((
        ResultArray::own(all.values),
        ResultArray::own(all.indices.into_dyn()),
        ResultArray::own(all.inverse.into_dyn()),
        ResultArray::own(all.counts.into_dyn()),
    ))
}

/// Quantiles by linear interpolation: one more axis in front.
#[pyfunction]
#[pyo3(signature = (array, q, axis=None))]
pub(crate) fn quantile(
    array: Source<'_>,
    q: Vec<f64>,
    axis: Option<usize>,
) -> PyResult<ResultArray> {
    let _entered = frame::enter(array.py());
    Ok(ResultArray::own(
        array.get().inner()?.quantile(&q, axis).raise()?,
    ))
}

/// The convolution of two vectors: 0 full, 1 same, 2 valid.
#[pyfunction]
pub(crate) fn convolve(left: Source<'_>, right: Source<'_>, mode: usize) -> PyResult<ResultArray> {
    let overlap = [Overlap::Full, Overlap::Same, Overlap::Valid];
    let overlap = overlap
        .get(mode)
        .ok_or_else(|| unknown("mode", "of convolution"))?;
    let _entered = frame::enter(left.py());
    let made = left.get().inner()?.convolve(right.get().inner()?, *overlap);
    Ok(ResultArray::own(made.raise()?))
}
