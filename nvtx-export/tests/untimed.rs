//! Records with impossible times: they have no known duration, and are counted.
//!
//! `WEFT_TEST_MUTATIONS` sets the number of databases that get such times, 24 by default.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use crate::made::{self, Random, Shape};
use crate::support::session::{PROCESS, Session};
use crate::support::{self, at, operation_uid};
use rusqlite::{Connection, params};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use weft_analysis::stats::{self, By};
use weft_analysis::{advise, iterations};
use weft_critical as critical;
use weft_model::table::{Cell, Table};
use weft_model::{Flaw, RecordKind, Trace};
use weft_nvtx_export::{Progress, ReadOptions, RequiredParts, read};
use weft_output::sqlite::{self, WriteOptions};
use weft_output::{legion, perfetto, query};
use weft_timeline::Timeline;
use weft_trace::file::RunId;
use weft_trace::id::{LaunchUid, NameId, ProcessorId, ProvenanceId, TaskUid};
use weft_trace::record::{
    CodeOrigin, Compile, DeviceClock, DeviceWork, DeviceWorkKind, Kernel, Launch, List, Name,
    Operation, Processor, ProcessorKind, Provenance, RuntimeCall, RuntimeCallKind, Task, Wait,
};
use weft_trace::time::Timestamp;

const SECOND: i64 = 1_000_000_000;

fn read_with(path: &Path, keep: RequiredParts) -> Trace {
    let options = ReadOptions {
        keep,
        ..ReadOptions::default()
    };
    read(&[path.to_owned()], &options).unwrap()
}

fn integer(table: &Table, row: usize, name: &str) -> Option<i64> {
    let column = table.column(name)?;
    match table.rows().get(row)?.get(column)? {
        Cell::Integer(number) => Some(*number),
        _ => None,
    }
}

fn totals(trace: &Trace, by: By) -> i64 {
    let table = stats::table(trace, by);
    (0..table.rows().len())
        .filter_map(|row| integer(&table, row, "total"))
        .sum()
}

fn losses(trace: &Trace) -> u64 {
    let rows = trace.quality.losses.iter();
    rows.filter(|row| row.name.starts_with("untimed_"))
        .map(|row| row.value)
        .sum()
}

/// Returns a session with two kernels of 100 ns at 1 s, 300 ns apart, and one with these times.
fn session(start: i64, end: i64) -> Session {
    let session = Session::new(0);
    let sql = "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?1, ?2, 0, 7, ?3, ?4, 1)";
    let rows = [
        (SECOND, SECOND + 100),
        (SECOND + 400, SECOND + 500),
        (start, end),
    ];
    for (correlation, (start, end)) in (1_i64..).zip(rows) {
        let values = params![start, end, correlation, PROCESS];
        session.database.execute(sql, values).unwrap();
    }
    session
}

#[test]
fn excludes_and_counts_work_with_impossible_times() {
    for (start, end, flaw) in [
        (0, 0, Flaw::NotRecorded),
        (SECOND + 300, SECOND + 200, Flaw::Reversed),
        (SECOND, 0, Flaw::Reversed),
        (i64::MIN, SECOND, Flaw::OutOfRange),
        (SECOND, i64::MAX, Flaw::OutOfRange),
        (i64::MIN, i64::MAX, Flaw::OutOfRange),
        (SECOND, 1 << 61, Flaw::TooLong),
    ] {
        let session = session(start, end);
        let trace = read_with(&session.path, RequiredParts::Everything);
        assert_eq!(totals(&trace, By::Kernel), 200, "{flaw}");
        assert_eq!(totals(&trace, By::Processor), 200, "{flaw}");
        assert_eq!(totals(&trace, By::Gap), 300, "{flaw}");
        let table = stats::table(&trace, By::Kernel);
        assert_eq!(integer(&table, 0, "count"), Some(2), "{flaw}");
        assert_eq!(integer(&table, 0, "unknown"), Some(1), "{flaw}");
        assert_eq!(losses(&trace), 1);
        let [row] = trace.quality.untimed.as_slice() else {
            panic!("{:?}", trace.quality.untimed);
        };
        assert_eq!((row.kind, row.flaw), (RecordKind::Kernel, flaw));
        assert_eq!((row.start, row.end), (start, Some(end)));
        // A joined database keeps the list and the counts, and reading it counts nothing twice.
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weft.sqlite");
        sqlite::write(&trace, &path, &WriteOptions::default()).unwrap();
        let back = read_with(&path, RequiredParts::Everything);
        assert_eq!(
            (losses(&back), back.quality.untimed.len()),
            (1, 1),
            "{flaw}"
        );
        assert_eq!(totals(&back, By::Kernel), 200, "{flaw}");
        // The narrow columns of a projection count it too.
        let spans = read_with(&session.path, RequiredParts::Ranges);
        assert_eq!(losses(&spans), 1, "{flaw}");
    }
}

