//! The width of tables.

use std::env;
use std::io;

/// Width for standard output: the variable `COLUMNS`, otherwise the terminal's. `None` without either: no column is
/// left out.
pub(crate) fn width() -> Option<usize> {
    let asked = env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    let asked = asked.filter(|columns: &usize| *columns > 0);
    asked.or_else(|| {
        let (width, _) = terminal_size::terminal_size_of(io::stdout())?;
        Some(usize::from(width.0))
    })
}
