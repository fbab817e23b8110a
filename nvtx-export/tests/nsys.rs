//! Databases of Nsight Systems: real ones, and handmade ones together with a run of Weft.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use crate::support;

use rusqlite::{Connection, params};
use std::path::Path;
use support::session::{PROCESS, Session};
use support::{Small, THREADS, join, real_database, small, uid};
use weft_model::{KernelKind, Method, Outcome, Reason, Trace};
use weft_nvtx_export::{ExportError, ReadOptions, RequiredParts, read};
use weft_output::sqlite::{self, WriteOptions};
use weft_trace::file::RunId;

fn number(database: &Connection, sql: &str) -> i64 {
    database.query_row(sql, [], |row| row.get(0)).unwrap()
}

/// Returns the number of work rows in a database that have no API row with their id and process, by
/// plain SQL.
fn without_api_call(database: &Connection, table: &str) -> i64 {
    number(
        database,
        &format!(
            "SELECT count(*) FROM {table} w WHERE NOT EXISTS (SELECT 1 FROM CUPTI_ACTIVITY_KIND_RUNTIME r \
             WHERE r.correlationId = w.correlationId AND (r.globalTid & ~16777215) = w.globalPid)"
        ),
    )
}

/// Joins a real database and checks the counts against plain SQL on it. `expected` has the number
/// of work rows, and of those without an API call. `tables` are its tables with work.
fn check_real(name: &str, expected: (i64, i64), tables: &[&str]) {
    let Some((folder, path)) = real_database(name) else {
        return;
    };
    let original = Connection::open(&path).unwrap();
    let rows: i64 = tables
        .iter()
        .map(|table| number(&original, &format!("SELECT count(*) FROM {table}")))
        .sum();
    let lost: i64 = tables
        .iter()
        .map(|table| without_api_call(&original, table))
        .sum();
    assert_eq!((rows, lost), expected);

    let trace = join(std::slice::from_ref(&path));
    assert_eq!(trace.devices.kernels.len() as i64, rows);
    let unmatched = |reason| {
        let wanted = Outcome::Unmatched(reason);
        trace
            .links
            .outcomes
            .iter()
            .filter(|outcome| **outcome == wanted)
            .count() as i64
    };
    assert_eq!(unmatched(Reason::NoApiCall), lost);
    assert_eq!(trace.linked(), 0, "these ranges have no UIDs");
    let unmatched: i64 = Reason::ALL.iter().map(|reason| unmatched(*reason)).sum();
    assert_eq!(unmatched, rows);

    let out = folder.path().join("weft.sqlite");
    sqlite::write(&trace, &out, &WriteOptions::default()).unwrap();
    compare(&original, &path, &out);
    // The innermost range by plain SQL: of those around the call, the one that starts last.
    if number(
        &original,
        "SELECT count(*) FROM sqlite_master WHERE name = 'NVTX_EVENTS'",
    ) > 0
    {
        check_innermost(&out);
    }
}

/// Checks that the output has every table of the original with the same rows, except for the
/// environment.
fn compare(original: &Connection, path: &Path, out: &Path) {
    let database = Connection::open(out).unwrap();
    database
        .execute("ATTACH ?1 AS original", [path.to_str().unwrap()])
        .unwrap();
    let mut names = original
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
        .unwrap();
    let names = names.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let mut tables = 0;
    for table in names.map(Result::unwrap) {
        tables += 1;
        let hidden = number(
            &database,
            &format!(
                "SELECT count(*) FROM (SELECT * FROM original.{table} EXCEPT SELECT * FROM main.{table})"
            ),
        );
        let environment = match table.as_str() {
            "META_DATA_CAPTURE" => {
                "SELECT count(DISTINCT name || value) FROM original.META_DATA_CAPTURE WHERE name LIKE '%ENVIRONMENT%'"
            }
            "TARGET_INFO_SYSTEM_ENV" => {
                "SELECT count(*) FROM original.TARGET_INFO_SYSTEM_ENV WHERE name = 'DeviceEnvironment'"
            }
            _ => "SELECT 0",
        };
        assert_eq!(hidden, number(&database, environment), "{table}");
        let added = format!(
            "SELECT count(*) FROM (SELECT * FROM main.{table} EXCEPT SELECT * FROM original.{table})"
        );
        assert_eq!(number(&database, &added), 0, "{table}");
    }
    assert!(tables > 5);
}

