//! Models of the protocol, which cover every order of the steps of a few threads.
//!
//! The bytes of a block are a cell that the model checker watches. It detects two threads in one
//! block, and a reader ahead of the commit.

use super::storage::{BlockHead, Claim, Gate, SealedBlock, Slot, Storage};
use super::{DropReason, Pen, close, count, quiet, seal_full, seal_lanes, seal_open};
use crate::file::checksum::{self, FULL, Seal};
use crate::file::layout::ENDED;
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicU64, AtomicUsize, fence};
use loom::thread;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};

/// The number of bytes for frames in a block: room for two records.
const ROOM: usize = 16;
const RECORD: usize = 8;

/// A file in memory.
#[derive(Debug, Default)]
struct Memory {
    claims: AtomicU64,
    reserved: AtomicU64,
    closed: AtomicU64,
    limit: u64,
    slots: Vec<Slot<AtomicU64>>,
    blocks: Vec<BlockHead<AtomicU64>>,
    bytes: Vec<UnsafeCell<[u8; ROOM]>>,
    retired: AtomicUsize,
}

impl Memory {
    fn new(lanes: usize, reserved: u64, limit: u64) -> Self {
        Memory {
            reserved: AtomicU64::new(reserved),
            limit,
            slots: (0..=lanes).map(|_| Slot::default()).collect(),
            blocks: (0..limit).map(|_| BlockHead::default()).collect(),
            bytes: (0..limit).map(|_| UnsafeCell::new([0; ROOM])).collect(),
            ..Memory::default()
        }
    }

    /// Returns the number of committed records in a block, after checking all their bytes.
    #[allow(unsafe_code, reason = "the checked cell hands out pointers")]
    fn committed_in(&self, block: usize) -> u64 {
        let commit = self.blocks[block].commit.load(Acquire);
        let (used, records) = (commit as u32 as usize, commit >> 32);
        assert_eq!(used, records as usize * RECORD);
        if used > 0 {
            // SAFETY: the model checker reports a concurrent write to the cell.
            let bytes = self.bytes[block].with(|bytes| unsafe { *bytes });
            assert!(bytes[..used].iter().all(|byte| *byte == 7));
        }
        records
    }

    /// Verifies the checksum of a block.
    #[allow(unsafe_code, reason = "the checked cell hands out pointers")]
    fn seal_of(&self, block: usize) -> Seal {
        let head = &self.blocks[block];
        let seal = head.seal.load(Acquire);
        let (id, index) = (head.id.load(Acquire), head.index.load(Acquire));
        let commit = head.commit.load(Acquire);
        checksum::check(seal, || {
            // SAFETY: the model checker reports a concurrent write to the cell.
            let bytes = self.bytes[block].with(|bytes| unsafe { *bytes });
            checksum::of_block(id, index, commit, &bytes[..commit as u32 as usize])
        })
    }

    /// Returns the number of committed records in all blocks.
    fn committed(&self) -> u64 {
        (0..self.blocks.len())
            .map(|block| self.committed_in(block))
            .sum()
    }
}

impl Storage for Memory {
    type Word = AtomicU64;

    fn gate(&self) -> Gate<'_, AtomicU64> {
        Gate {
            claims: &self.claims,
            reserved: &self.reserved,
            closed: &self.closed,
        }
    }

    fn lanes(&self) -> u32 {
        self.slots.len() as u32
    }

    fn slot(&self, lane: u32) -> &Slot<AtomicU64> {
        &self.slots[lane as usize]
    }

    fn block(&self, claim: &Claim) -> &BlockHead<AtomicU64> {
        &self.blocks[claim.index() as usize]
    }

    fn reserved_block(&self, index: u64) -> Option<&BlockHead<AtomicU64>> {
        (index < self.reserved.load(Acquire)).then(|| &self.blocks[index as usize])
    }

    fn room(&self) -> usize {
        ROOM
    }

    #[allow(unsafe_code, reason = "the checked cell hands out pointers")]
    fn read(&self, block: &SealedBlock, size: usize, read: impl FnOnce(&[u8]) -> u32) -> u32 {
        // SAFETY: the model checker reports a concurrent write to the cell.
        self.bytes[block.index() as usize].with(|bytes| unsafe { read(&(&*bytes)[..size]) })
    }

    fn limit(&self) -> u64 {
        self.limit
    }

    #[allow(unsafe_code, reason = "the checked cell hands out pointers")]
    fn fill(&self, claim: &mut Claim, at: usize, size: usize, fill: impl FnOnce(&mut [u8])) {
        assert!(claim.index() < self.reserved.load(Relaxed));
        // SAFETY: the model checker reports a concurrent access to the cell.
        self.bytes[claim.index() as usize]
            .with_mut(|bytes| unsafe { fill(&mut (&mut *bytes)[at..at + size]) });
    }

    fn light_barrier(&self) {
        fence(SeqCst);
    }

    fn heavy_barrier(&self) {
        fence(SeqCst);
    }

    fn claimed(&self) {}

    fn retired(&self, _claim: Claim) {
        self.retired.fetch_add(1, Relaxed);
    }

    fn dropped(&self, _kind: u8) {}
}

fn write(pen: &mut Pen, memory: &Memory) -> Result<(), DropReason> {
    pen.write(memory, 0, RECORD, |to| to.fill(7))
}

