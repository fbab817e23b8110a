//! What is missing from a file, and what of it could not be read.

use crate::file::head::Head;
use crate::file::layout::{BLOCK_HEAD, at};
use crate::file::protocol::{Dropped, ENDED, REASONS};
use crate::file::walk::{Walk, word};
use crate::record::Record;

/// What a file lost, or its reader could not read, in records where not said otherwise.
///
/// In a sound file `produced = written + dropped.total() + in_flight`, and the reader yields `written` records less
/// the unknown and the undecodable ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Losses {
    /// Records that the process was to write.
    pub produced: u64,
    /// Records that it committed to the file.
    pub written: u64,
    /// Records that it gave up, by reason.
    pub dropped: Dropped,
    /// Records that were being written when the process died.
    pub in_flight: u64,
    /// Records that were committed and are not there any more: the file was cut or damaged.
    pub missing: u64,
    /// Records of kinds that this version does not know.
    pub unknown: Vec<UnknownKind>,
    /// Records of known kinds whose bytes are no such record.
    pub undecodable: u64,
    /// Blocks whose head is damaged or that are not there in full.
    pub damaged_blocks: u64,
    /// Bytes in which no records could be found, though there should be.
    pub damaged_bytes: u64,
    /// The file ends before the last block that was in use.
    pub truncated: bool,
    /// The process finished the file. False: it was killed, or still writes.
    pub finished: bool,
    /// The last error of reserving space, a number of the operating system; 0 where there was none.
    pub reserve_errno: u32,
}

/// Records of a kind that could not be decoded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownKind {
    /// The kind's code.
    pub code: u8,
    /// Its name, where the file says it.
    pub name: String,
    /// How many there are.
    pub records: u64,
}

/// Goes through the whole file.
pub(super) fn count(bytes: &[u8], head: &Head, mut walk: Walk<'_>) -> Losses {
    let layout = &head.layout;
    let mut losses = Losses::default();
    let mut unknown = [0u64; 256];
    let mut found = vec![0u64; layout.lanes as usize];
    for frame in walk.by_ref() {
        if let Some(count) = found.get_mut(frame.lane as usize) {
            *count += 1;
        }
        match head.kinds.get(usize::from(frame.code)) {
            Some(Some(kind)) if kind.known => {
                if Record::decode(frame.code, frame.body, kind.fixed).is_none() {
                    losses.undecodable += 1;
                }
            }
            _ => unknown[usize::from(frame.code)] += 1,
        }
    }
    losses.damaged_blocks = walk.damage().blocks;
    losses.damaged_bytes = walk.damage().bytes;
    losses.unknown = (0u8..=255)
        .zip(unknown)
        .filter(|(_, records)| *records > 0)
        .map(|(code, records)| UnknownKind {
            code,
            name: name(head, code),
            records,
        })
        .collect();

    let mut dropped = [0u64; REASONS];
    for (lane, &found) in (0..layout.lanes).zip(&found) {
        let slot = layout.slot_at(lane);
        let counter = |index: usize| word(bytes, slot + index * 8);
        // A process killed between committing and counting leaves one more in the block than in the table.
        let committed = counter(1).max(found);
        let mut done = committed;
        for (index, sum) in dropped.iter_mut().enumerate() {
            *sum = sum.saturating_add(counter(2 + index));
            done = done.saturating_add(counter(2 + index));
        }
        let produced = counter(0).max(done);
        add(&mut losses.produced, produced);
        add(&mut losses.written, committed);
        add(&mut losses.in_flight, produced - done);
        add(&mut losses.missing, committed - found);
    }
    losses.dropped = Dropped::from_counts(dropped);
    let claims = word(bytes, at::LIVE) & !ENDED;
    let needed = claims
        .checked_sub(1)
        .and_then(|last| last.checked_mul(layout.block_size as u64))
        .map_or(0, |start| {
            start.saturating_add((layout.blocks_at + BLOCK_HEAD) as u64)
        });
    losses.truncated = needed > bytes.len() as u64 || losses.missing > 0 && cut(bytes, head);
    losses.finished = word(bytes, at::FINISHED) == 1;
    losses.reserve_errno = word(bytes, at::ERRNO) as u32;
    losses
}

/// Whether the last block is not there in full.
fn cut(bytes: &[u8], head: &Head) -> bool {
    !(bytes.len() - head.layout.blocks_at).is_multiple_of(head.layout.block_size)
}

fn add(sum: &mut u64, count: u64) {
    *sum = sum.saturating_add(count);
}

fn name(head: &Head, code: u8) -> String {
    match head.kinds.get(usize::from(code)) {
        Some(Some(kind)) => kind.name.clone(),
        _ => String::new(),
    }
}
