//! The dispatcher: one thread that takes tasks in program order as their predecessors have been issued, does those together
//! that share a kernel, and puts the work into streams. It never waits for a GPU.
//!
//! A task that it has taken is issued before any that it takes later, so whoever waits for it is released at once; what
//! must not run too early waits in the streams.

mod bundle;
mod host;
mod issue;
mod member;
mod place;
mod prepare;
mod read;
mod repeats;
mod room;
mod send;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Weak};

use smallvec::SmallVec;
use weft_config::Plan;

use super::api::{EventId, GpuId};
use super::completion::{Batch, Finished, HostWork};
use super::error::DriverError;
use super::gpus::Gpus;
use super::streams::Streams;
use crate::device::Executor;
use crate::fusion::step_of;
use crate::identity::Uids;
use crate::memory::{Block, OutOfMemory, Store};
use crate::observe::{Names, Observers};
use crate::operation::{Operand, Operation};
use crate::runtime::{Health, Memories, Queues, Trap};
use crate::task::{Ended, Task};
use bundle::{Bundle, Replayable};
use host::OnHost;
use member::{Gathered, Gathering, Group, Member};
use repeats::Repeats;
use weft_geometry::Access;

/// Tasks issued before their end is looked for, where nobody waits for one of them.
const UNMARKED: usize = 64;

/// The same while a loop body is held back; well below what the program may run ahead.
const UNMARKED_IN_BUNDLE: usize = 512;

/// How often to look for more before what is open is issued: some ten microseconds. Whoever waits for a result does not
/// wait for this.
const SPINS: u32 = 300;

/// A task, ordered so that the earliest in the program comes first out of a heap.
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

/// Tasks taken and not yet issued.
#[derive(Default)]
struct Taken(BinaryHeap<Early>);

impl Extend<Arc<Task>> for Taken {
    fn extend<I: IntoIterator<Item = Arc<Task>>>(&mut self, tasks: I) {
        self.0.extend(tasks.into_iter().map(Early));
    }
}

