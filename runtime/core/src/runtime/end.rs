//! The end of a runtime: completes the operations under way, ends the threads, and then completes
//! the profile.

use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use weft_config::Level;

use super::crash::ENDING;
use super::{Core, Runtime, Shared, Summary, exit, sample_clocks};
use crate::error::{Error, Failure};
use crate::health::Failures;
use crate::observe::Subsystem;

/// The failures that ranks exchange at the end.
#[derive(Clone, Copy)]
enum About {
    /// All failures: the caller returns the first as an error.
    All,
    /// Failures not yet reported to the program, which are printed.
    Untold,
}

impl About {
    fn first(self, failures: &Failures) -> Option<Arc<Failure>> {
        match self {
            About::All => failures.first().cloned(),
            About::Untold => failures.first_untold(),
        }
    }
}

impl Runtime {
    /// Waits until everything submitted so far has run. This includes operations that failed:
    /// reading their results, and [`finish`](Self::finish), return the failures.
    ///
    /// # Errors
    /// Returns an error if a thread of the runtime panicked.
    pub fn wait(&self) -> Result<(), Error> {
        self.shared.core.check_process()?;
        self.shared.core.wait_for_all()
    }

    /// Waits for all operations, ends the threads and completes the profile. Arrays of this runtime
    /// keep their data until dropped, but operations on them return errors.
    ///
    /// A runtime that is not finished ends when its last handle is dropped, or with the process if
    /// that exits with status 0. Then failures that no read and no `finish` has returned are
    /// printed, and the process ends with status 1.
    ///
    /// # Errors
    /// Returns the first failure of an operation, if any; or the profile could not be completed.
    pub fn finish(&self) -> Result<Summary, Error> {
        self.shared.core.check_process()?;
        let ended = self.end(About::All);
        // The returned error already says that the run has failed.
        let failures = &self.shared.core.health.failures;
        drop(failures.tell_all());
        match (ended, failures.first()) {
            (Ok(_), Some(failure)) => Err(failure.clone().into()),
            (ended, _) => ended,
        }
    }

    /// Ends the runtime like [`finish`](Self::finish) but without returning the error: failures not
    /// yet reported to the program are printed.
    pub(super) fn end_reported(&self) {
        let core = &self.shared.core;
        let is_crash_told = core.health.is_crash_told();
        let error = self.end(About::Untold).err();
        let error = error.filter(|error| !(is_crash_told && matches!(error, Error::Crashed(_))));
        exit::report(&core.health.failures.tell_all(), error.as_ref());
    }

    /// Ends the runtime; returns errors other than failed operations of this rank.
    fn end(&self, about: About) -> Result<Summary, Error> {
        let core = &self.shared.core;
        core.health.has_finished.store(true, Ordering::Release);
        core.queues.outstanding.close();
        let mut error = None;
        if !core.health.is_abandoned.load(Ordering::Acquire) {
            error = self
                .wait()
                .err()
                .or_else(|| core.end_together(about.first(&core.health.failures)));
        }
        self.shared.stop();
        if error.is_none() && !core.health.is_abandoned.load(Ordering::Acquire) {
            core.record_speeds();
        }
        if !core.health.is_abandoned() {
            core.record_dropped();
        }
        if let Some(gpus) = &core.gpus {
            let text = format_args!("GPUs were given {}", gpus.driver.issued());
            core.observers
                .log
                .say(Subsystem::Runtime, Level::Info, text);
        }
        core.memories
            .end(&core.observers.recorder, core.plan.show_memory_usage);
        sample_clocks(&core.observers.recorder);
        let records = core
            .observers
            .recorder
            .finish()
            .map_err(|error| Error::ProfileEnd(Arc::new(error)))?;
        if let Some(records) = records {
            let level = if records.dropped == 0 {
                Level::Info
            } else {
                Level::Warn
            };
            let (written, dropped) = (records.written, records.dropped);
            let text = format_args!("{written} records written, {dropped} dropped");
            core.observers.log.say(Subsystem::Runtime, level, text);
        }
        match (error, core.health.failures.first(), core.health.lost.get()) {
            (Some(error), _, _) => Err(error),
            (None, None, Some(error)) => Err(error.clone().into()),
            _ => Ok(Summary { records }),
        }
    }

    /// Ends the threads after their current tasks; tasks that have not begun never run.
    pub(super) fn abandon(&self) {
        let core = &self.shared.core;
        core.queues.outstanding.close();
        if core.is_done_soon() {
            // Every rank's program may end in this way.
            core.end_together(core.health.failures.first_untold());
        }
        core.give_up();
        self.shared.stop();
        core.record_dropped();
        let mut untold = core.health.failures.tell_all();
        // Bodies that ended because the run ends are not failures.
        untold
            .failures
            .retain(|failure| !failure.to_string().contains(ENDING));
        exit::report(&untold, None);
    }
}

impl Core {
    /// Abandons this level and those below: tasks that have not begun never run. Waits for them,
    /// and bodies that submit more operations, end with an error.
    fn give_up(&self) {
        self.health.is_abandoned.store(true, Ordering::SeqCst);
        self.let_go();
        for nested in self.level.all_nested() {
            nested.shared.core.give_up();
        }
    }
}

impl Shared {
    pub(super) fn workers(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops and joins the threads. Concurrent callers return when the threads have ended, too.
    pub(super) fn stop(&self) {
        self.core.stop_threads();
        let own = std::thread::current().id();
        for worker in self.workers().drain(..) {
            if worker.thread().id() != own {
                // The thread itself has reported its panic.
                drop(worker.join());
            }
        }
        self.core.queues.turns.join();
        // Their bodies submit nothing more.
        for nested in self.core.level.all_nested() {
            nested.shared.end_nested();
        }
        // All issued work has ended. The collector uses the core, so end it first.
        if let Some(cupti) = self.core.observers.cupti.get() {
            cupti.finish();
        }
    }
}

impl Shared {
    /// Ends a level below the program's, after all operations submitted there. The profile
    /// continues.
    fn end_nested(&self) {
        self.core.health.has_finished.store(true, Ordering::Release);
        self.core.queues.outstanding.close();
        self.core.queues.outstanding.wait(0);
        self.stop();
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if !self.core.is_of_this_process() {
            // Threads, locks and the profile belong to the parent.
            let workers = self
                .workers
                .get_mut()
                .unwrap_or_else(PoisonError::into_inner);
            std::mem::forget(std::mem::take(workers));
            std::mem::forget(self.core.clone());
            return;
        }
        if self.core.level.number > 0 {
            return self.end_nested();
        }
        self.core.queues.outstanding.close();
        self.core.close_group();
        let mut error = None;
        if !self.core.health.is_abandoned.load(Ordering::Acquire) {
            self.core.queues.outstanding.wait(0);
            let is_told = self.core.health.is_crash_told();
            error = self.core.stop_error().filter(|_| !is_told);
            // A program that panics prints the reason itself, and MPI informs the others.
            if !std::thread::panicking() {
                let untold = self.core.health.failures.first_untold();
                let ended = self.core.end_together(untold);
                error = error.or(ended.filter(|error| !matches!(error, Error::Crashed(_))));
            }
        }
        self.stop();
        if !self.core.health.is_abandoned() {
            self.core.record_dropped();
        }
        // A program that needs the result calls `finish`; here only the file must be complete.
        drop(self.core.observers.recorder.finish());
        exit::report(&self.core.health.failures.tell_all(), error.as_ref());
    }
}
