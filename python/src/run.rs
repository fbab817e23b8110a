//! The runtime behind the arrays: starting, waiting, ending.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use weft::program::HostValue;
use weft::runtime::{Around, Slice};
use weft::{DynArray, Runtime};

use crate::error::Raise;
use crate::{frame, interrupt, pending};

/// The longest part of a wait between checks for signals.
const SLICE: Duration = Duration::from_millis(50);

/// Whether the runtime was started from here and has not been ended.
static STARTED: AtomicBool = AtomicBool::new(false);

/// Returns the runtime that new arrays belong to.
pub(crate) fn current() -> PyResult<Runtime> {
    let runtime = weft::runtime::current().raise()?;
    // Threads that call at the same time do not contend for the cache line.
    if !STARTED.load(Ordering::Relaxed) {
        STARTED.store(true, Ordering::Relaxed);
    }
    Ok(runtime)
}

/// Returns whether the runtime is running.
#[pyfunction]
pub(crate) fn has_started() -> bool {
    STARTED.load(Ordering::Relaxed)
}

/// Waits for a value. Other threads of Python run meanwhile, and Ctrl-C interrupts the wait.
pub(crate) fn read(py: Python<'_>, array: &DynArray) -> PyResult<HostValue> {
    let pending = array.request().raise()?;
    if !pending.is_ready() {
        in_slices(py, |most| pending.wait_for(most))?;
    }
    pending.value().raise()
}

/// Waits in slices until `wait_for` returns true, or a signal handler raises an exception.
pub(crate) fn in_slices(
    py: Python<'_>,
    wait_for: impl Fn(Duration) -> bool + Sync,
) -> PyResult<()> {
    while !py.detach(|| wait_for(SLICE)) {
        interrupt::watch();
        py.check_signals()
            .inspect_err(|raised| interrupt::note(py, raised))?;
    }
    Ok(())
}

/// The wait functions of the runtime's calls.
pub(crate) const AROUND: Around = Around {
    through: in_slices_to_the_end,
    until: in_slices_of_call,
};

/// Waits like [`in_slices`], within a call of the runtime that returns an error if a signal handler
/// raises one.
fn in_slices_of_call(wait_for: &Slice<'_>) -> bool {
    // A call may compute its result in another way after an exception has ended one wait.
    if interrupt::is_any_kept() {
        return false;
    }
    let waited = Python::try_attach(|py| in_slices(py, wait_for));
    match waited {
        Some(Ok(())) => true,
        Some(Err(error)) => {
            interrupt::keep(error);
            false
        }
        // After the interpreter has ended there are no signals: the runtime waits by itself.
        None => true,
    }
}

/// Takes the exception that interrupted the call that just returned.
pub(crate) fn interrupted() -> PyErr {
    interrupt::take_kept().unwrap_or_else(|| PyKeyboardInterrupt::new_err(()))
}

/// Waits within a call of the runtime that does not notice exceptions of signal handlers. They are
/// raised after the call. With `may_leave` an exception ends the wait.
fn in_slices_to_the_end(wait_for: &Slice<'_>, may_leave: bool) {
    let waited = Python::try_attach(|py| {
        interrupt::watch();
        loop {
            let is_left = may_leave && interrupt::is_any_later();
            if is_left || py.detach(|| wait_for(SLICE)) {
                return;
            }
            if let Err(raised) = py.check_signals() {
                interrupt::raise_later(py, raised);
            }
        }
    });
    // After the interpreter has ended there is no other thread to run, and no signal.
    if waited.is_none() {
        while !wait_for(SLICE) {}
    }
}

/// Starts the runtime with the flags of WEFT_CONFIG, if it is not running yet.
#[pyfunction]
pub(crate) fn start() -> PyResult<()> {
    current().map(drop)
}

/// Waits until all submitted operations are done. Failures are reported where results are read.
#[pyfunction]
pub(crate) fn wait_all(py: Python<'_>) -> PyResult<()> {
    let _entered = frame::enter(py);
    current()?.wait().raise()
}

/// Ends the run: waits for all operations, unless Ctrl-C interrupts the wait, and completes the
/// profile.
#[pyfunction]
pub(crate) fn finish(py: Python<'_>) -> PyResult<()> {
    pending::settle()?;
    if has_started()
        && let Err(error @ weft::Error::Interrupted) = current()?.wait()
    {
        return Err(error).raise();
    }
    STARTED.store(false, Ordering::Relaxed);
    py.detach(weft::finish).raise().map(drop)
}

/// Ends the run of a failed program: operations that have not begun never run, and the profile is
/// completed. Ctrl-C during the wait ends the process.
#[pyfunction]
pub(crate) fn abandon(py: Python<'_>) {
    STARTED.store(false, Ordering::Relaxed);
    weft::runtime::heed_no_more();
    py.detach(weft::runtime::abandon);
}

/// Ends the process immediately, by the signal of Ctrl-C.
#[pyfunction]
pub(crate) fn end_by_signal() {
    weft::runtime::end_by_signal();
}

/// Ends the run of a program interrupted by Ctrl-C where no exception can be raised. The process
/// ends by the signal when the interpreter has ended.
#[pyfunction]
pub(crate) fn abandon_interrupted(py: Python<'_>) {
    STARTED.store(false, Ordering::Relaxed);
    py.detach(weft::runtime::abandon_interrupted);
}

/// The state of the memories, one dictionary each.
#[pyfunction]
pub(crate) fn pool_status(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    current()?;
    let memories = PyList::empty(py);
    for pool in weft::pool_status() {
        let entry = PyDict::new(py);
        entry.set_item("memory", pool.memory.to_string())?;
        entry.set_item("number", pool.number)?;
        entry.set_item("capacity", pool.capacity)?;
        entry.set_item("live", pool.live)?;
        entry.set_item("peak", pool.peak)?;
        entry.set_item("free", pool.free)?;
        entry.set_item("largest_free", pool.largest_free)?;
        entry.set_item("kept", pool.kept)?;
        memories.append(entry)?;
    }
    Ok(memories)
}
