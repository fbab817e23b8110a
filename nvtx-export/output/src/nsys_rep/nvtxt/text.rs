//! The text that `ImportNvtxt` reads.

use super::WriteCounts;
use crate::nsys_rep::event::Event;
use crate::nsys_rep::events::Events;
use crate::nsys_rep::rows::Row;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::io::{self, Write};
use weft_model::Progress;

/// The lowest number for processes: Linux numbers are below it, and reports hold 24 bits.
const FIRST_PROCESS: u32 = 0x80_0000;

/// The maximum size of a text in bytes. The importer refuses 64 KiB.
const LONGEST: usize = 16 << 10;

/// The columns of each kind of line.
const FORMATS: &str = "\
SetFileDisplayName, Weft
@NameProcess, ProcessId, Message
@NameOsThread, ProcessId, ThreadId, Message
@RangeStartEnd, Start, End, ProcessId, ThreadId, Message, Color
@Marker, Time, ProcessId, ThreadId, Message, Color
";

/// A clock of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Base {
    /// The importer's name for it.
    pub(super) name: &'static str,
    /// The shift from times of the base clock, in ns.
    pub(super) shift: i64,
}

/// Writes all rows.
pub(super) fn write(
    events: &mut Events<'_>,
    rows: &[Row],
    base: Base,
    to: &mut impl Write,
    progress: &Progress,
) -> io::Result<WriteCounts> {
    to.write_all(FORMATS.as_bytes())?;
    writeln!(to, "TimeBase = {}", base.name)?;
    let mut processes: FxHashMap<&[String], u32> = FxHashMap::default();
    let mut written = WriteCounts {
        events: 0,
        left_out: 0,
    };
    for (thread, row) in (1..).zip(rows) {
        let rank = row.scope.get(..row.rank_nodes).unwrap_or_default();
        let next = FIRST_PROCESS + processes.len() as u32;
        let process = *processes.entry(rank).or_insert(next);
        if process == next {
            let name = format!("Weft {}", rank.join(" "));
            writeln!(to, "NameProcess, {process}, \"{}\"", plain(&name))?;
        }
        let name = plain(row.name());
        writeln!(to, "NameOsThread, {process}, {thread}, \"{name}\"")?;
        for item in &row.items {
            let Some(mut event) = events.event(*item) else {
                continue;
            };
            event.times = event.times.shifted(base.shift);
            if event.times.start < 0 {
                written.left_out += 1;
                continue;
            }
            line(&event, process, thread, to)?;
            written.events += 1;
        }
        progress.advance(row.items.len() as u64);
    }
    to.flush()?;
    Ok(written)
}

fn line(event: &Event<'_>, process: u32, thread: u32, to: &mut impl Write) -> io::Result<()> {
    let message = message(event);
    let (start, end, color) = (event.times.start, event.times.end, event.color);
    if start < end {
        writeln!(
            to,
            "RangeStartEnd, {start}, {end}, {process}, {thread}, \"{message}\", 0x{color:08X}"
        )
    } else {
        // The importer skips ranges without a length.
        writeln!(
            to,
            "Marker, {start}, {process}, {thread}, \"{message}\", 0x{color:08X}"
        )
    }
}

/// Returns the message, with data that would otherwise be in a payload: `add main.rs:12 uid=42
/// bytes=64`.
fn message(event: &Event<'_>) -> String {
    let mut facts = String::new();
    if event.uid != 0 {
        facts.push_str(&format!(" uid={}", event.uid));
    }
    if event.launch != 0 && event.launch != event.uid {
        facts.push_str(&format!(" launch={}", event.launch));
    }
    if event.bytes != 0 {
        facts.push_str(&format!(" bytes={}", event.bytes));
    }
    format!("{}{facts}", plain(event.message))
}

/// Returns a text that the importer reads unchanged: it has no escapes, and a quote ends a text.
fn plain(text: &str) -> Cow<'_, str> {
    let is_plain = |char: char| char != '"' && char != '\\' && !char.is_control();
    if text.len() <= LONGEST && text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let boundaries = text.char_indices().map(|(at, _)| at);
    let cut = boundaries.take_while(|at| *at <= LONGEST).last();
    let end = if text.len() > LONGEST {
        cut.unwrap_or(0)
    } else {
        text.len()
    };
    let char = |char: char| match char {
        '"' => '\'',
        '\\' => '/',
        char if char.is_control() => ' ',
        char => char,
    };
    let mut plain: String = text
        .get(..end)
        .unwrap_or_default()
        .chars()
        .map(char)
        .collect();
    if end < text.len() {
        plain.push('…');
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stay_within_their_quotes_and_lines() {
        assert_eq!(plain("add src/main.rs:12"), "add src/main.rs:12");
        assert_eq!(plain("a \"b\" \\"), "a 'b' /");
        assert_eq!(plain("one\ntwo\tthree"), "one two three");
        let long = plain(&"ü".repeat(LONGEST)).into_owned();
        assert!(long.len() <= LONGEST + 3 && long.ends_with("ü…"));
    }
}
