//! Inputs that lack records: every command reports this once, with the numbers, the reason and the
//! remedy, and exits with 3.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use support::weft;
use tempfile::TempDir;
use weft_trace::file::{ProfWriter, RunId, RunInfo, WriterOptions};
use weft_trace::id::{
    LaunchUid, NameId, OperationUid, ProcessorId, ProvenanceId, Rank, TaskUid, Uid,
};
use weft_trace::record::{
    Kernel, Launch, List, Name, Operation, Processor, ProcessorKind, Provenance, Task,
};
use weft_trace::time::Timestamp;

/// Creates a profile of `operations` operations, each with a task, launch and kernel, of at most
/// `limit` bytes.
fn profile(operations: u64, limit: u64) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("weft_0.prof");
    let info = RunInfo::of_this_process(RunId([1; 16]), Rank::default(), 1);
    let options = WriterOptions {
        limit,
        lanes: 2,
        block_size: 4096,
        ..WriterOptions::default()
    };
    let writer = ProfWriter::create(&path, &info, options).unwrap();
    let mut lane = writer.lane();
    for (id, text) in (1..).zip(["main.rs", "add", "add_f64", "CPU 0"]) {
        lane.write(&Name {
            id: NameId(id),
            text,
        });
    }
    lane.write(&Provenance {
        id: ProvenanceId(1),
        file: NameId(1),
        function: NameId(0),
        line: 12,
        column: 5,
    });
    lane.write(&Processor {
        id: ProcessorId(0),
        kind: ProcessorKind::Cpu,
        thread: 4301,
        name: NameId(4),
    });
    for number in 0..operations {
        let operation = OperationUid(Uid::new(Rank::REPLICATED, number + 1).unwrap());
        let uid = Uid::new(Rank::default(), number + 1).unwrap();
        let at = |nanos: u64| Timestamp::from_nanos_since_boot((number * 100 + nanos) as i64);
        let processor = ProcessorId(0);
        lane.write(&Operation {
            uid: operation,
            parent: None,
            name: NameId(2),
            provenance: ProvenanceId(1),
            created: at(0),
            tasks: 1,
            scope: Default::default(),
            stack: Default::default(),
            shape: List::Items(&[8]),
        });
        lane.write(&Task {
            uid: TaskUid(uid),
            operation,
            point: 0,
            processor,
            created: at(1),
            ready: at(2),
            start: at(10),
            end: at(90),
            arithmetic: None,
        });
        lane.write(&Launch {
            uid: LaunchUid(uid),
            processor,
            start: at(10),
            end: at(90),
            measured: false,
            shares: List::Items(&[]),
        });
        lane.write(&Kernel {
            launch: LaunchUid(uid),
            processor,
            name: NameId(3),
            start: at(20),
            end: at(80),
            bytes: 64,
            read: Some(128),
        });
    }
    drop(lane);
    writer.finish().unwrap();
    (folder, path)
}

/// Returns each command that reads a profile. Outputs go to its folder.
fn commands(path: &Path) -> Vec<Vec<String>> {
    let input = path.display().to_string();
    let sibling = |name: &str| path.with_file_name(name).display().to_string();
    let mut commands = vec![
        vec!["stats".to_owned(), input.clone()],
        vec![
            "stats".to_owned(),
            "--by".to_owned(),
            "critical".to_owned(),
            input.clone(),
        ],
        vec![
            "query".to_owned(),
            "SELECT count(*) FROM WEFT_KERNEL".to_owned(),
            input.clone(),
        ],
    ];
    for format in ["sqlite", "text", "perfetto"] {
        let mut command = vec!["export".to_owned(), format.to_owned(), input.clone()];
        command.extend(["-o".to_owned(), sibling(&format!("out.{format}"))]);
        commands.push(command);
    }
    // Its input lacked records, so the database does, too.
    let database = sibling("out.sqlite");
    commands.push(vec!["stats".to_owned(), database.clone()]);
    commands.push(vec!["query".to_owned(), "SELECT 1".to_owned(), database]);
    commands
}

fn run(arguments: &[String]) -> Output {
    weft().args(arguments).output().unwrap()
}

