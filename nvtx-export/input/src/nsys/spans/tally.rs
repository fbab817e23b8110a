//! The number of records with impossible times, for readers that only keep columns.

use std::collections::BTreeMap;
use weft_model::{Flaw, LossRow, RecordKind, SourceIndex, check_times, untimed_loss};
use weft_trace::time::Timestamp;

/// The number of records with impossible times, by kind and reason.
#[derive(Debug, Default)]
pub(super) struct Tally(BTreeMap<(RecordKind, Flaw), u64>);

impl Tally {
    /// Checks the times of a record, and counts it if they are impossible.
    pub(super) fn check(
        &mut self,
        kind: RecordKind,
        start: Timestamp,
        end: Option<Timestamp>,
    ) -> bool {
        let checked = check_times(start, end);
        if let Err(flaw) = checked {
            *self.0.entry((kind, flaw)).or_default() += 1;
        }
        checked.is_ok()
    }

    /// Adds the counts of another part of a table.
    pub(super) fn add(&mut self, other: Tally) {
        for (key, count) in other.0 {
            *self.0.entry(key).or_default() += count;
        }
    }

    /// Returns the losses.
    pub(super) fn losses(&self, source: SourceIndex) -> impl Iterator<Item = LossRow> {
        let counts = self.0.iter();
        counts.map(move |((kind, flaw), count)| untimed_loss(source, *kind, *flaw, *count))
    }
}

/// Returns a time of a session.
pub(super) fn time(nanos: i64) -> Timestamp {
    Timestamp::from_nanos_since_session_start(nanos)
}
