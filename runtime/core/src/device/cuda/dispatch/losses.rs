//! GPUs that have stopped. Data that only they held is lost; all other work continues without them.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use weft_trace::id::StoreUid;

use super::super::api::GpuId;
use super::Dispatcher;
use super::member::Member;
use super::place::Places;
use crate::error::{DriverError, Failure};
use crate::identity::Order;
use crate::memory::Place;
use crate::operation::Operation;
use crate::task::Task;

/// A copy of a store's elements out of a GPU's memory.
struct Copied {
    from: GpuId,
    store: StoreUid,
    /// The serial number of its batch.
    batch: u64,
}

/// The dispatcher's knowledge of GPUs that have stopped.
#[derive(Default)]
pub(super) struct Losses {
    /// Number of losses that were seen.
    seen: u64,
    /// The GPUs that get no more work.
    left: SmallVec<[GpuId; 2]>,
    /// Copies that may not have run yet.
    copied: Vec<Copied>,
    /// Number of batches sent.
    batches: u64,
}

impl Losses {
    /// Returns the serial number of the batch that is being sent.
    pub(super) fn next_batch(&mut self) -> u64 {
        self.batches += 1;
        self.batches
    }
}

/// The number of copies above which those that have run are forgotten.
const MANY: usize = 256;

impl Dispatcher<'_> {
    /// Returns the first GPU that has not stopped; if all have, the first one.
    pub(super) fn living(&self) -> GpuId {
        let gpus = 0..self.gpus.count() as u8;
        let mut living = gpus.map(GpuId).filter(|gpu| !self.has_left(*gpu));
        living.next().unwrap_or(GpuId(0))
    }

    fn has_left(&self, gpu: GpuId) -> bool {
        self.losses.left.contains(&gpu)
    }

    /// Returns the GPU for a task, among those of its scope that have not stopped; if all have, its
    /// first one. The tiles of an operation are spread in order, unless the tiles of an output
    /// interleave in memory. An operation with one tile runs on the first GPU.
    pub(super) fn gpu_of(&self, operation: &Operation, task: &Task) -> GpuId {
        let (all, tasks) = (self.gpus.count(), operation.tasks() as usize);
        let gpus = operation.scope.map_or(0..all, |scope| scope.gpus(all));
        let first = GpuId(gpus.start as u8);
        if self.losses.left.is_empty() && (gpus.len() == 1 || tasks < 2) {
            return first;
        }
        let living = gpus.map(|gpu| GpuId(gpu as u8));
        let living: SmallVec<[GpuId; 8]> = living.filter(|gpu| !self.has_left(*gpu)).collect();
        match living.as_slice() {
            [] => first,
            [only] => *only,
            [first, ..] if tasks < 2 || !super::is_spread(operation, task) => *first,
            living => living[task.point as usize * living.len() / tasks],
        }
    }

    /// Returns the member if its GPU works; otherwise ends it as failed.
    pub(super) fn unless_left(&mut self, gpu: GpuId, member: Member) -> Option<Member> {
        if !self.has_left(gpu) {
            return Some(member);
        }
        if let Some(error) = self.gpus.lost(gpu) {
            let failure = member.operation.failure(error.clone().into());
            self.fail(member, &failure);
        }
        None
    }

    /// Notes copies out of the memories of GPUs, and returns the GPUs whose memory a launch on
    /// `gpu` uses.
    pub(super) fn note_copies(&mut self, gpu: GpuId, places: &Places) -> SmallVec<[GpuId; 2]> {
        let mut used: SmallVec<[GpuId; 2]> = SmallVec::new();
        used.push(gpu);
        // With one GPU there is no other place for work.
        if self.gpus.count() == 1 {
            return used;
        }
        let gpus = self.gpus;
        let batch = self.losses.batches + 1;
        for (from, store) in places.copied() {
            if !used.contains(&from) {
                used.push(from);
            }
            if self.losses.copied.len() >= MANY {
                let completed = gpus.completed.load(Ordering::Acquire);
                self.losses.copied.retain(|copy| copy.batch > completed);
            }
            self.losses.copied.push(Copied {
                from,
                store: store.uid,
                batch,
            });
        }
        used
    }

    /// Leaves the GPUs that have stopped since the last call, unless none would remain: fails the
    /// stores with elements that only they hold, and forgets their instances.
    pub(super) fn leave_lost(&mut self) {
        let losses = self.gpus.losses();
        if losses == self.losses.seen {
            return;
        }
        self.losses.seen = losses;
        let all = (0..self.gpus.count() as u8).map(GpuId);
        let (stopped, working): (Vec<GpuId>, Vec<GpuId>) =
            all.partition(|gpu| self.gpus.lost(*gpu).is_some());
        if working.is_empty() {
            return;
        }
        self.close_bundle(None);
        for gpu in stopped {
            if self.has_left(gpu) {
                continue;
            }
            self.losses.left.push(gpu);
            self.streams.leave(gpu);
            if let Some(error) = self.gpus.lost(gpu).cloned() {
                self.leave(gpu, &error);
            }
        }
        // Tasks that waited for others go to other GPUs.
        self.flush();
    }

    fn leave(&mut self, gpu: GpuId, error: &DriverError) {
        let place = Place(gpu.0);
        let completed = self.gpus.completed.load(Ordering::Acquire);
        // Whether these copies have run is unknown.
        let copied = &mut self.losses.copied;
        copied.retain(|copy| copy.batch > completed);
        let of_gpu = copied.iter().filter(|copy| copy.from == gpu);
        let uncertain: FxHashSet<StoreUid> = of_gpu.map(|copy| copy.store).collect();
        copied.retain(|copy| copy.from != gpu);
        let memories = self.gpus.memories_of(gpu);
        for holding in memories.flat_map(|memory| memory.pool.holdings()) {
            let holder = holding.holder;
            let Some(store) = holder.owner.upgrade() else {
                continue;
            };
            let mut residence = store.residence();
            let is_lost = residence.is_alone(place) || uncertain.contains(&store.uid);
            residence.leave(place);
            drop(residence);
            if is_lost {
                let maker = holder.maker;
                let failure = Arc::new(Failure {
                    operation: maker.name,
                    uid: maker.uid,
                    location: maker.location,
                    cause: error.clone().into(),
                });
                let writer = Order::from_uid(maker.uid);
                store.failure_cell().set(writer, &failure);
            }
        }
    }
}
