//! A call whose work is done by the next call that uses any array.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, Weak};

use pyo3::prelude::*;
use weft::runtime::is_in_body;

/// A call that has returned and whose work is still to be done.
pub(crate) trait Pending: Send + Sync {
    /// Whether this thread does the work: a signal's handler runs meanwhile.
    fn is_underway_here(&self) -> bool;

    /// Does the work, or waits until another thread has done it.
    ///
    /// # Errors
    /// Returns an error if a signal's handler raised an exception: the work is not done.
    fn settle(&self) -> PyResult<()>;
}

/// Calls whose work is to be done: one at most, unless several threads call at the same time.
static PENDING: Mutex<Vec<Weak<dyn Pending>>> = Mutex::new(Vec::new());
static IS_PENDING: AtomicBool = AtomicBool::new(false);

fn lock() -> MutexGuard<'static, Vec<Weak<dyn Pending>>> {
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Leaves the work of a call to the next one.
pub(crate) fn defer(call: Weak<dyn Pending>) {
    let mut pending = lock();
    pending.push(call);
    IS_PENDING.store(true, Ordering::Release);
}

/// Removes the calls that `is_done` or whose results are gone.
fn remove(
    is_done: impl Fn(&Weak<dyn Pending>) -> bool,
) -> MutexGuard<'static, Vec<Weak<dyn Pending>>> {
    let mut pending = lock();
    pending.retain(|call| call.strong_count() > 0 && !is_done(call));
    IS_PENDING.store(!pending.is_empty(), Ordering::Release);
    pending
}

/// Does the work of pending calls, if any, or waits until another thread has done it.
///
/// Bodies of tasks cannot write to arrays of the program, so they leave it alone.
///
/// # Errors
/// Returns an error if a signal's handler raised an exception. Errors of the runtime are raised
/// when the result of the pending call is used.
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
    loop {
        let next = remove(|_| false).iter().find_map(|call| {
            let kept = call.upgrade().filter(|kept| !kept.is_underway_here())?;
            Some((call.clone(), kept))
        });
        let Some((call, kept)) = next else {
            return Ok(());
        };
        kept.settle()?;
        drop(remove(|one| one.ptr_eq(&call)));
    }
}
