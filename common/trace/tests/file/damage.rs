//! Truncated and damaged files: the reader reads what it can, and never panics.

use crate::heap;
use crate::support::task;
use crate::support::{self, bytes_of, one_of_each};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::LazyLock;
use weft_trace::file::{Losses, OpenError, Prof, WriterOptions};

/// A small file with records of all kinds in several blocks.
static FILE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("weft_0.prof");
    let options = WriterOptions {
        lanes: 2,
        block_size: 4096,
        ..WriterOptions::default()
    };
    let (writer, _) = support::writer(&path, options);
    for _ in 0..2 {
        let mut lane = writer.lane();
        for record in one_of_each().iter().cycle().take(100) {
            assert!(support::write(&mut lane, record));
        }
    }
    writer.finish().unwrap();
    std::fs::read(&path).unwrap()
});

/// Reads all records and losses; `None` if the bytes are not a file.
fn read(bytes: &[u8]) -> Option<(Vec<Vec<u8>>, Losses)> {
    let bytes = bytes.to_vec();
    let size = bytes.len();
    let ((prof, losses), peak) = heap::peak(|| {
        let prof = Prof::from_bytes(bytes);
        let losses = prof.as_ref().ok().map(|prof| {
            for record in prof.records() {
                std::hint::black_box(record);
            }
            prof.losses()
        });
        (prof, losses)
    });
    assert!(peak <= 16 * size + 4096, "{peak} bytes for {size}");
    let prof = prof.ok()?;
    Some((prof.records().map(bytes_of).collect(), losses?))
}

#[test]
fn truncated_file_yields_records_before_the_cut() {
    let (whole, sound) = read(&FILE).unwrap();
    assert_eq!(sound.written, whole.len() as u64);
    assert_eq!(sound.missing, 0);
    let (mut opened, mut counts) = (0, BTreeSet::new());
    for cut in 0..FILE.len() {
        let Some((records, losses)) = read(&FILE[..cut]) else {
            continue;
        };
        opened += 1;
        // Blocks are in the order in which they were claimed, so the first records are left.
        assert_eq!(records, whole[..records.len()], "cut at {cut}");
        counts.insert(records.len());
        assert_eq!(losses.written, sound.written);
        assert_eq!(losses.missing, (whole.len() - records.len()) as u64);
        assert!(losses.truncated || losses.missing == 0, "cut at {cut}");
        assert_eq!(losses.unknown, []);
    }
    assert!(opened > FILE.len() / 3);
    // A truncated block yields the records before the cut.
    assert!(counts.len() > whole.len() * 9 / 10, "{counts:?}");
}

#[test]
fn rejects_foreign_files() {
    assert!(matches!(Prof::from_bytes(vec![]), Err(OpenError::NotProf)));
    let text = b"not a profile at all".to_vec();
    assert!(matches!(Prof::from_bytes(text), Err(OpenError::NotProf)));
    assert!(matches!(
        Prof::from_bytes(FILE[..100].to_vec()),
        Err(OpenError::Truncated { at: 100 })
    ));
    let mut later = FILE.clone();
    later[8] = 9;
    assert!(matches!(
        Prof::from_bytes(later),
        Err(OpenError::Version { found: 9, known: 2 })
    ));
}

#[test]
fn damaged_block_loses_only_its_own_records() {
    let (whole, _) = read(&FILE).unwrap();
    let first_block = FILE.windows(4).position(|bytes| bytes == b"WBLK").unwrap();
    let mut damaged = FILE.clone();
    damaged[first_block] = b'X';
    let (records, losses) = read(&damaged).unwrap();
    assert_eq!(losses.damaged_blocks, 1);
    assert!(losses.missing > 0 && !records.is_empty());
    assert_eq!(records, whole[losses.missing as usize..]);
}

/// Whether the reader reports damage.
fn tells_damage(losses: &Losses) -> bool {
    losses.damaged_head
        || losses.truncated
        || losses.damaged_blocks + losses.damaged_counters > 0
        || losses.missing + losses.undecodable + losses.in_flight > 0
}

/// Returns a file of a few records in three blocks of two lanes, some of them dropped.
fn few() -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("weft_0.prof");
    let options = WriterOptions {
        lanes: 2,
        block_size: 4096,
        ..WriterOptions::default()
    };
    let (writer, _) = support::writer(&path, options);
    let (mut first, mut second) = (writer.lane(), writer.lane());
    for sequence in 1..=70 {
        assert!(first.write(&task(sequence)));
    }
    assert!(second.write(&task(71)));
    let text = "x".repeat(5000);
    for lane in [&mut second, &mut writer.lane()] {
        assert!(!lane.write(&weft_trace::record::Name {
            id: weft_trace::id::NameId(1),
            text: &text,
        }));
    }
    drop((first, second));
    writer.finish().unwrap();
    std::fs::read(&path).unwrap()
}

