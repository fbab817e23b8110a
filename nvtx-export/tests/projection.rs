//! Ranges projected onto devices, compared with the report of Nsight Systems and with plain loops
//! over the rows.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use crate::support;

use rusqlite::{Connection, params};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::real_database;
use weft_analysis::stats::{self, By};
use weft_model::table::Cell;
use weft_nvtx_export::{ReadOptions, RequiredParts, read};

/// A row of the projection, by the id of its range.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    name: String,
    /// Projected start and duration, start and duration.
    times: [i64; 4],
    style: String,
    process: i64,
    thread: i64,
    operations: i64,
    tree: Option<Tree>,
}

/// The position of a range among others.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Tree {
    level: i64,
    children: i64,
    parent: Option<i64>,
    stack: String,
}

/// The ids in the order of the rows, and the rows.
type Rows = (Vec<i64>, BTreeMap<i64, Row>);

fn ours(path: &Path, keep: RequiredParts) -> Rows {
    let options = ReadOptions {
        keep,
        ..ReadOptions::default()
    };
    let trace = read(&[path.to_owned()], &options).unwrap();
    let table = stats::table(&trace, By::Range);
    let mut order = Vec::new();
    let rows = table.rows().iter().map(|cells| {
        let text = |at: usize| match &cells[at] {
            Cell::Text(text) => text.clone(),
            other => panic!("{other:?}"),
        };
        let number = |at: usize| match &cells[at] {
            Cell::Integer(number) => *number,
            other => panic!("{other:?}"),
        };
        let row = Row {
            name: text(0),
            times: [number(1), number(2), number(3), number(4)],
            style: text(5),
            process: number(6),
            thread: number(7),
            operations: number(8),
            tree: Some(Tree {
                level: number(9),
                children: number(10),
                parent: (cells[12] != Cell::Null).then(|| number(12)),
                stack: text(13),
            }),
        };
        order.push(number(11));
        (number(11), row)
    });
    let rows = rows.collect();
    (order, rows)
}

/// Returns the report of the installed nsys, if there is one.
fn theirs(path: &Path) -> Option<Rows> {
    for report in ["nvtx_gpu_proj_trace", "nvtxgpuproj"] {
        let output = Command::new("nsys")
            .args(["stats", "-q", "--format", "csv", "--output", "-"])
            .args(["--report", report])
            .arg(path)
            .output();
        let Ok(output) = output else {
            let required = std::env::var("WEFT_TEST_REQUIRE").unwrap_or_default();
            assert!(
                !required.split(',').any(|name| name.trim() == "nsys"),
                "nsys is not installed"
            );
            eprintln!("skipped: nsys is not installed");
            return None;
        };
        let text = String::from_utf8(output.stdout).unwrap();
        if let Some(start) = text.find("Name,Projected Start") {
            return Some(parsed(&text[start..]));
        }
    }
    panic!("nsys gave no report of {}", path.display());
}

fn parsed(csv: &str) -> Rows {
    let mut order = Vec::new();
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let records = reader.records().map(Result::unwrap);
    // Version 2023.4 adds a row without a range for work that was started outside of all ranges.
    let rows = records.filter(|record| !record[11].is_empty());
    let rows = rows.map(|record| {
        // Python writes NULL as None in some versions.
        let given = |at: usize| Some(&record[at]).filter(|text| !["", "None"].contains(text));
        let number = |at: usize| record[at].parse::<i64>().unwrap();
        let row = Row {
            name: record[0].to_owned(),
            times: [number(1), number(2), number(3), number(4)],
            style: record[5].to_owned(),
            process: number(6),
            thread: number(7),
            operations: number(8),
            tree: given(9).map(|_| Tree {
                level: number(9),
                children: number(10),
                parent: given(12).map(|parent| parent.parse().unwrap()),
                stack: record[13].to_owned(),
            }),
        };
        order.push(number(11));
        (number(11), row)
    });
    let rows = rows.collect();
    (order, rows)
}

