//! The critical path over ranks.

use super::brute;
use super::run::{Clock, File, MESSAGES, PROGRAM, files, operation};
use super::simulated::{self, World};
use crate::made;
use proptest::prelude::*;
use std::path::PathBuf;
use tempfile::TempDir;
use weft_analysis::stats::{By, table};
use weft_critical::path;
use weft_model::table::Format;
use weft_model::{
    Kernel, KernelKind, LaunchIndex, Method, Outcome, PathStep, Recorder, SourceIndex, StepKind,
    Trace, Traffic,
};
use weft_nvtx_export::{ReadOptions, read};
use weft_output::sqlite;
use weft_trace::id::{NameId, ProcessorId, ProvenanceId, TaskUid};
use weft_trace::record::MessageSide::{Receive, Send};
use weft_trace::record::{
    Dependencies, DependencyKind, Edges, Immediate, List, Planning, RuntimeCall, RuntimeCallKind,
};

const CPU: ProcessorId = ProcessorId(0);
const UTILITY: ProcessorId = ProcessorId(9);

fn waits_for(file: &mut File, task: TaskUid, earlier: TaskUid) {
    file.write(Dependencies {
        task,
        store: None,
        bytes: None,
        on: Edges::Items(&[(earlier, DependencyKind::ReadAfterWrite)]),
    });
}

fn planning(file: &mut File, line: u32, [start, end]: [i64; 2]) {
    let (start, end) = (file.clock.at(start), file.clock.at(end));
    file.write(Planning {
        operation: operation(line),
        processor: UTILITY,
        start,
        partitioned: start,
        mapped: start,
        end,
    });
}

/// Rank 0 computes data slowly, and rank 1 needs it. The program of rank 1 waits for the result,
/// and then runs a small operation.
fn chain() -> (TempDir, Vec<PathBuf>) {
    let (folder, [mut first, mut second]) = files([Clock::SAME; 2]);
    for file in [&mut first, &mut second] {
        file.operation(1, 0);
        file.operation(2, 100);
        file.operation(3, 1_050);
        planning(file, 1, [20, 60]);
    }
    let made = first.task(1, 1, CPU, [50, 60, 70, 500]);
    let sent = first.message(2, 2, Send, (1, 1), [120, 500, 510, 520, 550]);
    waits_for(&mut first, sent, made);
    // Another task keeps the processor of rank 1 busy until shortly after the message arrives.
    let other = second.task(1, 1, CPU, [50, 60, 70, 610]);
    let received = second.message(2, 2, Receive, (0, 1), [120, 120, 130, 580, 600]);
    let used = second.task(3, 2, ProcessorId(1), [125, 600, 620, 1_000]);
    waits_for(&mut second, used, received);
    waits_for(&mut second, used, other);
    let (start, end) = (second.clock.at(200), second.clock.at(1_030));
    second.write(RuntimeCall {
        kind: RuntimeCallKind::Wait,
        operation: Some(operation(2)),
        processor: PROGRAM,
        start,
        end,
        task: None,
    });
    second.task(4, 3, PROGRAM, [1_050, 1_050, 1_060, 1_100]);
    (folder, [first, second].map(File::finish).into())
}

fn join(inputs: &[PathBuf]) -> Trace {
    read(inputs, &ReadOptions::default()).unwrap()
}

/// Returns the steps as tuples of kind, source, start and end.
fn describe_steps(steps: &[PathStep]) -> Vec<(&'static str, u32, i64, i64)> {
    let steps = steps.iter();
    let word = |step: &PathStep| {
        let (start, end) = (step.start.nanos(), step.end.nanos());
        (step.kind.name(), step.source.0, start, end)
    };
    steps.map(word).collect()
}

#[test]
fn path_leads_from_the_last_end_to_its_causes() {
    let (_folder, inputs) = chain();
    let trace = join(&inputs);
    // The other task of rank 1 ended later than the message arrived, so it determines the end of
    // the wait.
    let expected = [
        ("program", 1, 0, 0),
        ("queue", 1, 0, 20),
        ("analysis", 1, 20, 60),
        ("queue", 1, 60, 70),
        ("task", 1, 70, 610),
        ("queue", 1, 610, 620),
        ("task", 1, 620, 1_000),
        ("wait", 1, 1_000, 1_030),
        ("program", 1, 1_030, 1_060),
        ("task", 1, 1_060, 1_100),
    ];
    let expected: Vec<_> = expected.into_iter().filter(|row| row.2 < row.3).collect();
    assert_eq!(describe_steps(&path(&trace)), expected);
}

