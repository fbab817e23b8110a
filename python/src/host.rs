//! NumPy's work in place of functions that Weft lacks, as an operation of the profile.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use weft::runtime::HostWork;

use crate::on_thread::OnThread;
use crate::{frame, run};

/// A running fallback of the current thread. Operations submitted meanwhile become its children.
#[pyclass(module = "weft._core")]
pub(crate) struct Fallback {
    work: OnThread<HostWork>,
}

#[pymethods]
impl Fallback {
    /// Begins a fallback.
    #[new]
    fn new(py: Python<'_>) -> PyResult<Fallback> {
        let _entered = frame::enter(py);
        Ok(Fallback {
            work: OnThread::new(run::current()?.host_work("fallback")),
        })
    }

    /// Calls a function and adds its time to the fallback's own.
    fn run<'py>(
        &self,
        function: &Bound<'py, PyAny>,
        args: &Bound<'py, PyTuple>,
        kwargs: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let ended = || PyRuntimeError::new_err("this fallback has ended, or is of another thread");
        let mut work = self.work.take().ok_or_else(ended)?;
        let result = work.run(|| function.call(args, Some(kwargs)));
        self.work.put_back(work);
        result
    }

    /// Records the fallback: the function's name, and the bytes copied from and to Weft's arrays.
    fn finish(&self, name: &str, read: u64, written: u64) {
        if let Some(work) = self.work.take() {
            work.finish(name, read, written);
        }
    }
}
