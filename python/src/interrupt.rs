//! Signals: exceptions of their handlers while the runtime waits within a call, and Ctrl-C.
//!
//! A call that waits for room, or for an operation on shared memory, cannot return an error,
//! because it may consist of several operations that belong together. So exceptions of handlers are
//! raised when the call has returned, where Python raises those of handlers. A second Ctrl-C before
//! that ends the process at once.
//!
//! The runtime counts every Ctrl-C with its own handler, which runs before Python's. If a
//! program installs another handler, waits install the runtime's in front again.

#![allow(
    unsafe_code,
    reason = "handlers of signals and pending calls are only in the C interfaces"
)]

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::{PyException, PyKeyboardInterrupt};
use pyo3::ffi;
use pyo3::prelude::*;

/// The exception of a handler in a wait, until Python raises it.
static LATER: Mutex<Option<PyErr>> = Mutex::new(None);
/// Whether an exception is stored.
static HAS_LATER: AtomicBool = AtomicBool::new(false);

fn later() -> MutexGuard<'static, Option<PyErr>> {
    LATER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns whether an exception will be raised when the call returns. Later waits of the call are
/// then as short as possible.
pub(crate) fn is_any_later() -> bool {
    HAS_LATER.load(Ordering::Relaxed)
}

thread_local! {
    /// The exception that a handler raised during a wait within a call of the runtime, until the
    /// call returns.
    static KEPT: Cell<Option<PyErr>> = const { Cell::new(None) };
    /// Whether a handler has raised an exception in a wait since [`unless_raised`] began.
    static IS_RAISED: Cell<bool> = const { Cell::new(false) };
}

/// Keeps an exception that has ended a wait, for the error that the call of the runtime returns. If
/// the call returns none, because it computed its result in another way, the exception is raised
/// where Python raises those of handlers.
pub(crate) fn keep(raised: PyErr) {
    // A thread that is ending raises nothing.
    let _ = KEPT.try_with(|kept| kept.set(Some(raised)));
    extern "C" fn raise(_: *mut c_void) -> c_int {
        match take_kept() {
            Some(error) => {
                Python::attach(|py| error.restore(py));
                -1
            }
            None => 0,
        }
    }
    // SAFETY: the function lives as long as the process, and is called with the interpreter held.
    // If there is no room for it, the next wait of the thread returns the exception.
    unsafe { ffi::Py_AddPendingCall(Some(raise), ptr::null_mut()) };
}

/// Whether this thread keeps an exception. A thread that is ending keeps none.
pub(crate) fn is_any_kept() -> bool {
    let look = |kept: &Cell<Option<PyErr>>| {
        let raised = kept.take();
        let is_any = raised.is_some();
        kept.set(raised);
        is_any
    };
    KEPT.try_with(look).unwrap_or(false)
}

/// Takes the exception that this thread keeps.
pub(crate) fn take_kept() -> Option<PyErr> {
    KEPT.try_with(Cell::take).ok().flatten()
}

/// Calls a function whose errors do not matter, because its result is computed in another way.
/// Returns an error only if the handler of a signal raised it, or it is not an `Exception`.
pub(crate) fn unless_raised<T>(
    py: Python<'_>,
    call: impl FnOnce() -> PyResult<Option<T>>,
) -> PyResult<Option<T>> {
    IS_RAISED.set(false);
    match call() {
        Err(error) if IS_RAISED.get() || !error.is_instance_of::<PyException>(py) => Err(error),
        Err(_) => Ok(None),
        result => result,
    }
}

/// Notes an exception that a handler raised in a wait. Reports an interrupt to the runtime, which
/// drops operations that need not run any more.
pub(crate) fn note(py: Python<'_>, raised: &PyErr) {
    IS_RAISED.set(true);
    if raised.is_instance_of::<PyKeyboardInterrupt>(py) {
        weft::runtime::note_interrupt();
    }
}

/// Raises the exception of a handler when the running call has returned. The second of two
/// interrupts ends the process.
pub(crate) fn raise_later(py: Python<'_>, raised: PyErr) {
    note(py, &raised);
    let is_interrupt = |error: &PyErr| error.is_instance_of::<PyKeyboardInterrupt>(py);
    // No exception is dropped under the lock: its destructor may run Python code that comes here.
    let earlier = later().take();
    if earlier.as_ref().is_some_and(is_interrupt) && is_interrupt(&raised) {
        weft::runtime::end_by_signal();
    }
    if let Some(earlier) = earlier {
        let raised = raised.value(py).as_any();
        if let Err(error) = raised.setattr("__context__", earlier.value(py)) {
            error.write_unraisable(py, Some(raised));
        }
    }
    let other = later().replace(raised);
    HAS_LATER.store(true, Ordering::Relaxed);
    drop(other);
    extern "C" fn raise(_: *mut c_void) -> c_int {
        HAS_LATER.store(false, Ordering::Relaxed);
        let raised = later().take();
        Python::attach(|py| match raised {
            Some(error) => {
                error.restore(py);
                -1
            }
            None => 0,
        })
    }
    // SAFETY: the function lives as long as the process, and is called with the interpreter held.
    let is_queued = unsafe { ffi::Py_AddPendingCall(Some(raise), ptr::null_mut()) };
    if is_queued != 0 {
        // SAFETY: no preconditions. A stored exception is superseded by the signal.
        unsafe { ffi::PyErr_SetInterrupt() };
    }
}

type Handler = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);
type Simple = extern "C" fn(c_int);

/// The previous handler.
static BEFORE: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
/// The previous handler's flags.
static FLAGS: AtomicUsize = AtomicUsize::new(0);

/// Counts an interrupt, and calls the previous handler.
extern "C" fn count(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    weft::runtime::note_interrupt();
    let before = BEFORE.load(Ordering::Relaxed);
    if before.is_null() {
        return;
    }
    let takes_info = FLAGS.load(Ordering::Relaxed) & libc::SA_SIGINFO as usize != 0;
    // SAFETY: the address is that of a handler that the C library had for this signal, with these
    // flags.
    unsafe {
        match takes_info {
            true => std::mem::transmute::<*mut c_void, Handler>(before)(signal, info, context),
            false => std::mem::transmute::<*mut c_void, Simple>(before)(signal),
        }
    }
}

/// Makes the runtime count interrupts if a handler handles them. An interrupt that is ignored, or
/// ends the process, stays so.
pub(crate) fn watch() {
    let own = count as Handler as usize;
    // SAFETY: the structures are plain data that the C library fills and reads.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(libc::SIGINT, ptr::null(), &raw mut action) != 0 {
            return;
        }
        let before = action.sa_sigaction;
        if before == own || before == libc::SIG_DFL || before == libc::SIG_IGN {
            return;
        }
        // A handler installed after ours calls ours, which must not call it.
        let known = BEFORE.load(Ordering::Relaxed);
        if !known.is_null() && known.addr() != before {
            return;
        }
        BEFORE.store(ptr::with_exposed_provenance_mut(before), Ordering::Relaxed);
        FLAGS.store(action.sa_flags as usize, Ordering::Relaxed);
        action.sa_sigaction = own;
        action.sa_flags |= libc::SA_SIGINFO;
        libc::sigaction(libc::SIGINT, &raw const action, ptr::null_mut());
    }
}
