//! Calls of several operations that change an array depending on its previous contents.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use weft::DynArray;
use weft::runtime::{self, TurnRequest, Waiting};

use crate::array::Array;
use crate::run;

/// The interval at which a waiting thread checks whether another one has ended its call.
const SLEEP: Duration = Duration::from_micros(20);

/// Takes the turns of these arrays, once no other thread has them. Other threads of Python run
/// during the wait.
///
/// # Errors
/// Returns an error if a signal raised an exception during the wait, or another thread that has a
/// turn waits for one that this thread has.
pub(crate) fn begin(py: Python<'_>, arrays: &[&DynArray]) -> PyResult<runtime::Whole> {
    begin_with(py, arrays, false)
}

/// Takes the turns to bring a copy up to date. If threads wait for each other in a circle, one of
/// them does this for the one that it waits for.
///
/// # Errors
/// Returns an error if a signal raised an exception during the wait.
pub(crate) fn begin_update(py: Python<'_>, arrays: &[&DynArray]) -> PyResult<runtime::Whole> {
    begin_with(py, arrays, true)
}

fn begin_with(py: Python<'_>, arrays: &[&DynArray], may_act: bool) -> PyResult<runtime::Whole> {
    if let Some(whole) = DynArray::begin_whole(arrays) {
        return Ok(whole);
    }
    // `Whole` and `Waiting` belong to this thread, which the closure does not leave.
    let begun = Mutex::new(TurnRequest::Busy);
    let waiting = Waiting::new(may_act);
    run::in_slices(py, |most| {
        let until = Instant::now() + most;
        loop {
            let new = DynArray::begin_whole_or_wait(arrays, &waiting);
            if !matches!(new, TurnRequest::Busy) {
                *begun.lock().unwrap_or_else(PoisonError::into_inner) = new;
                return true;
            }
            if Instant::now() >= until {
                return false;
            }
            std::thread::sleep(SLEEP);
        }
    })?;
    match begun.into_inner().unwrap_or_else(PoisonError::into_inner) {
        TurnRequest::All(whole) => Ok(whole),
        TurnRequest::Busy | TurnRequest::Circle => Err(PyRuntimeError::new_err(
            "this thread and another one each change an array in a call that has not ended, and need the other's; \
             let one thread end its call before the other starts, as with a lock",
        )),
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
        let arrays = self.arrays.iter().map(|array| array.get());
        let whole = Array::begin_change(py, arrays)?;
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
