//! Tables for people: aligned, with units, and fitted to the width of a terminal.

use super::{Cell, SeenBy, Table, Unit};
use crate::printable::printable;
use comfy_table::{CellAlignment, ContentArrangement};
use rustc_hash::FxHashMap;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A table as it is printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FittedTable {
    /// The lines, each with a line break.
    pub text: String,
    /// The names of the columns that were left out because of the width.
    pub left_out: Vec<String>,
}

/// Terminal columns of the frame: two per cell, one between cells, and one at the end.
const FRAME: usize = 3;

/// A column while the table is fitted.
struct Fitted {
    /// The index of the column in the table.
    column: usize,
    name: String,
    cells: Vec<String>,
    /// Whether it holds texts, which may be shortened.
    text: bool,
    /// Whether it holds single values, as opposed to totals.
    value: bool,
    /// Whether it is measured in all rows.
    measured: bool,
    /// Whether one of its cells is marked as an estimate.
    marked: bool,
    /// The width of its widest cell.
    natural: usize,
    /// The smallest width to which it may shrink.
    least: usize,
}

/// Formats the table in at most `width` columns of a terminal if possible. The least important
/// columns are left out first, then texts are shortened. Numbers are never shortened. Without a
/// width, everything is shown.
pub(super) fn show(table: &Table, width: Option<usize>) -> FittedTable {
    let mut columns = columns(table);
    let mut left_out = Vec::new();
    if let Some(width) = width {
        set_least(&mut columns, width);
        for name in &table.least_first {
            if needed(&columns) <= width {
                break;
            }
            if let Some(at) = columns.iter().position(|column| column.name == *name) {
                left_out.push(columns.remove(at).name);
            }
        }
        let named = left_out.len();
        while table.leaves_out_last && columns.len() > 1 && needed(&columns) > width {
            left_out.extend(columns.pop().map(|column| column.name));
        }
        if let Some(last) = left_out.get_mut(named..) {
            last.reverse();
        }
        shorten_to(&mut columns, width);
    }
    let mut text = framed(&columns);
    // If all marked columns were left out, there are no marks to explain.
    if let Some(marks) = &table.marks
        && columns.iter().any(|column| column.marked)
    {
        text.push_str("~ ");
        text.push_str(&marks.meaning);
        text.push('\n');
    }
    FittedTable { text, left_out }
}

fn columns(table: &Table) -> Vec<Fitted> {
    let marks = table
        .marks
        .as_ref()
        .filter(|marks| marks.seen_by != SeenBy::All);
    let mut columns: Vec<Fitted> = (table.columns.iter().enumerate())
        .filter(|(column, _)| marks.is_none_or(|marks| marks.column != *column))
        .filter(|(column, (name, _))| {
            !(table.without_empty.contains(&name.as_str()) && is_empty(table, *column))
        })
        .map(|(column, (name, _))| (column, name, printable(name).into_owned()))
        .map(|(column, name, shown)| Fitted {
            column,
            natural: shown.width(),
            name: shown,
            cells: Vec::with_capacity(table.rows.len()),
            text: false,
            value: (table.marks.as_ref())
                .is_some_and(|marks| marks.values.contains(&name.as_str())),
            measured: table.measured.contains(&name.as_str()),
            marked: false,
            least: 0,
        })
        .collect();
    for row in 0..table.rows.len() {
        let marked = marked(table, row);
        let cells = table.rows.get(row);
        for fitted in &mut columns {
            let unit = table
                .columns
                .get(fitted.column)
                .map_or(Unit::None, |(_, unit)| *unit);
            let cell = cells.get(fitted.column).unwrap_or(&Cell::Null);
            fitted.text |= matches!(cell, Cell::Text(_)) && unit == Unit::None;
            let mut text = human(cell, unit);
            let figure = matches!(
                unit,
                Unit::Nanos | Unit::Share | Unit::Rate | Unit::FlopRate | Unit::Intensity
            ) && *cell != Cell::Null;
            let figure = figure && !fitted.measured;
            if figure && (marked == Marked::All || marked == Marked::Values && fitted.value) {
                text.insert_str(0, "~ ");
                fitted.marked = true;
            }
            fitted.natural = fitted.natural.max(text.width());
            fitted.cells.push(text);
        }
    }
    columns
}

