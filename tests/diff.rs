//! `weft diff`, and the flags it shares with `weft stats`.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::path::PathBuf;

use support::example::Run;
use support::{Command, shared, weft};

fn stdout(command: &mut Command) -> String {
    String::from_utf8(command.assert().success().get_output().stdout.clone()).unwrap()
}

fn stderr_of_wrong_usage(arguments: &[&str]) -> String {
    let assert = weft().args(arguments).assert().code(2).stdout("");
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}

/// Rows of CSV, by column name.
struct Rows(Vec<serde_json::Map<String, serde_json::Value>>);

impl Rows {
    fn of(command: &mut Command) -> Rows {
        Rows(serde_json::from_str(&stdout(command.args(["--format", "json"]))).unwrap())
    }

    fn number(&self, row: usize, column: &str) -> Option<i64> {
        self.0[row][column].as_i64()
    }

    fn sum(&self, column: &str) -> i64 {
        let numbers = self.0.iter().filter_map(|row| row[column].as_i64());
        numbers.sum()
    }
}

#[test]
fn diff_shows_both_runs_with_their_costs() {
    let before = Run::of("stencil", "--cpus=2", &["-n", "40", "-i", "3"]);
    let after = Run::of("stencil", "--cpus=2", &["-n", "40", "-i", "6"]);
    let (before, after) = (before.prof(), after.prof());
    for by in ["line", "task", "operation", "kernel", "processor", "memory"] {
        let stats = |input: &PathBuf| Rows::of(weft().args(["stats", "--by", by]).arg(input));
        let mut diff = weft();
        diff.args(["diff", "--by", by, "--format", "json"]);
        diff.arg(&before).arg("--").arg(&after);
        let diff = Rows(serde_json::from_str(&stdout(&mut diff)).unwrap());
        let unit = if by == "memory" { "bytes" } else { "ns" };
        let total = |side: &str| diff.sum(&format!("total_{side}_{unit}"));
        let single = format!("total_{unit}");
        assert_eq!(total("before"), stats(&before).sum(&single), "{by}");
        assert_eq!(total("after"), stats(&after).sum(&single), "{by}");
        assert_eq!(diff.sum("count_after"), stats(&after).sum("count"), "{by}");
        let difference = format!("difference_{unit}");
        assert_eq!(diff.sum(&difference), total("after") - total("before"));
        let changes: Vec<i64> = (0..diff.0.len())
            .map(|row| diff.number(row, &difference).unwrap().abs())
            .collect();
        assert!(changes.is_sorted_by(|a, b| a >= b), "{by}: {changes:?}");
    }
    // Twice the iterations: twice the tasks of the lines in the loop, and as many of those before
    // it.
    let mut diff = weft();
    diff.args([
        "diff",
        "--by",
        "line",
        "--sort",
        "count_after",
        "--format",
        "json",
    ]);
    diff.arg(&before).arg("--").arg(&after);
    let lines = Rows(serde_json::from_str(&stdout(&mut diff)).unwrap());
    let [less, more] = ["count_before", "count_after"].map(|side| lines.number(0, side).unwrap());
    assert_eq!(more, 2 * less);
}

#[test]
fn missing_diff_side_is_a_usage_error() {
    let folder = tempfile::tempdir().unwrap();
    let Some(input) = shared("nsys/nsys-ai_mock.sqlite.zst", folder.path()) else {
        return;
    };
    let input = input.to_str().unwrap();
    let form = "give both runs: `weft diff BEFORE... -- AFTER...`\n";
    for (arguments, what) in [
        (vec!["diff"], "no inputs were given"),
        (vec!["diff", input], "no input of the second run"),
        (vec!["diff", input, input], "no input of the second run"),
        (vec!["diff", input, "--"], "no input of the second run"),
        (vec!["diff", "--", input], "no input of the first run"),
    ] {
        let text = stderr_of_wrong_usage(&arguments);
        assert!(text.starts_with(&format!("weft: {what}")), "{text}");
        assert!(text.ends_with(form), "{text}");
    }
    let text = stderr_of_wrong_usage(&["diff", input, "--", input, "--by", "task"]);
    assert!(
        text.contains("`weft diff --by task BEFORE... -- AFTER...`"),
        "{text}"
    );
    let text = stderr_of_wrong_usage(&["diff", "--by", "range", input, "--", input]);
    assert!(text.contains("--by range-name"), "{text}");
}

