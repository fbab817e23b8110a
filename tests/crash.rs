//! Programs that die during a run, and disks that are full: earlier records are in the file,
//! missing ones are counted, and the program's own results are right.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a failed helper fails its test"
)]

use crate::support;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::thread::sleep;
use std::time::Duration;

use support::disk::Disk;
use support::example::{ONE_BY_ONE, WAYS, export_incomplete, export_with, loss};
use support::trace::{Operation, Trace};
use support::{Background, program, runtime_example};
use tempfile::TempDir;

const SIGKILL: i32 = 9;
const SIGTERM: i32 = 15;

/// A program that has ended, and the last round that it reported.
struct Ended {
    folder: TempDir,
    rounds: u64,
    status: ExitStatus,
}

/// Starts `endless` with a profile in `folder`.
fn start(way: &str, args: &[&str], folder: &Path) -> Background {
    let mut command = Command::new(runtime_example("endless"));
    command
        .args(args)
        .current_dir(folder)
        .env(
            "WEFT_CONFIG",
            format!("--profile {way} --cpus 2 --min-cpu-chunk 512"),
        )
        .env_remove("NVTX_INJECTION64_PATH");
    Background::of(&mut command)
}

/// Runs `endless` in one of the ways with these arguments; sends `signal` once a round is reported.
fn endless(way: &str, args: &[&str], signal: Option<(u64, &str)>) -> Ended {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut program = start(way, args, folder.path());
    let output = program.0.stdout.take().expect("a pipe");
    let mut rounds = 0;
    for line in BufReader::new(output).lines() {
        // A number that was cut off does not count.
        let Some(number) = line.ok().and_then(|line| line.parse().ok()) else {
            break;
        };
        rounds = number;
        if let Some((at, name)) = signal
            && at == rounds
        {
            program.signal(name);
        }
    }
    let status = program.0.wait().expect("it ended");
    // After SIGTERM the program continues while its file is completed.
    if let Some((at, "TERM")) = signal {
        rounds = at;
    }
    Ended {
        folder,
        rounds,
        status,
    }
}

/// Checks that the file has all records of the reported rounds: each operation up to the read that
/// ends a round, and the tile, the task, the launch and the kernel of each task.
fn check_reported_records(ended: &Ended) -> Trace {
    let trace = Trace::read(&ended.folder.path().join("weft_0.prof"));
    let mut operations: Vec<&Operation> = trace.operations.iter().collect();
    operations.sort_by_key(|operation| operation.uid);
    let is_read = |operation: &Operation| trace.name(operation.name) == "read";
    let reads: Vec<usize> = (0..operations.len())
        .filter(|at| is_read(operations[*at]))
        .collect();
    assert!(ended.rounds > 0);
    let reported = ended.rounds as usize;
    assert!(reads.len() >= reported, "{} of {reported}", reads.len());
    let complete = &operations[..=reads[reported - 1]];

    let launches = trace.launches_by_task();
    let kernels: HashSet<_> = trace.kernels.iter().map(|kernel| kernel.launch).collect();
    let tasks: HashMap<_, _> = trace
        .tasks
        .iter()
        .map(|task| ((task.operation, task.point), task.uid))
        .collect();
    for (at, operation) in complete.iter().enumerate() {
        assert_eq!(operation.uid.0.sequence(), at as u64 + 1, "none is missing");
        for point in 0..operation.tasks {
            let task = tasks.get(&(operation.uid, point));
            let task = task.unwrap_or_else(|| panic!("task {point} of {operation:?}"));
            let launch = launches.get(task);
            let launch = launch.unwrap_or_else(|| panic!("the launch of {operation:?}"));
            assert!(kernels.contains(&launch.uid), "the kernel of {operation:?}");
            let tile = trace.tiles.contains_key(&(operation.uid, point));
            assert_eq!(tile, operation.tasks > 1, "tiles of {operation:?}");
        }
    }
    trace
}

