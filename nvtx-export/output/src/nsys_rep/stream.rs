//! Streams that nsys recorded (`.qdstrm`) and made no report of.

use super::find::Search;
use super::importer;
use std::fs;
use std::path::{Path, PathBuf};
use weft_model::ExportError;

/// The extension of a stream.
pub const STREAM: &str = "qdstrm";

/// Makes the report of a stream that lies beside it, `x.nsys-rep` of `x.qdstrm`, as nsys does when a program ends, and removes the
/// stream. nsys 2022.4 fails at that about once in thirty runs of two ranks, and leaves the stream, which holds everything.
///
/// # Errors
/// The importer of Nsight Systems is not found, or fails; the stream stays.
pub fn import_stream(stream: &Path, search: &Search) -> Result<PathBuf, ExportError> {
    let importer = search
        .stream_importer()
        .ok_or_else(|| ExportError::NoImporter {
            stream: stream.to_owned(),
        })?;
    let report = stream.with_extension("nsys-rep");
    importer::run(&importer, |command| {
        // What a failed import left under that name is no report.
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
    // The report has all of it; a stream that cannot be removed does no harm.
    let _ = fs::remove_file(stream);
    Ok(report)
}
