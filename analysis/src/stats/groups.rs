//! Values added up by a key.

use super::cost::Times;
use super::flow::Flow;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use weft_model::Trace;
use weft_model::table::{Cell, Column, Table, Unit};

/// What is known of the values of one key.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    values: Vec<i64>,
    pub(super) total: i128,
    squares: f64,
    mean: f64,
    /// Time of kernels.
    pub(super) kernel_time: f64,
    /// Of the kernels' time, what lies within the values: no more than each value.
    covered: f64,
    /// Bytes moved.
    pub(super) bytes: u64,
    /// What its kernels read and write, or its copies move.
    pub(super) flow: Flow,
    /// How much of the total is estimated; `None` if every value was measured.
    estimated: Option<i64>,
    /// How much of the total is that of copies and fills; `None` if it has none.
    copies: Option<i64>,
    /// How much of the total counts for other rows or values too.
    nested: i128,
    /// Number of records without a known duration, which are no values.
    untimed: u64,
    /// Time of the issue of work whose device time is in the total; `None` if there is none.
    issue: Option<i64>,
    /// Time in which kernels were compiled and loaded; `None` if none were.
    compile: Option<i64>,
}

impl Sum {
    /// Adds a value (Welford's way, so that the deviation of long times keeps its digits).
    pub(super) fn add(&mut self, value: i64) {
        self.values.push(value);
        self.total += i128::from(value);
        let off = value as f64 - self.mean;
        self.mean += off / self.values.len() as f64;
        self.squares += off * (value as f64 - self.mean);
    }

    /// Adds a time, and that of the kernels in it. The work of a GPU may outlast the task that launched it.
    pub(super) fn add_work(&mut self, time: i64, kernel_time: f64) {
        self.add(time);
        self.kernel_time += kernel_time;
        self.covered += kernel_time.min(time as f64);
    }

    /// Adds the time of a task, or of a copy or fill.
    pub(super) fn add_times(&mut self, times: &Times, is_copy: bool) {
        self.add_issue(times.issue);
        self.untimed += times.unknown;
        if times.is_unknown() {
            return;
        }
        self.add_work(times.own, times.kernels);
        self.nest(times.nested);
        if is_copy {
            self.add_copies(times.own);
        }
    }

    /// Counts a record without a known duration.
    pub(super) fn add_untimed(&mut self) {
        self.untimed += 1;
    }

    /// Adds the values of another sum.
    pub(super) fn merge(&mut self, other: &Sum) {
        for value in &other.values {
            self.add(*value);
        }
    }

    /// Says that so much of the total is that of copies and fills.
    pub(super) fn add_copies(&mut self, of_total: i64) {
        let known = self.copies.get_or_insert(0);
        *known = known.saturating_add(of_total);
    }

    /// Adds the time of the issue of work on a device.
    pub(super) fn add_issue(&mut self, time: Option<i64>) {
        if let Some(time) = time {
            self.issue = Some(self.issue.unwrap_or(0).saturating_add(time));
        }
    }

    /// Adds the time of a compilation, which is in no total.
    pub(super) fn add_compile(&mut self, time: i64) {
        self.compile = Some(self.compile.unwrap_or(0).saturating_add(time));
    }

    /// Says that so much of the total counts elsewhere too.
    pub(super) fn nest(&mut self, of_total: i64) {
        self.nested += i128::from(of_total);
    }

    /// Returns the total less what counts elsewhere.
    fn once(&self) -> i128 {
        self.total - self.nested
    }

    /// Says that some values are parts of a time that was divided by estimate, and so is this much of the total.
    pub(super) fn estimate(&mut self, of_total: i64) {
        let known = self.estimated.get_or_insert(0);
        *known = known.saturating_add(of_total);
    }

    pub(super) fn count(&self) -> usize {
        self.values.len()
    }

    /// Returns the kernels' time within the values; where it was not added value by value, no more
    /// than their total.
    fn covered(&self) -> f64 {
        if self.covered > 0.0 {
            self.covered
        } else {
            self.kernel_time.min(self.total as f64)
        }
    }

    fn deviation(&self) -> f64 {
        match self.values.len() {
            0 | 1 => 0.0,
            count => (self.squares / (count - 1) as f64).sqrt(),
        }
    }

