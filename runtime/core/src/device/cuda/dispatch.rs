//! The dispatcher: one thread that takes tasks in program order once their predecessors are issued,
//! fuses tasks that share a kernel, and puts the work into streams. It never waits for a GPU.
//!
//! A task is issued before any task that is taken later, so its successors are released at once.
//! The streams delay work that must not run yet.

mod ahead;
mod bundle;
mod host;
mod issue;
mod libraries;
mod losses;
mod member;
mod place;
mod prepare;
mod read;
mod repeats;
mod room;
mod send;
mod tickets;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Weak};

use smallvec::SmallVec;
use weft_config::Plan;

use super::api::GpuId;
use super::completion::{Batch, Finished, HostWork};
use super::gpus::Gpus;
use super::streams::{Marked, Streams};
use crate::device::{Executor, Queues};
use crate::error::DriverError;
use crate::fusion::step_of;
use crate::health::{Health, Trap};
use crate::identity::Uids;
use crate::memory::{Block, Memories, OutOfMemory, Store};
use crate::observe::{Names, Observers};
use crate::operation::{Operand, Operation};
use crate::task::{Ended, Task};
use ahead::Present;
use bundle::{Bundle, Replayable};
use host::OnHost;
use libraries::Workspace;
use losses::Losses;
use member::{Gathered, Gathering, Group, Joining, Member};
use repeats::Repeats;
use tickets::Tickets;
use weft_geometry::Access;

/// Number of issued tasks after which their end is marked, if the program waits for none of them.
const UNMARKED: usize = 64;

/// Like [`UNMARKED`], while a loop body is held back. Well below the number of operations that the
/// program may run ahead.
const UNMARKED_IN_BUNDLE: usize = 512;

/// Number of checks for more tasks before open groups are issued: some ten microseconds. The
/// program does not wait for this when it waits for a result.
const SPINS: u32 = 300;

/// A task, ordered so that a heap returns the earliest task in program order first.
struct Early(Arc<Task>);

impl Early {
    fn key(&self) -> (u64, u32) {
        (self.0.uid.raw(), self.0.point)
    }
}

impl PartialEq for Early {
    fn eq(&self, other: &Early) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Early {}

impl PartialOrd for Early {
    fn partial_cmp(&self, other: &Early) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Early {
    fn cmp(&self, other: &Early) -> std::cmp::Ordering {
        Reverse(self.key()).cmp(&Reverse(other.key()))
    }
}

/// Tasks that are taken and not yet issued.
#[derive(Default)]
struct ReadyTasks(BinaryHeap<Early>);

impl Extend<Arc<Task>> for ReadyTasks {
    fn extend<I: IntoIterator<Item = Arc<Task>>>(&mut self, tasks: I) {
        self.0.extend(tasks.into_iter().map(Early));
    }
}

/// State of the dispatcher's thread.
pub(super) struct Dispatcher<'a> {
    observers: &'a Observers,
    health: &'a Health,
    memories: &'a Memories,
    queues: &'a Queues,
    uids: &'a Uids,
    plan: &'a Plan,
    gpus: &'a Gpus,
    streams: Streams,
    taken: ReadyTasks,
    /// Tasks that wait for others with which they share a kernel.
    gathering: Option<Gathering>,
    /// Repeating loop bodies, if loops are replayed as CUDA graphs.
    repeats: Option<Repeats>,
    bundle: Option<Bundle>,
    /// Graphs, by body number.
    graphs: Vec<Option<Replayable>>,
    /// Tasks in streams that have no mark after them yet.
    finished: Vec<Finished>,
    /// Blocks that the work being issued uses temporarily.
    lent: SmallVec<[(GpuId, Block); 1]>,
    /// Blocks that handles of libraries use.
    workspaces: Vec<Workspace>,
    /// Tickets, by GPU; `None` until a kernel needs them.
    tickets: Vec<Option<Tickets>>,
    /// Stores that may keep a spare instance on a GPU for the next swap. [`Memories`] has those of
    /// main memory.
    gpu_spares: Vec<Weak<Store>>,
    losses: Losses,
    /// The pages of unified memory on each GPU.
    present: Vec<Present>,
    /// Tasks handed to CPU workers, some of which may have ended.
    on_host: Vec<OnHost>,
    /// Names of kernels and of their targets.
    names: Names,
    batches: Sender<Batch>,
}

impl<'a> Dispatcher<'a> {
    pub(super) fn new(
        executor: &Executor<'a>,
        (uids, plan): (&'a Uids, &'a Plan),
        gpus: &'a Gpus,
        (names, batches): (Names, Sender<Batch>),
    ) -> Result<Dispatcher<'a>, DriverError> {
        Ok(Dispatcher {
            observers: executor.observers,
            health: executor.health,
            memories: executor.memories,
            queues: executor.queues,
            uids,
            plan,
            gpus,
            streams: Streams::new(gpus.driver.clone())?,
            taken: ReadyTasks::default(),
            gathering: None,
            repeats: plan.cuda_graphs.then(Repeats::default),
            bundle: None,
            graphs: Vec::new(),
            finished: Vec::new(),
            lent: SmallVec::new(),
            workspaces: Vec::new(),
            tickets: std::iter::repeat_with(|| None).take(gpus.count()).collect(),
            gpu_spares: Vec::new(),
            losses: Losses::default(),
            present: (0..gpus.count()).map(|_| Present::default()).collect(),
            on_host: Vec::new(),
            names,
            batches,
        })
    }

