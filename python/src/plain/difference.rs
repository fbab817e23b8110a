//! Differences of neighbours, unwrapped angles, gradients and cross products.

use std::f64::consts::PI;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use weft::DynArray;
use weft::dtype::{DType, Scalar};
use weft::kernel::{BinaryOp, ScanOp, UnaryOp};

use super::{array, axis_from_front, integer};
use crate::error::Raise;
use crate::kind::ResultArray;
use crate::primitive::weak_value;
use crate::{frame, ufunc};

/// `np.diff` along an axis, without further elements.
#[pyfunction]
pub(crate) fn diff_plain(
    object: &Bound<'_, PyAny>,
    times: &Bound<'_, PyAny>,
    axis: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let (Some(of), Some(times), Some(axis)) = (array(object), integer(times), integer(axis)) else {
        return Ok(None);
    };
    let inner = of.get().inner()?;
    let Some(axis) = axis_from_front(axis, inner.ndim()) else {
        return Ok(None);
    };
    if times < 1 || inner.is_empty() || ufunc::is_checked() {
        return Ok(None);
    }
    let times = inner.shape()[axis].min(times as usize);
    let _entered = frame::enter(object.py());
    Ok(Some(ResultArray::own(inner.diff(times, axis).raise()?)))
}

/// `np.ediff1d` of a vector, without further elements.
#[pyfunction]
pub(crate) fn ediff1d_plain(object: &Bound<'_, PyAny>) -> PyResult<Option<ResultArray>> {
    let Some(of) = array(object) else {
        return Ok(None);
    };
    let inner = of.get().inner()?;
    let is_plain = inner.ndim() == 1 && !inner.is_empty() && !inner.dtype().is_bool();
    if !is_plain || ufunc::is_checked() {
        return Ok(None);
    }
    let _entered = frame::enter(object.py());
    Ok(Some(ResultArray::own(inner.diff(1, 0).raise()?)))
}

/// `np.gradient` along all axes, of integers or of floats of 32 or 64 bits, with one Python number
/// as the distance of neighbours.
#[pyfunction]
pub(crate) fn gradient_plain<'py>(
    object: &Bound<'py, PyAny>,
    distance: &Bound<'_, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(of) = array(object) else {
        return Ok(None);
    };
    let (py, inner) = (object.py(), of.get().inner()?);
    let dtype = inner.dtype();
    let is_plain = (dtype.is_integer() || matches!(dtype, DType::F32 | DType::F64))
        && inner.ndim() > 0
        && inner.shape().iter().all(|length| *length > 1)
        && !ufunc::is_checked();
    let Some(Scalar::F64(distance)) = weak_value(distance, DType::F64)? else {
        return Ok(None);
    };
    if !is_plain {
        return Ok(None);
    }
    let _entered = frame::enter(py);
    let values = match dtype.is_integer() {
        true => &inner.cast(DType::F64).raise()?,
        false => inner,
    };
    let along = |axis| ResultArray::own(values.gradient(distance, axis).raise()?).bind(py);
    if inner.ndim() == 1 {
        return along(0).map(Some);
    }
    let all: Vec<Bound<'py, PyAny>> = (0..inner.ndim()).map(along).collect::<PyResult<_>>()?;
    Ok(Some(PyTuple::new(py, all)?.into_any()))
}

/// `np.cross` along the last axis of two arrays of one shape and dtype, whose vectors have three
/// elements.
#[pyfunction]
pub(crate) fn cross_plain(
    left: &Bound<'_, PyAny>,
    right: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let (Some(a), Some(b)) = (array(left), array(right)) else {
        return Ok(None);
    };
    let (a, b): (&DynArray, &DynArray) = (a.get().inner()?, b.get().inner()?);
    let is_plain = a.dtype() == b.dtype()
        && !a.dtype().is_bool()
        && a.shape() == b.shape()
        && a.shape().last() == Some(&3)
        && !a.is_empty()
        && !ufunc::is_checked();
    if !is_plain {
        return Ok(None);
    }
    let _entered = frame::enter(left.py());
    Ok(Some(ResultArray::own(a.cross(b).raise()?)))
}

/// `np.unwrap` of angles of `float64` in radians.
pub(crate) fn unwrap_plain(
    object: &Bound<'_, PyAny>,
    axis: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let (Some(of), Some(axis)) = (array(object), integer(axis)) else {
        return Ok(None);
    };
    let inner = of.get().inner()?;
    let Some(axis) = axis_from_front(axis, inner.ndim()) else {
        return Ok(None);
    };
    let length = inner.shape()[axis];
    let is_plain = inner.dtype() == DType::F64 && !inner.is_empty() && length > 1;
    if !is_plain || ufunc::is_checked() {
        return Ok(None);
    }
    let _entered = frame::enter(object.py());
    let with =
        |op, left: &DynArray, value: f64| DynArray::binary(op, left, Scalar::F64(value)).raise();
    let both = |op, left: &DynArray, right: &DynArray| DynArray::binary(op, left, right).raise();
    let steps = inner.diff(1, axis).raise()?;
    let turned = with(BinaryOp::Sub, &steps, -PI)?;
    let turned = with(BinaryOp::Rem, &turned, 2.0 * PI)?;
    let turned = with(BinaryOp::Add, &turned, -PI)?;
    // Half a turn has the direction of the step.
    let is_half = with(BinaryOp::Equal, &turned, -PI)?;
    let is_up = with(BinaryOp::Greater, &steps, 0.0)?;
    let is_half_up = both(BinaryOp::LogicalAnd, &is_half, &is_up)?;
    let turned = DynArray::select(&is_half_up, Scalar::F64(PI), &turned).raise()?;
    let missing = both(BinaryOp::Sub, &turned, &steps)?;
    let is_small = with(BinaryOp::Less, &steps.unary(UnaryOp::Abs).raise()?, PI)?;
    let missing = DynArray::select(&is_small, Scalar::F64(0.0), &missing).raise()?;
    let missing = missing.scan(ScanOp::CumSum, Some(axis)).raise()?;
    let part = |start: isize, count: usize| {
        let mut view = inner.viewing();
        view.range(axis, start, 1, count).raise()?;
        PyResult::Ok(view.done())
    };
    let others = both(BinaryOp::Add, &part(1, length - 1)?, &missing)?;
    let made = DynArray::concatenate(&[part(0, 1)?, others], axis).raise()?;
    Ok(Some(ResultArray::own(made)))
}
