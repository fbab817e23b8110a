//! Reductions, running results, sorting and searching.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use weft::kernel::{ReduceOp, ScanOp};
use weft::program::{Overlap, Side};

use crate::array::Array;
use crate::error::Raise;
use crate::frame;

fn unknown(what: &str, name: &str) -> PyErr {
    PyValueError::new_err(format!("Weft has no {what} {name}"))
}

/// A reduction by NumPy's name, of all elements or along one axis.
#[pyfunction]
#[pyo3(signature = (array, name, axis=None))]
pub(crate) fn reduce(array: &Bound<'_, Array>, name: &str, axis: Option<usize>) -> PyResult<Array> {
    let op = ReduceOp::ALL.iter().find(|op| op.name() == name);
    let op = op.ok_or_else(|| unknown("reduction", name))?;
    let _entered = frame::enter(array.py());
    Ok(Array::own(array.get().inner()?.reduce(*op, axis).raise()?))
}

/// Running results along an axis: `cumsum` or `cumprod`.
#[pyfunction]
pub(crate) fn scan(array: &Bound<'_, Array>, name: &str, axis: usize) -> PyResult<Array> {
    let op = ScanOp::ALL.iter().find(|op| op.name() == name);
    let op = op.ok_or_else(|| unknown("scan", name))?;
    let _entered = frame::enter(array.py());
    Ok(Array::own(
        array.get().inner()?.scan(*op, Some(axis)).raise()?,
    ))
}

/// Each line along an axis in order.
#[pyfunction]
pub(crate) fn sort(array: &Bound<'_, Array>, axis: usize) -> PyResult<Array> {
    let _entered = frame::enter(array.py());
    Ok(Array::own(array.get().inner()?.sort(axis).raise()?))
}

/// The order of each line along an axis; equal elements keep theirs.
#[pyfunction]
pub(crate) fn argsort(array: &Bound<'_, Array>, axis: usize) -> PyResult<Array> {
    let _entered = frame::enter(array.py());
    Ok(Array::own(array.get().inner()?.argsort(axis).raise()?))
}

/// Where values would stand in a sorted vector.
#[pyfunction]
pub(crate) fn searchsorted(
    sorted: &Bound<'_, Array>,
    values: &Bound<'_, Array>,
    right: bool,
) -> PyResult<Array> {
    let side = if right { Side::Right } else { Side::Left };
    let _entered = frame::enter(sorted.py());
    let made = sorted
        .get()
        .inner()?
        .searchsorted(values.get().inner()?, side);
    Ok(Array::own(made.raise()?))
}

/// How often each number occurs, or the sums of its weights.
#[pyfunction]
#[pyo3(signature = (array, weights, least))]
pub(crate) fn bincount(
    array: &Bound<'_, Array>,
    weights: Option<&Bound<'_, Array>>,
    least: usize,
) -> PyResult<Array> {
    let _entered = frame::enter(array.py());
    let weights = weights.map(|weights| weights.get().inner()).transpose()?;
    let made = array.get().inner()?.bincount(weights, least);
    Ok(Array::own(made.raise()?))
}

/// How often each number below `bins` occurs, or the sums of its weights; there are no others.
#[pyfunction]
#[pyo3(signature = (array, weights, bins))]
pub(crate) fn bincount_below(
    array: &Bound<'_, Array>,
    weights: Option<&Bound<'_, Array>>,
    bins: usize,
) -> PyResult<Array> {
    let _entered = frame::enter(array.py());
    let weights = weights.map(|weights| weights.get().inner()).transpose()?;
    let made = array.get().inner()?.bincount_below(bins, weights);
    Ok(Array::own(made.raise()?))
}

/// The elements in order, each once.
#[pyfunction]
pub(crate) fn unique(array: &Bound<'_, Array>) -> PyResult<Array> {
    let _entered = frame::enter(array.py());
    Ok(Array::own(array.get().inner()?.unique().raise()?))
}

/// Quantiles by linear interpolation: one more axis in front.
#[pyfunction]
#[pyo3(signature = (array, q, axis=None))]
pub(crate) fn quantile(
    array: &Bound<'_, Array>,
    q: Vec<f64>,
    axis: Option<usize>,
) -> PyResult<Array> {
    let _entered = frame::enter(array.py());
    Ok(Array::own(array.get().inner()?.quantile(&q, axis).raise()?))
}

/// The convolution of two vectors: 0 full, 1 same, 2 valid.
#[pyfunction]
pub(crate) fn convolve(
    left: &Bound<'_, Array>,
    right: &Bound<'_, Array>,
    mode: usize,
) -> PyResult<Array> {
    let overlap = [Overlap::Full, Overlap::Same, Overlap::Valid];
    let overlap = overlap
        .get(mode)
        .ok_or_else(|| unknown("mode", "of convolution"))?;
    let _entered = frame::enter(left.py());
    let made = left.get().inner()?.convolve(right.get().inner()?, *overlap);
    Ok(Array::own(made.raise()?))
}