    /// Takes and issues tasks until the runtime stops.
    pub(super) fn serve(&mut self) {
        loop {
            if !self.queues.ready.take_all(&mut self.taken, false) {
                break;
            }
            if let Some(Early(task)) = self.taken.0.pop() {
                self.accept(task);
                continue;
            }
            if !self.finished.is_empty() || self.gathering.is_some() {
                // More tasks that share the kernel may arrive. Also, checking for tasks is cheaper
                // than checking for ends.
                if self.queues.ready.linger(SPINS) {
                    continue;
                }
            }
            self.flush();
            self.mark();
            if !self.queues.ready.take_all(&mut self.taken, true) {
                break;
            }
        }
        self.flush();
        self.mark();
        self.give_workspaces_back();
        self.free_tickets();
    }

    /// Takes one task: into a stream, or into a group whose other tasks have not all arrived.
    fn accept(&mut self, task: Arc<Task>) {
        self.health.trap(Trap::Dispatcher);
        self.leave_lost();
        if self
            .health
            .is_unneeded(&task, self.uids, self.queues.have_ranks())
        {
            return self.drop_task(&task);
        }
        let Some(operation) = task.take_one() else {
            return;
        };
        if self.is_for_host(&operation) {
            return self.give_to_host(Member { task, operation });
        }
        if !self.wait_for_host(&operation) {
            return;
        }
        let gpu = self.gpu_of(&operation, &task);
        let member = Member { task, operation };
        // Successors are issued later, so they need not wait here.
        let ready = member.task.hand_over();
        let now = self.observers.recorder.now();
        self.taken
            .extend(ready.into_iter().filter(|later| later.release(now)));
        let Some(member) = self.unless_left(gpu, member) else {
            return;
        };
        if let Some(member) = self.gather(gpu, member) {
            self.flush();
            self.issue_one(gpu, member);
            self.mark_if_many();
        }
    }

    /// Adds a task to the others that share its kernel, and issues them once all have arrived.
    /// Returns a task that needs its own kernel.
    fn gather(&mut self, gpu: GpuId, member: Member) -> Option<Member> {
        let (Some((kernel, _)), Some(joining)) = (
            member.task.shared_kernel().cloned(),
            Joining::from_operation(&member.operation),
        ) else {
            return Some(member);
        };
        if member.operation.failed_input().is_some() {
            return Some(member);
        }
        if !self
            .gathering
            .as_ref()
            .is_some_and(|known| known.is_of(&kernel))
        {
            self.flush();
        }
        let gathering = self.gathering.get_or_insert_with(|| Gathering::new(kernel));
        match gathering.add(gpu, joining, member, self.gpus.hold_all) {
            Gathered::Waits => None,
            Gathered::Apart(member) => Some(member),
            Gathered::Complete(group) => {
                let hidden = gathering.hidden();
                self.gathering.take_if(|gathering| gathering.is_empty());
                self.issue_group(group, hidden);
                self.mark_if_many();
                None
            }
        }
    }

    /// Issues one task with its own kernel.
    fn issue_one(&mut self, gpu: GpuId, member: Member) {
        // A predecessor may have failed when it was issued.
        if let Some(failure) = member.operation.failed_input() {
            return self.fail(member, &failure);
        }
        let Some(kind) = step_of(&member.operation) else {
            return self.issue_alone(gpu, member);
        };
        let mut group = Group::new(gpu, member.operation.part_shape(&member.task.cut));
        match group.add(kind, member, self.gpus.hold_all) {
            Ok(()) => self.issue_group(group, 0),
            Err(member) => self.issue_alone(gpu, member),
        }
    }

    /// Ends a task without running it.
    fn drop_task(&mut self, task: &Task) {
        let Some(operation) = task.take_one() else {
            return;
        };
        self.health.drop_operation(&operation);
        task.forget_waits();
        let ended = Ended::end_task(&operation);
        let now = self.observers.recorder.now();
        self.observers.recorder.at_moment(now, || drop(operation));
        let later = task.end().into_iter();
        self.taken.extend(later.filter(|later| later.release(now)));
        ended.tell(&self.queues.outstanding);
    }

