//! Completion of issued work: a thread waits for marks in streams, and completes the operations
//! before them.

use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::api::{EventId, GpuId};
use super::fault::Fault;
use super::gpus::Gpus;
use super::host::HostTask;
use crate::at_exit;
use crate::device::{Posted, Queues};
use crate::error::{Cause, DriverError, Failure};
use crate::health::{Health, Trap};
use crate::operation::{Inheritance, Operation};
use crate::task::{Ended, Task};

/// Time between two checks of a mark that the program does not wait for.
const PAUSE: Duration = Duration::from_micros(50);

/// A task in a stream.
pub(super) struct Finished {
    pub(super) task: Arc<Task>,
    /// Its operation, if parts of it must stay until the task has run, or if a thread waits for it.
    pub(super) operation: Option<Arc<Operation>>,
    /// The end of the operation, if the task is its last.
    pub(super) ended: Ended,
    /// The GPUs whose memory its work uses.
    pub(super) gpus: SmallVec<[GpuId; 2]>,
    /// The words in which its kernel reports a wrong index, if it can.
    pub(super) fault: Option<Fault>,
    /// Present if the operation may still fail, by its own kernel or with a predecessor.
    pub(super) doubt: Option<Inheritance>,
    /// The operation's outputs, and its failure if a GPU stops; `None` if the operation is kept.
    pub(super) risk: Option<Risk>,
}

/// The failure of an operation whose results are lost if a GPU stops.
pub(super) struct Risk {
    outputs: Inheritance,
    /// Its cause is replaced.
    failure: Failure,
}

impl Risk {
    pub(super) fn from_operation(operation: &Operation) -> Risk {
        let failure = operation.failure(Cause::Dropped);
        Risk {
            outputs: operation.inheritance(),
            failure: Failure::clone(&failure),
        }
    }
}

/// Work for the host, handed over once the failures of earlier work are known.
pub(super) enum HostWork {
    Task(HostTask),
    Message(Posted),
}

impl HostWork {
    fn operation(&self) -> &Operation {
        match self {
            HostWork::Task(task) => &task.operation,
            HostWork::Message(message) => &message.operation,
        }
    }

    /// Returns whether the program or another rank waits for it.
    fn is_awaited(&self) -> bool {
        matches!(self, HostWork::Message(_)) || self.operation().latch.is_some()
    }

    /// Returns whether an input may still fail.
    pub(super) fn is_doubtful(&self) -> bool {
        self.operation().has_doubtful_input()
    }

    /// Hands the work over to its queue.
    pub(super) fn push(self, gpus: &Gpus, queues: &Queues) {
        match self {
            HostWork::Task(task) => gpus.host.push(task),
            HostWork::Message(message) => queues.messages.push([message]),
        }
    }
}

impl Finished {
    /// Returns whether the program waits for the operation.
    pub(super) fn is_awaited(&self) -> bool {
        self.operation
            .as_ref()
            .is_some_and(|operation| operation.latch.is_some())
    }
}

/// Issued tasks, and the marks after them.
pub(crate) struct Batch {
    pub(super) marks: Vec<(GpuId, EventId)>,
    pub(super) finished: Vec<Finished>,
    /// The reasons for missing marks, at most one for each GPU.
    pub(super) errors: Vec<DriverError>,
    /// The dispatcher's number of the batch, from 1; 0 if another thread sent it.
    pub(super) serial: u64,
    /// Work to hand over after the tasks have ended.
    pub(super) host_work: Option<HostWork>,
}

/// Events that can be reused.
#[derive(Default)]
pub(super) struct Events(Mutex<Vec<(GpuId, EventId)>>);

impl Events {
    /// Takes a free event of a GPU, if there is one.
    pub(super) fn take(&self, gpu: GpuId) -> Option<EventId> {
        let mut events = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = events.iter().position(|(of, _)| *of == gpu)?;
        Some(events.swap_remove(at).1)
    }

