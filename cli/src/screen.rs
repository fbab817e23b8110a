//! How much of a table a terminal can show.

use std::env;
use std::io;

/// Columns of what standard output leads to: those that the variable `COLUMNS` asks for, else those of the terminal. `None` where
/// neither says, so that nothing has to be left out.
pub(crate) fn width() -> Option<usize> {
    let asked = env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    let asked = asked.filter(|columns: &usize| *columns > 0);
    asked.or_else(|| {
        let (width, _) = terminal_size::terminal_size_of(io::stdout())?;
        Some(usize::from(width.0))
    })
}
