//! Reports through an NVTXW backend.

use super::backend::{Backend, CallError, TimeSource};
use super::clock;
use super::events::Events;
use super::merge::Merged;
use super::rows::Row;
use super::target::Target;
use std::ffi::CString;
use std::path::Path;
use weft_model::{ExportError, Progress};

/// Writes all rows to the target's report. Returns the number of events written.
pub(super) fn write(
    events: &mut Events<'_>,
    rows: &[Row],
    (library, backend): (&Path, &Backend),
    target: &Target,
    merged: Option<&Merged>,
    progress: &Progress,
) -> Result<usize, ExportError> {
    let wall = clock::wall_at_zero(events.trace);
    if let (None, Some(merged)) = (wall, merged) {
        return Err(ExportError::Merge {
            path: merged.path.clone(),
            why: "no input has wall-clock times, which the backend needs to align reports"
                .to_owned(),
            remedy: "give the report itself as an input, exported by an nsys of 2022.4 or later"
                .to_owned(),
        });
    }
    let failed = |error: CallError| ExportError::BackendCall {
        path: library.to_owned(),
        call: error.call.to_owned(),
        code: error.code,
        name: error.name.to_owned(),
    };
    let path = |path: &Path, what: &str| {
        CString::new(path.as_os_str().as_encoded_bytes()).map_err(|_| {
            target.error(std::io::Error::other(format!(
                "{what} has a NUL in its name"
            )))
        })
    };
    let name = path(&target.session(), "the output")?;
    let config = match merged {
        Some(merged) => Some(configuration(merged)?),
        None => None,
    };
    let times = match wall {
        Some(_) => TimeSource::WallClock,
        None => TimeSource::Unknown,
    };
    let categories = events.categories().to_vec();
    let mut session = backend
        .begin(&name, config.as_deref(), times, &categories)
        .map_err(failed)?;
    let mut written = 0;
    for row in rows {
        session.open(row).map_err(failed)?;
        for item in &row.items {
            let Some(mut event) = events.event(*item) else {
                continue;
            };
            event.times = event.times.shifted(wall.unwrap_or(0));
            session.write(&event).map_err(failed)?;
            written += 1;
        }
        session.close().map_err(failed)?;
        progress.advance(row.items.len() as u64);
    }
    session.end().map_err(failed)?;
    Ok(written)
}

/// Returns the option with which Nsight Systems' backend merges: one line `key=value`.
fn configuration(merged: &Merged) -> Result<CString, ExportError> {
    let bytes = merged.path.as_os_str().as_encoded_bytes();
    let refused = || ExportError::Merge {
        path: merged.path.clone(),
        why: "its path has a line break or a `|`, which the backend cannot handle".to_owned(),
        remedy: "rename it".to_owned(),
    };
    if bytes.iter().any(|byte| b"\r\n|".contains(byte)) {
        return Err(refused());
    }
    CString::new([b"ReportMerge=", bytes].concat()).map_err(|_| refused())
}