    /// Returns the cells of [`VALUES`], and the share of `whole`.
    pub(super) fn cells(&mut self, whole: i128) -> Vec<Cell> {
        self.values.sort_unstable();
        let tenths = |number: Option<f64>| {
            number.map_or(Cell::Null, |number| {
                Cell::Real((number * 10.0).round() / 10.0)
            })
        };
        let known = |value: Option<&i64>| value.map_or(Cell::Null, |value| Cell::Integer(*value));
        let some = |number: f64| Some(number).filter(|_| !self.values.is_empty());
        let share = match whole {
            0 => 0.0,
            whole => self.once() as f64 / whole as f64,
        };
        let is_unknown = self.values.is_empty() && self.untimed > 0;
        let total = Cell::Integer(i64::try_from(self.total).unwrap_or(i64::MAX));
        vec![
            Cell::Integer(self.values.len() as i64),
            if is_unknown { Cell::Null } else { total },
            tenths(some(self.mean)),
            tenths(some(self.deviation())),
            known(self.values.first()),
            tenths(median(&self.values)),
            known(percentile(&self.values, 95)),
            known(percentile(&self.values, 99)),
            known(self.values.last()),
            if is_unknown {
                Cell::Null
            } else {
                Cell::Real(share)
            },
        ]
    }
}

/// The names of the columns of values, after the count and before the share.
const VALUES: [&str; 8] = ["total", "mean", "std", "min", "median", "p95", "p99", "max"];

/// What a narrow terminal can do without, the least important first.
pub(super) const LEAST_FIRST: [&str; 25] = [
    "p99",
    "std",
    "min",
    "p95",
    "fragmentation",
    "live",
    "overhead",
    "range time",
    "seen by",
    "median",
    "max",
    "style",
    "kernel time",
    "nested",
    "issue time",
    "compile time",
    "mean",
    "kind",
    "copy time",
    "of bandwidth",
    "GB/s",
    "rank",
    "share",
    "before",
    "operations",
];

/// Returns the columns of a count and values of this unit, for [`Sum::cells`].
pub(super) fn value_columns(unit: Unit) -> Vec<Column<'static>> {
    let column = |name, unit| Column { name, unit };
    let mut columns = vec![column("count", Unit::None)];
    columns.extend(VALUES.map(|name| column(name, unit)));
    columns.push(column("share", Unit::Share));
    columns
}

/// Returns the value in the middle, or the mean of the two there. `sorted` is in order.
fn median(sorted: &[i64]) -> Option<f64> {
    let half = sorted.len() / 2;
    let upper = *sorted.get(half)? as f64;
    match sorted.len() % 2 {
        0 => Some((*sorted.get(half - 1)? as f64 + upper) / 2.0),
        _ => Some(upper),
    }
}