fn check_innermost(out: &Path) {
    let database = Connection::open(out).unwrap();
    let mut kernels = database
        .prepare(
            "SELECT k.id, r.globalTid, r.start, r.end FROM WEFT_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r \
             ON r.correlationId = k.correlationId WHERE k.id % 29 = 0 GROUP BY k.id HAVING count(*) = 1",
        )
        .unwrap();
    let rows: Vec<(i64, i64, i64, i64)> = kernels
        .query_map([], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })
        .unwrap()
        .map(Result::unwrap)
        .collect();
    for (kernel, thread, start, end) in rows {
        let expected: Option<(i64, i64)> = database
            .query_row(
                "SELECT start, end FROM NVTX_EVENTS WHERE eventType IN (59, 60, 70, 71) AND globalTid = ?1 \
                 AND start <= ?2 AND end >= ?3 ORDER BY start DESC, end LIMIT 1",
                params![thread, start, end],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .ok();
        let found: Option<(i64, i64)> = database
            .query_row(
                "SELECT e.start, e.end FROM WEFT_KERNEL_RANGE r JOIN NVTX_EVENTS e ON e.rowid = r.nvtxRowId \
                 WHERE r.kernelId = ?1",
                [kernel],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .ok();
        assert_eq!(found, expected, "kernel {kernel}");
    }
}

#[test]
fn counts_of_2026_2_database_match_sql() {
    let tables = [
        "CUPTI_ACTIVITY_KIND_KERNEL",
        "CUPTI_ACTIVITY_KIND_MEMCPY",
        "CUPTI_ACTIVITY_KIND_MEMSET",
    ];
    check_real("nsys/nsys-ai_fsdp_2gpu.sqlite.zst", (5_299, 31), &tables);
}

#[test]
fn reads_2026_1_database_without_ranges() {
    let tables = ["CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY"];
    check_real("nsys/nsys-ai_mock.sqlite.zst", (3, 0), &tables);
}

#[test]
fn reads_2022_2_database() {
    let tables = ["CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY"];
    check_real("nsys/pipit_saxpy_mpi.sqlite.zst", (20, 0), &tables);
}

#[test]
fn reads_ranges_without_kernels() {
    let Some((_folder, path)) = real_database("legate-nsys/stencil.sqlite.zst") else {
        return;
    };
    let trace = join(&[path]);
    assert_eq!(
        (trace.work.ranges.len(), trace.devices.kernels.len()),
        (186, 0)
    );
}

#[test]
fn session_provides_base_clock_and_agrees_with_the_profile() {
    let (_folder, prof) = small(RunId([1; 16]), 1_000_000, Small::default());
    let session = Session::new(-40_000);
    session.watch_small();
    let trace = join(&[prof, session.path.clone()]);
    let meta = |key: &str| trace.quality.meta.get(key).unwrap().to_owned();
    assert_eq!(meta("source_1_clock_tie"), "launches");
    assert_eq!(meta("source_1_clock_offset_ns"), "-1040000");
    assert_eq!(meta("source_1_clock_residual_max_ns"), "0");
    assert_eq!(
        (
            meta("range_agreed"),
            meta("range_disagreed"),
            meta("range_absent")
        ),
        ("3".into(), "0".into(), "0".into())
    );
    assert_eq!(trace.linked(), 3);
    assert_eq!(trace.devices.kernels[0].start.nanos(), -40_000 + 110);

    let connection = Connection::open_in_memory().unwrap();
    sqlite::load(
        &trace,
        &connection,
        "memory".as_ref(),
        &WriteOptions::default(),
    )
    .unwrap();
    let same = "SELECT count(*) FROM WEFT_KERNEL_TASK t JOIN WEFT_KERNEL_RANGE r ON r.kernelId = t.kernelId \
                JOIN NVTX_EVENTS e ON e.rowid = r.nvtxRowId AND e.uint64Value = t.launchUid";
    assert_eq!(number(&connection, same), 4);
}

#[test]
fn counts_ranges_with_other_uids_and_prefers_recorded_links() {
    let (_folder, prof) = small(RunId([1; 16]), 0, Small::default());
    let session = Session::new(0);
    session.range(THREADS[0], 1, Some(uid(11).raw()), 95, Some(205));
    session.range(THREADS[1], 1, Some(uid(11).raw()), 95, Some(305));
    let trace = join(&[prof, session.path.clone()]);
    let meta = |key: &str| trace.quality.meta.get(key).unwrap().to_owned();
    assert_eq!(
        (
            meta("range_agreed"),
            meta("range_disagreed"),
            meta("range_absent")
        ),
        ("1".into(), "1".into(), "1".into())
    );
    assert_eq!(trace.linked(), 3);
}

#[test]
fn ranges_agree_within_clock_accuracy() {
    for (start, agreed, absent) in [(195, "3", "0"), (5_000, "2", "1")] {
        let (_folder, prof) = small(RunId([1; 16]), 0, Small::default());
        let session = Session::new(0);
        session.range(THREADS[0], 1, Some(uid(11).raw()), start, Some(start + 50));
        session.range(THREADS[1], 1, Some(uid(12).raw()), 100, Some(300));
        session.range(THREADS[0], 1, Some(uid(15).raw()), 400, Some(600));
        let trace = join(&[prof, session.path.clone()]);
        let meta = |key: &str| trace.quality.meta.get(key).unwrap().to_owned();
        assert_eq!(
            (
                meta("range_agreed"),
                meta("range_disagreed"),
                meta("range_absent")
            ),
            (agreed.into(), "0".into(), absent.into())
        );
    }
}

#[test]
fn device_work_gets_innermost_launch_or_one_reason() {
    let (_folder, prof) = small(
        RunId([1; 16]),
        0,
        Small {
            without_launch: Some(12),
            ..Small::default()
        },
    );
    let session = Session::new(500);
    session.watch_small();
    let thread = THREADS[0];
    // Inside launch 11, within a range of another domain whose payload is not a UID.
    session.range(thread, 2, Some(uid(15).raw()), 120, Some(180));
    session.launch(thread, 1, 130, 140);
    // The same thread, between the ranges.
    session.launch(thread, 2, 250, 260);
    // Only a range of another domain.
    session.range(thread, 2, None, 700, Some(800));
    session.launch(thread, 3, 710, 720);
    // Payloads of 2^63 and above are not UIDs.
    session.range(thread, 1, Some(1 << 63), 850, Some(870));
    session.launch(thread, 4, 855, 860);
    // Straddles the end of launch 15's range.
    session.launch(thread, 5, 600, 610);
    // The launch record of this UID is missing.
    session.launch(THREADS[1], 6, 200, 210);
    // No call, and a call with the same number only in another process.
    session.kernel(PROCESS, 7, 300);
    session.kernel(PROCESS + (1 << 24), 1, 300);
    // A range that was never closed.
    session.range(4399, 1, Some(uid(15).raw()), 900, None);
    session.launch(4399, 8, 910, 920);

    let trace = join(&[prof, session.path.clone()]);
    let outcomes: Vec<_> = trace
        .devices
        .kernels
        .iter()
        .zip(&trace.links.outcomes)
        .filter(|(kernel, _)| kernel.correlation.is_some())
        .collect();
    let linked = |correlation: i64| {
        let found = outcomes
            .iter()
            .find(|(kernel, _)| kernel.correlation == Some(correlation));
        match found.unwrap().1 {
            Outcome::Linked {
                launch,
                method: Method::Range,
            } => Ok(trace.work.launches[launch.0 as usize].uid),
            Outcome::Linked { method, .. } => panic!("linked by {method}"),
            Outcome::Unmatched(reason) => Err(*reason),
        }
    };
    assert_eq!(linked(1), Ok(uid(11)));
    assert_eq!(linked(2), Err(Reason::OutsideRanges));
    assert_eq!(linked(3), Err(Reason::RangeWithoutUid));
    assert_eq!(linked(4), Err(Reason::RangeWithoutUid));
    assert_eq!(linked(5), Err(Reason::OutsideRanges));
    assert_eq!(linked(6), Err(Reason::UnknownUid));
    assert_eq!(linked(7), Err(Reason::NoApiCall));
    assert_eq!(linked(8), Ok(uid(15)));
    let other = outcomes
        .iter()
        .find(|(kernel, _)| kernel.process == Some(PROCESS + (1 << 24)));
    assert_eq!(*other.unwrap().1, Outcome::Unmatched(Reason::NoApiCall));
}

#[test]
fn rejects_unrelated_databases_and_treats_names_as_data() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.sqlite");
    let database = Connection::open(&path).unwrap();
    database.execute_batch("CREATE TABLE t (a)").unwrap();
    let error = read(std::slice::from_ref(&path), &ReadOptions::default()).unwrap_err();
    assert!(
        matches!(error, ExportError::UnknownFormat { .. }),
        "{error}"
    );

    let odd = r#"CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
        CREATE TABLE "a""; DROP TABLE WEFT_META; --" ("b""x" TEXT, 'rowid' INTEGER);
        INSERT INTO "a""; DROP TABLE WEFT_META; --" VALUES ('it''s', 5);"#;
    database.execute_batch(odd).unwrap();
    let trace = join(&[path]);
    let out = folder.path().join("out.sqlite");
    sqlite::write(&trace, &out, &WriteOptions::default()).unwrap();
    let copied = Connection::open(&out).unwrap();
    assert_eq!(
        number(
            &copied,
            r#"SELECT count(*) FROM "a""; DROP TABLE WEFT_META; --" WHERE "b""x" = 'it''s' AND rowid = 5"#
        ),
        1
    );
    assert!(number(&copied, "SELECT count(*) FROM WEFT_META") > 0);
}

