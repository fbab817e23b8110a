//! Lines for the user.

use std::io::{self, Write};

use weft_nvtx_export::output::printable::printable_lines;

/// Writes a line to standard error, since standard output is the result's or the program's. Names in it come from recorded programs:
/// what a terminal would obey is written out.
pub(crate) fn say(line: &str) {
    // Nothing is left to tell it to when standard error is closed.
    let _ = writeln!(io::stderr(), "{}", printable_lines(line));
}
