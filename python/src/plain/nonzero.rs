//! The places of elements that are not 0.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::array;
use crate::error::Raise;
use crate::frame;
use crate::kind::ResultArray;

/// `np.nonzero` of an array with axes.
#[pyfunction]
pub(crate) fn nonzero_plain<'py>(
    object: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyTuple>>> {
    let Some(of) = array(object) else {
        return Ok(None);
    };
    let (py, inner) = (object.py(), of.get().inner()?);
    if inner.ndim() == 0 {
        return Ok(None);
    }
    let _entered = frame::enter(py);
    let found = inner.nonzero().raise()?.into_iter();
    let found: Vec<Bound<'py, PyAny>> = found
        .map(|places| ResultArray::own(places).bind(py))
        .collect::<PyResult<_>>()?;
    PyTuple::new(py, found).map(Some)
}

/// `np.flatnonzero` of a vector.
pub(crate) fn flatnonzero_plain(object: &Bound<'_, PyAny>) -> PyResult<Option<ResultArray>> {
    let Some(of) = array(object) else {
        return Ok(None);
    };
    let inner = of.get().inner()?;
    if inner.ndim() != 1 {
        return Ok(None);
    }
    let _entered = frame::enter(object.py());
    Ok(Some(ResultArray::own(inner.flatnonzero().raise()?)))
}

/// `np.argwhere` of an array with axes.
pub(crate) fn argwhere_plain(object: &Bound<'_, PyAny>) -> PyResult<Option<ResultArray>> {
    let Some(of) = array(object) else {
        return Ok(None);
    };
    let inner = of.get().inner()?;
    if inner.ndim() == 0 {
        return Ok(None);
    }
    let _entered = frame::enter(object.py());
    Ok(Some(ResultArray::own(inner.argwhere().raise()?)))
}
