//! Small tables for people (aligned, with units) and for programs (CSV and JSON, times in ns).

mod people;
mod rows;
mod write;

pub use people::{FittedTable, human};

use rows::Rows;
use std::cmp::Ordering;
use std::io;

/// The format in which a table is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people: aligned, with units.
    Table,
    /// For programs: a header and rows.
    Csv,
    /// For programs: a list of objects.
    Json,
}

/// The unit of a column's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// No unit: texts or plain numbers.
    None,
    /// Nanoseconds. For programs, the column's name ends in `_ns`.
    Nanos,
    /// Bytes. For programs, the column's name ends in `_bytes`.
    Bytes,
    /// Fractions of one, shown to people as percentages.
    Share,
    /// GB per second. For programs, the column's name is `gb_per_s`.
    Rate,
    /// Floating-point operations. For programs, the column's name is `flop`.
    Flop,
    /// 10^9 floating-point operations per second. For programs, the column's name is `gflop_per_s`.
    FlopRate,
    /// Floating-point operations per byte. For programs, the column's name is `flop_per_byte`.
    Intensity,
}

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column<'a> {
    /// The name in tables for people.
    pub name: &'a str,
    /// The unit of its numbers.
    pub unit: Unit,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// An empty cell.
    Null,
    /// A text.
    Text(String),
    /// An integer.
    Integer(i64),
    /// A floating-point number.
    Real(f64),
}

/// Columns and rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    columns: Vec<(String, Unit)>,
    rows: Rows,
    least_first: Vec<&'static str>,
    /// Whether the last columns may be left out if the terminal is too narrow.
    leaves_out_last: bool,
    /// Columns that are shown only if at least one of their cells is not empty.
    without_empty: Vec<&'static str>,
    marks: Option<Marks>,
    /// Columns whose values are measured even in rows with estimated figures.
    measured: &'static [&'static str],
}

/// The mark of rows with estimated figures.
#[derive(Clone, Debug, PartialEq)]
struct Marks {
    /// The column with the estimated part of each row.
    column: usize,
    /// Columns of single values, as opposed to totals.
    values: &'static [&'static str],
    /// An explanation of the marks, shown below the table.
    meaning: String,
    /// The readers who see the column itself.
    seen_by: SeenBy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SeenBy {
    Programs,
    /// The user selected the column.
    All,
    /// The user selected other columns. The column is then the last one.
    Nobody,
}

impl Table {
    /// Creates an empty table.
    pub fn new(columns: &[Column<'_>]) -> Self {
        let columns = columns
            .iter()
            .map(|column| (column.name.to_owned(), column.unit));
        Table {
            columns: columns.collect(),
            rows: Rows::Stored(Vec::new()),
            least_first: Vec::new(),
            leaves_out_last: false,
            without_empty: Vec::new(),
            marks: None,
            measured: &[],
        }
    }

    /// Creates a table of `count` rows. `row` makes a row from its index whenever it is needed.
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

    /// Names the columns that may be left out if the terminal is too narrow, the least important
    /// first.
    pub fn with_least_first(mut self, names: &[&'static str]) -> Self {
        self.least_first = names.to_vec();
        self
    }

    /// Allows the last columns to be left out if the terminal is too narrow. The first column
    /// always stays.
    pub fn leaving_out_last(mut self) -> Self {
        self.leaves_out_last = true;
        self
    }

    /// Names columns that are shown only if at least one of their cells is not empty.
    pub fn without_empty(mut self, names: &[&'static str]) -> Self {
        self.without_empty = names.to_vec();
        self
    }

    /// Marks rows with estimated figures. `column` holds the estimated part of each row's total.
    ///
    /// People see a `~` before estimated figures, and `meaning` below the table:
    /// - Part above 0: before all times and shares.
    /// - Part of 0: before the columns `values` only. The total is then known, but single values
    ///   are not.
    /// - Empty: no mark.
    ///
    /// Programs see the column instead.
    pub fn with_marks(
        mut self,
        column: &str,
        values: &'static [&'static str],
        meaning: &str,
    ) -> Self {
        self.marks = self.column(column).map(|column| Marks {
            column,
            values,
            meaning: meaning.to_owned(),
            seen_by: SeenBy::Programs,
        });
        self
    }

    /// Exempts these columns from the marks.
    pub fn with_measured(mut self, columns: &'static [&'static str]) -> Self {
        self.measured = columns;
        self
    }

    /// Appends a row with one cell per column.
    pub fn push(&mut self, row: Vec<Cell>) {
        debug_assert_eq!(row.len(), self.columns.len());
        match &mut self.rows {
            Rows::Stored(rows) => rows.push(row),
            rows => rows.change(|rows| rows.push(row)),
        }
    }

    /// Returns all rows.
    pub fn rows(&self) -> &[Vec<Cell>] {
        self.rows.all()
    }

    /// Returns whether the table has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.len() == 0
    }

