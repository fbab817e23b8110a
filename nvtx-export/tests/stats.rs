//! Costs of traces without tasks, of two runs, and of tasks whose kernels were not recorded.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod estimates;

use crate::support;

use rusqlite::params;
use support::session::{PROCESS, Session};
use support::{Small, THREADS, join, real_database, shared, small, uid};
use weft_analysis::stats::{self, By};
use weft_model::table::{Cell, Format, Table};
use weft_model::{Bandwidth, BandwidthOrigin, OperationCall, SourceIndex, Trace, Wait, WaitKind};
use weft_nvtx_export::Progress;
use weft_output::query;
use weft_output::sqlite::{self, WriteOptions};
use weft_trace::file::RunId;
use weft_trace::record::ProcessorKind;
use weft_trace::time::Timestamp;

/// All ways except those for ranges, which need rows of their own kind.
const WAYS: [By; 8] = [
    By::Task,
    By::Operation,
    By::Kernel,
    By::Line,
    By::Processor,
    By::Memory,
    By::Channel,
    By::Gap,
];

fn sum(table: &Table, column: &str) -> i64 {
    let column = table.column(column).unwrap();
    let numbers = table.rows().iter().map(|row| match row[column] {
        Cell::Integer(number) => number,
        _ => 0,
    });
    numbers.sum()
}

#[test]
fn explains_missing_tables_of_foreign_traces() {
    let Some((_folder, path)) = real_database("nsys/nsys-ai_fsdp_2gpu.sqlite.zst") else {
        return;
    };
    let trace = join(&[path]);
    let empty = [By::Task, By::Operation, By::Line, By::Memory];
    for by in WAYS {
        let table = stats::table(&trace, by);
        let note = stats::note(&trace, by, &table);
        assert_eq!(table.rows().is_empty(), empty.contains(&by), "{by:?}");
        assert_eq!(note.is_some(), empty.contains(&by), "{by:?}: {note:?}");
    }
    let note = stats::note(&trace, By::Line, &stats::table(&trace, By::Line)).unwrap();
    assert_eq!(
        note,
        "these inputs have no tasks, and no NVTX range message contains file:line; \
         try --by kernel or --by range-name"
    );
    // Every kernel counts for its device, and every copy and fill for its channel.
    let kernels = stats::table(&trace, By::Kernel);
    let devices = stats::table(&trace, By::Processor);
    assert_eq!(sum(&devices, "count"), trace.devices.kernels.len() as i64);
    assert_eq!(sum(&devices, "total"), sum(&kernels, "total"));
    assert_eq!(sum(&devices, "overhead"), 0);
    let channels = stats::table(&trace, By::Channel);
    assert_eq!(sum(&channels, "count"), 1_020 + 269);
    let bytes = trace
        .devices
        .kernels
        .iter()
        .filter_map(|kernel| kernel.traffic.written);
    assert_eq!(sum(&channels, "moved"), bytes.sum::<u64>() as i64);
}