/// The counters of a file account for every record, and the export passes them on.
fn check_counts(ended: &Ended, trace: &Trace) {
    let losses = &trace.losses;
    assert_eq!(losses.written, trace.records, "{losses:?}");
    assert_eq!(
        losses.produced,
        losses.written + losses.dropped.total() + losses.in_flight,
        "{losses:?}"
    );
    assert_eq!(losses.missing + losses.undecodable, 0, "{losses:?}");
    // The program's thread, an analysis thread and two workers: each holds at most one record.
    assert!(losses.in_flight <= 4, "{losses:?}");
    let prof = ended.folder.path().join("weft_0.prof");
    let lacks = !losses.finished || losses.dropped.total() + losses.in_flight > 0;
    let status = if lacks { 3 } else { 0 };
    let database = export_with(&[status], &[&prof], ended.folder.path());
    assert_eq!(
        loss(&database, "records_in_flight"),
        losses.in_flight as i64
    );
    assert_eq!(loss(&database, "records_written"), losses.written as i64);
    assert_eq!(loss(&database, "unfinished"), i64::from(!losses.finished));
}

#[test]
fn sigkill_leaves_all_reported_rounds() {
    for way in WAYS {
        for round in [1, 10, 100, 1000] {
            let ended = endless(way, &[], Some((round, "KILL")));
            assert_eq!(ended.status.signal(), Some(SIGKILL));
            let trace = check_reported_records(&ended);
            assert!(!trace.losses.finished);
            assert_eq!(trace.losses.dropped.total(), 0);
            check_counts(&ended, &trace);
        }
    }
}

/// At any moment, also before the first round. `WEFT_TEST_KILLS` sets how many programs are killed.
#[test]
fn sigkill_at_random_moments_leaves_a_readable_file() {
    let kills = std::env::var("WEFT_TEST_KILLS").map_or(9, |text| text.parse().expect("a number"));
    for (kill, way) in (0..kills).zip(WAYS.iter().cycle()) {
        let most = Duration::from_millis(400);
        let part = RandomState::new().build_hasher().finish() as f64 / u64::MAX as f64;
        let pause = most.mul_f64(part);
        let ended = killed_after(way, pause);
        assert_eq!(ended.status.signal(), Some(SIGKILL));
        println!("kill {kill} after {pause:?}, round {}", ended.rounds);
        if !ended.folder.path().join("weft_0.prof").exists() {
            // The file was not created yet.
            assert_eq!(ended.rounds, 0);
            continue;
        }
        let trace = match ended.rounds {
            0 => Trace::read(&ended.folder.path().join("weft_0.prof")),
            _ => check_reported_records(&ended),
        };
        assert!(!trace.losses.finished);
        assert_eq!(trace.losses.dropped.total(), 0);
        check_counts(&ended, &trace);
    }
}

/// Runs `endless` and kills it after a time.
fn killed_after(way: &str, pause: Duration) -> Ended {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut program = start(way, &[], folder.path());
    sleep(pause);
    program.signal("KILL");
    let output = program.0.stdout.take().expect("a pipe");
    let lines = BufReader::new(output).lines();
    // A number that was cut off does not count.
    let numbers = lines.map_while(Result::ok);
    let rounds = numbers.filter_map(|line| line.parse().ok()).max();
    let status = program.0.wait().expect("it ended");
    Ended {
        folder,
        rounds: rounds.unwrap_or(0),
        status,
    }
}

#[test]
fn sigkill_during_work_leaves_a_readable_file() {
    for way in WAYS {
        let ended = endless(way, &["40", "kill"], None);
        assert_eq!((ended.status.signal(), ended.rounds), (Some(SIGKILL), 40));
        let trace = check_reported_records(&ended);
        assert!(!trace.losses.finished);
        check_counts(&ended, &trace);
    }
}

#[test]
fn sigterm_completes_the_file() {
    for way in WAYS {
        for round in [1, 30, 300] {
            let ended = endless(way, &[], Some((round, "TERM")));
            assert_eq!(ended.status.signal(), Some(SIGTERM));
            let trace = check_reported_records(&ended);
            let losses = &trace.losses;
            assert!(losses.finished, "{losses:?}");
            assert_eq!(losses.in_flight, 0, "{losses:?}");
            // Records that threads tried to write between the end of the file and their own end.
            assert_eq!(losses.dropped.total(), losses.dropped.finished);
            check_counts(&ended, &trace);
        }
    }
}

#[test]
fn exit_loses_no_records() {
    for way in WAYS {
        let ended = endless(way, &["50", "exit"], None);
        assert_eq!((ended.status.code(), ended.rounds), (Some(7), 50));
        let trace = check_reported_records(&ended);
        nothing_lost(&trace);
        check_counts(&ended, &trace);
    }
}

