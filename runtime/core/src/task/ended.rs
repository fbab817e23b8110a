//! The end of operations, the same for every executor.
//!
//! The last task of an operation ends its use of stores. Then the tasks that waited for this task
//! are released, and only then the threads that wait for the operation itself. So these threads
//! find that its resources have been returned.

use std::sync::Arc;

use smallvec::SmallVec;
use weft_trace::time::Timestamp;

use super::Outstanding;
use crate::observe::Recorder;
use crate::operation::{Latch, Operation};

/// Operations that have ended, and whose waiters must still be notified.
#[derive(Default)]
#[must_use = "the waiters must be notified"]
pub(crate) struct Ended {
    latches: SmallVec<[Arc<Latch>; 1]>,
    operations: u64,
}

impl Ended {
    /// Ends an operation whose only task has ended, or that has no task on this rank.
    pub(crate) fn end_operation(operation: &Operation) -> Ended {
        let mut ended = Ended::default();
        ended.add(operation);
        ended
    }

    /// Notes that one task of an operation has ended; ends the operation if it was the last.
    pub(crate) fn end_task(operation: &Operation) -> Ended {
        match operation.task_ended() {
            true => Ended::end_operation(operation),
            false => Ended::default(),
        }
    }

    /// Drops one task's handle to an operation; only its tasks have handles. The last handle ends
    /// the operation, and drops stores that have no other handle.
    pub(crate) fn let_go(recorder: &Recorder, operation: Arc<Operation>, at: Timestamp) -> Ended {
        match Arc::into_inner(operation) {
            Some(operation) => {
                let ended = Ended::end_operation(&operation);
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
