//! Reports through `ImportNvtxt`: the importer of Nsight Systems converts a text of ranges to a
//! report.
//!
//! Text has no payload, so the messages contain the UID. A rank becomes a process, and a row a
//! named thread of it. Their numbers are above those of the system, so that they differ from all
//! processes of a merged report.

mod text;

use super::events::Events;
use super::merge::Merged;
use super::rows::Row;
use super::target::Target;
use super::{clock, importer};
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::process::Output;
use text::Base;
use weft_model::{ExportError, Progress};

/// The result of writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WriteCounts {
    pub(super) events: usize,
    /// The number of events that the importer cannot take because they lie before its clock begins.
    pub(super) left_out: usize,
}

/// Writes all rows to the target's report.
pub(super) fn write(
    events: &mut Events<'_>,
    rows: &[Row],
    importer: &Path,
    target: &Target,
    merged: Option<&Merged>,
    progress: &Progress,
) -> Result<WriteCounts, ExportError> {
    let base = base(events, rows, merged)?;
    let source = target.scratch("rows.nvtxt");
    let report = target.report();
    let mut written = File::create(&source)
        .map(BufWriter::new)
        .and_then(|mut file| text::write(events, rows, base, &mut file, progress))
        .map_err(|error| target.error(error))?;
    if written.events == 0 {
        // The importer would report success without writing anything.
        return Err(ExportError::NothingToReport {
            left_out: written.left_out,
        });
    }
    let output = importer::run(importer, |command| {
        match merged {
            Some(merged) => command
                .args(["--cmd", "merge", "--update_report_time", "-i"])
                .arg(&merged.path),
            None => command.args(["--cmd", "create"]),
        };
        // The machine and the virtual machine of local captures.
        command.args(["--target", "0:1", "-n"]).arg(&source);
        command.arg("-o").arg(&report);
    })?;
    if let Some(imported) = imported(&output) {
        let missing = written.events.saturating_sub(imported);
        written.left_out += missing;
        written.events -= missing;
    }
    Ok(written)
}

/// Returns the clock of the text. In a merged report this is the time since the session began,
/// which may not be negative. Otherwise the clock begins with the first event.
fn base(events: &Events<'_>, rows: &[Row], merged: Option<&Merged>) -> Result<Base, ExportError> {
    let first = rows.iter().filter_map(|row| row.items.first());
    let first = first
        .map(|item| events.times(*item).start)
        .min()
        .unwrap_or(0);
    let Some(merged) = merged else {
        return Ok(Base {
            name: "Manual",
            shift: first.saturating_neg(),
        });
    };
    let shift = clock::to_session(events.trace, merged).ok_or_else(|| ExportError::Merge {
        path: merged.path.clone(),
        why: "its clock cannot be aligned with that of the inputs".to_owned(),
        remedy: "give it as the first input".to_owned(),
    })?;
    Ok(Base {
        name: "Relative",
        shift,
    })
}

/// Returns the number of events that the importer reports to have taken.
fn imported(output: &Output) -> Option<usize> {
    let text = String::from_utf8_lossy(&output.stdout);
    let before = text.split(" events imported").next()?;
    before.split_whitespace().next_back()?.parse().ok()
}
