//! Lines for the user.

use std::io::{self, Write};

/// Writes a line to standard error, since standard output is the result's or the program's.
pub(crate) fn say(line: &str) {
    // Nothing is left to tell it to when standard error is closed.
    let _ = writeln!(io::stderr(), "{line}");
}
