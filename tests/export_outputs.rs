//! `weft export perfetto` and `legion` on real runs, read by Perfetto's own definitions and by the
//! real `legion_prof`.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;
use crate::tools;

use std::path::PathBuf;
use std::process::Command;

use support::example::{ONE_BY_ONE, Run, WAYS};
use support::{program, repository, weft};

/// Runs in this way and returns the run with its one file.
fn run(way: &str) -> (Run, PathBuf) {
    let flags = format!("{way} --cpus=2 --min-cpu-chunk=256");
    let run = Run::of("stencil", &flags, &["-n", "64", "-i", "5"]);
    let prof = run.folder().join("weft_0.prof");
    assert!(prof.is_file() && program("stencil").is_file());
    (run, prof)
}

#[test]
fn perfetto_trace_contains_every_database_row() {
    for way in WAYS {
        check_perfetto_rows(way);
    }
}

fn check_perfetto_rows(way: &str) {
    let (run, prof) = run(way);
    let trace = run.folder().join("weft.pftrace");
    let database = run.folder().join("weft.sqlite");
    for (format, out) in [("perfetto", &trace), ("sqlite", &database)] {
        let mut command = weft();
        command
            .args(["export", format])
            .arg(&prof)
            .arg("-o")
            .arg(out);
        if format == "perfetto" {
            command.arg("--dependencies");
        }
        command.assert().success();
    }
    let Some(python) = tools::python_with("perfetto", "0.59") else {
        return;
    };
    let output = Command::new(python)
        .arg(repository().join("nvtx-export/tests/perfetto_check.py"))
        .args([&trace, &database])
        .arg("--dependencies")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

#[test]
fn legion_prof_counts_match_stats() {
    for way in WAYS {
        check_legion_prof_counts(way);
    }
}

fn check_legion_prof_counts(way: &str) {
    let (run, prof) = run(way);
    let out = run.folder().join("legion_%.prof");
    let export = weft()
        .args(["export", "legion"])
        .arg(&prof)
        .arg("-o")
        .arg(&out)
        .assert()
        .success();
    // Nothing of an intact run is left out; the time of shared launches is divided.
    let said = String::from_utf8_lossy(&export.get_output().stderr).into_owned();
    let divided = "tasks were given their share of a launch's time: legion_prof has no launches\n";
    match way == ONE_BY_ONE {
        true => assert_eq!(said, ""),
        false => assert!(
            said.ends_with(divided) && said.lines().count() == 1,
            "{said}"
        ),
    }
    let file = run.folder().join("legion_0.prof");
    let stats = weft()
        .args(["stats", "--by", "task", "--format", "csv"])
        .arg(&prof)
        .assert()
        .success();
    let stats = String::from_utf8(stats.get_output().stdout.clone()).unwrap();
    let again = weft()
        .args(["stats", "--by", "task", "--format", "csv"])
        .arg(&file)
        .assert()
        .success();
    let again = String::from_utf8(again.get_output().stdout.clone()).unwrap();
    // The format has no shares: the parts of a launch's time are in whole nanoseconds.
    let known = if way == ONE_BY_ONE { 4 } else { 3 };
    let rows = || {
        let rows = stats.lines().skip(1);
        rows.map(|row| row.split(',').collect::<Vec<&str>>())
    };
    for row in rows() {
        // Our own reader gets the same counts.
        let start = format!("{},", row[..known].join(","));
        let same = again.lines().any(|line| line.starts_with(&start));
        assert!(same, "{row:?}\n{again}");
    }
    assert!(rows().count() > 2, "{stats}");
    let Some(tool) = tools::program("legion_prof", "LEGION_PROF") else {
        return;
    };
    let said = Command::new(&tool)
        .arg("statistics")
        .arg(&file)
        .output()
        .unwrap();
    assert!(said.status.success());
    let said = String::from_utf8(said.stdout).unwrap();
    for row in rows() {
        let [name, variant, count, total, ..] = row[..] else {
            unreachable!("{row:?}");
        };
        let head = format!("      Task {name} Variant {variant}\n          Invocations: {count}\n");
        let (_, rest) = said
            .split_once(&head)
            .unwrap_or_else(|| unreachable!("{head}{said}"));
        let micros = total.parse::<f64>().unwrap() / 1000.0;
        assert!(
            way != ONE_BY_ONE || rest.starts_with(&format!("          Total time: {micros:.3} us")),
            "{row:?}\n{rest}"
        );
    }
    for command in ["archive", "trace"] {
        let out = run.folder().join(command);
        let status = Command::new(&tool)
            .arg(command)
            .arg(&file)
            .arg("-o")
            .arg(out)
            .output()
            .unwrap();
        assert!(
            status.status.success(),
            "{}",
            String::from_utf8_lossy(&status.stderr)
        );
    }
}