#[test]
fn message_leads_to_the_sending_rank() {
    let (_folder, inputs) = chain();
    let mut trace = join(&inputs);
    // Without the task that kept rank 1 busy.
    let other = trace
        .work
        .tasks
        .iter()
        .position(|task| task.end.nanos() == 610)
        .unwrap();
    let uid = trace.work.tasks.remove(other).uid;
    trace.work.launches.retain(|launch| launch.uid != uid);
    let steps = path(&trace);
    let expected = [
        ("queue", 0, 0, 20),
        ("analysis", 0, 20, 60),
        ("queue", 0, 60, 70),
        ("task", 0, 70, 500),
        ("queue", 1, 500, 510),
        ("message", 1, 510, 600),
        ("queue", 1, 600, 620),
        ("task", 1, 620, 1_000),
        ("wait", 1, 1_000, 1_030),
        ("program", 1, 1_030, 1_060),
        ("task", 1, 1_060, 1_100),
    ];
    assert_eq!(describe_steps(&steps), expected);
    let message = steps
        .iter()
        .find(|step| step.kind == StepKind::Message)
        .unwrap();
    assert_eq!(message.operation, Some(operation(2).0));
    assert!(
        trace
            .machine
            .processors
            .iter()
            .any(|row| row.id == MESSAGES)
    );
}

/// Adds an operation that runs at once on the program's thread.
fn immediate(
    file: &mut File,
    sequence: u64,
    line: u32,
    [created, start, end]: [i64; 3],
) -> TaskUid {
    let task = TaskUid(file.uid(sequence));
    let [created, start, end] = [created, start, end].map(|time| file.clock.at(time));
    file.write(Immediate {
        operation: operation(line),
        parent: None,
        task,
        name: NameId(2),
        provenance: ProvenanceId(line),
        kernel: NameId(2),
        processor: PROGRAM,
        created,
        start,
        end,
        read: None,
        bytes: 8,
        scope: Default::default(),
        stack: Default::default(),
        arithmetic: None,
        shape: List::Items(&[1]),
    });
    task
}

#[test]
fn immediate_work_is_delayed_only_by_its_waits() {
    let (_folder, [mut file]) = files([Clock::SAME]);
    let first = immediate(&mut file, 1, 1, [0, 5, 10]);
    file.operation(2, 20);
    planning(&mut file, 2, [30, 40]);
    let large = file.task(2, 2, CPU, [40, 40, 50, 500]);
    waits_for(&mut file, large, first);
    let (start, end) = (file.clock.at(60), file.clock.at(520));
    file.write(RuntimeCall {
        kind: RuntimeCallKind::Wait,
        operation: Some(operation(2)),
        processor: PROGRAM,
        start,
        end,
        task: None,
    });
    // It depends on the operation that was waited for, and on one that ended long before.
    let second = immediate(&mut file, 3, 3, [530, 540, 550]);
    waits_for(&mut file, second, first);
    waits_for(&mut file, second, large);
    immediate(&mut file, 4, 4, [560, 565, 570]);
    let trace = join(&[file.finish()]);
    let expected = [
        ("analysis", 0, 0, 5),
        ("task", 0, 5, 10),
        ("program", 0, 10, 20),
        ("queue", 0, 20, 30),
        ("analysis", 0, 30, 40),
        ("queue", 0, 40, 50),
        ("task", 0, 50, 500),
        ("wait", 0, 500, 520),
        ("program", 0, 520, 530),
        ("analysis", 0, 530, 540),
        ("task", 0, 540, 550),
        ("program", 0, 550, 560),
        ("analysis", 0, 560, 565),
        ("task", 0, 565, 570),
    ];
    assert_eq!(describe_steps(&path(&trace)), expected);
}

