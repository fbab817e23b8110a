//! What is missing from a file, and what of it could not be read.

use super::counters;
use crate::file::count::Dropped;
use crate::file::head::Head;
use crate::file::walk::Walk;
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
    /// The same by kind, but for those given up since the file was finished or all lanes were taken. Empty in files of
    /// layout 1.
    pub dropped_kinds: Vec<KindCount>,
    /// Records that were being written when the process died.
    pub in_flight: u64,
    /// Records that were committed and are not there any more: the file was cut or damaged.
    pub missing: u64,
    /// Records that were read and have no checksum: those of blocks that were open when the process was killed, and all
    /// in files of layout 1.
    pub unverified: u64,
    /// Records of kinds that this version does not know.
    pub unknown: Vec<KindCount>,
    /// Records of known kinds whose bytes are no such record.
    pub undecodable: u64,
    /// Blocks whose head is damaged, whose checksum is that of other bytes, or that are not there in full.
    pub damaged_blocks: u64,
    /// Bytes in which no records could be found, though there should be, or whose checksum is that of other bytes.
    pub damaged_bytes: u64,
    /// The head is not the one that was written, so that the run, the rank and the clocks may be wrong.
    pub damaged_head: bool,
    /// Lanes whose counters are damaged, and 1 for those of the whole file: how many records were lost is not known.
    pub damaged_counters: u64,
    /// The file ends before the last block that was in use.
    pub truncated: bool,
    /// The process finished the file. False: it was killed, or still writes.
    pub finished: bool,
    /// The last error of reserving space, a number of the operating system; 0 if there was none.
    pub reserve_errno: u32,
}

/// A number of records of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct KindCount {
    /// The kind's code.
    pub code: u8,
    /// Its name, where the file says it.
    pub name: String,
    /// How many there are.
    pub records: u64,
}

impl KindCount {
    pub(super) fn of(head: &Head, code: u8, records: u64) -> Self {
        let name = match head.kinds.get(usize::from(code)) {
            Some(Some(kind)) => kind.name.clone(),
            _ => String::new(),
        };
        KindCount {
            code,
            name,
            records,
        }
    }
}

/// Goes through the whole file.
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
        .map(|(code, records)| KindCount::of(head, code, records))
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
