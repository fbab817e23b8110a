//! A run that only Weft recorded.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use rusqlite::Connection;
use support::session::Session;
use support::{Small, join, small};
use weft_analysis::stats::{self, By};
use weft_critical as critical;
use weft_input::GIVEN_TWICE;
use weft_model::table::Format;
use weft_model::{Outcome, Reason};
use weft_nvtx_export::{ExportError, ReadOptions, read};
use weft_output::sqlite::{self, WriteOptions};
use weft_output::text::{TextOptions, render};
use weft_trace::file::RunId;
use weft_trace::id::{LaunchUid, ProcessorId};
use weft_trace::record::{Kernel, Launch, Shares};

#[test]
fn renders_each_kernel_under_its_task_and_line() {
    let (_folder, path) = small(RunId([1; 16]), 5_000, Small::default());
    let trace = join(&[path]);
    insta::assert_snapshot!(render(&trace, &TextOptions { relative: true }));
}

#[test]
fn line_costs_split_fused_launches_by_share() {
    let (_folder, path) = small(RunId([1; 16]), 0, Small::default());
    let trace = join(&[path]);
    let lines = stats::table(&trace, By::Line).render(Format::Csv);
    insta::assert_snapshot!(lines, @"
    line,operations,count,total_ns,mean_ns,std_ns,min_ns,median_ns,p95_ns,p99_ns,max_ns,share,kernel_time_ns,overhead_ns,gb_per_s,of_bandwidth,estimated_ns,copy_time_ns,nested_ns,issue_time_ns,compile_time_ns
    src/main.rs:10,add,2,300,150,70.7,100,150,200,200,200,0.6,260,40,91.378,,,,,,
    src/main.rs:20,\"fill, mul\",2,200,100,70.7,50,100,150,150,150,0.4,180,20,45.689,,0,,,,
    ");
    let tasks = stats::table(&trace, By::Task).render(Format::Csv);
    insta::assert_snapshot!(tasks, @"
    task,variant,count,total_ns,mean_ns,std_ns,min_ns,median_ns,p95_ns,p99_ns,max_ns,share,kernel_time_ns,overhead_ns,estimated_ns,nested_ns,issue_time_ns
    add,CPU,2,300,150,70.7,100,150,200,200,200,0.6,260,40,,,
    mul,CPU,1,150,150,0,150,150,150,150,150,0.3,135,15,150,,
    fill,CPU,1,50,50,0,50,50,50,50,50,0.1,45,5,50,,
    ");
}

#[test]
fn kernel_without_launch_is_unmatched_with_a_reason() {
    let what = Small {
        without_launch: Some(12),
        ..Small::default()
    };
    let (_folder, path) = small(RunId([1; 16]), 0, what);
    let trace = join(&[path]);
    assert_eq!((trace.devices.kernels.len(), trace.linked()), (3, 2));
    assert_eq!(
        trace.links.outcomes[1],
        Outcome::Unmatched(Reason::UnknownUid)
    );
    assert!(!trace.is_partial());
}

#[test]
fn truncated_file_marks_kernels_with_lost_launches() {
    let (_folder, path) = small(
        RunId([1; 16]),
        0,
        Small {
            without_launch: Some(12),
            ..Small::default()
        },
    );
    let bytes = std::fs::read(&path).unwrap();
    // The end of the last block is unused. Cut into the records before it.
    let used = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    std::fs::write(&path, &bytes[..used - 60]).unwrap();
    let trace = join(&[path]);
    assert!(trace.is_partial());
    assert!(
        trace
            .links
            .outcomes
            .contains(&Outcome::Unmatched(Reason::LostRecords)),
        "{:?}",
        trace.links.outcomes
    );
}

#[test]
fn database_answers_sql_queries() {
    let (folder, path) = small(RunId([7; 16]), 1_000, Small::default());
    let trace = join(&[path]);
    let out = folder.path().join("weft.sqlite");
    let report = sqlite::write(&trace, &out, &WriteOptions::default()).unwrap();
    assert_eq!(
        (report.kernels, report.linked, report.tasks, report.partial),
        (3, 3, 4, false)
    );
    let database = Connection::open(&out).unwrap();
    let number = |sql: &str| {
        database
            .query_row(sql, [], |row| row.get::<_, i64>(0))
            .unwrap()
    };
    let counts = [
        ("WEFT_SOURCE", 1),
        ("WEFT_RANK", 1),
        ("WEFT_OPERATION", 3),
        ("WEFT_TILE", 2),
        ("WEFT_TASK", 4),
        ("WEFT_LAUNCH", 3),
        ("WEFT_LAUNCH_TASK", 4),
        ("WEFT_KERNEL", 3),
        ("WEFT_KERNEL_TASK", 4),
        ("WEFT_UNMATCHED", 0),
        ("WEFT_KERNEL_RANGE", 3),
        ("WEFT_DEPENDENCY", 2),
        ("WEFT_WAIT", 1),
        ("WEFT_RUNTIME_CALL", 1),
        ("WEFT_STORE", 1),
        ("WEFT_INSTANCE", 1),
        ("WEFT_COPY", 0),
        ("WEFT_PROCESSOR", 2),
        ("WEFT_MEMORY", 1),
        ("WEFT_PROVENANCE", 2),
        ("NVTX_EVENTS", 4),
    ];
    for (table, rows) in counts {
        assert_eq!(
            number(&format!("SELECT count(*) FROM {table}")),
            rows,
            "{table}"
        );
    }
    assert_eq!(
        number("SELECT kernelTime FROM weft_by_line WHERE line = 10"),
        260
    );
    assert_eq!(
        number("SELECT kernelTime FROM weft_by_line WHERE line = 20"),
        180
    );
    // It was fused with another, in a launch of 200 ns.
    assert_eq!(
        number("SELECT total FROM weft_by_task WHERE name = 'mul'"),
        150
    );
    assert_eq!(
        number("SELECT max(end - start) FROM weft_task_time WHERE name = 'mul'"),
        200
    );
    assert_eq!(
        number("SELECT linked FROM weft_by_kernel WHERE name = 'add_f64'"),
        2
    );
    // CPU 0 between its two launches, CPU 1 after its only one.
    assert_eq!(
        number("SELECT sum(duration) FROM weft_gaps WHERE position = 'between'"),
        200
    );
    assert_eq!(
        number("SELECT sum(duration) FROM weft_gaps WHERE position = 'last' AND processorId = 1"),
        300
    );
    assert_eq!(number("SELECT sum(duration) FROM weft_gaps"), 500);
    assert_eq!(
        number("SELECT busy FROM weft_utilisation WHERE processorId = 0"),
        300
    );
    assert_eq!(number("SELECT max(used) FROM weft_memory_over_time"), 64);
    assert_eq!(
        number("SELECT used FROM weft_memory_over_time ORDER BY time DESC LIMIT 1"),
        0
    );
    // The derived range of the fused launch has its UID, the place of its first task, and the
    // number of further tasks.
    let message: String = database
        .query_row(
            "SELECT s.value FROM NVTX_EVENTS e JOIN StringIds s ON s.id = e.textId JOIN WEFT_LAUNCH l \
             ON l.uid = e.uint64Value AND l.start = e.start AND l.end = e.end WHERE e.uint64Value = 15",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(message, "mul src/main.rs:20 +1");
    let integrity: String = database
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(integrity, "ok");
}

#[test]
fn replaces_output_atomically_and_only_with_force() {
    let (folder, path) = small(RunId([1; 16]), 0, Small::default());
    let trace = join(&[path]);
    let out = folder.path().join("out");
    std::fs::write(&out, "kept").unwrap();
    let error = sqlite::write(&trace, &out, &WriteOptions::default()).unwrap_err();
    assert!(matches!(error, ExportError::Exists { .. }), "{error}");
    assert_eq!(std::fs::read(&out).unwrap(), b"kept");
    let force = WriteOptions {
        force: true,
        ..WriteOptions::default()
    };
    sqlite::write(&trace, &out, &force).unwrap();
    assert!(
        std::fs::read(&out)
            .unwrap()
            .starts_with(b"SQLite format 3\0")
    );
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        2,
        "only the input and the output"
    );
    let nowhere = folder.path().join("no/such/folder/out");
    assert!(matches!(
        sqlite::write(&trace, &nowhere, &force),
        Err(ExportError::Write { .. })
    ));
}

#[test]
fn mixes_runs_only_on_request_without_uid_collisions() {
    let (_a, first) = small(RunId([1; 16]), 0, Small::default());
    let (_b, second) = small(
        RunId([2; 16]),
        0,
        Small {
            without_launch: Some(11),
            ..Small::default()
        },
    );
    let inputs = [first.clone(), second];
    let error = read(&inputs, &ReadOptions::default()).unwrap_err();
    assert!(matches!(error, ExportError::MixedRuns { .. }), "{error}");
    let trace = read(
        &inputs,
        &ReadOptions {
            mix_runs: true,
            ..ReadOptions::default()
        },
    )
    .unwrap();
    assert_eq!(
        (
            trace.devices.kernels.len(),
            trace.linked(),
            trace.program.operations.len()
        ),
        (6, 5, 6)
    );
    // There are no causes from one run to another.
    let why = critical::missing(&trace).unwrap();
    assert!(why.contains("of several runs"), "{why}");
    assert!(critical::path(&trace).is_empty());
    // Another file of the same rank of the same run is not the same recording.
    let (folder, other) = small(
        RunId([1; 16]),
        0,
        Small {
            without_launch: Some(11),
            ..Small::default()
        },
    );
    let twice = read(&[first.clone(), other], &ReadOptions::default()).unwrap_err();
    assert!(matches!(twice, ExportError::RankTwice { .. }), "{twice}");
    // A copy is the same recording, and counts once.
    let copy = folder.path().join("copy.prof");
    std::fs::copy(&first, &copy).unwrap();
    for second in [&first, &copy] {
        let trace = read(&[first.clone(), second.clone()], &ReadOptions::default()).unwrap();
        assert_eq!((trace.sources.len(), trace.devices.kernels.len()), (1, 3));
        let losses = trace.quality.losses.iter();
        let said: Vec<_> = losses.filter(|loss| loss.name == GIVEN_TWICE).collect();
        assert_eq!(said.len(), 1);
        assert!(said[0].meaning.contains(&second.display().to_string()));
    }
}

/// Returns a session that began at this time of the wall clock, with a range of a program without
/// Weft.
fn session(began: i64) -> Session {
    let session = Session::new(0);
    session.range(7, 2, None, 100, Some(200));
    session
        .database
        .execute_batch(&format!(
            "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER);
             INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES ({began});
             CREATE TABLE ANALYSIS_DETAILS (globalVid INTEGER, duration INTEGER, startTime INTEGER, stopTime INTEGER);
             INSERT INTO ANALYSIS_DETAILS VALUES (1, 1000, 77, 1077);"
        ))
        .unwrap();
    session
}

const DAY: i64 = 86_400_000_000_000;

#[test]
fn joins_recordings_of_different_times_only_on_request() {
    let (_folder, file) = small(RunId([1; 16]), 0, Small::default());
    let (first, second) = (session(DAY), session(2 * DAY));
    let mixed = ReadOptions {
        mix_runs: true,
        ..ReadOptions::default()
    };
    for inputs in [
        [file, first.path.clone()],
        [first.path.clone(), second.path.clone()],
    ] {
        let error = read(&inputs, &ReadOptions::default()).unwrap_err();
        assert!(matches!(error, ExportError::Unrelated { .. }), "{error}");
        assert!(error.to_string().contains("was recorded"), "{error}");
        assert_eq!(read(&inputs, &mixed).unwrap().sources.len(), 2);
    }
    // Two sessions within an hour are of one run, like two ranks.
    let near = session(DAY + 500);
    let trace = read(
        &[first.path.clone(), near.path.clone()],
        &ReadOptions::default(),
    )
    .unwrap();
    assert_eq!(trace.sources.len(), 2);
}

#[test]
fn counts_a_session_once_across_files() {
    let session = session(DAY);
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.sqlite");
    std::fs::copy(&session.path, &copy).unwrap();
    // Exported again: the same rows in another file.
    let again = folder.path().join("again.sqlite");
    session
        .database
        .execute("VACUUM INTO ?1", [again.to_str().unwrap()])
        .unwrap();
    Connection::open(&again)
        .unwrap()
        .execute_batch("CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT)")
        .unwrap();
    let alone = join(std::slice::from_ref(&session.path));
    for other in [copy, again] {
        let trace = join(&[session.path.clone(), other.clone()]);
        assert_eq!(trace.sources.len(), 1, "{}", other.display());
        assert_eq!(trace.work.ranges.len(), alone.work.ranges.len());
        assert!(
            trace
                .quality
                .losses
                .iter()
                .any(|loss| loss.name == GIVEN_TWICE)
        );
    }
}

#[test]
fn program_waits_record_their_cause() {
    use support::{ProfFile, at, operation_uid, uid};
    use weft_model::WaitKind;
    use weft_trace::id::TaskUid;
    use weft_trace::record::{RuntimeCall, RuntimeCallKind, Task};
    let mut profile = ProfFile::new(RunId([1; 16]), 0);
    for (task, operation, end) in [(11, 1, 200), (12, 1, 180), (13, 2, 300)] {
        profile.write(Task {
            uid: TaskUid(uid(task)),
            operation: operation_uid(operation),
            point: 0,
            processor: ProcessorId(1),
            created: at(10),
            ready: at(20),
            start: at(end - 50),
            end: at(end),
            arithmetic: None,
        });
    }
    let mut wait = |kind, operation: Option<u64>, start, end| {
        profile.write(RuntimeCall {
            kind,
            operation: operation.map(operation_uid),
            processor: ProcessorId(0),
            start: at(start),
            end: at(end),
            task: None,
        });
    };
    wait(RuntimeCallKind::Wait, Some(1), 60, 230);
    wait(RuntimeCallKind::Limit, None, 240, 250);
    wait(RuntimeCallKind::Wait, None, 260, 310);
    wait(RuntimeCallKind::Agreement, Some(2), 320, 330);
    wait(RuntimeCallKind::Allocation, Some(2), 340, 350);
    let (folder, path) = profile.finish();
    let trace = join(&[path]);
    let kinds = |trace: &weft_model::Trace| -> Vec<(WaitKind, bool, i64, i64, i64)> {
        let zero = trace.work.waits[0].start.nanos() - 60;
        let waits = trace.work.waits.iter();
        let since = |at: weft_trace::time::Timestamp| at.nanos() - zero;
        waits
            .map(|wait| {
                let times = [wait.start, wait.ready, wait.end].map(since);
                (wait.kind, wait.task.is_none(), times[0], times[1], times[2])
            })
            .collect()
    };
    let expected = [
        (WaitKind::Value, true, 60, 200, 230),
        // The last work that ended before the program resumed had ended before the wait began.
        (WaitKind::Limit, true, 240, 240, 250),
        (WaitKind::All, true, 260, 300, 310),
        (WaitKind::Agreement, true, 320, 330, 330),
    ];
    assert_eq!(kinds(&trace), expected);
    assert_eq!(trace.work.runtime_calls.len(), 1, "the allocation");
    let out = folder.path().join("weft.sqlite");
    sqlite::write(&trace, &out, &WriteOptions::default()).unwrap();
    assert_eq!(kinds(&join(&[out])), expected);
}

#[test]
fn body_waits_belong_to_their_task() {
    use support::{ProfFile, at, operation_uid, uid};
    use weft_model::{Trace, WaitKind};
    use weft_trace::id::TaskUid;
    use weft_trace::record::{RuntimeCall, RuntimeCallKind, Task};
    let mut profile = ProfFile::new(RunId([1; 16]), 0);
    // The outer task on one processor, and the task that its body waits for on another.
    for (task, operation, processor, start, end) in [(11, 1, 1, 20, 300), (12, 2, 2, 60, 180)] {
        profile.write(Task {
            uid: TaskUid(uid(task)),
            operation: operation_uid(operation),
            point: 0,
            processor: ProcessorId(processor),
            created: at(10),
            ready: at(20),
            start: at(start),
            end: at(end),
            arithmetic: None,
        });
    }
    profile.write(RuntimeCall {
        kind: RuntimeCallKind::Wait,
        operation: Some(operation_uid(2)),
        processor: ProcessorId(1),
        start: at(50),
        end: at(200),
        task: Some(TaskUid(uid(11))),
    });
    let (folder, path) = profile.finish();
    let trace = join(&[path]);
    let check = |trace: &Trace| {
        let [wait] = trace.work.waits[..] else {
            panic!("one wait");
        };
        let start = wait.start.nanos();
        let since = [wait.ready, wait.end].map(|at| at.nanos() - start);
        assert_eq!(
            (wait.kind, wait.task, wait.processor, since),
            (WaitKind::Value, Some(uid(11)), None, [130, 150])
        );
        assert_eq!(wait.operation, Some(operation_uid(2).0));
        assert_eq!(
            trace.thread_calls().count(),
            0,
            "the program waited for nothing"
        );
    };
    check(&trace);
    let out = folder.path().join("weft.sqlite");
    sqlite::write(&trace, &out, &WriteOptions::default()).unwrap();
    check(&join(&[out]));
}

/// Tiles are parts of one task and wait at the same time, so their waits overlap.
#[test]
fn tile_waits_belong_to_their_task() {
    use support::{ProfFile, at, operation_uid, uid};
    use weft_model::{Trace, WaitKind};
    use weft_trace::id::TaskUid;
    use weft_trace::record::{RuntimeCall, RuntimeCallKind, Task};
    let profile = |waits: &[(i64, i64)]| {
        let mut profile = ProfFile::new(RunId([1; 16]), 0);
        for (task, operation, start, end) in [(11, 1, 20, 300), (12, 2, 310, 400)] {
            profile.write(Task {
                uid: TaskUid(uid(task)),
                operation: operation_uid(operation),
                point: 0,
                processor: ProcessorId(1),
                created: at(10),
                ready: at(20),
                start: at(start),
                end: at(end),
                arithmetic: None,
            });
        }
        for (start, end) in waits {
            profile.write(RuntimeCall {
                kind: RuntimeCallKind::Exchange,
                operation: Some(operation_uid(1)),
                processor: ProcessorId(1),
                start: at(*start),
                end: at(*end),
                task: Some(TaskUid(uid(11))),
            });
        }
        profile.finish()
    };
    let (folder, path) = profile(&[(50, 200), (120, 201), (210, 250)]);
    let trace = join(&[path]);
    let check = |trace: &Trace| {
        let waits = trace.work.waits.iter();
        let waits = waits.map(|wait| (wait.kind, wait.task, wait.processor, wait.operation));
        let own = operation_uid(1).0;
        let expected = (WaitKind::Exchange, Some(uid(11)), None, Some(own));
        assert_eq!(waits.collect::<Vec<_>>(), [expected; 3]);
        assert!(trace.work.waits.iter().all(|wait| wait.ready == wait.end));
        let table = stats::table(trace, By::Wait).render(Format::Csv);
        let row = table.lines().nth(1).unwrap();
        assert!(
            row.contains(",exchange,") && row.contains(",3,271,"),
            "{table}"
        );
        assert_eq!(trace.thread_calls().count(), 0);
    };
    check(&trace);
    let out = folder.path().join("weft.sqlite");
    sqlite::write(&trace, &out, &WriteOptions::default()).unwrap();
    check(&join(&[out]));
    // A task that waits inside its body takes as long on the critical path as one that computes.
    let (_folder, path) = profile(&[]);
    let path_of = |trace: &Trace| stats::table(trace, By::Critical).render(Format::Csv);
    let without = path_of(&join(&[path]));
    assert!(without.lines().count() > 1, "{without}");
    assert_eq!(path_of(&trace), without);
}

mod property {
    use super::*;
    use proptest::prelude::*;
    use support::{ProfFile, at, uid};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn linked_and_unmatched_sum_to_the_kernels(
            launches in prop::collection::btree_set(1u64..40, 0..30),
            kernels in prop::collection::vec(1u64..60, 0..60),
        ) {
            let mut profile = ProfFile::new(RunId([3; 16]), 0);
            for launch in &launches {
                profile.write(Launch {
                    uid: LaunchUid(uid(*launch)),
                    processor: ProcessorId(0),
                    start: at(0),
                    end: at(1),
                    measured: false,
                    shares: Shares::Items(&[]),
                });
            }
            for launch in &kernels {
                profile.write(Kernel {
                    launch: LaunchUid(uid(*launch)),
                    processor: ProcessorId(0),
                    name: Default::default(),
                    start: at(0),
                    end: at(1),
                    bytes: 0,
                    read: Some(2 * 4096),
                });
            }
            let (_folder, path) = profile.finish();
            let trace = join(&[path]);
            let expected = kernels.iter().filter(|launch| launches.contains(launch)).count();
            prop_assert_eq!(trace.devices.kernels.len(), kernels.len());
            prop_assert_eq!(trace.links.outcomes.len(), kernels.len());
            prop_assert_eq!(trace.linked(), expected);
            let connection = Connection::open_in_memory().unwrap();
            sqlite::load(&trace, &connection, "memory".as_ref(), &WriteOptions::default()).unwrap();
            let split: (i64, i64) = connection.query_row(
                "SELECT (SELECT count(DISTINCT kernelId) FROM WEFT_KERNEL_TASK), (SELECT count(*) FROM WEFT_UNMATCHED)",
                [],
                |row| Ok((row.get(0)?, row.get(1)?)),
            ).unwrap();
            prop_assert_eq!(split, (expected as i64, (kernels.len() - expected) as i64));
        }
    }
}

#[test]
fn joined_database_survives_a_round_trip() {
    let (folder, path) = small(
        RunId([1; 16]),
        5_000,
        Small {
            without_launch: Some(12),
            ..Small::default()
        },
    );
    let trace = join(std::slice::from_ref(&path));
    let out = folder.path().join("weft.sqlite");
    sqlite::write(&trace, &out, &WriteOptions::default()).unwrap();
    let back = join(std::slice::from_ref(&out));
    let options = TextOptions { relative: false };
    assert_eq!(render(&back, &options), render(&trace, &options));
    for by in [
        By::Line,
        By::Task,
        By::Operation,
        By::Kernel,
        By::Range,
        By::RangeName,
        By::Processor,
        By::Memory,
        By::Gap,
    ] {
        assert_eq!(stats::table(&back, by), stats::table(&trace, by), "{by:?}");
    }
    let again = folder.path().join("again.sqlite");
    sqlite::write(&back, &again, &WriteOptions::default()).unwrap();
    let database = Connection::open(&out).unwrap();
    database
        .execute("ATTACH ?1 AS again", [again.to_str().unwrap()])
        .unwrap();
    let tables =
        "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'";
    let mut tables = database.prepare(tables).unwrap();
    for table in tables
        .query_map([], |row| row.get::<_, String>(0))
        .unwrap()
        .map(Result::unwrap)
    {
        for (one, other) in [("main", "again"), ("again", "main")] {
            let sql = format!(
                "SELECT count(*) FROM (SELECT * FROM {one}.{table} EXCEPT SELECT * FROM {other}.{table})"
            );
            let differ: i64 = database.query_row(&sql, [], |row| row.get(0)).unwrap();
            assert_eq!(differ, 0, "{table}");
        }
    }
    let error = read(&[out, path], &ReadOptions::default()).unwrap_err();
    assert!(
        matches!(error, ExportError::JoinedBesideOthers { .. }),
        "{error}"
    );
}

/// Names repeat in every run of a program.
#[test]
fn rejects_profile_and_report_of_different_runs() {
    let (_folder, profile) = support::shared("legate/stencil.prof.zst", "legate_0.prof").unwrap();
    let (_other, own) = support::shared("legate-nsys/stencil.prof.zst", "legate_0.prof").unwrap();
    let (_report, report) = support::real_database("legate-nsys/stencil.sqlite.zst").unwrap();
    let options = ReadOptions::default();
    assert!(read(&[own, report.clone()], &options).is_ok());
    let error = read(&[profile, report], &options).unwrap_err();
    assert!(matches!(error, ExportError::Unrelated { .. }), "{error}");
}
