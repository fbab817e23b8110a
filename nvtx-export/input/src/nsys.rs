//! SQLite exports of Nsight Systems, schema 2.9 to 3.25, and its reports through the installed
//! `nsys`.
//!
//! Tables are absent if an export left empty ones out, and columns vary with the version. Each
//! reader gets the existing ones from [`Database`], and treats missing ones as NULL.

mod calls;
mod devices;
mod diagnostics;
mod nvtx;
mod overhead;
mod pages;
mod report;
mod session;
mod spans;
mod texts;
mod work;

pub use report::convert;
pub(crate) use texts::Texts;
pub(crate) use work::complete as complete_work;

use crate::{ReadOptions, RequiredParts};
use std::path::Path;
use weft_database::Database;
use weft_model::{
    ApiCall, ExportError, LossRow, MemoryLimit, Progress, Recording, RunIndex, Severity, Source,
    SourceIndex, SourceKind, Spans,
};
use weft_trace::time::Timestamp;

/// The least size in memory of a row of a table: the smallest of the kept rows, and their narrow
/// columns.
const LEAST_ROW: u64 = size_of::<ApiCall>() as u64;
const LEAST_COLUMNS: u64 = 24;

/// Appends the rows of `database` to `recording` on the clock of its session. `path` is the file
/// named by the user, `kind` its kind.
///
/// # Errors
/// Returns an error if the database cannot be read, needs too much memory, or has none of the
/// tables of Nsight Systems.
pub fn read(
    recording: &mut Recording,
    database: &Database,
    path: &Path,
    kind: SourceKind,
    options: &ReadOptions,
) -> Result<SourceIndex, ExportError> {
    if kind == SourceKind::NsysReport && !database.has("StringIds") {
        return Err(ExportError::Report {
            path: path.to_owned(),
            why: "`nsys export` finds no data in it that Weft can read, as in reports written by `weft export nsys-rep`"
                .to_owned(),
            remedy: "give the inputs it was made from".to_owned(),
        });
    }
    if !database.has("StringIds") {
        return Err(ExportError::UnknownFormat {
            path: path.to_owned(),
            found: "an SQLite database without the tables of Nsight Systems".to_owned(),
        });
    }
    let rows = spans::rows(database);
    let row = match options.keep {
        RequiredParts::Everything | RequiredParts::Costs => LEAST_ROW,
        RequiredParts::Ranges => LEAST_COLUMNS,
    };
    MemoryLimit::new(options.memory_limit).check(path, rows.saturating_mul(row))?;
    options
        .progress
        .begin(&format!("reading {}", path.display()), rows);
    let source = SourceIndex(recording.sources.len() as u32);
    recording.sources.push(Source {
        path: path.to_owned(),
        kind,
        run: RunIndex(source.0),
        run_id: None,
        rank: None,
        ranks: None,
        host: None,
        boot_id: None,
        pid: None,
        program: None,
        database: Some(database.file().to_owned()),
        wall_at_zero: None,
        lossy: false,
    });
    recording.devices.converted.extend(database.copy());
    session::read(recording, source, database)?;
    diagnostics::read(recording, source, database)?;
    if options.keep == RequiredParts::Ranges {
        let (spans, untimed) = add_spans(recording, source, database, &options.progress)?;
        let loss = spans.map(|spans| spans::loss(source, spans));
        recording.quality.losses.extend(loss);
        recording.quality.losses.extend(untimed);
        read_damage(recording, source, database);
        return Ok(source);
    }
    nvtx::read(recording, source, database, &options.progress)?;
    work::read(recording, source, database, options)?;
    pages::read(recording, source, database)?;
    overhead::read(recording, source, database)?;
    calls::read(recording, source, database, options)?;
    let latest = latest(recording, source);
    close(recording, source, latest);
    read_damage(recording, source, database);
    Ok(source)
}

/// Reads the columns that the projection of ranges needs into the last session, instead of rows.
fn add_spans<'j>(
    recording: &'j mut Recording,
    source: SourceIndex,
    database: &Database,
    progress: &Progress,
) -> Result<(Option<&'j Spans>, Vec<LossRow>), ExportError> {
    let (spans, losses) = spans::read(database, source, progress)?;
    let Some(session) = recording.devices.sessions.last_mut() else {
        return Ok((None, losses));
    };
    let ends = spans.ranges.end.iter().chain(&spans.started.last).max();
    let latest = ends.map(|end| Timestamp::from_nanos_since_session_start(*end));
    session.end = session.end.or(latest);
    Ok((Some(session.spans.insert(Box::new(spans))), losses))
}

/// Returns the latest time of a session's rows.
fn latest(recording: &Recording, source: SourceIndex) -> Option<Timestamp> {
    let ranges = recording
        .work
        .ranges
        .iter()
        .map(|range| (range.source, range.end));
    let calls = recording
        .devices
        .calls
        .iter()
        .map(|call| (call.source, call.end));
    let kernels = recording
        .devices
        .kernels
        .iter()
        .map(|kernel| (kernel.source, kernel.end));
    let ends = ranges.chain(calls).chain(kernels);
    ends.filter(|(of, _)| *of == source)
        .map(|(_, end)| end)
        .max()
}

/// Sets the end of the last session, to `latest` if it is not recorded, and of the ranges that were
/// open then.
fn close(recording: &mut Recording, source: SourceIndex, latest: Option<Timestamp>) {
    let session = recording.devices.sessions.last_mut();
    let end = session.and_then(|session| {
        session.end = session.end.or(latest);
        session.end
    });
    if let Some(end) = end {
        nvtx::close(recording, source, end);
    }
}

/// Reads the session of a joined database: its ranges, and the columns that their projection needs.
///
/// # Errors
/// Returns an error if the database cannot be read.
pub(crate) fn read_back(
    recording: &mut Recording,
    source: SourceIndex,
    database: &Database,
) -> Result<(), ExportError> {
    session::add(recording, source, database)?;
    nvtx::read(recording, source, database, &Progress::default())?;
    // The joined database already lists the records with impossible times.
    add_spans(recording, source, database, &Progress::default())?;
    calls::read(recording, source, database, &ReadOptions::default())?;
    close(recording, source, None);
    Ok(())
}

/// Appends the losses found in `database`.
pub(crate) fn read_damage(recording: &mut Recording, source: SourceIndex, database: &Database) {
    for (name, value) in database.damage() {
        recording.quality.losses.push(LossRow {
            source: Some(source),
            name,
            severity: Severity::Damage,
            value,
            meaning: "tables of the database that were read only up to a damaged place".to_owned(),
        });
    }
    if database.odd_rows() > 0 {
        recording.quality.losses.push(LossRow {
            source: Some(source),
            name: "rows_not_understood".to_owned(),
            severity: Severity::Loss,
            value: database.odd_rows(),
            meaning: "rows of the database without a start time or with an unexpected type"
                .to_owned(),
        });
    }
}
