//! Ranges without UIDs and the tasks whose bodies they enclose: a real run of Legate recorded on
//! both sides, and generated ones.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod made;
use crate::support;

use made::{GeneratedRun, Run};
use proptest::prelude::*;
use rusqlite::Connection;
use std::collections::BTreeMap;
use support::{join, real_database};
use weft_model::{Method, Outcome, Reason, Trace, process_of};
use weft_output::sqlite::{self, WriteOptions};

fn fact(trace: &Trace, key: &str) -> String {
    trace.quality.meta.get(key).unwrap_or_default().to_owned()
}

#[test]
fn each_legate_range_matches_one_task() {
    let Some((_a, prof)) = real_database("legate-nsys/stencil.prof.zst") else {
        return;
    };
    let Some((_b, database)) = real_database("legate-nsys/stencil.sqlite.zst") else {
        return;
    };
    let trace = join(&[prof, database]);
    assert_eq!(fact(&trace, "name_time_ranges"), "186");
    assert_eq!(fact(&trace, "name_time_tasks"), "186");
    assert_eq!(fact(&trace, "name_time_matched"), "186");
    assert_eq!(fact(&trace, "name_time_ambiguous"), "0");
    assert_eq!(fact(&trace, "source_1_clock_tie"), "names");
    let error: u64 = fact(&trace, "source_1_clock_error_ns").parse().unwrap();
    assert!(error < 20_000, "{error}");

    // Each processor has its own thread, on which the ranges of its tasks follow each other.
    let mut ranges: BTreeMap<i64, Vec<_>> = BTreeMap::new();
    for link in &trace.links.range_tasks {
        let range = &trace.work.ranges[link.range.0 as usize];
        let task = trace
            .work
            .tasks
            .iter()
            .find(|task| task.uid == link.task)
            .unwrap();
        let operation = trace
            .program
            .operations
            .iter()
            .find(|row| row.uid == task.operation)
            .unwrap();
        let place = trace.program.provenances.get(operation.provenance);
        let (name, file) = (
            trace.strings.get(operation.name),
            trace.strings.get(place.file),
        );
        let message = trace.strings.get(range.text);
        assert_eq!(message, format!("{name} : {file}:{}", place.line));
        ranges
            .entry(range.thread)
            .or_default()
            .push((range.start, task.start, task.processor));
    }
    assert_eq!(ranges.len(), 2);
    for pairs in ranges.values_mut() {
        pairs.sort_unstable();
        let processor = pairs[0].2;
        assert!(pairs.iter().all(|pair| pair.2 == processor));
        assert!(pairs.windows(2).all(|two| two[0].1 < two[1].1), "in order");
        let mut tasks: Vec<_> = pairs.iter().map(|pair| pair.1).collect();
        tasks.dedup();
        assert_eq!(tasks.len(), pairs.len(), "no task twice");
    }
}

