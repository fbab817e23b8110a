//! Small tables for people (aligned, with units) and for programs (CSV and JSON, times in ns).

mod rows;
mod write;

use comfy_table::{CellAlignment, ContentArrangement};
use rows::Rows;
use std::cmp::Ordering;
use std::io;

/// How a table is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people: aligned, with units.
    Table,
    /// For programs: a header and rows.
    Csv,
    /// For programs: a list of objects.
    Json,
}

/// What the numbers of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Texts, or numbers without a unit.
    None,
    /// Nanoseconds; for programs the column's name gets `_ns`.
    Nanos,
    /// Bytes; for programs the column's name gets `_bytes`.
    Bytes,
    /// Parts of one; percent for people.
    Share,
}

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column<'a> {
    /// Its name.
    pub name: &'a str,
    /// What its numbers are.
    pub unit: Unit,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Nothing.
    Null,
    /// A text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// Any other number.
    Real(f64),
}

/// Columns and rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    columns: Vec<(String, Unit)>,
    rows: Rows,
}

impl Table {
    /// An empty table.
    pub fn new(columns: &[Column<'_>]) -> Self {
        let columns = columns
            .iter()
            .map(|column| (column.name.to_owned(), column.unit));
        Table {
            columns: columns.collect(),
            rows: Rows::Made(Vec::new()),
        }
    }

    /// A table of `count` rows that `row` makes from their numbers whenever one is needed.
    pub fn of_rows(
        columns: &[Column<'_>],
        count: usize,
        row: impl Fn(usize) -> Vec<Cell> + Send + Sync + 'static,
    ) -> Self {
        Table {
            rows: Rows::later(count, row),
            ..Table::new(columns)
        }
    }

    /// Appends a row, which has a cell for each column.
    pub fn push(&mut self, row: Vec<Cell>) {
        debug_assert_eq!(row.len(), self.columns.len());
        match &mut self.rows {
            Rows::Made(rows) => rows.push(row),
            rows => rows.change(|rows| rows.push(row)),
        }
    }

    /// The rows.
    pub fn rows(&self) -> &[Vec<Cell>] {
        self.rows.all()
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.len() == 0
    }

    /// The names of the columns, for programs.
    pub fn names(&self) -> Vec<String> {
        let name = |(name, unit): &(String, Unit)| match unit {
            Unit::Nanos => format!("{}_ns", name.replace(' ', "_")),
            Unit::Bytes => format!("{}_bytes", name.replace(' ', "_")),
            Unit::None | Unit::Share => name.replace(' ', "_"),
        };
        self.columns.iter().map(name).collect()
    }

    /// The names of the columns, for people.
    pub fn columns(&self) -> impl Iterator<Item = Column<'_>> {
        let columns = self.columns.iter();
        columns.map(|(name, unit)| Column { name, unit: *unit })
    }

    /// The column of this name, in either spelling; `None` where there is none.
    pub fn column(&self, name: &str) -> Option<usize> {
        let for_people = self.columns.iter().position(|(known, _)| known == name);
        let plain = |(known, _): &(String, Unit)| known.replace(' ', "_") == name;
        for_people
            .or_else(|| self.columns.iter().position(plain))
            .or_else(|| self.names().iter().position(|known| known == name))
    }

    /// Sorts by a column: numbers from the greatest, texts from the first. Equal rows keep their order.
    pub fn sort_by(&mut self, column: usize) {
        let cells = |row: &[Cell]| row.get(column).cloned().unwrap_or(Cell::Null);
        self.rows
            .change(|rows| rows.sort_by(|a, b| order(&cells(a), &cells(b))));
    }

    /// Keeps the first rows, and gives the number of those that are gone.
    pub fn truncate(&mut self, rows: usize) -> usize {
        let gone = self.rows.len().saturating_sub(rows);
        self.rows.truncate(rows);
        gone
    }

    /// The table as text, with a line break at the end.
    pub fn render(&self, format: Format) -> String {
        let mut bytes = Vec::new();
        // A Vec takes every write.
        let _ = self.write(format, &mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Writes the table, with a line break at the end.
    ///
    /// # Errors
    /// What `to` gives.
    pub fn write(&self, format: Format, to: &mut dyn io::Write) -> io::Result<()> {
        match format {
            Format::Table => to.write_all(self.people().as_bytes()),
            Format::Csv => write::csv(self, to),
            Format::Json => write::json(self, to),
        }
    }

    fn people(&self) -> String {
        let mut table = comfy_table::Table::new();
        table.load_style(comfy_table::presets::ASCII_MARKDOWN);
        table.set_content_arrangement(ContentArrangement::Disabled);
        table.set_header(self.columns.iter().map(|(name, _)| name));
        for row in self.rows() {
            let cells = row.iter().zip(&self.columns);
            table.add_row(cells.map(|(cell, (_, unit))| human(cell, *unit)));
        }
        for (index, (_, unit)) in self.columns.iter().enumerate() {
            let number = |row: &Vec<Cell>| !matches!(row.get(index), Some(Cell::Text(_)));
            let numbers = *unit != Unit::None || self.rows().iter().all(number);
            if let Some(column) = table.column_mut(index).filter(|_| numbers) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        format!("{table}\n")
    }
}

/// The greatest number first, then texts in their order, then nothing.
fn order(a: &Cell, b: &Cell) -> Ordering {
    let rank = |cell: &Cell| match cell {
        Cell::Integer(_) | Cell::Real(_) => 0,
        Cell::Text(_) => 1,
        Cell::Null => 2,
    };
    match (a, b) {
        (Cell::Integer(a), Cell::Integer(b)) => b.cmp(a),
        (Cell::Text(a), Cell::Text(b)) => a.cmp(b),
        (Cell::Integer(_) | Cell::Real(_), Cell::Integer(_) | Cell::Real(_)) => {
            number(b).total_cmp(&number(a))
        }
        _ => rank(a).cmp(&rank(b)),
    }
}

fn number(cell: &Cell) -> f64 {
    match cell {
        Cell::Integer(number) => *number as f64,
        Cell::Real(number) => *number,
        Cell::Text(_) | Cell::Null => 0.0,
    }
}

/// A value for people.
fn human(cell: &Cell, unit: Unit) -> String {
    let number = match cell {
        Cell::Null => return String::new(),
        Cell::Text(text) => return shortened(text),
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
    }
}

/// Characters of a text that people are shown; the names of C++ kernels have thousands.
const WIDEST: usize = 72;

fn shortened(text: &str) -> String {
    let mut text = text.replace(char::is_control, " ");
    if let Some((cut, _)) = text.char_indices().nth(WIDEST) {
        text.truncate(cut);
        text.push('\u{2026}');
    }
    text
}

/// A number in the largest unit that it has at least one of.
fn scaled(number: f64, units: &[(f64, &str)]) -> String {
    let fits = units.iter().find(|(size, _)| number.abs() >= *size);
    match fits.or(units.last()) {
        Some((size, name)) if *size > 1.0 => format!("{:.3} {name}", number / size),
        Some((_, name)) => format!("{number:.0} {name}"),
        None => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Table {
        let mut table = Table::new(&[
            Column {
                name: "line",
                unit: Unit::None,
            },
            Column {
                name: "kernel time",
                unit: Unit::Nanos,
            },
            Column {
                name: "share",
                unit: Unit::Share,
            },
        ]);
        table.push(vec![
            Cell::Text("a, \"b\".rs:1".into()),
            Cell::Integer(1_234_567),
            Cell::Real(0.75),
        ]);
        table.push(vec![
            Cell::Text("c.rs:2".into()),
            Cell::Null,
            Cell::Real(0.25),
        ]);
        table
    }

    #[test]
    fn programs_get_plain_numbers_and_quoted_texts() {
        let csv = sample().render(Format::Csv);
        assert_eq!(
            csv,
            "line,kernel_time_ns,share\n\"a, \"\"b\"\".rs:1\",1234567,0.75\nc.rs:2,,0.25\n"
        );
        let json: serde_json::Value = serde_json::from_str(&sample().render(Format::Json)).unwrap();
        assert_eq!(json[0]["kernel_time_ns"], 1_234_567);
        assert_eq!(json[1]["kernel_time_ns"], serde_json::Value::Null);
    }

    #[test]
    fn rows_are_sorted_by_any_column_in_either_spelling() {
        let mut table = sample();
        assert_eq!(table.column("kernel time"), Some(1));
        assert_eq!(table.column("kernel_time"), Some(1));
        assert_eq!(table.column("kernel_time_ns"), Some(1));
        assert_eq!(table.column("time"), None);
        table.push(vec![
            Cell::Text("b.rs:9".into()),
            Cell::Integer(2_000_000),
            Cell::Real(0.5),
        ]);
        let firsts = |table: &Table| -> Vec<char> {
            let rows = table.rows().iter();
            rows.map(|row| match &row[0] {
                Cell::Text(text) => text.chars().next().unwrap(),
                _ => '?',
            })
            .collect()
        };
        table.sort_by(1);
        assert_eq!(firsts(&table), ['b', 'a', 'c']);
        table.sort_by(0);
        assert_eq!(firsts(&table), ['a', 'b', 'c']);
        table.sort_by(2);
        assert_eq!(firsts(&table), ['a', 'b', 'c']);
        assert_eq!(table.truncate(2), 1);
        assert_eq!(table.truncate(5), 0);
        assert_eq!(firsts(&table), ['a', 'b']);
    }

    #[test]
    fn people_get_units() {
        let text = sample().render(Format::Table);
        assert!(
            text.contains("1.235 ms") && text.contains("75.0 %"),
            "{text}"
        );
        assert_eq!(human(&Cell::Integer(999), Unit::Nanos), "999 ns");
        assert_eq!(shortened(&"x".repeat(1_000)).chars().count(), WIDEST + 1);
        assert_eq!(human(&Cell::Integer(3 << 20), Unit::Bytes), "3.000 MiB");
    }
}
