//! The queues of ready work, and their processors.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use smallvec::SmallVec;
use weft_config::Plan;
use weft_trace::record::ProcessorKind;
use weft_trace::time::Timestamp;

use super::Posted;
use super::cpu::Turns;
use crate::operation::Operation;
use crate::task::{Ended, Outstanding, ReadyQueue, Submissions, Task};

/// The queues in which operations and tasks wait for threads, and the number of operations under
/// way.
pub(crate) struct Queues {
    /// Operations on their way to the analysis.
    pub(crate) submissions: Submissions<Arc<Operation>>,
    /// Tasks that can begin. With GPUs: those whose predecessors are all in their streams.
    pub(crate) ready: ReadyQueue<Arc<Task>>,
    /// Ready tasks of one tile, for CPU workers, in runs with OMP groups.
    single: ReadyQueue<Arc<Task>>,
    /// Messages to other ranks and from them.
    pub(crate) messages: ReadyQueue<Posted>,
    /// Tasks whose tiles run together, if there are several ranks.
    pub(crate) turns: Turns,
    /// Operations that have begun and not ended.
    pub(crate) outstanding: Outstanding,
    /// Small operations in a row that were submitted while their operands were in use.
    pub(crate) behind: AtomicUsize,
    /// The processors that take ready tasks.
    takers: Takers,
    /// Whether there are other ranks.
    has_ranks: bool,
}

/// The processors that take ready tasks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takers {
    /// The dispatcher of GPUs, which orders tasks itself.
    Gpus,
    /// CPU workers, or OMP groups.
    Hosts,
    /// OMP groups, and CPU workers for tasks of one tile.
    Both,
}

fn priority(task: &Arc<Task>) -> i8 {
    task.priority
}

/// Ready tasks, to be distributed over queues.
type Tasks = SmallVec<[Arc<Task>; 8]>;

impl Queues {
    pub(crate) fn new(plan: &Plan, has_gpus: bool, has_ranks: bool) -> Queues {
        Queues {
            submissions: Submissions::default(),
            ready: ReadyQueue::default(),
            single: ReadyQueue::default(),
            messages: ReadyQueue::default(),
            turns: Turns::new(plan.pin_cpus),
            outstanding: Outstanding::default(),
            behind: AtomicUsize::new(0),
            takers: match (plan.cpus > 0, plan.omps > 0) {
                _ if has_gpus => Takers::Gpus,
                (true, true) => Takers::Both,
                _ => Takers::Hosts,
            },
            has_ranks,
        }
    }

    /// Stops all threads after their current work.
    pub(crate) fn stop(&self) {
        self.submissions.stop();
        self.ready.stop();
        self.single.stop();
        self.messages.stop();
    }

    /// Whether there are other ranks.
    pub(crate) fn have_ranks(&self) -> bool {
        self.has_ranks
    }

    /// Whether there are both OMP groups and CPU workers; the latter run tasks of one tile.
    pub(crate) fn are_two(&self) -> bool {
        self.takers == Takers::Both
    }

    /// Returns the queue of CPU workers, or of OMP groups.
    pub(crate) fn get(&self, kind: ProcessorKind) -> &ReadyQueue<Arc<Task>> {
        match kind {
            ProcessorKind::Cpu if self.are_two() => &self.single,
            _ => &self.ready,
        }
    }

    /// Queues tasks whose predecessors have ended for their processors.
    pub(crate) fn make_ready(&self, tasks: impl IntoIterator<Item = Arc<Task>>) {
        if self.takers == Takers::Gpus {
            return self.ready.push(tasks);
        }
        if self.has_ranks {
            let tasks: Tasks = tasks
                .into_iter()
                .filter_map(|task| self.in_turn(task))
                .collect();
            let (messages, others): (Tasks, Tasks) =
                tasks.into_iter().partition(|task| task.is_message);
            if !messages.is_empty() {
                self.messages
                    .push(messages.into_iter().filter_map(Posted::in_store));
            }
            return self.queue(others);
        }
        self.queue(tasks);
    }

    /// Returns the task if it has no turn to wait for; otherwise the task whose turn it is, if it
    /// is ready.
    fn in_turn(&self, task: Arc<Task>) -> Option<Arc<Task>> {
        match task.turn {
            0 => Some(task),
            turn => self.turns.add(turn, task),
        }
    }

    /// Queues tasks whose turn it is for the processors of this rank.
    pub(crate) fn queue(&self, tasks: impl IntoIterator<Item = Arc<Task>>) {
        if !self.are_two() {
            return self.ready.push_by(priority, tasks);
        }
        let (single, shared): (Tasks, Tasks) = tasks.into_iter().partition(|task| {
            let (first, end) = task.cut.tiles();
            end - first <= 1
        });
        for (queue, tasks) in [(&self.single, single), (&self.ready, shared)] {
            if !tasks.is_empty() {
                queue.push_by(priority, tasks);
            }
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
