//! Rows through `ImportNvtxt`: a text of ranges, which the importer of Nsight Systems makes a report of.
//!
//! Text has no payload: the UID stands in the message. A rank is a process and a row a named thread of it. Their
//! numbers lie above those of the system's own, so that they mix with no process of a merged report.

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

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) events: usize,
    /// Events that the importer cannot take: they lie before its clock begins.
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
) -> Result<Written, ExportError> {
    let base = base(events, rows, merged)?;
    let source = target.scratch("rows.nvtxt");
    let report = target.report();
    let mut written = File::create(&source)
        .map(BufWriter::new)
        .and_then(|mut file| text::write(events, rows, base, &mut file, progress))
        .map_err(|error| target.error(error))?;
    if written.events == 0 {
        // The importer would say that all is well, and write nothing.
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
        // The machine and the virtual machine that local captures have.
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

/// Returns the clock of the text: merged, the time since the session began, which may not be
/// negative; else a clock that begins with the first event.
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

/// How many events the importer says it took.
fn imported(output: &Output) -> Option<usize> {
    let text = String::from_utf8_lossy(&output.stdout);
    let before = text.split(" events imported").next()?;
    before.split_whitespace().next_back()?.parse().ok()
}