#[test]
fn panic_loses_no_records() {
    for way in WAYS {
        let ended = endless(way, &["50", "panic"], None);
        assert_eq!((ended.status.code(), ended.rounds), (Some(101), 50));
        let trace = check_reported_records(&ended);
        nothing_lost(&trace);
        // Unwinding drops the guard, which waits for all submitted operations.
        let tasks: u32 = trace.operations.iter().map(|one| one.tasks).sum();
        assert_eq!(trace.tasks.len(), tasks as usize);
        // Operations that are never read are fused, because the program does not wait for them.
        assert_eq!(trace.fused() > 0, way != ONE_BY_ONE, "`{way}`");
        check_counts(&ended, &trace);
    }
}

fn nothing_lost(trace: &Trace) {
    let losses = &trace.losses;
    assert!(losses.finished, "{losses:?}");
    assert_eq!(losses.dropped.total() + losses.in_flight, 0, "{losses:?}");
}

/// Runs the stencil, which checks its own result, with a profile that is too small for its records.
fn checked_stencil(way: &str, folder: &Path, wrapper: &[&str]) -> Trace {
    let mut command = match wrapper {
        [] => support::Command::new(program("stencil")),
        [shell, rest @ ..] => {
            let mut command = support::Command::new(shell);
            command.args(rest).arg(program("stencil"));
            command
        }
    };
    command
        .current_dir(folder)
        .env(
            "WEFT_CONFIG",
            format!("--profile {way} --cpus 2 --min-cpu-chunk 256"),
        )
        .env_remove("NVTX_INJECTION64_PATH")
        .args(["-n", "40", "-i", "3000", "--check"])
        .assert()
        .success();
    let trace = Trace::read(&folder.join("weft_0.prof"));
    let losses = &trace.losses;
    assert!(losses.finished, "{losses:?}");
    assert!(0 < losses.written && losses.written < losses.produced);
    assert_eq!(losses.written, trace.records);
    assert_eq!(losses.produced, losses.written + losses.dropped.total());
    trace
}

#[test]
fn file_size_limit_loses_only_records() {
    for way in WAYS {
        let folder = tempfile::tempdir().expect("a temporary folder");
        // In units of 512 or 1024 bytes, depending on the shell.
        let limited = ["sh", "-c", "ulimit -f 1024; exec \"$0\" \"$@\""];
        let trace = checked_stencil(way, folder.path(), &limited);
        let size = fs::metadata(folder.path().join("weft_0.prof")).expect("the profile");
        assert!(size.len() <= 1 << 20);
        assert!(trace.losses.dropped.limit > 0, "{:?}", trace.losses);
    }
}

#[test]
fn full_disk_loses_only_records() {
    for way in WAYS {
        let Some(disk) = Disk::mounted(2 << 20) else {
            return;
        };
        let trace = checked_stencil(way, disk.path(), &[]);
        assert!(trace.losses.dropped.not_ready > 0, "{:?}", trace.losses);
        assert_ne!(trace.losses.reserve_errno, 0);
        let out = tempfile::tempdir().expect("a temporary folder");
        let database = export_incomplete(&[&disk.path().join("weft_0.prof")], out.path());
        let dropped = trace.losses.dropped.total() as i64;
        assert_eq!(loss(&database, "records_dropped"), dropped);
    }
}

/// Runs a program whose profile cannot be created: it prints one sentence with the path.
fn refused(logdir: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut command = support::Command::new(program("stencil"));
    let assert = command
        .current_dir(folder.path())
        .env("WEFT_CONFIG", format!("--profile --logdir {logdir}"))
        .args(["-n", "10", "-i", "1"])
        .assert()
        .code(1);
    let text = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains(&format!("{logdir}/weft_0.prof")), "{text}");
    assert!(!text.contains("panicked") && !text.contains('{'), "{text}");
}

#[test]
fn unwritable_folder_fails_at_startup() {
    refused("/proc/nowhere");
    refused("/dev/null");
    if let Some(full) = Disk::mounted(16 << 10) {
        refused(full.path().to_str().expect("a path in UTF-8"));
        assert_eq!(support::files(full.path()), Vec::<String>::new());
    }
}
