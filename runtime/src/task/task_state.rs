//! A task: which part of which operation, and what it waits for.

use std::sync::{Arc, Mutex, PoisonError};

use weft_trace::id::{OperationUid, TaskUid};
use weft_trace::time::Timestamp;

use super::countdown::{Countdown, Waiting};
use crate::operation::Operation;
use crate::partition::Cut;

/// An operation on one tile.
pub(crate) struct Task {
    pub(crate) uid: TaskUid,
    pub(crate) operation_uid: OperationUid,
    /// Which of the operation's tasks.
    pub(crate) point: u32,
    /// The tile.
    pub(crate) cut: Cut,
    pub(crate) created: Timestamp,
    /// The operation until the task has run. The stores remember tasks, and operations their stores: taking the
    /// operation out breaks that circle.
    operation: Mutex<Option<Arc<Operation>>>,
    countdown: Countdown<Arc<Task>>,
}

impl Task {
    pub(crate) fn new(
        uid: TaskUid,
        operation: Arc<Operation>,
        point: u32,
        cut: Cut,
        created: Timestamp,
    ) -> Arc<Task> {
        Arc::new(Task {
            uid,
            operation_uid: operation.uid,
            point,
            cut,
            created,
            operation: Mutex::new(Some(operation)),
            countdown: Countdown::new(created),
        })
    }

    /// Makes `later` wait for this task, unless this has ended.
    pub(crate) fn precede(&self, later: &Arc<Task>) {
        self.countdown.precede(&later.countdown, || later.clone());
    }

    /// Takes one off the count; true for whoever takes the last: the task is ready, and theirs to queue.
    pub(crate) fn release(&self, at: Timestamp) -> bool {
        self.countdown.release(at)
    }

    /// When the last task it waited for had ended.
    pub(crate) fn ready(&self) -> Timestamp {
        self.countdown.ready()
    }

    /// Takes the operation, to run it; `None` if it has been taken.
    pub(crate) fn take(&self) -> Option<Arc<Operation>> {
        self.operation
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    /// Ends the task: hands over everyone who waits.
    pub(crate) fn end(&self) -> Waiting<Arc<Task>> {
        self.countdown.end()
    }

    /// Whether it has ended, or is about to say so.
    pub(crate) fn has_ended(&self) -> bool {
        self.countdown.has_ended()
    }
}
