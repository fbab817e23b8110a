//! Results of unknown length: the class that a body adds elements to is Python
//! (`python/weft/_found.py`).

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyBytes;
use weft::task::BodyArgument;

use crate::dtype;

static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// Imports the class, so that bodies do not have to import anything.
pub(super) fn load(py: Python<'_>) -> PyResult<()> {
    class(py).map(drop)
}

fn class(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    let class = CLASS.get_or_try_init(py, || {
        let class = py.import("weft._found")?.getattr("Found")?;
        Ok::<_, PyErr>(class.unbind())
    })?;
    Ok(class.bind(py))
}

/// Creates the object that a body adds a parameter's elements to.
pub(super) fn make<'py>(
    py: Python<'py>,
    given: &BodyArgument<'_, '_>,
) -> PyResult<Bound<'py, PyAny>> {
    let dtype = given.parameter().dtype.unwrap_or(given.dtype());
    class(py)?.call1((given.name(), dtype::to_numpy(py, dtype)?))
}

/// Passes on the elements that a body has added to each of these objects.
pub(super) fn put(
    found: &[(usize, Bound<'_, PyAny>)],
    given: &mut [BodyArgument<'_, '_>],
) -> PyResult<()> {
    for (at, found) in found {
        let bytes = found.call_method0("_bytes")?;
        let put = given[*at].set_found(bytes.cast::<PyBytes>()?.as_bytes());
        put.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    }
    Ok(())
}
