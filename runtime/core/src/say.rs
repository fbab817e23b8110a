//! Lines for the user on standard error.

use std::fmt;
use std::io::{self, Write};

/// Writes the line, and its end, in a single call of the system: ranks share standard error, and lines written in
/// pieces would mix there.
pub(crate) fn say(line: impl fmt::Display) {
    // Who cannot be told cannot be helped.
    let _ = io::stderr().write_all(format!("{line}\n").as_bytes());
}
