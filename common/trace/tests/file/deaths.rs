//! Processes that end in various ways. The file always has the records that were committed.

use crate::support::writer;
use crate::victim::{self, Victim};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use weft_trace::file::{Losses, OpenError, Prof, WriterOptions};

/// Whether the first thread has panicked.
static PANICKED: AtomicBool = AtomicBool::new(false);

/// Ends a recording process, and compares its file with the counts that it reported.
fn check(test: &str, records: u64, end: impl FnOnce(&Victim)) -> (ExitStatus, Losses) {
    let dir = tempfile::tempdir().unwrap();
    let mut victim = Victim::start(test, &dir.path().join("weft_0.prof"));
    victim.wait_for(records);
    end(&victim);
    let status = victim.end();

    let prof = Prof::open(&victim.path).unwrap();
    let recorded = victim.recorded(&prof);
    for (recorded, said) in recorded.iter().zip(&victim.said) {
        assert!(recorded >= said, "{recorded} recorded, {said} said");
    }
    let losses = prof.losses();
    assert_eq!(losses.written, recorded.iter().sum::<u64>());
    assert_eq!(
        losses.produced,
        losses.written + losses.dropped.total() + losses.in_flight
    );
    assert!(losses.in_flight <= recorded.len() as u64);
    assert_eq!(
        (losses.missing, losses.damaged_bytes, losses.undecodable),
        (0, 0, 0)
    );
    assert!(!losses.truncated && !losses.damaged_head);
    assert_eq!((losses.damaged_blocks, losses.damaged_counters), (0, 0));
    (status, losses)
}

fn send(signal: i32) -> impl FnOnce(&Victim) {
    move |victim| {
        let kill = std::process::Command::new("kill")
            .args([format!("-{signal}"), victim.child.id().to_string()])
            .status();
        assert!(kill.unwrap().success());
    }
}

/// The file can be read as soon as it has a name, however early the process dies.
#[test]
fn header_is_readable_from_the_start() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("weft_0.prof");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let looks = scope.spawn(|| {
            let mut found = 0;
            while !done.load(Ordering::Relaxed) {
                match Prof::open(&path) {
                    Ok(_) => found += 1,
                    Err(OpenError::Read { source, .. }) => {
                        assert_eq!(source.kind(), std::io::ErrorKind::NotFound);
                    }
                    Err(error) => panic!("{error}"),
                }
            }
            found
        });
        for _ in 0..300 {
            writer(&path, WriterOptions::default()).0.discard();
        }
        done.store(true, Ordering::Relaxed);
        assert!(looks.join().unwrap() > 0);
    });
}

#[test]
fn sigkill_leaves_every_committed_record() {
    for round in 0..8 {
        let (status, losses) = check(
            "deaths::victim_records_until_killed",
            1 + 2000 * round,
            |victim| {
                // At a random moment, not only when a record was reported.
                std::thread::sleep(random(Duration::from_millis(20)));
                send(9)(victim);
            },
        );
        assert_eq!(status.signal(), Some(9));
        assert!(!losses.finished);
    }
}

/// Returns a time up to `most`, different in each run.
fn random(most: Duration) -> Duration {
    most.mul_f64(RandomState::new().build_hasher().finish() as f64 / u64::MAX as f64)
}

#[test]
fn sigterm_finishes_the_file_and_ends_the_process() {
    let (status, losses) = check("deaths::victim_records_until_killed", 5000, send(15));
    assert_eq!(status.signal(), Some(15));
    assert!(losses.finished);
}

#[test]
fn exit_finishes_the_file_during_concurrent_writes() {
    let (status, losses) = check("deaths::victim_exits_while_recording", 5_000, |_| ());
    assert_eq!(status.code(), Some(3));
    assert!(losses.finished);
}

#[test]
fn panic_finishes_the_file() {
    let (status, losses) = check("deaths::victim_panics_while_recording", 5_000, |_| ());
    assert_eq!(status.code(), Some(101));
    assert!(losses.finished);
}

#[test]
fn abort_leaves_every_committed_record() {
    let (status, losses) = check("deaths::victim_aborts_while_recording", 5_000, |_| ());
    assert_eq!(status.signal(), Some(6));
    assert!(!losses.finished);
}

#[test]
#[ignore = "is started by other tests"]
fn victim_records_until_killed() {
    if let Some(path) = victim::path() {
        victim::record(&path, |_| ());
    }
}

#[test]
#[ignore = "is started by other tests"]
fn victim_exits_while_recording() {
    if let Some(path) = victim::path() {
        victim::record(&path, |count| {
            if count >= 5_000 {
                std::process::exit(3);
            }
        });
    }
}

#[test]
#[ignore = "is started by other tests"]
fn victim_panics_while_recording() {
    if let Some(path) = victim::path() {
        // The panic of the first thread ends the process while the second continues.
        let recording = std::thread::spawn(move || {
            victim::record(&path, |count| {
                if count >= 5_000 {
                    PANICKED.store(true, Ordering::Release);
                    panic!("the expected panic");
                }
            });
        });
        while !PANICKED.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        drop(recording);
        panic!("the expected panic");
    }
}

#[test]
#[ignore = "is started by other tests"]
fn victim_aborts_while_recording() {
    if let Some(path) = victim::path() {
        victim::record(&path, |count| {
            if count >= 5_000 {
                std::process::abort();
            }
        });
    }
}
