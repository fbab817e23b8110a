//! Messages for the user.

use std::io::{self, Write};

use weft_model::printable::printable_lines;

/// Writes a line to standard error, in a single call of the system; standard output is for results.
/// Control characters are escaped, since names come from recorded programs.
pub(crate) fn say(line: &str) {
    // If standard error is closed, the message cannot be shown.
    let _ = io::stderr().write_all(format!("{}\n", printable_lines(line)).as_bytes());
}
