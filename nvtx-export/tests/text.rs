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

fn text(trace: &Trace) -> String {
    render(trace, &TextOptions { relative: true })
}

/// Writes the trace to a database and reads it back.
fn through_database(trace: &Trace) -> Trace {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("weft.sqlite");
    sqlite::write(trace, &out, &WriteOptions::default()).unwrap();
    join(&[out])
}

/// Returns a run with work on a GPU that nsys recorded: in a launch, between launches, and in a
/// range of another library.
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
fn joined_pair_shows_kernels_under_task_or_range() {
    let (inputs, _kept) = pair();
    let trace = join(&inputs);
    insta::assert_snapshot!(text(&trace));
    assert_eq!(text(&through_database(&trace)), text(&trace));
}

#[test]
fn foreign_trace_shows_kernels_by_range_with_reasons() {
    let Some((_folder, path)) = real_database("nsys/nsys-ai_mock.sqlite.zst") else {
        return;
    };
    let trace = join(&[path]);
    insta::assert_snapshot!(text(&trace));
    assert_eq!(text(&through_database(&trace)), text(&trace));
}

#[test]
fn text_contains_each_session_kernel_once() {
    let Some((_folder, path)) = real_database("nsys/nsys-ai_fsdp_2gpu.sqlite.zst") else {
        return;
    };
    let trace = join(&[path]);
    let text = text(&trace);
    let kernels = text.lines().filter(|line| {
        let line = line.trim_start();
        let kinds = ["kernel ", "memcpy ", "memset "];
        kinds.iter().any(|kind| line.starts_with(kind)) && line.contains(" (nsys")
    });
    assert_eq!(kernels.count(), trace.devices.kernels.len());
    let groups = text.lines().filter(|line| line.starts_with("  range "));
    assert!(groups.count() > 100);
}

#[test]
fn launch_with_missing_tasks_keeps_its_kernels() {
    let (inputs, _kept) = pair();
    let mut trace = join(&inputs);
    trace.work.tasks.retain(|task| task.uid != uid(11));
    let text = text(&trace);
    let (_, alone) = text.split_once("launches of no known task\n").unwrap();
    assert!(
        alone.starts_with("    launch 11: 100 to 200\n      kernel "),
        "{alone}"
    );
}

#[test]
fn escapes_terminal_control_characters_in_names() {
    let (inputs, _kept) = pair();
    let mut trace = join(&inputs);
    let hostile = trace.strings.intern("\u{1b}[2Jadd\nsource 9: \u{9b}31m");
    for operation in &mut trace.program.operations {
        operation.name = hostile;
    }
    for kernel in &mut trace.devices.kernels {
        kernel.name = hostile;
    }
    for range in &mut trace.work.ranges {
        range.text = hostile;
    }
    let text = text(&trace);
    assert!(!text.contains(['\u{1b}', '\u{9b}']));
    assert!(
        text.contains("\\u{1b}[2Jadd\\nsource 9: \\u{9b}31m"),
        "{text}"
    );
    assert!(text.lines().all(|line| !line.starts_with("source 9")));
}
