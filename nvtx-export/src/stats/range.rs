//! By NVTX range: the times on devices of what was started within it.
//!
//! The projection is that of Nsight Systems (its report `nvtx_gpu_proj_trace`): an operation counts for every range of
//! the calling thread that encloses the call which started it, and a range is shown from the first start to the last
//! end of its operations. Ranges without operations are not shown.

mod columns;
mod enclosed;
mod instances;
mod launches;
mod nesting;
mod prefix;
mod project;

#[cfg(test)]
mod definition;

use crate::joined::{Joined, StringIndex};
use crate::output::table::{Cell, Column, Table, Unit};
use crate::stats::groups::Sum;
use instances::{Instance, Instances};
use rustc_hash::FxHashMap;

/// One row a range, in the order of their ids, which is that of the report.
pub(super) fn by_range(joined: &Joined) -> Table {
    let instances = Instances::of(joined);
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
    Table::of_rows(&columns, count, move |row| {
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
    })
}

/// The same added up by name and style, greatest total first. The time of a range within another counts for both.
pub(super) fn by_name(joined: &Joined) -> Table {
    #[derive(Default)]
    struct Name {
        projected: Sum,
        original: i128,
        operations: u64,
    }
    let instances = Instances::of(joined);
    let mut names: FxHashMap<(StringIndex, bool), (Name, &Instance)> = FxHashMap::default();
    for row in &instances.rows {
        let (name, _) = names
            .entry((row.name, row.pushed))
            .or_insert_with(|| (Name::default(), row));
        name.projected.add(row.projected());
        name.original += i128::from(row.end) - i128::from(row.start);
        name.operations += u64::from(row.operations);
    }
    let column = |name, unit| Column { name, unit };
    let mut table = Table::new(&[
        column("range", Unit::None),
        column("style", Unit::None),
        column("count", Unit::None),
        column("total", Unit::Nanos),
        column("mean", Unit::Nanos),
        column("std", Unit::Nanos),
        column("min", Unit::Nanos),
        column("max", Unit::Nanos),
        column("share", Unit::Share),
        column("range time", Unit::Nanos),
        column("operations", Unit::None),
    ]);
    let whole: i128 = names.values().map(|(name, _)| name.projected.total).sum();
    let mut names: Vec<(&str, &'static str, Name)> = names
        .into_values()
        .map(|(name, row)| (instances.names.get(row.name), row.style(), name))
        .collect();
    names.sort_by(|a, b| {
        let by_total = b.2.projected.total.cmp(&a.2.projected.total);
        by_total.then_with(|| (a.0, a.1).cmp(&(b.0, b.1)))
    });
    for (text, style, name) in names {
        let sum = &name.projected;
        let integer = |number: i128| Cell::Integer(i64::try_from(number).unwrap_or(i64::MAX));
        let share = if whole == 0 {
            0.0
        } else {
            sum.total as f64 / whole as f64
        };
        table.push(vec![
            Cell::Text(text.to_owned()),
            Cell::Text(style.to_owned()),
            integer(sum.count.into()),
            integer(sum.total),
            Cell::Real(tenths(sum.mean)),
            Cell::Real(tenths(sum.deviation())),
            Cell::Integer(sum.least.unwrap_or(0)),
            Cell::Integer(sum.greatest),
            Cell::Real(share),
            integer(name.original),
            integer(name.operations.into()),
        ]);
    }
    table
}

fn tenths(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}
