//! Sums of values by key.

use super::cost::Times;
use super::flow::Flow;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use weft_model::Trace;
use weft_model::table::{Cell, Column, Table, Unit};

/// The values of one key.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    values: Vec<i64>,
    pub(super) total: i128,
    squares: f64,
    mean: f64,
    /// The time of kernels.
    pub(super) kernel_time: f64,
    /// The part of the kernels' time that is covered by the values, at most each value.
    covered: f64,
    /// The bytes moved.
    pub(super) bytes: u64,
    /// The bytes that its kernels read and write or its copies move, with their times.
    pub(super) flow: Flow,
    /// The part of the total that is estimated; `None` if every value was measured.
    estimated: Option<i64>,
    /// The part of the total from copies and fills; `None` if there are none.
    copies: Option<i64>,
    /// The part of the total that also counts for other rows or values.
    nested: i128,
    /// The number of records without a known duration, which are not values.
    untimed: u64,
    /// The time of issuing the work whose device time is in the total; `None` if there is none.
    issue: Option<i64>,
    /// The time in which kernels were compiled and loaded; `None` if none were.
    compile: Option<i64>,
    /// The time of CUPTI, Nsight Systems and the driver; shares of a launch that serves several.
    cuda_overhead: f64,
    /// The faults of GPUs on pages of unified memory; shares of a launch that serves several.
    faults: f64,
}

impl Sum {
    /// Adds a value by Welford's method, which keeps the precision of the deviation for large
    /// values.
    pub(super) fn add(&mut self, value: i64) {
        self.values.push(value);
        self.total += i128::from(value);
        let off = value as f64 - self.mean;
        self.mean += off / self.values.len() as f64;
        self.squares += off * (value as f64 - self.mean);
    }

    /// Adds a time, and the time of its kernels. GPU work may outlast the task that launched it.
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

    /// Adds to the part of the total from copies and fills.
    pub(super) fn add_copies(&mut self, of_total: i64) {
        let known = self.copies.get_or_insert(0);
        *known = known.saturating_add(of_total);
    }

    /// Adds the time of issuing work to a device.
    pub(super) fn add_issue(&mut self, time: Option<i64>) {
        if let Some(time) = time {
            self.issue = Some(self.issue.unwrap_or(0).saturating_add(time));
        }
    }

    /// Adds the time of a compilation, which is in no total.
    pub(super) fn add_compile(&mut self, time: i64) {
        self.compile = Some(self.compile.unwrap_or(0).saturating_add(time));
    }

    /// Adds time that CUPTI, Nsight Systems or the driver took, which other times include.
    pub(super) fn add_cuda_overhead(&mut self, time: f64) {
        self.cuda_overhead += time;
    }

    /// Adds faults of GPUs on pages of unified memory.
    pub(super) fn add_faults(&mut self, faults: f64) {
        self.faults += faults;
    }

    /// Adds to the part of the total that also counts elsewhere.
    pub(super) fn nest(&mut self, of_total: i64) {
        self.nested += i128::from(of_total);
    }

    /// Returns the total without the part that also counts elsewhere.
    fn once(&self) -> i128 {
        self.total - self.nested
    }

    /// Marks some values as estimated shares of a time, and adds to the estimated part of the
    /// total.
    pub(super) fn estimate(&mut self, of_total: i64) {
        let known = self.estimated.get_or_insert(0);
        *known = known.saturating_add(of_total);
    }

    pub(super) fn count(&self) -> usize {
        self.values.len()
    }

    /// Returns the kernels' time within the values. If it was not added value by value, it is at
    /// most their total.
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

/// Columns that a narrow terminal may leave out, the least important first.
pub(super) const LEAST_FIRST: [&str; 27] = [
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
    CUDA_OVERHEAD,
    FAULTS,
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

/// Returns the column of the count and those of values with this unit, for [`Sum::cells`].
pub(super) fn value_columns(unit: Unit) -> Vec<Column<'static>> {
    let column = |name, unit| Column { name, unit };
    let mut columns = vec![column("count", Unit::None)];
    columns.extend(VALUES.map(|name| column(name, unit)));
    columns.push(column("share", Unit::Share));
    columns
}

/// Returns the median of sorted values. It is the mean of the middle two if their number is even.
fn median(sorted: &[i64]) -> Option<f64> {
    let half = sorted.len() / 2;
    let upper = *sorted.get(half)? as f64;
    match sorted.len() % 2 {
        0 => Some((*sorted.get(half - 1)? as f64 + upper) / 2.0),
        _ => Some(upper),
    }
}

/// Returns the smallest value such that at least `percent` of the sorted values do not exceed it
/// (nearest rank).
fn percentile(sorted: &[i64], percent: usize) -> Option<&i64> {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1))
}

