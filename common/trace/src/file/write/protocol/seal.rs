//! Checksums of finished parts. These functions must be called by one thread at a time.

use super::DropReason;
use super::ending::lane_is_quiet;
use super::storage::{BlockHead, SealedBlock, Storage, Word};
use crate::file::checksum::{self, FULL, LEFT};
use crate::file::layout::BLOCK_MAGIC;
use std::sync::atomic::Ordering::{Acquire, Release};

/// Seals a block that its pen has left. Returns whether it did.
pub(crate) fn seal_full<S: Storage>(storage: &S, index: u64) -> bool {
    let head = storage.reserved_block(index);
    let Some(head) = head.filter(|head| head.seal.load(Acquire) == FULL) else {
        return false;
    };
    // The pen stored the word after its last record, and writes to another block now.
    seal(storage, head, &SealedBlock::new(index));
    true
}

/// After [`close`](super::close), seals a block, full or not, if its pen is quiet.
pub(crate) fn seal_open<S: Storage>(storage: &S, index: u64) {
    if seal_full(storage, index) {
        return;
    }
    let head = storage.reserved_block(index);
    let Some(head) = head.filter(|head| head.seal.load(Acquire) == 0) else {
        return;
    };
    let id = head.id.load(Acquire);
    let lane = (id >> 32) as u32;
    // A block that was claimed but not begun has no pen yet.
    let begun = id as u32 == BLOCK_MAGIC && lane < storage.lanes();
    if begun && lane_is_quiet(storage, lane) {
        seal(storage, head, &SealedBlock::new(index));
    }
}

fn seal<S: Storage>(storage: &S, head: &BlockHead<S::Word>, block: &SealedBlock) {
    let (id, index) = (head.id.load(Acquire), head.index.load(Acquire));
    let commit = head.commit.load(Acquire);
    let sum = storage.read(block, commit as u32 as usize, |frames| {
        checksum::of_block(id, index, commit, frames)
    });
    head.seal.store(checksum::sealed(sum), Release);
}

/// After [`close`](super::close), seals the counters of all lanes that were used. Returns `false`
/// if a thread was writing a record.
pub(crate) fn seal_lanes<S: Storage>(storage: &S) -> bool {
    let mut all = true;
    // Lane 0 has many writers, which continue to count. Its two counters are compared with each
    // other.
    for lane in 1..storage.lanes() {
        let slot = storage.slot(lane);
        if !lane_is_quiet(storage, lane) {
            slot.seal.store(LEFT, Release);
            all = false;
            continue;
        }
        let dropped = |reason: DropReason| slot.dropped[reason as usize].load(Acquire);
        let counters = [
            slot.committed.load(Acquire),
            dropped(DropReason::Limit),
            dropped(DropReason::NotReady),
            dropped(DropReason::TooLarge),
            dropped(DropReason::NoLane),
        ];
        if counters != [0; 5] {
            let sum = checksum::of_lane(lane, counters);
            slot.seal.store(checksum::sealed(sum), Release);
        }
    }
    all
}
