//! Streams (`.qdstrm`) that nsys recorded without making a report.

use super::find::Search;
use super::importer;
use std::fs;
use std::path::{Path, PathBuf};
use weft_model::ExportError;

/// The extension of a stream.
pub const STREAM: &str = "qdstrm";

/// Converts a stream to a report in the same folder, `x.qdstrm` to `x.nsys-rep`, and removes the
/// stream. nsys does this when a program ends, but version 2022.4 fails about once in thirty runs
/// of two ranks, and leaves the stream, which is complete.
///
/// # Errors
/// Returns an error if the importer of Nsight Systems is not found, or fails. The stream stays.
pub fn import_stream(stream: &Path, search: &Search) -> Result<PathBuf, ExportError> {
    let importer = search
        .stream_importer()
        .ok_or_else(|| ExportError::NoImporter {
            stream: stream.to_owned(),
        })?;
    let report = stream.with_extension("nsys-rep");
    importer::run(&importer, |command| {
        // A file under that name is left by a failed import, and is not a report.
        command
            .arg("-f")
            .arg("-i")
            .arg(stream)
            .arg("-o")
            .arg(&report);
    })?;
    if !report.exists() {
        return Err(ExportError::Import {
            importer,
            why: format!("it wrote no {}", report.display()),
        });
    }
    // The report is complete; a stream that cannot be removed does no harm.
    let _ = fs::remove_file(stream);
    Ok(report)
}