#[test]
fn gpu_work_has_the_times_of_its_kernels() {
    let (_folder, [mut file]) = files([Clock::SAME]);
    file.operation(1, 0);
    file.operation(2, 10);
    let one = file.task(1, 1, CPU, [90, 95, 100, 110]);
    let other = file.task(2, 2, CPU, [90, 115, 120, 130]);
    waits_for(&mut file, other, one);
    let mut trace = join(&[file.finish()]);
    let name = trace.strings.intern("kernel");
    for (row, [start, end]) in (0..).zip([[200, 500], [510, 900]]) {
        let at = weft_trace::time::Timestamp::from_nanos_since_session_start;
        trace.devices.kernels.push(Kernel {
            source: SourceIndex(0),
            recorder: Recorder::Cupti,
            kind: KernelKind::Kernel,
            name,
            rank: Some(0),
            processor: Some(CPU),
            device: Some(0),
            stream: Some(7),
            context: Some(1),
            graph: None,
            graph_node: None,
            correlation: None,
            start: at(start),
            end: at(end),
            traffic: Traffic::default(),
            recorded: None,
            external: None,
            process: None,
            detail: None,
            route: None,
        });
        trace.links.outcomes.push(Outcome::Linked {
            launch: LaunchIndex(row),
            method: Method::ExternalId,
        });
    }
    let expected = [
        ("queue", 0, 0, 100),
        ("issue", 0, 100, 110),
        ("queue", 0, 110, 200),
        ("task", 0, 200, 500),
        ("queue", 0, 500, 510),
        ("task", 0, 510, 900),
    ];
    assert_eq!(describe_steps(&path(&trace)), expected);
}

#[test]
fn gather_leads_to_the_last_rank() {
    let (_folder, mut ranks) = files([Clock::SAME; 3]);
    for file in &mut ranks {
        let others = (0..3).filter(|rank| *rank != file.rank);
        let others: Vec<u16> = others.collect();
        let late = 300 * i64::from(file.rank);
        file.operation(1, 0);
        let made = file.task(1, 1, CPU, [0, 0, 0, 200 + late]);
        // All sides of a gather have its times; its successors name the first side.
        let mut uid = 2;
        let mut sides = Vec::new();
        for side in [Receive, Send] {
            for peer in &others {
                let times = [0, 200 + late, 210 + late, 890, 900];
                sides.push(file.message(uid, 2, side, (*peer, 7), times));
                uid += 1;
            }
        }
        waits_for(file, sides[0], made);
        let used = file.task(20, 2, CPU, [0, 900, 910, 1_000 - late]);
        waits_for(file, used, sides[0]);
    }
    let trace = join(&ranks.map(File::finish));
    let expected = [
        ("task", 2, 0, 800),
        ("queue", 0, 800, 810),
        ("message", 0, 810, 900),
        ("queue", 0, 900, 910),
        ("task", 0, 910, 1_000),
    ];
    assert_eq!(describe_steps(&path(&trace)), expected);
}

#[test]
fn killed_rank_keeps_its_written_records() {
    let (folder, [mut first, mut second]) = files([Clock::SAME; 2]);
    first.operation(1, 0);
    let made = first.task(1, 1, CPU, [10, 20, 30, 40]);
    let sent = first.message(2, 1, Send, (1, 1), [10, 40, 50, 60, 70]);
    waits_for(&mut first, sent, made);
    // The file of a process that was killed, which is never completed.
    let killed = folder.path().join("killed.prof");
    std::fs::copy(&first.path, &killed).unwrap();
    first.message(3, 1, Send, (1, 2), [80, 80, 90, 100, 110]);
    second.operation(1, 5);
    for number in [1, 2] {
        let start = 40 * number as i64;
        second.message(
            number,
            1,
            Receive,
            (0, number),
            [5, 6, start, start + 30, start + 35],
        );
    }
    let whole = second.finish();
    let trace = join(&[killed.clone(), whole.clone()]);
    let loss = |trace: &Trace, name: &str| {
        let rows = trace.quality.losses.iter().filter(|row| row.name == name);
        rows.map(|row| row.value).sum::<u64>()
    };
    assert_eq!(
        (trace.work.messages.len(), loss(&trace, "unfinished")),
        (2, 1)
    );
    assert_eq!(loss(&trace, "messages_one_sided"), 1);
    let parts = |trace: &Trace| path(trace).iter().map(|step| step.part).sum::<i64>();
    assert_eq!(parts(&trace), 115);

    // The file is also truncated.
    let bytes = std::fs::read(&killed).unwrap();
    let cut = folder.path().join("cut.prof");
    for part in 2..20 {
        std::fs::write(&cut, &bytes[..bytes.len() * part / 20]).unwrap();
        let Ok(trace) = read(&[cut.clone(), whole.clone()], &ReadOptions::default()) else {
            continue;
        };
        assert_eq!(trace.work.messages.len(), 2);
        let steps = path(&trace);
        let (first, last) = (steps[0].start, steps[steps.len() - 1].end);
        assert_eq!(parts(&trace), (last - first).0);
        assert_eq!(last.nanos(), 115);
        assert!(!table(&trace, By::Channel).is_empty());
    }
}