fn read_keeping(path: &Path, keep: RequiredParts) -> Result<Trace, ExportError> {
    let options = ReadOptions {
        keep,
        ..ReadOptions::default()
    };
    read(&[path.to_owned()], &options)
}

#[test]
fn session_and_open_ranges_end_with_the_latest_row() {
    let session = Session::new(0);
    session.range(1, 1, None, 100, None);
    session.range(1, 2, None, 150, Some(400));
    session.launch(1, 1, 200, 300);
    session
        .database
        .execute_batch(
            "CREATE TABLE TARGET_INFO_GPU (vmId INTEGER, id INTEGER NOT NULL, name TEXT, uuid TEXT,
               totalMemory INTEGER, smCount INTEGER);
             INSERT INTO TARGET_INFO_GPU VALUES (0, 3, 'a GPU', NULL, 80000000000, 132);",
        )
        .unwrap();
    let ends = || {
        let trace = join(std::slice::from_ref(&session.path));
        let range = trace.work.ranges.iter().find(|range| range.open).unwrap();
        (
            trace.devices.sessions[0].end.unwrap().nanos(),
            range.end.nanos(),
        )
    };
    // The last end is that of the second range, then of a kernel.
    assert_eq!(ends(), (400, 400));
    session.kernel(PROCESS, 1, 500);
    assert_eq!(ends(), (590, 590));
    session
        .database
        .execute_batch(
            "CREATE TABLE ANALYSIS_DETAILS (globalVid INTEGER, duration INTEGER, startTime INTEGER, stopTime INTEGER);
             INSERT INTO ANALYSIS_DETAILS VALUES (1, 7000, 90, 7090);",
        )
        .unwrap();
    assert_eq!(ends(), (7_000, 7_000));

    let trace = join(std::slice::from_ref(&session.path));
    let [gpu] = trace.devices.sessions[0].gpus.as_slice() else {
        panic!("{:?}", trace.devices.sessions);
    };
    assert_eq!(trace.strings.get(gpu.name), "a GPU");
    assert_eq!(
        (gpu.id, gpu.memory, gpu.multiprocessors),
        (3, Some(80_000_000_000), Some(132))
    );
}

