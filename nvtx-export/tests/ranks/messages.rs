//! Messages are copies between ranks, each counted once.

use super::run::{Clock, File, files};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use weft_analysis::stats::{By, table};
use weft_model::Trace;
use weft_model::table::Format;
use weft_nvtx_export::{ReadOptions, read};
use weft_output::{legion, perfetto, sqlite, text};
use weft_trace::id::ProcessorId;
use weft_trace::record::MessageSide::{Receive, Send};

/// Each rank computes data that the other needs. The operation of line 2 needs both.
fn exchange() -> (TempDir, Vec<PathBuf>) {
    let (folder, mut ranks) = files([Clock::SAME; 2]);
    for file in &mut ranks {
        let peer = 1 - file.rank;
        file.operation(1, 0);
        file.operation(2, 10);
        file.task(1, 1, ProcessorId(0), [20, 30, 100, 200]);
        file.message(2, 2, Send, (peer, 1), [40, 200, 210, 230, 260]);
        file.message(3, 2, Receive, (peer, 1), [40, 45, 50, 290, 300]);
        file.task(4, 2, ProcessorId(0), [60, 300, 310, 400]);
    }
    (folder, ranks.into_iter().map(File::finish).collect())
}

fn join(inputs: &[PathBuf]) -> Trace {
    read(inputs, &ReadOptions::default()).unwrap()
}

fn channels(trace: &Trace) -> String {
    csv(trace, By::Channel)
}

fn csv(trace: &Trace, by: By) -> String {
    let mut bytes = Vec::new();
    table(trace, by).write(Format::Csv, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn loss(trace: &Trace, name: &str) -> u64 {
    let rows = trace.quality.losses.iter().filter(|row| row.name == name);
    rows.map(|row| row.value).sum()
}

#[test]
fn message_becomes_one_copy_between_ranks() {
    let (folder, inputs) = exchange();
    let trace = join(&inputs);
    assert_eq!(
        (
            trace.work.messages.len(),
            trace.work.copies.len(),
            trace.work.tasks.len()
        ),
        (2, 2, 4)
    );
    assert_eq!(loss(&trace, "messages_one_sided"), 0);
    let copy = trace
        .work
        .copies
        .iter()
        .find(|copy| copy.source.0 == 1)
        .unwrap();
    let times = [copy.created, copy.ready, copy.start, copy.end].map(|time| time.nanos());
    // It begins when both sides have begun.
    assert_eq!(times, [40, 200, 210, 300]);
    let rows = channels(&trace);
    let row =
        |from: u8, to: u8| format!("{to},rank {from} SYSTEM_MEM 0,rank {to} SYSTEM_MEM 0,1,90,");
    assert!(
        rows.contains(&row(0, 1)) && rows.contains(&row(1, 0)),
        "{rows}"
    );
    assert_eq!(rows.matches(",4096,45.511\n").count(), 2, "{rows}");

    let written = folder.path().join("weft.sqlite");
    sqlite::write(&trace, &written, &sqlite::WriteOptions::default()).unwrap();
    let again = join(&[written]);
    assert_eq!(again.work.copies.len(), 2);
    assert_eq!(again.work.messages, trace.work.messages);
    assert_eq!(channels(&again), rows);
    assert_eq!(csv(&again, By::Line), csv(&trace, By::Line));
}

#[test]
fn one_side_suffices_and_missing_sides_are_counted() {
    let (_folder, inputs) = exchange();
    let alone = join(&inputs[1..]);
    // Sent and received once each by the only rank.
    assert_eq!((alone.work.messages.len(), alone.work.copies.len()), (2, 2));
    assert_eq!(loss(&alone, "messages_of_absent_ranks"), 2);
    let rows = channels(&alone);
    assert!(
        rows.contains("rank 0 SYSTEM_MEM 0,rank 1 SYSTEM_MEM 0,1,250,"),
        "{rows}"
    );

    let (_folder, [mut first, second]) = files([Clock::SAME; 2]);
    first.operation(1, 0);
    first.message(1, 1, Send, (1, 1), [0, 1, 2, 3, 4]);
    let lost = join(&[first.finish(), second.finish()]);
    assert_eq!(loss(&lost, "messages_one_sided"), 1);
    assert_eq!(lost.work.copies.len(), 1);
}

#[test]
fn every_output_names_the_ranks_of_a_message() {
    let (folder, inputs) = exchange();
    let trace = join(&inputs);
    let out = |name: &str| folder.path().join(name);
    let printed = text::render(&trace, &text::TextOptions::default());
    let copies = printed.matches("from rank 0 SYSTEM_MEM 0 to rank 1 SYSTEM_MEM 0, 4096 bytes");
    assert_eq!(copies.count(), 1, "{printed}");
    perfetto::write(
        &trace,
        &out("run.perfetto"),
        &perfetto::PerfettoOptions::default(),
    )
    .unwrap();
    let bytes = std::fs::read(out("run.perfetto")).unwrap();
    let holds = |text: &str| {
        bytes
            .windows(text.len())
            .any(|bytes| bytes == text.as_bytes())
    };
    assert!(holds("rank 1 SYSTEM_MEM 0 to rank 0 SYSTEM_MEM 0"));
    check_legion(&trace, &out("legion_%.prof"));
}

/// Checks that files for legion_prof have each message once, in the memories of two nodes.
fn check_legion(trace: &Trace, out: &Path) {
    let report = legion::write(trace, out, &legion::LegionOptions::default()).unwrap();
    let again = join(&report.files);
    assert_eq!(again.work.copies.len(), 2);
    assert_eq!(
        again
            .quality
            .losses
            .iter()
            .filter(|row| row.name.contains("unpaired"))
            .count(),
        0
    );
}
