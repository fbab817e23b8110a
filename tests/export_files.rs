//! `weft export`, `weft stats` and `weft query` on the files of real runs, with the built binaries.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::fs;
use std::path::{Path, PathBuf};

use support::example::WAYS;
use support::{files, tool, under_nsys, weft};
use tempfile::TempDir;

/// Runs the stencil with profiling and returns the folder of its files.
fn run(flags: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let assert = under_nsys(|| {
        let mut command = weft();
        command
            .current_dir(folder.path())
            .args(["run", "--profile", "--cpus=2"])
            .args(flags)
            .arg(support::program("stencil"))
            .args(["-n", "40", "-i", "3"]);
        command
    });
    assert.success();
    folder
}

/// The flag that cuts small arrays into several tiles.
const TILES: &str = "--min-cpu-chunk=256";

/// Returns the rows of a query, without the heading.
fn ask(inputs: &[PathBuf], sql: &str) -> Vec<String> {
    let assert = weft()
        .args(["query", "--format", "csv", sql])
        .args(inputs)
        .assert()
        .success();
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    text.lines().skip(1).map(str::to_owned).collect()
}

fn query_number(inputs: &[PathBuf], sql: &str) -> i64 {
    ask(inputs, sql).first().unwrap().parse().unwrap()
}

/// Invariants of every run: SQL that counts the rows that violate them.
const INVARIANTS: &[(&str, &str)] = &[
    (
        "a kernel is linked or has a reason, never both",
        "SELECT count(*) FROM WEFT_KERNEL k WHERE \
         (SELECT count(*) FROM WEFT_KERNEL_TASK l WHERE l.kernelId = k.id) > 0 \
         = (SELECT count(*) FROM WEFT_UNMATCHED u WHERE u.kernelId = k.id)",
    ),
    (
        "shares of a launch add up to 1",
        "SELECT count(*) FROM (SELECT abs(sum(share) - 1) AS off FROM WEFT_LAUNCH_TASK \
         GROUP BY sourceId, launchUid) WHERE off > 1e-9",
    ),
    (
        "an operation has as many tasks as it says",
        "SELECT count(*) FROM WEFT_OPERATION o WHERE o.tasks != \
         (SELECT count(*) FROM WEFT_TASK t WHERE t.opUid = o.uid)",
    ),
    (
        "no task starts before those it depends on end, but for those of its own launch",
        "SELECT count(*) FROM WEFT_DEPENDENCY d JOIN WEFT_TASK a ON a.uid = d.fromUid \
         JOIN WEFT_TASK b ON b.uid = d.toUid JOIN WEFT_LAUNCH_TASK one ON one.taskUid = a.uid \
         JOIN WEFT_LAUNCH_TASK two ON two.taskUid = b.uid WHERE b.start < a.end AND one.launchUid <> two.launchUid",
    ),
    (
        "created, ready, start and end stand in that order",
        "SELECT count(*) FROM WEFT_TASK WHERE NOT (created <= start AND ready <= start AND start <= end)",
    ),
    (
        "a kernel lies in its launch",
        "SELECT count(*) FROM WEFT_KERNEL k JOIN WEFT_KERNEL_TASK l ON l.kernelId = k.id JOIN WEFT_LAUNCH n \
         ON n.uid = l.launchUid AND n.sourceId = l.sourceId WHERE k.start < n.start OR k.end > n.end",
    ),
    (
        "every task of a task's operation has a line",
        "SELECT count(*) FROM WEFT_TASK WHERE provenanceId IS NULL",
    ),
];

fn check_invariants(inputs: &[PathBuf]) {
    for (what, sql) in INVARIANTS {
        assert_eq!(query_number(inputs, sql), 0, "{what}");
    }
    assert!(query_number(inputs, "SELECT count(*) FROM WEFT_KERNEL") > 10);
    assert_eq!(
        query_number(inputs, "SELECT count(*) FROM WEFT_UNMATCHED"),
        0
    );
}

#[test]
fn exports_satisfy_invariants_and_agree_on_line_costs() {
    for way in WAYS {
        let words: Vec<&str> = way.split_whitespace().chain([TILES]).collect();
        check_run_invariants(&run(&words));
    }
}

