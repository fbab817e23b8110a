//! The limit of each line, task or kernel: memory or arithmetic, and the reached fraction of that
//! limit.
//!
//! The model is the roofline (S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful
//! visual performance model for multicore architectures", 2009). In the time in which kernels of a
//! row ran, the machine could have moved bytes and computed at the speeds that were measured at the
//! end of the run. The resource with the greater used fraction is the row's limit. The model
//! assumes that all bytes come from memory; more than 100 % means that some were in a cache.

mod keys;
mod limits;
mod sum;

use self::limits::Limits;
use self::sum::Sum;
use super::By;
use super::cost::{self, Cost};
use super::flow::{Span, moved};
use super::groups::{ESTIMATED, MEANING};
use rustc_hash::FxHashMap;
use std::hash::Hash;
use weft_model::table::{Cell, Column, Table, Unit};
use weft_model::{Floats, Index, KernelKind, Outcome, Served, Trace, several};

/// Columns that a narrow terminal may leave out, the least important first. Each rate follows from
/// two others.
const LEAST_FIRST: [&str; 6] = ["FLOP", "moved", "variant", "FLOP/B", "GB/s", "time"];

/// The limit of rows without known values or limits.
const UNKNOWN: &str = "unknown";

/// Returns whether the grouping has a roofline table.
pub fn is_of(by: By) -> bool {
    matches!(
        by,
        By::Line | By::Scope | By::Task | By::Operation | By::Kernel
    )
}

/// Returns the table, longest time first. It has no rows if no values are known, or if `by` has no
/// table (see [`is_of`]).
pub fn table(trace: &Trace, by: By) -> Table {
    let index = Index::new(trace);
    let names: &[&str] = match by {
        By::Scope => &["scope"],
        By::Task => &["task", "variant"],
        By::Operation => &["operation"],
        By::Kernel => &["kernel"],
        _ => &["line"],
    };
    let found = match by {
        _ if !is_known(trace) => return empty(names),
        By::Line => rows(trace, &index, keys::line(trace, &index), |key| {
            vec![keys::line_cell(trace, key)]
        }),
        By::Scope => rows(trace, &index, keys::scope(trace, &index), |key| {
            vec![keys::scope_cell(trace, key)]
        }),
        By::Operation => rows(trace, &index, keys::operation(trace, &index), |key| {
            vec![keys::name_cell(trace, key)]
        }),
        By::Task => rows(trace, &index, keys::task(trace, &index), |key| {
            keys::task_cells(trace, key)
        }),
        By::Kernel => kernels(trace, &index),
        _ => return empty(names),
    };
    let mut table = empty(names);
    for row in found {
        table.push(row);
    }
    table
}

/// Returns the reason why the table has no rows or no limits, or else the limits.
pub fn note(trace: &Trace) -> String {
    if !is_known(trace) {
        return "these inputs have no counts of floating-point operations: earlier versions of Weft and other runtimes record none; \
                record the run again with `weft run --profile`"
            .to_owned();
    }
    limits::note(trace)
}

/// Returns whether the arithmetic of any task is known.
fn is_known(trace: &Trace) -> bool {
    trace
        .work
        .tasks
        .iter()
        .any(|task| task.arithmetic.is_some())
}

fn empty(names: &[&str]) -> Table {
    let named = |name| Column {
        name,
        unit: Unit::None,
    };
    let mut columns: Vec<Column<'_>> = names.iter().map(|name| named(name)).collect();
    let values = [
        ("time", Unit::Nanos),
        ("GFLOP/s", Unit::FlopRate),
        ("GB/s", Unit::Rate),
        ("FLOP/B", Unit::Intensity),
        ("limit", Unit::None),
        ("of limit", Unit::Share),
        ("unknown", Unit::Share),
        ("FLOP", Unit::Flop),
        ("moved", Unit::Bytes),
        (ESTIMATED, Unit::Nanos),
    ];
    columns.extend(values.map(|(name, unit)| Column { name, unit }));
    Table::new(&columns)
        .with_least_first(&LEAST_FIRST)
        .without_empty(&["unknown"])
        .with_marks(ESTIMATED, &[], MEANING)
}

/// Returns the rows. For kernels that served several tasks, each task has its share of the time and
/// of the bytes, and its own arithmetic.
fn rows<K: Hash + Eq + Copy>(
    trace: &Trace,
    index: &Index,
    key: impl Fn(Served) -> Option<K>,
    cells: impl Fn(K) -> Vec<Cell>,
) -> Vec<Vec<Cell>> {
    let mut limits = Limits::new(trace);
    let mut sums: FxHashMap<K, Sum> = FxHashMap::default();
    let several = several(trace);
    for (kernel, outcome) in trace.devices.kernels.iter().zip(&trace.links.outcomes) {
        let Outcome::Linked { launch: row, .. } = outcome else {
            continue;
        };
        let Some(launch) = trace.work.launches.get(row.0 as usize) else {
            continue;
        };
        let computes = matches!(kernel.kind, KernelKind::Kernel | KernelKind::Graph);
        let is_divided = !(computes && several.get(row.0 as usize) == Some(&true));
        let bytes = moved(trace, kernel).filter(|_| is_divided);
        let memory = limits.of_kernel(kernel);
        for (uid, share, span) in Span::of_served(kernel, launch, memory) {
            let served = index.served(launch.source, uid);
            if let Some(key) = served.and_then(&key) {
                let floats = Floats::of_served(trace, kernel, served);
                let known = bytes.map(|bytes| bytes as f64 * share).zip(floats);
                sums.entry(key).or_default().add(span, known);
            }
        }
    }
    let cost = Cost::new(trace, index);
    cost::estimated(trace, index, &cost, &key, |key, time| {
        if let Some(sum) = sums.get_mut(&key) {
            sum.estimate(time);
        }
    });
    sorted(sums, &limits, cells)
}

fn kernels(trace: &Trace, index: &Index) -> Vec<Vec<Cell>> {
    let mut limits = Limits::new(trace);
    let mut sums: FxHashMap<_, Sum> = FxHashMap::default();
    let floats = Floats::of_kernels(trace, index);
    for (kernel, floats) in trace.devices.kernels.iter().zip(floats) {
        let span = limits.span(kernel);
        let known = moved(trace, kernel).map(|bytes| bytes as f64).zip(floats);
        sums.entry(kernel.name).or_default().add(span, known);
    }
    sorted(sums, &limits, |name| {
        vec![keys::name_cell(trace, Some(name))]
    })
}

/// Returns the rows, longest time first.
fn sorted<K>(
    sums: FxHashMap<K, Sum>,
    limits: &Limits,
    cells: impl Fn(K) -> Vec<Cell>,
) -> Vec<Vec<Cell>> {
    let rows = sums.into_iter().map(|(key, mut sum)| {
        let found = sum.evaluate(limits);
        let mut cells = cells(key);
        let name = match cells.first() {
            Some(Cell::Text(name)) => name.clone(),
            _ => String::new(),
        };
        cells.extend(found.cells());
        (found.time, name, cells)
    });
    let mut rows: Vec<_> = rows.collect();
    rows.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    rows.into_iter().map(|(.., cells)| cells).collect()
}
