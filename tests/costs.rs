//! Costs in profiles: shares of launches, and bytes moved by kernels.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a failed helper fails its test"
)]

use crate::support;

use support::example::{FUSED, Run, WAYS, export, number};
use support::weft;

/// Returns the number of tasks in launches that serve several, by whether their shares are
/// estimated.
fn shared(run: &Run) -> [i64; 2] {
    let database = export(&[&run.prof()], run.folder());
    [0, 1].map(|estimated| {
        let question = format!(
            "SELECT count(*) FROM WEFT_LAUNCH_TASK WHERE share < 1 AND estimated = {estimated}"
        );
        number(&database, &question)
    })
}

#[test]
fn measures_shares_of_large_launches_and_estimates_small_ones() {
    let flags = format!("{FUSED} --cpus 1");
    let large = Run::of("stencil", &flags, &["-n", "1000", "-i", "4"]);
    let [measured, estimated] = shared(&large);
    assert!(measured > 8, "{measured} measured, {estimated} estimated");
    // In a launch with a few blocks only the first is timed; a launch of one block is timed
    // completely.
    let small = Run::of("stencil", &flags, &["-n", "100", "-i", "4"]);
    let [measured, estimated] = shared(&small);
    assert!(
        estimated > 8 && measured < estimated,
        "{measured} measured, {estimated} estimated"
    );
}