fn check_run_invariants(folder: &TempDir) {
    let inputs = [folder.path().join("weft_0.prof")];
    check_invariants(&inputs);
    let assert = weft()
        .args(["stats", "--by", "line", "--columns", "line,kernel time"])
        .args(&inputs)
        .assert()
        .success();
    let stats = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    let mut stats = stats.lines();
    assert_eq!(stats.next(), Some("line,kernel_time_ns"));
    let mut stats: Vec<String> = stats.map(str::to_owned).collect();
    let mut views = ask(
        &inputs,
        "SELECT file || ':' || line || ',' || kernelTime FROM weft_by_line WHERE tasks > 0",
    );
    for line in &mut views {
        *line = line.trim_matches('"').to_owned();
    }
    stats.sort();
    views.sort();
    assert_eq!(stats, views);
    assert!(stats.len() > 4, "{stats:?}");
}

#[test]
fn detects_files_by_content_and_replaces_only_with_force() {
    let folder = run(&[]);
    let odd = folder.path().join("no ending");
    fs::rename(folder.path().join("weft_0.prof"), &odd).unwrap();
    let out = folder.path().join("out.sqlite");
    let export = |format: &str, input: &Path, out: &Path| {
        let mut command = weft();
        command
            .args(["export", format])
            .arg(input)
            .arg("-o")
            .arg(out);
        command
    };
    export("sqlite", &odd, &out)
        .assert()
        .success()
        .stdout("")
        .stderr("");
    let text = export("sqlite", &odd, &out)
        .assert()
        .code(2)
        .get_output()
        .stderr
        .clone();
    let text = String::from_utf8(text).unwrap();
    assert!(
        text.ends_with(
            "out.sqlite exists; use --force to replace it, or choose another name with -o\n"
        ),
        "{text}"
    );
    export("sqlite", &odd, &out)
        .arg("--force")
        .assert()
        .success();
    export("text", &odd, &folder.path().join("out.txt"))
        .assert()
        .success();
    assert_eq!(files(folder.path()), ["no ending", "out.sqlite", "out.txt"]);

    let from_file = export("text", &odd, Path::new("-"))
        .assert()
        .success()
        .get_output()
        .stdout
        .clone();
    let from_database = export("text", &out, Path::new("-"))
        .assert()
        .success()
        .get_output()
        .stdout
        .clone();
    assert!(from_file.starts_with(b"source 1: weft-prof, rank 0\nkernels "));
    assert_eq!(from_file, from_database);
    assert_eq!(from_file, fs::read(folder.path().join("out.txt")).unwrap());

    let refused = export("sqlite", Path::new("/etc/hostname"), &out)
        .arg("--force")
        .assert()
        .code(1);
    let text = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
    assert!(
        text.contains("/etc/hostname is not a trace: it begins with"),
        "{text}"
    );
    export("sqlite", Path::new("/no/such/file"), &out)
        .arg("--force")
        .assert()
        .code(1);
    weft()
        .args(["export", "sqlite", "-o", "x"])
        .assert()
        .code(2);
    weft()
        .args(["export", "pdf"])
        .arg(&odd)
        .args(["-o", "x"])
        .assert()
        .code(2);
}

#[test]
fn reads_damaged_input_up_to_the_damage() {
    let folder = run(&[]);
    let path = folder.path().join("weft_0.prof");
    let bytes = fs::read(&path).unwrap();
    let used = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    fs::write(&path, &bytes[..used - 2_000]).unwrap();
    let out = folder.path().join("out.sqlite");
    let assert = weft()
        .args(["export", "sqlite"])
        .arg(&path)
        .arg("-o")
        .arg(&out)
        .assert()
        .code(3);
    let text = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(text.contains("weft_0.prof is damaged: "), "{text}");
    let damage = "SELECT count(*) FROM WEFT_LOSS WHERE severity = 'damage' AND value > 0";
    let assert = weft().args(["query", damage]).arg(&out).assert().code(3);
    let count = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert_ne!(count.lines().nth(1), Some("0"));
}

#[test]
fn refuses_to_mix_two_runs() {
    let (one, two) = (run(&[]), run(&[]));
    let inputs = [
        one.path().join("weft_0.prof"),
        two.path().join("weft_0.prof"),
    ];
    let assert = weft().arg("stats").args(&inputs).assert().code(2);
    let text = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(
        text.ends_with("give the files of one run, or use --mix-runs\n"),
        "{text}"
    );
    weft()
        .args(["stats", "--mix-runs"])
        .args(&inputs)
        .assert()
        .success();
}

