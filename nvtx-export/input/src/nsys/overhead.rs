//! PROFILER_OVERHEAD and CUPTI_ACTIVITY_KIND_OVERHEAD: time that the recorder or the driver took in
//! addition to the work of the program.

use super::texts::Texts;
use rustc_hash::FxHashSet;
use weft_database::Database;
use weft_database::schema::{CuptiOverheadRow, ProfilerOverheadRow};
use weft_model::{ExportError, Overhead, OverheadKind, Recorder, Recording, SourceIndex};
use weft_trace::time::Timestamp;

/// A row of either table.
struct Row {
    times: (Timestamp, Timestamp),
    thread: Option<i64>,
    name: Option<i64>,
    kind: Option<i64>,
    correlation: Option<i64>,
}

pub(super) fn read(
    recording: &mut Recording,
    source: SourceIndex,
    database: &Database,
) -> Result<(), ExportError> {
    let mut rows = Vec::new();
    CuptiOverheadRow::read(database, |row| {
        rows.push(Row {
            times: (row.start, row.end),
            thread: row.thread,
            name: row.name,
            kind: row.kind,
            correlation: row.correlation.filter(|id| *id != 0),
        });
        true
    })?;
    // Either table may hold an overhead of CUPTI; one in both counts once.
    let known: FxHashSet<_> = rows.iter().map(|row| (row.times, row.thread)).collect();
    ProfilerOverheadRow::read(database, |row| {
        let times = (row.start, row.end);
        if !known.contains(&(times, row.thread)) {
            rows.push(Row {
                times,
                thread: row.thread,
                name: Some(row.name),
                kind: row.kind,
                correlation: None,
            });
        }
        true
    })?;
    let mut texts = Texts::open(database)?;
    for row in rows {
        let name = row.name.map(|id| texts.get(id, &mut recording.strings));
        let text = name.map_or("", |name| recording.strings.get(name));
        let kind = OverheadKind::of_nsys(row.kind, text);
        let name = match name.filter(|_| !text.is_empty()) {
            Some(name) => name,
            None => recording.strings.intern(kind.title()),
        };
        recording.devices.overheads.push(Overhead {
            source,
            recorder: Recorder::Nsys,
            kind,
            name,
            thread: row.thread,
            device: None,
            context: None,
            stream: None,
            correlation: row.correlation,
            start: row.times.0,
            end: row.times.1,
        });
    }
    Ok(())
}
