//! Statistics by NVTX range: the device times of work that was started within it.
//!
//! The projection is that of Nsight Systems (its report `nvtx_gpu_proj_trace`). An operation counts
//! for every range on the calling thread around the call that started it. A range is shown from the
//! first start to the last end of its operations. Ranges without operations are not shown.

mod columns;
mod enclosed;
mod instances;
mod launches;
mod nesting;
mod prefix;
mod project;

#[cfg(test)]
mod definition;

use crate::stats::groups::{LEAST_FIRST, Sum, value_columns};
use instances::{Instances, style};
use rustc_hash::FxHashMap;
use weft_model::table::{Cell, Column, Table, Unit};
use weft_model::{Folded, StringIndex, Trace};

/// Returns one row per range, in the order of their ids, as in the report.
pub(super) fn by_range(trace: &Trace) -> Table {
    let mut instances = Instances::new(trace);
    launches::add(&mut instances, trace);
    let column = |name, unit| Column { name, unit };
    let columns = [
        column("range", Unit::None),
        column("projected start", Unit::Nanos),
        column("projected duration", Unit::Nanos),
        column("start", Unit::Nanos),
        column("duration", Unit::Nanos),
        column("style", Unit::None),
        column("pid", Unit::None),
        column("tid", Unit::None),
        column("operations", Unit::None),
        column("level", Unit::None),
        column("children", Unit::None),
        column("id", Unit::None),
        column("parent", Unit::None),
        column("stack", Unit::None),
        column("source", Unit::None),
    ];
    let count = instances.rows.len();
    let least_first = [
        "source",
        "stack",
        "parent",
        "children",
        "style",
        "pid",
        "tid",
        "level",
        "id",
        "start",
        "duration",
        "projected start",
        "operations",
    ];
    let table = Table::of_rows(&columns, count, move |row| {
        let Some(row) = instances.rows.get(row) else {
            return Vec::new();
        };
        vec![
            Cell::Text(instances.names.get(row.name).to_owned()),
            Cell::Integer(row.first),
            Cell::Integer(row.projected()),
            Cell::Integer(row.start),
            Cell::Integer(row.end.saturating_sub(row.start)),
            Cell::Text(row.style().to_owned()),
            Cell::Integer((row.thread >> 24) & 0xff_ffff),
            Cell::Integer(row.thread & 0xff_ffff),
            Cell::Integer(row.operations.into()),
            Cell::Integer(row.level.into()),
            Cell::Integer(row.children.into()),
            Cell::Integer(row.id),
            instances.parent(row).map_or(Cell::Null, Cell::Integer),
            Cell::Text(instances.stack(row)),
            Cell::Integer(row.source.id()),
        ]
    });
    table.with_least_first(&least_first)
}

/// Returns the projection summed by name and style, greatest total first. The time of a range
/// within another counts for both, and shares are relative to the time of outermost ranges. Names
/// whose ranges started nothing follow, by the time of the ranges themselves. If no range started
/// anything, the table has only these rows, and replaces the projection.
///
/// Messages that differ only in numbers are one row if numbers are folded.
pub(super) fn by_name(trace: &Trace, numbers: Numbers) -> Table {
    let mut instances = Instances::with_own(trace);
    launches::add(&mut instances, trace);
    let folded = match numbers {
        Numbers::Folded => Folded::new(&mut instances.names),
        Numbers::Kept => Folded::default(),
    };
    let mut names: FxHashMap<(StringIndex, bool), Name> = FxHashMap::default();
    for ((name, pushed), own) in instances.own.take().unwrap_or_default() {
        let name = names.entry((folded.get(name), pushed)).or_default();
        name.own.merge(&own);
    }
    for row in &instances.rows {
        let key = (folded.get(row.name), row.pushed);
        let name = names.entry(key).or_default();
        name.projected.add(row.projected());
        name.operations += u64::from(row.operations);
    }
    let projects = !instances.rows.is_empty();
    let column = |name, unit| Column { name, unit };
    let mut columns = vec![column("range", Unit::None), column("style", Unit::None)];
    columns.extend(value_columns(Unit::Nanos));
    columns.extend([
        column("ranges", Unit::None),
        column("range time", Unit::Nanos),
        column("operations", Unit::None),
    ]);
    let mut table = Table::new(&columns).with_least_first(&LEAST_FIRST);
    let whole = match projects {
        true => (instances.rows.iter())
            .filter(|row| instances.parent(row).is_none())
            .map(|row| i128::from(row.projected()))
            .sum(),
        false => instances.outermost,
    };
    let mut names: Vec<(&str, &'static str, Name)> = (names.into_iter())
        .map(|((name, pushed), sums)| (instances.names.get(name), style(pushed), sums))
        .collect();
    names.sort_by(|a, b| {
        let by_total = b.2.projected.total.cmp(&a.2.projected.total);
        let by_own = b.2.own.total.cmp(&a.2.own.total);
        by_total
            .then(by_own)
            .then_with(|| (a.0, a.1).cmp(&(b.0, b.1)))
    });
    for (text, style, mut name) in names {
        let mut row = vec![Cell::Text(text.to_owned()), Cell::Text(style.to_owned())];
        let (ranges, time) = (name.own.count(), name.own.total);
        row.extend(match projects {
            true => name.projected.cells(whole),
            false => name.own.cells(whole),
        });
        let integer = |number: i128| Cell::Integer(i64::try_from(number).unwrap_or(i64::MAX));
        row.extend([
            integer(ranges as i128),
            integer(time),
            integer(name.operations.into()),
        ]);
        table.push(row);
    }
    table
}

/// The treatment of numbers in the messages of ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbers {
    /// Messages that differ only in numbers are combined, with `#` in place of the numbers.
    Folded,
    /// Each message is separate.
    Kept,
}

/// The times of the ranges with one name.
#[derive(Default)]
struct Name {
    /// Times of ranges with work on a device, from its first start to its last end.
    projected: Sum,
    /// Times of all ranges, from opening to closing.
    own: Sum,
    operations: u64,
}