/// Lets each thread write its number of `records` while `other` runs. Returns the number of records
/// that were written.
fn threads(memory: &Arc<Memory>, records: &[usize], other: impl FnOnce(&Memory)) -> u64 {
    let threads: Vec<_> = (1..)
        .zip(records.iter().copied())
        .map(|(lane, records)| {
            let memory = Arc::clone(memory);
            thread::spawn(move || {
                let mut pen = Pen::new(lane);
                (0..records)
                    .filter(|_| write(&mut pen, &memory).is_ok())
                    .count() as u64
            })
        })
        .collect();
    other(memory);
    threads
        .into_iter()
        .map(|thread| thread.join().unwrap_or_default())
        .sum()
}

#[test]
fn block_has_one_writer_and_counts_records_once() {
    loom::model(|| {
        let memory = Arc::new(Memory::new(2, 2, 2));
        let written = threads(&memory, &[3, 3], |_| ());
        let counters = count(&*memory);
        assert_eq!((counters.produced, counters.written), (6, written));
        assert_eq!(counters.dropped, 6 - written);
        assert_eq!(counters.reasons.limit, counters.dropped);
        assert_eq!(memory.committed(), written);
        assert!(memory.claims.load(Relaxed) <= 2);
    });
}

#[test]
fn claims_blocks_only_in_reserved_space() {
    loom::model(|| {
        let memory = Arc::new(Memory::new(2, 0, 2));
        let written = threads(&memory, &[1, 1], |memory| {
            memory.reserved.store(1, Release);
            memory.reserved.store(2, Release);
        });
        let counters = count(&*memory);
        assert_eq!(counters.written, written);
        assert_eq!(counters.reasons.not_ready, 2 - written);
        assert_eq!(memory.committed(), written);
    });
}

#[test]
fn counters_stay_constant_once_closed_and_quiet() {
    // Counting reads all counters of all lanes, so checking every order would take hours.
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let memory = Arc::new(Memory::new(2, 4, 4));
        let mut ended = None;
        let written = threads(&memory, &[2, 1], |memory| {
            let claims = close(memory);
            let was_quiet = quiet(memory);
            let counters = count(memory);
            ended = Some((claims, was_quiet.then_some(counters)));
        });
        let (claims, quiet_counters) = ended.unwrap();
        assert_eq!(memory.claims.load(Relaxed), claims | ENDED);
        let counters = count(&*memory);
        assert_eq!(counters.written, written);
        assert_eq!(counters.produced, 3);
        assert_eq!(counters.written + counters.reasons.finished, 3);
        assert_eq!(memory.committed(), written);
        if let Some(then) = quiet_counters {
            assert_eq!(then.written, written);
        }
    });
}

#[test]
fn readers_see_only_complete_records() {
    loom::model(|| {
        let memory = Arc::new(Memory::new(1, 1, 1));
        let writer = {
            let memory = Arc::clone(&memory);
            thread::spawn(move || {
                let mut pen = Pen::new(1);
                for _ in 0..2 {
                    write(&mut pen, &memory).unwrap();
                }
            })
        };
        // At any moment, at most as many records are finished as were begun.
        let counters = count(&*memory);
        assert!(counters.produced >= counters.written + counters.dropped);
        // The block holds two records. When both are committed, both can be checked.
        if memory.blocks[0].commit.load(Acquire) >> 32 == 2 {
            assert_eq!(memory.committed_in(0), 2);
        }
        writer.join().unwrap();
        assert_eq!(memory.committed(), 2);
    });
}

#[test]
fn seals_full_blocks_during_writing() {
    loom::model(|| {
        let memory = Arc::new(Memory::new(1, 2, 2));
        let written = threads(&memory, &[3], |memory| {
            // The block holds two records; its pen leaves it at the third.
            if seal_full(memory, 0) {
                assert_eq!(memory.seal_of(0), Seal::Sound);
                assert_eq!(memory.committed_in(0), 2);
            }
            assert!(!seal_full(memory, 1));
        });
        assert_eq!(written, 3);
        // The block is sealed already, or can be sealed now.
        seal_full(&*memory, 0);
        assert_eq!(memory.seal_of(0), Seal::Sound);
        assert_eq!(memory.seal_of(1), Seal::Missing);
    });
}

#[test]
fn final_seals_stay_valid() {
    // Sealing reads all counters of all lanes, so checking every order would take hours.
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let memory = Arc::new(Memory::new(2, 4, 4));
        let written = threads(&memory, &[3, 1], |memory| {
            let claims = close(memory);
            // Seals all quiet parts. A thread that is writing a record keeps its block and its
            // lane.
            (0..claims).for_each(|block| seal_open(memory, block));
            seal_lanes(memory);
        });
        let claims = memory.claims.load(Relaxed) & !ENDED;
        for block in 0..claims {
            assert_ne!(memory.seal_of(block as usize), Seal::Broken);
        }
        // After all threads have ended, everything can be sealed.
        (0..claims).for_each(|block| seal_open(&*memory, block));
        assert!(seal_lanes(&*memory));
        for block in 0..claims as usize {
            let begun = memory.blocks[block].id.load(Relaxed) != 0;
            assert_eq!(memory.seal_of(block) == Seal::Sound, begun);
            assert_ne!(memory.blocks[block].seal.load(Relaxed), FULL);
        }
        for lane in 1..=2 {
            let slot = &memory.slots[lane as usize];
            let committed = slot.committed.load(Relaxed);
            let sum = checksum::of_lane(lane, [committed, 0, 0, 0, 0]);
            if committed > 0 {
                assert_eq!(slot.seal.load(Relaxed), checksum::sealed(sum));
            }
        }
        assert_eq!(memory.committed(), written);
    });
}
