//! Losses of a file: those that it recorded, and data that could not be read.

use weft_model::{DROPPED_KIND, LossRow, Recording, Severity, SourceIndex};
use weft_trace::file::Losses;

/// Appends a row for every loss, and sets whether records of the source are missing.
pub(super) fn read(recording: &mut Recording, source: SourceIndex, losses: &Losses) {
    let first = recording.quality.losses.len();
    recording.quality.losses.extend(rows(source, losses));
    let lossy = recording
        .quality
        .losses
        .iter()
        .skip(first)
        .any(|loss| loss.value > 0 && loss.severity != Severity::Note);
    if let Some(source) = recording.sources.get_mut(source.0 as usize) {
        source.lossy = lossy;
    }
}

/// Returns the rows of a file's losses.
pub(super) fn rows(source: SourceIndex, losses: &Losses) -> Vec<LossRow> {
    let row = |name: String, severity, value, meaning: String| LossRow {
        source: Some(source),
        name,
        severity,
        value,
        meaning,
    };
    let always = always(losses);
    let mut rows: Vec<LossRow> = always
        .into_iter()
        .map(|(name, severity, value, meaning)| {
            row(name.to_owned(), severity, value, meaning.to_owned())
        })
        .collect();
    let reasons = losses.dropped.by_reason().into_iter();
    let reasons = reasons.filter(|(_, value)| *value > 0);
    rows.extend(reasons.map(|(reason, value)| {
        row(
            format!("records_dropped_{reason}"),
            Severity::Note,
            value,
            "records_dropped for this reason".to_owned(),
        )
    }));
    rows.extend(losses.dropped_kinds.iter().map(|kind| {
        row(
            format!("{DROPPED_KIND}{}", kind.name),
            Severity::Note,
            kind.records,
            "records_dropped of this kind".to_owned(),
        )
    }));
    rows.extend(losses.unknown.iter().map(|kind| {
        row(
            format!("unknown_kind_{}", kind.code),
            Severity::Loss,
            kind.records,
            format!(
                "records of kind {:?}, which this version does not know",
                kind.name
            ),
        )
    }));
    if losses.reserve_errno != 0 {
        rows.push(row(
            "reserve_error".to_owned(),
            Severity::Note,
            u64::from(losses.reserve_errno),
            format!(
                "errno of the last failure to reserve space for records: {}",
                std::io::Error::from_raw_os_error(losses.reserve_errno.cast_signed())
            ),
        ));
    }
    rows
}

/// Counters that are written even if they are 0, so that the output shows that nothing was lost.
fn always(losses: &Losses) -> [(&'static str, Severity, u64, &'static str); 13] {
    use Severity::{Damage, Loss, Note};
    [
        (
            "records_produced",
            Note,
            losses.produced,
            "records that the program produced",
        ),
        (
            "records_written",
            Note,
            losses.written,
            "records written; produced = written + dropped + in flight",
        ),
        (
            "records_dropped",
            Loss,
            losses.dropped.total(),
            "records dropped, in total",
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
            "records that were written but are missing from the file",
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
            "blocks with a wrong checksum, a damaged head or missing bytes; their records are left out",
        ),
        (
            "damaged_bytes",
            Damage,
            losses.damaged_bytes,
            "bytes of damaged blocks, and other bytes that hold no readable record",
        ),
        (
            "damaged_head",
            Damage,
            u64::from(losses.damaged_head),
            "1: the file's head is damaged; run, rank and clocks may be wrong",
        ),
        (
            "damaged_counters",
            Damage,
            losses.damaged_counters,
            "threads whose counters are damaged, plus 1 if the file's own are; more records may be missing",
        ),
        (
            "records_unverified",
            Note,
            losses.unverified,
            "records without a checksum: in blocks that were open when the program was killed, or in a file of layout 1",
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
            "1: the program was killed or is still writing",
        ),
    ]
}
