//! The reports of Nsight Systems on the output of `weft export sqlite`.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use support::example::{ONE_BY_ONE, Run, WAYS, open};
use support::{shared, tool, weft};

const SMALL: [&str; 2] = [
    "nsys/nsys-ai_mock.sqlite.zst",
    "legate-nsys/stencil.sqlite.zst",
];

const LARGE: [&str; 2] = [
    "nsys/nsys-ai_fsdp_2gpu.sqlite.zst",
    "nsys/pipit_saxpy_mpi.sqlite.zst",
];

/// Every report of nsys 2022.4 about CUDA, NVTX and the operating system.
const REPORTS: [&str; 19] = [
    "apigpusum",
    "cudaapisum",
    "cudaapitrace",
    "gpukernsum",
    "gpumemsizesum",
    "gpumemtimesum",
    "gpusum",
    "gputrace",
    "kernexecsum",
    "kernexectrace",
    "nvtxgpuproj",
    "nvtxkernsum",
    "nvtxppsum",
    "nvtxpptrace",
    "nvtxsesum",
    "nvtxsum",
    "openmpevtsum",
    "osrtsum",
    "unifiedmemorytotals",
];

/// Returns the output of these reports on a database, as CSV.
fn reports(names: &[&str], database: &Path) -> String {
    let names = names.join(",");
    let output = Command::new("nsys")
        .args([
            "stats", "-q", "--format", "csv", "--output", "-", "--report", &names,
        ])
        .arg(database)
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the sums of two columns of a report, grouped by a third.
fn sums(report: &str, key: &str, columns: [&str; 2]) -> BTreeMap<String, [i64; 2]> {
    let mut reader = csv::Reader::from_reader(report.trim().as_bytes());
    let headers = reader.headers().unwrap().clone();
    let place = |name: &str| headers.iter().position(|header| header == name).unwrap();
    let (key, columns) = (place(key), columns.map(place));
    let mut sums = BTreeMap::new();
    for row in reader.records() {
        let row = row.unwrap();
        let sum: &mut [i64; 2] = sums.entry(row[key].to_owned()).or_default();
        for (sum, column) in sum.iter_mut().zip(columns) {
            *sum += row[column].parse::<i64>().unwrap();
        }
    }
    sums
}

/// Returns the rows of a query with a key and two numbers.
fn ours(database: &Path, sql: &str) -> BTreeMap<String, [i64; 2]> {
    let database = open(database);
    let mut select = database.prepare(sql).unwrap();
    let rows = select.query_map([], |row| Ok((row.get(0)?, [row.get(1)?, row.get(2)?])));
    rows.unwrap().map(Result::unwrap).collect()
}

fn export(input: &Path) -> PathBuf {
    let out = input.with_extension("weft.sqlite");
    let mut command = weft();
    command.args(["export", "sqlite"]).arg(input).arg("-o");
    command.arg(&out).assert().success();
    out
}

#[test]
fn nsys_reports_on_exports_match_the_original() {
    check_reports(SMALL);
}

#[test]
#[ignore = "nsys takes a minute for its reports on these: .ci/full"]
fn nsys_reports_on_large_exports_match_the_original() {
    check_reports(LARGE);
}

fn check_reports(files: [&str; 2]) {
    if tool("nsys").is_none() {
        return;
    }
    for name in files {
        let folder = tempfile::tempdir().unwrap();
        let Some(original) = shared(name, folder.path()) else {
            continue;
        };
        let export = export(&original);
        let expected = reports(&REPORTS, &original);
        assert!(expected.lines().count() > 10, "{name}: {expected}");
        assert!(reports(&REPORTS, &export) == expected, "{name}");

        let columns = ["Total Time (ns)", "Instances"];
        let kernels = reports(&["gpukernsum"], &export);
        if kernels.contains("Total Time") {
            let by_kernel = "SELECT name, total, kernels FROM weft_by_kernel WHERE kind = 'kernel'";
            assert_eq!(
                sums(&kernels, "Name", columns),
                ours(&export, by_kernel),
                "{name}"
            );
        }
        let moved = reports(&["gpumemtimesum"], &export);
        if moved.contains("Total Time") {
            let columns = ["Total Time (ns)", "Count"];
            let by_kernel =
                "SELECT name, total, kernels FROM weft_by_kernel WHERE kind != 'kernel'";
            assert_eq!(
                sums(&moved, "Operation", columns),
                ours(&export, by_kernel),
                "{name}"
            );
        }
    }
}

#[test]
fn exported_ranges_sum_to_the_tasks() {
    if tool("nsys").is_none() {
        return;
    }
    for way in WAYS {
        check_range_sums(way);
    }
}

fn check_range_sums(way: &str) {
    let flags = format!("{way} --cpus=2 --min-cpu-chunk=256");
    let run = Run::of("stencil", &flags, &["-n", "40", "-i", "3"]);
    let export = export(&run.prof());
    let report = reports(&["nvtxsum"], &export);
    let mut by_range: BTreeMap<String, [i64; 2]> = BTreeMap::new();
    for (range, sum) in sums(&report, "Range", ["Total Time (ns)", "Instances"]) {
        // `weft:<task> <file:line>`, and the number of further tasks
        let message = range.strip_prefix("weft:").unwrap();
        let (task, _) = message.split_once(' ').unwrap();
        let total = by_range.entry(task.to_owned()).or_default();
        *total = [total[0] + sum[0], total[1] + sum[1]];
    }
    let tasks = "SELECT name, sum(total), sum(tasks) FROM weft_by_task GROUP BY name";
    let by_task = ours(&export, tasks);
    assert!(by_task.len() > 3, "{by_task:?}");
    let all = |sums: &BTreeMap<String, [i64; 2]>, at: usize| -> i64 {
        sums.values().map(|sum| sum[at]).sum()
    };
    if way == ONE_BY_ONE {
        assert_eq!(by_range, by_task);
    }
    // Each task of a launch has its share of the time, in whole ns.
    let (ranges, times, count) = (all(&by_range, 0), all(&by_task, 0), all(&by_task, 1));
    assert!((ranges - times).abs() <= count, "{ranges}, not {times}");
    // Equal to the costs of `weft stats`, too.
    let mut stats = weft();
    stats
        .args(["stats", "--by", "task", "--format", "csv"])
        .arg(run.prof());
    let stats = String::from_utf8(stats.assert().success().get_output().stdout.clone()).unwrap();
    assert_eq!(by_task, sums(&stats, "task", ["total_ns", "count"]));
}
