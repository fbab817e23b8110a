//! `.nsys-rep` reports, which only the installed `nsys` can read.

use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;
use weft_files::Scratch;
use weft_model::{Converted, ExportError};

/// Converts a report to a temporary database.
///
/// # Errors
/// Returns an error if `nsys` is not installed, or refuses the report.
pub fn convert(report: &Path) -> Result<Converted, ExportError> {
    let failed = |why: String, remedy: &str| ExportError::Report {
        path: report.to_owned(),
        why,
        remedy: remedy.to_owned(),
    };
    let folder = Scratch::new("weft-nsys-").map_err(|error| {
        failed(
            format!("no temporary folder: {error}"),
            "set TMPDIR to a folder with free space",
        )
    })?;
    let converted = Converted::new(folder);
    // nsys 2022.4 does not support --lazy. Later versions leave empty tables out, which the reader
    // accepts.
    let output = Command::new("nsys")
        .args([
            "export",
            "--type",
            "sqlite",
            "--force-overwrite",
            "true",
            "--output",
        ])
        .arg(converted.path())
        .arg(report)
        .output();
    let output = output.map_err(|error| match error.kind() {
        ErrorKind::NotFound => failed(
            "`nsys` is not installed".to_owned(),
            "install Nsight Systems, or export the report to SQLite on a machine that has it",
        ),
        _ => failed(
            format!("`nsys` could not be started: {error}"),
            "check the installation of nsys",
        ),
    })?;
    if !output.status.success() || !converted.path().exists() {
        let said = [&output.stderr, &output.stdout].map(|text| last_line(text));
        let said = said
            .into_iter()
            .find(|line| !line.is_empty())
            .unwrap_or_default();
        return Err(failed(
            format!("`nsys export` printed: {said}"),
            "copy the report again if it was cut, or use an nsys at least as new as the one that wrote it",
        ));
    }
    Ok(converted)
}

fn last_line(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    last.unwrap_or_default().trim().to_owned()
}