/// Returns the least value that at least `percent` of all values do not exceed (nearest rank).
/// `sorted` is in order.
fn percentile(sorted: &[i64], percent: usize) -> Option<&i64> {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1))
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
    pub(super) fn of(trace: &Trace) -> Self {
        let device = || trace.work.tasks.iter().any(|task| task.device.is_some());
        if trace.devices.kernels.is_empty() && !device() {
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
    estimates: bool,
    rates: Rates,
    copies: bool,
    nested: bool,
    issue: bool,
    compile: bool,
    more: Vec<(&'static str, Unit)>,
}

impl<K: Hash + Eq + Copy> Groups<K> {
    pub(super) fn new() -> Self {
        Groups {
            sums: FxHashMap::default(),
            bytes: false,
            estimates: false,
            rates: Rates::NotShown,
            copies: false,
            nested: false,
            issue: false,
            compile: false,
            more: Vec::new(),
        }
    }

    /// Has the table show the bytes moved.
    pub(super) fn with_bytes(mut self) -> Self {
        self.bytes = true;
        self
    }

    /// Has the table show bytes a second.
    pub(super) fn with_rates(mut self) -> Self {
        self.rates = Rates::Shown;
        self
    }

    /// Has the table show bytes a second, and what part they are of the speed of their memories, by number.
    pub(super) fn with_bandwidth(mut self, speeds: Vec<Option<f64>>) -> Self {
        self.rates = Rates::Beside(speeds);
        self
    }

    /// Has the table mark rows whose times rest on estimated shares, and say how much of their total does.
    pub(super) fn with_estimates(mut self) -> Self {
        self.estimates = true;
        self
    }

    /// Has the table show how much of each total is that of copies and fills.
    pub(super) fn with_copies(mut self) -> Self {
        self.copies = true;
        self
    }

    /// Has the table show how much of each total is that of nested tasks, which have rows or values of their own.
    pub(super) fn with_nested(mut self) -> Self {
        self.nested = true;
        self
    }

    /// Shows the time that the host took to issue the work of GPUs.
    pub(super) fn with_issue(mut self) -> Self {
        self.issue = true;
        self
    }

    /// Shows the time in which kernels were made ready.
    pub(super) fn with_compile(mut self) -> Self {
        self.compile = true;
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

    /// Returns the sum of a key that has one.
    pub(super) fn known(&mut self, key: K) -> Option<&mut Sum> {
        self.sums.get_mut(&key)
    }

    /// Returns the sum of a key, which may be new.
    pub(super) fn of(&mut self, key: K) -> &mut Sum {
        self.sums.entry(key).or_default()
    }

    /// Returns the table, greatest total first; `labels` gives a key's texts.
    pub(super) fn table(
        mut self,
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
        columns.extend(value_columns(unit));
        if shown != KernelTime::NotShown {
            columns.extend(["kernel time", "overhead"].map(value));
        }
        if self.bytes {
            columns.push(Column {
                name: "moved",
                unit: Unit::Bytes,
            });
        }
        let rate = Column {
            name: RATE,
            unit: Unit::Rate,
        };
        let part = Column {
            name: PART,
            unit: Unit::Share,
        };
        match self.rates {
            Rates::NotShown => {}
            Rates::Shown => columns.push(rate),
            Rates::Beside(_) => columns.extend([rate, part]),
        }
        if self.estimates {
            columns.push(value(ESTIMATED));
        }
        if self.copies {
            columns.push(value(COPIES));
        }
        if self.nested {
            columns.push(value(NESTED));
        }
        let shows_untimed = self.sums.values().any(|sum| sum.untimed > 0);
        if shows_untimed {
            columns.push(plain(UNKNOWN));
        }
        if self.issue {
            columns.push(value(ISSUE));
        }
        if self.compile {
            columns.push(value(COMPILE));
        }
        let more = self.more.iter();
        columns.extend(more.map(|(name, unit)| Column { name, unit: *unit }));
        let mut table = Table::new(&columns)
            .with_least_first(&LEAST_FIRST)
            .without_empty(&[RATE, PART, COPIES, NESTED, ISSUE, COMPILE, "rank", "line"]);
        if self.estimates {
            table = table
                .with_marks(ESTIMATED, &SINGLE, MEANING)
                .with_measured(&[COMPILE]);
        }
        let whole: i128 = self.sums.values().map(Sum::once).sum();
        let sums = self.sums.drain();
        let mut rows: Vec<(Vec<Cell>, Sum)> = sums.map(|(key, sum)| (labels(key), sum)).collect();
        rows.sort_by(|a, b| {
            let by_cost = b.1.total.cmp(&a.1.total);
            let by_kernels = b.1.kernel_time.total_cmp(&a.1.kernel_time);
            by_cost
                .then(by_kernels)
                .then_with(|| text(&a.0).cmp(&text(&b.0)))
        });
        for (mut row, mut sum) in rows {
            let more = row.split_off(names.len());
            let total = i64::try_from(sum.total).unwrap_or(i64::MAX);
            let kernel_time = sum.kernel_time.round() as i64;
            row.extend(sum.cells(whole));
            if shown == KernelTime::Unknown {
                row.extend([Cell::Null, Cell::Null]);
            } else if shown == KernelTime::Known {
                let overhead = total.saturating_sub(sum.covered().round() as i64);
                row.extend([Cell::Integer(kernel_time), Cell::Integer(overhead)]);
            }
            if self.bytes {
                row.push(Cell::Integer(i64::try_from(sum.bytes).unwrap_or(i64::MAX)));
            }
            let rate = |flow: &mut Flow| {
                flow.rate().map_or(Cell::Null, |rate| {
                    Cell::Real((rate * 1000.0).round() / 1000.0)
                })
            };
            match &self.rates {
                Rates::NotShown => {}
                Rates::Shown => row.push(rate(&mut sum.flow)),
                Rates::Beside(speeds) => {
                    row.push(rate(&mut sum.flow));
                    let part = sum.flow.share(speeds);
                    row.push(part.map_or(Cell::Null, Cell::Real));
                }
            }
            if self.estimates {
                row.push(sum.estimated.map_or(Cell::Null, Cell::Integer));
            }
            if self.copies {
                row.push(sum.copies.map_or(Cell::Null, Cell::Integer));
            }
            if self.nested {
                let nested = Some(sum.nested).filter(|nested| *nested > 0);
                row.push(nested.map_or(Cell::Null, |nested| {
                    Cell::Integer(i64::try_from(nested).unwrap_or(i64::MAX))
                }));
            }
            if shows_untimed {
                let count = i64::try_from(sum.untimed).unwrap_or(i64::MAX);
                row.push(
                    Some(count)
                        .filter(|count| *count > 0)
                        .map_or(Cell::Null, Cell::Integer),
                );
            }
            if self.issue {
                row.push(sum.issue.map_or(Cell::Null, Cell::Integer));
            }
            if self.compile {
                row.push(sum.compile.map_or(Cell::Null, Cell::Integer));
            }
            row.extend(more);
            table.push(row);
        }
        table
    }
}

/// What a table says of the bytes that its rows moved.
enum Rates {
    NotShown,
    /// How many a second.
    Shown,
    /// The same, and as a part of the speeds of these memories.
    Beside(Vec<Option<f64>>),
}

const RATE: &str = "GB/s";

const PART: &str = "of bandwidth";

/// The part of a total that copies and fills took.
const COPIES: &str = "copy time";

/// The part of a total that nested tasks took.
const NESTED: &str = "nested";

/// The time that the host took to issue the work of GPUs, whose device time is the total.
const ISSUE: &str = "issue time";

/// The time in which kernels were made ready that this row needed first. No total contains it.
const COMPILE: &str = "compile time";

pub(super) const ESTIMATED: &str = "estimated";

/// Number of records whose duration is unknown, and no part of the row: their times cannot be true, or no work on the GPU was recorded for them.
const UNKNOWN: &str = "unknown";

/// Of [`VALUES`], those that follow from single values and not from the total.
const SINGLE: [&str; 6] = ["std", "min", "median", "p95", "p99", "max"];

/// What people read below a table with such rows.
pub(super) const MEANING: &str = "estimated: a launch ran several tasks, and only the whole of it was timed (on a GPU, or too short to time its \
                       parts); it is divided by the bytes that each task writes, or by a small sample of times; the column `estimated` of --format csv says how much of the total";

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
        let cells = sum.cells(0);
        assert_eq!(cells[0], Cell::Integer(8));
        assert_eq!(
            [&cells[4], &cells[8]],
            [2, 9]
                .map(|value| Cell::Integer(1_000_000_000_000 + value))
                .each_ref()
        );
        assert!((sum.mean - 1_000_000_000_005.0).abs() < 1e-3);
        assert!(
            (sum.deviation() - (32.0_f64 / 7.0).sqrt()).abs() < 1e-3,
            "{}",
            sum.deviation()
        );
    }

    /// Of few values, by the definition: at least so many of all are no greater, and of no smaller value that is so.
    #[test]
    fn percentiles_are_values_that_so_many_do_not_exceed() {
        assert_eq!((median(&[]), percentile(&[], 95)), (None, None));
        for count in 1..=205_usize {
            let values: Vec<i64> = (0..count as i64).map(|value| value * value).collect();
            for percent in [1, 50, 95, 99, 100] {
                let found = *percentile(&values, percent).unwrap();
                let up_to = |limit: i64| values.iter().filter(|value| **value <= limit).count();
                assert!(
                    up_to(found) * 100 >= percent * count,
                    "{percent} of {count}"
                );
                assert!(
                    up_to(found - 1) * 100 < percent * count,
                    "{percent} of {count}"
                );
            }
            let middle = median(&values).unwrap();
            let below = values
                .iter()
                .filter(|value| (**value as f64) < middle)
                .count();
            let above = values
                .iter()
                .filter(|value| (**value as f64) > middle)
                .count();
            assert_eq!(below, above, "{count}");
        }
        assert_eq!(median(&[1, 4]), Some(2.5));
    }
}
