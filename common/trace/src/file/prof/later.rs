//! Tests with files of versions with other kinds and fields.

use super::{KindCount, Prof};
use crate::file::layout::{BLOCK_HEAD, BLOCK_MAGIC, FINISHED_1, Layout, at};
use crate::file::run::{RunId, RunInfo};
use crate::file::write::{encode, text_with};
use crate::id::{Rank, TaskUid, Uid};
use crate::record::{Encode, KindInfo, Name, Record, Wait};
use crate::time::{Timestamp, sample_clocks};

/// Returns a finished file of layout 1 with one lane and one block, as a program with these kinds
/// would write it.
fn file(kinds: &[KindInfo], frames: &[Vec<u8>]) -> Vec<u8> {
    let info = RunInfo::of_this_process(RunId::random(), Rank::default(), 1);
    let text = text_with(&info, kinds);
    let layout = Layout {
        dropped_at: None,
        ..Layout::new(text.len(), 2, 4096)
    };
    let mut bytes = encode(&info, &sample_clocks(), &layout, &text);
    bytes.resize(layout.blocks_at + layout.block_size, 0);
    let mut put = |at: usize, word: u64| bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
    let frames_size: usize = frames.iter().map(Vec::len).sum();
    let count = frames.len() as u64;
    put(at::LIVE, 1);
    put(at::FINISHED, FINISHED_1);
    put(layout.slot_at(1), count);
    put(layout.slot_at(1) + 8, count);
    put(layout.blocks_at, 1 << 32 | u64::from(BLOCK_MAGIC));
    put(layout.blocks_at + 16, count << 32 | frames_size as u64);
    let first = layout.blocks_at + BLOCK_HEAD;
    bytes[first..first + frames_size].copy_from_slice(&frames.concat());
    bytes
}

fn frame(record: &impl Encode) -> Vec<u8> {
    let mut frame = vec![0; record.frame_size()];
    record.put_frame(&mut frame);
    frame
}

/// Inserts bytes into a frame.
fn with_bytes(mut frame: Vec<u8>, at: usize, bytes: &[u8]) -> Vec<u8> {
    frame.splice(at..at, bytes.iter().copied());
    let size = (frame.len() as u16).to_le_bytes();
    frame[..2].copy_from_slice(&size);
    frame
}

fn wait() -> Wait {
    Wait {
        task: TaskUid(Uid::from_raw(9).unwrap()),
        start: Timestamp::from_nanos_since_boot(1),
        ready: Timestamp::from_nanos_since_boot(2),
        end: Timestamp::from_nanos_since_boot(3),
    }
}

const NAME: Name<'static> = Name {
    id: crate::id::NameId(4),
    text: "dot",
};

#[test]
fn skips_fields_added_by_later_versions() {
    let kinds = [
        KindInfo {
            fields: &[
                ("task", "task", 8),
                ("start", "timestamp", 8),
                ("ready", "timestamp", 8),
                ("end", "timestamp", 8),
                ("reason", "u32", 4),
            ],
            tail: "string",
            ..Wait::INFO
        },
        KindInfo {
            fields: &[("id", "name", 4), ("language", "u16", 2)],
            ..Name::INFO
        },
    ];
    let frames = [
        with_bytes(frame(&wait()), 36, b"\x01\x02\x03\x04and why"),
        with_bytes(frame(&NAME), 8, b"de"),
    ];
    let prof = Prof::from_bytes(file(&kinds, &frames)).unwrap();
    let records: Vec<_> = prof.records().collect();
    assert_eq!(records, [Record::Wait(wait()), Record::Name(NAME)]);
    let losses = prof.losses();
    assert_eq!((losses.undecodable, losses.unknown.len()), (0, 0));
    assert_eq!((losses.written, losses.missing), (2, 0));
}

#[test]
fn unknown_and_changed_kinds_are_counted_by_name() {
    let kinds = [
        Name::INFO,
        KindInfo {
            code: 200,
            name: "Power",
            fields: &[("watts", "f64", 8)],
            tail: "",
        },
        KindInfo {
            fields: &[("task", "task", 8), ("start", "u32", 4)],
            ..Wait::INFO
        },
    ];
    let mut power = frame(&NAME);
    power[2] = 200;
    let frames = [power.clone(), frame(&NAME), frame(&wait()), power];
    let prof = Prof::from_bytes(file(&kinds, &frames)).unwrap();
    assert_eq!(prof.records().collect::<Vec<_>>(), [Record::Name(NAME)]);
    let unknown = |code, name: &str, records| KindCount {
        code,
        name: name.to_owned(),
        records,
    };
    assert_eq!(
        prof.losses().unknown,
        [unknown(24, "Wait", 1), unknown(200, "Power", 2)]
    );
}

#[test]
fn counts_records_with_unknown_values() {
    let mut broken = frame(&wait());
    broken[4..12].fill(0xff);
    let prof = Prof::from_bytes(file(&[Wait::INFO], &[broken, frame(&wait())])).unwrap();
    assert_eq!(prof.records().count(), 1);
    assert_eq!(prof.losses().undecodable, 1);
}
