//! Comparison of two runs: the rows of both tables of costs side by side.

use super::By;
use super::groups::{ESTIMATED, MEANING};
use rustc_hash::FxHashMap;
use weft_model::table::{Cell, Column, Table, Unit};

/// Returns the rows of both tables by key, greatest change of the total first.
///
/// The key is the grouping of the table. A line whose number changed is another key. A row that
/// only one run has is kept, with empty cells on the other side. The ratio is after / before.
pub fn table(before: &Table, after: &Table, by: By) -> Table {
    let layout = Layout::new(before, by);
    let mut table = Table::new(&layout.columns(before)).with_least_first(&LEAST_FIRST);
    if layout.estimated.is_some() {
        table = table.with_marks(ESTIMATED, &[], MEANING);
    }
    let mut rows: Vec<Row> = Vec::new();
    let mut known: FxHashMap<Vec<String>, usize> = FxHashMap::default();
    for (side, run) in [before, after].into_iter().enumerate() {
        // The columns of both are at the same positions, unless one table has no rows.
        let layout = Layout::new(run, by);
        for cells in run.rows() {
            let key = layout.key(cells);
            let row = *known.entry(key).or_insert_with(|| {
                rows.push(Row::default());
                rows.len() - 1
            });
            if let Some(row) = rows.get_mut(row) {
                row.add(side, &layout, cells);
            }
        }
    }
    rows.sort_by(|a, b| {
        let change = |row: &Row| row.difference().unsigned_abs();
        let size = |row: &Row| row.total().into_iter().flatten().max();
        change(b).cmp(&change(a)).then(size(b).cmp(&size(a)))
    });
    for row in rows {
        table.push(row.cells(&layout));
    }
    table
}

/// Columns that a narrow terminal may leave out, the least important first.
const LEAST_FIRST: [&str; 7] = [
    "count before",
    "count after",
    "kernel time before",
    "kernel time after",
    "rank",
    "ratio",
    "operations",
];

/// The positions of columns in a table of costs.
pub(super) struct Layout {
    /// The number of columns of the key. Those between them and the count only describe the row.
    keys: usize,
    count: usize,
    total: usize,
    kernels: Option<usize>,
    estimated: Option<usize>,
}

impl Layout {
    pub(super) fn new(table: &Table, by: By) -> Self {
        let count = table.column("count").unwrap_or(0);
        Layout {
            keys: if by == By::Line { 1 } else { count },
            count,
            total: table.column("total").unwrap_or(count + 1),
            kernels: table.column("kernel time"),
            estimated: table.column(ESTIMATED),
        }
    }

    fn columns<'a>(&self, table: &'a Table) -> Vec<Column<'a>> {
        let own: Vec<Column<'a>> = table.columns().collect();
        let unit = self.unit(table);
        let plain = |name| Column {
            name,
            unit: Unit::None,
        };
        let value = |name| Column { name, unit };
        let mut columns: Vec<Column<'a>> = own.into_iter().take(self.count).collect();
        columns.extend(["count before", "count after"].map(plain));
        columns.extend(["total before", "total after", "difference"].map(value));
        columns.push(plain("ratio"));
        if self.kernels.is_some() {
            columns.extend(["kernel time before", "kernel time after"].map(value));
        }
        if self.estimated.is_some() {
            columns.push(value(ESTIMATED));
        }
        columns
    }

    /// Returns the columns that name and describe a row.
    pub(super) fn described<'a>(&self, table: &'a Table) -> Vec<Column<'a>> {
        table.columns().take(self.count).collect()
    }

    /// Returns the unit of the total.
    pub(super) fn unit(&self, table: &Table) -> Unit {
        table
            .columns()
            .nth(self.total)
            .map_or(Unit::None, |total| total.unit)
    }

    /// Returns the cells that name and describe a row.
    pub(super) fn labels(&self, cells: &[Cell]) -> Vec<Cell> {
        cells.iter().take(self.count).cloned().collect()
    }

    /// Returns the total of a row.
    pub(super) fn total_of(&self, cells: &[Cell]) -> i64 {
        match cells.get(self.total) {
            Some(Cell::Integer(number)) => *number,
            _ => 0,
        }
    }

    pub(super) fn key(&self, cells: &[Cell]) -> Vec<String> {
        let text = |cell: &Cell| match cell {
            Cell::Text(text) => text.clone(),
            Cell::Integer(number) => number.to_string(),
            Cell::Real(number) => number.to_string(),
            Cell::Null => String::new(),
        };
        cells.iter().take(self.keys).map(text).collect()
    }
}

