//! The process's own runtime, which programs use without naming it.

use std::cell::RefCell;
use std::sync::{PoisonError, RwLock};

use weft_config::Plan;

use super::{Runtime, Summary};
use crate::error::Error;

static CURRENT: RwLock<Option<Runtime>> = RwLock::new(None);

thread_local! {
    /// A runtime that stands in for the process's own on this thread.
    static INSTEAD: RefCell<Option<Runtime>> = const { RefCell::new(None) };
}

/// Starts the process's runtime as `WEFT_CONFIG` says, or as fits the machine.
///
/// Without this call the first array starts it. Dropping the guard finishes the run.
///
/// # Errors
/// `WEFT_CONFIG` is wrong, the profile cannot be created, or a thread cannot be started.
pub fn start() -> Result<Running, Error> {
    start_with(Plan::from_env()?)
}

/// Starts the process's runtime by a plan of the program's own. One that runs already goes on instead.
///
/// # Errors
/// As [`start`].
pub fn start_with(plan: Plan) -> Result<Running, Error> {
    ensure(|| Ok(plan))?;
    Ok(Running(()))
}

fn ensure(plan: impl FnOnce() -> Result<Plan, Error>) -> Result<Runtime, Error> {
    if let Some(runtime) = CURRENT
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .clone()
    {
        return Ok(runtime);
    }
    let mut current = CURRENT.write().unwrap_or_else(PoisonError::into_inner);
    if let Some(runtime) = &*current {
        return Ok(runtime.clone());
    }
    let plan = plan()?;
    if plan.show_config {
        eprintln!("{}", plan.summary());
    }
    let runtime = Runtime::new(plan)?;
    at_exit();
    *current = Some(runtime.clone());
    Ok(runtime)
}

/// The runtime that new arrays belong to: the one entered on this thread, or the process's, started if need be.
///
/// # Errors
/// As [`start`].
pub fn current() -> Result<Runtime, Error> {
    match INSTEAD.with_borrow(Clone::clone) {
        Some(runtime) => Ok(runtime),
        None => ensure(|| Ok(Plan::from_env()?)),
    }
}

/// Waits for all operations and ends the process's runtime. Without one, nothing happens.
///
/// # Errors
/// The first failure of an operation, with its line and UID; or that the profile could not be completed.
pub fn finish() -> Result<Option<Summary>, Error> {
    let runtime = CURRENT
        .write()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    runtime.map(|runtime| runtime.finish()).transpose()
}

impl Runtime {
    /// Runs `program` with this runtime in the place of the process's own, on the calling thread.
    pub fn enter<R>(&self, program: impl FnOnce() -> R) -> R {
        struct Back(Option<Runtime>);
        impl Drop for Back {
            fn drop(&mut self) {
                INSTEAD.set(self.0.take());
            }
        }
        let _back = Back(INSTEAD.replace(Some(self.clone())));
        program()
    }
}

/// The process's runtime runs as long as this lives.
#[derive(Debug)]
#[must_use = "dropping this finishes the run"]
pub struct Running(());

impl Drop for Running {
    fn drop(&mut self) {
        if let Err(error) = finish() {
            eprintln!("weft: {error}");
        }
    }
}

/// A program may end without finishing, by `std::process::exit` say. Its threads must not write into a profile that
/// is being completed, so they end first; what has not begun does not run.
#[allow(unsafe_code, reason = "registers a function with the C library")]
fn at_exit() {
    extern "C" fn abandon() {
        // Taken without waiting: the exiting thread may hold the lock.
        let Ok(mut current) = CURRENT.try_write() else {
            return;
        };
        if let Some(runtime) = current.take() {
            runtime.abandon();
        }
    }
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        // SAFETY: the function does not unwind and lives as long as the process.
        unsafe { libc::atexit(abandon) };
    });
}
