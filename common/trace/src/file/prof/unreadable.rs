//! Losses found by reading all records.

use super::counters;
use super::losses::{KindCount, Losses};
use crate::file::head::Head;
use crate::file::walk::Walk;
use crate::record::Record;

/// Counts the losses of the whole file.
pub(super) fn count(bytes: &[u8], head: &Head, mut walk: Walk<'_>) -> Losses {
    let (mut undecodable, mut unverified) = (0, 0);
    let mut unknown = [0u64; 256];
    let mut found = vec![0u64; head.layout.lanes as usize];
    for frame in walk.by_ref() {
        if let Some(count) = found.get_mut(frame.lane as usize) {
            *count += 1;
        }
        unverified += u64::from(!frame.is_verified);
        match head.kinds.get(usize::from(frame.code)) {
            Some(Some(kind)) if kind.known => {
                if Record::decode(frame.code, frame.body, kind.fixed).is_none() {
                    undecodable += 1;
                }
            }
            _ => unknown[usize::from(frame.code)] += 1,
        }
    }
    let unknown = (0u8..=255)
        .zip(unknown)
        .filter(|(_, records)| *records > 0)
        .map(|(code, records)| KindCount::new(head, code, records))
        .collect();
    Losses {
        unverified,
        unknown,
        undecodable,
        damaged_blocks: walk.damage().blocks,
        damaged_bytes: walk.damage().bytes,
        ..counters::count(bytes, head, Some(&found))
    }
}