    /// Issues waiting tasks, each with its own kernel. Timing decides which tasks have
    /// arrived, and must not decide which kernels are compiled.
    fn flush(&mut self) {
        if let Some(gathering) = self.gathering.take() {
            for member in gathering.into_members() {
                let gpu = self.gpu_of(&member.operation, &member.task);
                self.issue_one(gpu, member);
            }
        }
    }

    /// Takes memory of a GPU that an operation needs while it runs; `None` for 0 bytes.
    fn scratch(
        &self,
        gpu: GpuId,
        bytes: usize,
        operation: &Operation,
    ) -> Result<Option<Block>, OutOfMemory> {
        let outputs = operation.operands.iter().rev();
        let holder = outputs.filter_map(|operand| match operand {
            Operand::Array { store, .. } => Some(store.holder(operation.maker(), None)),
            _ => None,
        });
        match holder.take(1).next() {
            Some(holder) if bytes > 0 => self.gpus.memory(gpu).take(bytes, holder).map(Some),
            _ => Ok(None),
        }
    }

    fn mark_if_many(&mut self) {
        let most = match self.bundle {
            None => UNMARKED,
            // A mark would break the held loop body.
            Some(_) => UNMARKED_IN_BUNDLE,
        };
        let awaited = self.finished.last().is_some_and(Finished::is_awaited);
        if awaited || self.finished.len() >= most {
            self.mark();
        }
    }

    /// Sets marks after all issued work.
    fn mark(&mut self) {
        if !self.finished.is_empty() {
            self.mark_before(None);
        }
    }

    /// Sets marks after all issued work, and hands work to the host after it.
    fn mark_before(&mut self, host_work: Option<HostWork>) {
        if self.bundle.is_some() {
            // The program must not wait for the next iteration of a loop.
            self.close_bundle(None);
            self.repeats.iter_mut().for_each(Repeats::interrupt);
        }
        let events = &self.gpus.events;
        let driver = &self.gpus.driver;
        let Marked { marks, failed } = self.streams.mark(|gpu| match events.take(gpu) {
            Some(event) => Ok(event),
            None => driver.event(gpu),
        });
        let errors = failed.into_iter();
        let errors = errors.map(|(gpu, error)| self.gpus.explain(gpu, error));
        let errors = errors.collect();
        let finished = std::mem::take(&mut self.finished);
        let serial = self.losses.next_batch();
        // The receiver lives until this sender is dropped.
        drop(self.batches.send(Batch {
            marks,
            finished,
            errors,
            serial,
            host_work,
        }));
    }
}

/// Returns whether the tiles of an operation's outputs lie one after another in memory.
fn is_spread(operation: &Operation, task: &Task) -> bool {
    let axis = task.cut.axis();
    operation.arrays().all(|array| {
        if array.declared.access == Access::Read {
            return true;
        }
        let Some(part) = operation.part(array.index, &task.cut) else {
            return true;
        };
        let reach = part.extent().map_or(0, |(low, high)| high - low);
        // An output that is not cut along this axis has one element per tile.
        array.layout.strides.get(axis).is_none_or(|stride| {
            let extent = part.shape.dims().get(axis).copied().unwrap_or(1);
            reach < stride.unsigned_abs() * extent.max(1) || reach == 0
        })
    })
}

/// Runs the dispatcher's thread until the runtime stops.
pub(crate) fn serve(
    executor: &Executor<'_>,
    (uids, plan): (&Uids, &Plan),
    gpus: &Gpus,
    recording: (Names, Sender<Batch>),
) {
    let entered = gpus.driver.enter_thread();
    let dispatcher =
        entered.and_then(|()| Dispatcher::new(executor, (uids, plan), gpus, recording));
    match dispatcher {
        Ok(mut dispatcher) => dispatcher.serve(),
        Err(error) => refuse(executor, gpus, &error),
    }
    gpus.driver.stop_compiling();
}

/// Fails every task, because there is no GPU to run it on.
fn refuse(executor: &Executor<'_>, gpus: &Gpus, error: &DriverError) {
    let recorder = &executor.observers.recorder;
    let mut tasks: SmallVec<[Arc<Task>; 8]> = SmallVec::new();
    while executor.queues.ready.take_all(&mut tasks, true) {
        while let Some(task) = tasks.pop() {
            let Some(operation) = task.take_one() else {
                continue;
            };
            executor
                .health
                .fail(&operation, &operation.failure(error.clone().into()));
            let member = Member { task, operation };
            send::record_undone(recorder, gpus, GpuId(0), &member);
            let Member { task, operation } = member;
            task.forget_waits();
            let ended = Ended::end_task(&operation);
            let now = recorder.now();
            tasks.extend(task.end().into_iter().filter(|later| later.release(now)));
            ended.tell(&executor.queues.outstanding);
        }
    }
}
