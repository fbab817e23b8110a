//! Parts and angles of arrays of complex numbers.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use weft::DynArray;
use weft::dtype::Scalar;
use weft::kernel::{BinaryOp, UnaryOp};

use super::array;
use crate::array::Array;
use crate::error::Raise;
use crate::kind::ResultArray;
use crate::{frame, ufunc};

/// A complex array with axes.
fn complex<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<Option<&'a DynArray>> {
    let Some(of) = array(object) else {
        return Ok(None);
    };
    if !of.get().element_type().is_complex() || ufunc::is_checked() {
        return Ok(None);
    }
    let inner = of.get().inner()?;
    Ok((inner.ndim() > 0).then_some(inner))
}

/// The real or imaginary parts of an array: a copy that follows it.
pub(crate) fn part_plain(
    object: &Bound<'_, PyAny>,
    name: &'static str,
    op: UnaryOp,
) -> PyResult<Option<ResultArray>> {
    let (Some(of), Some(whole)) = (complex(object)?, array(object)) else {
        return Ok(None);
    };
    let py = object.py();
    let functions = PARTS.get_or_try_init(py, || {
        let functions = py.import("weft.numpy._methods")?.getattr("PARTS")?;
        PyResult::Ok(functions.cast_into::<PyDict>()?.unbind())
    })?;
    let Some(functions) = functions.bind(py).get_item(name)? else {
        return Ok(None);
    };
    let writes = of.writes().unwrap_or(0);
    let _entered = frame::enter(py);
    let copy = of.unary(op).raise()?;
    let part = Array::part(whole, copy, functions.extract::<[Py<PyAny>; 2]>()?, writes);
    Ok(Some(part.into()))
}

/// The functions in Python that make a copy of a part and write one back, by name.
static PARTS: PyOnceLock<Py<PyDict>> = PyOnceLock::new();

/// `np.angle` in radians.
pub(crate) fn angle_plain(object: &Bound<'_, PyAny>) -> PyResult<Option<ResultArray>> {
    let Some(of) = complex(object)? else {
        return Ok(None);
    };
    let _entered = frame::enter(object.py());
    let (real, imag) = (
        of.unary(UnaryOp::Real).raise()?,
        of.unary(UnaryOp::Imag).raise()?,
    );
    let made = DynArray::binary(BinaryOp::Atan2, &imag, &real).raise()?;
    Ok(Some(ResultArray::own(made)))
}

/// `np.isreal`, or `np.iscomplex` with `op` for inequality.
pub(crate) fn compare_imag_plain(
    object: &Bound<'_, PyAny>,
    op: BinaryOp,
) -> PyResult<Option<ResultArray>> {
    let Some(of) = complex(object)? else {
        return Ok(None);
    };
    let _entered = frame::enter(object.py());
    let imag = of.unary(UnaryOp::Imag).raise()?;
    let zero = Scalar::F64(0.0).cast(imag.dtype());
    let made = DynArray::binary(op, &imag, zero).raise()?;
    Ok(Some(ResultArray::own(made)))
}