/// Returns the rows of a database by plain loops that compare every range with every call and every
/// other range.
fn defined(path: &Path) -> BTreeMap<i64, Row> {
    let database = Connection::open(path).unwrap();
    let has = |table: &str| {
        let sql = "SELECT count(*) FROM sqlite_master WHERE name = ?1";
        database
            .query_row(sql, [table], |row| row.get::<_, i64>(0))
            .unwrap()
            > 0
    };
    if !has("NVTX_EVENTS") {
        return BTreeMap::new();
    }
    struct Range {
        id: i64,
        start: i64,
        end: i64,
        thread: i64,
        name: String,
        style: &'static str,
    }
    let domain = "(SELECT d.text FROM NVTX_EVENTS d WHERE d.eventType = 75 AND d.domainId = e.domainId \
                  AND d.globalTid >> 24 = e.globalTid >> 24 ORDER BY d.start LIMIT 1)";
    let text = "ifnull((SELECT value FROM StringIds WHERE id = e.textId), e.text)";
    let sql = format!(
        "SELECT rowid, start, ifnull(end, (SELECT max(max(start), max(end)) FROM NVTX_EVENTS \
         WHERE eventType IN (59, 60, 70, 71))), globalTid, ifnull({domain} || ':', '') || {text}, \
         eventType IN (59, 70) FROM NVTX_EVENTS e WHERE eventType IN (59, 60, 70, 71) AND endGlobalTid IS NULL"
    );
    let mut ranges = database.prepare(&sql).unwrap();
    let ranges: Vec<Range> = ranges
        .query_map([], |row| {
            Ok(Range {
                id: row.get(0)?,
                start: row.get(1)?,
                end: row.get(2)?,
                thread: row.get(3)?,
                name: row.get::<_, Option<String>>(4)?.unwrap_or_default(),
                style: if row.get(5)? { "PushPop" } else { "StartEnd" },
            })
        })
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let work: Vec<String> = ["KERNEL", "MEMCPY", "MEMSET"]
        .iter()
        .map(|kind| format!("CUPTI_ACTIVITY_KIND_{kind}"))
        .filter(|table| has(table))
        .map(|table| format!("SELECT start, end, correlationId, globalPid FROM {table}"))
        .collect();
    let sql = format!(
        "SELECT r.globalTid, r.start, r.end, r.correlationId, min(w.start), max(w.end) \
         FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN ({}) w ON w.correlationId = r.correlationId \
         AND w.globalPid = r.globalTid & ~16777215 GROUP BY r.rowid",
        work.join(" UNION ALL ")
    );
    let mut calls = database.prepare(&sql).unwrap();
    let calls: Vec<[i64; 6]> = calls
        .query_map([], |row| {
            let mut call = [0; 6];
            for (at, value) in call.iter_mut().enumerate() {
                *value = row.get(at)?;
            }
            Ok(call)
        })
        .unwrap()
        .map(Result::unwrap)
        .collect();

    let parents: Vec<Option<usize>> = ranges
        .iter()
        .map(|range| {
            let around = ranges.iter().enumerate().filter(|(_, other)| {
                let same = (other.start, other.end) == (range.start, range.end);
                other.thread == range.thread
                    && other.start <= range.start
                    && other.end >= range.end
                    && if same { other.id < range.id } else { true }
            });
            around
                .min_by_key(|(_, other)| (other.end - other.start, -other.start, -other.id))
                .map(|(at, _)| at)
        })
        .collect();
    let mut rows = BTreeMap::new();
    for (at, range) in ranges.iter().enumerate() {
        let within: Vec<&[i64; 6]> = calls
            .iter()
            .filter(|[thread, start, end, ..]| {
                *thread == range.thread && range.start <= *start && range.end >= *end
            })
            .collect();
        let Some(first) = within.iter().map(|call| call[4]).min() else {
            continue;
        };
        let last = within.iter().map(|call| call[5]).max().unwrap();
        let mut ids: Vec<i64> = within.iter().map(|call| call[3]).collect();
        ids.sort_unstable();
        ids.dedup();
        let mut stack: Vec<String> = std::iter::successors(Some(at), |at| parents[*at])
            .map(|at| format!(":{}", ranges[at].id))
            .collect();
        stack.reverse();
        let row = Row {
            name: range.name.clone(),
            times: [first, last - first, range.start, range.end - range.start],
            style: range.style.to_owned(),
            process: (range.thread >> 24) & 0xff_ffff,
            thread: range.thread & 0xff_ffff,
            operations: ids.len() as i64,
            tree: Some(Tree {
                level: stack.len() as i64 - 1,
                children: 0,
                parent: parents[at].map(|parent| ranges[parent].id),
                stack: stack.concat(),
            }),
        };
        rows.insert(range.id, row);
    }
    let shown: Vec<i64> = rows.keys().copied().collect();
    for (range, parent) in ranges.iter().zip(&parents) {
        let parent = parent.map(|parent| ranges[parent].id);
        if let (true, Some(parent)) = (shown.contains(&range.id), parent) {
            rows.get_mut(&parent)
                .unwrap()
                .tree
                .as_mut()
                .unwrap()
                .children += 1;
        }
    }
    rows
}

