//! Running the importers of Nsight Systems.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use weft_model::ExportError;

/// Runs an importer to its end, and returns its output.
pub(super) fn run(
    importer: &Path,
    arguments: impl FnOnce(&mut Command),
) -> Result<Output, ExportError> {
    let mut command = Command::new(importer);
    arguments(&mut command);
    if let Some(folder) = importer.parent() {
        command.env("LD_LIBRARY_PATH", libraries(folder));
    }
    let failed = |why: String| ExportError::Import {
        importer: importer.to_owned(),
        why,
    };
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| failed(format!("it could not be started: {error}")))?;
    if !output.status.success() {
        return Err(failed(format!("it printed: {}", last_line(&output))));
    }
    Ok(output)
}

/// Returns the library path for an importer. Some versions need it to find their libraries.
fn libraries(folder: &Path) -> OsString {
    let mut paths = folder.as_os_str().to_owned();
    if let Some(more) = env::var_os("LD_LIBRARY_PATH").filter(|more| !more.is_empty()) {
        paths.push(":");
        paths.push(more);
    }
    paths
}

/// Returns the last line that the importer printed.
fn last_line(output: &Output) -> String {
    let texts = [&output.stderr, &output.stdout].map(|text| String::from_utf8_lossy(text));
    let lines = texts.iter().flat_map(|text| text.lines().rev());
    let mut lines = lines.map(str::trim).filter(|line| !line.is_empty());
    lines.next().unwrap_or("nothing").to_owned()
}