#[test]
fn sorts_and_limits_tables_by_flags() {
    let folder = tempfile::tempdir().unwrap();
    let Some(input) = shared("nsys/nsys-ai_fsdp_2gpu.sqlite.zst", folder.path()) else {
        return;
    };
    let stats = |arguments: &[&str]| {
        let mut command = weft();
        command
            .args(["stats", "--by", "range-name"])
            .args(arguments)
            .arg(&input);
        command
    };
    let all = stdout(&mut stats(&["--format", "csv"]));
    let rows = all.lines().count() - 1;
    assert!(rows > 50);
    let table = stdout(&mut stats(&["--format", "table"]));
    assert_eq!(table.lines().count(), 2 + 50 + 1);
    let last = format!("{} more rows; --limit 0 prints all", rows - 50);
    assert_eq!(table.lines().last(), Some(&*last));
    let whole = stdout(&mut stats(&["--format", "table", "--limit", "0"]));
    assert_eq!(whole.lines().count(), 2 + rows);
    let most = stats(&["--limit", &(rows - 1).to_string()])
        .output()
        .unwrap();
    let said = String::from_utf8(most.stderr).unwrap();
    assert_eq!(said, "weft: 1 more row; --limit 0 prints all\n");
    let three = stats(&["--limit", "3"]).assert().success();
    let said = String::from_utf8(three.get_output().stderr.clone()).unwrap();
    assert_eq!(
        said,
        format!("weft: {} more rows; --limit 0 prints all\n", rows - 3)
    );
    assert_eq!(
        three
            .get_output()
            .stdout
            .iter()
            .filter(|byte| **byte == b'\n')
            .count(),
        4
    );

    let sorted = Rows::of(&mut stats(&["--sort", "max"]));
    // Ranges without work on a device have no projection, and come last.
    let longest: Vec<Option<i64>> = (0..rows).map(|row| sorted.number(row, "max_ns")).collect();
    assert!(longest.is_sorted_by(|a, b| a >= b));
    assert!(longest[0].is_some());
    let wrong = stats(&["--sort", "size"]).assert().code(2);
    let text = String::from_utf8(wrong.get_output().stderr.clone()).unwrap();
    assert!(
        text.starts_with("weft: there is no column `size` to sort by; choose from: range, style"),
        "{text}"
    );
}

#[test]
fn empty_table_gives_its_reason_and_succeeds() {
    let folder = tempfile::tempdir().unwrap();
    let Some(input) = shared("nsys/nsys-ai_mock.sqlite.zst", folder.path()) else {
        return;
    };
    let assert = weft()
        .args(["stats", "--format", "csv"])
        .arg(&input)
        .assert()
        .success();
    let output = assert.get_output();
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(
        text,
        "weft: these inputs have no tasks; only .prof files record them; try --by kernel\n"
    );
    assert!(output.stdout.starts_with(b"line,operations,count,"));
    let table = weft()
        .args(["stats", "--format", "table"])
        .arg(&input)
        .assert();
    let table = table.success().stdout("");
    assert_eq!(table.get_output().stderr, output.stderr);

    let sql = "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL";
    let answer = stdout(weft().args(["query", sql]).arg(&input));
    assert_eq!(answer.lines().nth(1), Some("2"));
    let wrong = weft()
        .args(["query", "SELECT absent FROM WEFT_KERNEL"])
        .arg(&input)
        .assert()
        .code(1);
    let text = String::from_utf8(wrong.get_output().stderr.clone()).unwrap();
    assert!(
        text.starts_with(
            "weft: the query failed: no such column: absent, in line 1: SELECT absent"
        ),
        "{text}"
    );
    let swapped = [input.to_str().unwrap(), sql];
    let text = stderr_of_wrong_usage(&["query", swapped[0], swapped[1]]);
    assert!(text.contains("give the query first"), "{text}");
}

#[test]
fn growth_beyond_the_limit_fails() {
    // Four of each: on a busy machine two runs may differ too much for any conclusion.
    let small = [(); 4].map(|()| Run::of("stencil", "--cpus=1", &["-n", "60", "-i", "20"]));
    let large = [(); 4].map(|()| Run::of("stencil", "--cpus=1", &["-n", "600", "-i", "60"]));
    let gate = |before: &[Run], after: &[Run]| {
        let mut command = weft();
        command.args(["diff", "--fail-over", "5%", "--format", "csv"]);
        command.args(before.iter().map(Run::prof)).arg("--");
        command.args(after.iter().map(Run::prof)).assert()
    };
    let failed = gate(&small, &large).code(4);
    let output = failed.get_output();
    let message = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(
        message.contains("grown by more than 5 %: (total) by"),
        "{message}"
    );
    let rows = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(
        rows.starts_with("line,operations,before_ns,after_ns,change,uncertainty,verdict"),
        "{rows}"
    );
    assert!(
        rows.lines().nth(1).unwrap().starts_with("(total),"),
        "{rows}"
    );
    gate(&large, &small).code(0);
    let single = gate(&small, &large[..1]);
    let message = String::from_utf8(single.get_output().stderr.clone()).unwrap();
    assert!(message.contains("the second side has one run"), "{message}");
    // A run does not differ from itself, and the variation of runs is unknown.
    let same = gate(&small[..1], &small[..1]).code(0);
    let message = String::from_utf8(same.get_output().stderr.clone()).unwrap();
    assert!(message.contains("with one run of each side"), "{message}");
    assert!(
        message.contains("weft_0.prof is on both sides"),
        "{message}"
    );
}

#[test]
fn missing_file_errors_suggest_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for (input, remedy) in [
        (
            path("run*/weft_0.prof"),
            "no file has a name of this pattern",
        ),
        (path(""), "give the files in it, such as"),
        (path("none.prof"), "check the path"),
    ] {
        let command = weft()
            .args(["diff", "--fail-over", "5%", &input, "--", &input])
            .assert()
            .code(1);
        let message = String::from_utf8(command.get_output().stderr.clone()).unwrap();
        assert!(message.contains(remedy), "{message}");
    }
}

#[test]
fn invalid_growth_limits_are_usage_errors() {
    for limit in ["lots", "-5%", "nan"] {
        let message =
            stderr_of_wrong_usage(&["diff", &format!("--fail-over={limit}"), "a", "--", "b"]);
        assert!(message.contains("is not a percentage"), "{message}");
    }
}
