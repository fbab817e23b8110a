//! Paths and disks on which a file cannot be created, or cannot grow.

#![allow(unsafe_code, reason = "limits of a process are set by the C library")]

use crate::support::{self, task};
use crate::victim;
use std::path::Path;
use std::process::Command;
use weft_trace::file::{CreateError, Prof, ProfWriter, RunId, RunInfo, WriterOptions};
use weft_trace::id::Rank;

fn create(path: &Path, options: WriterOptions) -> Result<ProfWriter, CreateError> {
    let info = RunInfo::of_this_process(RunId::random(), Rank::default(), 1);
    ProfWriter::create(path, &info, options)
}

fn replacing() -> WriterOptions {
    WriterOptions {
        replace: true,
        ..WriterOptions::default()
    }
}

#[test]
fn discard_removes_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("weft_0.prof");
    create(&path, WriterOptions::default()).unwrap().discard();
    assert!(!path.exists());
}

#[test]
fn create_error_names_unwritable_path() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("missing").join("weft_0.prof");
    let error = create(&path, WriterOptions::default()).unwrap_err();
    assert!(matches!(error, CreateError::Create { .. }));
    assert!(error.to_string().contains("missing/weft_0.prof"), "{error}");
}

#[test]
fn refuses_to_replace_folders_and_devices() {
    let dir = tempfile::tempdir().unwrap();
    for path in [dir.path(), Path::new("/dev/null")] {
        let error = create(path, replacing()).unwrap_err();
        assert!(matches!(error, CreateError::NotAFile { .. }), "{error}");
        let error = create(path, WriterOptions::default()).unwrap_err();
        assert!(matches!(error, CreateError::Exists { .. }), "{error}");
        assert!(path.exists());
    }
}

#[test]
fn rejects_limit_too_small_for_records() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("weft_0.prof");
    let limit = |limit| WriterOptions {
        limit,
        ..WriterOptions::default()
    };
    let Err(CreateError::LimitTooSmall { least, .. }) = create(&path, limit(1)) else {
        panic!("one byte was enough");
    };
    assert!(!path.exists());
    let writer = create(&path, limit(least)).unwrap();
    assert!(writer.lane().write(&task(1)));
}

#[test]
fn replaces_earlier_file_only_on_request() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("weft_0.prof");
    let (writer, _) = support::writer(&path, WriterOptions::default());
    assert!(writer.lane().write(&task(1)));
    writer.finish().unwrap();
    let earlier = Prof::open(&path).unwrap();
    let error = create(&path, WriterOptions::default()).unwrap_err();
    assert!(matches!(error, CreateError::Exists { .. }), "{error}");
    assert_eq!(Prof::open(&path).unwrap().records().count(), 1);
    let (_later, _) = support::writer(&path, replacing());
    assert_eq!(earlier.records().count(), 1);
    assert_eq!(Prof::open(&path).unwrap().records().count(), 0);
}

/// Writes until records are dropped because the disk is full, frees space, and checks that
/// recording continues.
fn fill(path: &Path, free: impl FnOnce()) {
    let (writer, _) = support::writer(path, WriterOptions::default());
    let mut lane = writer.lane();
    let mut sequence = 0;
    // Counting reads all lanes, so it is done only now and then.
    let mut write = || {
        for _ in 0..64 {
            sequence += 1;
            lane.write(&task(sequence));
        }
    };
    while writer.counters().reasons.not_ready < 1000 || writer.reserve_error().is_none() {
        write();
    }
    let before = writer.counters().written;
    assert!(before > 0);
    free();
    while writer.counters().written == before {
        write();
        std::thread::yield_now();
    }
    let counters = writer.finish().unwrap();
    assert_eq!(counters.produced, sequence);
    assert_eq!(counters.produced, counters.written + counters.dropped);
    let prof = Prof::open(path).unwrap();
    assert_eq!(prof.records().count() as u64, counters.written);
    assert_ne!(prof.losses().reserve_errno, 0);
}

#[test]
fn full_disk_drops_and_counts_records() {
    let dir = tempfile::tempdir().unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=12m", "weft-test"])
        .arg(dir.path())
        .output();
    if !mounted.is_ok_and(|mount| mount.status.success()) {
        println!("skipped: a small disk cannot be mounted here");
        return;
    }
    let ballast = dir.path().join("ballast");
    std::fs::write(&ballast, vec![0; 4 << 20]).unwrap();
    let outcome = std::panic::catch_unwind(|| {
        let path = dir.path().join("weft_0.prof");
        fill(&path, || std::fs::remove_file(&ballast).unwrap());
        std::fs::remove_file(&path).unwrap();

        std::fs::write(&ballast, vec![0; (12 << 20) - 16384]).unwrap();
        let error = create(&path, WriterOptions::default()).unwrap_err();
        assert!(matches!(error, CreateError::Reserve { .. }), "{error}");
        assert!(!path.exists());
    });
    let unmounted = Command::new("umount").arg("-l").arg(dir.path()).status();
    assert!(unmounted.unwrap().success());
    if let Err(panic) = outcome {
        std::panic::resume_unwind(panic);
    }
}

#[test]
fn file_size_limit_raises_no_signal() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("weft_0.prof");
    let output = victim::command("disk::victim_fills_file_up_to_size_limit", &path)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn address_space_limit_shrinks_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("weft_0.prof");
    let output = victim::command("disk::victim_records_in_limited_address_space", &path)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let prof = Prof::open(&path).unwrap();
    assert_eq!(prof.records().count(), 1);
}

#[test]
#[ignore = "is started by other tests"]
fn victim_records_in_limited_address_space() {
    let Some(path) = victim::path() else { return };
    let limit = libc::rlimit {
        rlim_cur: 4 << 30,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: the pointer is to a valid struct.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) }, 0);
    let writer = create(&path, WriterOptions::default()).unwrap();
    assert!(writer.lane().write(&task(1)));
    writer.finish().unwrap();
}

#[test]
#[ignore = "is started by other tests"]
fn victim_fills_file_up_to_size_limit() {
    let Some(path) = victim::path() else { return };
    let limit = |bytes| {
        let limit = libc::rlimit {
            rlim_cur: bytes,
            rlim_max: libc::RLIM_INFINITY,
        };
        // SAFETY: the pointer is to a valid struct.
        assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &limit) }, 0);
    };
    let small = path.with_extension("small");
    limit(1 << 20);
    let writer = create(&small, WriterOptions::default()).unwrap();
    let mut lane = writer.lane();
    while writer.counters().reasons.limit == 0 {
        for _ in 0..64 {
            lane.write(&task(1));
        }
    }
    writer.finish().unwrap();

    limit(libc::RLIM_INFINITY);
    let (writer, _) = support::writer(&path, WriterOptions::default());
    limit(10 << 20);
    let mut lane = writer.lane();
    while writer.counters().reasons.not_ready < 1000 || writer.reserve_error().is_none() {
        for _ in 0..64 {
            lane.write(&task(1));
        }
    }
    let counters = writer.finish().unwrap();
    assert_eq!(counters.produced, counters.written + counters.dropped);
}