    pub(super) fn give_back(&self, marks: impl IntoIterator<Item = (GpuId, EventId)>) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend(marks);
    }
}

/// Waits for batches in order until the dispatcher has ended.
pub(crate) fn serve(gpus: &Gpus, health: &Health, queues: &Queues, batches: &Receiver<Batch>) {
    let entered = gpus.driver.enter_thread();
    // The errors of the GPUs that have stopped.
    let mut lost: FxHashMap<GpuId, DriverError> = FxHashMap::default();
    for (number, batch) in (1_u64..).zip(batches) {
        health.trap(Trap::Completion);
        let host_work = batch.host_work.as_ref();
        let awaited = batch.finished.iter().any(Finished::is_awaited)
            || host_work.is_some_and(HostWork::is_awaited);
        let mut outcome = entered.clone();
        let mut note = |error: DriverError| match error {
            DriverError::Lost { gpu, .. } => {
                lost.entry(GpuId(gpu)).or_insert(error);
            }
            other => outcome = outcome.clone().and(Err(other)),
        };
        batch.errors.into_iter().for_each(&mut note);
        for (gpu, event) in &batch.marks {
            // Work on other GPUs must have run before what it uses is released.
            if let Err(error) = reach(gpus, *event, awaited) {
                note(gpus.explain(*gpu, error));
            }
        }
        if outcome.is_ok() && lost.is_empty() && batch.serial > 0 {
            gpus.completed.store(batch.serial, Ordering::Release);
        }
        gpus.events.give_back(batch.marks);
        // Libraries may register exit handlers with the first work that has run.
        if number.is_power_of_two() {
            at_exit::move_to_front();
        }
        for finished in batch.finished {
            // Tasks on one GPU may have read what another one was to write: they used its memory.
            let error = finished.gpus.iter().find_map(|gpu| lost.get(gpu));
            let error = outcome.as_ref().err().or(error).cloned();
            end(finished, error.as_ref(), !lost.is_empty(), health).tell(&queues.outstanding);
        }
        if let Some(work) = batch.host_work {
            work.push(gpus, queues);
        }
    }
}

/// Waits for a mark: without delay if a thread waits for work before it, else without using a core.
fn reach(gpus: &Gpus, event: EventId, awaited: bool) -> Result<(), DriverError> {
    if !awaited {
        // A long queue of work should not keep a core busy.
        while !gpus.driver.has_reached(event)? {
            std::thread::sleep(PAUSE);
        }
        return Ok(());
    }
    gpus.driver.synchronize(event)
}

/// Ends a task that has run, or never will. Waiters for its operation are released in either case.
/// If a GPU has stopped, any task may depend on one that failed with it.
fn end(
    finished: Finished,
    error: Option<&DriverError>,
    has_losses: bool,
    health: &Health,
) -> Ended {
    match (&finished.operation, error) {
        (Some(operation), Some(error)) => {
            health.fail(operation, &operation.failure(error.clone().into()));
        }
        (None, Some(error)) => match finished.risk {
            Some(Risk {
                outputs,
                mut failure,
            }) => {
                failure.cause = error.clone().into();
                health.fail_outputs(&outputs, &Arc::new(failure));
            }
            None => health.lose(error),
        },
        (Some(operation), None) => {
            let fault = finished.fault.as_ref();
            let found = fault.and_then(|fault| fault.cause(operation));
            let own = found.map(|cause| operation.failure(cause));
            if let Some(failure) = operation.failed_input().or(own) {
                health.fail(operation, &failure);
            }
        }
        (None, None) => {
            let risk = finished.risk.as_ref().filter(|_| has_losses);
            let outputs = risk.map(|risk| &risk.outputs);
            if let Some(outputs) = finished.doubt.as_ref().or(outputs) {
                health.inherit(outputs);
            }
        }
    }
    if let Some(doubt) = &finished.doubt {
        doubt.end_doubt();
    }
    finished.task.set_ended();
    drop(finished.operation);
    finished.ended
}
