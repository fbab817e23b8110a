//! `weft_<rank>.prof` files.

mod device;
mod losses;
mod rows;
mod tables;
mod waits;

use crate::ReadOptions;
use std::path::Path;
use weft_model::{
    ExportError, Incomplete, Recording, RunIndex, Source, SourceIndex, SourceKind, WallSample,
    incomplete,
};
use weft_trace::file::Prof;
use weft_trace::time::Timestamp;

/// Opens `path` and appends its rows to `recording`, on the clock of the file (CLOCK_MONOTONIC).
///
/// # Errors
/// Returns an error if the file is not a `.prof` file. A damaged one is read up to the damage,
/// which is counted.
pub fn read(
    recording: &mut Recording,
    path: &Path,
    options: &ReadOptions,
) -> Result<SourceIndex, ExportError> {
    let prof = open(path)?;
    options
        .progress
        .begin(&format!("reading {}", path.display()), 0);
    let run_id = prof.info().run_id.to_string();
    let same_run = |source: &&Source| source.run_id.as_deref() == Some(&run_id);
    let known = recording
        .sources
        .iter()
        .find(same_run)
        .map(|source| source.run);
    let run = known.unwrap_or(RunIndex(recording.sources.len() as u32));
    let index = SourceIndex(recording.sources.len() as u32);
    let mut row = source(path, &prof, run);
    let clocks = prof.clocks();
    let middle = clocks.before.nanos() + (clocks.after - clocks.before).0 / 2;
    row.wall_at_zero = Some(clocks.wall.saturating_sub(middle));
    recording.sources.push(row);
    recording.quality.wall_samples.push(WallSample {
        source: index,
        at: Timestamp::from_nanos_since_boot(middle),
        wall: clocks.wall,
        error: (clocks.after - clocks.before).0.unsigned_abs().div_ceil(2),
    });
    rows::read(recording, index, || prof.records());
    losses::read(recording, index, &prof.losses());
    Ok(index)
}

/// Checks by the first pages of a profile whether records are missing. It does not read the
/// records.
///
/// # Errors
/// The errors of [`read`].
pub fn check(path: &Path) -> Result<Option<Incomplete>, ExportError> {
    let prof = open(path)?;
    let mut recording = Recording::default();
    recording.sources.push(source(path, &prof, RunIndex(0)));
    let rows = losses::rows(SourceIndex(0), &prof.counted());
    Ok(incomplete(&recording.sources, rows.iter()).pop())
}

/// Returns the run of a profile.
pub(crate) fn run_id(path: &Path) -> Result<String, ExportError> {
    Ok(open(path)?.info().run_id.to_string())
}

fn open(path: &Path) -> Result<Prof, ExportError> {
    Prof::open(path).map_err(|error| ExportError::Prof {
        path: path.to_owned(),
        error,
    })
}

fn source(path: &Path, prof: &Prof, run: RunIndex) -> Source {
    let info = prof.info();
    Source {
        path: path.to_owned(),
        kind: SourceKind::WeftProf,
        run,
        run_id: Some(info.run_id.to_string()),
        rank: Some(info.rank.get()),
        ranks: Some(info.ranks),
        host: Some(info.host.clone()),
        boot_id: Some(info.boot_id.clone()),
        pid: Some(info.pid),
        program: Some(info.program.clone()),
        database: None,
        wall_at_zero: None,
        lossy: false,
    }
}

pub use rows::read as read_records;
