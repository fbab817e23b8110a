//! The end of operations, the same for every executor.
//!
//! The last task of an operation ends its use of stores. Then tasks go on that waited for this one, and only then whoever waits for the
//! operation itself: so they find all that it held given back.

use std::sync::Arc;

use smallvec::SmallVec;
use weft_trace::time::Timestamp;

use super::{Outstanding, Task};
use crate::observe::Recorder;
use crate::operation::{Latch, Operation};
use crate::runtime::Queues;

/// Operations that have ended, and who must still be told.
#[derive(Default)]
#[must_use = "those who wait must be told"]
pub(crate) struct Ended {
    latches: SmallVec<[Arc<Latch>; 1]>,
    operations: u64,
}

impl Ended {
    /// An operation whose only task has ended, or that has none here.
    pub(crate) fn of(operation: &Operation) -> Ended {
        let mut ended = Ended::default();
        ended.add(operation);
        ended
    }

    /// An operation one of whose tasks has ended: nothing, unless that was the last.
    pub(crate) fn of_task(operation: &Operation) -> Ended {
        match operation.task_ended() {
            true => Ended::of(operation),
            false => Ended::default(),
        }
    }

    /// Lets go of an operation for one of its tasks, which alone hold it. The last one ends it, and with it stores that nobody else holds.
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

    /// Another operation that has ended at the same time.
    pub(crate) fn add(&mut self, operation: &Operation) {
        operation.end_uses();
        self.latches.extend(operation.latch.clone());
        self.operations += 1;
    }

    /// Tells those who wait for the operations.
    pub(crate) fn tell(self, outstanding: &Outstanding) {
        for latch in self.latches {
            latch.open();
        }
        if self.operations > 0 {
            outstanding.end_many(self.operations);
        }
    }
}

/// The tasks that a task lets begin by ending at this time.
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

    /// The same; gives one of the tasks that can begin by it, for the processor that has its data in the cache.
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
