//! Which processors run what is ready.

use std::sync::Arc;

use smallvec::SmallVec;
use weft_geometry::{Cuts, Grain, Processors};
use weft_trace::record;

use super::Core;
use crate::shape::Shape;
use crate::task::{ReadyQueue, Task};

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
            &self.ready_single
        } else {
            &self.ready
        }
    }

    /// Queues tasks that wait for nothing more for whoever runs them.
    pub(crate) fn make_ready(&self, tasks: impl IntoIterator<Item = Arc<Task>>) {
        if let Some(gpus) = &self.gpus {
            return gpus.ready.push(tasks);
        }
        if self.ranks.are_many() {
            let (messages, others): (Tasks, Tasks) =
                tasks.into_iter().partition(|task| task.is_message);
            if !messages.is_empty() {
                self.messages.push(messages);
            }
            return self.make_ready_here(others);
        }
        self.make_ready_here(tasks);
    }

    /// Queues tasks for the processors of this rank.
    fn make_ready_here(&self, tasks: impl IntoIterator<Item = Arc<Task>>) {
        if !self.has_two_queues() {
            return self.ready.push(tasks);
        }
        let (single, shared): (Tasks, Tasks) = tasks.into_iter().partition(|task| {
            let (first, end) = task.cut.tiles();
            end - first <= 1
        });
        for (queue, tasks) in [(&self.ready_single, single), (&self.ready, shared)] {
            if !tasks.is_empty() {
                queue.push(tasks);
            }
        }
    }

    /// The tasks of an operation of this shape that this rank runs: its part where ranks share them out, else all.
    pub(crate) fn own_cuts(&self, shape: &Shape, grain: Grain, is_shared: bool) -> Cuts {
        let cuts = self.cuts(shape, grain);
        match is_shared {
            true => cuts.of_rank(self.ranks),
            false => cuts,
        }
    }

    /// How an operation of this shape is cut into tasks, for all ranks.
    pub(crate) fn cuts(&self, shape: &Shape, grain: Grain) -> Cuts {
        let plan = &self.plan;
        if let Some(gpus) = &self.gpus {
            return Cuts::for_gpus(shape, grain, plan.min_gpu_chunk, gpus.count());
        }
        self.processors().cuts(shape, grain, self.ranks.size.into())
    }

    /// Writes down what operations are cut for, where what they work on is.
    pub(super) fn describe_processors(&self) {
        if self.recorder.is_on() && self.plan.profile_operands {
            let processors = self.processors();
            self.recorder.write(&record::Processors {
                cpus: processors.cpus as u32,
                omps: processors.omps as u32,
                omp_threads: processors.omp_threads as u32,
                smallest: processors.smallest as u64,
                smallest_omp: processors.smallest_omp as u64,
            });
        }
    }

    /// What this rank has to run tiles on.
    pub(crate) fn processors(&self) -> Processors {
        let plan = &self.plan;
        Processors {
            cpus: plan.cpus,
            omps: plan.omps,
            omp_threads: plan.omp_threads,
            smallest: plan.min_cpu_chunk,
            smallest_omp: plan.min_omp_chunk,
        }
    }
}
