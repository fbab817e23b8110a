//! `weft_<rank>.prof` files.

mod device;
mod losses;
mod rows;
mod tables;
mod waits;

use crate::ReadOptions;
use crate::error::ExportError;
use crate::joined::{Joined, RunIndex, Source, SourceIndex, SourceKind, WallSample};
use std::path::Path;
use weft_trace::file::Prof;
use weft_trace::time::Timestamp;

/// Opens `path` and appends its rows to `joined`, on the clock of the file (CLOCK_MONOTONIC).
///
/// # Errors
/// The file is no `.prof` file at all. A damaged one is read up to the damage, which is counted.
pub fn read(
    joined: &mut Joined,
    path: &Path,
    options: &ReadOptions,
) -> Result<SourceIndex, ExportError> {
    let prof = Prof::open(path).map_err(|error| ExportError::Prof {
        path: path.to_owned(),
        error,
    })?;
    options
        .progress
        .begin(&format!("reading {}", path.display()), 0);
    let info = prof.info();
    let run_id = info.run_id.to_string();
    let same_run = |source: &&Source| source.run_id.as_deref() == Some(&run_id);
    let known = joined
        .sources
        .iter()
        .find(same_run)
        .map(|source| source.run);
    let run = known.unwrap_or(RunIndex(joined.sources.len() as u32));
    let source = SourceIndex(joined.sources.len() as u32);
    joined.sources.push(Source {
        path: path.to_owned(),
        kind: SourceKind::WeftProf,
        run,
        run_id: Some(run_id),
        rank: Some(info.rank.get()),
        ranks: Some(info.ranks),
        host: Some(info.host.clone()),
        boot_id: Some(info.boot_id.clone()),
        pid: Some(info.pid),
        program: Some(info.program.clone()),
        database: None,
        wall_at_zero: None,
        lossy: false,
    });
    let clocks = prof.clocks();
    let middle = clocks.before.nanos() + (clocks.after - clocks.before).0 / 2;
    if let Some(source) = joined.sources.get_mut(source.0 as usize) {
        source.wall_at_zero = Some(clocks.wall.saturating_sub(middle));
    }
    joined.wall_samples.push(WallSample {
        source,
        at: Timestamp::from_nanos_since_boot(middle),
        wall: clocks.wall,
        error: (clocks.after - clocks.before).0.unsigned_abs().div_ceil(2),
    });
    rows::read(joined, source, || prof.records());
    losses::read(joined, source, &prof);
    Ok(source)
}

pub use rows::read as read_records;