#[test]
fn every_cost_table_is_valid_csv_and_json() {
    let folder = run(&[]);
    let input = folder.path().join("weft_0.prof");
    for by in [
        "task",
        "operation",
        "kernel",
        "line",
        "range",
        "range-name",
        "processor",
        "memory",
        "channel",
        "gap",
    ] {
        let stats = |format: &str| {
            let mut command = weft();
            let command = command
                .args(["stats", "--by", by, "--format", format, "--limit", "0"])
                .arg(&input);
            String::from_utf8(command.assert().success().get_output().stdout.clone()).unwrap()
        };
        let rows: Vec<serde_json::Map<String, serde_json::Value>> =
            serde_json::from_str(&stats("json")).unwrap();
        let csv = stats("csv");
        assert_eq!(csv.lines().count(), rows.len() + 1, "{by}");
        // Below the rows is an explanation of marks, if there are any. A sentence replaces an empty
        // table.
        let is_marked = |row: &serde_json::Map<String, serde_json::Value>| {
            row.get("estimated_ns")
                .is_some_and(|value| !value.is_null())
        };
        let lines = match rows.is_empty() {
            true => 0,
            false => 2 + rows.len() + usize::from(rows.iter().any(is_marked)),
        };
        assert_eq!(stats("table").lines().count(), lines, "{by}");
        // In a short run workers may have no work, and so no gaps.
        if by == "channel" || (by == "gap" && rows.is_empty()) {
            continue;
        }
        // One range's time is no share of all: ranges nest.
        if by != "range" {
            let share: f64 = rows.iter().map(|row| row["share"].as_f64().unwrap()).sum();
            assert!((share - 1.0).abs() < 1e-9, "{by}: {share}");
        }
        // A parsed object has its keys in alphabetical order.
        let keys: Vec<&str> = rows[0].keys().map(String::as_str).collect();
        let mut heading: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
        heading.sort_unstable();
        assert_eq!(heading, keys);
    }
}

#[test]
fn nsys_records_weft_launches_and_reads_the_export() {
    if tool("nsys").is_none() {
        return;
    }
    for way in WAYS {
        let words: Vec<&str> = way.split_whitespace().chain([TILES, "--nsys"]).collect();
        check_nsys_launches(&run(&words));
    }
}

fn check_nsys_launches(folder: &TempDir) {
    let joined = [folder.path().join("weft.sqlite")];
    check_invariants(&joined);
    let meta = |key: &str| {
        query_number(
            &joined,
            &format!("SELECT value FROM WEFT_META WHERE key = '{key}'"),
        )
    };
    let kernels = query_number(&joined, "SELECT count(*) FROM WEFT_KERNEL");
    assert_eq!(
        (
            meta("range_agreed"),
            meta("range_disagreed"),
            meta("range_absent")
        ),
        (kernels, 0, 0)
    );
    let launches = "SELECT count(*) FROM (SELECT uid FROM WEFT_LAUNCH EXCEPT SELECT uint64Value FROM NVTX_EVENTS)";
    assert_eq!(query_number(&joined, launches), 0);
    let ranges = "SELECT count(*) FROM (SELECT uint64Value FROM NVTX_EVENTS WHERE uint64Value IS NOT NULL \
                  EXCEPT SELECT uid FROM WEFT_LAUNCH)";
    assert_eq!(query_number(&joined, ranges), 0);

    // Weft's names for the launches are those that it passed to NVTX.
    let names = |inputs: &[PathBuf]| {
        ask(
            inputs,
            "SELECT e.uint64Value, coalesce(e.text, s.value), e.color FROM NVTX_EVENTS e \
             LEFT JOIN StringIds s ON s.id = e.textId WHERE e.uint64Value IS NOT NULL ORDER BY 1",
        )
    };
    let made = names(&[folder.path().join("weft_0.prof")]);
    assert_eq!(names(&joined), made);

    // nsys's own report on Weft's database: each range once.
    let alone = folder.path().join("alone.sqlite");
    let prof = folder.path().join("weft_0.prof");
    weft()
        .args(["export", "sqlite"])
        .arg(prof)
        .arg("-o")
        .arg(&alone)
        .assert()
        .success();
    for database in [&joined[0], &alone] {
        let report = std::process::Command::new("nsys")
            .args([
                "stats",
                "-q",
                "--report",
                "nvtxpptrace",
                "--format",
                "csv",
                "--output",
                "-",
            ])
            .arg(database)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&report.stdout).into_owned();
        let rows = text.lines().filter(|line| line.contains(".rs:")).count();
        assert_eq!(rows, made.len(), "{text}");
    }
}
