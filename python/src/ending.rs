//! The end of the interpreter while daemon threads compute.
//!
//! Before version 3.14 the interpreter ends a daemon thread that takes its lock by unwinding the
//! thread's stack, which aborts the process if a function of this extension is on it. So threads
//! pause in calls of this package before the interpreter ends, without its lock: a thread that asks
//! for the lock afterwards waits forever, until the process ends.

#![allow(unsafe_code, reason = "registers a function with the interpreter")]

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// The longest wait for other threads: one that makes no call of this package never pauses.
const LONGEST: Duration = Duration::from_millis(30);

/// The thread that ends the interpreter, once it does.
static ENDING: OnceLock<ThreadId> = OnceLock::new();
/// The number of pauses that have begun.
static PAUSES: AtomicUsize = AtomicUsize::new(0);

/// The length of a pause. The interpreter ends sooner, unless a function that runs at exit waits
/// for this thread.
const PAUSE: Duration = Duration::from_secs(1);

/// Lets the calling thread pause once another one ends the interpreter.
#[inline]
pub(crate) fn pause(py: Python<'_>) {
    if let Some(ending) = ENDING.get() {
        wait(py, *ending);
    }
}

#[cold]
fn wait(py: Python<'_>, ending: ThreadId) {
    if thread::current().id() == ending {
        return;
    }
    py.detach(|| {
        PAUSES.fetch_add(1, Ordering::Relaxed);
        thread::sleep(PAUSE);
    });
}

/// Waits until `others` daemon threads pause in their next calls of this package, or for some
/// milliseconds: the calling thread is about to end the interpreter.
#[pyfunction]
pub(crate) fn pause_threads(py: Python<'_>, others: usize) {
    let _ = ENDING.set(thread::current().id());
    let begun = Instant::now();
    py.detach(|| {
        while PAUSES.load(Ordering::Relaxed) < others && begun.elapsed() < LONGEST {
            thread::sleep(Duration::from_millis(1));
        }
    });
}

/// Ends the runtimes before the libraries that the program has loaded. The interpreter calls the
/// function at its own end, before the C library runs functions that libraries have registered.
/// Ours, registered then, runs before theirs.
pub(crate) fn watch_interpreter() {
    extern "C" fn at_end() {
        weft::runtime::end_first_at_exit();
    }
    // SAFETY: the function calls nothing of the interpreter, does not unwind, and lives as long as
    // the process. If the interpreter has no room for it, the runtimes end as those of a Rust
    // program do.
    unsafe { pyo3::ffi::Py_AtExit(Some(at_end)) };
}
