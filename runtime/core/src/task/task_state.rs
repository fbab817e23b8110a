//! A task: which part of which operation, and what it waits for.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use smallvec::SmallVec;
use weft_geometry::Cut;
use weft_trace::id::{OperationUid, TaskUid};
use weft_trace::time::Timestamp;

use super::countdown::{Countdown, Waiting};
use crate::fusion::{Fused, SharedKernel};
use crate::memory::{Point, Uses};
use crate::operation::Operation;

/// What is done on a tile.
pub(crate) enum Work {
    /// An operation.
    One(Arc<Operation>),
    /// Several, by one kernel.
    Fused(Arc<Fused>),
}

/// An operation, or several that are done together, on one tile.
pub(crate) struct Task {
    /// Its UID; where several operations are done together, that of the first one's task.
    pub(crate) uid: TaskUid,
    /// Which of the operation's tasks.
    pub(crate) point: u32,
    /// The tile.
    pub(crate) cut: Cut,
    /// Whether it sends to another rank or receives from one.
    pub(crate) is_message: bool,
    /// Which of the ready tasks run first: those of the highest.
    pub(crate) priority: i8,
    /// Its turn among those whose tiles run together; 0 where these begin in any order.
    pub(crate) turn: u64,
    pub(crate) created: Timestamp,
    /// What it does, until it has run. The stores remember tasks, and operations their stores: taking the operation out
    /// breaks that circle.
    work: Mutex<Option<Work>>,
    countdown: Countdown<Arc<Task>>,
    /// Whether it never runs.
    is_dropped: AtomicBool,
    /// Present in runs with GPUs.
    order: Option<Box<Order>>,
}

/// Where a task stands in the order that devices keep.
#[derive(Default)]
struct Order {
    /// The tasks it must run after, until it is issued.
    after: Mutex<SmallVec<[Arc<Task>; 2]>>,
    /// The place in a stream that is reached when it has run.
    point: OnceLock<Point>,
    /// The kernel that does it, where that does tasks of other operations as well, and its operation's number there.
    kernel: Option<(Arc<SharedKernel>, usize)>,
}

impl std::fmt::Debug for Task {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "task {}", self.uid)
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

    /// Marks the task as one of those that share a kernel, where its operation has this number.
    pub(crate) fn sharing(mut self, kernel: Arc<SharedKernel>, number: usize) -> Task {
        if let Some(order) = &mut self.order {
            order.kernel = Some((kernel, number));
        }
        self
    }

    /// The kernel that does it and tasks of other operations, and its operation's number there.
    pub(crate) fn shared_kernel(&self) -> Option<&(Arc<SharedKernel>, usize)> {
        self.order.as_ref()?.kernel.as_ref()
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

    /// Takes what it does, to do it; `None` if it has been taken.
    pub(crate) fn take(&self) -> Option<Work> {
        self.work
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    /// Looks at what it does, unless that has been taken.
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

    /// Says that it never runs.
    pub(crate) fn set_dropped(&self) {
        self.is_dropped.store(true, Ordering::Relaxed);
    }

    /// Whether it never runs.
    pub(crate) fn is_dropped(&self) -> bool {
        self.is_dropped.load(Ordering::Relaxed)
    }

    /// Takes the operation of a task on a device, where tasks are of one each.
    pub(crate) fn take_one(&self) -> Option<Arc<Operation>> {
        match self.take()? {
            Work::One(operation) => Some(operation),
            Work::Fused(_) => None,
        }
    }

    /// Notes tasks that this one must run after, in a run with GPUs.
    pub(crate) fn follow(&self, earlier: impl Iterator<Item = Arc<Task>>) {
        if let Some(order) = &self.order {
            let mut after = order.after.lock().unwrap_or_else(PoisonError::into_inner);
            after.extend(earlier.filter(|task| !task.has_ended()));
        }
    }

    /// Adds the places in streams that the tasks before this one end at. They are forgotten: a chain of tasks that
    /// remember each other would never end.
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

    /// Forgets the tasks before this one, which is never issued.
    pub(crate) fn forget_waits(&self) {
        self.take_waits(&mut Uses::default());
    }

    /// Says where in a stream the task stands.
    pub(crate) fn set_point(&self, point: Point) {
        if let Some(order) = &self.order {
            order.point.get_or_init(|| point);
        }
    }

    /// Lets those who wait go on before the task has run: devices keep the order.
    pub(crate) fn hand_over(&self) -> Waiting<Arc<Task>> {
        self.countdown.hand_over()
    }

    /// Says that the task has run.
    pub(crate) fn set_ended(&self) {
        self.countdown.set_ended();
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