/// The information on kernels in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KernelTime {
    /// None: kernels do not belong to the rows.
    NotShown,
    /// The time of the tasks, and the overhead.
    Known,
    /// Empty cells: no kernel was recorded, so their time is unknown.
    Unknown,
}

impl KernelTime {
    pub(super) fn new(trace: &Trace) -> Self {
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

    /// Adds a column with the bytes moved.
    pub(super) fn with_bytes(mut self) -> Self {
        self.bytes = true;
        self
    }

    /// Adds a column with the bytes per second.
    pub(super) fn with_rates(mut self) -> Self {
        self.rates = Rates::Shown;
        self
    }

    /// Adds columns with the bytes per second, and with their fraction of the speed of the
    /// memories. `speeds` is indexed by memory.
    pub(super) fn with_bandwidth(mut self, speeds: Vec<Option<f64>>) -> Self {
        self.rates = Rates::Beside(speeds);
        self
    }

    /// Marks rows whose times depend on estimated shares, and adds a column with the estimated part
    /// of the total.
    pub(super) fn with_estimates(mut self) -> Self {
        self.estimates = true;
        self
    }

    /// Adds a column with the part of each total from copies and fills.
    pub(super) fn with_copies(mut self) -> Self {
        self.copies = true;
        self
    }

    /// Adds a column with the part of each total from nested tasks, which have rows or values of
    /// their own.
    pub(super) fn with_nested(mut self) -> Self {
        self.nested = true;
        self
    }

    /// Adds a column with the host's time for issuing GPU work.
    pub(super) fn with_issue(mut self) -> Self {
        self.issue = true;
        self
    }

    /// Adds a column with the time for preparing kernels.
    pub(super) fn with_compile(mut self) -> Self {
        self.compile = true;
        self
    }

    /// Adds these columns at the end of the table. Their cells are the last labels of a key.
    pub(super) fn with_columns(mut self, columns: &[(&'static str, Unit)]) -> Self {
        self.more = columns.to_vec();
        self
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sums.is_empty()
    }

    /// Returns the sum of a key, if it has one.
    pub(super) fn get_mut(&mut self, key: K) -> Option<&mut Sum> {
        self.sums.get_mut(&key)
    }

    /// Returns the sum of a key, which is added if it is new.
    pub(super) fn entry(&mut self, key: K) -> &mut Sum {
        self.sums.entry(key).or_default()
    }

    /// Returns the table, greatest total first. `labels` returns the texts of a key.
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
        let shows_overhead = self.sums.values().any(|sum| sum.cuda_overhead > 0.0);
        if shows_overhead {
            columns.push(value(CUDA_OVERHEAD));
        }
        let shows_faults = self.sums.values().any(|sum| sum.faults > 0.0);
        if shows_faults {
            columns.push(plain(FAULTS));
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
            if shows_overhead {
                let time = Some(sum.cuda_overhead.round() as i64).filter(|time| *time > 0);
                row.push(time.map_or(Cell::Null, Cell::Integer));
            }
            if shows_faults {
                let faults = Some(sum.faults.round() as i64).filter(|faults| *faults > 0);
                row.push(faults.map_or(Cell::Null, Cell::Integer));
            }
            row.extend(more);
            table.push(row);
        }
        table
    }
}

/// The rates in a table.
enum Rates {
    NotShown,
    /// The bytes per second.
    Shown,
    /// The bytes per second, and their fraction of the speeds of these memories.
    Beside(Vec<Option<f64>>),
}

const RATE: &str = "GB/s";

const PART: &str = "of bandwidth";

/// The part of a total from copies and fills.
const COPIES: &str = "copy time";

/// The part of a total from nested tasks.
const NESTED: &str = "nested";

/// The host's time for issuing the GPU work whose device time is the total.
const ISSUE: &str = "issue time";

/// The time for preparing kernels that this row needed first. It is in no total.
const COMPILE: &str = "compile time";

/// The time of CUPTI, Nsight Systems and the driver within other times. It is shown only if there
/// is any.
const CUDA_OVERHEAD: &str = "cuda overhead";

/// The faults of GPUs on pages of unified memory. It is shown only if there are any.
const FAULTS: &str = "page faults";

pub(super) const ESTIMATED: &str = "estimated";

/// The number of records with unknown duration, which are not part of the row: their times are
/// impossible, or no work on the GPU was recorded for them.
const UNKNOWN: &str = "unknown";

/// The columns in [`VALUES`] that depend on single values, and not only on the total.
const SINGLE: [&str; 6] = ["std", "min", "median", "p95", "p99", "max"];

/// The explanation below a table with estimated rows.
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
    fn computes_mean_deviation_and_extremes() {
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

    /// For few values, by definition: at least this part of all values is not greater, and no
    /// smaller value has this property.
    #[test]
    fn percentiles_match_the_definition() {
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
