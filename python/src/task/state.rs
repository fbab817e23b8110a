//! The interpreter on the runtime's threads, and how long it can be used.
//!
//! A thread of the runtime gets a Python thread state at its first body and keeps it until the
//! thread ends: creating one for every body takes longer than a small body. At the end of the
//! program, running bodies are waited for before the interpreter ends (`end_tasks`), and none
//! begins afterwards: a thread that requests a dying interpreter's lock would be ended by it.

#![allow(unsafe_code, reason = "thread states are only in the C interface")]

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::ffi;
use pyo3::prelude::*;

use crate::error::Raise;
use crate::run;

/// The process that first called a task, or 0. A process forked from it has none of its bodies.
static CALLER: AtomicU32 = AtomicU32::new(0);
/// Whether the program is ending: calls of tasks are errors.
static CLOSING: AtomicBool = AtomicBool::new(false);
/// Whether the interpreter is ending: no body begins any more.
static ENDED: AtomicBool = AtomicBool::new(false);
/// The number of bodies that use the interpreter, or are about to check whether it has ended.
static BODIES: AtomicUsize = AtomicUsize::new(0);

/// Counts a body while it lives.
struct Counted;

impl Counted {
    fn begin() -> Counted {
        BODIES.fetch_add(1, Ordering::SeqCst);
        Counted
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        BODIES.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The thread state of a thread that Python did not start.
struct State(Cell<bool>);

thread_local! {
    static STATE: State = const { State(Cell::new(false)) };
}

impl State {
    /// Ensures that the thread has a thread state.
    fn keep(&self) {
        if self.0.get() {
            return;
        }
        // SAFETY: the interpreter lives: this is called by a counted body, before it has ended. A
        // thread of Python has a state already. What is counted up here is counted down by `drop`,
        // so that the pairs in between neither make nor delete the state.
        unsafe {
            if ffi::PyGILState_GetThisThreadState().is_null() {
                _ = ffi::PyGILState_Ensure();
                _ = ffi::PyEval_SaveThread();
                self.0.set(true);
            }
        }
    }
}

impl Drop for State {
    fn drop(&mut self) {
        let _counted = Counted::begin();
        if !self.0.get() || ENDED.load(Ordering::SeqCst) {
            // An interpreter that has ended has deleted the thread state.
            return;
        }
        // SAFETY: the interpreter lives, and does not end while this is counted. The state is that
        // of `keep`: the first release takes back the `Ensure` before it and stays attached, the
        // second one that of `keep`, and deletes the state.
        unsafe {
            _ = ffi::PyGILState_Ensure();
            ffi::PyGILState_Release(ffi::PyGILState_STATE::PyGILState_LOCKED);
            ffi::PyGILState_Release(ffi::PyGILState_STATE::PyGILState_UNLOCKED);
        }
    }
}

/// Runs a body with the interpreter; `None` if the interpreter has ended.
pub(super) fn attached<R>(body: impl FnOnce(Python<'_>) -> R) -> Option<R> {
    let _counted = Counted::begin();
    if ENDED.load(Ordering::SeqCst) {
        return None;
    }
    STATE.with(State::keep);
    Python::try_attach(body)
}

/// Checks that tasks can still be called, and records that one was.
///
/// # Errors
/// Returns an error if the program is ending.
pub(super) fn begin_call() -> PyResult<()> {
    // The bodies that are waited for may submit more.
    if CLOSING.load(Ordering::Relaxed) && !weft::runtime::is_in_body() {
        return Err(PyRuntimeError::new_err(
            "Python is ending: tasks cannot be called any more",
        ));
    }
    // Threads that call at the same time do not contend for the cache line.
    if CALLER.load(Ordering::Relaxed) == 0 {
        CALLER.store(std::process::id(), Ordering::Relaxed);
    }
    Ok(())
}

/// Returns whether tasks were called in a runtime that still runs.
#[pyfunction]
pub(crate) fn has_tasks() -> bool {
    CALLER.load(Ordering::Relaxed) == std::process::id() && run::has_started()
}

/// Waits for the called tasks, and lets no body begin from then on. Must be called before the
/// interpreter ends. Failures are reported where results are read, or at the end of the process.
#[pyfunction]
pub(crate) fn end_tasks(py: Python<'_>) -> PyResult<()> {
    CLOSING.store(true, Ordering::SeqCst);
    let waited = match has_tasks() {
        true => run::current().and_then(|runtime| runtime.wait().raise()),
        false => Ok(()),
    };
    ENDED.store(true, Ordering::SeqCst);
    let is_callers = CALLER.load(Ordering::Relaxed) == std::process::id();
    if waited.is_err() {
        // Bodies that submit more operations end with an error.
        run::abandon_interrupted(py);
    }
    py.detach(|| {
        while is_callers && BODIES.load(Ordering::SeqCst) > 0 {
            std::thread::sleep(Duration::from_micros(50));
        }
    });
    waited
}