/// What the dispatcher's thread holds.
pub(super) struct Dispatcher<'a> {
    observers: &'a Observers,
    health: &'a Health,
    memories: &'a Memories,
    queues: &'a Queues,
    uids: &'a Uids,
    plan: &'a Plan,
    gpus: &'a Gpus,
    streams: Streams,
    taken: Taken,
    /// Tasks that wait for others with which they share a kernel.
    gathering: Option<Gathering>,
    /// Present where loops are to be replayed as CUDA graphs.
    repeats: Option<Repeats>,
    bundle: Option<Bundle>,
    /// Graphs, by the number of their body.
    graphs: Vec<Option<Replayable>>,
    /// Tasks in streams behind which no mark is set yet.
    finished: Vec<Finished>,
    /// Blocks that the work being issued uses on the way.
    lent: SmallVec<[(GpuId, Block); 1]>,
    /// Stores that may keep a spare instance on a GPU for the next swap; those of main memory are known to [`Memories`].
    gpu_spares: Vec<Weak<Store>>,
    /// Tasks handed to CPU workers, some of which may have ended.
    on_host: Vec<OnHost>,
    /// Of kernels and what they are compiled for.
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
            taken: Taken::default(),
            gathering: None,
            repeats: plan.cuda_graphs.then(Repeats::default),
            bundle: None,
            graphs: Vec::new(),
            finished: Vec::new(),
            lent: SmallVec::new(),
            gpu_spares: Vec::new(),
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
                // Others may come that share the kernel; and to look for ends costs more than to look for tasks.
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
    }

    /// Takes one task: into a stream, or to those that share its kernel and have not all come.
    fn accept(&mut self, task: Arc<Task>) {
        self.health.trap(Trap::Dispatcher);
        if self.health.is_unneeded(&task, self.uids, self.queues) {
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
        // Whoever comes later is issued later: they need not wait here.
        let ready = member.task.hand_over();
        let now = self.observers.recorder.now();
        self.taken
            .extend(ready.into_iter().filter(|later| later.release(now)));
        if let Some(member) = self.gather(gpu, member) {
            self.flush();
            self.issue_one(gpu, member);
            self.mark_if_many();
        }
    }

    /// Adds a task to the others that share its kernel, and issues them all once they are complete. Returns a task that
    /// needs a kernel of its own.
    fn gather(&mut self, gpu: GpuId, member: Member) -> Option<Member> {
        let (Some((kernel, _)), Some(kind)) = (
            member.task.shared_kernel().cloned(),
            step_of(&member.operation),
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
        let gathering = self.gathering.get_or_insert_with(|| Gathering::of(kernel));
        match gathering.add(gpu, kind, member, self.gpus.hold_all) {
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

    /// Does one task with a kernel of its own.
    fn issue_one(&mut self, gpu: GpuId, member: Member) {
        // What it depends on may have failed when it was issued.
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

    /// Ends a task that never runs.
    fn drop_task(&mut self, task: &Task) {
        let Some(operation) = task.take_one() else {
            return;
        };
        self.health.drop_operation(&operation);
        task.forget_waits();
        let ended = Ended::of_task(&operation);
        let now = self.observers.recorder.now();
        self.observers.recorder.at_moment(now, || drop(operation));
        let later = task.end().into_iter();
        self.taken.extend(later.filter(|later| later.release(now)));
        ended.tell(&self.queues.outstanding);
    }

    /// Issues tasks that wait for others, each with a kernel of its own: timing decides which of them have arrived, and must
    /// not decide what is compiled.
    fn flush(&mut self) {
        if let Some(gathering) = self.gathering.take() {
            for member in gathering.into_members() {
                let gpu = self.gpu_of(&member.operation, &member.task);
                self.issue_one(gpu, member);
            }
        }
    }

    /// The GPU for a task, of those of its scope: tiles of one operation are spread in order, unless the tiles of what it writes lie
    /// between each other in memory; what is not cut runs on the first.
    fn gpu_of(&self, operation: &Operation, task: &Task) -> GpuId {
        let (all, tasks) = (self.gpus.count(), operation.tasks() as usize);
        let gpus = operation.scope.map_or(0..all, |scope| scope.gpus(all));
        if gpus.len() == 1 || tasks < 2 || !is_spread(operation, task) {
            return GpuId(gpus.start as u8);
        }
        GpuId((gpus.start + task.point as usize * gpus.len() / tasks) as u8)
    }

    /// Memory of a GPU that an operation needs while it runs; `None` for no bytes.
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
            // A mark would break the loop body that is being held.
            Some(_) => UNMARKED_IN_BUNDLE,
        };
        let awaited = self.finished.last().is_some_and(Finished::is_awaited);
        if awaited || self.finished.len() >= most {
            self.mark();
        }
    }

    /// Looks for the end of all that was issued.
    fn mark(&mut self) {
        if !self.finished.is_empty() {
            self.mark_before(None);
        }
    }

    /// Looks for the end of all that was issued, and hands work to the host after it.
    fn mark_before(&mut self, host_work: Option<HostWork>) {
        if self.bundle.is_some() {
            // Whoever waits for an end does not wait for a loop to come round.
            self.close_bundle(None);
            self.repeats.iter_mut().for_each(Repeats::interrupt);
        }
        let events = &self.gpus.events;
        let driver = &self.gpus.driver;
        let marks = self.streams.mark(|gpu| match events.take(gpu) {
            Some(event) => Ok(event),
            None => driver.event(gpu),
        });
        let (marks, error) = match marks {
            Ok(marks) => (marks, None),
            Err(error) => (Vec::<(GpuId, EventId)>::new(), Some(error)),
        };
        let finished = std::mem::take(&mut self.finished);
        // The receiver lives until this sender is gone.
        drop(self.batches.send(Batch {
            marks,
            finished,
            error,
            host_work,
        }));
    }
}

/// Whether the tiles of what an operation writes lie one after another in memory.
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
        // An output that is not cut along this axis has one element a tile.
        array.layout.strides.get(axis).is_none_or(|stride| {
            let extent = part.shape.dims().get(axis).copied().unwrap_or(1);
            reach < stride.unsigned_abs() * extent.max(1) || reach == 0
        })
    })
}

/// The dispatcher's thread: serves until the runtime stops.
pub(super) fn serve(
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

/// Fails every task: there is nothing to run them on.
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
            let ended = Ended::of_task(&operation);
            let now = recorder.now();
            tasks.extend(task.end().into_iter().filter(|later| later.release(now)));
            ended.tell(&executor.queues.outstanding);
        }
    }
}
