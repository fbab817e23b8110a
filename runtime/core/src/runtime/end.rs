//! The end of a runtime: what is under way is completed, its threads end, and the profile with them.

use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use weft_config::Level;

use super::crash::ENDING;
use super::failures::Failures;
use super::{Core, Runtime, Shared, Summary, exit, sample_clocks};
use crate::error::{Error, Failure};
use crate::observe::Subsystem;

/// The failures that ranks tell each other of at the end.
#[derive(Clone, Copy)]
enum About {
    /// All, for whoever gets the first as an error.
    All,
    /// Those that the program was not told of, which are printed.
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
    /// Waits until everything submitted so far has run. An operation that failed has run too: what reads its result, and
    /// [`finish`](Self::finish), say so.
    ///
    /// # Errors
    /// A thread of the runtime panicked.
    pub fn wait(&self) -> Result<(), Error> {
        self.shared.core.check_process()?;
        self.shared.core.wait_for_all()
    }

    /// Waits for everything, ends the threads and completes the profile. Arrays of this runtime keep their data until
    /// dropped, but no operation works on them any more.
    ///
    /// A runtime that is not finished ends when its last handle is dropped, or with the process where that ends with status 0. Then
    /// failures that no read and no `finish` has returned are printed, and the process ends with status 1.
    ///
    /// # Errors
    /// The first failure of an operation, if there was one; or that the profile could not be completed.
    pub fn finish(&self) -> Result<Summary, Error> {
        self.shared.core.check_process()?;
        let ended = self.end(About::All);
        // Whoever gets an error knows that the run has failed.
        let failures = &self.shared.core.health.failures;
        drop(failures.tell_all());
        match (ended, failures.first()) {
            (Ok(_), Some(failure)) => Err(failure.clone().into()),
            (ended, _) => ended,
        }
    }

    /// Ends it as [`finish`](Self::finish), where nobody gets the error: what the program does not know of is printed.
    pub(super) fn end_reported(&self) {
        let core = &self.shared.core;
        let is_crash_told = core.health.is_crash_told();
        let error = self.end(About::Untold).err();
        let error = error.filter(|error| !(is_crash_told && matches!(error, Error::Crashed(_))));
        exit::report(&core.health.failures.tell_all(), error.as_ref());
    }

    /// Ends it; the errors are those that are no failure of an operation of this rank.
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

    /// Ends the threads after the tasks they are running; what has not begun never runs.
    pub(super) fn abandon(&self) {
        let core = &self.shared.core;
        core.queues.outstanding.close();
        if core.is_done_soon() {
            // The program of every rank may end so.
            core.end_together(core.health.failures.first_untold());
        }
        core.give_up();
        self.shared.stop();
        core.record_dropped();
        let mut untold = core.health.failures.tell_all();
        // Bodies that ended because the run does are no failures.
        untold
            .failures
            .retain(|failure| !failure.to_string().contains(ENDING));
        exit::report(&untold, None);
    }
}

impl Core {
    /// Ends this level and those below: tasks that have not begun never run. Waits for them end with an error, and so do bodies that
    /// submit more operations.
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

    /// Ends the threads. Whoever else stops meanwhile returns when they have ended, too.
    pub(super) fn stop(&self) {
        self.core.stop_threads();
        let own = std::thread::current().id();
        for worker in self.workers().drain(..) {
            if worker.thread().id() != own {
                // A panic has been noted by the thread itself.
                drop(worker.join());
            }
        }
        self.core.queues.turns.join();
        // Their bodies ask for nothing more.
        for nested in self.core.level.all_nested() {
            nested.shared.end_nested();
        }
        // Nothing is issued any more, and what was has ended. The collector uses the core, so that it ends before it.
        if let Some(cupti) = self.core.observers.cupti.get() {
            cupti.finish();
        }
    }
}

impl Shared {
    /// Ends a level below the program's, after all that was asked for there. The profile goes on.
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
            // Threads, locks and the profile are those of the parent.
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
        // Whoever wants the result calls `finish`; here only the file must be complete.
        drop(self.core.observers.recorder.finish());
        exit::report(&self.core.health.failures.tell_all(), error.as_ref());
    }
}
