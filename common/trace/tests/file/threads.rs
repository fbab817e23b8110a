//! Many threads and small files: every record is either in the file or counted as dropped.

use crate::support::{self, task};
use std::sync::atomic::{AtomicU64, Ordering};
use weft_trace::file::{Counters, Losses, Prof, WriterOptions, glance};
use weft_trace::id::NameId;
use weft_trace::record::{Name, Record};

/// Writes from several threads, and compares the file with their own counts.
fn check(options: WriterOptions, threads: u64, records: u64) -> (Counters, Losses) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("weft_0.prof");
    let limit = options.limit;
    let (writer, _) = support::writer(&path, options);
    let (written, dropped) = (AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (writer, written, dropped) = (&writer, &written, &dropped);
            scope.spawn(move || {
                let mut lane = writer.lane();
                for record in 1..=records {
                    let count = match lane.write(&task(thread * records + record)) {
                        true => written,
                        false => dropped,
                    };
                    count.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    let counters = writer.finish().unwrap();
    let (written, dropped) = (written.into_inner(), dropped.into_inner());
    assert_eq!(written + dropped, threads * records);
    assert_eq!(
        (counters.produced, counters.written, counters.dropped),
        (threads * records, written, dropped)
    );
    assert_eq!(counters.reasons.total(), dropped);

    assert!(std::fs::metadata(&path).unwrap().len() <= limit);
    let prof = Prof::open(&path).unwrap();
    let mut uids: Vec<_> = prof
        .records()
        .map(|record| match record {
            Record::Task(task) => task.uid.0.sequence(),
            other => panic!("{other:?} was never written"),
        })
        .collect();
    uids.sort_unstable();
    uids.dedup();
    assert_eq!(uids.len() as u64, written);
    let losses = prof.losses();
    assert_eq!((losses.unverified, losses.damaged_counters), (0, 0));
    assert_eq!(prof.counted().dropped, losses.dropped);
    let seen = glance(&path).unwrap();
    assert_eq!(
        (seen.records, seen.dropped, seen.is_finished, &seen.info),
        (written, dropped, true, prof.info())
    );
    // Records that were dropped because no lane was free are not counted by kind.
    let kinds: u64 = losses.dropped_kinds.iter().map(|kind| kind.records).sum();
    assert_eq!(kinds, dropped);
    assert_eq!(
        (
            losses.produced,
            losses.written,
            losses.dropped,
            losses.in_flight
        ),
        (counters.produced, counters.written, counters.reasons, 0)
    );
    (counters, losses)
}

#[test]
fn glance_reports_progress_of_unfinished_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("weft_0.prof");
    let (writer, _) = support::writer(&path, WriterOptions::default());
    assert_eq!(glance(&path).unwrap().records, 0);
    let mut lane = writer.lane();
    for record in 1..=7 {
        assert!(lane.write(&task(record)));
    }
    let seen = glance(&path).unwrap();
    assert_eq!(
        (seen.records, seen.dropped, seen.is_finished),
        (7, 0, false)
    );
    drop(lane);
    writer.finish().unwrap();
    assert!(glance(&path).unwrap().is_finished);
    // The file stays mapped as long as there is a writer.
    drop(writer);
    std::fs::write(&path, b"something else").unwrap();
    assert!(glance(&path).is_err());
}

#[test]
fn tiny_limit_drops_and_counts_records() {
    let options = WriterOptions {
        limit: 200_000,
        ..WriterOptions::default()
    };
    let (counters, losses) = check(options, 8, 5_000);
    assert!(counters.reasons.limit > 0 && counters.written > 0);
    assert_eq!(losses.missing, 0);
}

#[test]
fn counts_records_of_threads_without_lanes() {
    let options = WriterOptions {
        lanes: 1,
        ..WriterOptions::default()
    };
    let dir = tempfile::tempdir().unwrap();
    let (writer, _) = support::writer(&dir.path().join("weft_0.prof"), options);
    let mut first = writer.lane();
    assert!(first.write(&task(1)));
    assert!(!writer.lane().write(&task(2)));
    drop(first);
    assert!(writer.lane().write(&task(3)));
    let counters = writer.finish().unwrap();
    assert_eq!((counters.produced, counters.written), (3, 2));
    assert_eq!(counters.reasons.no_lane, 1);
}

#[test]
fn reuses_lanes_and_keeps_their_counters() {
    let options = WriterOptions {
        lanes: 4,
        ..WriterOptions::default()
    };
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("weft_0.prof");
    let (writer, _) = support::writer(&path, options);
    for sequence in 1..=100 {
        assert!(std::thread::scope(|scope| {
            scope
                .spawn(|| writer.lane().write(&task(sequence)))
                .join()
                .unwrap()
        }));
    }
    assert_eq!(writer.finish().unwrap().written, 100);
    assert_eq!(Prof::open(&path).unwrap().records().count(), 100);
}

#[test]
fn counts_oversized_records() {
    let options = WriterOptions {
        block_size: 4096,
        ..WriterOptions::default()
    };
    let dir = tempfile::tempdir().unwrap();
    let (writer, _) = support::writer(&dir.path().join("weft_0.prof"), options);
    let mut lane = writer.lane();
    for size in [4096, 70_000] {
        let text = "x".repeat(size);
        assert!(!lane.write(&Name {
            id: NameId(1),
            text: &text,
        }));
    }
    assert!(lane.write(&task(1)));
    let counters = writer.finish().unwrap();
    assert_eq!((counters.written, counters.reasons.too_large), (1, 2));
}

#[test]
fn finishing_during_writes_counts_every_record() {
    let dir = tempfile::tempdir().unwrap();
    for round in 0..20 {
        let path = dir.path().join(format!("weft_{round}.prof"));
        let (writer, _) = support::writer(&path, WriterOptions::default());
        let written: u64 = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..3)
                .map(|_| {
                    let mut lane = writer.lane();
                    scope.spawn(move || (1..).take_while(|n| lane.write(&task(*n))).count() as u64)
                })
                .collect();
            while writer.counters().written < 1000 {
                std::thread::yield_now();
            }
            let counters = writer.finish().unwrap();
            let written = threads.into_iter().map(|t| t.join().unwrap()).sum();
            assert_eq!(counters.written, written);
            written
        });
        let counters = writer.counters();
        assert_eq!(counters.produced, written + counters.dropped);
        assert_eq!(Prof::open(&path).unwrap().records().count() as u64, written);
    }
}