/// Returns a column of a row of `weft stats --by kernel`, by the kernel's name.
fn of_kernel(run: &Run, name: &str, column: &str) -> Option<f64> {
    let mut command = weft();
    command
        .args(["stats", "--by", "kernel", "--format", "csv"])
        .arg(run.prof());
    let output = command.output().expect("weft runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let heading = lines.next().expect("a heading");
    let at = heading.iter().position(|known| *known == column);
    let at = at.unwrap_or_else(|| panic!("no {column} in {text}"));
    let row = lines.find(|row| row.first() == Some(&name));
    let row = row.unwrap_or_else(|| panic!("no {name} in {text}"));
    row.get(at).and_then(|cell| cell.parse().ok())
}

/// Every task is a kernel of one tile, of one worker.
const ONE_TILE: &str = "--cpus 1 --min-cpu-chunk 1048576 --max-inline-chunk 0 --fusion-wait 2000";

#[test]
fn product_bytes_cover_matrix_and_vectors() {
    let (n, flags) = (
        40,
        format!("{ONE_TILE} --fusion=false --profile-bandwidth=false"),
    );
    let run = Run::of("cg", &flags, &["-n", "40", "-m", "60"]);
    let database = export(&[&run.prof()], run.folder());
    let rows: i64 = n * n;
    let of_others = format!(
        "SELECT count(*) FROM WEFT_KERNEL WHERE name = 'matvec_f64' AND (bytesRead, bytesWritten) <> ({}, {})",
        (rows * rows + rows) * 8,
        rows * 8
    );
    assert_eq!(number(&database, &of_others), 0);
    let of_others = format!(
        "SELECT count(*) FROM WEFT_KERNEL WHERE name = 'matvec_f64' AND floatOperations <> {}",
        2 * rows * rows
    );
    assert_eq!(number(&database, &of_others), 0);
    let sum = |what: &str| {
        let question = format!("SELECT sum({what}) FROM WEFT_KERNEL WHERE name = 'matvec_f64'");
        number(&database, &question)
    };
    let rate = sum("bytesRead + bytesWritten") as f64 / sum("end - start") as f64;
    // One worker runs one kernel at a time.
    let shown = of_kernel(&run, "matvec_f64", "gb_per_s").expect("a rate");
    assert!((shown / rate - 1.0).abs() < 1e-2, "{shown}, not {rate}");
    assert_eq!(of_kernel(&run, "matvec_f64", "of_bandwidth"), None);
    let speeds = "SELECT count(*) FROM WEFT_BANDWIDTH";
    assert_eq!(number(&database, speeds), 0, "--profile-bandwidth=false");
}

/// Returns the rows of `weft stats --roofline`, as JSON.
fn roofline(run: &Run, by: &str) -> Vec<serde_json::Value> {
    let mut command = weft();
    command.args(["stats", "--roofline", "--format", "json", "--by", by]);
    let assert = command.arg(run.prof()).assert().success();
    serde_json::from_slice(&assert.get_output().stdout).expect("a list")
}

#[test]
fn line_operation_counts_do_not_depend_on_flags() {
    let (n, iterations) = (60, 5);
    for flags in WAYS {
        let run = Run::of("stencil", flags, &["-n", "60", "-i", "5"]);
        let rows = roofline(&run, "line");
        let of = |line: u32| -> Vec<i64> {
            let place = format!("main.rs:{line}");
            let is_of = |row: &&serde_json::Value| {
                row["line"]
                    .as_str()
                    .is_some_and(|line| line.ends_with(&place))
            };
            let rows = rows.iter().filter(is_of);
            rows.map(|row| row["flop"].as_i64().expect("a known number"))
                .collect()
        };
        // Four sums and a product of each point, a copy, and the sum of the grid with its border.
        assert_eq!(of(50), [4 * n * n * iterations], "{flags}");
        assert_eq!(of(51), [n * n * iterations], "{flags}");
        assert_eq!(of(52), [0], "{flags}");
        assert_eq!(of(83), [(n + 2) * (n + 2) - 1], "{flags}");
        let all: i64 = rows.iter().filter_map(|row| row["flop"].as_i64()).sum();
        let of_kernels = roofline(&run, "kernel");
        let of_kernels = of_kernels.iter().filter_map(|row| row["flop"].as_i64());
        assert_eq!(of_kernels.sum::<i64>(), all, "{flags}");
    }
}

#[test]
fn roofline_limits_need_counts_and_speeds() {
    let run = Run::of(
        "stencil",
        "--cpus 1 --profile-bandwidth=false",
        &["-n", "40", "-i", "2"],
    );
    let said = |inputs: &std::path::Path| {
        let mut command = weft();
        let command = command.args(["stats", "--roofline"]).arg(inputs);
        let said = command.assert().success().get_output().stderr.clone();
        String::from_utf8(said).expect("text")
    };
    assert!(said(&run.prof()).contains("the limit is unknown: "));
    assert!(
        roofline(&run, "line")
            .iter()
            .all(|row| row["limit"] == "unknown")
    );
    let folder = tempfile::tempdir().expect("a folder");
    let legate = support::shared("legate/stencil.prof.zst", folder.path()).expect("a profile");
    assert!(said(&legate).contains("these inputs have no counts of floating-point operations"));
    let mut command = weft();
    let command = command.args(["stats", "--roofline", "--by", "gap"]);
    command.arg(run.prof()).assert().code(2);
}

#[test]
fn fused_stencil_counts_its_grid_once() {
    let run = Run::of("stencil", ONE_TILE, &["-n", "500", "-i", "4"]);
    let database = export(&[&run.prof()], run.folder());
    // A tile of r rows reads from the first element of its northern view to the last of its
    // southern one, without two corners, and the factor.
    let read = "((bytesWritten / 8 / 500 + 2) * 502 - 2 + 1) * 8";
    let fused = "FROM WEFT_KERNEL WHERE name = 'add_add_add_add_multiply_copy_f64'";
    let once = format!("SELECT count(*) {fused} AND bytesRead = {read}");
    assert!(number(&database, &once) > 0);
    let more = format!("SELECT count(*) {fused} AND bytesRead > {read}");
    assert_eq!(number(&database, &more), 0, "an operand counts twice");
    // A busy machine may have no measured speed; an idle one has.
    let speeds = "SELECT count(*) FROM WEFT_BANDWIDTH WHERE deviceId IS NULL AND origin = 'measured' \
                  AND bytesPerSecond > 100000000";
    let all = number(&database, "SELECT count(*) FROM WEFT_BANDWIDTH");
    assert_eq!(number(&database, speeds), all);
    assert!(all <= 1);
}

/// Returns counts and totals of `weft stats --by line` of a part of a run.
fn of_part(run: &Run, part: &str) -> (i64, i64) {
    let mut command = weft();
    command.args([
        "stats",
        "--format",
        "json",
        "--columns",
        "count,total",
        "--between",
        part,
    ]);
    let output = command
        .arg(run.prof())
        .assert()
        .success()
        .get_output()
        .stdout
        .clone();
    let rows: Vec<serde_json::Value> = serde_json::from_slice(&output).expect("a list");
    let sum = |column: &str| rows.iter().filter_map(|row| row[column].as_i64()).sum();
    (sum("count"), sum("total_ns"))
}

#[test]
fn parts_of_a_run_sum_to_the_run() {
    let run = Run::of("stencil", "--cpus 2", &["-n", "100", "-i", "30"]);
    let whole = of_part(&run, "0%..100%");
    assert_eq!(whole, of_part(&run, ".."));
    assert!(whole.0 > 0);
    for cut in ["10%", "37.5%", "1ms", "100us", "99%"] {
        let (first, second) = (
            of_part(&run, &format!("..{cut}")),
            of_part(&run, &format!("{cut}..")),
        );
        assert_eq!((first.0 + second.0, first.1 + second.1), whole, "{cut}");
    }
    assert!(of_part(&run, "..50%").0 < whole.0);
}

#[test]
fn loop_iterations_are_parts_of_the_run() {
    let iterations = 30;
    let run = Run::of(
        "stencil",
        "--cpus 1",
        &["-n", "100", "-i", &iterations.to_string()],
    );
    let mut stats = weft();
    let output = stats.args(["stats", "--format", "table"]).arg(run.prof());
    let said = String::from_utf8(output.assert().success().get_output().stderr.clone());
    let said = said.expect("text");
    let (_, rest) = said.split_once(" has ").expect("a note of the loop");
    let count: usize = rest
        .split(' ')
        .next()
        .and_then(|n| n.parse().ok())
        .expect(rest);
    assert!((iterations - 1..=iterations).contains(&count), "{said}");
    let part = |part: &str| of_part(&run, part);
    let last = count - 1;
    // Adjacent parts add up, and each iteration has as much as any other.
    let all = part(&format!("iteration:0..{last}"));
    for cut in [1, 7, last] {
        let first = part(&format!("iteration:0..{}", cut - 1));
        let rest = part(&format!("iteration:{cut}..iteration:{last}"));
        assert_eq!((first.0 + rest.0, first.1 + rest.1), all, "{cut}");
    }
    let steady = part("steady");
    assert!(
        steady.0 > all.0 / 3 && steady.0 <= all.0,
        "{steady:?} of {all:?}"
    );
    assert!(all.0 <= part("..").0);
    for (part, why) in [
        (format!("iteration:{count}"), "there is no iteration"),
        ("iteration:5..3".to_owned(), "ends before it begins"),
    ] {
        let mut command = weft();
        let assert = command
            .args(["stats", "--between", &part])
            .arg(run.prof())
            .assert();
        let message = String::from_utf8(assert.code(2).get_output().stderr.clone());
        assert!(message.expect("text").contains(why), "{part}");
    }
}

#[test]
fn all_commands_accept_between() {
    let run = Run::of("stencil", "--cpus 1", &["-n", "100", "-i", "20"]);
    let answer = |arguments: &[&str]| {
        let output = weft().args(arguments).arg(run.prof()).assert().success();
        let json: serde_json::Value =
            serde_json::from_slice(&output.get_output().stdout).expect("JSON");
        json
    };
    let advice = |more: &[&str]| answer(&[&["advise", "--format", "json"], more].concat());
    let measured = |advice: &serde_json::Value| advice["replay"]["measured_ns"].as_i64();
    let (whole, part) = (advice(&[]), advice(&["--between", "iteration:3..10"]));
    assert!(measured(&part) < measured(&whole) && measured(&part) > Some(0));
    assert_eq!(whole["part"], serde_json::Value::Null);
    assert_eq!(part["part"], "iteration:3..iteration:10");
    let tasks = |more: &[&str]| {
        let graph = answer(&[&["graph", "dataflow", "--format", "json"], more].concat());
        let nodes = graph["nodes"].as_array().expect("a list").clone();
        nodes
            .iter()
            .filter_map(|node| node["tasks"].as_u64())
            .sum::<u64>()
    };
    let stats = of_part(&run, "iteration:3..10");
    assert_eq!(tasks(&["--between", "iteration:3..10"]), stats.0 as u64);
    assert!(tasks(&[]) > stats.0 as u64);
}

#[test]
fn absent_parts_are_usage_errors() {
    let run = Run::of("stencil", "--cpus 1", &["-n", "40", "-i", "3"]);
    for (part, view, why) in [
        ("10ms", "line", "is one moment"),
        ("90%..10%", "line", "ends before it begins"),
        ("scope:none", "line", "the program named none"),
        (
            "1ms..2ms",
            "gap",
            "--between is not possible with --by range",
        ),
    ] {
        let mut command = weft();
        let assert = command
            .args(["stats", "--between", part, "--by", view])
            .arg(run.prof())
            .assert()
            .code(2);
        let message = String::from_utf8(assert.get_output().stderr.clone()).expect("text");
        assert!(message.contains(why), "{message}");
    }
}
