//! Limits of rows by memory or arithmetic, and rows without known limits.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use crate::support;

use rusqlite::Connection;
use support::{Small, join, small};
use weft_analysis::stats::{By, roofline};
use weft_model::table::{Cell, Format, Table};
use weft_model::{Bandwidth, BandwidthOrigin, FloatSpeed, SourceIndex, Trace};
use weft_output::sqlite::{self, WriteOptions};
use weft_trace::file::RunId;
use weft_trace::record::Arithmetic;

fn sum(table: &Table, column: &str) -> i64 {
    let column = table.column(column).unwrap();
    let numbers = table.rows().iter().map(|row| match row[column] {
        Cell::Integer(number) => number,
        _ => 0,
    });
    numbers.sum()
}

/// Returns the scene of `small` with this arithmetic per task, a memory of 182.8 GB/s, and 27.8
/// GFLOP/s.
fn limited(operations: u64) -> Trace {
    let (_folder, prof) = small(RunId([1; 16]), 0, Small::default());
    let mut trace = join(&[prof]);
    for task in &mut trace.work.tasks {
        task.arithmetic = Some(Arithmetic {
            operations,
            single: false,
        });
    }
    let source = SourceIndex(0);
    trace.machine.bandwidths.push(Bandwidth {
        source,
        device: None,
        origin: BandwidthOrigin::Measured,
        per_second: 182_755_555_556,
    });
    for (bits, per_second) in [(64, 27_777_777_778), (32, 55_555_555_556)] {
        trace.machine.float_speeds.push(FloatSpeed {
            source,
            bits,
            per_second,
        });
    }
    trace
}

/// Returns the limit of each row, and the reached part of it in per mille.
fn limits(trace: &Trace, by: By) -> Vec<(String, Option<i64>)> {
    let table = roofline::table(trace, by);
    let [limit, part] = ["limit", "of_limit"].map(|name| table.column(name).unwrap());
    let rows = table.rows().iter().map(|row| {
        let part = match row[part] {
            Cell::Real(part) => Some((part * 1000.0).round() as i64),
            _ => None,
        };
        let Cell::Text(limit) = &row[limit] else {
            unreachable!("each row names its limit");
        };
        (limit.clone(), part)
    });
    rows.collect()
}

#[test]
fn limit_is_the_larger_of_memory_and_arithmetic() {
    // Two tasks, and a launch of two, in 180 ns each. The first ones move twice as many bytes.
    let trace = limited(1000);
    let row = |limit: &str, part| (limit.to_owned(), Some(part));
    for by in [By::Kernel, By::Line] {
        let mut found = limits(&trace, by);
        found.sort();
        let expected = [row("compute", 400), row("memory", 500)];
        assert_eq!(found, expected, "{by:?}");
        let table = roofline::table(&trace, by);
        assert_eq!(sum(&table, "flop"), 4000, "{by:?}");
        assert_eq!(sum(&table, "moved"), 3 * 8224, "{by:?}");
    }
    let note = roofline::note(&trace);
    assert!(note.contains("182.8 GB/s, 27.8 GFLOP/s (f64)"), "{note}");
    // Rows without arithmetic are limited by memory.
    let found = limits(&limited(0), By::Kernel);
    assert!(
        found.iter().all(|(limit, _)| limit == "memory"),
        "{found:?}"
    );
}

#[test]
fn unknown_counts_differ_from_zero() {
    let mut trace = limited(1000);
    trace.work.tasks[0].arithmetic = None;
    // A line with one known task of two is known in part; its kernels together have no number.
    let table = roofline::table(&trace, By::Line);
    let [unknown, flop] = ["unknown", "flop"].map(|name| table.column(name).unwrap());
    let mut cells: Vec<(bool, String)> = (table.rows().iter())
        .map(|row| (row[unknown] != Cell::Null, format!("{:?}", row[flop])))
        .collect();
    cells.sort();
    assert_eq!(
        cells,
        [
            (false, "Integer(2000)".to_owned()),
            (true, "Integer(1000)".to_owned())
        ]
    );
    // Without speeds there are no limits, but the arithmetic is still shown.
    let mut slow = limited(1000);
    slow.machine.float_speeds.clear();
    let found = limits(&slow, By::Line);
    assert!(
        found
            .iter()
            .all(|(limit, part)| limit == "unknown" && part.is_none())
    );
    assert!(roofline::note(&slow).contains("was not measured"));
    assert_eq!(sum(&roofline::table(&slow, By::Line), "flop"), 4000);
    // For an older profile, nothing is known.
    for task in &mut trace.work.tasks {
        task.arithmetic = None;
    }
    assert!(roofline::table(&trace, By::Line).is_empty());
    assert!(roofline::note(&trace).contains("record the run again"));
}

#[test]
fn counts_survive_the_database() {
    let (folder, trace) = (tempfile::tempdir().unwrap(), limited(1000));
    let out = folder.path().join("out.sqlite");
    sqlite::write(&trace, &out, &WriteOptions::default()).unwrap();
    let database = Connection::open(&out).unwrap();
    let floats = "SELECT sum(floatOperations) FROM WEFT_KERNEL";
    let floats: i64 = database.query_row(floats, [], |row| row.get(0)).unwrap();
    assert_eq!(floats, 4000);
    drop(database);
    let back = join(&[out]);
    for by in [By::Line, By::Scope, By::Task, By::Operation, By::Kernel] {
        assert_eq!(
            roofline::table(&back, by).render(Format::Csv),
            roofline::table(&trace, by).render(Format::Csv),
            "{by:?}"
        );
    }
}
