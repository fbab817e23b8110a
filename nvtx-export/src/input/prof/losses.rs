//! What a file says it lost, and what could not be read of it.

use crate::joined::{Joined, LossRow, Severity, SourceIndex};
use weft_trace::file::{Losses, Prof};

/// Appends a row for every loss of `prof`, and notes whether records of it are missing.
pub(super) fn read(joined: &mut Joined, source: SourceIndex, prof: &Prof) {
    let losses = prof.losses();
    let first = joined.losses.len();
    for (name, severity, value, meaning) in rows(&losses) {
        joined.losses.push(LossRow {
            source: Some(source),
            name: name.to_owned(),
            severity,
            value,
            meaning: meaning.to_owned(),
        });
    }
    for (reason, value) in losses
        .dropped
        .by_reason()
        .into_iter()
        .filter(|(_, value)| *value > 0)
    {
        joined.losses.push(LossRow {
            source: Some(source),
            name: format!("records_dropped_{reason}"),
            severity: Severity::Note,
            value,
            meaning: "the part of records_dropped that had this reason".to_owned(),
        });
    }
    for kind in &losses.unknown {
        joined.losses.push(LossRow {
            source: Some(source),
            name: format!("unknown_kind_{}", kind.code),
            severity: Severity::Loss,
            value: kind.records,
            meaning: format!(
                "records of kind {:?}, which this version does not know",
                kind.name
            ),
        });
    }
    let lossy = joined
        .losses
        .iter()
        .skip(first)
        .any(|loss| loss.value > 0 && loss.severity != Severity::Note);
    if let Some(source) = joined.sources.get_mut(source.0 as usize) {
        source.lossy = lossy;
    }
}

/// Counters that are written even when they are 0, so that "nothing was lost" can be read from the output.
fn rows(losses: &Losses) -> [(&'static str, Severity, u64, &'static str); 10] {
    use Severity::{Damage, Loss, Note};
    [
        (
            "records_produced",
            Note,
            losses.produced,
            "records that the program was to write",
        ),
        (
            "records_written",
            Note,
            losses.written,
            "records that it wrote; produced = written + dropped + in flight",
        ),
        (
            "records_dropped",
            Loss,
            losses.dropped.total(),
            "records that it gave up, in all",
        ),
        (
            "records_in_flight",
            Loss,
            losses.in_flight,
            "records that were being written when the program died",
        ),
        (
            "records_missing",
            Damage,
            losses.missing,
            "records that were written and are not in the file any more",
        ),
        (
            "records_undecodable",
            Damage,
            losses.undecodable,
            "records whose bytes are damaged",
        ),
        (
            "damaged_blocks",
            Damage,
            losses.damaged_blocks,
            "blocks whose head is damaged or that are not there in full",
        ),
        (
            "damaged_bytes",
            Damage,
            losses.damaged_bytes,
            "bytes in which no records could be found",
        ),
        (
            "truncated",
            Damage,
            u64::from(losses.truncated),
            "1: the file ends before the last block in use",
        ),
        (
            "unfinished",
            Note,
            u64::from(!losses.finished),
            "1: the program was killed, or still writes",
        ),
    ]
}
