//! The alignment of several sources, each with its own clock.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use weft_join::clock::align;
use weft_join::identify::Lookup;
use weft_model::{
    Launch, RangeKind, RangeRow, RunIndex, ShareOrigin, Source, SourceIndex, SourceKind,
    StringIndex, Trace, WallSample, thread_of,
};
use weft_trace::id::{ProcessorId, Rank, Uid};
use weft_trace::time::Timestamp;

/// The offsets of a machine's clocks from true time, in ns.
#[derive(Clone, Copy)]
struct Machine {
    boot: &'static str,
    /// CLOCK_MONOTONIC at true time 0.
    monotonic: i64,
    /// The error of its wall clock.
    wall_error: i64,
}

const NEAR: Machine = Machine {
    boot: "near",
    monotonic: 5_000_000_000_000,
    wall_error: 0,
};
const FAR: Machine = Machine {
    boot: "far",
    monotonic: -3_000_000_000,
    wall_error: 4_000_000,
};

/// The wall clock at true time 0.
const EPOCH: i64 = 1_795_232_145_000_000_000;
const LAUNCHES: i64 = 2_000;
const STEP: i64 = 1_000_000;

fn at(nanos: i64) -> Timestamp {
    Timestamp::from_nanos_since_boot(nanos)
}

fn uid(rank: u16, sequence: i64) -> Uid {
    Uid::new(Rank::new(rank).unwrap(), sequence as u64 + 1).unwrap()
}

fn source(kind: SourceKind, run: u32) -> Source {
    Source {
        path: "source".into(),
        kind,
        run: RunIndex(run),
        run_id: None,
        rank: None,
        ranks: None,
        host: None,
        boot_id: None,
        pid: None,
        program: None,
        database: None,
        wall_at_zero: None,
        lossy: false,
    }
}

/// The id of every process. Processes of other machines may have equal ids.
const PID: u32 = 4242;

/// Adds the file of a rank, with a launch each millisecond of true time.
fn file(trace: &mut Trace, rank: u16, machine: Machine) -> SourceIndex {
    let index = SourceIndex(trace.sources.len() as u32);
    trace.sources.push(Source {
        rank: Some(rank),
        boot_id: Some(machine.boot.to_owned()),
        pid: Some(PID),
        wall_at_zero: Some(EPOCH + machine.wall_error - machine.monotonic),
        ..source(SourceKind::WeftProf, 0)
    });
    trace.quality.wall_samples.push(WallSample {
        source: index,
        at: at(machine.monotonic),
        wall: EPOCH + machine.wall_error,
        error: 40,
    });
    for launch in 0..LAUNCHES {
        let start = machine.monotonic + launch * STEP;
        trace.work.launches.push(Launch {
            source: index,
            run: RunIndex(0),
            uid: uid(rank, launch),
            processor: ProcessorId(0),
            start: at(start),
            end: at(start + 1_000),
            shares: Box::default(),
            split: ShareOrigin::Measured,
        });
    }
    index
}

/// Adds a session on a machine. Its clock reads `zero` at true time 0, and runs faster by `drift`.
/// It records the launches of these ranks, but `wrong` of every five at wrong times.
fn session(
    trace: &mut Trace,
    ranks: &[u16],
    machine: Machine,
    zero: i64,
    drift: f64,
    wrong: i64,
) -> SourceIndex {
    let index = SourceIndex(trace.sources.len() as u32);
    trace.sources.push(Source {
        wall_at_zero: Some(EPOCH + machine.wall_error - zero),
        ..source(SourceKind::NsysSqlite, 1 + index.0)
    });
    for &rank in ranks {
        for launch in 0..LAUNCHES {
            let real = launch * STEP;
            let late = if launch % 5 < wrong {
                300_000 + launch * 90_001 % 900_000
            } else {
                0
            };
            let noise = launch * 7_919 % 101 - 50;
            let start = zero + real + (real as f64 * drift) as i64 + late + noise;
            trace.work.ranges.push(RangeRow {
                source: index,
                row: launch,
                start: at(start - 20),
                end: at(start + 1_020),
                kind: RangeKind::PushPop,
                open: false,
                thread: thread_of(PID + u32::from(ranks.len() > 1) * u32::from(rank), 9),
                end_thread: None,
                text: StringIndex::default(),
                domain: StringIndex::default(),
                color: None,
                weft: true,
                launch: Some(uid(rank, launch)),
            });
        }
    }
    index
}