#[test]
fn ranges_with_line_messages_give_line_costs() {
    let session = Session::new(0);
    let range = |text: &str, start: i64, end: i64| {
        let sql = "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES (?1, ?2, 59, ?3, ?4)";
        let thread = PROCESS | i64::from(THREADS[0]);
        session
            .database
            .execute(sql, params![start, end, text, thread])
            .unwrap();
    };
    range("step", 0, 1_000);
    range("lib::Mul : /home/a b.py:7|", 100, 200);
    range("lib::Add : /home/a.py:7|", 300, 400);
    range("lib::Sub : /home/a.py:7|", 500, 600);
    session.launch(THREADS[0], 1, 310, 320);
    session.launch(THREADS[0], 2, 330, 340);
    session.launch(THREADS[0], 3, 700, 710);
    let trace = join(std::slice::from_ref(&session.path));
    let table = stats::table(&trace, By::Line);
    insta::assert_snapshot!(table.render(Format::Csv), @r#"
    line,operations,count,total_ns,mean_ns,std_ns,min_ns,median_ns,p95_ns,p99_ns,max_ns,share,kernel_time_ns,overhead_ns,gb_per_s,of_bandwidth,estimated_ns,copy_time_ns,nested_ns,issue_time_ns,compile_time_ns
    /home/a.py:7,"lib::Add, lib::Sub",2,200,100,0,100,100,100,100,100,0.6666666666666666,80,120,,,,,,,
    b.py:7,lib::Mul : /home/a,1,100,100,0,100,100,100,100,100,0.3333333333333333,0,100,,,,,,,
    (no line),,0,0,,,,,,,,0,40,0,,,,,,,
    "#);
    let note = stats::note(&trace, By::Line, &table).unwrap();
    assert!(note.contains("messages of NVTX ranges"), "{note}");
}

#[test]
fn recorded_device_time_replaces_unseen_kernels() {
    let (_folder, prof) = small(RunId([1; 16]), 0, Small::default());
    let mut trace = join(&[prof]);
    let device = Some((
        Timestamp::from_nanos_since_boot(120),
        Timestamp::from_nanos_since_boot(450),
    ));
    for task in &mut trace.work.tasks {
        task.device = device;
    }
    // If kernels are linked, they are the kernel time.
    let with_kernels = stats::table(&trace, By::Task);
    assert_eq!(sum(&with_kernels, "kernel time"), 80 + 180 + 180);
    check_view_matches(&trace);
    trace.devices.kernels.clear();
    trace.links.outcomes.clear();
    trace.links.kernel_ranges.clear();
    let without = stats::table(&trace, By::Task);
    assert_eq!(sum(&without, "kernel time"), 4 * 330);
    // A device may be busy for longer than the task. Overhead is the rest of the task's time, and
    // never negative.
    assert_eq!(sum(&without, "overhead"), 0);
    check_view_matches(&trace);
}

/// Checks that kernel time and overhead of all lines are equal in SQL and in the table of costs.
fn check_view_matches(trace: &Trace) {
    let view = "SELECT sum(kernelTime), sum(overhead) FROM weft_by_line";
    let view = query::select(trace, view, &Progress::default()).unwrap();
    let table = stats::table(trace, By::Line);
    let sums = ["kernel time", "overhead"].map(|column| Cell::Integer(sum(&table, column)));
    assert_eq!(view.rows(), [sums]);
}

fn csv(before: &Trace, after: &Trace, by: By) -> Table {
    let [before, after] = [before, after].map(|trace| stats::table(trace, by));
    stats::diff::table(&before, &after, by)
}

#[test]
fn missing_launch_changes_only_its_kernel() {
    let (_folder, prof) = small(RunId([1; 16]), 0, Small::default());
    let whole = join(&[prof]);
    let less = Small {
        without_launch: Some(12),
        ..Small::default()
    };
    let (_folder, prof) = small(RunId([2; 16]), 5_000, less);
    let less = join(&[prof]);
    for by in WAYS {
        let same = csv(&whole, &whole, by);
        assert_eq!(sum(&same, "difference"), 0, "{by:?}");
        assert_eq!(same.rows().len(), stats::table(&whole, by).rows().len());
        assert_eq!(sum(&csv(&whole, &less, by), "difference"), 0, "{by:?}");
    }
    // The kernel of task 12 has lost its line.
    let lines = csv(&whole, &less, By::Line);
    insta::assert_snapshot!(lines.render(Format::Csv), @r#"
    line,operations,count_before,count_after,total_before_ns,total_after_ns,difference_ns,ratio,kernel_time_before_ns,kernel_time_after_ns,estimated_ns
    src/main.rs:10,add,2,2,300,300,0,1,260,80,
    src/main.rs:20,"fill, mul",2,2,200,200,0,1,180,180,0
    (no line),,,0,,0,0,,,180,
    "#);
    let fewer = {
        let mut trace = whole;
        trace.work.tasks.retain(|task| task.uid != uid(13));
        trace
    };
    let tasks = csv(&less, &fewer, By::Task);
    let first: Vec<_> = tasks.rows().first().unwrap()[..5].to_vec();
    assert_eq!(first[0], Cell::Text("mul".to_owned()));
    assert_eq!(first[3], Cell::Null, "one side only");
}

#[test]
fn bandwidth_is_a_share_of_memory_speed() {
    let (folder, prof) = small(RunId([1; 16]), 0, Small::default());
    let mut trace = join(&[prof]);
    let column = |trace: &Trace, by: By, name: &str| -> Vec<Cell> {
        let table = stats::table(trace, by);
        let column = table.column(name).unwrap();
        table.rows().iter().map(|row| row[column].clone()).collect()
    };
    // Two kernels from 110 to 190 and to 290, and one of two lines from 410 to 590, of 8224 bytes
    // each.
    let rates = [91.378, 45.689].map(Cell::Real);
    for by in [By::Kernel, By::Line] {
        assert_eq!(column(&trace, by, "GB/s"), rates, "{by:?}");
        assert_eq!(column(&trace, by, "of bandwidth"), [Cell::Null, Cell::Null]);
        let shown = stats::table(&trace, by).render(Format::Table);
        assert!(
            shown.contains("GB/s") && !shown.contains("bandwidth"),
            "{shown}"
        );
    }
    trace.machine.bandwidths.push(Bandwidth {
        source: SourceIndex(0),
        device: None,
        origin: BandwidthOrigin::Measured,
        per_second: 182_755_555_556,
    });
    let out = folder.path().join("out.sqlite");
    sqlite::write(&trace, &out, &WriteOptions::default()).unwrap();
    for trace in [&trace, &join(&[out])] {
        for by in [By::Kernel, By::Line] {
            let parts: Vec<String> = column(trace, by, "of_bandwidth")
                .iter()
                .map(|cell| match cell {
                    Cell::Real(part) => format!("{part:.4}"),
                    other => format!("{other:?}"),
                })
                .collect();
            assert_eq!(parts, ["0.5000", "0.2500"], "{by:?}");
            let shown = stats::table(trace, by).render(Format::Table);
            assert!(
                shown.contains("of bandwidth") && shown.contains("25.0 %"),
                "{shown}"
            );
        }
    }
    // The bytes moved by a kernel that only CUPTI recorded are unknown.
    for kernel in &mut trace.devices.kernels {
        kernel.traffic.read = None;
    }
    assert_eq!(column(&trace, By::Kernel, "GB/s"), [Cell::Null, Cell::Null]);
    let shown = stats::table(&trace, By::Kernel).render(Format::Table);
    assert!(!shown.contains("GB/s"), "{shown}");
}

/// Returns the total idle time of each cause.
fn causes(table: &Table) -> Vec<(String, i64)> {
    let [cause, total] = ["cause", "total"].map(|name| table.column(name).unwrap());
    let mut sums = std::collections::BTreeMap::new();
    for row in table.rows() {
        if let (Cell::Text(cause), Cell::Integer(time)) = (&row[cause], &row[total]) {
            *sums.entry(cause.clone()).or_default() += time;
        }
    }
    sums.into_iter().collect()
}

#[test]
fn splits_idle_time_by_cause_of_the_next_work() {
    let (_folder, prof) = small(RunId([1; 16]), 0, Small::default());
    let trace = join(&[prof]);
    let gaps = stats::table(&trace, By::Gap);
    // CPU 0 is idle from 200 to 400 before `mul`, which was called at 10, created at 50 and ready
    // at 380. CPU 1 is idle after 300.
    insta::assert_snapshot!(gaps.render(Format::Csv), @r#"
    rank,processor,cause,line,before,count,total_ns,mean_ns,std_ns,min_ns,median_ns,p95_ns,p99_ns,max_ns,share
    0,CPU 1,end,,,1,300,300,0,300,300,300,300,300,0.6
    0,CPU 0,dependence,src/main.rs:20,mul,1,180,180,0,180,180,180,180,180,0.36
    0,CPU 0,queue,src/main.rs:20,mul,1,20,20,0,20,20,20,20,20,0.04
    "#);
    // If the program had called later, the cause would be the program.
    let mut later = trace;
    for operation in &mut later.program.operations {
        operation.created = operation.created + weft_trace::time::Nanos(250);
    }
    for task in &mut later.work.tasks {
        task.created = task.created + weft_trace::time::Nanos(250);
    }
    let expected = [
        ("analysis", 40),
        ("dependence", 80),
        ("end", 300),
        ("program", 60),
        ("queue", 20),
    ];
    let expected = expected.map(|(cause, time)| (cause.to_owned(), time));
    assert_eq!(causes(&stats::table(&later, By::Gap)), expected);
}

#[test]
fn session_gpus_are_idle_until_the_host_calls() {
    let session = Session::new(0);
    // The kernel runs from 50 to 90 ns after its call returned.
    session.launch(THREADS[0], 1, 0, 10);
    session.launch(THREADS[0], 2, 300, 310);
    let trace = join(std::slice::from_ref(&session.path));
    let gaps = stats::table(&trace, By::Gap);
    insta::assert_snapshot!(gaps.render(Format::Csv), @r#"
    rank,processor,cause,line,before,count,total_ns,mean_ns,std_ns,min_ns,median_ns,p95_ns,p99_ns,max_ns,share
    ,GPU 0,host,,gpu_kernel,1,200,200,0,200,200,200,200,200,0.7692307692307693
    ,GPU 0,launch,,gpu_kernel,1,60,60,0,60,60,60,60,60,0.23076923076923078
    "#);
    let view = "SELECT kind, name, deviceId, kernels, busy, elapsed FROM weft_utilisation";
    let view = query::select(&trace, view, &Progress::default()).unwrap();
    let numbers = [0, 2, 80, 340].map(Cell::Integer);
    let row: Vec<Cell> = [text("GPU"), text("GPU 0")]
        .into_iter()
        .chain(numbers)
        .collect();
    assert_eq!(view.rows(), [row]);
}

#[test]
fn export_keeps_causes_of_idle_workers() {
    let (_folder, prof) = small(RunId([1; 16]), 0, Small::default());
    let sessions = [Session::new(0), Session::new(5_000)];
    for (which, session) in (0..).zip(&sessions) {
        session.watch_small();
        session.launch(THREADS[0], 10 + which, 0, 20);
        session.launch(THREADS[0], 20 + which, 710, 720);
    }
    let [first, second] = sessions.each_ref().map(|session| session.path.clone());
    let mut inputs = vec![vec![prof.clone()], vec![prof, first, second]];
    let names = [
        "legate/cg.prof.zst",
        "nsys/nsys-ai_fsdp_2gpu.sqlite.zst",
        "nsys/pipit_saxpy_mpi.sqlite.zst",
    ];
    let real: Vec<_> = (names.iter())
        .filter_map(|name| shared(name, "trace"))
        .collect();
    inputs.extend(real.iter().map(|(_, path)| vec![path.clone()]));
    let folder = tempfile::tempdir().unwrap();
    for (number, input) in inputs.iter().enumerate() {
        let mut trace = join(input);
        let recording = &mut trace.recording;
        // The second rank of a run calls later than the first, which has the row of the operation.
        if number == 0 {
            let calls = recording.work.tasks.iter().map(|task| OperationCall {
                source: task.source,
                operation: task.operation,
                created: task.start,
            });
            recording.program.operation_calls.extend(calls);
        }
        let out = folder.path().join(format!("{number}.sqlite"));
        sqlite::write(&trace, &out, &WriteOptions::default()).unwrap();
        let gaps = stats::table(&trace, By::Gap);
        let back = stats::table(&join(&[out]), By::Gap);
        assert!(!gaps.is_empty());
        assert_eq!(
            back.render(Format::Csv),
            gaps.render(Format::Csv),
            "{input:?}"
        );
        let known: Vec<String> = causes(&gaps).into_iter().map(|(cause, _)| cause).collect();
        if number == 1 {
            assert!(known.contains(&"host".to_owned()), "{known:?}");
        }
        if number == 0 {
            assert!(known.contains(&"program".to_owned()), "{known:?}");
        }
    }
}

fn legate_stencil() -> (tempfile::TempDir, Trace) {
    let (folder, path) = shared("legate/stencil.prof.zst", "legate_0.prof").unwrap();
    let trace = join(&[path]);
    (folder, trace)
}

#[test]
fn names_copies_and_fills_like_the_view() {
    let (_folder, trace) = legate_stencil();
    let table = stats::table(&trace, By::Line);
    let columns = ["line", "total", "count", "copy time", "overhead"];
    let columns = columns.map(|name| table.column(name).unwrap());
    let mut rows: Vec<Vec<Cell>> = (table.rows().iter())
        .map(|row| columns.map(|column| row[column].clone()).to_vec())
        .collect();
    let [line, operations] = ["line", "operations"].map(|name| table.column(name).unwrap());
    let moved =
        (table.rows().iter()).find(|row| row[line] == text("/home/user/examples/stencil.py:55"));
    assert_eq!(
        moved.unwrap()[operations],
        text("cupynumeric::BinaryOpTask, copy, fill")
    );
    let view = "SELECT file || ':' || line, total, tasks + copies, nullif(copyTime, 0), overhead FROM weft_by_line
                WHERE file IS NOT NULL AND total > 0 ORDER BY total DESC";
    let view = query::select(&trace, view, &Progress::default()).unwrap();
    rows.sort_by_key(|row| match row[1] {
        Cell::Integer(total) => -total,
        _ => 0,
    });
    assert_eq!(view.rows(), rows);
    // No kernels were recorded, so the overhead of tasks is unknown.
    assert!(rows.iter().all(|row| row[4] == Cell::Null));
    let copies: i64 = (trace.work.copies.iter())
        .map(|copy| (copy.end - copy.start).0)
        .sum();
    assert!(copies > 0);
    for by in [By::Line, By::Operation] {
        let table = stats::table(&trace, by);
        assert_eq!(sum(&table, "copy time"), copies, "{by:?}");
    }
}

fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

#[test]
fn nested_task_time_counts_once() {
    let (_folder, trace) = legate_stencil();
    let start = trace.work.tasks.iter().map(|task| task.start.nanos()).min();
    let end = trace.work.tasks.iter().map(|task| task.end.nanos()).max();
    let elapsed = end.unwrap() - start.unwrap();
    let processors = stats::table(&trace, By::Processor);
    let total = processors.column("total").unwrap();
    for row in processors.rows() {
        let Cell::Integer(total) = row[total] else {
            unreachable!("{row:?}");
        };
        assert!(total <= elapsed, "{row:?} of {elapsed}");
    }
    for by in [By::Task, By::Operation] {
        let table = stats::table(&trace, by);
        let columns = ["total", "nested", "share"].map(|name| table.column(name).unwrap());
        let shares = table.rows().iter().map(|row| match row[columns[2]] {
            Cell::Real(share) => share,
            _ => 0.0,
        });
        let shares: Vec<f64> = shares.collect();
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{by:?}");
        // The external thread runs the top-level task, which is the program; its own part is small.
        let outer = table
            .rows()
            .iter()
            .position(|row| row[0] == text("External Thread"));
        let row = &table.rows()[outer.unwrap()];
        assert!(shares[outer.unwrap()] < 0.01, "{by:?}: {row:?}");
        let [Cell::Integer(total), Cell::Integer(nested)] = [&row[columns[0]], &row[columns[1]]]
        else {
            unreachable!("{row:?}");
        };
        assert!(0 < *nested && nested < total, "{row:?}");
    }
    let view = "SELECT sum(total), sum(nested) FROM weft_by_task";
    let view = query::select(&trace, view, &Progress::default()).unwrap();
    let table = stats::table(&trace, By::Task);
    let sums = ["total", "nested"].map(|column| Cell::Integer(sum(&table, column)));
    assert_eq!(view.rows(), [sums]);
}

#[test]
fn range_shares_are_relative_to_the_outermost() {
    let session = Session::new(0);
    session.range(THREADS[0], 1, None, 0, Some(400));
    session.range(THREADS[0], 2, None, 10, Some(110));
    session.range(THREADS[0], 3, None, 500, Some(600));
    let trace = join(std::slice::from_ref(&session.path));
    let table = stats::table(&trace, By::RangeName);
    let share = table.column("share").unwrap();
    let shares: Vec<f64> = (table.rows().iter())
        .map(|row| match row[share] {
            Cell::Real(share) => share,
            _ => 0.0,
        })
        .collect();
    let mut sorted = shares.clone();
    sorted.sort_by(f64::total_cmp);
    assert_eq!(sorted, [0.2, 0.2, 0.8]);
}

#[test]
fn busy_and_idle_times_sum_to_the_run() {
    let (_folder, prof) = small(RunId([1; 16]), 0, Small::default());
    let session = Session::new(0);
    session.watch_small();
    session.launch(THREADS[0], 1, 130, 140);
    session.launch(THREADS[1], 2, 450, 460);
    let names = [
        "legate/cg.prof.zst",
        "legate/black_scholes.prof.zst",
        "nsys/nsys-ai_fsdp_2gpu.sqlite.zst",
    ];
    let real: Vec<_> = names
        .iter()
        .filter_map(|name| shared(name, "trace"))
        .collect();
    let mut inputs = vec![vec![prof.clone()], vec![prof, session.path.clone()]];
    inputs.extend(real.iter().map(|(_, path)| vec![path.clone()]));
    for input in inputs {
        let trace = join(&input);
        let ask = |sql: &str| query::select(&trace, sql, &Progress::default()).unwrap();
        let unequal = ask(
            "SELECT u.name, u.busy, g.idle, u.elapsed FROM weft_utilisation u
             LEFT JOIN (SELECT sourceId, processorId, deviceId, sum(duration) AS idle FROM weft_gaps GROUP BY 1, 2, 3) g
               ON g.sourceId = u.sourceId AND g.processorId IS u.processorId AND g.deviceId IS u.deviceId
             WHERE u.kind <> 'Program' AND u.tasks + u.kernels > 0 AND u.busy + ifnull(g.idle, 0) IS NOT u.elapsed",
        );
        assert!(
            unequal.is_empty(),
            "{input:?}: {}",
            unequal.render(Format::Csv)
        );
        let idle = ask("SELECT count(*) > 0, sum(duration), min(duration) > 0 FROM weft_gaps");
        let table = stats::table(&trace, By::Gap);
        let whole = sum(&table, "total");
        assert_eq!(idle.rows(), [[1, whole, 1].map(Cell::Integer)], "{input:?}");
        let busy = ask("SELECT count(*) FROM weft_utilisation WHERE busy > 0 AND share <= 1");
        assert_ne!(busy.rows(), [[Cell::Integer(0)]]);
    }
}

#[test]
fn sums_waits_by_waiter_reason_and_object() {
    let (_folder, prof) = small(RunId([1; 16]), 0, Small::default());
    let mut trace = join(&[prof]);
    let name = |trace: &Trace, row: usize| {
        trace
            .strings
            .get(trace.program.operations[row].name)
            .to_owned()
    };
    let mul = (0..3).find(|row| name(&trace, *row) == "mul").unwrap();
    let recording = &mut trace.recording;
    let at = Timestamp::from_nanos_since_boot;
    for (start, end) in [(310, 610), (700, 800)] {
        recording.work.waits.push(Wait {
            source: recording.work.tasks[0].source,
            kind: WaitKind::Value,
            task: None,
            processor: Some(recording.work.tasks[0].processor),
            operation: Some(recording.program.operations[mul].uid),
            start: at(start),
            ready: at(end - 10),
            end: at(end),
        });
    }
    // The body of a task has the same wait.
    recording.work.waits.push(Wait {
        source: recording.work.tasks[0].source,
        kind: WaitKind::Value,
        task: Some(recording.work.tasks[0].uid),
        processor: None,
        operation: Some(recording.program.operations[mul].uid),
        start: at(500),
        ready: at(560),
        end: at(580),
    });
    let table = stats::table(&trace, By::Wait);
    insta::assert_snapshot!(table.render(Format::Csv), @r#"
    rank,waiting,cause,for,line,count,total_ns,mean_ns,std_ns,min_ns,median_ns,p95_ns,p99_ns,max_ns,share
    0,program,value,mul,src/main.rs:20,1,400,400,0,400,400,400,400,400,0.8
    0,add,value,mul,src/main.rs:20,1,80,80,0,80,80,80,80,80,0.16
    0,add,event,,src/main.rs:10,1,20,20,0,20,20,20,20,20,0.04
    "#);
    assert_eq!(stats::note(&trace, By::Wait, &table), None);
    trace.work.waits.clear();
    let table = stats::table(&trace, By::Wait);
    let note = stats::note(&trace, By::Wait, &table).unwrap();
    assert!(note.starts_with("these inputs have no waits"), "{note}");
}

#[test]
fn empty_tables_give_the_reason() {
    let (_folder, prof) = small(RunId([1; 16]), 0, Small::default());
    let mut trace = join(&[prof]);
    for processor in &mut trace.machine.processors {
        processor.kind = ProcessorKind::Program;
    }
    trace.work.instances.clear();
    trace.work.waits.clear();
    for (by, start) in [
        (By::Gap, "all tasks ran on the thread of the program"),
        (By::Memory, "these inputs have no allocations"),
        (By::Wait, "these inputs have no waits"),
    ] {
        let table = stats::table(&trace, by);
        let note = stats::note(&trace, by, &table).unwrap();
        assert!(
            table.is_empty() && note.starts_with(start),
            "{by:?}: {note}"
        );
        assert!(!note.contains(".prof"), "{by:?}: {note}");
    }
}

#[test]
fn notes_tasks_without_kernels() {
    let (_folder, prof) = small(RunId([1; 16]), 0, Small::default());
    let mut trace = join(&[prof]);
    let note = |trace: &Trace, by| stats::note(trace, by, &stats::table(trace, by));
    assert_eq!(note(&trace, By::Task), None);
    // The fused launch, of `mul` and `fill`.
    trace.devices.kernels.pop();
    trace.links.outcomes.pop();
    trace.links.kernel_ranges.pop();
    for by in [By::Task, By::Line, By::Operation] {
        assert_eq!(
            note(&trace, by).unwrap(),
            "2 tasks of 4 ran no kernel, because their operation failed or needed a result of one that did; \
             the first is mul at src/main.rs:20"
        );
    }
    assert_eq!(note(&trace, By::Kernel), None);
}

/// In CG on a GPU, the matrix product takes most of the kernels' time, although its issue does not
/// take most of the host's.
#[test]
fn sorts_gpu_work_lines_by_device_time() {
    for (name, inside) in [("gpu/cg.prof.zst", 0.5), ("gpu/stencil.prof.zst", 0.45)] {
        let Some((_folder, path)) = shared(name, "weft_0.prof") else {
            continue;
        };
        let trace = join(&[path]);
        let table = stats::table(&trace, By::Line);
        let column = |name: &str| table.column(name).unwrap();
        let (total, kernels, issue) =
            (column("total"), column("kernel time"), column("issue time"));
        let number = |cell: &Cell| match cell {
            Cell::Integer(number) => *number,
            _ => 0,
        };
        let sums = [total, kernels, issue].map(|column| {
            let rows = table.rows().iter();
            rows.map(|row| number(&row[column])).sum::<i64>()
        });
        // These programs do almost all of their work on the GPU; the host's own tasks are few.
        assert!(sums[0] >= sums[1] && sums[2] > 0, "{name}: {sums:?}");
        let first = &table.rows()[0];
        let most = table
            .rows()
            .iter()
            .map(|row| number(&row[kernels]))
            .max()
            .unwrap();
        assert_eq!(number(&first[kernels]), most, "{name}");
        assert!(
            number(&first[total]) as f64 > inside * sums[1] as f64,
            "{name}: {first:?} of {sums:?}"
        );
    }
}