#[test]
fn costs_need_only_calls_that_started_work() {
    for (name, all) in [
        ("nsys/nsys-ai_fsdp_2gpu.sqlite.zst", 7_466),
        ("nsys/pipit_saxpy_mpi.sqlite.zst", 95),
    ] {
        let Some((_folder, path)) = real_database(name) else {
            return;
        };
        let everything = read_keeping(&path, RequiredParts::Everything).unwrap();
        let costs = read_keeping(&path, RequiredParts::Costs).unwrap();
        assert_eq!(everything.devices.calls.len(), all);
        assert_eq!(costs.links.outcomes, everything.links.outcomes);
        assert_eq!(costs.links.kernel_ranges, everything.links.kernel_ranges);
        let started = number(
            &Connection::open(&path).unwrap(),
            &format!(
                "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME r WHERE EXISTS (SELECT 1 FROM ({}) w                  WHERE w.correlationId = r.correlationId AND w.globalPid = (r.globalTid & ~16777215))",
                ["KERNEL", "MEMCPY", "MEMSET"]
                    .iter()
                    .filter(|kind| **kind != "MEMSET" || name.contains("fsdp"))
                    .map(|kind| format!(
                        "SELECT correlationId, globalPid FROM CUPTI_ACTIVITY_KIND_{kind}"
                    ))
                    .collect::<Vec<_>>()
                    .join(" UNION ALL ")
            ),
        );
        assert_eq!(costs.devices.calls.len() as i64, started);
    }
}

