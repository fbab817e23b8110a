//! Text: each operation with its line, and below it its tasks, copies, launches and kernels; kernels without a launch by
//! range, with the reason; what is missing. Made to be read in review, and compared line by line.

mod lines;
mod rows;
mod unmatched;

use crate::file::OutFile;
use std::io;
use std::path::Path;
use weft_model::{ExportError, Trace};

/// How text is written.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextOptions {
    /// Times since the first of the trace; otherwise on the base clock.
    pub relative: bool,
}

/// Returns the joined trace as text. The same trace gives the same text, whatever the order of its
/// records.
pub fn render(trace: &Trace, options: &TextOptions) -> String {
    let mut bytes = Vec::new();
    // A Vec takes every write.
    let _ = print(trace, options, &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Writes the text to `to`, in many small pieces.
///
/// # Errors
/// What `to` gives.
pub fn print(trace: &Trace, options: &TextOptions, to: &mut dyn io::Write) -> io::Result<()> {
    lines::write(trace, options, to)
}

/// Writes the text to a file, which appears when it is complete.
///
/// # Errors
/// `out` exists and is not to be replaced, or cannot be written.
pub fn write(
    trace: &Trace,
    options: &TextOptions,
    out: &Path,
    force: bool,
) -> Result<(), ExportError> {
    let mut file = OutFile::create(trace, out, force)?;
    file.write_with(|to| print(trace, options, to))?;
    file.finish().map(drop)
}
