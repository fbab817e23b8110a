//! The tables of `weft stats` and `weft diff` for people: as wide as the terminal, and without
//! control characters.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::path::{Path, PathBuf};

use rusqlite::{Connection, params};
use support::{Command, shared, weft};
use tempfile::TempDir;

fn legate() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let input = shared("legate/stencil.prof.zst", folder.path()).unwrap();
    (folder, input)
}

/// Returns the output of `weft export sqlite` for a profile.
fn exported(folder: &Path, input: &Path) -> PathBuf {
    let database = folder.join("weft.sqlite");
    weft()
        .args(["export", "sqlite"])
        .arg(input)
        .arg("-o")
        .arg(&database)
        .assert()
        .success();
    database
}

fn stdout(command: &mut Command) -> String {
    String::from_utf8(command.assert().success().get_output().stdout.clone()).unwrap()
}

/// Returns the table on a terminal of this number of columns.
fn table(width: usize, arguments: &[&str], inputs: &[&Path]) -> String {
    let mut command = weft();
    command
        .env("COLUMNS", width.to_string())
        .args(arguments)
        .args(["--format", "table"])
        .args(inputs);
    stdout(&mut command)
}

/// Returns the lines of a table, and those below it.
fn parts(text: &str) -> (Vec<&str>, Vec<&str>) {
    text.lines().partition(|line| line.starts_with('|'))
}

#[test]
fn tables_fit_the_terminal_and_name_omitted_columns() {
    let (_folder, input) = legate();
    for by in [
        "line",
        "task",
        "operation",
        "kernel",
        "processor",
        "memory",
        "gap",
    ] {
        let whole = table(10_000, &["stats", "--by", by, "--limit", "0"], &[&input]);
        let (whole, _) = parts(&whole);
        if whole.is_empty() {
            continue;
        }
        for width in [80, 120, 200] {
            let text = table(width, &["stats", "--by", by, "--limit", "0"], &[&input]);
            let (rows, below) = parts(&text);
            let widest = rows.iter().map(|row| row.chars().count()).max();
            assert!(widest.unwrap() <= width, "--by {by} at {width}:\n{text}");
            assert_eq!(rows.len(), whole.len(), "--by {by} at {width}");
            let headings = |rows: &[&str]| rows[0].matches('|').count() - 1;
            let missing = headings(&whole) - headings(&rows);
            let said = below
                .iter()
                .find_map(|line| line.strip_prefix("columns left out: "));
            let named = said.map_or(0, |said| {
                said.split(';').next().unwrap().split(", ").count()
            });
            assert_eq!(missing, named, "--by {by} at {width}:\n{text}");
        }
    }
}

#[test]
fn range_tables_fit_a_narrow_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let path = hostile(folder.path());
    for by in ["range", "range-name", "kernel"] {
        let text = table(80, &["stats", "--by", by], &[&path]);
        let (rows, below) = parts(&text);
        assert!(rows.iter().all(|row| row.chars().count() <= 80), "{text}");
        assert!(
            below
                .iter()
                .any(|line| line.starts_with("columns left out: ")),
            "{text}"
        );
    }
}

/// Returns the output on a terminal of this size.
fn in_terminal(rows: u16, columns: u16, arguments: &[&str], input: &Path) -> String {
    let size = format!("stty rows {rows} cols {columns}; exec \"$@\"");
    let command = [
        &["sh", "-c", size.as_str(), "sh"][..],
        &[support::weft_path().to_str().unwrap()],
        arguments,
        &[input.to_str().unwrap()],
    ]
    .concat();
    let mut script = Command::new("script");
    script
        .env_remove("COLUMNS")
        .args(["-qec", &shell_words::join(command), "/dev/null"]);
    stdout(&mut script)
}

#[test]
fn unknown_terminal_size_means_80_columns() {
    if support::tool("script").is_none() {
        return;
    }
    let (_folder, input) = legate();
    for (rows, columns, most) in [(0, 0, 80), (24, 0, 80), (0, 80, 80), (24, 120, 120)] {
        let text = in_terminal(rows, columns, &["stats", "--by", "task"], &input);
        let rows = text.lines().map(|line| line.trim_end_matches('\r'));
        let rows: Vec<&str> = rows.filter(|line| line.ends_with('|')).collect();
        assert!(rows.len() > 4, "{text}");
        let widest = rows.iter().map(|row| {
            let row = row.rsplit('\u{1b}').next().unwrap_or_default();
            row.get(row.find('|').unwrap_or(0)..)
                .unwrap_or_default()
                .chars()
                .count()
        });
        assert!(widest.max().unwrap() <= most, "{rows:?} at {columns}");
    }
}

