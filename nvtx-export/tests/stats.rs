//! Costs of traces without tasks, of two runs, and of tasks whose kernels nobody saw.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use rusqlite::params;
use support::session::{PROCESS, Session};
use support::{Small, THREADS, join, real_database, small, uid};
use weft_nvtx_export::Progress;
use weft_nvtx_export::joined::Joined;
use weft_nvtx_export::output::query;
use weft_nvtx_export::output::table::{Cell, Format, Table};
use weft_nvtx_export::stats::{self, By};
use weft_trace::file::RunId;
use weft_trace::time::Timestamp;

/// All but the ways of ranges, which need rows of their own kind.
const WAYS: [By; 7] = [
    By::Task,
    By::Operation,
    By::Kernel,
    By::Line,
    By::Processor,
    By::Memory,
    By::Channel,
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
fn what_a_trace_of_others_cannot_say_is_said_in_a_sentence() {
    let Some((_folder, path)) = real_database("nsys/nsys-ai_fsdp_2gpu.sqlite.zst") else {
        return;
    };
    let joined = join(&[path]);
    let empty = [By::Task, By::Operation, By::Line, By::Memory];
    for by in WAYS {
        let table = stats::table(&joined, by);
        let note = stats::note(&joined, by, &table);
        assert_eq!(table.rows().is_empty(), empty.contains(&by), "{by:?}");
        assert_eq!(note.is_some(), empty.contains(&by), "{by:?}: {note:?}");
    }
    let note = stats::note(&joined, By::Line, &stats::table(&joined, By::Line)).unwrap();
    assert_eq!(
        note,
        "no task is in these inputs, and no message of an NVTX range holds a file:line; \
         see --by kernel or --by range-name"
    );
    // Every kernel counts for its device, and every copy and fill for its channel.
    let kernels = stats::table(&joined, By::Kernel);
    let devices = stats::table(&joined, By::Processor);
    assert_eq!(sum(&devices, "count"), joined.kernels.len() as i64);
    assert_eq!(sum(&devices, "total"), sum(&kernels, "total"));
    assert_eq!(sum(&devices, "overhead"), 0);
    let channels = stats::table(&joined, By::Channel);
    assert_eq!(sum(&channels, "count"), 1_020 + 269);
    let bytes = joined.kernels.iter().filter_map(|kernel| kernel.bytes);
    assert_eq!(sum(&channels, "moved"), bytes.sum::<u64>() as i64);
}

#[test]
fn ranges_with_a_line_in_their_message_give_cost_by_line() {
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
    let joined = join(std::slice::from_ref(&session.path));
    let table = stats::table(&joined, By::Line);
    insta::assert_snapshot!(table.render(Format::Csv), @r#"
    line,operations,count,total_ns,mean_ns,std_ns,min_ns,max_ns,share,kernel_time_ns,overhead_ns
    /home/a.py:7,"lib::Add, lib::Sub",2,200,100,0,100,100,0.6666666666666666,80,120
    b.py:7,lib::Mul : /home/a,1,100,100,0,100,100,0.3333333333333333,0,100
    (no line),,0,0,0,0,0,0,0,40,0
    "#);
    let note = stats::note(&joined, By::Line, &table).unwrap();
    assert!(note.contains("messages of NVTX ranges"), "{note}");
}

#[test]
fn a_recorded_time_on_a_device_stands_for_kernels_that_nobody_saw() {
    let (_folder, prof) = small(RunId([1; 16]), 0, Small::default());
    let mut joined = join(&[prof]);
    let device = Some((
        Timestamp::from_nanos_since_boot(120),
        Timestamp::from_nanos_since_boot(450),
    ));
    for task in &mut joined.tasks {
        task.device = device;
    }
    // Where kernels are linked, they are the kernel time.
    let with_kernels = stats::table(&joined, By::Task);
    assert_eq!(sum(&with_kernels, "kernel time"), 80 + 180 + 180);
    the_view_says_the_same(&joined);
    joined.kernels.clear();
    joined.outcomes.clear();
    joined.kernel_ranges.clear();
    let without = stats::table(&joined, By::Task);
    assert_eq!(sum(&without, "kernel time"), 4 * 330);
    // A device may be busy for longer than the task; overhead is what the task takes beyond that, and never negative.
    assert_eq!(sum(&without, "overhead"), 0);
    the_view_says_the_same(&joined);
}

/// Kernel time and overhead of all lines, in SQL and in the table of costs.
fn the_view_says_the_same(joined: &Joined) {
    let view = "SELECT sum(kernelTime), sum(overhead) FROM weft_by_line";
    let view = query::ask(joined, view, &Progress::default()).unwrap();
    let table = stats::table(joined, By::Line);
    let sums = ["kernel time", "overhead"].map(|column| Cell::Integer(sum(&table, column)));
    assert_eq!(view.rows(), [sums]);
}

fn csv(before: &Joined, after: &Joined, by: By) -> Table {
    let [before, after] = [before, after].map(|joined| stats::table(joined, by));
    stats::diff::table(&before, &after, by)
}

#[test]
fn a_run_without_a_launch_differs_from_the_whole_one_in_that_kernel_only() {
    let (_folder, prof) = small(RunId([1; 16]), 0, Small::default());
    let whole = join(&[prof]);
    let less = Small {
        without_launch: Some(12),
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
    line,operations,count_before,count_after,total_before_ns,total_after_ns,difference_ns,ratio,kernel_time_before_ns,kernel_time_after_ns
    src/main.rs:10,add,2,2,300,300,0,1,260,80
    src/main.rs:20,"fill, mul",2,2,200,200,0,1,180,180
    (no line),,,0,,0,0,,,180
    "#);
    let fewer = {
        let mut joined = whole;
        joined.tasks.retain(|task| task.uid != uid(13));
        joined
    };
    let tasks = csv(&less, &fewer, By::Task);
    let first: Vec<_> = tasks.rows().first().unwrap()[..5].to_vec();
    assert_eq!(first[0], Cell::Text("mul".to_owned()));
    assert_eq!(first[3], Cell::Null, "one side only");
}
