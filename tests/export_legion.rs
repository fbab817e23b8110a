//! Profiles of Legate in `weft`.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;
use crate::tools;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use support::{Command, repository, weft};

const REAL: [&str; 4] = [
    "legate/black_scholes.prof.zst",
    "legate/cg.prof.zst",
    "legate/stencil.prof.zst",
    "legate-nsys/stencil.prof.zst",
];

/// Returns a packed profile that Legate wrote.
fn data(name: &str) -> PathBuf {
    repository().join("tests/data").join(name)
}

fn stdout(command: &mut Command) -> String {
    String::from_utf8(command.assert().success().get_output().stdout.clone()).unwrap()
}

#[test]
fn legate_profile_shows_cost_by_source_line() {
    let path = data("legate/stencil.prof.zst");
    let table = stdout(weft().args(["stats", "--format", "csv"]).arg(&path));
    let line = table
        .lines()
        .find(|line| line.starts_with("/home/user/examples/stencil.py:56,"));
    let expected = "/home/user/examples/stencil.py:56,cupynumeric::BinaryOpTask,50,145098699,";
    assert!(
        line.is_some_and(|line| line.starts_with(expected)),
        "{table}"
    );
    let sql =
        "SELECT COUNT(*), COUNT(DISTINCT opUid) FROM WEFT_TASK WHERE provenanceId IS NOT NULL";
    let counts = stdout(weft().args(["query", "--format", "csv", sql]).arg(&path));
    assert_eq!(counts.lines().nth(1), Some("306,154"), "{counts}");
}

#[test]
fn truncated_profile_is_shown_with_incomplete_status() {
    let bytes = support::unpack(&data("legate/stencil.prof.zst"));
    let folder = tempfile::tempdir().unwrap();
    let cut = folder.path().join("legate_0.prof");
    fs::write(&cut, &bytes[..bytes.len() - 1]).unwrap();
    let out = weft()
        .args(["stats", "--format", "csv"])
        .arg(&cut)
        .assert()
        .code(3);
    let table = String::from_utf8_lossy(&out.get_output().stdout).into_owned();
    assert!(table.contains("stencil.py:56,"), "{table}");
    let sql = "SELECT value, meaning FROM WEFT_LOSS WHERE severity = 'damage'";
    let out = weft()
        .args(["query", sql, "--format", "csv"])
        .arg(&cut)
        .assert()
        .code(3);
    let losses = String::from_utf8_lossy(&out.get_output().stdout).into_owned();
    assert!(losses.contains("it ends within a record"), "{losses}");

    fs::write(&cut, &bytes[..5000]).unwrap();
    let out = weft().arg("stats").arg(&cut).assert().code(1);
    let error = String::from_utf8_lossy(&out.get_output().stderr).into_owned();
    assert!(
        error.contains("of its preamble does not end: the file is truncated"),
        "{error}"
    );
}

/// Count and total (ns) of each kind of task.
type Tasks = BTreeMap<String, (u64, f64)>;

fn add(tasks: &mut Tasks, name: &str, count: u64, total: f64) {
    let sum = tasks.entry(name.to_owned()).or_default();
    *sum = (sum.0 + count, sum.1 + total);
}

/// Parses the tasks in the output of `legion_prof statistics`, which prints totals in µs, large
/// ones with four digits.
fn tasks_of_peer(text: &str) -> Tasks {
    let mut tasks = Tasks::new();
    let mut lines = text.lines().map(str::trim);
    while let Some(line) = lines.next() {
        let task = line
            .strip_prefix("Task ")
            .and_then(|line| line.split_once(" Variant "));
        let Some((name, _)) = task else { continue };
        let mut value = |label: &str| lines.next().unwrap().strip_prefix(label).unwrap().trim();
        let count = value("Invocations:").parse().unwrap();
        let total: f64 = value("Total time:")
            .trim_end_matches(" us")
            .parse()
            .unwrap();
        add(&mut tasks, name, count, total * 1000.0);
    }
    tasks
}

#[test]
fn legion_prof_counts_the_same_tasks() {
    let Some(legion_prof) = tools::program("legion_prof", "LEGION_PROF") else {
        return;
    };
    for name in REAL {
        let path = data(name);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("legate_0.prof");
        // legion_prof 0.2603.0 requires its own version number; the layouts are the same.
        let mut bytes = support::unpack(&path);
        let version = bytes
            .windows(4)
            .position(|window| window == b"1011")
            .unwrap();
        bytes[version + 3] = b'2';
        fs::write(&file, bytes).unwrap();
        let out = Command::new(&legion_prof)
            .arg("statistics")
            .arg(&file)
            .output()
            .unwrap();
        assert!(
            out.status.success(),
            "{}",
            String::from_utf8_lossy(&out.stderr)
        );
        let theirs = tasks_of_peer(&String::from_utf8_lossy(&out.stdout));

        let table = stdout(
            weft()
                .args(["stats", "--by", "task", "--format", "json"])
                .arg(&file),
        );
        let mut ours = Tasks::new();
        let rows: serde_json::Value = serde_json::from_str(&table).unwrap();
        for row in rows.as_array().unwrap() {
            let total = row["total_ns"].as_f64().unwrap();
            add(
                &mut ours,
                row["task"].as_str().unwrap(),
                row["count"].as_u64().unwrap(),
                total,
            );
        }
        assert_eq!(
            ours.keys().collect::<Vec<_>>(),
            theirs.keys().collect::<Vec<_>>(),
            "{name}"
        );
        for (task, (count, total)) in &ours {
            let (their_count, their_total) = theirs[task];
            assert_eq!(*count, their_count, "{name}: {task}");
            assert!(
                (total - their_total).abs() <= their_total / 1000.0,
                "{name}: {task} {total} {their_total}"
            );
        }
    }
}
