//! CPU workers of a run with GPUs: they run what GPUs have no code for, over main memory.
//!
//! The dispatcher finds the memory and has copied there what is missing; a worker waits for these copies, runs the kernel, and
//! releases who waited for the task. Who comes later finds the result in main memory.

#![allow(unsafe_code, reason = "hands addresses of instances to kernels")]

use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use smallvec::SmallVec;
use weft_trace::id::ProcessorId;

use super::arrival::Arrival;
use super::completion::{Batch, Finished};
use super::error::DriverError;
use super::gpus::Gpus;
use crate::device::Executor;
use crate::device::cpu::{Processor, TileTask, Tiles, carry_out};
use crate::operation::{Operation, Role};
use crate::runtime::Trap;
use crate::task::{Ended, ReadyQueue, Task};

/// A task whose operands stand in main memory once an event is reached.
pub(super) struct HostTask {
    pub(super) task: Arc<Task>,
    pub(super) operation: Arc<Operation>,
    /// Where element 0 of each operand's store stands, for operands that are arrays, in their order.
    pub(super) addresses: SmallVec<[u64; 4]>,
    /// Of the copies to there, and of what else used that memory.
    pub(super) arrival: Arrival,
}

/// Tasks for the workers.
#[derive(Default)]
pub(crate) struct HostQueue {
    tasks: ReadyQueue<HostTask>,
    stopped: Mutex<bool>,
    /// Told whenever a task has ended.
    ended: Condvar,
}

impl HostQueue {
    fn stopped(&self) -> MutexGuard<'_, bool> {
        self.stopped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands a task over.
    pub(super) fn push(&self, task: HostTask) {
        self.tasks.push_by(|host| host.task.priority, [task]);
    }

    /// Waits until `holds`, which is looked at whenever a task has ended. False where the runtime stops before.
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

    /// Has those who wait look again.
    pub(crate) fn tell(&self) {
        // With the lock taken once, nobody is between looking and waiting.
        drop(self.stopped());
        self.ended.notify_all();
    }

    /// Sends the workers away, and whoever waits for them.
    pub(crate) fn stop(&self) {
        self.tasks.stop();
        *self.stopped() = true;
        self.ended.notify_all();
    }
}

/// What a worker shares with the threads that drive GPUs.
pub(crate) struct Worker {
    /// The way to the thread that tells of ends.
    pub(crate) batches: Sender<Batch>,
    /// Itself in records.
    pub(crate) processor: ProcessorId,
    /// Its number among the CPU workers.
    pub(crate) index: usize,
}

impl Worker {
    /// Takes and runs tasks until the runtime stops.
    pub(super) fn serve(&self, executor: &Executor<'_>, gpus: &Gpus) {
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
            &TileTask::of(&task),
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
                // SAFETY: the dispatcher took the addresses from the store's instance in main memory, which is given up only when
                // others have the content: it keeps those away until this task has ended. The copies of what is read have ended.
                unsafe { Tiles::at(&operation, &task.cut, data) }
            },
        );
        let ended = Ended::of_task(&operation);
        if operation.body.role == Role::Read {
            // What it depends on may have been found to be wrong on a GPU: that is told in the order of the work.
            let later = task.hand_over();
            let finished = Finished {
                task,
                operation: Some(operation),
                ended,
                fault: None,
                doubt: None,
            };
            drop(self.batches.send(Batch {
                marks: Vec::new(),
                finished: vec![finished],
                error: None,
                host_work: None,
            }));
            executor
                .queues
                .ready
                .push(later.into_iter().filter(|later| later.release(end)));
            return;
        }
        // Stores that nobody else holds end here, before anyone can see that the operation has ended.
        executor
            .observers
            .recorder
            .at_moment(end, || drop(operation));
        executor.queues.end_task(&task, end, ended);
    }
}