#[test]
fn kernel_without_valid_times_has_no_total() {
    let session = Session::new(0);
    let sql = "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (0, 0, 0, 7, 1, ?1, 1)";
    session.database.execute(sql, [PROCESS]).unwrap();
    let trace = read_with(&session.path, RequiredParts::Everything);
    let table = stats::table(&trace, By::Kernel);
    assert_eq!(table.rows().len(), 1);
    assert_eq!(integer(&table, 0, "unknown"), Some(1));
    assert_eq!(integer(&table, 0, "total"), None);
    let gaps = stats::table(&trace, By::Gap);
    let note = stats::note(&trace, By::Gap, &gaps).unwrap();
    assert!(note.contains("times of 1 kernel cannot be true"), "{note}");
}

#[test]
fn omits_ranges_and_calls_with_impossible_times() {
    let session = Session::new(0);
    let thread = 4301;
    session.range(thread, 2, None, SECOND, Some(SECOND + 1_000));
    session.range(thread, 2, None, 0, Some(0));
    session.range(thread, 2, None, SECOND + 10, Some(SECOND));
    session.launch(thread, 1, SECOND + 10, SECOND + 20);
    let call = "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?1, 0, ?2, 2)";
    let values = params![SECOND, PROCESS | i64::from(thread)];
    session.database.execute(call, values).unwrap();
    for keep in [RequiredParts::Everything, RequiredParts::Ranges] {
        let trace = read_with(&session.path, keep);
        assert_eq!(losses(&trace), 3, "{keep:?}");
        let table = stats::table(&trace, By::RangeName);
        assert_eq!(table.rows().len(), 1);
        assert_eq!(integer(&table, 0, "range time"), Some(1_000));
    }
}

/// Tables, with the columns of their start and end.
const TABLES: [(&str, &str, &str); 10] = [
    ("WEFT_TASK", "start", "end"),
    ("WEFT_LAUNCH", "start", "end"),
    ("WEFT_KERNEL", "start", "end"),
    ("WEFT_WAIT", "start", "end"),
    ("WEFT_RUNTIME_CALL", "start", "end"),
    ("WEFT_COMPILE", "start", "end"),
    ("WEFT_COPY", "start", "end"),
    ("WEFT_MESSAGE", "start", "end"),
    ("WEFT_PARTITIONING", "start", "end"),
    ("WEFT_INSTANCE", "created", "destroyed"),
];

/// Columns with other times.
const MOMENTS: [(&str, &str); 10] = [
    ("WEFT_OPERATION", "created"),
    ("WEFT_TASK", "created"),
    ("WEFT_TASK", "ready"),
    ("WEFT_TASK", "deviceEnd"),
    ("WEFT_WAIT", "ready"),
    ("WEFT_COMPILE", "made"),
    ("WEFT_COPY", "created"),
    ("WEFT_COPY", "ready"),
    ("WEFT_INSTANCE", "ready"),
    ("WEFT_MEMORY_USE", "time"),
];

