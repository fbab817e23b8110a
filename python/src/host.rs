//! Work of NumPy that stands in for what Weft does not have, as an operation of the profile.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use weft::runtime::HostWork;

use crate::{frame, run};

/// A fallback under way, on the thread that asked for it. Operations that are asked for meanwhile are part of it.
#[pyclass(unsendable, module = "weft._core")]
pub(crate) struct Fallback {
    work: Option<HostWork>,
}

#[pymethods]
impl Fallback {
    /// Begins one.
    #[new]
    fn new(py: Python<'_>) -> PyResult<Fallback> {
        let _entered = frame::enter(py);
        Ok(Fallback {
            work: Some(run::current()?.host_work("fallback")),
        })
    }

    /// Calls a function, whose time is the time of the work itself.
    fn run<'py>(
        &mut self,
        function: &Bound<'py, PyAny>,
        args: &Bound<'py, PyTuple>,
        kwargs: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let work = self
            .work
            .as_mut()
            .ok_or_else(|| PyRuntimeError::new_err("this fallback has ended"))?;
        work.run(|| function.call(args, Some(kwargs)))
    }

    /// Records it: the function's name, and the bytes that were copied for it and from it.
    fn finish(&mut self, name: &str, read: u64, written: u64) {
        if let Some(work) = self.work.take() {
            work.finish(name, read, written);
        }
    }
}
