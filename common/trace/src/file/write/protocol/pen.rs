//! One thread's side of the protocol.

use super::storage::{Claim, Storage, Word};
use super::{DropReason, REASONS};
use crate::file::checksum::FULL;
use crate::file::layout::{BLOCK_MAGIC, ENDED};
use crate::record::FRAME_MAX;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// The state of a thread's lane. The counters in the file are copies of these.
#[derive(Debug)]
pub(crate) struct Pen {
    lane: u32,
    produced: u64,
    committed: u64,
    dropped: [u64; REASONS],
    block: Option<Claim>,
    /// The number of bytes committed in the block.
    used: usize,
    /// The number of records committed in the block.
    records: u64,
}

impl Pen {
    /// Creates the pen of a lane that no other pen has.
    pub(crate) fn new(lane: u32) -> Self {
        Pen {
            lane,
            produced: 0,
            committed: 0,
            dropped: [0; REASONS],
            block: None,
            used: 0,
            records: 0,
        }
    }

    /// Writes one frame of this kind, or counts it as dropped.
    #[inline]
    pub(crate) fn write<S: Storage>(
        &mut self,
        storage: &S,
        kind: u8,
        size: usize,
        fill: impl FnOnce(&mut [u8]),
    ) -> Result<(), DropReason> {
        let slot = storage.slot(self.lane);
        self.produced += 1;
        slot.produced.store(self.produced, Release);
        storage.light_barrier();
        if storage.gate().closed.load(Acquire) != 0 {
            return Err(self.drop_one(storage, kind, DropReason::Finished));
        }
        let room = storage.room();
        let mut claim = match self.block.take() {
            Some(claim) if size <= FRAME_MAX && size <= room - self.used => claim,
            full => match self.next_block(storage, full, size) {
                Ok(claim) => claim,
                Err(reason) => return Err(self.drop_one(storage, kind, reason)),
            },
        };
        storage.fill(&mut claim, self.used, size, fill);
        self.used += size;
        self.records += 1;
        let commit = self.records << 32 | self.used as u64;
        storage.block(&claim).commit.store(commit, Release);
        self.block = Some(claim);
        self.committed += 1;
        slot.committed.store(self.committed, Release);
        Ok(())
    }

    #[cold]
    fn drop_one<S: Storage>(&mut self, storage: &S, kind: u8, reason: DropReason) -> DropReason {
        if reason != DropReason::Finished {
            storage.dropped(kind);
        }
        let index = reason as usize;
        self.dropped[index] += 1;
        storage.slot(self.lane).dropped[index].store(self.dropped[index], Release);
        reason
    }

    /// Claims a block for a frame of `size` bytes. `full` is the block that has no room for it.
    #[cold]
    fn next_block<S: Storage>(
        &mut self,
        storage: &S,
        full: Option<Claim>,
        size: usize,
    ) -> Result<Claim, DropReason> {
        if size > FRAME_MAX || size > storage.room() {
            self.block = full;
            return Err(DropReason::TooLarge);
        }
        let claimed = claim(storage);
        storage.claimed();
        match claimed {
            Ok(claim) => {
                let head = storage.block(&claim);
                head.index.store(claim.index(), Relaxed);
                head.id
                    .store(u64::from(self.lane) << 32 | u64::from(BLOCK_MAGIC), Release);
                self.used = 0;
                self.records = 0;
                if let Some(full) = full {
                    storage.block(&full).seal.store(FULL, Release);
                    storage.retired(full);
                }
                Ok(claim)
            }
            Err(reason) => {
                // The rest of the block may have room for a shorter record.
                self.block = full;
                Err(reason)
            }
        }
    }
}

/// Takes the next block, if its space is reserved.
fn claim<S: Storage>(storage: &S) -> Result<Claim, DropReason> {
    let gate = storage.gate();
    let mut next = gate.claims.load(Relaxed);
    loop {
        if next & ENDED != 0 {
            return Err(DropReason::Finished);
        }
        if next >= storage.limit() {
            return Err(DropReason::Limit);
        }
        if next >= gate.reserved.load(Acquire) {
            return Err(DropReason::NotReady);
        }
        match gate.claims.exchange(next, next + 1, Relaxed, Relaxed) {
            Ok(_) => return Ok(Claim::new(next)),
            Err(changed) => next = changed,
        }
    }
}