/// Checks that both ways of reading give the rows of the plain loops.
fn check_defined(path: &Path) -> Rows {
    let (order, rows) = ours(path, RequiredParts::Ranges);
    assert_eq!(rows, defined(path));
    let of_rows = ours(path, RequiredParts::Everything);
    assert_eq!(of_rows.1, rows);
    assert_eq!(of_rows.0, order);
    let costs = ours(path, RequiredParts::Costs);
    assert_eq!(costs.1, rows);
    (order, rows)
}

/// Checks that the report of nsys has the same rows in the same order. `exact`: times are so small
/// that the report of 2022.4, which compares them in 32 bits, finds every parent.
fn check_theirs(path: &Path, (order, rows): &Rows, exact: bool) {
    let Some((their_order, theirs)) = theirs(path) else {
        return;
    };
    assert_eq!(
        rows.keys().collect::<Vec<_>>(),
        theirs.keys().collect::<Vec<_>>()
    );
    assert_eq!(*order, their_order);
    let long_names = Command::new("nsys")
        .args(["stats", "--help-reports"])
        .output();
    let long_names = String::from_utf8_lossy(&long_names.unwrap().stdout).contains("proj_trace");
    let mut compared = 0;
    for (id, their) in theirs {
        let mut our = rows[&id].clone();
        if let (Some(tree), true) = (&their.tree, exact || long_names) {
            assert_eq!(our.tree.as_ref(), Some(tree), "range {id}");
            compared += 1;
        }
        our.tree.clone_from(&their.tree);
        assert_eq!(our, their, "range {id}");
    }
    assert!(compared > 0 || !(exact || long_names));
}

fn check_real(name: &str, ranges: usize, nsys: bool) {
    let Some((_folder, path)) = real_database(name) else {
        return;
    };
    let rows = check_defined(&path);
    assert_eq!(rows.1.len(), ranges);
    if nsys && ranges > 0 {
        check_theirs(&path, &rows, false);
    }
}

#[test]
fn projects_2022_2_database_like_nsys() {
    check_real("nsys/pipit_saxpy_mpi.sqlite.zst", 5, true);
}

#[test]
fn database_without_ranges_has_no_rows() {
    check_real("nsys/nsys-ai_mock.sqlite.zst", 0, true);
}

#[test]
fn projects_2026_2_database_as_defined() {
    check_real("nsys/nsys-ai_fsdp_2gpu.sqlite.zst", 9_621, false);
}

#[test]
#[ignore = "nsys 2022.4 takes half a minute"]
fn projects_2026_2_database_like_nsys() {
    check_real("nsys/nsys-ai_fsdp_2gpu.sqlite.zst", 9_621, true);
}

const PROCESS: i64 = (1 << 48) | (4_242 << 24);

/// A database made by hand.
struct HandwrittenDatabase {
    folder: tempfile::TempDir,
    database: Connection,
}

