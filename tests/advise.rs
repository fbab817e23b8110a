//! `weft advise`, and `weft diff --against`.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::fs;
use support::{shared, weft};

#[test]
fn grades_advice_against_a_second_run() {
    let folder = tempfile::tempdir().unwrap();
    let Some(profile) = shared("legate/cg.prof.zst", folder.path()) else {
        return;
    };
    let profile = profile.to_str().unwrap();
    let run = |args: &[&str]| {
        let output = weft().args(args).assert().success().get_output().clone();
        String::from_utf8(output.stdout).unwrap()
    };
    let json = run(&["advise", profile]);
    let advice: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(advice["format"], 1);
    let replayed = advice["replay"]["replayed_ns"].as_i64().unwrap();
    let findings = advice["findings"].as_array().unwrap();
    assert!(!findings.is_empty() && replayed > 0);
    let text = run(&["advise", profile, "--format", "text", "--top", "1"]);
    assert!(
        text.contains(findings[0]["rule"].as_str().unwrap()),
        "{text}"
    );
    let none = run(&["advise", profile, "--top", "0"]);
    assert!(none.contains("\"findings\": []"), "{none}");

    let file = folder.path().join("advice.json");
    fs::write(&file, &json).unwrap();
    let file = file.to_str().unwrap();
    let graded = run(&["diff", "--against", file, profile, "--", profile]);
    let all = graded.lines().last().unwrap();
    // The same run again: nothing was saved, and all findings remain.
    let saved: Vec<&str> = all.split(',').collect();
    assert_eq!((saved[0], saved[5]), ("all together", "0"), "{graded}");
    assert!(!graded.contains(",no\n"), "{graded}");
}

#[test]
fn rejects_files_without_advice() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("other.json");
    fs::write(&file, "{}").unwrap();
    let assert = weft()
        .args(["diff", "--against", file.to_str().unwrap(), "a", "--", "b"])
        .assert()
        .code(1);
    let error = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(
        error.contains("this is not advice") && error.contains("weft advise --format json"),
        "{error}"
    );
    let rules = weft()
        .args(["advise", "--rules", "--format", "text"])
        .assert()
        .success();
    let rules = String::from_utf8(rules.get_output().stdout.clone()).unwrap();
    assert!(
        rules.contains("blocking-value: ") && rules.lines().count() == 40,
        "{rules}"
    );
    weft().arg("advise").assert().code(2);
}
