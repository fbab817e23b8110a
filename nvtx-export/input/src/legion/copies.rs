//! Copies and fills, with their source and destination memories.
//!
//! `CopyInfo` and `FillInfo` have the times and bytes, `CopyInstInfo` and `FillInstInfo` the
//! memories: one record per field, all with the event of the copy. Consecutive legs between the
//! same memories are one row. If a copy has several rows, its bytes are divided among them.

use super::machine::Slots;
use super::uid_of_event;
use rustc_hash::FxHashMap;
use std::ops::Range;
use weft_model::{Copy, Recording, SourceIndex};
use weft_trace::id::{MemoryId, Uid};
use weft_trace::time::Timestamp;

/// The times and bytes of a copy or fill.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moved {
    pub(super) event: u64,
    pub(super) operation: u64,
    pub(super) bytes: u64,
    /// Created, ready, start, end.
    pub(super) times: [Timestamp; 4],
}

/// The source and destination: Legion's ids, 0 for none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leg {
    pub(super) event: u64,
    pub(super) from: u64,
    pub(super) to: u64,
    /// Whether it holds the indices of a gather or scatter.
    pub(super) indirect: bool,
}

#[derive(Debug, Default)]
pub(super) struct Copies {
    pub(super) moved: Vec<Moved>,
    pub(super) legs: Vec<Leg>,
    /// The number of copies without recorded memories, and of legs without a copy.
    pub(super) unpaired: u64,
}

impl Copies {
    /// Appends a row for each copy and pair of memories. `root` maps an id to its operation.
    pub(super) fn append(
        &mut self,
        recording: &mut Recording,
        source: SourceIndex,
        memories: &mut Slots,
        root: impl Fn(u64) -> u64,
    ) {
        // The sort is stable: legs of one event keep their order.
        self.legs.sort_by_key(|leg| leg.event);
        let mut groups: FxHashMap<u64, Range<usize>> = FxHashMap::default();
        let mut start = 0;
        for group in self.legs.chunk_by(|a, b| a.event == b.event) {
            let end = start + group.len();
            if let Some(leg) = group.first() {
                groups.insert(leg.event, start..end);
            }
            start = end;
        }
        let mut extra = 0_u64;
        for moved in &self.moved {
            // Removed, so that each leg is used once even in a damaged file.
            let legs = groups.remove(&moved.event);
            let legs = legs.and_then(|range| self.legs.get(range));
            let pairs = pairs(legs.unwrap_or_default());
            let Some(own) = uid_of_event(moved.event).filter(|_| !pairs.is_empty()) else {
                self.unpaired += 1;
                continue;
            };
            let count = pairs.len() as u64;
            for (place, (from, to)) in (0..).zip(pairs) {
                let uid = if place == 0 {
                    Some(own)
                } else {
                    extra += 1;
                    uid_of_event(FURTHER | extra)
                };
                let from = (from != 0).then(|| memories.slot(from)).flatten();
                let (Some(uid), Some(to)) = (uid, memories.slot(to)) else {
                    self.unpaired += 1;
                    continue;
                };
                let [created, ready, start, end] = moved.times;
                let left = moved.bytes % count;
                recording.work.copies.push(Copy {
                    source,
                    uid,
                    // A copy without an operation represents itself.
                    operation: Uid::from_raw(root(moved.operation)).unwrap_or(uid),
                    from: from.map(MemoryId),
                    to: MemoryId(to),
                    bytes: moved.bytes / count + u64::from(place < left),
                    created,
                    ready,
                    start,
                    end,
                    message: None,
                });
            }
        }
        let unused: usize = groups.values().map(|range| range.len()).sum();
        self.unpaired += unused as u64;
        self.moved = Vec::new();
        self.legs = Vec::new();
    }
}

/// A mark in the UIDs of a copy's further rows. Events of Realm do not have this bit (its nodes
/// have 14 bits or fewer in practice).
const FURTHER: u64 = 1 << 61;

/// Returns the pairs of memories of a copy's legs, in order.
fn pairs(legs: &[Leg]) -> Vec<(u64, u64)> {
    let mut pairs: Vec<(u64, u64)> = Vec::new();
    let mut indirect = None;
    for leg in legs {
        if leg.indirect {
            indirect = Some(*leg);
            continue;
        }
        // One side of a gather or scatter may be known only from its indices.
        let or = |own: u64, other: Option<u64>| if own == 0 { other.unwrap_or(0) } else { own };
        let from = or(leg.from, indirect.map(|leg| leg.from));
        let to = or(or(leg.to, indirect.map(|leg| leg.to)), Some(from));
        if to != 0 && pairs.last() != Some(&(from, to)) {
            pairs.push((from, to));
        }
    }
    if let Some(leg) = indirect
        && pairs.is_empty()
    {
        let to = if leg.to == 0 { leg.from } else { leg.to };
        pairs.extend((to != 0).then_some((leg.from, to)));
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leg(event: u64, from: u64, to: u64) -> Leg {
        Leg {
            event: 1 << 63 | event,
            from,
            to,
            indirect: false,
        }
    }

    fn moved(event: u64, bytes: u64) -> Moved {
        Moved {
            event: 1 << 63 | event,
            operation: 3,
            bytes,
            times: [Timestamp::from_nanos_since_legion_zero(1); 4],
        }
    }

    #[test]
    fn merges_fields_between_equal_memories_and_splits_bytes() {
        let mut copies = Copies {
            moved: vec![moved(7, 11), moved(5, 8), moved(5, 1), moved(9, 1)],
            legs: vec![
                leg(5, 10, 11),
                leg(7, 10, 11),
                leg(7, 10, 11),
                leg(7, 10, 12),
                leg(8, 1, 1),
            ],
            unpaired: 0,
        };
        let mut recording = Recording::default();
        copies.append(
            &mut recording,
            SourceIndex(0),
            &mut Slots::default(),
            |id| id,
        );
        let rows: Vec<_> = (recording.work.copies.iter())
            .map(|copy| (copy.from.map(|from| from.0), copy.to.0, copy.bytes))
            .collect();
        assert_eq!(rows, [(Some(0), 1, 6), (Some(0), 2, 5), (Some(0), 1, 8)]);
        let mut uids: Vec<_> = recording.work.copies.iter().map(|copy| copy.uid).collect();
        uids.dedup();
        assert_eq!(uids.len(), 3);
        // The second copy of event 5, the copy without legs, and the leg without a copy.
        assert_eq!(copies.unpaired, 3);
    }

    #[test]
    fn gather_source_is_the_memory_of_its_fields() {
        let indices = Leg {
            indirect: true,
            ..leg(1, 20, 0)
        };
        assert_eq!(pairs(&[indices, leg(1, 0, 30)]), [(20, 30)]);
        assert_eq!(pairs(&[indices]), [(20, 20)]);
        assert_eq!(pairs(&[leg(1, 0, 30)]), [(0, 30)]);
    }
}