impl HandwrittenDatabase {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database = Connection::open(folder.path().join("report.sqlite")).unwrap();
        let work = |kind: &str| {
            format!(
                "CREATE TABLE CUPTI_ACTIVITY_KIND_{kind} (start INTEGER NOT NULL, end INTEGER NOT NULL, \
                 deviceId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER);"
            )
        };
        let tables = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
             CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
             CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL,
               text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);
             CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL,
               globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL);";
        let work: String = ["KERNEL", "MEMCPY", "MEMSET"].map(work).concat();
        database.execute_batch(&format!("{tables}{work}")).unwrap();
        HandwrittenDatabase { folder, database }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("report.sqlite")
    }

    fn text(&self, id: i64, text: &str) {
        let sql = "INSERT INTO StringIds VALUES (?1, ?2)";
        self.database.execute(sql, params![id, text]).unwrap();
    }

    fn range(&self, kind: i64, thread: i64, text: Result<i64, &str>, times: (i64, Option<i64>)) {
        let sql = "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, textId) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let values = params![times.0, times.1, kind, text.err(), thread, text.ok()];
        self.database
            .prepare_cached(sql)
            .unwrap()
            .execute(values)
            .unwrap();
    }

    fn call(&self, thread: i64, correlation: i64, start: i64, end: i64) {
        let sql = "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?1, ?2, ?3, ?4, 0, 0)";
        let values = params![start, end, thread, correlation];
        self.database
            .prepare_cached(sql)
            .unwrap()
            .execute(values)
            .unwrap();
    }

    fn work(
        &self,
        kind: &str,
        process: Option<i64>,
        correlation: Option<i64>,
        start: i64,
        end: i64,
    ) {
        let sql = format!("INSERT INTO CUPTI_ACTIVITY_KIND_{kind} VALUES (?1, ?2, 0, 7, ?3, ?4)");
        let values = params![start, end, correlation, process];
        self.database
            .prepare_cached(&sql)
            .unwrap()
            .execute(values)
            .unwrap();
    }
}

#[test]
fn projects_odd_ranges_and_calls_like_nsys() {
    let made = HandwrittenDatabase::new();
    let sql = |sql: &str| assert!(made.database.execute(sql, []).unwrap() > 0, "{sql}");
    let thread = PROCESS | 4_242;
    made.text(1, "'; DROP TABLE NVTX_EVENTS; --");
    made.text(2, "a name, with a comma");
    // Domains are named by process: domain 1 of another process is another domain.
    sql(&format!(
        "INSERT INTO NVTX_EVENTS (start, eventType, text, globalTid, domainId) \
         VALUES (0, 75, 'weft', {thread}, 1), (0, 75, 'other', {}, 1)",
        thread + (1 << 24)
    ));
    made.range(59, thread, Ok(1), (100, Some(1_000)));
    made.range(70, thread, Ok(2), (110, Some(500)));
    made.range(60, thread, Err("overlaps"), (300, Some(700)));
    made.range(71, thread, Err("imported"), (310, Some(320)));
    made.range(59, thread, Ok(9), (330, Some(340)));
    // One closed on another thread, which does not represent the time of a thread; one never
    // closed; an instant.
    made.range(60, thread, Err("moved"), (100, Some(2_000)));
    sql(&format!(
        "UPDATE NVTX_EVENTS SET endGlobalTid = {} WHERE text = 'moved'",
        thread + 1
    ));
    made.range(59, thread, Err("open"), (400, None));
    made.range(59, thread, Err("instant"), (450, Some(450)));
    made.range(59, thread + 1, Err("of another thread"), (0, Some(3_000)));
    made.range(
        59,
        thread + (1 << 24),
        Err("of another process"),
        (0, Some(3_000)),
    );
    made.range(34, thread, Err("a mark"), (420, None));
    sql("UPDATE NVTX_EVENTS SET domainId = 1 WHERE rowid % 2 = 0 AND eventType != 75");

    // A call that contains a call of the driver with its id.
    made.call(thread, 1, 120, 160);
    made.call(thread, 1, 130, 150);
    made.work("KERNEL", Some(PROCESS), Some(1), 5_000, 5_100);
    // One call that starts many kernels, and copies with its id in another process only.
    made.call(thread, 2, 312, 318);
    (0..5).for_each(|node| {
        made.work(
            "KERNEL",
            Some(PROCESS),
            Some(2),
            6_000 - node * 10,
            6_500 + node,
        )
    });
    made.work("MEMCPY", Some(PROCESS + (1 << 24)), Some(2), 10, 90_000);
    made.call(thread + (1 << 24), 2, 10, 20);
    // Touches the ends of two ranges.
    made.call(thread, 3, 300, 500);
    made.work("MEMCPY", Some(PROCESS), Some(3), 4_000, 4_001);
    // Calls that straddle a range, do not exist, have no id, have no length, or have a reused id.
    made.call(thread, 4, 490, 510);
    made.work("MEMSET", Some(PROCESS), Some(4), 3_000, 3_500);
    made.work("MEMSET", Some(PROCESS), Some(99), 1, 2);
    made.work("KERNEL", Some(PROCESS), None, 1, 2);
    made.work("KERNEL", None, Some(1), 1, 2);
    made.call(thread, 5, 450, 450);
    made.work("KERNEL", Some(PROCESS), Some(5), 7_000, 7_000);
    made.call(thread, 5, 600, 650);
    made.call(thread, 5, 910, 920);
    // A call that starts nothing.
    made.call(thread, 6, 335, 336);
    let path = made.path();
    let rows = check_defined(&path);
    check_theirs(&path, &rows, true);
    let name = |text: &str| {
        rows.1
            .values()
            .filter(|row| row.name.contains(text))
            .count()
    };
    assert_eq!(
        (name("DROP TABLE"), name("weft:"), name("other:")),
        (1, 3, 1)
    );
    assert_eq!(name("moved"), 0);

    let options = ReadOptions {
        keep: RequiredParts::Ranges,
        ..ReadOptions::default()
    };
    let trace = read(&[path], &options).unwrap();
    let spans = trace.devices.sessions[0].spans.as_ref().unwrap();
    assert_eq!((spans.operations, spans.without_call), (13, 3));
    let loss = trace
        .quality
        .losses
        .iter()
        .find(|loss| loss.name == "operations_without_call");
    assert_eq!(loss.unwrap().value, 3);
}

