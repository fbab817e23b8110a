//! `weft query` from the command line: SQL in the arguments, in a file and on standard input,
//! within limits.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use support::weft;

/// Creates a database in the format of Nsight Systems with three kernels, under a name that is not
/// UTF-8.
fn session(folder: &Path) -> PathBuf {
    let path = folder.join(OsStr::from_bytes(b"caf\xe9.sqlite"));
    // The SQLite library of the test accepts any name.
    let database = Connection::open(&path).unwrap();
    database
        .execute_batch(
            "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
             CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL,
               deviceId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,
               demangledName INTEGER CHECK (0));
             INSERT INTO StringIds VALUES (1, 'gpu_kernel');
             PRAGMA ignore_check_constraints = ON;
             INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10, 20, 0, 7, 1, 1, 1), (30, 40, 0, 7, 2, 1, 1),
               (50, 60, 0, 7, 3, 1, 1);",
        )
        .unwrap();
    path
}

const COUNT: &str = "SELECT count(*) AS kernels FROM CUPTI_ACTIVITY_KIND_KERNEL";

#[test]
fn reads_queries_from_arguments_files_and_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let input = session(folder.path());
    let file = folder.path().join("count.sql");
    fs::write(&file, format!("-- kernels\n{COUNT};\nSELECT 1 AS one;\n")).unwrap();
    let answer = |command: &mut assert_cmd::Command| {
        let assert = command.assert().success();
        String::from_utf8(assert.get_output().stdout.clone()).unwrap()
    };
    let given = answer(weft().args(["query", COUNT]).arg(&input));
    assert_eq!(given, "kernels\n3\n");
    for flag in ["-f", "--file"] {
        let read = answer(weft().args(["query", flag]).arg(&file).arg(&input));
        assert_eq!(read, "kernels\n3\n\none\n1\n");
    }
    let piped = answer(weft().args(["query", "-"]).arg(&input).write_stdin(COUNT));
    assert_eq!(piped, given);
    let piped = answer(
        weft()
            .args(["query", "-f", "-"])
            .arg(&input)
            .write_stdin(COUNT),
    );
    assert_eq!(piped, given);
    let tables = answer(weft().args(["query", ".tables"]).arg(&input));
    assert!(tables.contains("\nWEFT_KERNEL,table\n"), "{tables}");
    let schema = answer(weft().args(["query", ".schema weft_unmatched"]).arg(&input));
    assert!(
        schema.starts_with("CREATE TABLE WEFT_UNMATCHED ("),
        "{schema}"
    );
    assert_eq!(
        support::files(folder.path()).len(),
        2,
        "nothing else was written"
    );
}

#[test]
fn query_errors_are_one_sentence_with_exit_status() {
    let folder = tempfile::tempdir().unwrap();
    let input = session(folder.path());
    let endless =
        "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
    for (arguments, status, said) in [
        (&["DELETE FROM WEFT_KERNEL"][..], 2, "does more than read"),
        (&["ATTACH 'x' AS y"], 2, "does more than read"),
        (&[".tabels"], 2, "`.tabels` is not a command"),
        (&["  "], 2, "there is no query"),
        (&[".schema nowhere"], 1, "no table \"nowhere\""),
        (&["--row-limit", "2", endless], 3, "was cut after 2 rows"),
        (
            &[
                "--time-limit",
                "0.2",
                "--row-limit",
                "0",
                "--memory-limit",
                "64G",
                "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
            ],
            1,
            "stopped after 0.2 s",
        ),
        (&["--memory-limit", "100K", COUNT], 1, "--memory-limit"),
        (&["--memory-limit", "much", COUNT], 2, "is not a size"),
        (
            &["--file", "nowhere.sql"],
            1,
            "cannot read the query from nowhere.sql",
        ),
    ] {
        let assert = weft().arg("query").args(arguments).arg(&input).assert();
        let assert = assert.code(status);
        let text = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(text.contains(said), "{arguments:?}: {text}");
    }
    // The table must be within the quotation marks: a second word is an input.
    let assert = weft()
        .args(["query", ".schema", "WEFT_KERNEL"])
        .arg(&input)
        .assert()
        .code(2);
    let text = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(
        text.contains("as in `weft query \".schema WEFT_KERNEL\" INPUT...`"),
        "{text}"
    );
    let help = weft().args(["query", "--help"]).assert().success();
    let help = String::from_utf8_lossy(&help.get_output().stdout).into_owned();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        help.contains("that --time-limit stops prints nothing, and the exit status is 1"),
        "{help}"
    );
    let assert = weft().args(["query", COUNT]).assert().code(2);
    let text = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(text.contains("no input was given"), "{text}");
}

#[test]
fn answers_fit_the_terminal_and_objects_have_unique_keys() {
    let folder = tempfile::tempdir().unwrap();
    let input = session(folder.path());
    let answer = |arguments: &[&str]| {
        let assert = weft()
            .env("COLUMNS", "80")
            .arg("query")
            .args(arguments)
            .arg(&input)
            .assert()
            .success();
        String::from_utf8(assert.get_output().stdout.clone()).unwrap()
    };
    let sql = "SELECT * FROM WEFT_KERNEL";
    let text = answer(&["--format", "table", sql]);
    let (rows, below): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|line| line.starts_with('|'));
    assert_eq!(rows.len(), 5, "{text}");
    assert!(rows.iter().all(|row| row.chars().count() <= 80), "{text}");
    assert!(
        below[0].starts_with("columns left out: ") && below[0].ends_with("; --wide prints all"),
        "{text}"
    );
    let wide = answer(&["--wide", "--format", "table", sql]);
    assert!(
        wide.lines()
            .all(|line| line.contains("| bytesWritten |") || !line.contains("left out"))
    );
    assert!(wide.contains("bytesWritten"), "{wide}");
    let json = answer(&[
        "--format",
        "json",
        "SELECT 1 AS a, 2 AS a, 3 AS a_2, 4 AS a",
    ]);
    let rows: serde_json::Value = serde_json::from_str(&json).unwrap();
    let row = rows[0].as_object().unwrap();
    let values: Vec<i64> = ["a", "a_3", "a_2", "a_4"]
        .iter()
        .map(|key| row[*key].as_i64().unwrap())
        .collect();
    assert_eq!((row.len(), values), (4, vec![1, 2, 3, 4]), "{json}");
}
