//! A timeline that is built with little memory equals the one that is built with much.

use crate::made::Random;
use std::path::Path;
use weft_timeline::{
    Builder, File, Flags, Holder, LaneIndex, LaneKey, LaneKind, Line, Origin, Slice, SliceKind,
};

/// Adds slices on three lanes, one of them nested, with values beyond the range of columns.
fn slices(to: &mut Builder, count: u32) -> Vec<Slice> {
    let process = to.process("rank 0".to_owned(), Some(0));
    let kinds = [LaneKind::Processor, LaneKind::Range, LaneKind::Processor];
    let lanes = [0, 1, 2].map(|number| {
        let key = LaneKey {
            process,
            kind: kinds[number],
            group: 0,
            ids: [number as i64, 0, 0],
            text: String::new(),
        };
        to.lane(key, || format!("lane {number}"))
    });
    let names = ["add", "copy", "fill"].map(|name| to.name(name));
    for line in 1..=5 {
        let file = "main.py".to_owned();
        to.line(Line {
            file,
            line,
            function: None,
        });
    }
    let mut random = Random::new(5);
    let mut below = |limit: u64| random.below(limit).cast_signed();
    let mut slices = Vec::new();
    for row in 1..=count {
        // Some lanes are filled in order, and one is not.
        let lane = below(10).min(2) as usize;
        let at = match lane {
            0 => below(5_000_000),
            _ => i64::from(row) * 90,
        };
        let length = match below(400) {
            0 => 6_000_000_000,
            1 => 300_000,
            _ => below(900),
        };
        let waits = [
            0,
            below(800),
            if below(50) == 0 { 5_000_000_000 } else { 70 },
        ];
        let states = (lane != 1).then(|| (at - waits[1] - waits[2], at - waits[1]));
        let slice = Slice {
            lane: lanes[lane],
            what: SliceKind::Task,
            row,
            start: at,
            end: at + length,
            states,
            name: names[below(3) as usize],
            line: below(6) as u32,
            flags: Flags(below(2) as u8),
        };
        to.slice(&slice);
        slices.push(slice);
    }
    slices
}

/// Adds instances of many lines in several memories. One memory has its own samples of use.
fn instances(to: &mut Builder, count: u64) -> Vec<LaneIndex> {
    let process = to.process("rank 1".to_owned(), Some(1));
    let lanes = [0, 1, 2].map(|number| {
        let key = LaneKey {
            process,
            kind: LaneKind::Memory,
            group: 0,
            ids: [number, 0, 0],
            text: String::new(),
        };
        to.lane(key, || format!("memory {number}"))
    });
    let counter = ("bytes in use", "bytes");
    let mut random = Random::new(6);
    for number in 0..count {
        let lane = lanes[random.below(3) as usize];
        let at = random.below(50_000).cast_signed();
        let bytes = random.below(1 << 20).cast_signed();
        let holder = match random.below(40) {
            0 => Holder::NoLine,
            1 => Holder::NoOperation,
            _ => Holder::Line(1 + random.below(300) as u32),
        };
        to.change(lane, counter, holder, at, bytes);
        if number % 5 != 0 {
            let length = random.below(4_000).cast_signed();
            to.change(lane, counter, holder, at + length, -bytes);
        }
        if lane == lanes[2] {
            to.level(lane, counter, at, random.below(1 << 28));
        }
    }
    lanes.to_vec()
}

fn bytes(folder: &Path, limit: Option<usize>, fill: impl Fn(&mut Builder)) -> Vec<u8> {
    let mut builder = limit.map_or_else(Builder::new, Builder::within);
    fill(&mut builder);
    let path = folder.join(format!("{limit:?}.timeline"));
    builder.finish(&path, Origin::default()).unwrap();
    std::fs::read(path).unwrap()
}

#[test]
fn memory_limit_does_not_change_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let fill = |to: &mut Builder| {
        slices(to, 60_000);
        instances(to, 4_000);
    };
    let expected = bytes(folder.path(), None, fill);
    // With a few slices at a time, every dense tile is computed slice by slice; with 5,000, some
    // are read part by part.
    for limit in [300, 5_000, 20_000] {
        let found = bytes(folder.path(), Some(limit), fill);
        assert_eq!(found.len(), expected.len(), "{limit}");
        let differs = found
            .iter()
            .zip(&expected)
            .position(|(one, other)| one != other);
        assert_eq!(differs, None, "{limit}");
    }
}

#[test]
fn slices_survive_a_round_trip() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.timeline");
    let mut builder = Builder::within(700);
    let slices = slices(&mut builder, 20_000);
    builder.finish(&path, Origin::default()).unwrap();
    let file = File::open(&path).unwrap();
    assert_eq!(file.items() as usize, slices.len());
    let since = |at: i64| (at - file.zero()).cast_unsigned();
    let mut escaped = 0;
    for slice in &slices {
        let item = file.of_row(SliceKind::Task, slice.row).unwrap().unwrap();
        let item = file.item(item).unwrap().unwrap();
        assert_eq!(
            (item.start, item.end),
            (since(slice.start), since(slice.end))
        );
        let states = slice
            .states
            .map(|states| (since(states.0), since(states.1)));
        assert_eq!(item.states, states);
        assert_eq!(
            (item.name, item.line, item.row),
            (slice.name, slice.line, slice.row)
        );
        escaped += u32::from(slice.end - slice.start > 1 << 32);
    }
    assert!(escaped > 20, "{escaped}");
    // Reading them together gives the same result.
    for (lane, row) in (0..).zip(file.lanes()) {
        let together = file.slices(lane, 0..row.items).unwrap();
        for item in together.iter().step_by(37) {
            assert_eq!(file.item(item.item).unwrap().as_ref(), Some(item));
        }
    }
}
