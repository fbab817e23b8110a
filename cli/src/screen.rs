//! The width of tables.

use std::env;
use std::io::{self, IsTerminal};

/// The width of a terminal that does not report one.
const USUAL: usize = 80;

/// Width for standard output: the variable `COLUMNS`, otherwise the terminal's. `None` without
/// either: no column is left out.
pub(crate) fn width() -> Option<usize> {
    let asked = env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    let asked = asked.filter(|columns: &usize| *columns > 0);
    asked.or_else(|| {
        let known = terminal_size::terminal_size_of(io::stdout());
        let known = known.map(|(width, _)| usize::from(width.0));
        // A serial console has no size, and that of a new pseudo-terminal is 0.
        known.or_else(|| io::stdout().is_terminal().then_some(USUAL))
    })
}