fn aligned(trace: &mut Trace) {
    let lookup = Lookup::new(trace);
    align(trace, &lookup);
}

/// Returns the largest error of a file's launches, if true time 0 is `zero` on the base clock.
fn worst(trace: &Trace, file: SourceIndex, zero: i64, drift: f64) -> i64 {
    let of_file = trace
        .work
        .launches
        .iter()
        .filter(|launch| launch.source == file);
    let off = of_file.map(|launch| {
        let real = (launch.uid.sequence() as i64 - 1) * STEP;
        (launch.start.nanos() - zero - real - (real as f64 * drift) as i64).abs()
    });
    off.max().unwrap()
}

fn fact(trace: &Trace, key: &str) -> String {
    trace.quality.meta.get(key).unwrap_or_default().to_owned()
}

#[test]
fn aligns_ranks_of_one_boot_exactly() {
    let mut trace = Trace::default();
    let files = [NEAR, NEAR, FAR].into_iter().zip(0..);
    let files: Vec<_> = files
        .map(|(machine, rank)| file(&mut trace, rank, machine))
        .collect();
    aligned(&mut trace);
    let zero = NEAR.monotonic;
    assert_eq!(worst(&trace, files[0], zero, 0.0), 0);
    assert_eq!(worst(&trace, files[1], zero, 0.0), 0);
    // The error is that of the wall clocks of both machines.
    assert_eq!(worst(&trace, files[2], zero, 0.0), FAR.wall_error);
    assert_eq!(fact(&trace, "clock_base"), "CLOCK_MONOTONIC");
    let ties = [1, 2, 3].map(|source| fact(&trace, &format!("source_{source}_clock_tie")));
    assert_eq!(ties, ["same", "same", "wall clock"]);
    // The error of reading both clocks, and the drift of each in two seconds after that.
    let error: i64 = fact(&trace, "source_3_clock_error_ns").parse().unwrap();
    assert!((80 + 399_000..80 + 401_000).contains(&error), "{error}");
}

#[test]
fn ties_sessions_of_one_boot_by_launches() {
    let mut trace = Trace::default();
    let files = [file(&mut trace, 0, NEAR), file(&mut trace, 1, NEAR)];
    let base = session(&mut trace, &[0], NEAR, -70_000, 0.0, 0);
    // Its wall clock was read inaccurately.
    let poor = Machine {
        wall_error: -9_000_000,
        ..NEAR
    };
    let other = session(&mut trace, &[1], poor, 900_000_000, 0.0, 0);
    let before = trace.work.ranges.clone();
    aligned(&mut trace);
    assert_eq!(fact(&trace, "clock_base_source"), base.id().to_string());
    for file in files {
        assert!(worst(&trace, file, -70_000, 0.0) < 60);
    }
    assert_eq!(fact(&trace, "source_1_clock_tie"), "launches");
    assert_eq!(
        fact(&trace, "source_4_clock_tie"),
        "launches, through source 2"
    );
    for (range, before) in trace.work.ranges.iter().zip(&before) {
        let moved = (range.start - before.start).0;
        match range.source == other {
            true => assert!((moved + 900_070_000).abs() < 100, "{moved}"),
            false => assert_eq!(moved, 0, "the base is copied unchanged"),
        }
    }
}

#[test]
fn distinguishes_equal_process_ids_of_two_machines() {
    let mut trace = Trace::default();
    let files = [file(&mut trace, 0, NEAR), file(&mut trace, 1, FAR)];
    // In the opposite order to the files.
    session(&mut trace, &[1], FAR, 1_000, 50e-6, 1);
    session(&mut trace, &[0], NEAR, -2_000_000, -80e-6, 2);
    aligned(&mut trace);
    assert_eq!(fact(&trace, "source_2_clock_tie"), "launches");
    assert!(worst(&trace, files[1], 1_000, 50e-6) < 80);
    // The error of the other machine is that of the wall clocks, but no more.
    assert_eq!(
        fact(&trace, "source_1_clock_tie"),
        "wall clock, through source 2"
    );
    let off = worst(&trace, files[0], 1_000, 0.0);
    assert!((off - FAR.wall_error).abs() < 200_000, "{off}");
}

