//! Small tables for people (aligned, with units) and for programs (CSV and JSON, times in ns).

use comfy_table::{CellAlignment, ContentArrangement};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

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
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// An empty table.
    pub fn new(columns: &[Column<'_>]) -> Self {
        let columns = columns
            .iter()
            .map(|column| (column.name.to_owned(), column.unit));
        Table {
            columns: columns.collect(),
            rows: Vec::new(),
        }
    }

    /// Appends a row, which has a cell for each column.
    pub fn push(&mut self, row: Vec<Cell>) {
        debug_assert_eq!(row.len(), self.columns.len());
        self.rows.push(row);
    }

    /// The rows.
    pub fn rows(&self) -> &[Vec<Cell>] {
        &self.rows
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

    /// The table as text, with a line break at the end.
    pub fn render(&self, format: Format) -> String {
        match format {
            Format::Table => self.people(),
            Format::Csv => self.csv(),
            Format::Json => self.json(),
        }
    }

    fn people(&self) -> String {
        let mut table = comfy_table::Table::new();
        table.load_style(comfy_table::presets::ASCII_MARKDOWN);
        table.set_content_arrangement(ContentArrangement::Disabled);
        table.set_header(self.columns.iter().map(|(name, _)| name));
        for row in &self.rows {
            let cells = row.iter().zip(&self.columns);
            table.add_row(cells.map(|(cell, (_, unit))| human(cell, *unit)));
        }
        for (index, (_, unit)) in self.columns.iter().enumerate() {
            let number = |row: &Vec<Cell>| !matches!(row.get(index), Some(Cell::Text(_)));
            let numbers = *unit != Unit::None || self.rows.iter().all(number);
            if let Some(column) = table.column_mut(index).filter(|_| numbers) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        format!("{table}\n")
    }

    fn csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        // A Vec takes every write, and all rows have one length.
        let _ = writer.write_record(self.names());
        for row in &self.rows {
            let _ = writer.write_record(row.iter().map(|cell| match cell {
                Cell::Null => String::new(),
                Cell::Text(text) => text.clone(),
                Cell::Integer(number) => number.to_string(),
                Cell::Real(number) => number.to_string(),
            }));
        }
        let bytes = writer.into_inner().unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn json(&self) -> String {
        // A String takes every write, and no key is anything but text.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

/// A list of objects, whose keys stand in the order of the columns.
impl Serialize for Table {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let names = self.names();
        let mut list = serializer.serialize_seq(Some(self.rows.len()))?;
        for row in &self.rows {
            list.serialize_element(&Object(&names, row))?;
        }
        list.end()
    }
}

struct Object<'a>(&'a [String], &'a [Cell]);

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(Some(self.1.len()))?;
        for (name, cell) in self.0.iter().zip(self.1) {
            match cell {
                Cell::Null => object.serialize_entry(name, &None::<u8>)?,
                Cell::Text(text) => object.serialize_entry(name, text)?,
                Cell::Integer(number) => object.serialize_entry(name, number)?,
                Cell::Real(number) => object.serialize_entry(name, number)?,
            }
        }
        object.end()
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
