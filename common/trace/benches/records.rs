//! The cost of recording, in nanoseconds. The candidates take turns, so that noise of the machine
//! affects all equally. The median round of each is printed.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and fails by panicking"
)]

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};
use weft_trace::file::{Lane, ProfWriter, RunId, RunInfo, WriterOptions};
use weft_trace::id::{LaunchUid, NameId, OperationUid, ProcessorId, Rank, TaskUid, Uid};
use weft_trace::record::{Encode, Kernel, Launch, List, Task};
use weft_trace::time::{Timestamp, now};

const ROUNDS: usize = 201;
const TASKS: u64 = 4000;

fn records(uid: Uid, start: Timestamp, end: Timestamp) -> (Task, Launch<'static>, Kernel) {
    let processor = ProcessorId(1);
    let task = Task {
        uid: TaskUid(uid),
        operation: OperationUid(uid),
        point: 0,
        processor,
        created: start,
        ready: start,
        start,
        end,
        arithmetic: None,
    };
    let launch = Launch {
        uid: LaunchUid(uid),
        processor,
        start,
        end,
        measured: false,
        shares: List::Items(&[]),
    };
    let kernel = Kernel {
        launch: LaunchUid(uid),
        processor,
        name: NameId(3),
        start,
        end,
        bytes: 800,
        read: Some(2 * 4096),
    };
    (task, launch, kernel)
}

fn clocks(uid: Uid) {
    black_box((uid, now(), now()));
}

fn encode(uid: Uid, buffer: &mut [u8]) {
    let (start, end) = (now(), now());
    let (task, launch, kernel) = records(uid, start, end);
    task.put_frame(&mut buffer[..task.frame_size()]);
    launch.put_frame(&mut buffer[100..][..launch.frame_size()]);
    kernel.put_frame(&mut buffer[200..][..kernel.frame_size()]);
    black_box(buffer);
}

fn write(uid: Uid, lane: &mut Lane) {
    let (start, end) = (now(), now());
    let (task, launch, kernel) = records(uid, start, end);
    lane.write(black_box(&task));
    lane.write(black_box(&launch));
    lane.write(black_box(&kernel));
}

/// Returns the nanoseconds for each of [`TASKS`] calls.
fn time(mut call: impl FnMut(Uid)) -> f64 {
    let start = Instant::now();
    for sequence in 1..=TASKS {
        call(Uid::new(Rank::default(), sequence).unwrap());
    }
    start.elapsed().as_nanos() as f64 / TASKS as f64
}

/// Writes `rate` records a second from two threads together, for two seconds. The threads are busy
/// in between.
fn sustained(dir: &Path, info: &RunInfo, rate: u64) {
    let path = dir.join("sustained.prof");
    let options = WriterOptions {
        replace: true,
        ..WriterOptions::default()
    };
    let writer = ProfWriter::create(&path, info, options).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            let mut lane = writer.lane();
            scope.spawn(move || {
                let start = Instant::now();
                let mut tasks = 0;
                while start.elapsed() < Duration::from_secs(2) {
                    let due = start.elapsed().as_nanos() as u64 * rate / 6 / 1_000_000_000;
                    for sequence in tasks..due {
                        write(Uid::new(Rank::default(), sequence + 1).unwrap(), &mut lane);
                    }
                    tasks = due;
                }
            });
        }
    });
    let counters = writer.finish().unwrap();
    println!(
        "sustained {rate} records a second: {} of {} dropped",
        counters.dropped, counters.produced
    );
}

fn main() {
    let dir = tempfile::tempdir().unwrap();
    let info = RunInfo::of_this_process(RunId::random(), Rank::default(), 1);
    let path = dir.path().join("bench.prof");
    let writer = ProfWriter::create(&path, &info, WriterOptions::default()).unwrap();
    let mut lane = writer.lane();
    let mut buffer = vec![0; 4096];
    let mut rounds: [Vec<f64>; 3] = Default::default();
    for _ in 0..ROUNDS {
        rounds[0].push(time(clocks));
        rounds[1].push(time(|uid| encode(uid, &mut buffer)));
        rounds[2].push(time(|uid| write(uid, &mut lane)));
        // Without a pause this writes more than the disk takes, and dropped records are not a
        // measure.
        std::thread::sleep(Duration::from_millis(2));
    }
    let counters = writer.finish().unwrap();
    println!("ns for one task, median and 90th percentile of {ROUNDS} rounds of {TASKS} tasks:");
    for (name, times) in [
        "two clock readings",
        "the same, and three records encoded",
        "the same, and three records written",
    ]
    .iter()
    .zip(&mut rounds)
    {
        times.sort_by(f64::total_cmp);
        println!(
            "{name:36} {:7.1} {:7.1}",
            times[ROUNDS / 2],
            times[ROUNDS * 9 / 10]
        );
    }
    let (task, launch, kernel) = records(Uid::new(Rank::default(), 1).unwrap(), now(), now());
    println!(
        "bytes of one task: {}; records dropped: {} of {}",
        task.frame_size() + launch.frame_size() + kernel.frame_size(),
        counters.dropped,
        counters.produced
    );
    for rate in [3_000_000, 6_000_000, 12_000_000] {
        sustained(dir.path(), &info, rate);
    }
}
