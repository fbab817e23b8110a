//! Recordings that are given twice: a copy of a file, the same file compressed, or a report and its
//! export. They count once.

use crate::legion::container;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use weft_database::{Database, integer};
use weft_model::{ExportError, Format, LossRow, Recording, Severity};

/// The loss of inputs that were given twice and count once, in
/// [`Quality::losses`](weft_model::Quality::losses).
pub const GIVEN_TWICE: &str = "input_given_twice";

/// The inputs so far.
#[derive(Debug, Default)]
pub struct Recordings {
    files: Vec<(PathBuf, Format)>,
    sessions: Vec<(PathBuf, String)>,
}

impl Recordings {
    /// Returns the earlier input with the same content as this file, compressed or not, and
    /// remembers the file.
    pub fn same_file(
        &mut self,
        path: &Path,
        format: Format,
    ) -> Result<Option<PathBuf>, ExportError> {
        for (known, other) in &self.files {
            if *other == format && have_same_content([known, path], format)? {
                return Ok(Some(known.clone()));
            }
        }
        self.files.push((path.to_owned(), format));
        Ok(None)
    }

    /// Returns the earlier input of the same session of Nsight Systems, and remembers the session.
    pub fn same_session(
        &mut self,
        path: &Path,
        database: &Database,
    ) -> Result<Option<PathBuf>, ExportError> {
        let Some(identity) = identity(database)? else {
            return Ok(None);
        };
        let known = self.sessions.iter().find(|known| known.1 == identity);
        if let Some((known, _)) = known {
            return Ok(Some(known.clone()));
        }
        self.sessions.push((path.to_owned(), identity));
        Ok(None)
    }
}

/// Records in the trace that `path` has the content of `first`, and was left out.
pub fn note(recording: &mut Recording, path: &Path, first: &Path) {
    recording.quality.losses.push(LossRow {
        source: None,
        name: GIVEN_TWICE.to_owned(),
        severity: Severity::Note,
        value: 1,
        meaning: format!(
            "{} holds the same recording as {}, and is counted once",
            path.display(),
            first.display()
        ),
    });
    let key = format!("input_given_twice_{}", recording.quality.losses.len());
    recording.quality.meta.set(key, path.display());
}

fn have_same_content(paths: [&Path; 2], format: Format) -> Result<bool, ExportError> {
    let mut inputs = Vec::with_capacity(2);
    for path in paths {
        let failed = |error| ExportError::Read {
            path: path.to_owned(),
            error,
        };
        let file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let content: Box<dyn Read> = match format {
            Format::LegionProf => container::unwrap(file).map_err(failed)?,
            _ => Box::new(file),
        };
        inputs.push((length, BufReader::new(content)));
    }
    let [(length, one), (other_length, other)] = &mut inputs[..] else {
        return Ok(false);
    };
    if format != Format::LegionProf && length != other_length {
        return Ok(false);
    }
    loop {
        // A file that cannot be read to its end is reported when its rows are read.
        let (Ok(left), Ok(right)) = (one.fill_buf(), other.fill_buf()) else {
            return Ok(false);
        };
        let length = left.len().min(right.len());
        if length == 0 {
            return Ok(left.len() == right.len());
        }
        if left.get(..length) != right.get(..length) {
            return Ok(false);
        }
        one.consume(length);
        other.consume(length);
    }
}

/// Returns the identity of a session of Nsight Systems: its start by the wall clock and by its own.
/// If these are not recorded, the number of its events and their times. `None` for a session
/// without events.
fn identity(database: &Database) -> Result<Option<String>, ExportError> {
    let mut parts: Vec<i64> = Vec::new();
    database.each_row("TARGET_INFO_SESSION_START_TIME", &["utcEpochNs"], |row| {
        parts.extend(integer(row, 0).filter(|start| *start != 0));
        true
    })?;
    if !parts.is_empty() {
        let started = parts.len();
        let columns = ["globalVid", "duration", "startTime", "stopTime"];
        database.each_row("ANALYSIS_DETAILS", &columns, |row| {
            parts.extend((0..columns.len()).filter_map(|column| integer(row, column)));
            true
        })?;
        if parts.len() > started {
            return Ok(Some(format!("{parts:?}")));
        }
    }
    let mut identity = String::new();
    for table in [
        "NVTX_EVENTS",
        "CUPTI_ACTIVITY_KIND_RUNTIME",
        "CUPTI_ACTIVITY_KIND_KERNEL",
        "CUPTI_ACTIVITY_KIND_MEMCPY",
        "CUPTI_ACTIVITY_KIND_MEMSET",
    ] {
        if let Some(counted) = database.times(table) {
            identity.push_str(&format!("{table} {counted} "));
        }
    }
    Ok((!identity.is_empty()).then_some(format!("{parts:?} {identity}")))
}
