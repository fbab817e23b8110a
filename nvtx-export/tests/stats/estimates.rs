//! Estimated shares of launches: marked in tables and views, and read back from databases.

use crate::support;

use rusqlite::Connection;
use support::{Small, join, shared, small};
use weft_analysis::stats::{self, By};
use weft_model::table::{Cell, Format, Table};
use weft_model::{ShareOrigin, Trace};
use weft_nvtx_export::Progress;
use weft_output::query;
use weft_output::sqlite::{self, WriteOptions};
use weft_trace::file::RunId;

/// Returns the column `estimated` of each row, by its first column.
fn estimates(table: &Table) -> Vec<(String, Option<i64>)> {
    let column = table.column("estimated").unwrap();
    let rows = table.rows().iter().map(|row| {
        let Cell::Text(name) = &row[0] else {
            unreachable!("{row:?}");
        };
        let estimated = match row[column] {
            Cell::Integer(number) => Some(number),
            _ => None,
        };
        (name.clone(), estimated)
    });
    rows.collect()
}

#[test]
fn marks_figures_of_split_launches_as_estimates() {
    let (_folder, prof) = small(RunId([1; 16]), 0, Small::default());
    let mut trace = join(&[prof]);
    let row = |name: &str, estimated| (name.to_owned(), estimated);
    let tasks = [
        row("add", None),
        row("mul", Some(150)),
        row("fill", Some(50)),
    ];
    for by in [By::Task, By::Operation] {
        let table = stats::table(&trace, by);
        assert_eq!(estimates(&table), tasks, "{by:?}");
        let text = table.render(Format::Table);
        let line = |name: &str| text.lines().find(|line| line.contains(name)).unwrap();
        assert!(line("mul").contains("~ 150 ns"), "{text}");
        assert!(!line("add").contains('~'), "{text}");
        assert!(
            text.lines().last().unwrap().starts_with("~ estimated: "),
            "{text}"
        );
    }
    // Both tasks of the launch are of line 20, so the line's time is known.
    let lines = [row("src/main.rs:10", None), row("src/main.rs:20", Some(0))];
    assert_eq!(estimates(&stats::table(&trace, By::Line)), lines);
    let text = stats::table(&trace, By::Line).render(Format::Table);
    let line = text.lines().find(|line| line.contains("rs:20")).unwrap();
    assert!(
        line.contains("| 200 ns |") || line.contains(" 200 ns |"),
        "{text}"
    );
    assert!(
        line.contains("~ 50 ns") && line.contains("~ 150 ns"),
        "{text}"
    );
    check_views_mark_estimates(&trace);
    // On different lines, the times are unknown.
    let recording = &mut trace.recording;
    for operation in &mut recording.program.operations {
        if recording.strings.get(operation.name) == "fill" {
            operation.provenance = recording.program.provenances.iter().next().unwrap().0;
        }
    }
    let lines = [
        row("src/main.rs:10", Some(50)),
        row("src/main.rs:20", Some(150)),
    ];
    assert_eq!(estimates(&stats::table(&trace, By::Line)), lines);
    check_views_mark_estimates(&trace);
    // Shares that were timed are not estimates.
    for launch in &mut trace.work.launches {
        launch.split = ShareOrigin::Measured;
    }
    for by in [By::Task, By::Operation, By::Line] {
        let table = stats::table(&trace, by);
        assert!(
            estimates(&table)
                .iter()
                .all(|(_, estimated)| estimated.is_none())
        );
        assert!(!table.render(Format::Table).contains('~'));
    }
    check_views_mark_estimates(&trace);
}

fn check_views_mark_estimates(trace: &Trace) {
    let ask = |sql: &str| query::select(trace, sql, &Progress::default()).unwrap();
    let sorted = |mut rows: Vec<(String, Option<i64>)>| {
        rows.sort();
        rows
    };
    let tasks = ask("SELECT name, estimated FROM weft_by_task");
    assert_eq!(
        sorted(estimates(&tasks)),
        sorted(estimates(&stats::table(trace, By::Task)))
    );
    let lines = ask("SELECT file || ':' || line, estimated FROM weft_by_line");
    assert_eq!(
        sorted(estimates(&lines)),
        sorted(estimates(&stats::table(trace, By::Line)))
    );
    let marked = ask("SELECT count(*) FROM weft_task_time WHERE estimated <> 0");
    let divided = trace
        .work
        .launches
        .iter()
        .filter(|launch| launch.split.is_estimated());
    let divided: usize = divided.map(|launch| launch.served().count()).sum();
    assert_eq!(marked.rows(), [[Cell::Integer(divided as i64)]]);
}