fn is_empty(table: &Table, column: usize) -> bool {
    let mut rows = 0..table.rows.len();
    rows.all(|row| {
        table
            .rows
            .get(row)
            .get(column)
            .is_none_or(|cell| *cell == Cell::Null)
    })
}

/// The figures of a row that are estimated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Marked {
    Nothing,
    /// Single values only.
    Values,
    All,
}

fn marked(table: &Table, row: usize) -> Marked {
    let cells = table.rows.get(row);
    let estimated = table.marks.as_ref().map(|marks| cells.get(marks.column));
    match estimated.flatten() {
        Some(Cell::Integer(0)) => Marked::Values,
        Some(Cell::Integer(_)) => Marked::All,
        _ => Marked::Nothing,
    }
}

/// Sets the least width of text columns. The first column and columns of paths tell rows apart and
/// keep a third of the width; the others keep an eighth.
fn set_least(columns: &mut [Fitted], width: usize) {
    let mut first = true;
    for column in columns.iter_mut().filter(|column| column.text) {
        let tells = std::mem::take(&mut first) || column.cells.iter().any(|text| is_path(text));
        let enough = match tells {
            true => (width / 3).max(28),
            false => (width / 8).max(13),
        };
        column.least = column.natural.min(enough.max(column.name.width()));
    }
    for column in columns.iter_mut().filter(|column| !column.text) {
        column.least = column.natural;
    }
}

fn needed(columns: &[Fitted]) -> usize {
    1 + (columns.iter().map(|column| column.least + FRAME)).sum::<usize>()
}

/// Distributes the remaining width among text columns from left to right, and shortens the texts
/// accordingly.
fn shorten_to(columns: &mut [Fitted], width: usize) {
    let mut left = width.saturating_sub(needed(columns));
    for column in columns {
        let more = left.min(column.natural - column.least);
        left -= more;
        let room = column.least + more;
        if column.text && column.natural > room {
            column.cells = distinct(&column.cells, room);
        }
    }
}

/// Shortens texts: a path keeps its end, a list its start, any other text both ends. Names lose
/// their namespaces first. If different texts would then look alike, lists and paths keep both ends
/// too.
fn distinct(texts: &[String], room: usize) -> Vec<String> {
    let shorten = |text: &String| {
        let bare = without_namespaces(text);
        let text = if text.width() > room { &bare } else { text };
        if is_path(text) {
            path_cut(text, room)
        } else if is_list(text) {
            end_cut(text, room)
        } else {
            middle_cut(text, room)
        }
    };
    let mut shown: Vec<String> = texts.iter().map(shorten).collect();
    let mut first: FxHashMap<&str, Option<&str>> = FxHashMap::default();
    for (shown, text) in shown.iter().zip(texts) {
        let known = first.entry(shown).or_insert(Some(text));
        if *known != Some(text) {
            *known = None;
        }
    }
    let alike: Vec<bool> = (shown.iter())
        .map(|shown| first.get(shown.as_str()) == Some(&None))
        .collect();
    for ((shown, text), alike) in shown.iter_mut().zip(texts).zip(alike) {
        if alike {
            *shown = middle_cut(text, room);
        }
    }
    shown
}

/// Returns whether the text is a path, perhaps with a line number.
fn is_path(text: &str) -> bool {
    text.contains('/') && !text.contains(['(', '<', ','])
}

/// Returns whether the text is a list of names. Names of C++ also contain commas, but inside
/// brackets.
fn is_list(text: &str) -> bool {
    text.contains(", ") && !text.contains(['(', '<'])
}

/// Removes the namespaces of names, visibly. Signatures of C++ are left unchanged.
fn without_namespaces(text: &str) -> String {
    if text.contains(['(', '<', '/']) {
        return text.to_owned();
    }
    let names = text.split(", ").map(|name| match name.rsplit_once("::") {
        Some((_, bare)) => format!("{CUT}{bare}"),
        None => name.to_owned(),
    });
    names.collect::<Vec<_>>().join(", ")
}

const CUT: &str = "\u{2026}";

/// Returns the longest prefix of `text` that is at most `room` columns wide.
fn start_of(text: &str, room: usize) -> &str {
    let end = fitting(text.chars(), room);
    text.get(..end).unwrap_or("")
}

/// Returns the longest suffix of `text` that is at most `room` columns wide.
fn end_of(text: &str, room: usize) -> &str {
    let start = text.len() - fitting(text.chars().rev(), room);
    text.get(start..).unwrap_or("")
}

