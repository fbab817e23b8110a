//! Missing and unreadable parts of a file.

use crate::file::count::Dropped;
use crate::file::head::Head;

/// The losses of a file and of its reader, in records unless stated otherwise.
///
/// In an undamaged file `produced = written + dropped.total() + in_flight`, and the reader yields
/// `written` records except the unknown and the undecodable ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Losses {
    /// Records that the process tried to write.
    pub produced: u64,
    /// Records that it committed to the file.
    pub written: u64,
    /// Records that it dropped, by reason.
    pub dropped: Dropped,
    /// Dropped records by kind, without those dropped since the file was finished or because no
    /// lane was free. Empty in files of layout 1.
    pub dropped_kinds: Vec<KindCount>,
    /// Records that were being written when the process died.
    pub in_flight: u64,
    /// Records that were committed but are missing: the file was truncated or damaged.
    pub missing: u64,
    /// Records without a checksum: those of blocks that were open when the process was killed, and
    /// all records of files of layout 1.
    pub unverified: u64,
    /// Records of kinds that are unknown to this version.
    pub unknown: Vec<KindCount>,
    /// Records of known kinds with malformed bytes.
    pub undecodable: u64,
    /// Blocks with a damaged head, a wrong checksum, or missing bytes.
    pub damaged_blocks: u64,
    /// Bytes that should contain records but do not, or that have a wrong checksum.
    pub damaged_bytes: u64,
    /// Whether the head is damaged, so that the run, the rank and the clocks may be wrong.
    pub damaged_head: bool,
    /// Lanes with damaged counters, plus 1 if those of the whole file are damaged. The number of
    /// lost records is unknown then.
    pub damaged_counters: u64,
    /// Whether the file ends before the last block that was in use.
    pub truncated: bool,
    /// Whether the process finished the file. If not, it was killed or is still writing.
    pub finished: bool,
    /// The last error number of reserving space; 0 if there was none.
    pub reserve_errno: u32,
}

/// A number of records of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct KindCount {
    /// The code of the kind.
    pub code: u8,
    /// The name of the kind, if the file has it.
    pub name: String,
    /// The number of records.
    pub records: u64,
}

impl KindCount {
    pub(super) fn new(head: &Head, code: u8, records: u64) -> Self {
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