#[test]
fn complete_profile_is_read_without_warnings() {
    let (_folder, path) = profile(50, 1 << 30);
    for command in commands(&path) {
        let output = run(&command);
        assert_eq!(output.status.code(), Some(0), "{command:?}: {output:?}");
        assert!(output.stderr.is_empty(), "{command:?}: {output:?}");
    }
}

#[test]
fn every_command_reports_dropped_records_once() {
    let (_folder, path) = profile(500, 64 << 10);
    let both = path.display().to_string();
    let (_other, whole) = profile(500, 1 << 30);
    let diff = [
        "diff",
        "--by",
        "kernel",
        &both,
        "--",
        &whole.display().to_string(),
    ];
    let diff = diff.map(str::to_owned).to_vec();
    for command in commands(&path).into_iter().chain([diff]) {
        let output = run(&command);
        assert_eq!(output.status.code(), Some(3), "{command:?}: {output:?}");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(text.lines().count(), 1, "{command:?}: {text}");
        for part in [
            "weft_0.prof is incomplete: ",
            " of 2,006 records were not written (",
            " operations",
            " kernels",
            ", because the file had reached its size limit; counts and times cover only the rest; ",
            "record again with a larger --profile-limit",
        ] {
            assert!(text.contains(part), "{command:?}: {text}");
        }
    }
}

#[test]
fn reports_profiles_cut_before_the_first_task() {
    let (_folder, path) = profile(400, 1 << 30);
    let whole = fs::read(&path).unwrap();
    let text = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();
    let stats = || run(&["stats".to_owned(), path.display().to_string()]);
    // The shortest prefix of the file that can be read at all.
    let least = (1..whole.len() / 1024).find(|kib| {
        fs::write(&path, &whole[..kib * 1024]).unwrap();
        !text(&stats()).contains("nothing can be read from it")
    });
    fs::write(&path, &whole[..least.unwrap() * 1024]).unwrap();
    let output = stats();
    assert_eq!(output.status.code(), Some(3));
    let said = text(&output);
    assert!(
        said.starts_with("weft: the readable part of these inputs gives no row; ")
            && said.contains("the end of the file is missing")
            && !said.contains("other files of the run"),
        "{said}"
    );
}

#[test]
fn help_lists_the_incomplete_status() {
    let output = run(&["--help".to_owned()]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        text.contains("3  done, but an input is incomplete"),
        "{text}"
    );
}

/// Flips bits at places that are the same in each run. `WEFT_TEST_FLIPS` sets their number, 120 by
/// default.
#[test]
fn flipped_bit_changes_no_output_or_is_reported() {
    let flips = std::env::var("WEFT_TEST_FLIPS").map_or(120, |text| text.parse().unwrap());
    let (_folder, path) = profile(25, 1 << 30);
    let sound = fs::read(&path).unwrap();
    let export = || {
        let arguments = ["export", "text", "-o", "-", &path.display().to_string()];
        run(&arguments.map(str::to_owned))
    };
    let expected = export();
    assert_eq!(expected.status.code(), Some(0), "{expected:?}");
    let used: Vec<usize> = (0..sound.len()).filter(|at| sound[*at] != 0).collect();
    let mut told = 0;
    for number in 0..flips {
        // Half of them within the used part of the file.
        let step = number * 7919;
        let at = match number % 2 {
            0 => used[step % used.len()],
            _ => step % sound.len(),
        };
        let mut bytes = sound.clone();
        bytes[at] ^= if number % 5 == 0 {
            0xff
        } else {
            1 << (number % 8)
        };
        fs::write(&path, &bytes).unwrap();
        let output = export();
        let context = format!("byte {at}, flip {number}: {output:?}");
        if output.status.code() == Some(0) {
            assert_eq!(output.stdout, expected.stdout, "{context}");
            assert!(output.stderr.is_empty(), "{context}");
        } else {
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(
                text.starts_with("weft: ") && !text.contains("panicked"),
                "{context}"
            );
            told += 1;
        }
    }
    assert!(told >= flips / 3, "{told}");
}
