//! Reductions along one axis or all axes, and running results.

use std::borrow::Cow;

use pyo3::prelude::*;
use weft::DynArray;
use weft::dtype::{DType, Scalar};
use weft::kernel::{BinaryOp, ReduceOp, ScanOp, UnaryOp};

use super::{Axis, array};
use crate::error::Raise;
use crate::kind::{self, FEW, ResultArray};
use crate::primitive::weak_value;
use crate::{frame, run, ufunc};

/// An array that is not empty, and the axis to reduce.
pub(super) struct Line<'a> {
    pub(super) inner: Cow<'a, DynArray>,
    pub(super) axis: Option<usize>,
}

impl<'a> Line<'a> {
    pub(super) fn from_arguments(
        object: &'a Bound<'_, PyAny>,
        axis: &Bound<'_, PyAny>,
    ) -> PyResult<Option<Line<'a>>> {
        let Some(of) = array(object) else {
            return Ok(None);
        };
        let inner = of.get().values()?;
        let axis = Axis::from_argument(axis, inner.ndim());
        let line = axis.map(|axis| Line {
            inner,
            axis: axis.get(),
        });
        Ok(line.filter(|line| !line.inner.is_empty() && line.inner.ndim() > 0))
    }

    /// The number of elements of each result.
    fn count(&self) -> usize {
        match self.axis {
            None => self.inner.len(),
            Some(axis) => self.inner.shape()[axis],
        }
    }

    /// Whether results without axes are deferred to Python.
    fn is_deferred(&self) -> bool {
        self.inner.len() > FEW
    }

    pub(super) fn reduce(&self, of: &DynArray, op: ReduceOp) -> PyResult<DynArray> {
        of.reduce(op, self.axis).raise()
    }

    /// Returns a reduced array with axes of length 1 for the reduced ones, as NumPy's `keepdims`.
    fn keep_axes(&self, reduced: &DynArray) -> PyResult<DynArray> {
        let axes = match self.axis {
            None => 0..self.inner.ndim(),
            Some(axis) => axis..axis + 1,
        };
        let mut view = reduced.viewing();
        for axis in axes {
            view.insert(axis).raise()?;
        }
        Ok(view.done())
    }

    /// Returns a result as Python's functions return it, with the reduced axes if it `keeps_axes`.
    pub(super) fn deliver(
        &self,
        py: Python<'_>,
        made: DynArray,
        keeps_axes: bool,
    ) -> PyResult<Py<PyAny>> {
        match keeps_axes {
            true => Ok(ResultArray::own(self.keep_axes(&made)?).bind(py)?.unbind()),
            false => kind::wrap_array(py, made, self.is_deferred()),
        }
    }
}

/// The value of a result without axes, which is waited for.
fn value(py: Python<'_>, of: &DynArray) -> PyResult<Option<Scalar>> {
    match of.result() {
        Some(value) => Ok(Some(value)),
        None => Ok(run::read(py, of)?.first()),
    }
}

/// Whether an element is true.
pub(super) fn is_any(py: Python<'_>, of: &DynArray) -> PyResult<bool> {
    let any = match of.ndim() {
        0 => of.clone(),
        _ => of.reduce(ReduceOp::Any, None).raise()?,
    };
    Ok(value(py, &any)? != Some(Scalar::Bool(false)))
}

/// A reduction by NumPy's name: `sum`, `prod`, `min`, `max`, `all`, `any`, `argmin`, `argmax` or
/// `count_nonzero`.
#[pyfunction]
pub(crate) fn reduce_plain(
    object: &Bound<'_, PyAny>,
    name: &str,
    axis: &Bound<'_, PyAny>,
    keeps_axes: bool,
) -> PyResult<Option<Py<PyAny>>> {
    let Some(line) = Line::from_arguments(object, axis)? else {
        return Ok(None);
    };
    let Some(op) = ReduceOp::ALL.iter().find(|op| op.name() == name).copied() else {
        return Ok(None);
    };
    if !op.is_defined(line.inner.dtype()) {
        return Ok(None);
    }
    let py = object.py();
    let _entered = frame::enter(py);
    let made = line.reduce(&line.inner, op)?;
    line.deliver(py, made, keeps_axes).map(Some)
}

/// `np.cumsum` or `np.cumprod` along an axis; of all elements only if they are a vector.
#[pyfunction]
pub(crate) fn scan_plain(
    object: &Bound<'_, PyAny>,
    name: &str,
    axis: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let Some(line) = Line::from_arguments(object, axis)? else {
        return Ok(None);
    };
    let Some(op) = ScanOp::ALL.iter().find(|op| op.name() == name).copied() else {
        return Ok(None);
    };
    let axis = match line.axis {
        None if line.inner.ndim() > 1 => return Ok(None),
        axis => axis.unwrap_or(0),
    };
    let _entered = frame::enter(object.py());
    let made = line.inner.scan(op, Some(axis)).raise()?;
    Ok(Some(ResultArray::own(made)))
}

/// Divides a sum by a count, in the dtype of the sum.
fn divide(total: &DynArray, count: f64) -> PyResult<DynArray> {
    let count = Scalar::F64(count).cast(total.dtype());
    DynArray::binary(BinaryOp::Div, total, count).raise()
}

/// Casts an array to the floats in which its mean is computed; `None` for dtypes with their own
/// rules.
fn cast_to_floats(array: &DynArray) -> PyResult<Option<DynArray>> {
    match array.dtype() {
        DType::F32 | DType::F64 => Ok(Some(array.clone())),
        dtype if dtype.is_integer() || dtype == DType::Bool => {
            array.cast(DType::F64).raise().map(Some)
        }
        _ => Ok(None),
    }
}