/// Pseudo-random numbers, the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: i64) -> i64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as i64) % bound
    }
}

#[test]
fn projects_many_ranges_and_calls_like_nsys() {
    let made = HandwrittenDatabase::new();
    let mut numbers = Numbers(7);
    made.database.execute_batch("BEGIN").unwrap();
    made.text(1, "range");
    for number in 0..400 {
        let thread = PROCESS | (4_242 + numbers.below(3));
        let (start, length) = (numbers.below(100_000), 1 << numbers.below(17));
        // No two ranges have equal lengths: the order of equally long ranges around another is not
        // defined.
        let (start, length) = (start * 400, length * 400 + number);
        let kind = [59, 60, 70, 71][numbers.below(4) as usize];
        made.range(kind, thread, Ok(1), (start, Some(start + length)));
    }
    for _ in 0..2_000 {
        let thread = PROCESS | (4_242 + numbers.below(4));
        let correlation = numbers.below(1_500);
        let start = numbers.below(40_000_000);
        made.call(thread, correlation, start, start + numbers.below(4_000));
    }
    for _ in 0..2_000 {
        let kind = ["KERNEL", "MEMCPY", "MEMSET"][numbers.below(3) as usize];
        let start = numbers.below(40_000_000);
        let correlation = numbers.below(1_500);
        made.work(
            kind,
            Some(PROCESS),
            Some(correlation),
            start,
            start + numbers.below(50_000),
        );
    }
    made.database.execute_batch("COMMIT").unwrap();
    let path = made.path();
    let rows = check_defined(&path);
    assert!(rows.1.len() > 200);
    check_theirs(&path, &rows, false);
}

#[test]
fn sliced_reading_matches_one_pass() {
    let made = HandwrittenDatabase::new();
    let calls = 300_000;
    made.database.execute_batch("BEGIN").unwrap();
    made.text(1, "range");
    for call in 0..calls {
        let thread = PROCESS | (4_242 + call % 3);
        if call % 1_000 != 999 {
            made.call(thread, call, 10 * call, 10 * call + 8);
        }
        made.work(
            "KERNEL",
            Some(PROCESS),
            Some(call),
            10 * call + 20,
            10 * call + 25,
        );
    }
    for range in 0..100 {
        let start = range * calls / 10;
        made.range(
            59,
            PROCESS | 4_242,
            Ok(1),
            (start, Some(start + calls / 20)),
        );
    }
    made.database.execute_batch("COMMIT").unwrap();
    let path = made.path();
    let rows = ours(&path, RequiredParts::Ranges);
    assert_eq!(rows, ours(&path, RequiredParts::Everything));
    assert_eq!(rows.1.len(), 100);
    let operations: i64 = rows.1.values().map(|row| row.operations).sum();
    let sql = "SELECT count(*) FROM NVTX_EVENTS e JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON e.start <= r.start \
               AND e.end >= r.end AND e.globalTid = r.globalTid";
    let expected: i64 = made.database.query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(operations, expected);
    let options = ReadOptions {
        keep: RequiredParts::Ranges,
        ..ReadOptions::default()
    };
    let trace = read(&[path], &options).unwrap();
    let spans = trace.devices.sessions[0].spans.as_ref().unwrap();
    assert_eq!((spans.operations, spans.without_call), (300_000, 300));
    assert_eq!(spans.calls.start.len(), 299_700);
}