#[test]
fn clock_fit_tolerates_outliers_and_200_ppm_drift() {
    let mut trace = Trace::default();
    let rank = file(&mut trace, 0, FAR);
    session(&mut trace, &[0], FAR, 7_777, 200e-6, 2);
    aligned(&mut trace);
    assert!(worst(&trace, rank, 7_777, 200e-6) < 110);
    let outliers: i64 = fact(&trace, "source_1_clock_outliers").parse().unwrap();
    assert!((780..=800).contains(&outliers), "{outliers}");
    let drift: f64 = fact(&trace, "source_1_clock_drift_ppm").parse().unwrap();
    assert!((drift - 200.0).abs() < 0.1, "{drift}");
}

#[test]
fn keeps_times_without_any_tie() {
    let mut trace = Trace::default();
    let rank = file(&mut trace, 0, NEAR);
    let other = file(&mut trace, 1, FAR);
    for source in &mut trace.sources {
        source.wall_at_zero = None;
    }
    trace.quality.wall_samples.clear();
    aligned(&mut trace);
    assert_eq!(fact(&trace, "source_2_clock_tie"), "nothing");
    assert_eq!(worst(&trace, rank, NEAR.monotonic, 0.0), 0);
    assert_eq!(worst(&trace, other, FAR.monotonic, 0.0), 0);
}

#[test]
fn error_covers_disagreeing_wall_clock_samples() {
    let mut trace = Trace::default();
    file(&mut trace, 0, NEAR);
    let far = file(&mut trace, 1, FAR);
    // The wall clock was set forward by a millisecond while the program ran.
    trace.quality.wall_samples.push(WallSample {
        source: far,
        at: at(FAR.monotonic + 1_000_000_000),
        wall: EPOCH + FAR.wall_error + 1_001_000_000,
        error: 40,
    });
    aligned(&mut trace);
    let error: i64 = fact(&trace, "source_2_clock_error_ns").parse().unwrap();
    // The drift where the clocks were not read: two seconds of one, and one of the other.
    let drift = error - (1_000_000 + 80);
    assert!((290_000..310_000).contains(&drift), "{error}");
}

#[test]
fn tie_of_thousands_of_pairs_wins_over_one() {
    // Two sessions record the process of one file. The base records one of its launches, late. The
    // other records all of them, and is of the boot of a second file, whose launches the base
    // records too.
    let mut trace = Trace::default();
    let files = [file(&mut trace, 0, NEAR), file(&mut trace, 1, NEAR)];
    let base = session(&mut trace, &[0, 1], NEAR, -70_000, 0.0, 0);
    // Of the launches of the first rank, the base records one, 40 us late.
    let mut kept = false;
    trace.work.ranges.retain_mut(|range| {
        if range.launch.unwrap().rank().get() != 0 {
            return true;
        }
        let first = !std::mem::replace(&mut kept, true);
        if first {
            range.start = at(range.start.nanos() + 40_000);
            range.end = at(range.end.nanos() + 40_000);
        }
        first
    });
    aligned(&mut trace);
    assert_eq!(fact(&trace, "clock_base_source"), base.id().to_string());
    for file in files {
        assert!(worst(&trace, file, -70_000, 0.0) < 60);
    }
    assert_eq!(fact(&trace, "source_1_clock_tie"), "same, through source 2");
}

#[test]
fn ties_never_claim_zero_error() {
    let mut trace = Trace::default();
    file(&mut trace, 0, FAR);
    session(&mut trace, &[0], FAR, 7_777, 0.0, 0);
    // Both recorded only one launch. It lies within its range, which is 40 ns longer.
    trace.work.launches.truncate(1);
    trace.work.ranges.truncate(1);
    aligned(&mut trace);
    assert_eq!(fact(&trace, "source_1_clock_tie"), "launches");
    let error: i64 = fact(&trace, "source_1_clock_error_ns").parse().unwrap();
    assert!((20..30).contains(&error), "{error}");
    // A session records its start by the wall clock, without an error.
    let mut trace = Trace::default();
    session(&mut trace, &[], NEAR, 0, 0.0, 0);
    session(&mut trace, &[], FAR, 0, 0.0, 0);
    aligned(&mut trace);
    assert_eq!(fact(&trace, "source_2_clock_tie"), "wall clock");
    let error: i64 = fact(&trace, "source_2_clock_error_ns").parse().unwrap();
    assert!(error >= 2_000_000, "{error}");
}
