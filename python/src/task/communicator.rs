//! Exchanges between the tiles of a concurrent task. The calls are Python
//! (`python/weft/_communicator.py`), the exchange is Rust.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyList};
use weft::task::{Communicator, Context};

static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// The connection of a tile to the others.
#[pyclass(frozen, module = "weft._core", name = "Exchange")]
pub(crate) struct Exchange(Communicator);

#[pymethods]
impl Exchange {
    /// The number of the tile.
    #[getter]
    fn tile(&self) -> usize {
        self.0.tile()
    }

    /// The number of tiles.
    #[getter]
    fn tiles(&self) -> usize {
        self.0.tiles()
    }

    /// Sends a part to each tile, or one part to all, and returns the parts from all tiles. Other
    /// threads run meanwhile.
    fn exchange<'py>(
        &self,
        py: Python<'py>,
        call: &str,
        parts: Vec<PyBackedBytes>,
    ) -> PyResult<Bound<'py, PyList>> {
        let parts: Vec<Vec<u8>> = parts.iter().map(|part| part.to_vec()).collect();
        let all = py.detach(|| self.0.exchange_bytes(call, &parts));
        let all = all.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        PyList::new(py, all.iter().map(|part| PyBytes::new(py, part)))
    }
}

fn class(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    let class = CLASS.get_or_try_init(py, || {
        let class = py.import("weft._communicator")?.getattr("Communicator")?;
        Ok::<_, PyErr>(class.unbind())
    })?;
    Ok(class.bind(py))
}

/// Imports the class, so that bodies do not have to import anything.
pub(super) fn load(py: Python<'_>) -> PyResult<()> {
    class(py).map(drop)
}

/// Creates the communicator of a tile.
pub(super) fn make<'py>(py: Python<'py>, context: &Context<'_, '_>) -> PyResult<Bound<'py, PyAny>> {
    class(py)?.call1((Exchange(context.communicator()),))
}
