//! Losses of a file: records that no row shows, and data that could not be read.

use super::decode::Use;
use super::rows::File;
use super::{KindCount, Summary};
use weft_model::{LossRow, Recording, Severity};

/// Appends a row for every kind that is not shown, and for every loss of a file.
pub(super) fn append(recording: &mut Recording, file: &File, summary: &Summary) {
    let records = summary.kinds.iter().map(|kind| kind.records).sum();
    let mut rows = vec![(
        "records_read".to_owned(),
        Severity::Note,
        records,
        "records in the file, of all kinds".to_owned(),
    )];
    let used = summary.kinds.iter().filter(|kind| kind.records > 0);
    rows.extend(used.filter_map(not_shown));
    let counts = [
        (
            "records_senseless",
            file.senseless,
            "records without an id, or with one processor or memory too many",
        ),
        (
            "names_undefined",
            file.names.missing,
            "uses of names and source positions that the file does not define",
        ),
        (
            "copies_unpaired",
            file.copies.unpaired,
            "copies and fills without their memories, and memories without their copy",
        ),
    ];
    let counts = counts.into_iter().filter(|(_, value, _)| *value > 0);
    rows.extend(counts.map(|(name, value, meaning)| {
        (name.to_owned(), Severity::Loss, value, meaning.to_owned())
    }));
    if let Some(damage) = &summary.damage {
        rows.push((
            "damaged_bytes".to_owned(),
            Severity::Damage,
            damage.bytes,
            format!(
                "bytes from byte {} on that could not be read: {}",
                damage.offset, damage.why
            ),
        ));
    }
    let lossy = rows.iter().any(|row| row.1 != Severity::Note);
    if let Some(source) = recording.sources.get_mut(file.source.0 as usize) {
        source.lossy = lossy;
    }
    let rows = rows
        .into_iter()
        .map(|(name, severity, value, meaning)| LossRow {
            source: Some(file.source),
            name,
            severity,
            value,
            meaning,
        });
    recording.quality.losses.extend(rows);
}

fn not_shown(kind: &KindCount) -> Option<(String, Severity, u64, String)> {
    let name = &kind.name;
    let (word, severity, meaning) = match kind.usage {
        Use::Shown => return None,
        Use::NotShown => (
            "not_shown",
            Severity::Note,
            format!("records of kind {name}, which Weft does not show"),
        ),
        Use::Unknown => (
            "unknown_kind",
            Severity::Loss,
            format!("records of kind {name}, which this version does not know"),
        ),
        Use::Lacking(field) => (
            "unknown_kind",
            Severity::Loss,
            format!("records of kind {name}, which have no field {field} that could be read"),
        ),
    };
    Some((format!("{word}_{name}"), severity, kind.records, meaning))
}
