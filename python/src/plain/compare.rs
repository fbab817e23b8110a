//! Equality of arrays.

use pyo3::prelude::*;
use weft::DynArray;
use weft::dtype::{DType, Scalar};
use weft::kernel::{BinaryOp, ReduceOp};
use weft::program::Tolerance;

use super::array;
use crate::error::Raise;
use crate::kind::ResultArray;
use crate::primitive::weak_value;
use crate::{frame, run, ufunc};

/// Whether all elements of a mask are set. Waits for them.
pub(super) fn all(py: Python<'_>, mask: &DynArray) -> PyResult<bool> {
    let all = mask.reduce(ReduceOp::All, None).raise()?;
    let value = match all.result() {
        Some(value) => Some(value),
        None => run::read(py, &all)?.first(),
    };
    Ok(value.is_none_or(|value| value.to::<bool>()))
}

/// `np.array_equal` of two arrays of one dtype.
#[pyfunction]
pub(crate) fn array_equal_plain(
    left: &Bound<'_, PyAny>,
    right: &Bound<'_, PyAny>,
) -> PyResult<Option<bool>> {
    let (Some(a), Some(b)) = (array(left), array(right)) else {
        return Ok(None);
    };
    let (a, b) = (a.get().inner()?, b.get().inner()?);
    if a.dtype() != b.dtype() || ufunc::is_checked() {
        return Ok(None);
    }
    if a.shape() != b.shape() {
        return Ok(Some(false));
    }
    let _entered = frame::enter(left.py());
    let same = DynArray::binary(BinaryOp::Equal, a, b).raise()?;
    all(left.py(), &same).map(Some)
}

/// `np.array_equiv` of two arrays of one shape and dtype.
pub(crate) fn array_equiv_plain(
    left: &Bound<'_, PyAny>,
    right: &Bound<'_, PyAny>,
) -> PyResult<Option<bool>> {
    let (Some(a), Some(b)) = (array(left), array(right)) else {
        return Ok(None);
    };
    match a.get().layout()?.shape() == b.get().layout()?.shape() {
        true => array_equal_plain(left, right),
        false => Ok(None),
    }
}

/// A tolerance that a finite Python number gives.
fn limit(object: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    let value = weak_value(object, DType::F64)?;
    Ok(match value {
        Some(Scalar::F64(value)) if value.is_finite() => Some(value),
        _ => None,
    })
}

/// The result of `np.isclose` for two arrays of one shape, of floats of 32 or 64 bits.
fn close(
    left: &Bound<'_, PyAny>,
    right: &Bound<'_, PyAny>,
    relative: &Bound<'_, PyAny>,
    absolute: &Bound<'_, PyAny>,
    equal_nan: bool,
) -> PyResult<Option<DynArray>> {
    let (Some(a), Some(b)) = (array(left), array(right)) else {
        return Ok(None);
    };
    let (a, b) = (a.get().inner()?, b.get().inner()?);
    let is_plain = a.dtype() == b.dtype()
        && matches!(a.dtype(), DType::F32 | DType::F64)
        && a.shape() == b.shape()
        && a.ndim() > 0
        && !ufunc::is_checked();
    let (Some(relative), Some(absolute)) = (limit(relative)?, limit(absolute)?) else {
        return Ok(None);
    };
    if !is_plain {
        return Ok(None);
    }
    let tolerance = Tolerance {
        relative,
        absolute,
        equal_nan,
    };
    a.isclose(b, tolerance).raise().map(Some)
}

/// `np.isclose` of two arrays of floats of one shape and dtype.
#[pyfunction]
pub(crate) fn isclose_plain(
    left: &Bound<'_, PyAny>,
    right: &Bound<'_, PyAny>,
    relative: &Bound<'_, PyAny>,
    absolute: &Bound<'_, PyAny>,
    equal_nan: bool,
) -> PyResult<Option<ResultArray>> {
    let _entered = frame::enter(left.py());
    Ok(close(left, right, relative, absolute, equal_nan)?.map(ResultArray::own))
}

/// `np.allclose` of two arrays of floats of one shape and dtype.
#[pyfunction]
pub(crate) fn allclose_plain(
    left: &Bound<'_, PyAny>,
    right: &Bound<'_, PyAny>,
    relative: &Bound<'_, PyAny>,
    absolute: &Bound<'_, PyAny>,
    equal_nan: bool,
) -> PyResult<Option<bool>> {
    let _entered = frame::enter(left.py());
    match close(left, right, relative, absolute, equal_nan)? {
        Some(mask) => all(left.py(), &mask).map(Some),
        None => Ok(None),
    }
}
