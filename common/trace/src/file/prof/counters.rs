//! The counters of a file: the live words, the lane table, and dropped records by kind.

use super::losses::{KindCount, Losses};
use crate::file::checksum::{self, Seal};
use crate::file::count::{Dropped, REASONS};
use crate::file::head::Head;
use crate::file::layout::{
    BLOCK_HEAD, DROPPED_KINDS, ENDED, FINISHED, Layout, SLOT_SEAL, SLOT_SIZE, at,
};
use crate::file::walk::{is_finished, word};

/// The words of the head that change while the file is written.
pub(super) struct LiveWords {
    claims: u64,
    errno: u64,
    is_finished: bool,
    /// The state of their checksum. [`Seal::Sound`] means that no record was being written when the
    /// file was finished, so that every lane and block in use has a checksum too.
    pub(super) end: Seal,
}

impl LiveWords {
    pub(super) fn read(bytes: &[u8], layout: &Layout) -> Self {
        let words = [at::LIVE, at::FINISHED, at::ERRNO].map(|at| word(bytes, at));
        let [claims, finished, errno] = words;
        let end = word(bytes, at::END);
        let sum = || checksum::of_end(words, dropped_kinds(bytes, layout));
        let end = match (layout.has_checksums(), finished) {
            (false, _) | (true, 0) if end == 0 => Seal::Missing,
            (true, FINISHED) => checksum::check(end, sum),
            _ => Seal::Broken,
        };
        LiveWords {
            claims: claims & !ENDED,
            errno,
            is_finished: is_finished(bytes),
            end,
        }
    }
}

/// The counters of one lane.
struct Lane {
    produced: u64,
    committed: u64,
    dropped: [u64; REASONS],
    seal: u64,
}

impl Lane {
    fn read(bytes: &[u8], layout: &Layout, lane: u32) -> Self {
        let slot = bytes
            .get(layout.slot_at(lane)..)
            .and_then(|slot| slot.get(..SLOT_SIZE))
            .unwrap_or_default();
        Lane {
            produced: word(slot, 0),
            committed: word(slot, 8),
            dropped: std::array::from_fn(|reason| word(slot, 16 + reason * 8)),
            seal: word(slot, SLOT_SEAL),
        }
    }

    /// Returns the number of records that are finished or dropped, of which `committed` are in the
    /// file.
    fn done(&self, committed: u64) -> u64 {
        self.dropped
            .iter()
            .fold(committed, |sum, count| sum.saturating_add(*count))
    }

    /// Whether the counters contradict their checksum or each other. `found` is the number of the
    /// lane's records in the file.
    fn is_damaged(&self, lane: u32, found: u64, live: &LiveWords) -> bool {
        let done = self.done(self.committed.max(found));
        // At most one record is in flight. If the file is still written, its blocks were read after
        // the counters.
        let in_order =
            self.produced <= done.saturating_add(1) && (self.produced >= done || !live.is_finished);
        let [limit, not_ready, too_large, finished, no_lane] = self.dropped;
        let constant = [self.committed, limit, not_ready, too_large, no_lane];
        if lane == 0 {
            // Lane 0 counts for all threads without a lane, which drop all their records, many at a
            // time.
            return constant[..4] != [0; 4] || finished != 0 || self.produced < no_lane;
        }
        let seal = checksum::check(self.seal, || checksum::of_lane(lane, constant));
        let is_sealed = match seal {
            Seal::Sound => true,
            Seal::Missing => live.end != Seal::Sound || (self.seal == 0 && constant == [0; 5]),
            Seal::Broken => false,
        };
        !(in_order && is_sealed)
    }
}

/// Adds up the counters of the lanes. `found` is the number of each lane's records in the file, if
/// they were counted.
pub(super) fn count(bytes: &[u8], head: &Head, found: Option<&[u64]>) -> Losses {
    let layout = &head.layout;
    let live = LiveWords::read(bytes, layout);
    let mut losses = Losses {
        damaged_head: head.is_damaged,
        damaged_counters: u64::from(live.end == Seal::Broken),
        finished: live.is_finished,
        reserve_errno: live.errno as u32,
        ..Losses::default()
    };
    let mut dropped = [0u64; REASONS];
    for index in 0..layout.lanes {
        let mut lane = Lane::read(bytes, layout, index);
        let counted = found.map(|found| found.get(index as usize).copied().unwrap_or(0));
        let found = counted.unwrap_or(lane.committed);
        if layout.has_checksums() && lane.is_damaged(index, found, &live) {
            losses.damaged_counters += 1;
            lane = Lane {
                produced: 0,
                committed: 0,
                dropped: [0; REASONS],
                seal: 0,
            };
        }
        // If a process is killed between committing and counting, the block has one record more
        // than the table.
        let committed = lane.committed.max(counted.unwrap_or(0));
        let done = lane.done(committed);
        let produced = lane.produced.max(done);
        add(&mut losses.produced, produced);
        add(&mut losses.written, committed);
        add(&mut losses.in_flight, produced - done);
        add(
            &mut losses.missing,
            counted.map_or(0, |found| committed - found),
        );
        for (sum, count) in dropped.iter_mut().zip(lane.dropped) {
            add(sum, count);
        }
    }
    losses.dropped = Dropped::from_counts(dropped);
    if live.end != Seal::Broken {
        losses.dropped_kinds = kinds(bytes, head);
    }
    let needed = live
        .claims
        .checked_sub(1)
        .and_then(|last| last.checked_mul(layout.block_size as u64))
        .map_or(0, |start| {
            start.saturating_add((layout.blocks_at + BLOCK_HEAD) as u64)
        });
    losses.truncated = needed > bytes.len() as u64 || losses.missing > 0 && is_cut(bytes, layout);
    losses
}

/// Whether the last block is truncated.
fn is_cut(bytes: &[u8], layout: &Layout) -> bool {
    let blocks = bytes.len().saturating_sub(layout.blocks_at);
    !blocks.is_multiple_of(layout.block_size)
}

/// Returns the number of dropped records of each kind, in the order of their codes; none in layout
/// 1.
fn dropped_kinds<'a>(bytes: &'a [u8], layout: &Layout) -> impl Iterator<Item = u64> + use<'a> {
    let at = layout.dropped_at;
    (0..DROPPED_KINDS).filter_map(move |code| Some(word(bytes, at? + code * 8)))
}

fn kinds(bytes: &[u8], head: &Head) -> Vec<KindCount> {
    let counts = (0u8..).zip(dropped_kinds(bytes, &head.layout));
    counts
        .filter(|(_, records)| *records > 0)
        .map(|(code, records)| KindCount::new(head, code, records))
        .collect()
}

fn add(sum: &mut u64, count: u64) {
    *sum = sum.saturating_add(count);
}
