//! Which processors run what is ready.

use std::sync::Arc;

use smallvec::SmallVec;

use super::Core;
use crate::device::Posted;
use crate::device::cpu::Turns;
use crate::operation::Operation;
use crate::task::{ReadyQueue, Submissions, Task};

/// Where operations and tasks wait for threads.
#[derive(Default)]
pub(crate) struct Queues {
    /// Operations on their way to the analysis.
    pub(crate) submissions: Submissions<Arc<Operation>>,
    /// Tasks that can begin.
    pub(crate) ready: ReadyQueue<Arc<Task>>,
    /// The same of one tile, for CPU workers, in runs with OMP groups.
    pub(super) single: ReadyQueue<Arc<Task>>,
    /// What is to be sent to other ranks, and what is expected from them.
    pub(crate) messages: ReadyQueue<Posted>,
    /// Tasks whose tiles run together, where there are ranks.
    pub(crate) turns: Turns,
}

impl Queues {
    /// Sends all threads away after what they are doing.
    pub(super) fn stop(&self) {
        self.submissions.stop();
        self.ready.stop();
        self.single.stop();
        self.messages.stop();
    }
}

fn priority(task: &Arc<Task>) -> i8 {
    task.priority
}

/// Tasks to be told apart.
type Tasks = SmallVec<[Arc<Task>; 8]>;

impl Core {
    /// Whether there are OMP groups, to which tasks go, and CPU workers, to which those of one tile go.
    pub(crate) fn has_two_queues(&self) -> bool {
        self.plan.omps > 0 && self.plan.cpus > 0
    }

    /// The queue of CPU workers.
    pub(crate) fn cpu_queue(&self) -> &ReadyQueue<Arc<Task>> {
        if self.plan.omps > 0 {
            &self.queues.single
        } else {
            &self.queues.ready
        }
    }

    /// Queues tasks that wait for nothing more for whoever runs them.
    pub(crate) fn make_ready(&self, tasks: impl IntoIterator<Item = Arc<Task>>) {
        if let Some(gpus) = &self.gpus {
            return gpus.ready.push(tasks);
        }
        if self.cutting.ranks().are_many() {
            let tasks: Tasks = tasks
                .into_iter()
                .filter_map(|task| self.in_turn(task))
                .collect();
            let (messages, others): (Tasks, Tasks) =
                tasks.into_iter().partition(|task| task.is_message);
            if !messages.is_empty() {
                self.queues
                    .messages
                    .push(messages.into_iter().filter_map(Posted::in_store));
            }
            return self.make_ready_here(others);
        }
        self.make_ready_here(tasks);
    }

    /// A task that can begin, where it has no turn to wait for; otherwise the one that has it.
    fn in_turn(&self, task: Arc<Task>) -> Option<Arc<Task>> {
        match task.turn {
            0 => Some(task),
            turn => self.queues.turns.add(turn, task),
        }
    }

    /// Queues tasks whose turn it is.
    pub(crate) fn queue(&self, tasks: impl IntoIterator<Item = Arc<Task>>) {
        self.make_ready_here(tasks);
    }

    /// Queues tasks for the processors of this rank.
    fn make_ready_here(&self, tasks: impl IntoIterator<Item = Arc<Task>>) {
        if !self.has_two_queues() {
            return self.queues.ready.push_by(priority, tasks);
        }
        let (single, shared): (Tasks, Tasks) = tasks.into_iter().partition(|task| {
            let (first, end) = task.cut.tiles();
            end - first <= 1
        });
        for (queue, tasks) in [(&self.queues.single, single), (&self.queues.ready, shared)] {
            if !tasks.is_empty() {
                queue.push_by(priority, tasks);
            }
        }
    }
}
