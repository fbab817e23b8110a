//! A call whose work is done by the next call that uses any array.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, Weak};

use pyo3::prelude::*;
use weft::runtime::is_in_body;

/// A call that has returned and whose work is still to be done.
pub(crate) trait Pending: Send + Sync {
    /// Whether this thread does the work: a signal's handler runs meanwhile.
    fn is_underway_here(&self) -> bool;

    /// Does the work, or waits until another thread has done it.
    ///
    /// # Errors
    /// A signal's handler raised an exception: the work is not done.
    fn settle(&self) -> PyResult<()>;
}

static PENDING: Mutex<Option<Weak<dyn Pending>>> = Mutex::new(None);
static IS_PENDING: AtomicBool = AtomicBool::new(false);

/// Leaves the work of a call to the next one.
pub(crate) fn defer(call: Weak<dyn Pending>) {
    *PENDING.lock().unwrap_or_else(PoisonError::into_inner) = Some(call);
    IS_PENDING.store(true, Ordering::Release);
}

/// Does the work of the pending call, if any, or waits until another thread has done it.
///
/// Bodies of tasks cannot write to arrays of the program, so they leave it alone.
///
/// # Errors
/// A signal's handler raised an exception. Errors of the runtime are raised when the result of the
/// pending call is used.
#[inline]
pub(crate) fn settle() -> PyResult<()> {
    if IS_PENDING.load(Ordering::Acquire) {
        return settle_pending();
    }
    Ok(())
}

#[cold]
fn settle_pending() -> PyResult<()> {
    if is_in_body() {
        return Ok(());
    }
    let lock = || PENDING.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(pending) = lock().clone() else {
        return Ok(());
    };
    if let Some(call) = pending.upgrade() {
        if call.is_underway_here() {
            return Ok(());
        }
        call.settle()?;
    }
    let mut latest = lock();
    if latest
        .as_ref()
        .is_some_and(|latest| latest.ptr_eq(&pending))
    {
        *latest = None;
        IS_PENDING.store(false, Ordering::Release);
    }
    Ok(())
}