/// Sets random rows to impossible times. Returns the number of records with an impossible duration.
fn spoil(path: &Path, numbers: &mut Random) -> u64 {
    let database = Connection::open(path).unwrap();
    let mut spoiled = 0;
    for (table, start, end) in TABLES {
        let fixed = match table {
            // Copies that are messages are recreated from their sides.
            "WEFT_COPY" => "srcRank IS NULL",
            _ => "1",
        };
        let sql = format!("SELECT rowid FROM {table} WHERE {fixed}");
        let mut select = database.prepare(&sql).unwrap();
        let rows = select.query_map([], |row| row.get::<_, i64>(0)).unwrap();
        let rows: Vec<i64> = rows.map(Result::unwrap).collect();
        for row in rows {
            if numbers.below(8) > 0 {
                continue;
            }
            let some = numbers.below(SECOND as u64) as i64;
            let (from, to) = match numbers.below(6) {
                0 => (0, 0),
                1 => (SECOND, SECOND - 1 - some),
                2 => (i64::MIN, i64::MAX),
                3 => (some, i64::MAX - some),
                4 => (i64::MIN + some, SECOND),
                _ => (some, 1 << 61),
            };
            let sql = format!("UPDATE {table} SET {start} = ?1, {end} = ?2 WHERE rowid = ?3");
            database.execute(&sql, params![from, to, row]).unwrap();
            spoiled += 1;
        }
    }
    for (table, column) in MOMENTS {
        let wrong = [i64::MIN, i64::MAX, 1 << 61, -(1 << 61)][numbers.below(4) as usize];
        let some = numbers.below(7) as i64;
        let sql = format!(
            "UPDATE {table} SET {column} = ?1 WHERE rowid % 7 = ?2 AND {column} IS NOT NULL"
        );
        database.execute(&sql, params![wrong, some]).unwrap();
    }
    spoiled
}

/// Checks every table, path, advice and output of a trace.
fn check_all(trace: &Trace, folder: &Path, outputs: bool) {
    for by in By::ALL.iter().copied() {
        let table = stats::table(trace, by);
        stats::note(trace, by, &table);
        for row in 0..table.rows().len() {
            for column in [
                "total",
                "min",
                "max",
                "kernel time",
                "overhead",
                "copy time",
            ] {
                let value = integer(&table, row, column);
                assert!(
                    value.is_none_or(|value| value >= 0),
                    "{by:?} {column} {value:?}"
                );
            }
        }
    }
    // No time exceeds that from the first to the last kept record.
    let ends = trace.work.tasks.iter().map(|task| (task.start, task.end));
    let ends = ends.chain(trace.devices.kernels.iter().map(|row| (row.start, row.end)));
    let (mut first, mut last) = (i64::MAX, i64::MIN);
    for (start, end) in ends {
        first = first.min(start.nanos());
        last = last.max(end.nanos());
    }
    for by in [By::Gap, By::Kernel, By::Task] {
        let table = stats::table(trace, by);
        for row in 0..table.rows().len() {
            let most = integer(&table, row, "max").unwrap_or(0);
            assert!(most <= last.saturating_sub(first), "{by:?} {most}");
        }
    }
    critical::path(trace);
    iterations::note(trace);
    advise::render(&advise::answer(trace));
    let _ = weft_analysis::simulate::Program::from_trace(trace);
    weft_analysis::graph::dot(&weft_analysis::graph::events(trace, 100));
    let path = folder.join("again.sqlite");
    let options = WriteOptions {
        force: true,
        ..WriteOptions::default()
    };
    sqlite::write(trace, &path, &options).unwrap();
    let timeline = Timeline::open(&path, &Progress::default()).unwrap();
    assert!(timeline.file.end() < 1 << 56);
    if outputs {
        let options = perfetto::PerfettoOptions {
            force: true,
            ..perfetto::PerfettoOptions::default()
        };
        perfetto::write(trace, &folder.join("out.pftrace"), &options).unwrap();
        let options = legion::LegionOptions {
            force: true,
            ..legion::LegionOptions::default()
        };
        legion::write(trace, &folder.join("out_%.prof"), &options).unwrap();
        let sql = "SELECT min(duration) FROM weft_gaps";
        query::select(trace, sql, &Progress::default()).unwrap();
    }
}

