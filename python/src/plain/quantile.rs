//! Quantiles, and bounds without NaN.

use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt};
use smallvec::{SmallVec, smallvec};
use weft::DynArray;
use weft::dtype::{DType, Scalar};
use weft::kernel::{BinaryOp, ReduceOp, UnaryOp};

use super::items;
use super::reduce::{Line, is_any};
use crate::error::Raise;
use crate::kind::ResultArray;
use crate::{frame, ufunc};

/// Floats whose quantiles are plain calls: those of 64 bits, or with `takes_single` of 32 bits.
fn is_plain(line: &Line<'_>, takes_single: bool) -> bool {
    let dtype = line.inner.dtype();
    !ufunc::is_checked() && (dtype == DType::F64 || (takes_single && dtype == DType::F32))
}

/// The elements of all lines that are not NaN, as a vector; `None` if there are several lines, or
/// only NaN.
fn without_nan(line: &Line<'_>) -> PyResult<Option<DynArray>> {
    if line.axis.is_some() && line.inner.ndim() > 1 {
        return Ok(None);
    }
    let of: &DynArray = &line.inner;
    let is_number = DynArray::binary(BinaryOp::Equal, of, of).raise()?;
    let numbers = of.take_where(&is_number).raise()?;
    Ok((!numbers.is_empty()).then_some(numbers))
}

/// `np.median` of floats of 32 or 64 bits, or with `skips_nan` `np.nanmedian` of a vector or of all
/// elements.
#[pyfunction]
pub(crate) fn median_plain(
    object: &Bound<'_, PyAny>,
    axis: &Bound<'_, PyAny>,
    skips_nan: bool,
) -> PyResult<Option<Py<PyAny>>> {
    let line = Line::from_arguments(object, axis)?;
    let Some(line) = line.filter(|line| is_plain(line, true)) else {
        return Ok(None);
    };
    let py = object.py();
    let _entered = frame::enter(py);
    let made = match skips_nan {
        false => line.inner.median(line.axis).raise()?,
        true => match without_nan(&line)? {
            Some(numbers) => numbers.median(Some(0)).raise()?,
            None => return Ok(None),
        },
    };
    // NumPy ends with a mean, in which zeros have no sign.
    let zero = Scalar::zero(made.dtype());
    let made = DynArray::binary(BinaryOp::Add, &made, zero).raise()?;
    line.deliver(py, made, false).map(Some)
}

/// The quantiles of an argument: a Python number, or a list or tuple of them. The result says
/// whether it is one number.
fn quantiles(object: &Bound<'_, PyAny>, scale: f64) -> Option<(SmallVec<[f64; 4]>, bool)> {
    let one = |object: &Bound<'_, PyAny>| -> Option<f64> {
        // NumPy reads the elements at whole places without interpolation if quantiles are integers.
        let is_number = object.is_exact_instance_of::<PyFloat>()
            || (scale != 1.0 && object.is_exact_instance_of::<PyInt>());
        let q = is_number.then(|| object.extract::<f64>().ok())?? / scale;
        (0.0..=1.0).contains(&q).then_some(q)
    };
    match items(object) {
        Some(items) => {
            let all: Option<SmallVec<[f64; 4]>> = items.iter().map(one).collect();
            all.filter(|all| !all.is_empty()).map(|all| (all, false))
        }
        None => one(object).map(|q| (smallvec![q], true)),
    }
}

/// `np.quantile` of `float64` by the method "linear", for numbers up to `scale` in place of 1; or
/// with `skips_nan` `np.nanquantile` of a vector or of all elements.
#[pyfunction]
pub(crate) fn quantile_plain(
    object: &Bound<'_, PyAny>,
    q: &Bound<'_, PyAny>,
    scale: f64,
    axis: &Bound<'_, PyAny>,
    skips_nan: bool,
) -> PyResult<Option<Py<PyAny>>> {
    let line = Line::from_arguments(object, axis)?;
    let Some(line) = line.filter(|line| is_plain(line, false)) else {
        return Ok(None);
    };
    let Some((q, is_one)) = quantiles(q, scale) else {
        return Ok(None);
    };
    let py = object.py();
    let _entered = frame::enter(py);
    let made = match skips_nan {
        false => line.inner.quantile(&q, line.axis).raise()?,
        true => match without_nan(&line)? {
            Some(numbers) => numbers.quantile(&q, Some(0)).raise()?,
            None => return Ok(None),
        },
    };
    if !is_one {
        return Ok(Some(ResultArray::own(made).bind(py)?.unbind()));
    }
    let mut only = made.viewing();
    only.at(0, 0).raise()?;
    line.deliver(py, only.done(), false).map(Some)
}

/// `np.nanmin`, `np.nanmax`, `np.nanargmin` or `np.nanargmax` of floats of 32 or 64 bits, of which
/// each line has a finite one.
#[pyfunction]
pub(crate) fn nan_bound_plain(
    object: &Bound<'_, PyAny>,
    name: &str,
    axis: &Bound<'_, PyAny>,
    keeps_axes: bool,
) -> PyResult<Option<Py<PyAny>>> {
    let (bound, place) = match name {
        "nanmin" => (ReduceOp::FMin, None),
        "nanmax" => (ReduceOp::FMax, None),
        "nanargmin" => (ReduceOp::Min, Some((ReduceOp::ArgMin, f64::INFINITY))),
        "nanargmax" => (ReduceOp::Max, Some((ReduceOp::ArgMax, f64::NEG_INFINITY))),
        _ => return Ok(None),
    };
    let line = Line::from_arguments(object, axis)?;
    let Some(line) = line.filter(|line| is_plain(line, true)) else {
        return Ok(None);
    };
    let py = object.py();
    let _entered = frame::enter(py);
    let is_nan = |of: &DynArray| of.unary(UnaryOp::IsNan).raise();
    let Some((place, worst)) = place else {
        let best = line.reduce(&line.inner, bound)?;
        // A line may have only NaN.
        return match is_any(py, &is_nan(&best)?)? {
            true => Ok(None),
            false => line.deliver(py, best, keeps_axes).map(Some),
        };
    };
    let worst = Scalar::F64(worst).cast(line.inner.dtype());
    let numbers = DynArray::select(&is_nan(&line.inner)?, worst, &*line.inner).raise()?;
    let best = line.reduce(&numbers, bound)?;
    // Here too, and a NaN may be before the first infinity.
    let is_worst = DynArray::binary(BinaryOp::Equal, &best, worst).raise()?;
    if is_any(py, &is_worst)? {
        return Ok(None);
    }
    let made = line.reduce(&numbers, place)?;
    line.deliver(py, made, keeps_axes).map(Some)
}
