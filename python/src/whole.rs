//! Calls that are several operations, and change an array by what it held before.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use weft::DynArray;
use weft::runtime;

use crate::array::Array;
use crate::run;

/// How long a thread waits until it looks again whether another one has ended its call.
const SLEEP: Duration = Duration::from_micros(20);

/// Takes the turns of these arrays, once no other thread has them. Other threads of Python run during the wait.
///
/// # Errors
/// A signal raised an exception during the wait.
pub(crate) fn begin(py: Python<'_>, arrays: &[&DynArray]) -> PyResult<runtime::Whole> {
    if let Some(whole) = DynArray::begin_whole(arrays) {
        return Ok(whole);
    }
    let taken = Mutex::new(None);
    run::in_slices(py, |most| {
        let until = Instant::now() + most;
        loop {
            let whole = DynArray::begin_whole(arrays);
            if whole.is_some() {
                *taken.lock().unwrap_or_else(PoisonError::into_inner) = whole;
                return true;
            }
            if Instant::now() >= until {
                return false;
            }
            std::thread::sleep(SLEEP);
        }
    })?;
    let taken = taken.into_inner().unwrap_or_else(PoisonError::into_inner);
    taken.ok_or_else(|| PyRuntimeError::new_err("the wait for another thread's call ended early"))
}

/// Within `with`, operations of other threads that write to these arrays wait.
#[pyclass(frozen, module = "weft._core")]
pub(crate) struct Whole {
    arrays: Vec<Py<Array>>,
    held: Mutex<Vec<runtime::Whole>>,
}

#[pymethods]
impl Whole {
    #[new]
    #[pyo3(signature = (*arrays))]
    fn new(arrays: &Bound<'_, PyTuple>) -> PyResult<Whole> {
        let arrays = arrays
            .iter()
            .map(|one| Ok(one.cast_into::<Array>()?.unbind()));
        Ok(Whole {
            arrays: arrays.collect::<PyResult<_>>()?,
            held: Mutex::default(),
        })
    }

    fn __enter__(&self, py: Python<'_>) -> PyResult<()> {
        let arrays = self.arrays.iter().map(|one| one.get().inner());
        let arrays = arrays.collect::<PyResult<Vec<_>>>()?;
        let whole = begin(py, &arrays)?;
        self.held
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(whole);
        Ok(())
    }

    #[pyo3(signature = (*_raised))]
    fn __exit__(&self, _raised: &Bound<'_, PyTuple>) -> bool {
        self.held
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        false
    }
}
