//! Which processors run what is ready.

use std::sync::Arc;

use smallvec::SmallVec;
use weft_config::Plan;
use weft_trace::record::ProcessorKind;

use crate::device::cpu::Turns;
use crate::device::{Posted, World};
use crate::operation::Operation;
use crate::task::{Outstanding, ReadyQueue, Submissions, Task};

/// Where operations and tasks wait for threads, and how many operations are under way.
pub(crate) struct Queues {
    /// Operations on their way to the analysis.
    pub(crate) submissions: Submissions<Arc<Operation>>,
    /// Tasks that can begin. With GPUs: those whose predecessors are all in their streams.
    pub(crate) ready: ReadyQueue<Arc<Task>>,
    /// Tasks of one tile that can begin, for CPU workers, in runs with OMP groups.
    single: ReadyQueue<Arc<Task>>,
    /// What is to be sent to other ranks, and what is expected from them.
    pub(crate) messages: ReadyQueue<Posted>,
    /// Tasks whose tiles run together, where there are ranks.
    pub(crate) turns: Turns,
    /// Operations that have begun and not ended.
    pub(crate) outstanding: Outstanding,
    /// Who takes what is ready.
    takers: Takers,
    /// Whether there are other ranks.
    has_ranks: bool,
}

/// Who takes tasks that are ready.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takers {
    /// The dispatcher of GPUs, which knows their order itself.
    Gpus,
    /// CPU workers, or OMP groups.
    Hosts,
    /// OMP groups, and CPU workers those of one tile.
    Both,
}

fn priority(task: &Arc<Task>) -> i8 {
    task.priority
}

/// Tasks to be told apart.
type Tasks = SmallVec<[Arc<Task>; 8]>;

impl Queues {
    pub(super) fn new(plan: &Plan, has_gpus: bool, world: Option<&Arc<World>>) -> Queues {
        Queues {
            submissions: Submissions::default(),
            ready: ReadyQueue::default(),
            single: ReadyQueue::default(),
            messages: ReadyQueue::default(),
            turns: Turns::new(world.cloned(), plan.pin_cpus),
            outstanding: Outstanding::default(),
            takers: match (plan.cpus > 0, plan.omps > 0) {
                _ if has_gpus => Takers::Gpus,
                (true, true) => Takers::Both,
                _ => Takers::Hosts,
            },
            has_ranks: world.is_some(),
        }
    }

    /// Sends all threads away after what they are doing.
    pub(super) fn stop(&self) {
        self.submissions.stop();
        self.ready.stop();
        self.single.stop();
        self.messages.stop();
    }

    /// Whether there are other ranks.
    pub(crate) fn have_ranks(&self) -> bool {
        self.has_ranks
    }

    /// Whether there are OMP groups, to which tasks go, and CPU workers, to which those of one tile go.
    pub(crate) fn are_two(&self) -> bool {
        self.takers == Takers::Both
    }

    /// The queue of CPU workers, or of OMP groups.
    pub(crate) fn of(&self, kind: ProcessorKind) -> &ReadyQueue<Arc<Task>> {
        match kind {
            ProcessorKind::Cpu if self.are_two() => &self.single,
            _ => &self.ready,
        }
    }

    /// Queues tasks that wait for nothing more for whoever runs them.
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

    /// A task that can begin, where it has no turn to wait for; otherwise the one that has it.
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