    /// Returns the names of the columns for programs.
    pub fn names(&self) -> Vec<String> {
        let name = |(name, unit): &(String, Unit)| match unit {
            Unit::Nanos => format!("{}_ns", name.replace(' ', "_")),
            Unit::Bytes => format!("{}_bytes", name.replace(' ', "_")),
            Unit::Rate => "gb_per_s".to_owned(),
            Unit::Flop => "flop".to_owned(),
            Unit::FlopRate => "gflop_per_s".to_owned(),
            Unit::Intensity => "flop_per_byte".to_owned(),
            Unit::None | Unit::Share => name.replace(' ', "_"),
        };
        self.visible_columns().iter().map(name).collect()
    }

    /// Returns the columns without a hidden last one.
    fn visible_columns(&self) -> &[(String, Unit)] {
        let marks = self.marks.as_ref();
        let hidden = marks.is_some_and(|marks| marks.seen_by == SeenBy::Nobody);
        let seen = self.columns.len() - usize::from(hidden);
        self.columns.get(..seen).unwrap_or(&self.columns)
    }

    /// Returns the columns of tables for people.
    pub fn columns(&self) -> impl Iterator<Item = Column<'_>> {
        let columns = self.visible_columns().iter();
        columns.map(|(name, unit)| Column { name, unit: *unit })
    }

    /// Returns the index of the column with this name, in either spelling.
    pub fn column(&self, name: &str) -> Option<usize> {
        let for_people = self.columns.iter().position(|(known, _)| known == name);
        let plain = |(known, _): &(String, Unit)| known.replace(' ', "_") == name;
        for_people
            .or_else(|| self.columns.iter().position(plain))
            .or_else(|| self.names().iter().position(|known| known == name))
    }

    /// Keeps these columns, in this order. All of them are shown, however narrow the terminal.
    ///
    /// # Errors
    /// Returns the first name that matches no column.
    pub fn select<'n>(&mut self, names: &[&'n str]) -> Result<(), &'n str> {
        let columns = names.iter().map(|name| self.column(name).ok_or(*name));
        let mut columns: Vec<usize> = columns.collect::<Result<_, _>>()?;
        let marks = self.marks.as_ref().map(|marks| marks.column);
        let position = columns.iter().position(|column| Some(*column) == marks);
        if let Some(marks) = &mut self.marks {
            marks.seen_by = position.map_or(SeenBy::Nobody, |_| SeenBy::All);
            marks.column = position.unwrap_or(columns.len());
        }
        columns.extend(marks.filter(|_| position.is_none()));
        self.columns = (columns.iter())
            .filter_map(|column| self.columns.get(*column).cloned())
            .collect();
        self.rows.select(columns);
        self.least_first.clear();
        self.leaves_out_last = false;
        self.without_empty.clear();
        Ok(())
    }

    /// Sorts by a column: numbers in descending order, then texts in ascending order. The sort is
    /// stable.
    pub fn sort_by(&mut self, column: usize) {
        let cells = |row: &[Cell]| row.get(column).cloned().unwrap_or(Cell::Null);
        self.rows
            .change(|rows| rows.sort_by(|a, b| order(&cells(a), &cells(b))));
    }

    /// Keeps the first `rows` rows, and returns the number of rows removed.
    pub fn truncate(&mut self, rows: usize) -> usize {
        let gone = self.rows.len().saturating_sub(rows);
        self.rows.truncate(rows);
        gone
    }

    /// Returns the table as text that ends in a line break.
    pub fn render(&self, format: Format) -> String {
        let mut bytes = Vec::new();
        // Writing to a `Vec` never fails.
        let _ = self.write(format, &mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Writes the table as text that ends in a line break.
    ///
    /// # Errors
    /// Returns any error of `to`.
    pub fn write(&self, format: Format, to: &mut dyn io::Write) -> io::Result<()> {
        match format {
            Format::Table => to.write_all(self.show(None).text.as_bytes()),
            Format::Csv => write::csv(self, to),
            Format::Json => write::json(self, to),
        }
    }

    /// Formats the table for people, in at most `width` columns of a terminal if possible. The
    /// least important columns are left out first, then texts are shortened. Without a width,
    /// everything is shown.
    pub fn show(&self, width: Option<usize>) -> FittedTable {
        people::show(self, width)
    }
}

/// Orders numbers descending, then texts ascending, then empty cells.
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
    fn csv_has_plain_numbers_and_quoted_texts() {
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
    fn sorts_rows_by_any_column_spelling() {
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
    fn formats_units_for_people() {
        let text = sample().render(Format::Table);
        assert!(
            text.contains("1.235 ms") && text.contains("75.0 %"),
            "{text}"
        );
    }
}
