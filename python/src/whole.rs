//! Calls that are several operations, and change an array by what it held before.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use weft::DynArray;
use weft::runtime;

use crate::array::Array;

/// How long a thread waits until it looks again whether another one has ended its call.
const SLEEP: Duration = Duration::from_micros(20);

/// Takes the turns of these arrays, once no other thread has them. Other threads of Python run meanwhile.
pub(crate) fn begin(py: Python<'_>, arrays: &[&DynArray]) -> runtime::Whole {
    loop {
        match DynArray::begin_whole(arrays) {
            Some(whole) => return whole,
            None => py.detach(|| std::thread::sleep(SLEEP)),
        }
    }
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
        let whole = begin(py, &arrays);
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
