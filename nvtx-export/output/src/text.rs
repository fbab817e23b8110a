//! Text: each operation with its line, its tasks, copies, launches and kernels; kernels without a
//! launch by range, with the reason; and losses. The format is meant for review and for comparison
//! line by line.

mod lines;
mod rows;
mod unmatched;

use crate::file::OutFile;
use lines::Writer;
use std::io;
use std::path::Path;
use weft_model::{ExportError, Trace};
use weft_trace::time::Timestamp;

/// Options for writing text.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextOptions {
    /// Whether times count from the first time of the trace, rather than on the base clock.
    pub relative: bool,
}

/// Returns the joined trace as text. The text does not depend on the order of the records.
pub fn render(trace: &Trace, options: &TextOptions) -> String {
    let mut bytes = Vec::new();
    // Writing to a `Vec` never fails.
    let _ = print(trace, options, &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Writes the text to `to`, in many small pieces.
///
/// # Errors
/// Returns any error of `to`.
pub fn print(trace: &Trace, options: &TextOptions, to: &mut dyn io::Write) -> io::Result<()> {
    let zero = trace.first_instant().filter(|_| options.relative);
    let writer = Writer::new(trace, zero.map_or(0, Timestamp::nanos));
    writer.head(to)?;
    writer.operations(to)?;
    writer.write_taskless_launches(to)?;
    unmatched::write(&writer, to)?;
    writer.losses(to)
}

/// Writes the text to a file, which appears when it is complete.
///
/// # Errors
/// Returns an error if `out` exists and must not be replaced, or cannot be written.
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
