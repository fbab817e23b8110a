//! Weft's NVTX client under the real Nsight Systems: the sample program in its database.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a failed setup fails the test, and skipped tests are reported"
)]

use std::fs;
use std::process::Command;

use nvtx_recorder::{Label, Step, sample, to_json};
use rusqlite::Connection;

#[path = "support/skip.rs"]
mod skip;

use skip::skip;

/// eventType of NVTX_EVENTS.
const CATEGORY: i64 = 33;
const MARK: i64 = 34;
const PUSH_POP: i64 = 59;
const START_END: i64 = 60;

/// Event type, domain, text, category name, colour, payload.
type Row = (i64, String, String, String, u32, u64);

#[test]
fn nsys_shows_every_field() {
    if Command::new("nsys").arg("--version").output().is_err() {
        skip("nsys", "nsys is not installed");
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("program.json");
    let report = folder.path().join("report");
    fs::write(&program, to_json(&sample())).expect("a written program");
    let output = Command::new("nsys")
        .args([
            "profile",
            "--trace=nvtx",
            "--sample=none",
            "--cpuctxsw=none",
            "--export=sqlite",
        ])
        .arg("-o")
        .arg(&report)
        .arg(env!("CARGO_BIN_EXE_ranges"))
        .arg(&program)
        .output()
        .expect("a started nsys");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{said}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(said.contains("attached"), "{said}");

    let mut rows = rows(&Connection::open(report.with_extension("sqlite")).expect("a database"));
    let mut expected = Vec::new();
    collect(&sample(), &mut expected);
    rows.sort();
    expected.sort();
    assert_eq!(rows, expected);
}

fn rows(database: &Connection) -> Vec<Row> {
    let mut statement = database
        .prepare(
            "SELECT e.eventType,
                    (SELECT d.text FROM NVTX_EVENTS d WHERE d.eventType = 75 AND d.domainId = e.domainId),
                    coalesce(s.value, e.text),
                    (SELECT c.text FROM NVTX_EVENTS c
                     WHERE c.eventType = ?1 AND c.domainId = e.domainId AND c.category = e.category),
                    e.color, e.uint64Value
             FROM NVTX_EVENTS e LEFT JOIN StringIds s ON s.id = e.textId
             WHERE e.eventType IN (?2, ?3, ?4)",
        )
        .expect("the tables of nsys");
    statement
        .query_map([CATEGORY, MARK, PUSH_POP, START_END], |row| {
            // SQLite's integers are signed: nsys stores the bits.
            Ok((
                row.get(0)?,
                row.get(1)?,
                row.get(2)?,
                row.get(3)?,
                row.get::<_, i64>(4)? as u32,
                row.get::<_, i64>(5)?.cast_unsigned(),
            ))
        })
        .expect("a query")
        .collect::<Result<_, _>>()
        .expect("rows")
}

/// Computes the expected rows of a program.
fn collect(steps: &[Step], rows: &mut Vec<Row>) {
    let row = |kind: i64, label: &Label| {
        let Label {
            domain,
            text,
            category,
            color,
            payload,
        } = label.clone();
        (kind, domain, text, category, color, payload)
    };
    for step in steps {
        match step {
            Step::Range(label, inside) => {
                rows.push(row(PUSH_POP, label));
                collect(inside, rows);
            }
            Step::Thread(inside) => collect(inside, rows),
            Step::Mark(label) => rows.push(row(MARK, label)),
            Step::Start(_, label) => rows.push(row(START_END, label)),
            Step::End(_) | Step::NameThread(..) => {}
        }
    }
}
