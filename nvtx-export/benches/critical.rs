//! The critical path alone, on rows in memory: `cargo bench -p weft-nvtx-export --bench critical
//! [-- TASKS]`. It is compared with one pass that reads each task, launch and dependence once.

#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a benchmark prints its figures"
)]

use std::hint::black_box;
use std::time::Instant;
use weft_critical::path;
use weft_model::{
    Dependency, Launch, Operation, RunIndex, RuntimeCall, ShareOrigin, Source, SourceIndex,
    SourceKind, Task, Trace,
};
use weft_trace::id::{ProcessorId, Rank, Uid};
use weft_trace::record::{DependencyKind, RuntimeCallKind};
use weft_trace::time::Timestamp;

const RANKS: usize = 4;
const WORKERS: usize = 4;
/// The duration of a task, and the distance of consecutive tasks on a processor, in ns.
const STEP: i64 = 10_000;

fn at(nanos: i64) -> Timestamp {
    Timestamp::from_nanos_since_session_start(nanos)
}

fn uid(rank: Rank, sequence: usize) -> Uid {
    Uid::new(rank, sequence as u64 + 1).expect("small")
}

/// Operations with one task per worker of each rank. Every task depends on two tasks of the
/// operation before.
fn trace(tasks: usize) -> Trace {
    let mut trace = Trace::default();
    let operations = tasks / RANKS / WORKERS;
    let kind = trace.strings.intern(RuntimeCallKind::Analysis.name());
    for rank in 0..RANKS {
        trace.sources.push(Source {
            path: "made".into(),
            kind: SourceKind::WeftProf,
            run: RunIndex(0),
            run_id: None,
            rank: Some(rank as u16),
            ranks: Some(RANKS as u16),
            host: None,
            boot_id: None,
            pid: None,
            program: None,
            database: None,
            wall_at_zero: None,
            lossy: false,
        });
        let source = SourceIndex(rank as u32);
        let of_rank = Rank::new(rank as u16).expect("small");
        for operation in 0..operations {
            let asked = uid(Rank::REPLICATED, operation);
            let start = operation as i64 * STEP;
            if rank == 0 {
                trace.program.operations.push(Operation {
                    source,
                    run: RunIndex(0),
                    uid: asked,
                    parent: None,
                    name: kind,
                    provenance: Default::default(),
                    created: at(start - 5_000),
                    tasks: WORKERS as u32,
                    scope: Default::default(),
                    stack: Default::default(),
                    call: 0,
                    shape: Box::default(),
                });
            }
            trace.work.runtime_calls.push(RuntimeCall {
                source,
                kind,
                operation: Some(asked),
                processor: ProcessorId(WORKERS as u16),
                start: at(start - 4_000),
                end: at(start - 3_000),
            });
            for worker in 0..WORKERS {
                let number = operation * WORKERS + worker;
                let task = uid(of_rank, number);
                let late = (number * 7_919 % 997) as i64;
                trace.work.tasks.push(Task {
                    source,
                    uid: task,
                    operation: asked,
                    point: worker as u32,
                    processor: ProcessorId(worker as u16),
                    created: at(start - 3_500),
                    ready: at(start),
                    start: at(start + late),
                    end: at(start + late + 8_000),
                    device: None,
                    arithmetic: None,
                });
                trace.work.launches.push(Launch {
                    source,
                    run: RunIndex(0),
                    uid: task,
                    processor: ProcessorId(worker as u16),
                    start: at(start + late),
                    end: at(start + late + 8_000),
                    shares: Box::default(),
                    split: ShareOrigin::Measured,
                });
                for earlier in [worker, (worker + 1) % WORKERS] {
                    if let Some(before) = operation.checked_sub(1) {
                        trace.work.dependencies.push(Dependency {
                            source,
                            from: uid(of_rank, before * WORKERS + earlier),
                            to: task,
                            kind: DependencyKind::ReadAfterWrite,
                            store: None,
                            bytes: None,
                        });
                    }
                }
            }
        }
    }
    trace
}

fn main() {
    let asked = std::env::args().find_map(|argument| argument.parse().ok());
    let sizes = asked.map_or_else(|| vec![100_000, 1_000_000], |tasks| vec![tasks]);
    println!(
        "{:>9} {:>9} {:>9} {:>9}",
        "tasks", "path ms", "pass ms", "steps"
    );
    for tasks in sizes {
        let trace = trace(tasks);
        let began = Instant::now();
        let ends = trace.work.tasks.iter().map(|task| task.end.nanos());
        let ends = ends.chain(trace.work.launches.iter().map(|launch| launch.end.nanos()));
        let ends = ends.chain(
            trace
                .work
                .dependencies
                .iter()
                .map(|edge| edge.to.raw().cast_signed()),
        );
        black_box(ends.fold(0_i64, |sum, end| sum ^ end));
        let pass = began.elapsed();
        let began = Instant::now();
        let steps = path(&trace);
        let took = began.elapsed();
        println!(
            "{:>9} {:>9.1} {:>9.1} {:>9}",
            trace.work.tasks.len(),
            took.as_secs_f64() * 1e3,
            pass.as_secs_f64() * 1e3,
            steps.len()
        );
    }
}
