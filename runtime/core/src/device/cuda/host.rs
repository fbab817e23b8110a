//! CPU workers of a run with GPUs. They run operations without GPU code, over main memory.
//!
//! The dispatcher finds the memory and issues copies of missing elements. A worker waits for these
//! copies, runs the kernel, and releases the successors of the task. Later tasks find the result in
//! main memory.

#![allow(unsafe_code, reason = "hands addresses of instances to kernels")]

use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use smallvec::SmallVec;
use weft_trace::id::ProcessorId;

use super::arrival::Arrival;
use super::completion::{Batch, Finished};
use super::gpus::Gpus;
use crate::device::Executor;
use crate::device::cpu::{Processor, TileTask, Tiles, carry_out};
use crate::error::DriverError;
use crate::health::Trap;
use crate::operation::{Operation, Role};
use crate::task::{Ended, ReadyQueue, Task};

/// A task whose operands are in main memory once an event is reached.
pub(super) struct HostTask {
    pub(super) task: Arc<Task>,
    pub(super) operation: Arc<Operation>,
    /// Addresses of element 0 of the stores of all array operands, in order.
    pub(super) addresses: SmallVec<[u64; 4]>,
    /// Completion of the copies to these addresses, and of earlier uses of that memory.
    pub(super) arrival: Arrival,
}

/// Tasks for the workers.
#[derive(Default)]
pub(crate) struct HostQueue {
    tasks: ReadyQueue<HostTask>,
    stopped: Mutex<bool>,
    /// Notified when a task has ended.
    ended: Condvar,
}

impl HostQueue {
    fn stopped(&self) -> MutexGuard<'_, bool> {
        self.stopped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a task to the queue.
    pub(super) fn push(&self, task: HostTask) {
        self.tasks.push_by(|host| host.task.priority, [task]);
    }

    /// Waits until `holds` returns true; it is called when a task has ended. Returns false if the
    /// runtime stops first.
    pub(super) fn wait_until(&self, mut holds: impl FnMut() -> bool) -> bool {
        let mut stopped = self.stopped();
        while !holds() {
            if *stopped {
                return false;
            }
            stopped = self
                .ended
                .wait(stopped)
                .unwrap_or_else(PoisonError::into_inner);
        }
        true
    }

    /// Wakes the waiting threads, which check their condition again.
    pub(crate) fn tell(&self) {
        // Taking the lock once ensures that no thread is between its check and its wait.
        drop(self.stopped());
        self.ended.notify_all();
    }

    /// Stops the workers, and the threads that wait for them.
    pub(crate) fn stop(&self) {
        self.tasks.stop();
        *self.stopped() = true;
        self.ended.notify_all();
    }
}

/// State of a worker.
pub(crate) struct Worker {
    /// Channel to the completion thread.
    pub(crate) batches: Sender<Batch>,
    /// The worker in records.
    pub(crate) processor: ProcessorId,
    /// Number of the worker among the CPU workers.
    pub(crate) index: usize,
}

impl Worker {
    /// Takes and runs tasks until the runtime stops.
    pub(crate) fn serve(&self, executor: &Executor<'_>, gpus: &Gpus) {
        let entered = gpus.driver.enter_thread();
        while let Some(task) = gpus.host.tasks.pop() {
            self.run(executor, gpus, task, &entered);
            gpus.host.tell();
        }
    }

    fn run(
        &self,
        executor: &Executor<'_>,
        gpus: &Gpus,
        host: HostTask,
        entered: &Result<(), DriverError>,
    ) {
        executor.health.trap(Trap::Host);
        let HostTask {
            task,
            operation,
            addresses,
            arrival,
        } = host;
        let arrived = entered.clone().and_then(|()| arrival.wait(gpus));
        let end = carry_out(
            executor,
            &operation,
            &TileTask::from_task(&task),
            &Processor::cpu(self.processor),
            |_| {
                arrived.map_err(|error| operation.failure(error.into()))?;
                if let Some(failure) = operation.failed_input() {
                    return Err(failure);
                }
                let mut addresses = addresses.iter();
                let data = |_, _: &_, _: &_, _| {
                    let address = addresses.next().copied().unwrap_or(0);
                    Ok(std::ptr::with_exposed_provenance_mut(address as usize))
                };
                // SAFETY: the dispatcher took the addresses from the store's instance in main
                // memory. This is only released when other instances have the content, and the
                // dispatcher keeps those away until this task has ended. The copies of the elements
                // to read have ended.
                unsafe { Tiles::at(&operation, &task.cut, data) }
            },
        );
        let ended = Ended::end_task(&operation);
        if operation.body.role == Role::Read {
            // A GPU may have found a fault in an operation that this one depends on. Faults are
            // reported in the order of the work.
            let later = task.hand_over();
            let finished = Finished {
                task,
                operation: Some(operation),
                ended,
                gpus: SmallVec::new(),
                fault: None,
                doubt: None,
                risk: None,
            };
            drop(self.batches.send(Batch {
                marks: Vec::new(),
                finished: vec![finished],
                errors: Vec::new(),
                serial: 0,
                host_work: None,
            }));
            executor
                .queues
                .ready
                .push(later.into_iter().filter(|later| later.release(end)));
            return;
        }
        // Stores without another holder end here, before a thread can see that the operation has
        // ended.
        executor
            .observers
            .recorder
            .at_moment(end, || drop(operation));
        executor.queues.end_task(&task, end, ended);
    }
}
