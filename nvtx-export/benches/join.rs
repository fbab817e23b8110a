//! The join alone, on rows in memory: `cargo bench -p weft-nvtx-export --bench join`. It is
//! compared with one pass that reads each kernel, call and range once, without using them.

#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a benchmark prints its figures"
)]

use std::hint::black_box;
use std::time::Instant;
use weft_join::identify::Lookup;
use weft_join::join::join;
use weft_model::{
    ApiCall, Kernel, KernelKind, Launch, RangeKind, RangeRow, Recorder, Recording, RunIndex,
    ShareOrigin, Source, SourceIndex, SourceKind, StringIndex, Traffic, thread_of,
};
use weft_trace::id::{ProcessorId, Rank, Uid};
use weft_trace::time::Timestamp;

const PID: u32 = 4242;

fn at(nanos: usize) -> Timestamp {
    Timestamp::from_nanos_since_session_start(nanos as i64)
}

fn uid(sequence: usize) -> Uid {
    Uid::new(Rank::default(), sequence as u64 + 1).expect("small")
}

/// Generates `kernels` launched by `threads` in `ranges` ranges, nested `depth` deep, each with a
/// launch.
fn recording(kernels: usize, ranges: usize, threads: usize, depth: usize) -> Recording {
    let mut recording = Recording::default();
    for (kind, run) in [(SourceKind::WeftProf, 0), (SourceKind::NsysSqlite, 1)] {
        recording.sources.push(Source {
            path: "made".into(),
            kind,
            run: RunIndex(run),
            run_id: None,
            rank: Some(0),
            ranks: None,
            host: None,
            boot_id: None,
            pid: Some(PID),
            program: None,
            database: None,
            wall_at_zero: None,
            lossy: false,
        });
    }
    let source = SourceIndex(1);
    let thread = |at: usize| thread_of(PID, 100 + (at % threads) as u32);
    let (step, name) = (10_000, StringIndex::default());
    for row in 0..kernels {
        // Work is recorded in another order than that of the calls.
        let correlation = ((row * 7_919) % kernels) as i64;
        let place = correlation as usize / threads * step;
        recording.devices.calls.push(ApiCall {
            source,
            name,
            thread: thread(correlation as usize),
            correlation,
            start: at(place + 3_000),
            end: at(place + 6_000),
        });
        recording.devices.kernels.push(Kernel {
            source,
            recorder: Recorder::Nsys,
            kind: KernelKind::Kernel,
            name,
            rank: None,
            processor: None,
            device: Some(0),
            stream: Some(7),
            context: Some(1),
            graph: None,
            graph_node: None,
            correlation: Some(row as i64),
            start: at(row / threads * step + 20_000),
            end: at(row / threads * step + 29_000),
            traffic: Traffic::default(),
            recorded: None,
            external: None,
            process: Some(thread_of(PID, 0)),
            detail: None,
            route: None,
        });
    }
    let per_stack = kernels * depth / ranges;
    for row in 0..ranges {
        let (stack, level) = (row / depth, row % depth);
        let first = stack / threads * per_stack * step + level * 10;
        recording.work.ranges.push(RangeRow {
            source,
            row: row as i64,
            start: at(first),
            end: at(first + per_stack * step - 20 * level - 1),
            kind: RangeKind::PushPop,
            open: false,
            thread: thread(stack),
            end_thread: None,
            text: name,
            domain: name,
            color: None,
            weft: true,
            launch: Some(uid(row)),
        });
        recording.work.launches.push(Launch {
            source: SourceIndex(0),
            run: RunIndex(0),
            uid: uid(row),
            processor: ProcessorId(0),
            start: at(first),
            end: at(first + 1),
            shares: Box::default(),
            split: ShareOrigin::Measured,
        });
    }
    recording
}

fn main() {
    println!(
        "{:>9} {:>8} {:>7} {:>5} {:>9} {:>9} {:>9} {:>8}",
        "kernels", "ranges", "threads", "depth", "lookup ms", "join ms", "pass ms", "linked"
    );
    for (kernels, ranges, threads, depth) in [
        (1_000_000, 200_000, 8, 4),
        (1_000_000, 200_000, 1, 20),
        (1_000_000, 200_000, 1, 2),
    ] {
        let recording = recording(kernels, ranges, threads, depth);
        let began = Instant::now();
        let starts = recording
            .devices
            .kernels
            .iter()
            .map(|kernel| kernel.start.nanos());
        let starts = starts.chain(
            recording
                .devices
                .calls
                .iter()
                .map(|call| call.start.nanos()),
        );
        let starts = starts.chain(
            recording
                .work
                .ranges
                .iter()
                .map(|range| range.start.nanos()),
        );
        black_box(starts.fold(0_i64, |sum, start| sum ^ start));
        let pass = began.elapsed();
        let began = Instant::now();
        let lookup = Lookup::new(&recording);
        let looked = began.elapsed();
        let began = Instant::now();
        let recording = join(recording, &lookup);
        let took = began.elapsed();
        println!(
            "{kernels:>9} {ranges:>8} {threads:>7} {depth:>5} {:>9.1} {:>9.1} {:>9.1} {:>8}",
            looked.as_secs_f64() * 1e3,
            took.as_secs_f64() * 1e3,
            pass.as_secs_f64() * 1e3,
            recording.linked()
        );
    }
}
