//! Ranks of several boots are converted to one clock by looks at each other's clocks, within the
//! stated error.

use super::run::{Clock, File, files};
use std::path::PathBuf;
use weft_model::{SourceIndex, Trace};
use weft_nvtx_export::{ReadOptions, read};
use weft_trace::id::ProcessorId;
use weft_trace::record::MessageSide::{Receive, Send};

const SECOND: i64 = 1_000_000_000;

/// Far from the first rank's clock, and fast by 40 parts per million.
const FAST: Clock = Clock {
    offset: -3_000_000_000_000,
    gains: 40_000,
    boot: "fast",
};
const SLOW: Clock = Clock {
    offset: 77_000_000_000,
    gains: -95_000,
    boot: "slow",
};

/// The times of a task that every rank runs.
const TASKS: [i64; 4] = [0, 3 * SECOND, 7 * SECOND + 123, 10 * SECOND];

/// Looks at the beginning, at the end and in between. The two directions take different times, and
/// sometimes long.
fn look(file: &mut File, peer: u16, other: Clock) {
    for second in 0..=10 {
        for (number, late) in [(0, 90_000), (1, 0), (2, 400_000)] {
            let asked = second * SECOND + number * 1_000_000;
            let answered = asked + 3_000 + late;
            file.looks_at(peer, other, [asked, answered, answered + 9_000]);
        }
    }
}

fn work(file: &mut File) {
    for (sequence, at) in (1..).zip(TASKS) {
        file.task(sequence, 1, ProcessorId(0), [at, at, at, at + 1_000]);
    }
}

fn join(inputs: &[PathBuf]) -> Trace {
    read(inputs, &ReadOptions::default()).unwrap()
}

fn loss(trace: &Trace, name: &str) -> u64 {
    let rows = trace.quality.losses.iter().filter(|row| row.name == name);
    rows.map(|row| row.value).sum()
}

fn starts(trace: &Trace, source: u32) -> Vec<i64> {
    let tasks = trace.work.tasks.iter();
    let tasks = tasks.filter(|task| task.source == SourceIndex(source));
    tasks.map(|task| task.start.nanos()).collect()
}

fn bound(trace: &Trace, source: u32) -> i64 {
    let key = format!("source_{}_clock_error_ns", source + 1);
    trace.quality.meta.get(&key).unwrap().parse().unwrap()
}

/// Checks that events of one instant have equal times, within the errors of the two sources.
fn check(trace: &Trace, sources: [u32; 2], most: i64) {
    let [one, other] = sources.map(|source| starts(trace, source));
    let bound = sources.map(|source| bound(trace, source));
    assert!(bound[0] + bound[1] <= most, "{bound:?}");
    for (one, other) in one.iter().zip(&other) {
        let apart = (one - other).abs();
        assert!(apart <= bound[0] + bound[1] + 2, "{apart} {bound:?}");
    }
}

#[test]
fn restores_offset_and_drift_within_the_bound() {
    let (_folder, ranks) = files([Clock::SAME, FAST, SLOW]);
    let inputs = ranks.map(|mut file| {
        work(&mut file);
        if file.rank > 0 {
            look(&mut file, 0, Clock::SAME);
        }
        file.finish()
    });
    let trace = join(&inputs);
    assert_eq!(trace.quality.meta.get("source_2_clock_tie"), Some("looks"));
    let drift: f64 = trace
        .quality
        .meta
        .get("source_2_clock_drift_ppm")
        .unwrap()
        .parse()
        .unwrap();
    assert!((drift + 40.0).abs() < 0.01, "{drift}");
    // Half of the quickest look, and more before the first and after the last of them.
    for other in [1, 2] {
        check(&trace, [0, other], 8_000);
    }
    check(&trace, [1, 2], 16_000);
    assert_eq!(loss(&trace, "clock_looks_contradict"), 0);

    // Without the first rank, the others are still tied through its clock.
    let trace = join(&inputs[1..]);
    check(&trace, [0, 1], 16_000);
}

#[test]
fn simultaneous_readings_widen_the_error_bound() {
    let (_folder, ranks) = files([Clock::SAME, FAST]);
    let inputs = ranks.map(|mut file| {
        work(&mut file);
        if file.rank > 0 {
            file.looks_at(0, Clock::SAME, [0, 4_000, 9_000]);
            file.looks_at(0, Clock::SAME, [20_000, 26_000, 31_000]);
        }
        file.finish()
    });
    let trace = join(&inputs);
    // A hundred parts per million of ten seconds.
    assert!(bound(&trace, 1) >= 1_000_000);
    check(&trace, [0, 1], 1_010_000);
}

#[test]
fn readings_and_messages_check_clocks_within_a_boot() {
    let run = |clock: Clock| {
        let (folder, [mut first, mut second]) = files([Clock::SAME, clock]);
        for file in [&mut first, &mut second] {
            work(file);
        }
        look(&mut second, 0, Clock::SAME);
        first.message(9, 1, Send, (1, 1), [10, 20, 30, 40, 50]);
        second.message(9, 1, Receive, (0, 1), [10, 20, 30, 45, 60]);
        let trace = join(&[first.finish(), second.finish()]);
        drop(folder);
        trace
    };
    let right = run(Clock::SAME);
    assert_eq!(right.quality.meta.get("source_2_clock_tie"), Some("same"));
    assert_eq!(right.quality.meta.get("source_2_rank_0_looks"), Some("33"));
    assert_eq!(
        right.quality.meta.get("source_2_rank_0_looks_error_ns"),
        Some("6000")
    );
    assert_eq!(loss(&right, "clock_looks_contradict"), 0);
    assert_eq!(loss(&right, "messages_before_sent"), 0);

    // A file that falsely states the boot of another.
    let wrong = run(Clock {
        offset: -1_000_000,
        ..Clock::SAME
    });
    assert_eq!(loss(&wrong, "clock_looks_contradict"), 33);
    assert_eq!(loss(&wrong, "messages_before_sent"), 1);
}
