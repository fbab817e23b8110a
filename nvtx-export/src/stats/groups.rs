//! Values added up by a key.

use crate::joined::Joined;
use crate::output::table::{Cell, Column, Table, Unit};
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// What is known of the values of one key.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    pub(super) count: u64,
    pub(super) total: i128,
    squares: f64,
    pub(super) mean: f64,
    pub(super) least: Option<i64>,
    pub(super) greatest: i64,
    /// Time of kernels.
    pub(super) kernel_time: f64,
    /// Of the kernels' time, what lies within the values: no more than each value.
    covered: f64,
    /// Bytes moved.
    pub(super) bytes: u64,
}

impl Sum {
    /// Adds a value (Welford's way, so that the deviation of long times keeps its digits).
    pub(super) fn add(&mut self, value: i64) {
        self.count += 1;
        self.total += i128::from(value);
        let off = value as f64 - self.mean;
        self.mean += off / self.count as f64;
        self.squares += off * (value as f64 - self.mean);
        self.greatest = self.least.map_or(value, |_| self.greatest.max(value));
        self.least = Some(self.least.map_or(value, |least| least.min(value)));
    }

    /// Adds a time, and that of the kernels in it. The work of a GPU may outlast the task that launched it.
    pub(super) fn add_work(&mut self, time: i64, kernel_time: f64) {
        self.add(time);
        self.kernel_time += kernel_time;
        self.covered += kernel_time.min(time as f64);
    }

    /// The kernels' time within the values; where it was not added value by value, no more than their total.
    fn covered(&self) -> f64 {
        if self.covered > 0.0 {
            self.covered
        } else {
            self.kernel_time.min(self.total as f64)
        }
    }

    pub(super) fn deviation(&self) -> f64 {
        if self.count < 2 {
            return 0.0;
        }
        (self.squares / (self.count - 1) as f64).sqrt()
    }
}

/// What a table says about the kernels of its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KernelTime {
    /// Nothing: kernels do not belong to the rows.
    NotShown,
    /// Their time, and the overhead.
    Known,
    /// Empty cells: no kernel was recorded, so that their time is not known.
    Unknown,
}

impl KernelTime {
    pub(super) fn of(joined: &Joined) -> Self {
        let device = || joined.tasks.iter().any(|task| task.device.is_some());
        if joined.kernels.is_empty() && !device() {
            KernelTime::Unknown
        } else {
            KernelTime::Known
        }
    }
}

/// Sums by key.
pub(super) struct Groups<K> {
    sums: FxHashMap<K, Sum>,
    bytes: bool,
    more: Vec<(&'static str, Unit)>,
}

impl<K: Hash + Eq + Copy> Groups<K> {
    pub(super) fn new() -> Self {
        Groups {
            sums: FxHashMap::default(),
            bytes: false,
            more: Vec::new(),
        }
    }

    /// Has the table show the bytes moved.
    pub(super) fn with_bytes(mut self) -> Self {
        self.bytes = true;
        self
    }

    /// Has the table end with these columns, whose cells come last among the labels of a key.
    pub(super) fn with_columns(mut self, columns: &[(&'static str, Unit)]) -> Self {
        self.more = columns.to_vec();
        self
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sums.is_empty()
    }

    /// The sum of a key, which may be new.
    pub(super) fn of(&mut self, key: K) -> &mut Sum {
        self.sums.entry(key).or_default()
    }

    /// The table, greatest total first; `labels` gives a key's texts.
    pub(super) fn table(
        &self,
        names: &[&str],
        unit: Unit,
        shown: KernelTime,
        labels: impl Fn(K) -> Vec<Cell>,
    ) -> Table {
        let plain = |name| Column {
            name,
            unit: Unit::None,
        };
        let value = |name| Column { name, unit };
        let mut columns: Vec<Column<'_>> = names.iter().map(|name| plain(name)).collect();
        columns.push(plain("count"));
        columns.extend(["total", "mean", "std", "min", "max"].map(value));
        columns.push(Column {
            name: "share",
            unit: Unit::Share,
        });
        if shown != KernelTime::NotShown {
            columns.extend(["kernel time", "overhead"].map(value));
        }
        if self.bytes {
            columns.push(Column {
                name: "moved",
                unit: Unit::Bytes,
            });
        }
        let more = self.more.iter();
        columns.extend(more.map(|(name, unit)| Column { name, unit: *unit }));
        let mut table = Table::new(&columns);
        let whole: i128 = self.sums.values().map(|sum| sum.total).sum();
        let mut rows: Vec<(Vec<Cell>, &Sum)> = self
            .sums
            .iter()
            .map(|(key, sum)| (labels(*key), sum))
            .collect();
        rows.sort_by(|a, b| {
            let by_cost = b.1.total.cmp(&a.1.total);
            let by_kernels = b.1.kernel_time.total_cmp(&a.1.kernel_time);
            by_cost
                .then(by_kernels)
                .then_with(|| text(&a.0).cmp(&text(&b.0)))
        });
        for (mut row, sum) in rows {
            let more = row.split_off(names.len());
            let total = i64::try_from(sum.total).unwrap_or(i64::MAX);
            let kernel_time = sum.kernel_time.round() as i64;
            row.extend([
                Cell::Integer(sum.count.cast_signed()),
                Cell::Integer(total),
                Cell::Real((sum.mean * 10.0).round() / 10.0),
                Cell::Real((sum.deviation() * 10.0).round() / 10.0),
                Cell::Integer(sum.least.unwrap_or(0)),
                Cell::Integer(sum.greatest),
                Cell::Real(if whole == 0 {
                    0.0
                } else {
                    sum.total as f64 / whole as f64
                }),
            ]);
            if shown == KernelTime::Unknown {
                row.extend([Cell::Null, Cell::Null]);
            } else if shown == KernelTime::Known {
                let overhead = total.saturating_sub(sum.covered().round() as i64);
                row.extend([Cell::Integer(kernel_time), Cell::Integer(overhead)]);
            }
            if self.bytes {
                row.push(Cell::Integer(i64::try_from(sum.bytes).unwrap_or(i64::MAX)));
            }
            row.extend(more);
            table.push(row);
        }
        table
    }
}

fn text(cells: &[Cell]) -> Vec<String> {
    let text = |cell: &Cell| match cell {
        Cell::Text(text) => text.clone(),
        Cell::Integer(number) => format!("{number:020}"),
        Cell::Real(_) | Cell::Null => String::new(),
    };
    cells.iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_deviation_and_extremes_are_those_of_the_values() {
        let mut sum = Sum::default();
        for value in [2, 4, 4, 4, 5, 5, 7, 9] {
            sum.add(value + 1_000_000_000_000);
        }
        assert_eq!(
            (sum.count, sum.least, sum.greatest - 1_000_000_000_000),
            (8, Some(1_000_000_000_002), 9)
        );
        assert!((sum.mean - 1_000_000_000_005.0).abs() < 1e-3);
        assert!(
            (sum.deviation() - (32.0_f64 / 7.0).sqrt()).abs() < 1e-3,
            "{}",
            sum.deviation()
        );
    }
}
