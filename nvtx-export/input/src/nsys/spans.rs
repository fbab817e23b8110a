//! The narrow columns of a session, [`Spans`], for reading only the data that the projection of
//! ranges needs.
//!
//! Device work is read first, by correlation id. Then only the calls that started some of it are
//! kept.

mod calls;
mod ranges;
mod started;
mod tally;

use super::work::GRAPHS;
use tally::Tally;
use weft_database::Database;
use weft_model::{ExportError, LossRow, Progress, RecordKind, Severity, SourceIndex, Spans};

/// Tables of device work. Reports of Nsight Systems ignore the last one, and therefore all work of
/// graphs that were recorded whole.
const WORK: [(&str, RecordKind); 4] = [
    ("CUPTI_ACTIVITY_KIND_KERNEL", RecordKind::Kernel),
    ("CUPTI_ACTIVITY_KIND_MEMCPY", RecordKind::Memcpy),
    ("CUPTI_ACTIVITY_KIND_MEMSET", RecordKind::Memset),
    (GRAPHS, RecordKind::Graph),
];

/// Returns the columns of `database`, and the losses of records with impossible times.
pub(super) fn read(
    database: &Database,
    source: SourceIndex,
    progress: &Progress,
) -> Result<(Spans, Vec<LossRow>), ExportError> {
    let mut spans = Spans::default();
    let mut untimed = Tally::default();
    ranges::read(&mut spans, database, progress, &mut untimed)?;
    let mut started = started::read(database, progress)?;
    untimed.add(std::mem::take(&mut started.untimed));
    spans.operations = started.operations();
    calls::read(&mut spans, started, database, progress, &mut untimed)?;
    let losses = untimed.losses(source).collect();
    Ok((spans, losses))
}

/// Returns the approximate number of rows that [`read`] will process.
pub(super) fn rows(database: &Database) -> u64 {
    let tables = WORK
        .iter()
        .map(|(table, _)| table)
        .chain(&["NVTX_EVENTS", "CUPTI_ACTIVITY_KIND_RUNTIME"]);
    let rows = tables.filter_map(|table| database.row_ids(table));
    // Ids may be sparse, so the number of rows is limited by the size of the file.
    let most = database.budget().rows();
    rows.fold(0, |sum, (first, last)| {
        sum.saturating_add(first.abs_diff(last).saturating_add(1).min(most))
    })
}

/// Returns the loss that `spans` shows.
pub(super) fn loss(source: SourceIndex, spans: &Spans) -> LossRow {
    LossRow {
        source: Some(source),
        name: "operations_without_call".to_owned(),
        severity: Severity::Note,
        value: spans.without_call,
        meaning: "kernels, memcpys, memsets and graphs whose API call is not in the database: they count for no range"
            .to_owned(),
    }
}
