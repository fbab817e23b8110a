//! The state of a task: its operation and tile, and its predecessors.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use smallvec::SmallVec;
use weft_geometry::Cut;
use weft_trace::id::{OperationUid, TaskUid};
use weft_trace::time::Timestamp;

use super::countdown::{Countdown, Waiting};
use crate::fusion::{Fused, SharedKernel};
use crate::memory::{AccessingTask, Point, Uses};
use crate::operation::Operation;

/// The work of a task.
pub(crate) enum Work {
    /// One operation.
    One(Arc<Operation>),
    /// Several operations, by one kernel.
    Fused(Arc<Fused>),
}

/// An operation, or a group of fused operations, on one tile.
pub(crate) struct Task {
    /// Its UID; for a group, the UID of the first operation's task.
    pub(crate) uid: TaskUid,
    /// Index of the task within its operation.
    pub(crate) point: u32,
    /// The tile.
    pub(crate) cut: Cut,
    /// Whether it sends to another rank or receives from one.
    pub(crate) is_message: bool,
    /// Priority: ready tasks of the highest priority run first.
    pub(crate) priority: i8,
    /// Its turn among tasks whose tiles run together; 0 if it may begin in any order.
    pub(crate) turn: u64,
    pub(crate) created: Timestamp,
    /// Its work, until it has run. Stores remember tasks, and operations their stores: taking the
    /// work out breaks that cycle.
    work: Mutex<Option<Work>>,
    countdown: Countdown<Arc<Task>>,
    /// Whether it never runs.
    is_dropped: AtomicBool,
    /// Present in runs with GPUs.
    order: Option<Box<Order>>,
}

/// The position of a task in the order that devices keep.
#[derive(Default)]
struct Order {
    /// Predecessors, until the task is issued.
    after: Mutex<SmallVec<[Arc<Task>; 2]>>,
    /// The point in a stream that is reached when the task has run.
    point: OnceLock<Point>,
    /// The kernel that it shares with tasks of other operations, if any, and its operation's number
    /// there.
    kernel: Option<(Arc<SharedKernel>, usize)>,
}

impl std::fmt::Debug for Task {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "task {}", self.uid)
    }
}

impl AccessingTask for Task {
    fn has_ended(&self) -> bool {
        self.countdown.has_ended()
    }
}

impl Task {
    pub(crate) fn new(
        uid: TaskUid,
        work: Work,
        point: u32,
        cut: Cut,
        created: Timestamp,
        on_devices: bool,
    ) -> Task {
        Task {
            uid,
            point,
            cut,
            is_message: matches!(&work, Work::One(operation) if operation.body.role.is_message()),
            priority: match &work {
                Work::One(operation) => operation.priority(),
                Work::Fused(fused) => {
                    let all = fused.operations.iter();
                    all.map(|one| one.priority()).max().unwrap_or(0)
                }
            },
            turn: match &work {
                Work::One(operation) => operation.turn(),
                Work::Fused(_) => 0,
            },
            created,
            work: Mutex::new(Some(work)),
            countdown: Countdown::new(created),
            is_dropped: AtomicBool::new(false),
            order: on_devices.then(Box::default),
        }
    }

    /// Marks the task as sharing a kernel, in which its operation has this number.
    pub(crate) fn sharing(mut self, kernel: Arc<SharedKernel>, number: usize) -> Task {
        if let Some(order) = &mut self.order {
            order.kernel = Some((kernel, number));
        }
        self
    }

    /// Returns the kernel that it shares with tasks of other operations, if any, and its
    /// operation's number there.
    pub(crate) fn shared_kernel(&self) -> Option<&(Arc<SharedKernel>, usize)> {
        self.order.as_ref()?.kernel.as_ref()
    }

    /// Makes `later` wait for this task, unless this one has ended.
    pub(crate) fn precede(&self, later: &Arc<Task>) {
        self.countdown.precede(&later.countdown, || later.clone());
    }

    /// Counts down by one; returns true for the last release: the task is ready, and the caller
    /// queues it.
    pub(crate) fn release(&self, at: Timestamp) -> bool {
        self.countdown.release(at)
    }

    /// Returns the time at which its last predecessor ended.
    pub(crate) fn ready(&self) -> Timestamp {
        self.countdown.ready()
    }

    /// Takes its work, to run it; `None` if already taken.
    pub(crate) fn take(&self) -> Option<Work> {
        self.work
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    /// Calls `look` with its work, or with `None` if taken.
    pub(crate) fn with_work<R>(&self, look: impl FnOnce(Option<&Work>) -> R) -> R {
        let work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        look(work.as_ref())
    }

    /// Whether all its operations come after the operation `last`.
    pub(crate) fn is_after(&self, last: OperationUid) -> bool {
        self.with_work(|work| match work {
            None => true,
            Some(Work::One(operation)) => operation.uid > last && !operation.is_added(),
            Some(Work::Fused(fused)) => fused.first() > last,
        })
    }

    /// Calls `look` with each task that waits for this one.
    pub(crate) fn each_waiting(&self, look: impl FnMut(&Arc<Task>)) {
        self.countdown.each_waiting(look);
    }

    /// Marks the task as one that never runs.
    pub(crate) fn set_dropped(&self) {
        self.is_dropped.store(true, Ordering::Relaxed);
    }

    /// Whether it never runs.
    pub(crate) fn is_dropped(&self) -> bool {
        self.is_dropped.load(Ordering::Relaxed)
    }

    /// Takes the operation of a task on a device, where each task has a single operation.
    pub(crate) fn take_one(&self) -> Option<Arc<Operation>> {
        match self.take()? {
            Work::One(operation) => Some(operation),
            Work::Fused(_) => None,
        }
    }

    /// Adds predecessors, in a run with GPUs.
    pub(crate) fn follow(&self, earlier: impl Iterator<Item = Arc<Task>>) {
        if let Some(order) = &self.order {
            let mut after = order.after.lock().unwrap_or_else(PoisonError::into_inner);
            after.extend(earlier.filter(|task| !task.has_ended()));
        }
    }

    /// Adds the points in streams at which its predecessors end, and drops the predecessors.
    /// Without this, chains of tasks that refer to each other would never be freed.
    pub(crate) fn take_waits(&self, waits: &mut Uses) {
        if let Some(order) = &self.order {
            let mut after = order.after.lock().unwrap_or_else(PoisonError::into_inner);
            for task in after.drain(..) {
                if let Some(point) = task.order.as_ref().and_then(|order| order.point.get()) {
                    waits.add(*point);
                }
            }
        }
    }

    /// Drops the predecessors of a task that is never issued.
    pub(crate) fn forget_waits(&self) {
        self.take_waits(&mut Uses::default());
    }

    /// Sets the point in a stream at which the task ends.
    pub(crate) fn set_point(&self, point: Point) {
        if let Some(order) = &self.order {
            order.point.get_or_init(|| point);
        }
    }

    /// Releases the waiting tasks before this one has run: devices keep the order.
    pub(crate) fn hand_over(&self) -> Waiting<Arc<Task>> {
        self.countdown.hand_over()
    }

    /// Marks the task as having run.
    pub(crate) fn set_ended(&self) {
        self.countdown.set_ended();
    }

    /// Ends the task and returns the tasks that wait for it.
    pub(crate) fn end(&self) -> Waiting<Arc<Task>> {
        self.countdown.end()
    }

    /// Whether it has ended, or is about to: all its work is done.
    pub(crate) fn has_ended(&self) -> bool {
        self.countdown.has_ended()
    }
}
