//! A task and its count of what it waits for.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use smallvec::SmallVec;
use weft_trace::id::{OperationUid, TaskUid};
use weft_trace::time::Timestamp;

use crate::operation::Operation;
use crate::partition::Cut;

/// Tasks that wait for one task.
type Waiting = SmallVec<[Arc<Task>; 2]>;

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
    /// Tasks it waits for that have not ended, and one more while the analysis looks for them.
    pending: AtomicU32,
    /// End of the last task it waited for.
    ready: AtomicI64,
    /// Who waits for it; `None` once it has ended.
    waiting: Mutex<Option<Waiting>>,
    ended: AtomicBool,
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
            pending: AtomicU32::new(1),
            ready: AtomicI64::new(created.nanos()),
            waiting: Mutex::new(Some(Waiting::new())),
            ended: AtomicBool::new(false),
        })
    }

    fn waiting(&self) -> MutexGuard<'_, Option<Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes `later` wait for this task, unless this has ended.
    pub(crate) fn precede(&self, later: &Arc<Task>) {
        if let Some(waiting) = self.waiting().as_mut() {
            later.pending.fetch_add(1, Ordering::Relaxed);
            waiting.push(later.clone());
        }
    }

    /// Takes one off the count; true for whoever takes the last: the task is ready, and theirs to queue.
    pub(crate) fn release(&self, at: Timestamp) -> bool {
        self.ready.fetch_max(at.nanos(), Ordering::Relaxed);
        self.pending.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// When the last task it waited for had ended.
    pub(crate) fn ready(&self) -> Timestamp {
        Timestamp::from_nanos_since_boot(self.ready.load(Ordering::Relaxed))
    }

    /// Takes the operation, to run it; `None` if it has been taken.
    pub(crate) fn take(&self) -> Option<Arc<Operation>> {
        self.operation
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    /// Ends the task: hands over everyone who waits.
    pub(crate) fn end(&self) -> Waiting {
        self.ended.store(true, Ordering::Release);
        self.waiting().take().unwrap_or_default()
    }

    /// Whether it has ended, or is about to say so.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }
}
