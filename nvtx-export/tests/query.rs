//! Queries only read the database that they are given, within their limits.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use crate::support;

use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::time::Duration;
use support::database::files;
use support::{Small, join, small};
use tempfile::TempDir;
use weft_model::Trace;
use weft_model::table::Cell;
use weft_nvtx_export::{ExportError, Progress};
use weft_output::query::{self, Answer, AnswerLimit, Limits, Question};
use weft_output::sqlite::{self, WriteOptions};
use weft_trace::file::RunId;

/// Returns a joined trace in memory and as a database.
fn trace_and_database() -> (TempDir, Trace, PathBuf) {
    let (folder, prof) = small(RunId([1; 16]), 0, Small::default());
    let trace = join(&[prof]);
    let out = folder.path().join("weft.sqlite");
    sqlite::write(&trace, &out, &WriteOptions::default()).unwrap();
    (folder, trace, out)
}

fn ask(trace: &Trace, question: &str, limits: Limits) -> Result<Answer, ExportError> {
    query::answer(
        trace,
        &Question::parse(question)?,
        limits,
        &Progress::default(),
    )
}

fn ask_file(path: &Path, question: &str, limits: Limits) -> Result<Answer, ExportError> {
    query::answer_of_file(path, &Question::parse(question)?, limits)
}

#[test]
fn rejects_statements_that_write() {
    let (folder, trace, out) = trace_and_database();
    let other = folder.path().join("other.sqlite");
    let other = other.display();
    let before = files(folder.path());
    for sql in [
        "DELETE FROM WEFT_TASK",
        "INSERT INTO WEFT_META VALUES ('a', 'b')",
        "UPDATE WEFT_TASK SET name = ''",
        "DROP VIEW weft_by_line",
        "CREATE TABLE t (x)",
        "CREATE TEMP TABLE t (x)",
        "CREATE TEMP VIEW v AS SELECT 1",
        "CREATE VIRTUAL TABLE t USING fts5(x)",
        &format!("ATTACH '{other}' AS o"),
        &format!("VACUUM INTO '{other}'"),
        "VACUUM",
        "DETACH main",
        "REINDEX",
        "ANALYZE",
        "BEGIN",
        "SAVEPOINT s",
        "PRAGMA journal_mode = WAL",
        "PRAGMA writable_schema = ON",
        "PRAGMA user_version = 7",
        "PRAGMA wal_checkpoint",
        "PRAGMA temp_store_directory = '/'",
        "SELECT load_extension('x')",
        "SELECT 1; DELETE FROM WEFT_TASK",
        "EXPLAIN DELETE FROM WEFT_TASK",
    ] {
        for (where_, answer) in [
            ("memory", ask(&trace, sql, Limits::default())),
            ("a file", ask_file(&out, sql, Limits::default())),
        ] {
            let refused = answer.map(|_| ()).unwrap_err();
            let is_refused = matches!(refused, ExportError::QueryWrites)
                // The function does not exist.
                || sql.contains("load_extension") && matches!(refused, ExportError::Query { .. });
            assert!(is_refused, "{sql} in {where_}: {refused}");
        }
    }
    assert_eq!(before, files(folder.path()));
}

#[test]
fn answers_each_reading_statement_with_one_table() {
    let (_folder, trace, out) = trace_and_database();
    let sql = "-- How many tasks?\nSELECT count(*) FROM WEFT_TASK;\n\
               WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n; \
               PRAGMA table_info(WEFT_META); EXPLAIN QUERY PLAN SELECT * FROM weft_by_line; -- end";
    for answer in [
        ask(&trace, sql, Limits::default()).unwrap(),
        ask_file(&out, sql, Limits::default()).unwrap(),
    ] {
        assert_eq!(answer.cut, None);
        assert_eq!(answer.tables.len(), 4);
        assert_eq!(answer.tables[0].rows(), [[Cell::Integer(4)]]);
        assert_eq!(answer.tables[1].rows().len(), 3);
        assert_eq!(answer.tables[2].rows().len(), 2);
        assert!(!answer.tables[3].is_empty());
    }
}

#[test]
fn lists_tables_and_shows_their_sql() {
    let (_folder, trace, out) = trace_and_database();
    let limits = Limits::default();
    for (tables, schema, all) in [
        (
            ask(&trace, ".tables", limits).unwrap(),
            ask(&trace, ".schema weft_task", limits).unwrap(),
            ask(&trace, ".schema", limits).unwrap(),
        ),
        (
            ask_file(&out, " .tables;\n", limits).unwrap(),
            ask_file(&out, ".schema weft_task", limits).unwrap(),
            ask_file(&out, ".schema", limits).unwrap(),
        ),
    ] {
        let names: Vec<&Cell> = tables.tables[0].rows().iter().map(|row| &row[0]).collect();
        for name in ["WEFT_TASK", "NVTX_EVENTS", "weft_by_line"] {
            assert!(names.contains(&&Cell::Text(name.to_owned())), "{name}");
        }
        let schema = schema.text.unwrap();
        assert!(schema.starts_with("CREATE TABLE WEFT_TASK ("), "{schema}");
        assert!(schema.contains("CREATE INDEX weft_task_uid"), "{schema}");
        assert!(
            schema.contains("-- ns: The time at which the analysis created it."),
            "{schema}"
        );
        assert!(all.text.unwrap().contains("CREATE VIEW weft_by_line"));
    }
    let misspelt = ask(&trace, "SELECT \"nme\" FROM WEFT_TASK", limits).unwrap_err();
    assert!(misspelt.to_string().contains("nme"), "{misspelt}");
    let unknown = ask(&trace, ".schema nowhere", limits).unwrap_err();
    assert!(
        unknown.to_string().contains("no table \"nowhere\""),
        "{unknown}"
    );
    for wrong in [".tabels", ".schema a b", "."] {
        let refused = Question::parse(wrong).unwrap_err();
        assert!(
            refused.sentence().contains(".tables or .schema"),
            "{refused}"
        );
    }
    assert!(matches!(
        Question::parse(" \n"),
        Err(ExportError::NoQuestion)
    ));
}