#[test]
fn closed_pipe_is_not_a_failure() {
    let (_folder, input) = legate();
    for arguments in [
        "stats --limit 0 --by gap",
        "query 'SELECT * FROM WEFT_TASK'",
        "export text -o -",
    ] {
        let weft = support::weft_path().display();
        let script = format!(
            "{{ {weft} {arguments} {}; echo $? >&2; }} | head -n 1 >/dev/null",
            input.display()
        );
        let ended = Command::new("sh").args(["-c", &script]).assert().success();
        let said = String::from_utf8(ended.get_output().stderr.clone()).unwrap();
        let said: Vec<&str> = said.lines().collect();
        assert_eq!(said.last(), Some(&"0"), "{arguments}: {said:?}");
        assert!(
            !said.iter().any(|line| line.contains("panicked")),
            "{said:?}"
        );
    }
}

#[test]
fn piped_and_compressed_inputs_suggest_a_remedy() {
    let (folder, input) = legate();
    let database = exported(folder.path(), &input);
    let weft_path = support::weft_path().display();
    for script in [
        format!("cat {} | {weft_path} stats /dev/stdin", input.display()),
        format!("cat {} | {weft_path} stats -", database.display()),
        format!(
            "cat {} | {weft_path} query 'SELECT 1' /dev/stdin",
            database.display()
        ),
    ] {
        let ended = Command::new("sh").args(["-c", &script]).assert().code(2);
        let said = String::from_utf8(ended.get_output().stderr.clone()).unwrap();
        assert!(
            said.ends_with(
                "is not a regular file, and inputs are read several times; write the trace to a file, as in `cat > trace`, and give that\n"
            ),
            "{script}: {said}"
        );
    }
    // A truncated copy.
    let cut = folder.path().join("cut.sqlite");
    let bytes = std::fs::read(&database).unwrap();
    std::fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    let ended = weft().arg("stats").arg(&cut).assert().code(1);
    let said = String::from_utf8(ended.get_output().stderr.clone()).unwrap();
    assert!(
        said.contains("copy it again, or make it again with `weft export sqlite`"),
        "{said}"
    );
    // A file as standard input is read completely.
    let script = format!("{weft_path} stats /dev/stdin < {}", input.display());
    Command::new("sh").args(["-c", &script]).assert().success();
}

#[test]
fn line_rows_stay_distinct_in_a_narrow_terminal() {
    let (_folder, input) = legate();
    let text = table(80, &["stats", "--by", "line"], &[&input]);
    let (rows, _) = parts(&text);
    let lines: Vec<&str> = rows[2..]
        .iter()
        .map(|row| row.split('|').nth(1).unwrap().trim())
        .collect();
    assert!(
        lines.iter().any(|line| line.ends_with("/stencil.py:56")),
        "{text}"
    );
    let mut different = lines.clone();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), lines.len(), "{text}");
}

#[test]
fn prints_all_columns_on_request() {
    let (_folder, input) = legate();
    let wide = table(80, &["stats", "--wide"], &[&input]);
    let (rows, below) = parts(&wide);
    assert!(
        rows[0].contains("p99") && rows[0].contains("overhead"),
        "{wide}"
    );
    assert!(below.is_empty(), "{below:?}");
    let some = table(80, &["stats", "--columns", "p99,line"], &[&input]);
    let names: Vec<&str> = some
        .lines()
        .next()
        .unwrap()
        .split('|')
        .map(str::trim)
        .collect();
    assert_eq!(names, ["", "p99", "line", ""]);
    let csv =
        |arguments: &[&str]| stdout(weft().args(arguments).args(["--format", "csv"]).arg(&input));
    let heading = |csv: &str| csv.lines().next().unwrap().to_owned();
    assert_eq!(
        heading(&csv(&["stats", "--columns", "total,line"])),
        "total_ns,line"
    );
    for always in ["median_ns", "p95_ns", "p99_ns", "estimated_ns"] {
        let heading = heading(&csv(&["stats"]));
        assert!(heading.split(',').any(|name| name == always), "{heading}");
    }
    let wrong = weft()
        .args(["stats", "--columns", "line,cost"])
        .arg(&input)
        .assert()
        .code(2);
    let said = String::from_utf8(wrong.get_output().stderr.clone()).unwrap();
    assert!(
        said.contains("weft: there is no column `cost` to print; choose from: line, "),
        "{said}"
    );
}

