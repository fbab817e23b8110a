//! Timeline files that were truncated, changed or written by others.

use super::{database, open, shape};
use crate::made::Random;
use std::path::Path;
use weft_timeline::{File, SliceKind, TileKey, Tiles};

/// Reads everything that can be read. With any content, this ends without a panic.
fn read(path: &Path) -> bool {
    let Ok(file) = File::open(path) else {
        return false;
    };
    for lane in 0..file.lanes().len() as u32 + 1 {
        for (level, index) in [(0, 0), (4, 3), (9, 0), (13, 1), (40, 0), (43, u32::MAX)] {
            let key = TileKey { lane, level, index };
            let _ = Tiles::default().tile(&file, key, &[]);
        }
        let _ = file.levels(lane, 0, u64::MAX, 100);
        let _ = file.memory_holders(lane, 0, u64::MAX, 100, 5);
        let _ = file.between(lane, 10, u64::MAX, 1000);
    }
    for item in [0, 1, 77, u32::MAX] {
        let _ = file.item(item);
        let _ = file.of_row(SliceKind::Task, item);
    }
    let _ = file.each_name_and_line(|_, _, _| {});
    let _ = file.queued_behind();
    true
}

#[test]
fn truncated_file_is_an_error() {
    let (folder, path) = database(shape(11, 3000, false));
    drop(open(&path));
    let whole = std::fs::read(folder.path().join("weft.sqlite.timeline")).unwrap();
    let cut = folder.path().join("cut.timeline");
    let mut random = Random::new(1);
    let lengths = (0..60).map(|_| random.below(whole.len() as u64) as usize);
    for length in [0, 7, 8, 27, 28, 36, whole.len() - 1]
        .into_iter()
        .chain(lengths)
    {
        std::fs::write(&cut, &whole[..length]).unwrap();
        assert!(File::open(&cut).is_err(), "{length} bytes");
    }
    std::fs::write(&cut, &whole).unwrap();
    assert!(read(&cut));
    // A file that is truncated while it is open can still be queried.
    let file = File::open(&cut).unwrap();
    std::fs::OpenOptions::new()
        .write(true)
        .open(&cut)
        .unwrap()
        .set_len(100)
        .unwrap();
    let lane = file.lanes().iter().position(|lane| lane.items > 0).unwrap() as u32;
    let key = TileKey {
        lane,
        level: 6,
        index: 0,
    };
    assert!(Tiles::default().tile(&file, key, &[]).is_err());
}

#[test]
fn modified_file_never_panics() {
    let (folder, path) = database(shape(12, 3000, true));
    drop(open(&path));
    let whole = std::fs::read(folder.path().join("weft.sqlite.timeline")).unwrap();
    let changed = folder.path().join("changed.timeline");
    let mut random = Random::new(2);
    let mut opened = 0;
    for _ in 0..150 {
        let mut bytes = whole.clone();
        for _ in 0..1 + random.below(20) {
            let at = random.below(bytes.len() as u64 - 40_000) as usize;
            let length = 1 + random.below(64) as usize;
            let value = [0, 0xff, 0x7f, random.below(256) as u8][random.below(4) as usize];
            bytes[at..at + length].fill(value);
        }
        std::fs::write(&changed, &bytes).unwrap();
        opened += u32::from(read(&changed));
    }
    // Errors in parts without a checksum are found or clamped when they are read.
    assert!(opened > 20, "{opened}");
}

#[test]
fn false_table_of_contents_is_an_error() {
    let (folder, path) = database(shape(13, 200, false));
    drop(open(&path));
    let whole = std::fs::read(folder.path().join("weft.sqlite.timeline")).unwrap();
    let tail = whole.len() - 28;
    let number = |at: usize| u64::from_le_bytes(whole[at..at + 8].try_into().unwrap()) as usize;
    let (at, length) = (number(tail), number(tail + 8));
    let text = String::from_utf8(whole[at..at + length].to_vec()).unwrap();
    let write = |lie: &Path, text: &str| {
        let mut bytes = whole[..at].to_vec();
        bytes.extend_from_slice(text.as_bytes());
        bytes.extend_from_slice(&(at as u64).to_le_bytes());
        bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&crc32c::crc32c(text.as_bytes()).to_le_bytes());
        bytes.extend_from_slice(&whole[..8]);
        std::fs::write(lie, bytes).unwrap();
    };
    let truth = folder.path().join("truth.timeline");
    write(&truth, &text);
    assert!(read(&truth));
    let numbers: Vec<(usize, usize)> = {
        let mut found = Vec::new();
        let mut rest = 0;
        while let Some(start) = text[rest..].find(|c: char| c.is_ascii_digit()) {
            let start = rest + start;
            let end = text[start..]
                .find(|c: char| !c.is_ascii_digit())
                .map_or(text.len(), |end| start + end);
            found.push((start, end));
            rest = end;
        }
        found
    };
    let lies = |name: &str, numbers: &[(usize, usize)]| {
        let lie = folder.path().join(name);
        for (start, end) in numbers {
            for value in [
                "0",
                "1",
                "4294967295",
                "18446744073709551615",
                "-1",
                "1e300",
            ] {
                write(
                    &lie,
                    &format!("{}{value}{}", &text[..*start], &text[*end..]),
                );
                read(&lie);
            }
        }
    };
    // This test takes longest, and is among the last to start.
    let (first, second) = numbers.split_at(numbers.len() / 2);
    std::thread::scope(|scope| {
        scope.spawn(|| lies("first.timeline", first));
        lies("second.timeline", second);
    });
}