#[test]
fn estimates_match_between_stats_and_sql() {
    let recordings = [
        ("legate/cg.prof.zst", "cg.prof"),
        ("legate/stencil.prof.zst", "stencil.prof"),
        ("legate/black_scholes.prof.zst", "black_scholes.prof"),
        ("legate-nsys/stencil.prof.zst", "stencil.prof"),
        ("gpu/cg.prof.zst", "cg.prof"),
        ("gpu/cggraph.prof.zst", "cggraph.prof"),
        ("gpu/py.prof.zst", "py.prof"),
        ("gpu/stencil.prof.zst", "stencil.prof"),
    ];
    for (name, unpacked) in recordings {
        let Some((_folder, path)) = shared(name, unpacked) else {
            continue;
        };
        let mut trace = join(&[path]);
        let recorded = compare_estimates(&trace);
        // Few of these have estimated shares, so all shares are also compared as if they were
        // estimated.
        for launch in &mut trace.work.launches {
            launch.split = ShareOrigin::Estimated;
        }
        let all = compare_estimates(&trace);
        assert!(recorded <= all && all > 0, "{name}: {recorded} of {all}");
    }
}

/// Compares the estimates of lines and tasks in stats with those of the views. Returns the number
/// of estimated rows.
fn compare_estimates(trace: &Trace) -> usize {
    let known = |table: &Table| {
        let column = table.column("estimated").unwrap();
        let rows = table.rows().iter();
        let rows = rows.filter_map(|row| match (row.first(), row.get(column)) {
            (Some(Cell::Text(name)), Some(Cell::Integer(time))) => Some((name.clone(), *time)),
            _ => None,
        });
        // Work without a line or an operation has no name in SQL.
        let mut rows: Vec<(String, i64)> = rows.filter(|row| !row.0.starts_with('(')).collect();
        rows.sort();
        rows
    };
    let ask = |sql: &str| query::select(trace, sql, &Progress::default()).unwrap();
    let lines = ask("SELECT file || ':' || line AS line, estimated FROM weft_by_line");
    let lines = (known(&lines), known(&stats::table(trace, By::Line)));
    assert_eq!(lines.0, lines.1);
    let tasks = ask("SELECT name, estimated FROM weft_by_task");
    let tasks = (known(&tasks), known(&stats::table(trace, By::Task)));
    assert_eq!(tasks.0, tasks.1);
    lines.0.len() + tasks.0.len()
}

#[test]
fn measured_shares_are_not_estimates() {
    let what = Small {
        measured: true,
        ..Small::default()
    };
    let (_folder, prof) = small(RunId([1; 16]), 0, what);
    let trace = join(&[prof]);
    let shares: Vec<f64> = trace.work.launches[2]
        .served()
        .map(|(_, share)| share)
        .collect();
    assert_eq!(shares, [0.75, 0.25]);
    for by in [By::Task, By::Operation, By::Line, By::Critical] {
        let table = stats::table(&trace, by);
        let estimates = estimates(&table);
        assert!(estimates.iter().all(|(_, time)| time.is_none()), "{by:?}");
        assert!(!table.render(Format::Table).contains('~'), "{by:?}");
    }
}

#[test]
fn database_stores_estimated_shares_and_older_ones_mean_all() {
    let (folder, prof) = small(RunId([1; 16]), 0, Small::default());
    let mut trace = join(&[prof]);
    let splits = |trace: &Trace| -> Vec<ShareOrigin> {
        trace
            .work
            .launches
            .iter()
            .map(|launch| launch.split)
            .collect()
    };
    let estimated = [
        ShareOrigin::Measured,
        ShareOrigin::Measured,
        ShareOrigin::Estimated,
    ];
    assert_eq!(splits(&trace), estimated);
    let out = folder.path().join("a.sqlite");
    sqlite::write(&trace, &out, &WriteOptions::default()).unwrap();
    assert_eq!(splits(&join(std::slice::from_ref(&out))), estimated);
    trace.work.launches[2].split = ShareOrigin::Measured;
    let timed = folder.path().join("b.sqlite");
    sqlite::write(&trace, &timed, &WriteOptions::default()).unwrap();
    assert_eq!(splits(&join(&[timed])), [ShareOrigin::Measured; 3]);
    let database = Connection::open(&out).unwrap();
    let views: Vec<String> = {
        let views = "SELECT name FROM sqlite_master WHERE type = 'view'";
        let mut views = database.prepare(views).unwrap();
        let names = views.query_map([], |row| row.get(0)).unwrap();
        names.map(Result::unwrap).collect()
    };
    for view in views {
        database
            .execute_batch(&format!("DROP VIEW {view}"))
            .unwrap();
    }
    let older = "ALTER TABLE WEFT_LAUNCH_TASK DROP COLUMN estimated";
    database.execute_batch(older).unwrap();
    drop(database);
    assert_eq!(splits(&join(&[out])), estimated);
}
