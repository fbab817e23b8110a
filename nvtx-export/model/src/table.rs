//! Small tables for people (aligned, with units) and for programs (CSV and JSON, times in ns).

mod people;
mod rows;
mod write;

pub use people::{Shown, human};

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
    /// GB a second; for programs the column's name is `gb_per_s`.
    Rate,
    /// Floating-point operations; for programs the column's name is `flop`.
    Flop,
    /// 10^9 of these a second; for programs the column's name is `gflop_per_s`.
    FlopRate,
    /// Of these for each byte; for programs the column's name is `flop_per_byte`.
    Intensity,
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
    least_first: Vec<&'static str>,
    /// Whether the last columns may be left out where there is no room.
    leaves_out_last: bool,
    /// Columns that people do not see where all their cells are empty.
    without_empty: Vec<&'static str>,
    marks: Option<Marks>,
    /// Columns that are measured also in rows with estimated figures.
    measured: &'static [&'static str],
}

/// Which rows have estimated figures.
#[derive(Clone, Debug, PartialEq)]
struct Marks {
    /// The column that says so.
    column: usize,
    /// Columns of single values, as opposed to their totals.
    values: &'static [&'static str],
    /// What to tell people about them.
    meaning: String,
    /// Who sees the column itself.
    seen_by: SeenBy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SeenBy {
    Programs,
    /// It was asked for.
    All,
    /// Others were asked for. It is the last column then.
    Nobody,
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
            least_first: Vec::new(),
            leaves_out_last: false,
            without_empty: Vec::new(),
            marks: None,
            measured: &[],
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

    /// Names the columns that may be left out where they have no room, the least important first.
    pub fn with_least_first(mut self, names: &[&'static str]) -> Self {
        self.least_first = names.to_vec();
        self
    }

    /// Lets the last columns be left out where they have no room; the first stays.
    pub fn leaving_out_last(mut self) -> Self {
        self.leaves_out_last = true;
        self
    }

    /// Names columns that people do not see where none of their cells holds anything.
    pub fn without_empty(mut self, names: &[&'static str]) -> Self {
        self.without_empty = names.to_vec();
        self
    }

    /// Marks rows by `column`, which says how much of the total is estimated: people see a `~` before all times and shares where
    /// that is more than 0, before those of the columns `values` where it is 0, since the total is then known and single values
    /// are not, and nothing where it is empty; and below the table `meaning`. Programs see the column instead.
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

    /// Leaves the mark out before the figures of these columns.
    pub fn with_measured(mut self, columns: &'static [&'static str]) -> Self {
        self.measured = columns;
        self
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
            Unit::Rate => "gb_per_s".to_owned(),
            Unit::Flop => "flop".to_owned(),
            Unit::FlopRate => "gflop_per_s".to_owned(),
            Unit::Intensity => "flop_per_byte".to_owned(),
            Unit::None | Unit::Share => name.replace(' ', "_"),
        };
        self.seen().iter().map(name).collect()
    }

    /// The columns, without one that nobody sees.
    fn seen(&self) -> &[(String, Unit)] {
        let marks = self.marks.as_ref();
        let hidden = marks.is_some_and(|marks| marks.seen_by == SeenBy::Nobody);
        let seen = self.columns.len() - usize::from(hidden);
        self.columns.get(..seen).unwrap_or(&self.columns)
    }

    /// The names of the columns, for people.
    pub fn columns(&self) -> impl Iterator<Item = Column<'_>> {
        let columns = self.seen().iter();
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

    /// Keeps these columns, in this order. None of them is left out where they have no room.
    ///
    /// # Errors
    /// The first name that is no column's.
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
            Format::Table => to.write_all(self.show(None).text.as_bytes()),
            Format::Csv => write::csv(self, to),
            Format::Json => write::json(self, to),
        }
    }

    /// The table for people in at most `width` columns of a terminal, if that is possible: what is least important is left out,
    /// and texts are shortened. `None` for all of it.
    pub fn show(&self, width: Option<usize>) -> Shown {
        people::show(self, width)
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
    }
}
