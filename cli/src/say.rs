//! Messages for the user.

use std::io::{self, Write};

use weft_nvtx_export::output::printable::printable_lines;

/// Writes a line to standard error; standard output is for results. Control characters are escaped, since names come
/// from recorded programs.
pub(crate) fn say(line: &str) {
    // If standard error is closed, the message cannot be shown.
    let _ = writeln!(io::stderr(), "{}", printable_lines(line));
}