fn count() -> u64 {
    std::env::var("WEFT_TEST_MUTATIONS").map_or(24, |text| text.parse().unwrap())
}

fn write_database(shape: Shape, folder: &Path) -> PathBuf {
    let path = folder.join("weft.sqlite");
    let options = WriteOptions {
        force: true,
        ..WriteOptions::default()
    };
    sqlite::write(&made::trace(shape), &path, &options).unwrap();
    path
}

#[test]
fn counts_random_impossible_times_outside_totals() {
    let folder = tempfile::tempdir().unwrap();
    for seed in 0..count() {
        let shape = Shape {
            seed,
            ranks: 1 + (seed % 2) as u16,
            tasks: 30,
            zero: 2 * SECOND,
            broken: false,
        };
        let path = write_database(shape, folder.path());
        let before = losses(&read_with(&path, RequiredParts::Everything));
        let spoiled = spoil(&path, &mut Random::new(seed));
        let trace = read_with(&path, RequiredParts::Everything);
        assert_eq!(losses(&trace) - before, spoiled, "seed {seed}");
        assert_eq!(
            trace.quality.untimed.len() as u64,
            before + spoiled,
            "seed {seed}"
        );
        let check = || check_all(&trace, folder.path(), seed % 6 == 0);
        let checked = catch_unwind(AssertUnwindSafe(check));
        assert!(checked.is_ok(), "seed {seed}");
    }
}

/// Returns times from `start` to `end`. In one of eight cases they are impossible, and `spoiled` is
/// incremented.
fn times(numbers: &mut Random, start: i64, end: i64, spoiled: &mut u64) -> (Timestamp, Timestamp) {
    let (start, end) = (at(start).nanos(), at(end).nanos());
    let (start, end) = match numbers.below(64) {
        0 => (0, 0),
        1 => (end, start),
        2 => (i64::MIN, i64::MAX),
        3 => (start, i64::MAX),
        4 => (i64::MIN, end),
        5 => (start, 1 << 61),
        6 => (1 << 62, (1 << 62) + 1),
        7 => (end, 0),
        _ => {
            let times = [start, end].map(Timestamp::from_nanos_since_boot);
            return (times[0], times[1]);
        }
    };
    *spoiled += 1;
    let times = [start, end].map(Timestamp::from_nanos_since_boot);
    (times[0], times[1])
}

