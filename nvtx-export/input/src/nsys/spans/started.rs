//! Device work, by process and correlation id.

use super::WORK;
use super::tally::{Tally, time};
use rustc_hash::FxHashMap;
use weft_database::{Database, Room, integer};
use weft_model::{ExportError, Progress, StartedColumns};

/// Device work by process and correlation id, with times in columns.
#[derive(Default)]
pub(super) struct Started {
    /// For each process, the row of each correlation id.
    processes: FxHashMap<i64, CorrelationIndex>,
    /// The earliest start and the latest end.
    pub(super) columns: StartedColumns,
    /// The number of operations of each row.
    counts: Vec<u32>,
    /// The number of operations without a correlation id or process.
    alone: u64,
    /// Operations with impossible times.
    pub(super) untimed: Tally,
}

/// A map from correlation ids to rows. Ids are usually consecutive.
enum CorrelationIndex {
    /// A row for each id starting with this one; `u32::MAX` for none.
    Dense(i64, Vec<u32>),
    /// A map, for sparse ids.
    Sparse(FxHashMap<i64, u32>),
}

/// Operations of a slice of rows.
#[derive(Default)]
struct Operations {
    process: Vec<i64>,
    correlation: Vec<i64>,
    start: Vec<i64>,
    end: Vec<i64>,
    alone: u64,
    untimed: Tally,
}

impl Room for Operations {
    fn reserve(&mut self, rows: usize) {
        let columns = [
            &mut self.process,
            &mut self.correlation,
            &mut self.start,
            &mut self.end,
        ];
        for column in columns {
            column.reserve_exact(rows);
        }
    }
}

impl Started {
    /// Returns the row of a process's correlation id.
    pub(super) fn row(&self, process: i64, correlation: i64) -> Option<u32> {
        self.processes.get(&process)?.get(correlation)
    }

    /// Returns the number of operations.
    pub(super) fn operations(&self) -> u64 {
        self.alone
            + self
                .counts
                .iter()
                .map(|count| u64::from(*count))
                .sum::<u64>()
    }

    /// Returns the number of operations whose row is not among `called`.
    pub(super) fn without(&self, called: impl Iterator<Item = u32>) -> u64 {
        let mut without = self.counts.clone();
        for row in called {
            if let Some(count) = without.get_mut(row as usize) {
                *count = 0;
            }
        }
        self.alone + without.into_iter().map(u64::from).sum::<u64>()
    }

    fn add(&mut self, process: i64, correlation: i64, start: i64, end: i64) {
        let next = self.counts.len() as u32;
        let Some(rows) = self.processes.get_mut(&process) else {
            return;
        };
        let row = rows.get_or_insert(correlation, next);
        if row == next {
            self.columns.first.push(start);
            self.columns.last.push(end);
            self.counts.push(1);
            return;
        }
        let at = row as usize;
        let columns = &mut self.columns;
        let times = columns.first.get_mut(at).zip(columns.last.get_mut(at));
        if let (Some((first, last)), Some(count)) = (times, self.counts.get_mut(at)) {
            *first = start.min(*first);
            *last = end.max(*last);
            *count += 1;
        }
    }
}

impl CorrelationIndex {
    /// Creates a map for `count` ids between these bounds.
    fn within(first: i64, last: i64, count: usize) -> Self {
        let ids = first.abs_diff(last) as usize;
        if ids / 4 <= count {
            CorrelationIndex::Dense(first, vec![u32::MAX; ids + 1])
        } else {
            CorrelationIndex::Sparse(FxHashMap::default())
        }
    }

    fn get(&self, correlation: i64) -> Option<u32> {
        match self {
            CorrelationIndex::Dense(first, rows) => {
                let at = usize::try_from(correlation.checked_sub(*first)?).ok()?;
                rows.get(at).copied().filter(|row| *row != u32::MAX)
            }
            CorrelationIndex::Sparse(rows) => rows.get(&correlation).copied(),
        }
    }

    fn get_or_insert(&mut self, correlation: i64, row: u32) -> u32 {
        match self {
            CorrelationIndex::Dense(first, rows) => {
                let at = correlation.abs_diff(*first) as usize;
                match rows.get_mut(at) {
                    Some(slot) if *slot == u32::MAX => {
                        *slot = row;
                        row
                    }
                    Some(slot) => *slot,
                    None => row,
                }
            }
            CorrelationIndex::Sparse(rows) => *rows.entry(correlation).or_insert(row),
        }
    }
}

pub(super) fn read(database: &Database, progress: &Progress) -> Result<Started, ExportError> {
    let columns = ["start", "end", "correlationId", "globalPid"];
    let mut slices: Vec<Operations> = Vec::new();
    for (table, kind) in WORK {
        slices.extend(database.each_slice(
            table,
            &columns,
            progress,
            |slice: &mut Operations, row| {
                let (Some(start), Some(end)) = (integer(row, 0), integer(row, 1)) else {
                    return false;
                };
                if !slice.untimed.check(kind, time(start), Some(time(end))) {
                    return true;
                }
                let (Some(correlation), Some(process)) = (integer(row, 2), integer(row, 3)) else {
                    slice.alone += 1;
                    return true;
                };
                slice.process.push(process);
                slice.correlation.push(correlation);
                slice.start.push(start);
                slice.end.push(end);
                true
            },
        )?);
    }
    Ok(gather(slices))
}

fn gather(slices: Vec<Operations>) -> Started {
    let mut bounds: FxHashMap<i64, (i64, i64, usize)> = FxHashMap::default();
    for slice in &slices {
        for (process, id) in slice.process.iter().zip(&slice.correlation) {
            let bounds = bounds.entry(*process).or_insert((*id, *id, 0));
            *bounds = (bounds.0.min(*id), bounds.1.max(*id), bounds.2 + 1);
        }
    }
    let mut started = Started::default();
    let count = slices.iter().map(|slice| slice.start.len()).sum();
    started.columns.first.reserve_exact(count);
    started.columns.last.reserve_exact(count);
    started.counts.reserve_exact(count);
    for (process, (first, last, count)) in bounds {
        let rows = CorrelationIndex::within(first, last, count);
        started.processes.insert(process, rows);
    }
    for slice in slices {
        started.alone += slice.alone;
        started.untimed.add(slice.untimed);
        let ids = slice.process.iter().zip(&slice.correlation);
        let times = slice.start.iter().zip(&slice.end);
        for ((process, correlation), (start, end)) in ids.zip(times) {
            started.add(*process, *correlation, *start, *end);
        }
    }
    started
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_calls_by_dense_or_sparse_ids() {
        for ids in [[5, 6, 9], [i64::MIN, 0, i64::MAX], [7, 7, 1 << 40]] {
            let slice = Operations {
                process: vec![1, 1, 1],
                correlation: ids.to_vec(),
                start: vec![10, 20, 30],
                end: vec![11, 29, 31],
                alone: 2,
                untimed: Tally::default(),
            };
            let started = gather(vec![slice]);
            assert_eq!(started.operations(), 5);
            for (at, id) in ids.iter().enumerate() {
                let row = started.row(1, *id).unwrap() as usize;
                assert!(started.columns.first[row] <= [10, 20, 30][at]);
                assert!(started.columns.last[row] >= [11, 29, 31][at]);
            }
            assert_eq!(started.row(1, 8), None);
            assert_eq!(started.row(2, ids[0]), None);
            assert_eq!(started.without(started.row(1, ids[2]).into_iter()), 4);
        }
    }
}