#[test]
fn diff_respects_width_and_format() {
    let (_folder, input) = legate();
    let diff = |format: &[&str]| {
        let mut command = weft();
        command
            .env("COLUMNS", "80")
            .args(["diff", "--by", "line"])
            .args(format);
        stdout(command.arg(&input).arg("--").arg(&input))
    };
    let text = diff(&["--format", "table"]);
    let (rows, below) = parts(&text);
    assert!(rows.iter().all(|row| row.chars().count() <= 80), "{text}");
    assert!(below[0].starts_with("columns left out: "), "{text}");
    // Piped, it is CSV.
    assert_eq!(diff(&[]), diff(&["--format", "csv"]));
    let rows: serde_json::Value = serde_json::from_str(&diff(&["--format", "json"])).unwrap();
    assert!(rows.as_array().unwrap().len() > 3);
}

const HOSTILE: &str = "\u{1b}[2J\u{1b}]0;title\u{7}step\nnext \u{9b}31m";

/// Creates a session whose ranges have a name that would clear the screen, set the title and begin
/// a new line.
fn hostile(folder: &Path) -> PathBuf {
    let path = folder.join("report.sqlite");
    let database = Connection::open(&path).unwrap();
    let tables = "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
        CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, text TEXT,
            globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER, uint64Value INTEGER);
        CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, globalTid INTEGER,
            correlationId INTEGER);
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER,
            streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER);
        INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 20, 1, 1);
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (30, 40, 0, 7, 1, 0, 1);";
    database.execute_batch(tables).unwrap();
    let name = "INSERT INTO StringIds VALUES (1, ?1)";
    database.execute(name, [HOSTILE]).unwrap();
    let range = "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES (0, 100, 59, ?1, 1)";
    database.execute(range, params![HOSTILE]).unwrap();
    path
}

#[test]
fn escape_sequences_in_names_never_reach_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let path = hostile(folder.path());
    let obeyed = ['\u{1b}', '\u{7}', '\u{9b}'];
    let shown = "\\u{1b}[2J\\u{1b}]0;title\\u{7}step\\nnext \\u{9b}31m";
    for by in ["range-name", "kernel", "range"] {
        let text = table(1_000, &["stats", "--by", by], &[&path]);
        assert!(!text.contains(obeyed), "{text:?}");
        assert!(text.contains(shown), "--by {by}: {text}");
        // A name does not begin a new line.
        let (rows, below) = parts(&text);
        assert_eq!((rows.len(), below.len()), (3, 0), "--by {by}: {text}");
    }
    let text = stdout(weft().args(["export", "text"]).arg(&path).args(["-o", "-"]));
    assert!(!text.contains(obeyed) && text.contains(shown), "{text:?}");
    let queried = table(1_000, &["query", "SELECT name FROM WEFT_KERNEL"], &[&path]);
    assert!(
        !queried.contains(obeyed) && queried.contains(shown),
        "{queried:?}"
    );
    // CSV may be shown in terminals, too; JSON keeps the name unchanged.
    let csv = stdout(
        weft()
            .args(["stats", "--by", "kernel", "--format", "csv"])
            .arg(&path),
    );
    assert!(!csv.contains(obeyed) && csv.contains(shown), "{csv:?}");
    assert_eq!(csv.lines().count(), 2, "{csv:?}");
    let json = stdout(
        weft()
            .args(["stats", "--by", "kernel", "--format", "json"])
            .arg(&path),
    );
    let rows: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(rows[0]["kernel"], HOSTILE);
}

#[test]
fn messages_escape_control_characters() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("\u{1b}[31mred\u{7}.prof");
    std::fs::write(&path, "no trace").unwrap();
    let assert = weft().arg("stats").arg(&path).assert().failure();
    let said = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(!said.contains(['\u{1b}', '\u{7}']), "{said:?}");
    assert!(said.contains("\\u{1b}[31mred\\u{7}.prof"), "{said}");
}

#[test]
fn profile_and_export_have_the_same_gap_causes() {
    let (folder, input) = legate();
    let database = exported(folder.path(), &input);
    let gaps = |path: &Path| {
        stdout(
            weft()
                .args(["stats", "--by", "gap", "--format", "csv"])
                .arg(path),
        )
    };
    assert_eq!(gaps(&input), gaps(&database));
}
