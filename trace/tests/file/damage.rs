//! Files that are cut, or have wrong bits: the reader says what it can and never panics.

use crate::heap;
use crate::support::{self, bytes_of, one_of_each};
use proptest::prelude::*;
use std::sync::LazyLock;
use weft_trace::file::{OpenError, Prof, WriterOptions};

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

/// Reads everything. None: it is no file.
fn read(bytes: &[u8]) -> Option<(Vec<Vec<u8>>, weft_trace::file::Losses)> {
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
fn a_file_cut_at_any_byte_gives_the_records_before_it() {
    let (whole, sound) = read(&FILE).unwrap();
    assert_eq!(sound.written, whole.len() as u64);
    assert_eq!(sound.missing, 0);
    let mut opened = 0;
    for cut in 0..FILE.len() {
        let Some((records, losses)) = read(&FILE[..cut]) else {
            continue;
        };
        opened += 1;
        // Blocks stand in the order in which they were claimed, so what is left is the beginning.
        assert_eq!(records, whole[..records.len()], "cut at {cut}");
        assert_eq!(losses.written, sound.written);
        assert_eq!(losses.missing, (whole.len() - records.len()) as u64);
        assert!(losses.truncated || losses.missing == 0, "cut at {cut}");
        assert_eq!(losses.unknown, []);
    }
    assert!(opened > FILE.len() / 3);
}

#[test]
fn other_files_are_refused() {
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
        Err(OpenError::Version { found: 9, known: 1 })
    ));
}

#[test]
fn a_damaged_block_costs_its_own_records_only() {
    let (whole, _) = read(&FILE).unwrap();
    let first_block = FILE.windows(4).position(|bytes| bytes == b"WBLK").unwrap();
    let mut damaged = FILE.clone();
    damaged[first_block] = b'X';
    let (records, losses) = read(&damaged).unwrap();
    assert_eq!(losses.damaged_blocks, 1);
    assert!(losses.missing > 0 && !records.is_empty());
    assert_eq!(records, whole[losses.missing as usize..]);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 8192,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn wrong_bits_never_make_the_reader_panic(
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
    fn wrong_bits_in_the_head_never_make_the_reader_panic(
        flips in prop::collection::vec((0usize..2048, 0u32..8), 1..8),
    ) {
        let mut bytes = FILE.clone();
        for (at, bit) in flips {
            bytes[at] ^= 1 << bit;
        }
        let _ = read(&bytes);
    }
}