/// Returns the length in bytes of the first characters that are at most `room` columns wide
/// together.
fn fitting(letters: impl Iterator<Item = char>, room: usize) -> usize {
    let mut width = 0;
    let fitting = letters.take_while(|letter| {
        width += letter.width().unwrap_or(0);
        width <= room
    });
    fitting.map(char::len_utf8).sum()
}

fn end_cut(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    format!("{}{CUT}", start_of(text, room.saturating_sub(1)))
}

/// Returns the end of a path, starting at a folder if that uses at least half of the room.
fn start_cut(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let end = end_of(text, room.saturating_sub(1));
    let folder = end.find('/').and_then(|slash| end.get(slash..));
    let folder = folder.filter(|folder| folder.width() * 2 >= room);
    format!("{CUT}{}", folder.unwrap_or(end))
}

/// Shortens a path that may have a name before it and a count after it, as in the message of a
/// range. These are kept if the path then still has half of the room.
fn path_cut(text: &str, room: usize) -> String {
    let mut words = text.split_inclusive(' ');
    let before: String = (words.by_ref())
        .take_while(|word| !word.contains('/'))
        .collect();
    let rest = text.get(before.len()..).unwrap_or(text);
    match room.checked_sub(before.width()) {
        Some(left) if left * 2 >= room => format!("{before}{}", start_cut(rest, left)),
        _ => start_cut(text, room),
    }
}

fn middle_cut(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let room = room.saturating_sub(1);
    let end = end_of(text, room / 2);
    format!("{}{CUT}{end}", start_of(text, room - end.width()))
}

fn framed(columns: &[Fitted]) -> String {
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::ASCII_MARKDOWN);
    table.set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(columns.iter().map(|column| &column.name));
    let rows = columns.first().map_or(0, |column| column.cells.len());
    for row in 0..rows {
        table.add_row((columns.iter()).filter_map(|column| column.cells.get(row)));
    }
    for (index, column) in columns.iter().enumerate() {
        if let Some(shown) = table.column_mut(index).filter(|_| !column.text) {
            shown.set_cell_alignment(CellAlignment::Right);
        }
    }
    format!("{table}\n")
}

/// Formats a value for people.
pub fn human(cell: &Cell, unit: Unit) -> String {
    let number = match cell {
        Cell::Null => return String::new(),
        Cell::Text(text) => return printable(text).into_owned(),
        Cell::Integer(number) if unit == Unit::None => return number.to_string(),
        Cell::Integer(number) => *number as f64,
        Cell::Real(number) => *number,
    };
    match unit {
        Unit::None => format!("{number:.3}"),
        Unit::Nanos => scaled(number, &[(1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns")]),
        Unit::Bytes => scaled(
            number,
            &[
                ((1u64 << 30) as f64, "GiB"),
                ((1u64 << 20) as f64, "MiB"),
                (1024.0, "KiB"),
                (1.0, "B"),
            ],
        ),
        Unit::Share => format!("{:.1} %", number * 100.0),
        Unit::Flop => format_count(number),
        Unit::Rate | Unit::FlopRate | Unit::Intensity if number.abs() < 10.0 => {
            format!("{number:.2}")
        }
        Unit::Rate | Unit::FlopRate | Unit::Intensity => format!("{number:.1}"),
    }
}

/// Formats a count with three digits.
fn format_count(number: f64) -> String {
    let units = [
        (1e15, "P"),
        (1e12, "T"),
        (1e9, "G"),
        (1e6, "M"),
        (1e3, "k"),
        (1.0, ""),
    ];
    let fits = units.iter().find(|(size, _)| number.abs() >= *size);
    match fits {
        Some((size, letter)) if *size > 1.0 => format!("{:.2} {letter}", number / size),
        _ => format!("{number:.0}"),
    }
}

/// Formats a number in the largest unit that does not exceed it.
fn scaled(number: f64, units: &[(f64, &str)]) -> String {
    let fits = units.iter().find(|(size, _)| number.abs() >= *size);
    match fits.or(units.last()) {
        Some((size, name)) if *size > 1.0 => format!("{:.3} {name}", number / size),
        Some((_, name)) => format!("{number:.0} {name}"),
        None => number.to_string(),
    }
}

#[cfg(test)]
mod tests;