#[test]
fn flipped_bit_is_harmless_or_reported() {
    let sound = few();
    let (whole, losses) = read(&sound).unwrap();
    assert!(!tells_damage(&losses));
    assert_eq!((losses.written, losses.unverified), (71, 0));
    assert_eq!((losses.dropped.too_large, losses.dropped.no_lane), (1, 1));
    assert_eq!(losses.dropped_kinds.len(), 1);
    assert_eq!(losses.dropped_kinds[0].name, "Name");
    assert_eq!(losses.dropped_kinds[0].records, 1);
    let info = Prof::from_bytes(sound.clone()).unwrap().info().clone();
    let mut told = 0;
    let block = sound.windows(4).position(|bytes| bytes == b"WBLK").unwrap();
    // Tests every byte of the head and of counters, and every third byte of records.
    for at in (0..block).chain((block..sound.len()).step_by(3)) {
        // Flips all bits of a byte, or a single one, which varies by offset.
        let flip = if at % 4 == 0 { 0xff } else { 1 << (at * 5 % 8) };
        let mut bytes = sound.clone();
        bytes[at] ^= flip;
        let Some((records, found)) = read(&bytes) else {
            told += 1;
            continue;
        };
        if tells_damage(&found) {
            told += 1;
            continue;
        }
        assert_eq!(found, losses, "byte {at} flipped by {flip:#x}");
        assert!(records == whole, "byte {at} flipped by {flip:#x}");
        assert_eq!(Prof::from_bytes(bytes).unwrap().info(), &info, "byte {at}");
    }
    // The other bytes are padding.
    assert!(told > 3_000, "{told}");
}

#[test]
fn skips_blocks_with_wrong_checksum() {
    let mut bytes = few();
    let (whole, _) = read(&bytes).unwrap();
    let first_block = bytes.windows(4).position(|bytes| bytes == b"WBLK").unwrap();
    bytes[first_block + 100] ^= 1;
    let (records, losses) = read(&bytes).unwrap();
    assert_eq!(losses.damaged_blocks, 1);
    assert!(losses.missing > 0 && !records.is_empty());
    assert_eq!(records, whole[losses.missing as usize..]);
}

#[test]
fn opens_files_without_checksums() {
    let bytes = include_bytes!("data/layout_1.prof").to_vec();
    let (records, losses) = read(&bytes).unwrap();
    assert_eq!((records.len(), losses.unknown.len()), (18, 0));
    assert_eq!((losses.written, losses.unverified), (18, 18));
    assert!(losses.finished && !tells_damage(&losses));
}

#[test]
fn verifies_full_blocks_of_unfinished_files() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("weft_0.prof");
    let options = WriterOptions {
        block_size: 4096,
        ..WriterOptions::default()
    };
    let (writer, _) = support::writer(&path, options);
    let mut lane = writer.lane();
    let mut written = 0;
    loop {
        written += u64::from(lane.write(&task(1)));
        if written % 10_000 != 0 {
            continue;
        }
        // The keeper reserves space when blocks run low.
        let losses = Prof::open(&path).unwrap().losses();
        assert_eq!((losses.written, losses.missing), (written, 0));
        assert!(losses.unverified > 0, "the open block has no checksum");
        if losses.unverified < written {
            break;
        }
    }
    writer.finish().unwrap();
    assert_eq!(Prof::open(&path).unwrap().losses().unverified, 0);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 8192,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn flipped_bits_never_panic_the_reader(
        flips in prop::collection::vec((any::<prop::sample::Index>(), 0u32..8), 1..40),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = FILE.clone();
        for (at, bit) in flips {
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Some((records, losses)) = read(&bytes) {
            prop_assert!(losses.written >= losses.missing);
            prop_assert!(losses.produced >= losses.written);
            prop_assert!(records.len() <= FILE.len() / 4);
        }
    }

    #[test]
    fn flipped_header_bits_never_panic_the_reader(
        flips in prop::collection::vec((0usize..2048, 0u32..8), 1..8),
    ) {
        let mut bytes = FILE.clone();
        for (at, bit) in flips {
            bytes[at] ^= 1 << bit;
        }
        let _ = read(&bytes);
    }
}
