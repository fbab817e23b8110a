//! Counters of records.

/// The number of reasons for dropping a record.
pub(crate) const REASONS: usize = 5;

/// The number of dropped records, by reason.
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
    /// More threads wrote at the same time than the file has lanes.
    pub no_lane: u64,
}

impl Dropped {
    /// Returns the sum over all reasons.
    pub fn total(&self) -> u64 {
        self.by_reason()
            .iter()
            .fold(0, |sum, (_, count)| sum.saturating_add(*count))
    }

    /// Returns the name and the count of each reason.
    pub fn by_reason(&self) -> [(&'static str, u64); REASONS] {
        [
            ("limit", self.limit),
            ("not_ready", self.not_ready),
            ("too_large", self.too_large),
            ("finished", self.finished),
            ("no_lane", self.no_lane),
        ]
    }

    /// Creates the counts from the counters of a file, which are in the order of the fields.
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

/// The numbers of records of one file. After it is finished, `produced = written + dropped`, except
/// for threads that were stopped while writing a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Records that the process tried to write.
    pub produced: u64,
    /// Records that are in the file.
    pub written: u64,
    /// Dropped records: the sum of `reasons`.
    pub dropped: u64,
    /// Dropped records by reason.
    pub reasons: Dropped,
}
