//! The process's default runtime, which programs use without naming it.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

use weft_config::Plan;
use weft_trace::file::process_generation;

use super::nested::is_in_body;
use super::{FORKED, Runtime, Summary, check_outside_of_bodies};
use crate::error::{CallError, Error};
use crate::say::say;

/// The run cannot end before the task does.
const IN_BODY: CallError =
    CallError::Runtime("the body of a task cannot end the run: call `finish` outside of the task");

static CURRENT: RwLock<Option<Runtime>> = RwLock::new(None);
/// The process that started [`CURRENT`], as its generation plus one; 0 if there is none. Checked
/// before the lock, which a forked child would wait for forever if another thread held it.
static OWNER: AtomicU64 = AtomicU64::new(0);

/// Returns the number of this process for [`OWNER`].
fn this_process() -> u64 {
    process_generation() + 1
}

/// Whether the runtime belongs to the process that this one was forked from.
fn is_parents() -> bool {
    let owner = OWNER.load(Ordering::Acquire);
    owner != 0 && owner != this_process()
}

thread_local! {
    /// The runtime that replaces the process's own on this thread.
    static INSTEAD: RefCell<Option<Runtime>> = const { RefCell::new(None) };
}

/// Starts the process's runtime as configured by `WEFT_CONFIG`, or by the machine's defaults.
///
/// Without this call the first array starts it. Dropping the guard finishes the run.
///
/// # Errors
/// Returns an error if `WEFT_CONFIG` is wrong, the profile cannot be created, or a thread cannot be
/// started.
pub fn start() -> Result<Running, Error> {
    start_with(Plan::from_env()?)
}

/// Starts the process's runtime with the program's own plan. A runtime that already runs is used
/// instead.
///
/// # Errors
/// See [`start`].
pub fn start_with(plan: Plan) -> Result<Running, Error> {
    ensure(|| Ok(plan))?;
    Ok(Running(()))
}

fn ensure(plan: impl FnOnce() -> Result<Plan, Error>) -> Result<Runtime, Error> {
    if is_parents() {
        return Err(FORKED.into());
    }
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
        say(plan.summary());
    }
    let runtime = Runtime::new(plan)?;
    *current = Some(runtime.clone());
    OWNER.store(this_process(), Ordering::Release);
    Ok(runtime)
}

/// Returns the runtime for new arrays: the one entered on this thread, or the process's, started if
/// necessary.
///
/// # Errors
/// As [`start`]; or this process was forked from one that runs the runtime, or the caller is the
/// body of a task.
pub fn current() -> Result<Runtime, Error> {
    check_outside_of_bodies()?;
    match INSTEAD.with_borrow(Clone::clone) {
        Some(runtime) => Ok(runtime),
        None => ensure(|| Ok(Plan::from_env()?)),
    }
}

/// Waits for all operations and ends the process's runtime. Does nothing if none runs.
///
/// # Errors
/// Returns the first failure of an operation, with its line and UID; or the profile could not be
/// completed; or the caller is the body of a task, which cannot end the run.
pub fn finish() -> Result<Option<Summary>, Error> {
    if is_in_body() {
        return Err(IN_BODY.into());
    }
    take().map(|runtime| runtime.finish()).transpose()
}

/// Ends the process's runtime as at the exit of a program that failed: tasks that have not begun
/// never run, and the profile is completed.
pub fn abandon() {
    if let Some(runtime) = take() {
        runtime.abandon();
    }
}

/// Like [`abandon`], for a program that was interrupted. Instead of exiting with status 0, the
/// process ends by the signal `SIGINT`, like a process without a handler for it.
pub fn abandon_interrupted() {
    super::exit::end_by_interrupt();
    abandon();
}

/// Takes the process's runtime; returns `None` in a forked child.
fn take() -> Option<Runtime> {
    if is_parents() {
        return None;
    }
    let mut current = CURRENT.write().unwrap_or_else(PoisonError::into_inner);
    OWNER.store(0, Ordering::Release);
    current.take()
}

impl Runtime {
    /// Runs `program` with this runtime instead of the process's own, on the calling thread.
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

/// Guard of the process's runtime, which runs as long as the guard lives.
///
/// When it is dropped, failures that were not yet reported to the program are printed, and the
/// process ends with status 1 instead of 0.
#[derive(Debug)]
#[must_use = "dropping this finishes the run"]
pub struct Running(());

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(runtime) = take() {
            runtime.end_reported();
        }
    }
}
