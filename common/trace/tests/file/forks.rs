//! Forked children leave the file of their parent, and the parent itself, alone.

#![allow(unsafe_code, reason = "fork is the thing under test")]

use crate::support::{self, task};
use crate::victim;
use std::path::Path;
use weft_trace::file::{FinishError, Prof, WriterOptions};

#[test]
fn forked_child_does_not_write_parent_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("weft_0.prof");
    let output = victim::command("forks::victim_forks_itself", &path)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let prof = Prof::open(&path).unwrap();
    assert_eq!(prof.records().count(), 20);
    let losses = prof.losses();
    assert!(losses.finished);
    assert_eq!((losses.produced, losses.written), (20, 20));

    let own = Prof::open(&path.with_extension("child")).unwrap();
    assert_eq!(own.records().count(), 1);
    assert!(own.losses().finished);
}

#[test]
#[ignore = "is started by other tests"]
fn victim_forks_itself() {
    let Some(path) = victim::path() else { return };
    let (writer, _) = support::writer(&path, WriterOptions::default());
    let mut lane = writer.lane();
    for sequence in 1..=10 {
        assert!(lane.write(&task(sequence)));
    }

    // SAFETY: the child runs code of this crate only, and ends by exit.
    match unsafe { libc::fork() } {
        0 => {
            let refused = !lane.write(&task(11)) && !writer.lane().write(&task(11));
            let foreign = matches!(writer.finish(), Err(FinishError::OtherProcess { .. }));
            std::process::exit(if refused && foreign && own_file(&path) {
                0
            } else {
                1
            });
        }
        child => assert_eq!(wait(child), 0),
    }

    // SAFETY: the child only sleeps.
    match unsafe { libc::fork() } {
        0 => loop {
            std::thread::park();
        },
        child => {
            // SAFETY: the process is a child that has not been waited for.
            assert_eq!(unsafe { libc::kill(child, libc::SIGTERM) }, 0);
            assert_eq!(wait(child), libc::SIGTERM);
        }
    }

    for sequence in 11..=20 {
        assert!(lane.write(&task(sequence)));
    }
    assert_eq!(writer.finish().unwrap().written, 20);
}

/// Writes a file of the child's own, finished at exit.
fn own_file(path: &Path) -> bool {
    let (writer, _) = support::writer(&path.with_extension("child"), WriterOptions::default());
    let written = writer.lane().write(&task(1));
    std::mem::forget(writer);
    written
}

/// Waits for a child and returns its exit status.
fn wait(child: i32) -> i32 {
    let mut status = 0;
    // SAFETY: the pointer is to a valid number.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    status
}