/// `np.mean` of floats of 32 or 64 bits, integers or booleans.
#[pyfunction]
pub(crate) fn mean_plain(
    object: &Bound<'_, PyAny>,
    axis: &Bound<'_, PyAny>,
    keeps_axes: bool,
) -> PyResult<Option<Py<PyAny>>> {
    let Some(line) = Line::from_arguments(object, axis)? else {
        return Ok(None);
    };
    if ufunc::is_checked() {
        return Ok(None);
    }
    let py = object.py();
    let _entered = frame::enter(py);
    let Some(floats) = cast_to_floats(&line.inner)? else {
        return Ok(None);
    };
    let made = divide(&line.reduce(&floats, ReduceOp::Sum)?, line.count() as f64)?;
    line.deliver(py, made, keeps_axes).map(Some)
}

/// `np.average` of floats of 32 or 64 bits, with as many weights of their dtype or without weights.
pub(crate) fn average_plain(
    object: &Bound<'_, PyAny>,
    axis: &Bound<'_, PyAny>,
    weights: &Bound<'_, PyAny>,
) -> PyResult<Option<Py<PyAny>>> {
    if weights.is_none() {
        return mean_plain(object, axis, false);
    }
    let (Some(line), Some(weights)) = (Line::from_arguments(object, axis)?, array(weights)) else {
        return Ok(None);
    };
    let weights = weights.get().inner()?;
    let is_plain = matches!(line.inner.dtype(), DType::F32 | DType::F64)
        && line.inner.dtype() == weights.dtype()
        && line.inner.shape() == weights.shape();
    if !is_plain || ufunc::is_checked() {
        return Ok(None);
    }
    let py = object.py();
    let _entered = frame::enter(py);
    let scale = line.reduce(weights, ReduceOp::Sum)?;
    let is_zero = DynArray::binary(BinaryOp::Equal, &scale, Scalar::zero(scale.dtype())).raise()?;
    // Python reports weights whose sum is 0.
    if is_any(py, &is_zero)? {
        return Ok(None);
    }
    let products = DynArray::binary(BinaryOp::Mul, &*line.inner, weights).raise()?;
    let total = line.reduce(&products, ReduceOp::Sum)?;
    let made = DynArray::binary(BinaryOp::Div, &total, &scale).raise()?;
    line.deliver(py, made, false).map(Some)
}

/// `np.var`, or with `is_root` `np.std`, of floats of 32 or 64 bits, integers or booleans.
#[pyfunction]
pub(crate) fn var_plain(
    object: &Bound<'_, PyAny>,
    axis: &Bound<'_, PyAny>,
    ddof: &Bound<'_, PyAny>,
    is_root: bool,
    keeps_axes: bool,
) -> PyResult<Option<Py<PyAny>>> {
    let (Some(line), Some(ddof)) = (
        Line::from_arguments(object, axis)?,
        super::integer(ddof).and_then(|ddof| usize::try_from(ddof).ok()),
    ) else {
        return Ok(None);
    };
    if ufunc::is_checked() || ddof >= line.count() {
        return Ok(None);
    }
    let py = object.py();
    let _entered = frame::enter(py);
    let Some(floats) = cast_to_floats(&line.inner)? else {
        return Ok(None);
    };
    let middle = divide(&line.reduce(&floats, ReduceOp::Sum)?, line.count() as f64)?;
    let middle = line.keep_axes(&middle)?;
    // A temporary that is dropped before the sum is submitted is never written to memory.
    let square = {
        let distance = DynArray::binary(BinaryOp::Sub, &floats, &middle).raise()?;
        DynArray::binary(BinaryOp::Mul, &distance, &distance).raise()?
    };
    let total = line.reduce(&square, ReduceOp::Sum)?;
    drop(square);
    let made = divide(&total, (line.count() - ddof) as f64)?;
    let made = match is_root {
        true => made.unary(UnaryOp::Sqrt).raise()?,
        false => made,
    };
    line.deliver(py, made, keeps_axes).map(Some)
}

/// `np.trapezoid` of `float64` along the last axis, for points with a distance that is a Python
/// number.
#[pyfunction]
pub(crate) fn trapezoid_plain(
    object: &Bound<'_, PyAny>,
    distance: &Bound<'_, PyAny>,
) -> PyResult<Option<Py<PyAny>>> {
    let Some(of) = array(object) else {
        return Ok(None);
    };
    let inner = of.get().inner()?;
    let Some(&length) = inner.shape().last() else {
        return Ok(None);
    };
    let distance = weak_value(distance, inner.dtype())?;
    let (DType::F64, Some(distance)) = (inner.dtype(), distance) else {
        return Ok(None);
    };
    if inner.is_empty() || length < 2 || ufunc::is_checked() {
        return Ok(None);
    }
    let axis = inner.ndim() - 1;
    let line = Line {
        inner: Cow::Borrowed(inner),
        axis: Some(axis),
    };
    let py = object.py();
    let _entered = frame::enter(py);
    let part = |first: isize| {
        let mut view = inner.viewing();
        view.range(axis, first, 1, length - 1).raise()?;
        PyResult::Ok(view.done())
    };
    // Temporaries that are dropped before the sum is submitted are never written to memory.
    let halves = {
        let sums = DynArray::binary(BinaryOp::Add, &part(1)?, &part(0)?).raise()?;
        let areas = DynArray::binary(BinaryOp::Mul, distance, &sums).raise()?;
        DynArray::binary(BinaryOp::Div, &areas, Scalar::F64(2.0)).raise()?
    };
    let made = line.reduce(&halves, ReduceOp::Sum)?;
    line.deliver(py, made, false).map(Some)
}
