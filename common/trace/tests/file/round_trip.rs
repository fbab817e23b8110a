//! Records that are written and read back.

use crate::support::{self, one_of_each, writer};
use weft_trace::file::{Prof, WriterOptions, is_prof};
use weft_trace::record::KINDS;

#[test]
fn every_record_kind_survives_a_round_trip() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("weft_0.prof");
    let (writer, info) = writer(&path, WriterOptions::default());
    let mut lane = writer.lane();
    let records = one_of_each();
    assert_eq!(records.len(), KINDS.len());
    for record in &records {
        assert!(support::write(&mut lane, record));
    }
    let counters = writer.finish().unwrap();
    assert_eq!(counters.written, records.len() as u64);
    assert_eq!((counters.produced, counters.dropped), (counters.written, 0));

    let prof = Prof::open(&path).unwrap();
    assert_eq!(prof.info(), &info);
    let read: Vec<_> = prof.records().map(support::bytes_of).collect();
    let written: Vec<_> = records.iter().copied().map(support::bytes_of).collect();
    assert_eq!(read, written);
    let losses = prof.losses();
    assert!(losses.finished && !losses.truncated);
    assert_eq!(
        (losses.produced, losses.written),
        (counters.produced, counters.written)
    );
    assert_eq!(
        (losses.in_flight, losses.missing, losses.damaged_bytes),
        (0, 0, 0)
    );
    assert!(is_prof(&std::fs::read(&path).unwrap()));
}

#[test]
fn finished_file_counts_later_records_and_finishes_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("weft_0.prof");
    let (writer, _) = writer(&path, WriterOptions::default());
    let mut lane = writer.lane();
    let record = one_of_each()[0];
    assert!(support::write(&mut lane, &record));
    assert_eq!(writer.finish().unwrap().written, 1);
    assert!(!support::write(&mut lane, &record));
    let counters = writer.finish().unwrap();
    assert_eq!((counters.produced, counters.written), (2, 1));
    assert_eq!(counters.reasons.finished, 1);
    let losses = Prof::open(&path).unwrap().losses();
    assert_eq!((losses.produced, losses.dropped.finished), (2, 1));
    assert_eq!(losses.damaged_counters, 0);
}

#[test]
fn reads_files_during_writing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("weft_0.prof");
    let (writer, _) = writer(&path, WriterOptions::default());
    let mut lane = writer.lane();
    assert!(support::write(&mut lane, &one_of_each()[0]));
    let prof = Prof::open(&path).unwrap();
    assert_eq!(prof.records().count(), 1);
    assert!(!prof.losses().finished);
    assert!(!prof.losses().truncated);
}