#[test]
fn match_is_optional_and_survives_a_round_trip() {
    let made = GeneratedRun::new(Run::default());
    let recording = made.recording();
    let mut trace = made::align_and_join(recording);
    assert_eq!(trace.links.range_tasks.len(), made.bodies.len());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("weft.sqlite");
    // The rows of a session are copied from its database.
    let session = folder.path().join("session.sqlite");
    made.database(&session);
    trace.sources[1].database = Some(session);
    sqlite::write(&trace, &path, &WriteOptions::default()).unwrap();
    let database = Connection::open(&path).unwrap();
    let rows: i64 = database
        .query_row(
            "SELECT count(*) FROM WEFT_RANGE_TASK r JOIN WEFT_TASK t ON t.uid = r.taskUid AND t.sourceId = r.sourceId \
             JOIN NVTX_EVENTS e ON e.rowid = r.nvtxRowId WHERE method = 'name_time'",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(rows as usize, made.bodies.len());
    let back = join(&[path]);
    assert_eq!(back.links.range_tasks.len(), trace.links.range_tasks.len());
}

/// Counts wrong pairs, right pairs, and bodies that have both a range and a task.
fn judge(made: &GeneratedRun, trace: &Trace) -> (usize, usize, usize) {
    let (mut wrong, mut right) = (0, 0);
    for link in &trace.links.range_tasks {
        match made.truth(trace, link) {
            true => right += 1,
            false => wrong += 1,
        }
    }
    let both = made
        .bodies
        .iter()
        .filter(|body| body.has_range && body.has_task)
        .count();
    (wrong, right, both)
}

#[test]
fn matches_repeated_equal_tasks_for_any_clocks() {
    for (wall_error, wall_known, drift, offset) in [
        (0, true, 0.0, 0),
        (3_000_000, true, 50e-6, -7_000_000_000),
        (-900_000_000, true, -200e-6, 5_000_000_000_000),
        (0, false, 20e-6, 123_456_789_000),
    ] {
        let run = Run {
            tasks: 4_000,
            names: 1,
            wall_error,
            wall_known,
            drift,
            offset,
            ..Run::default()
        };
        let made = GeneratedRun::new(run);
        let recording = made.recording();
        let trace = made::align_and_join(recording);
        let (wrong, right, both) = judge(&made, &trace);
        assert_eq!((wrong, right), (0, both), "{run:?}");
    }
}

#[test]
fn kernels_in_matched_ranges_get_their_task() {
    let made = GeneratedRun::new(Run {
        lost_tasks: 0.1,
        ..Run::default()
    });
    let mut recording = made.recording();
    made.launch_kernels(&mut recording);
    let trace = made::align_and_join(recording);
    let of_range: BTreeMap<_, _> = trace
        .links
        .range_tasks
        .iter()
        .map(|link| (link.range, link.task))
        .collect();
    let mut linked = 0;
    for (row, outcome) in trace.links.outcomes.iter().enumerate() {
        let range = trace.links.kernel_ranges[row].unwrap();
        match (*outcome, of_range.get(&range)) {
            (Outcome::Linked { launch, method }, Some(task)) => {
                assert_eq!(method, Method::NameTime);
                assert_eq!(trace.work.launches[launch.0 as usize].uid, *task);
                linked += 1;
            }
            (outcome, None) => assert_eq!(outcome, Outcome::Unmatched(Reason::RangeWithoutUid)),
            (outcome, task) => assert_eq!((outcome, task), (outcome, None)),
        }
    }
    assert_eq!(linked, trace.links.range_tasks.len());
    assert_eq!(fact(&trace, "linked_name_time"), linked.to_string());
    assert!(fact(&trace, "name_time_ranges").parse::<usize>().unwrap() > linked);
}

#[test]
fn ignores_other_processes_with_equal_names() {
    let made = GeneratedRun::new(Run::default());
    let mut recording = made.recording();
    // A copy of all ranges in a process with another id, a little later.
    let copies: Vec<_> = recording
        .work
        .ranges
        .iter()
        .map(|range| {
            let mut copy = *range;
            copy.thread += 1 << 24;
            copy.row += 1_000_000;
            copy
        })
        .collect();
    let process = process_of(recording.work.ranges[0].thread);
    recording.work.ranges.extend(copies);
    let trace = made::align_and_join(recording);
    assert_eq!(trace.links.range_tasks.len(), made.bodies.len());
    for link in &trace.links.range_tasks {
        assert_eq!(
            process_of(trace.work.ranges[link.range.0 as usize].thread),
            process
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn matches_are_correct_and_nearly_complete(
        seed in 0_u64..1 << 40,
        processors in 1_usize..6,
        names in 1_usize..5,
        length in prop_oneof![Just(20_000_i64), Just(150_000), Just(2_000_000)],
        lost_ranges in prop_oneof![Just(0.0), 0.0..0.3],
        lost_tasks in prop_oneof![Just(0.0), 0.0..0.3],
        late in prop_oneof![Just(0.0), 0.0..0.2],
        drift in -100e-6..100e-6,
        wall_error in -15_000_000_i64..15_000_000,
        waits in prop::bool::weighted(0.3),
        device in prop::bool::weighted(0.2),
    ) {
        let made = GeneratedRun::new(Run {
            seed,
            tasks: 600,
            processors,
            names,
            length,
            lost_ranges,
            lost_tasks,
            // If tasks end later than their ranges, a range that also begins late cannot be
            // recognised.
            late: if device { 0.0 } else { late },
            drift,
            wall_error,
            waits,
            device,
            ..Run::default()
        });
        let recording = made.recording();
        let trace = made::align_and_join(recording);
        let (wrong, right, both) = judge(&made, &trace);
        // If tasks are nested and both sides lost some, a range without its task can match a task
        // without its range, or with a late one. At most a fiftieth of the pairs may be wrong,
        // within three standard deviations of such a count.
        let hard = (waits || device) && lost_tasks > 0.0 && (lost_ranges > 0.0 || late > 0.0);
        let accidents = both as f64 / 50.0;
        let allowed = if hard { (accidents + 3.0 * accidents.sqrt()) as usize } else { 0 };
        prop_assert!(wrong <= allowed, "{} wrong of {}: {:?}", wrong, both, made.run);
        prop_assert!(right * 100 >= both * 95, "right {} of {}: {:?}", right, both, made.run);
    }
}

/// Equally long tasks in a row look alike if shifted by one, even more so if they end late on a
/// device.
#[test]
fn one_task_shift_is_not_taken_for_the_offset() {
    let on_cpus = Run {
        seed: 736_726_328_499,
        tasks: 600,
        processors: 5,
        names: 1,
        drift: 0.0,
        wall_error: 0,
        lost_ranges: 0.248_832,
        lost_tasks: 0.195_270,
        ..Run::default()
    };
    let on_a_device = Run {
        seed: 859_699_119_753,
        processors: 1,
        lost_ranges: 0.258_352,
        lost_tasks: 0.236_545,
        device: true,
        ..on_cpus
    };
    for (run, allowed) in [(on_cpus, 0), (on_a_device, 15)] {
        let made = GeneratedRun::new(run);
        let recording = made.recording();
        let trace = made::align_and_join(recording);
        let (wrong, right, both) = judge(&made, &trace);
        assert!(
            wrong <= allowed && right * 100 >= both * 95,
            "{wrong} wrong, {right} right of {both}: {run:?}"
        );
    }
}
