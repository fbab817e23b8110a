//! The counters.

/// Number of reasons for which a record is dropped.
pub(crate) const REASONS: usize = 5;

/// Records that were given up, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dropped {
    /// The file had reached its limit.
    pub limit: u64,
    /// No reserved space was left: the disk is full, or reserving was slower than writing.
    pub not_ready: u64,
    /// The record did not fit into a frame or a block.
    pub too_large: u64,
    /// The file was finished already.
    pub finished: u64,
    /// More threads wrote at the same time than the file has lanes for.
    pub no_lane: u64,
}

impl Dropped {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.by_reason()
            .iter()
            .fold(0, |sum, (_, count)| sum.saturating_add(*count))
    }

    /// Each reason with its count.
    pub fn by_reason(&self) -> [(&'static str, u64); REASONS] {
        [
            ("limit", self.limit),
            ("not_ready", self.not_ready),
            ("too_large", self.too_large),
            ("finished", self.finished),
            ("no_lane", self.no_lane),
        ]
    }

    /// From the counters in the order of the fields, which is theirs in the file.
    pub(crate) fn from_counts(counts: [u64; REASONS]) -> Self {
        let [limit, not_ready, too_large, finished, no_lane] = counts;
        Dropped {
            limit,
            not_ready,
            too_large,
            finished,
            no_lane,
        }
    }
}

/// Records of one file. Once it is finished, `produced = written + dropped`, save for threads stopped in mid-record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Records that were to be written.
    pub produced: u64,
    /// Records that are in the file.
    pub written: u64,
    /// Records that were given up: the sum of `reasons`.
    pub dropped: u64,
    /// The same by reason.
    pub reasons: Dropped,
}
