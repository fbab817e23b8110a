//! The end of operations, the same for every executor.
//!
//! The last task of an operation ends its use of stores. Then the tasks that waited for this task
//! are released, and only then the threads that wait for the operation itself. So these threads
//! find that its resources have been returned.

use std::sync::Arc;

use smallvec::SmallVec;
use weft_trace::time::Timestamp;

use super::{Outstanding, Task};
use crate::observe::Recorder;
use crate::operation::{Latch, Operation};
use crate::runtime::Queues;

/// Operations that have ended, and whose waiters must still be notified.
#[derive(Default)]
#[must_use = "the waiters must be notified"]
pub(crate) struct Ended {
    latches: SmallVec<[Arc<Latch>; 1]>,
    operations: u64,
}

impl Ended {
    /// Ends an operation whose only task has ended, or that has no task on this rank.
    pub(crate) fn of(operation: &Operation) -> Ended {
        let mut ended = Ended::default();
        ended.add(operation);
        ended
    }

    /// Notes that one task of an operation has ended; ends the operation if it was the last.
    pub(crate) fn of_task(operation: &Operation) -> Ended {
        match operation.task_ended() {
            true => Ended::of(operation),
            false => Ended::default(),
        }
    }

    /// Drops one task's handle to an operation; only its tasks have handles. The last handle ends
    /// the operation, and drops stores that have no other handle.
    pub(crate) fn let_go(recorder: &Recorder, operation: Arc<Operation>, at: Timestamp) -> Ended {
        match Arc::into_inner(operation) {
            Some(operation) => {
                let ended = Ended::of(&operation);
                recorder.at_moment(at, || drop(operation));
                ended
            }
            None => Ended::default(),
        }
    }

    /// Adds another operation that ends at the same time.
    pub(crate) fn add(&mut self, operation: &Operation) {
        operation.end_uses();
        self.latches.extend(operation.latch.clone());
        self.operations += 1;
    }

    /// Notifies the waiters of the operations.
    pub(crate) fn tell(self, outstanding: &Outstanding) {
        for latch in self.latches {
            latch.open();
        }
        if self.operations > 0 {
            outstanding.end_many(self.operations);
        }
    }
}

/// Ends a task at this time, and returns the tasks that become ready.
fn released(task: &Task, at: Timestamp) -> SmallVec<[Arc<Task>; 4]> {
    let waiting = task.end().into_iter();
    waiting.filter(|later| later.release(at)).collect()
}

impl Queues {
    /// Ends a task, and the operations that end with it.
    pub(crate) fn end_task(&self, task: &Task, at: Timestamp, ended: Ended) {
        let ready = released(task, at);
        if !ready.is_empty() {
            self.make_ready(ready);
        }
        ended.tell(&self.outstanding);
    }

    /// Like [`end_task`](Self::end_task), but returns one of the tasks that become ready, for the
    /// processor that has its data in the cache.
    pub(crate) fn end_task_for_next(
        &self,
        task: &Task,
        at: Timestamp,
        ended: Ended,
    ) -> Option<Arc<Task>> {
        let mut ready = released(task, at);
        let is_next = |task: &Arc<Task>| !task.is_message && task.turn == 0;
        let next = match ready.iter().position(is_next) {
            Some(at) if !self.are_two() => Some(ready.remove(at)),
            _ => None,
        };
        if !ready.is_empty() {
            self.make_ready(ready);
        }
        ended.tell(&self.outstanding);
        next
    }
}