#[test]
fn damaged_database_is_read_partly_or_rejected() {
    let Some((folder, path)) = real_database("nsys/pipit_saxpy_mpi.sqlite.zst") else {
        return;
    };
    let whole = std::fs::read(&path).unwrap();
    let sizes = |trace: &Trace| {
        (
            trace.work.ranges.len(),
            trace.devices.calls.len(),
            trace.devices.kernels.len(),
        )
    };
    let most = sizes(&read_keeping(&path, RequiredParts::Everything).unwrap());
    let broken = folder.path().join("broken.sqlite");
    let (mut partial, mut refused) = (0, 0);
    for at in (0..whole.len()).step_by(4_096 * 7) {
        let mut bytes = whole.clone();
        let end = whole.len().min(at + 4_096);
        bytes[at..end].fill(0xff);
        let cut = whole[..at + 100.min(whole.len() - at)].to_vec();
        for bytes in [bytes, cut] {
            std::fs::write(&broken, bytes).unwrap();
            for keep in [
                RequiredParts::Everything,
                RequiredParts::Costs,
                RequiredParts::Ranges,
            ] {
                match read_keeping(&broken, keep) {
                    Ok(trace) => {
                        let found = sizes(&trace);
                        assert!(found.0 <= most.0 && found.1 <= most.1 && found.2 <= most.2);
                        if keep == RequiredParts::Everything && found != most {
                            assert!(
                                trace.is_partial(),
                                "rows are missing at {at} without a loss"
                            );
                        }
                        partial += u32::from(trace.is_partial());
                    }
                    Err(error) => {
                        refused += 1;
                        let text = error.sentence();
                        assert!(
                            text.contains("broken.sqlite") && text.contains("; "),
                            "{text}"
                        );
                    }
                }
            }
        }
    }
    assert!(partial > 0 && refused > 0, "{partial} {refused}");
}

/// Returns a session in which nsys recorded the replay of a CUDA graph, launch 15, as one row.
fn session_with_graph() -> Session {
    let session = Session::new(0);
    session.watch_small();
    session
        .database
        .execute_batch(&format!(
            "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER,
               contextId INTEGER, greenContextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,
               graphId INTEGER, graphExecId INTEGER);
             INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (410, 420, {thread}, 77);
             INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (430, 590, 0, 1, NULL, 7, 77, {PROCESS}, 5, 6),
               (600, 610, 2147483647, 1, NULL, 7, 78, {PROCESS}, 5, 6), (0, 0, 0, 1, NULL, 7, 79, {PROCESS}, 5, 6);",
            thread = PROCESS | i64::from(THREADS[0]),
        ))
        .unwrap();
    session
}

