//! The text of a joined trace.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::path::PathBuf;
use support::session::Session;
use support::{Small, THREADS, join, real_database, small, uid};
use weft_model::Trace;
use weft_output::sqlite::{self, WriteOptions};
use weft_output::text::{TextOptions, render};
use weft_trace::file::RunId;

fn text(joined: &Trace) -> String {
    render(joined, &TextOptions { relative: true })
}

/// The trace after it was written to a database and read back.
fn through_database(joined: &Trace) -> Trace {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("weft.sqlite");
    sqlite::write(joined, &out, &WriteOptions::default()).unwrap();
    join(&[out])
}

/// A run of which nsys saw work on a GPU: in a launch, between launches, and in a range of another library.
fn pair() -> (Vec<PathBuf>, impl Drop) {
    let (folder, prof) = small(RunId([1; 16]), 1_000_000, Small::default());
    let session = Session::new(-40_000);
    session.watch_small();
    session.launch(THREADS[0], 1, 130, 140);
    session.launch(THREADS[1], 2, 450, 460);
    session.range(THREADS[1], 2, None, 700, Some(800));
    session.launch(THREADS[1], 3, 710, 720);
    let inputs = vec![prof, session.path.clone()];
    struct Kept(#[allow(dead_code, reason = "kept for its files")] (tempfile::TempDir, Session));
    impl Drop for Kept {
        fn drop(&mut self) {}
    }
    (inputs, Kept((folder, session)))
}

#[test]
fn a_joined_pair_shows_each_kernel_under_its_task_or_its_range() {
    let (inputs, _kept) = pair();
    let joined = join(&inputs);
    insta::assert_snapshot!(text(&joined));
    assert_eq!(text(&through_database(&joined)), text(&joined));
}

#[test]
fn a_trace_of_others_shows_kernels_by_range_with_reasons() {
    let Some((_folder, path)) = real_database("nsys/nsys-ai_mock.sqlite.zst") else {
        return;
    };
    let joined = join(&[path]);
    insta::assert_snapshot!(text(&joined));
    assert_eq!(text(&through_database(&joined)), text(&joined));
}

#[test]
fn every_kernel_stands_in_the_text_of_a_real_session_once() {
    let Some((_folder, path)) = real_database("nsys/nsys-ai_fsdp_2gpu.sqlite.zst") else {
        return;
    };
    let joined = join(&[path]);
    let text = text(&joined);
    let kernels = text.lines().filter(|line| {
        let line = line.trim_start();
        let kinds = ["kernel ", "memcpy ", "memset "];
        kinds.iter().any(|kind| line.starts_with(kind)) && line.contains(" (nsys")
    });
    assert_eq!(kernels.count(), joined.devices.kernels.len());
    let groups = text.lines().filter(|line| line.starts_with("  range "));
    assert!(groups.count() > 100);
}

#[test]
fn a_launch_whose_tasks_are_missing_keeps_its_kernels() {
    let (inputs, _kept) = pair();
    let mut joined = join(&inputs);
    joined.work.tasks.retain(|task| task.uid != uid(11));
    let text = text(&joined);
    let (_, alone) = text.split_once("launches of no known task\n").unwrap();
    assert!(
        alone.starts_with("    launch 11: 100 to 200\n      kernel "),
        "{alone}"
    );
}

#[test]
fn names_that_a_terminal_would_obey_are_written_out() {
    let (inputs, _kept) = pair();
    let mut joined = join(&inputs);
    let hostile = joined.strings.intern("\u{1b}[2Jadd\nsource 9: \u{9b}31m");
    for operation in &mut joined.program.operations {
        operation.name = hostile;
    }
    for kernel in &mut joined.devices.kernels {
        kernel.name = hostile;
    }
    for range in &mut joined.work.ranges {
        range.text = hostile;
    }
    let text = text(&joined);
    assert!(!text.contains(['\u{1b}', '\u{9b}']));
    assert!(
        text.contains("\\u{1b}[2Jadd\\nsource 9: \\u{9b}31m"),
        "{text}"
    );
    assert!(text.lines().all(|line| !line.starts_with("source 9")));
}