#[test]
fn reads_sparse_row_ids() {
    let made = HandwrittenDatabase::new();
    let thread = PROCESS | 4_242;
    made.range(59, thread, Err("a range"), (0, Some(100_000)));
    for call in 0..1_000 {
        made.call(thread, call, 10 * call, 10 * call + 5);
        made.work(
            "KERNEL",
            Some(PROCESS),
            Some(call),
            10 * call + 20,
            10 * call + 25,
        );
    }
    let far = "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET rowid = 9223372036854775807 - rowid * 1000000007 WHERE rowid % 2; \
               UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET rowid = -9223372036854775807 WHERE rowid = 500; \
               UPDATE NVTX_EVENTS SET rowid = 9223372036854775807";
    made.database.execute_batch(far).unwrap();
    let rows = check_defined(&made.path());
    assert_eq!(rows.1[&i64::MAX].operations, 1_000);
}

#[test]
fn sums_ranges_by_name() {
    let made = HandwrittenDatabase::new();
    let thread = PROCESS | 4_242;
    for (number, name) in ["a", "b", "a"].into_iter().enumerate() {
        let start = 1_000 * number as i64;
        made.range(59, thread, Err(name), (start, Some(start + 100)));
        for call in 0..=number as i64 {
            let id = start + call;
            made.call(thread, id, start + 10 * call, start + 10 * call + 5);
            made.work(
                "KERNEL",
                Some(PROCESS),
                Some(id),
                start + 20 * call,
                start + 20 * call + 10,
            );
        }
    }
    // Ranges without work inside: one with the name of others, one with a unique name.
    made.range(59, thread, Err("a"), (5_000, Some(5_100)));
    made.range(59, thread, Err("host"), (6_000, Some(6_050)));
    let trace = read(&[made.path()], &ReadOptions::default()).unwrap();
    let csv = stats::table(&trace, By::RangeName).render(weft_model::table::Format::Csv);
    insta::assert_snapshot!(csv, @"
    range,style,count,total_ns,mean_ns,std_ns,min_ns,median_ns,p95_ns,p99_ns,max_ns,share,ranges,range_time_ns,operations
    a,PushPop,2,60,30,28.3,10,30,50,50,50,0.6666666666666666,3,300,4
    b,PushPop,1,30,30,0,30,30,30,30,30,0.3333333333333333,1,100,2
    host,PushPop,0,0,,,,,,,,0,1,50,0
    ");
}

#[test]
fn ranges_without_device_work_count_their_own_time() {
    let Some((_folder, path)) = real_database("legate-nsys/stencil.sqlite.zst") else {
        return;
    };
    for keep in [RequiredParts::Ranges, RequiredParts::Everything] {
        let options = ReadOptions {
            keep,
            ..ReadOptions::default()
        };
        let trace = read(std::slice::from_ref(&path), &options).unwrap();
        let table = stats::table(&trace, By::RangeName);
        let sum = |name: &str| {
            let column = table.column(name).unwrap();
            let cells = table.rows().iter().map(|row| match row[column] {
                Cell::Integer(number) => number,
                ref other => panic!("{other:?}"),
            });
            cells.sum::<i64>()
        };
        assert_eq!(
            (sum("count"), sum("ranges"), sum("operations")),
            (186, 186, 0)
        );
        let database = Connection::open(&path).unwrap();
        let time =
            "SELECT sum(end - start), count(DISTINCT text) FROM NVTX_EVENTS WHERE eventType = 59";
        let (time, names): (i64, i64) = database
            .query_row(time, [], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        assert_eq!((sum("total"), sum("range time")), (time, time));
        assert_eq!(table.rows().len() as i64, names);
        let note = stats::note(&trace, By::RangeName, &table).unwrap();
        assert!(
            note.contains("times are those of the ranges themselves"),
            "{note}"
        );
        // The projection itself has nothing to show, and refers to the table that has.
        let empty = stats::table(&trace, By::Range);
        let note = stats::note(&trace, By::Range, &empty).unwrap();
        assert!(
            note.starts_with(
                "these inputs have no GPU work, and --by range shows only ranges within"
            ),
            "{note}"
        );
        assert!(
            empty.is_empty() && note.ends_with("try --by range-name"),
            "{note}"
        );
    }
}
