//! Counters of all lanes, and the end of a file.

use super::storage::{Storage, Word};
use super::{Counters, DropReason, Dropped};
use crate::file::layout::ENDED;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// Counts a record of a thread that has no lane.
pub(crate) fn refuse<S: Storage>(storage: &S) {
    let slot = storage.slot(0);
    slot.produced.fetch_add(1, Relaxed);
    slot.dropped[DropReason::NoLane as usize].fetch_add(1, Release);
}

/// Refuses further records and further claims. Returns the number of claimed blocks.
pub(crate) fn close<S: Storage>(storage: &S) -> u64 {
    let gate = storage.gate();
    gate.closed.store(1, Release);
    let claims = gate.claims.fetch_or(ENDED, AcqRel) & !ENDED;
    storage.heavy_barrier();
    claims
}

/// Whether no thread is writing a record. After [`close`], `true` is final.
pub(crate) fn quiet<S: Storage>(storage: &S) -> bool {
    (0..storage.lanes()).all(|lane| lane_is_quiet(storage, lane))
}

/// Whether the thread of a lane is not writing a record. If `true` after [`close`], it never writes
/// to a block again.
pub(super) fn lane_is_quiet<S: Storage>(storage: &S, lane: u32) -> bool {
    let slot = storage.slot(lane);
    let produced = slot.produced.load(Acquire);
    let done = slot
        .dropped
        .iter()
        .fold(slot.committed.load(Acquire), |sum, word| {
            sum + word.load(Acquire)
        });
    done >= produced
}

/// Adds up the counters of all lanes.
pub(crate) fn count<S: Storage>(storage: &S) -> Counters {
    let mut counters = Counters::default();
    let mut reasons = [0; super::REASONS];
    for lane in 0..storage.lanes() {
        let slot = storage.slot(lane);
        // Outcomes are read before `produced`, so that their sum never exceeds it.
        for (sum, word) in reasons.iter_mut().zip(&slot.dropped) {
            *sum += word.load(Acquire);
        }
        counters.written += slot.committed.load(Acquire);
        counters.produced += slot.produced.load(Acquire);
    }
    counters.reasons = Dropped::from_counts(reasons);
    counters.dropped = counters.reasons.total();
    counters
}