#[test]
fn links_whole_graphs_to_the_launch_of_their_call() {
    let (folder, prof) = small(RunId([1; 16]), 0, Small::default());
    let session = session_with_graph();
    let trace = join(&[prof, session.path.clone()]);
    let graphs = trace.devices.kernels.iter().zip(&trace.links.outcomes);
    let graphs: Vec<_> = graphs
        .filter(|(kernel, _)| kernel.kind == KernelKind::Graph)
        .collect();
    let [
        (linked, Outcome::Linked { launch, method }),
        (alone, reason),
    ] = graphs.as_slice()
    else {
        panic!("{graphs:?}");
    };
    assert_eq!(*method, Method::Range);
    assert_eq!(trace.work.launches[launch.0 as usize].uid, uid(15));
    assert_eq!(trace.strings.get(linked.name), "[CUDA graph 5]");
    assert_eq!(
        (linked.graph, linked.device, alone.device),
        (Some(5), Some(0), None)
    );
    assert_eq!(**reason, Outcome::Unmatched(Reason::NoApiCall));
    // The row without times is counted.
    let odd = trace
        .quality
        .losses
        .iter()
        .find(|loss| loss.name == "untimed_graph_not_recorded");
    assert_eq!(odd.map(|loss| loss.value), Some(1));

    // Its time is divided among the tasks that the launch serves, by their shares, and belongs to
    // their line.
    let out = folder.path().join("weft.sqlite");
    sqlite::write(&trace, &out, &WriteOptions::default()).unwrap();
    let database = Connection::open(&out).unwrap();
    let shares = "SELECT count(*) FROM WEFT_KERNEL_TASK t JOIN WEFT_KERNEL k ON k.id = t.kernelId \
                  WHERE k.kind = 'graph' AND t.share IN (0.75, 0.25)";
    assert_eq!(number(&database, shares), 2);
    let line = "SELECT kernelTime FROM weft_by_line WHERE line = 20";
    // The other kernel of the launch, on the CPU, takes 180 ns.
    assert_eq!(number(&database, line), 180 + 160);
    let copied = "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
    assert_eq!(number(&database, copied), 3);

    // The projection of ranges counts it too.
    let options = ReadOptions {
        keep: RequiredParts::Ranges,
        ..ReadOptions::default()
    };
    let trace = read(std::slice::from_ref(&session.path), &options).unwrap();
    let spans = trace.devices.sessions[0].spans.as_ref().unwrap();
    assert_eq!((spans.operations, spans.without_call), (2, 1));
}

#[test]
fn copies_and_counts_nsys_diagnostics() {
    let session = Session::new(0);
    session
        .database
        .execute_batch(
            "CREATE TABLE DIAGNOSTIC_EVENT (timestamp INTEGER NOT NULL, timestampType INTEGER NOT NULL,
               source INTEGER NOT NULL, severity INTEGER NOT NULL, text TEXT NOT NULL, globalPid INTEGER);
             INSERT INTO DIAGNOSTIC_EVENT VALUES (5, 1, 1, 1, 'started', 7), (6, 1, 1, 3, 'buffers were lost', 7),
               (7, 1, 1, 2, 'no unified memory', 7), (8, 1, 1, 3, 'more was lost', NULL), (9, 1, 1, 42, 'later', 7);",
        )
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("weft.sqlite");
    let trace = join(std::slice::from_ref(&session.path));
    sqlite::write(&trace, &out, &WriteOptions::default()).unwrap();
    let database = Connection::open(&out).unwrap();
    for (severity, rows) in [("info", 1), ("error", 2), ("warning", 1), ("unknown", 1)] {
        let sql = format!("SELECT count(*) FROM WEFT_DIAGNOSTIC WHERE severity = '{severity}'");
        assert_eq!(number(&database, &sql), rows, "{severity}");
    }
    let errors = "SELECT value FROM WEFT_LOSS WHERE name = 'nsys_errors' AND severity = 'loss' \
                  AND meaning LIKE '%the first: buffers were lost'";
    assert_eq!(number(&database, errors), 2);
    let warnings = "SELECT value FROM WEFT_LOSS WHERE name = 'nsys_warnings' AND severity = 'note'";
    assert_eq!(number(&database, warnings), 1);
    let back = join(std::slice::from_ref(&out));
    assert_eq!(back.quality.diagnostics.len(), 5);
}

#[test]
fn rejects_inputs_over_the_memory_limit() {
    let (_folder, prof) = small(RunId([1; 16]), 0, Small::default());
    let session = Session::new(0);
    session.watch_small();
    for input in [prof, session.path.clone()] {
        for (memory_limit, fits) in [(Some(1 << 30), true), (Some(100), false)] {
            let options = ReadOptions {
                memory_limit,
                ..ReadOptions::default()
            };
            let found = read(std::slice::from_ref(&input), &options);
            let is_refused = matches!(found, Err(ExportError::Memory { .. }));
            assert_eq!((found.is_ok(), is_refused), (fits, !fits));
        }
    }
}
