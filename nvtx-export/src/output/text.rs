//! Text: each operation with its line, and below it its tasks, their launches and kernels; made to be read in review.

mod lines;

use crate::error::ExportError;
use crate::joined::{Joined, ProvenanceIndex};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

/// How text is written.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextOptions {
    /// Times since the first of the trace; otherwise on the base clock.
    pub relative: bool,
}

/// The joined trace as text. The same trace gives the same text, whatever the order of its records.
pub fn render(joined: &Joined, options: &TextOptions) -> String {
    lines::render(joined, options)
}

/// Writes the text to a file, which appears when it is complete.
///
/// # Errors
/// `out` exists and is not to be replaced, or cannot be written.
pub fn write(text: &str, out: &Path, force: bool) -> Result<(), ExportError> {
    let error = |error| ExportError::Write {
        path: out.to_owned(),
        error,
    };
    if !force && out.symlink_metadata().is_ok() {
        return Err(ExportError::Exists {
            path: out.to_owned(),
        });
    }
    let mut name = out.as_os_str().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part = Path::new(&name);
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(part)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .and_then(|()| fs::rename(part, out));
    written.map_err(|failed| {
        // What was begun is of no use to anyone.
        let _ = fs::remove_file(part);
        error(failed)
    })
}

/// `file:line` of a source position; `None` for the unknown one.
pub fn place(joined: &Joined, provenance: ProvenanceIndex) -> Option<String> {
    if provenance.0 == 0 {
        return None;
    }
    let place = joined.provenances.get(provenance);
    Some(format!("{}:{}", joined.strings.get(place.file), place.line))
}