#[test]
fn stops_queries_at_their_limits() {
    let (_folder, trace, out) = trace_and_database();
    let endless = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT";
    let rows = Limits {
        rows: Some(10),
        ..Limits::default()
    };
    let time = Limits {
        time: Some(Duration::from_millis(50)),
        ..Limits::default()
    };
    let memory = Limits {
        memory: Some(1 << 20),
        ..Limits::default()
    };
    for ask in [
        &(|sql: &str, limits| ask(&trace, sql, limits)) as &dyn Fn(&str, Limits) -> _,
        &|sql: &str, limits| ask_file(&out, sql, limits),
    ] {
        let answer = ask(&format!("{endless} i FROM n"), rows).unwrap();
        assert_eq!(answer.cut, Some(AnswerLimit::Rows(10)));
        assert_eq!(answer.tables[0].rows().len(), 10);
        // A limit equal to the number of rows is not exceeded.
        let answer = ask(
            "SELECT * FROM WEFT_TASK, (VALUES (1), (2), (3)) LIMIT 10",
            rows,
        )
        .unwrap();
        assert_eq!((answer.cut, answer.tables[0].rows().len()), (None, 10));
        let answer = ask(&format!("{endless} hex(zeroblob(1000)) FROM n"), memory).unwrap();
        assert_eq!(answer.cut, Some(AnswerLimit::Memory(1 << 20)));
        assert!(answer.tables[0].rows().len() > 100);
        // A value above the limit is rejected, and so is a text that barely exceeds it.
        let large = ask("SELECT length(zeroblob(2000000))", memory).unwrap_err();
        assert!(matches!(large, ExportError::QueryValue { .. }), "{large}");
        assert!(large.sentence().contains("--memory-limit"), "{large}");
        let answer = ask("SELECT zeroblob(600000)", memory).unwrap();
        assert_eq!(answer.cut, Some(AnswerLimit::Memory(1 << 20)));
        let late = ask(&format!("{endless} count(*) FROM n"), time).unwrap_err();
        assert!(matches!(late, ExportError::QueryTime { .. }), "{late}");
        // SQLite cannot interrupt a call of a function, which here compares all of the needle at
        // each position.
        let letters = |count: usize| format!("replace(hex(zeroblob({count})), '0', 'a')");
        let call = format!(
            "SELECT instr({}, {} || 'b')",
            letters(200_000),
            letters(100_000)
        );
        let late = ask(&call, time).unwrap_err();
        assert!(matches!(late, ExportError::QueryTime { .. }), "{late}");
        assert!(late.sentence().contains("--time-limit"), "{late}");
    }
}

#[test]
fn query_errors_show_the_wrong_line() {
    let (_folder, trace, _) = trace_and_database();
    let long = format!(
        "SELECT count(*)\nFROM WEFT_TASK\nWHERE absent > 1\n{}",
        "-- more\n".repeat(500)
    );
    let wrong = ask(&trace, &long, Limits::default()).unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "the query failed: no such column: absent, in line 3: WHERE absent > 1"
    );
    let wide = format!("SELECT {} absent FROM WEFT_TASK", "1, ".repeat(500));
    let wrong = ask(&trace, &wide, Limits::default()).unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "the query failed: no such column: absent, in line 1: absent FROM WEFT_TASK"
    );
    let wrong = ask(&trace, "SELEC 1", Limits::default()).unwrap_err();
    assert!(wrong.to_string().ends_with("in line 1: SELEC 1"), "{wrong}");
}

#[test]
fn reads_the_log_without_writing_next_to_the_database() {
    let (folder, _, out) = trace_and_database();
    let database = Connection::open(&out).unwrap();
    let mode = |database: &Connection, mode: &str| {
        let set = |row: &rusqlite::Row<'_>| row.get::<_, String>(0);
        let now = database.query_row(&format!("PRAGMA journal_mode = {mode}"), [], set);
        assert_eq!(now.unwrap(), mode);
    };
    mode(&database, "wal");
    let sql = "SELECT count(*) FROM WEFT_TASK";
    let count = || {
        let answer = ask_file(&out, sql, Limits::default()).unwrap();
        match answer.tables[0].rows() {
            [row] => row[0].clone(),
            rows => panic!("{rows:?}"),
        }
    };
    // Rows that are only in the log, while another connection is open and after it was killed.
    database
        .execute("DELETE FROM WEFT_TASK WHERE uid % 2 = 0", [])
        .unwrap();
    let before = files(folder.path());
    assert!(
        before
            .keys()
            .any(|name| name.to_string_lossy().ends_with("-wal"))
    );
    assert_eq!(count(), Cell::Integer(2));
    assert_eq!(before, files(folder.path()));
    std::mem::forget(database);
    let shared = folder.path().join("weft.sqlite-shm");
    std::fs::remove_file(&shared).unwrap();
    let before = files(folder.path());
    assert_eq!(count(), Cell::Integer(2));
    assert_eq!(before, files(folder.path()));
    // A log that was moved into the database leaves the mode, but no content.
    std::fs::remove_file(folder.path().join("weft.sqlite-wal")).unwrap();
    let before = files(folder.path());
    assert_eq!(count(), Cell::Integer(4));
    assert_eq!(before, files(folder.path()));
}