/// Returns a profile of 30 consecutive tasks, with launches, kernels, waits, calls of the runtime
/// and GPU work, and the number of its records with an impossible duration.
fn profile(numbers: &mut Random) -> (TempDir, PathBuf, u64) {
    let mut file = support::ProfFile::new(RunId([7; 16]), 0);
    let (cpu, gpu) = (ProcessorId(0), ProcessorId(1));
    let mut spoiled = 0;
    for (id, text) in (1..).zip(["prog.py", "add", "add_f64", "CPU 0", "GPU 0", "kernel"]) {
        file.write(Name {
            id: NameId(id),
            text,
        });
    }
    file.write(Provenance {
        id: ProvenanceId(1),
        file: NameId(1),
        function: NameId(0),
        line: 10,
        column: 5,
    });
    for (id, kind, name) in [(cpu, ProcessorKind::Cpu, 4), (gpu, ProcessorKind::Gpu, 5)] {
        file.write(Processor {
            id,
            kind,
            thread: 0,
            name: NameId(name),
        });
    }
    for nanos in [0, SECOND] {
        file.write(DeviceClock {
            before: at(nanos),
            device: at(nanos + 5).nanos(),
            after: at(nanos + 10),
        });
    }
    for number in 0..30 {
        let start = 1_000_000 * (number as i64 + 1);
        let end = start + 500_000;
        let mut drawn = |start, end| times(numbers, start, end, &mut spoiled);
        let operation = operation_uid(number + 1);
        file.write(Operation {
            uid: operation,
            parent: None,
            name: NameId(2),
            provenance: ProvenanceId(1),
            created: at(start - 50),
            tasks: 1,
            scope: Default::default(),
            stack: Default::default(),
            shape: List::Items(&[8]),
        });
        let (from, to) = drawn(start - 40, start - 20);
        file.write(RuntimeCall {
            kind: RuntimeCallKind::Analysis,
            operation: Some(operation),
            processor: cpu,
            start: from,
            end: to,
            task: None,
        });
        let task = TaskUid(support::uid(number + 100));
        let (from, to) = drawn(start, end);
        file.write(Task {
            uid: task,
            operation,
            point: 0,
            processor: cpu,
            created: at(start - 10),
            ready: at(start - 5),
            start: from,
            end: to,
            arithmetic: None,
        });
        let (from, to) = drawn(start + 10, end - 10);
        file.write(Launch {
            uid: LaunchUid(task.0),
            processor: cpu,
            start: from,
            end: to,
            measured: false,
            shares: List::Items(&[]),
        });
        let (from, to) = drawn(start + 20, end - 20);
        file.write(Kernel {
            launch: LaunchUid(task.0),
            processor: cpu,
            name: NameId(3),
            start: from,
            end: to,
            bytes: 32,
            read: None,
        });
        let (from, to) = drawn(start - 19, start - 11);
        file.write(Compile {
            launch: LaunchUid(task.0),
            operation,
            processor: gpu,
            kernel: NameId(6),
            target: NameId(6),
            source: number,
            origin: CodeOrigin::Compiled,
            start: from,
            made: to,
            end: to,
            waited: None,
        });
        let (from, to) = drawn(start + 30, start + 60);
        file.write(Wait {
            task,
            start: from,
            ready: to,
            end: to,
        });
        let (from, to) = drawn(start + 100, end + 100);
        file.write(DeviceWork {
            kind: DeviceWorkKind::Kernel,
            name: NameId(6),
            device: 0,
            context: 1,
            stream: 7,
            correlation: 0,
            graph: 0,
            graph_node: 0,
            start: from,
            end: to,
            bytes: 0,
            detail: 0,
            launch: None,
        });
    }
    let (folder, path) = file.finish();
    (folder, path, spoiled)
}

#[test]
fn counts_random_impossible_profile_times_outside_totals() {
    for seed in 0..count() {
        let (folder, path, spoiled) = profile(&mut Random::new(seed));
        let trace = read_with(&path, RequiredParts::Everything);
        assert_eq!(
            losses(&trace),
            spoiled,
            "seed {seed}: {:?}",
            trace.quality.losses
        );
        assert_eq!(trace.quality.untimed.len() as u64, spoiled, "seed {seed}");
        // The program took 31 ms.
        for by in [By::Gap, By::Task, By::Kernel, By::Wait] {
            let most = totals(&trace, by);
            assert!(
                (0..=100_000_000).contains(&most),
                "seed {seed}: {by:?} {most}"
            );
        }
        let check = || check_all(&trace, folder.path(), seed % 6 == 0);
        let checked = catch_unwind(AssertUnwindSafe(check));
        assert!(checked.is_ok(), "seed {seed}");
        // Reading the database counts nothing twice.
        let back = read_with(
            &folder.path().join("again.sqlite"),
            RequiredParts::Everything,
        );
        assert_eq!(
            (losses(&back), back.quality.untimed.len() as u64),
            (spoiled, spoiled)
        );
    }
}