#[test]
fn line_parts_sum_to_the_run_and_survive_export() {
    let (folder, inputs) = chain();
    let trace = join(&inputs);
    let rows = table(&trace, By::Critical).render(Format::Csv);
    assert!(rows.contains("main.rs:1,task,1,540,"), "{rows}");
    assert!(rows.contains("main.rs:2,wait,1,30,"), "{rows}");
    let written = folder.path().join("weft.sqlite");
    sqlite::write(&trace, &written, &sqlite::WriteOptions::default()).unwrap();
    let database = rusqlite::Connection::open(&written).unwrap();
    let number = |sql: &str| {
        database
            .query_row(sql, [], |row| row.get::<_, i64>(0))
            .unwrap()
    };
    assert_eq!(number("SELECT sum(part) FROM WEFT_CRITICAL_PATH"), 1_100);
    assert_eq!(number("SELECT sum(part) FROM weft_critical_by_line"), 1_100);
    assert_eq!(
        table(&join(&[written]), By::Critical).render(Format::Csv),
        rows
    );
}

/// Returns the first and last instant that can be on a path. A task runs when its launch does.
fn span(trace: &Trace) -> (i64, i64) {
    let launches = trace
        .work
        .launches
        .iter()
        .flat_map(|launch| [launch.start, launch.end]);
    let calls = trace
        .work
        .runtime_calls
        .iter()
        .flat_map(|call| [call.start, call.end]);
    let copies = trace.work.copies.iter().map(|copy| copy.created);
    let tasks = trace.work.tasks.iter().map(|task| task.created);
    let operations = trace
        .program
        .operations
        .iter()
        .map(|operation| operation.created);
    let all = launches
        .chain(calls)
        .chain(copies)
        .chain(tasks)
        .chain(operations);
    let all: Vec<i64> = all.map(|time| time.nanos()).collect();
    (*all.iter().min().unwrap(), *all.iter().max().unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Even if records are missing or contradictory, each instant belongs to one step.
    #[test]
    fn path_parts_sum_to_the_run(
        seed in any::<u64>(),
        ranks in 1_u16..4,
        tasks in 16_u64..160,
        broken in any::<bool>(),
    ) {
        let shape = made::Shape { seed, ranks, tasks, zero: -500, broken };
        let trace = made::trace(shape);
        let steps = path(&trace);
        let parts: i64 = steps.iter().map(|step| step.part).sum();
        prop_assert!(steps.iter().all(|step| step.part >= 0));
        let (first, last) = (steps[0].start.nanos(), steps[steps.len() - 1].end.nanos());
        prop_assert_eq!(parts, last - first);
        let follows = |pair: &[PathStep]| {
            let same = (pair[0].start, pair[0].end) == (pair[1].start, pair[1].end);
            same || pair[0].end == pair[1].start
        };
        prop_assert!(steps.windows(2).all(follows));
        // Work on devices may begin before the runtime's records, and end after them.
        let (earliest, latest) = span(&trace);
        prop_assert!(first <= earliest && latest <= last, "{first} {earliest} {latest} {last}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// For random runs with work of the program itself, on CPUs, and in streams of a GPU, the path
    /// equals the one found by exhaustive search.
    #[test]
    fn path_matches_the_definition(
        seed in any::<u64>(),
        ranks in 1_usize..4,
        steps in 1_usize..60,
        gpu in any::<bool>(),
    ) {
        let world = World::random(seed, ranks, steps, gpu);
        let found = path(&simulated::trace(&world));
        let parts = found.iter().map(|step| {
            let (start, end) = (step.start.nanos(), step.end.nanos());
            (step.kind.name(), step.source.0 as usize, start, end)
        });
        // Tasks of one launch are steps with equal times.
        let mut parts: Vec<_> = parts.collect();
        parts.dedup();
        prop_assert_eq!(brute::merged(parts), brute::path(&world));
    }
}