/// The values of one key in both runs.
#[derive(Default)]
struct Row {
    labels: Vec<Cell>,
    /// Count, total and kernel time, before and after.
    sides: [Option<[i64; 3]>; 2],
    /// The estimated part of both totals, as in the tables of costs.
    estimated: Option<i64>,
}

impl Row {
    /// Adds a row of one side. There are several with one key if the inputs cannot be
    /// distinguished.
    fn add(&mut self, side: usize, layout: &Layout, cells: &[Cell]) {
        self.labels = layout.labels(cells);
        let number = |column: usize| match cells.get(column) {
            Some(Cell::Integer(number)) => *number,
            _ => 0,
        };
        let kernels = layout.kernels.map_or(0, number);
        if let Some(sums) = self.sides.get_mut(side) {
            let sums = sums.get_or_insert_default();
            let more = [number(layout.count), number(layout.total), kernels];
            for (sum, more) in sums.iter_mut().zip(more) {
                *sum = sum.saturating_add(more);
            }
        }
        let estimated = layout.estimated.and_then(|column| cells.get(column));
        if let Some(Cell::Integer(more)) = estimated {
            self.estimated = Some(self.estimated.unwrap_or(0).saturating_add(*more));
        }
    }

    fn column(&self, which: usize) -> [Option<i64>; 2] {
        self.sides
            .map(|side| side.and_then(|sums| sums.get(which).copied()))
    }

    fn total(&self) -> [Option<i64>; 2] {
        self.column(1)
    }

    fn difference(&self) -> i64 {
        let [before, after] = self.total().map(|total| total.unwrap_or(0));
        after.saturating_sub(before)
    }

    fn cells(self, layout: &Layout) -> Vec<Cell> {
        let integer = |number: Option<i64>| number.map_or(Cell::Null, Cell::Integer);
        let ratio = match self.total() {
            [Some(before), Some(after)] if before != 0 => Cell::Real(after as f64 / before as f64),
            _ => Cell::Null,
        };
        let difference = self.difference();
        let (counts, totals, kernels) = (self.column(0), self.total(), self.column(2));
        let mut cells = self.labels;
        cells.extend(counts.map(integer));
        cells.extend(totals.map(integer));
        cells.extend([Cell::Integer(difference), ratio]);
        if layout.kernels.is_some() {
            cells.extend(kernels.map(integer));
        }
        if layout.estimated.is_some() {
            cells.push(integer(self.estimated));
        }
        cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weft_model::table::Format;

    fn costs(rows: &[(&str, &str, i64, i64, i64)]) -> Table {
        let plain = |name| Column {
            name,
            unit: Unit::None,
        };
        let time = |name| Column {
            name,
            unit: Unit::Nanos,
        };
        let mut table = Table::new(&[
            plain("line"),
            plain("operations"),
            plain("count"),
            time("total"),
            time("kernel time"),
        ]);
        for (line, operations, count, total, kernels) in rows {
            table.push(vec![
                Cell::Text((*line).to_owned()),
                Cell::Text((*operations).to_owned()),
                Cell::Integer(*count),
                Cell::Integer(*total),
                Cell::Integer(*kernels),
            ]);
        }
        table
    }

    #[test]
    fn matches_rows_by_key_without_losses() {
        let before = costs(&[
            ("a.rs:1", "add", 2, 100, 90),
            ("a.rs:2", "mul", 1, 50, 40),
            ("gone.rs:3", "sub", 1, 7, 7),
        ]);
        let after = costs(&[
            ("a.rs:2", "div, mul", 3, 350, 300),
            ("new.rs:4", "exp", 1, 20, 10),
            ("a.rs:1", "add", 2, 100, 80),
        ]);
        insta::assert_snapshot!(table(&before, &after, By::Line).render(Format::Csv), @r#"
        line,operations,count_before,count_after,total_before_ns,total_after_ns,difference_ns,ratio,kernel_time_before_ns,kernel_time_after_ns
        a.rs:2,"div, mul",1,3,50,350,300,7,40,300
        new.rs:4,exp,,1,,20,20,,,10
        gone.rs:3,sub,1,,7,,-7,,7,
        a.rs:1,add,2,2,100,100,0,1,90,80
        "#);
        // Except by line, all texts are the key.
        let rows = table(&before, &after, By::Kernel);
        assert_eq!(rows.rows().len(), 5);
    }

    #[test]
    fn run_compared_with_itself_has_no_differences() {
        let run = costs(&[("a.rs:1", "add", 2, 100, 90), ("", "", 0, 0, 5)]);
        let rows = table(&run, &run, By::Line);
        let difference = rows.column("difference").unwrap();
        assert!(
            rows.rows()
                .iter()
                .all(|row| row[difference] == Cell::Integer(0))
        );
    }
}
