//! Text: each operation with its line, and below it its tasks, their launches and kernels; made to be read in review.

mod lines;

use crate::error::ExportError;
use crate::joined::{Joined, ProvenanceIndex};
use crate::output::file::OutFile;
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
    let mut file = OutFile::create(out, force)?;
    file.write_with(|to| to.write_all(text.as_bytes()))?;
    file.finish().map(drop)
}

/// `file:line` of a source position; `None` for the unknown one.
pub fn place(joined: &Joined, provenance: ProvenanceIndex) -> Option<String> {
    if provenance.0 == 0 {
        return None;
    }
    let place = joined.provenances.get(provenance);
    let file = joined.strings.get(place.file);
    Some(match place.line {
        0 => file.to_owned(),
        line => format!("{file}:{line}"),
    })
}
