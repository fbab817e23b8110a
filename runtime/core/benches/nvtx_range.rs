//! Measures the cost of one NVTX range: without a tool (at most 10 ns), with a tool that takes no
//! ranges, and with the recorder.
//!
//! A process has one tool or none for all its life, so each round runs one process of each kind in
//! turn. `cargo bench -p weft-core --bench nvtx_range`

#![allow(clippy::print_stdout, reason = "the table is the result")]

use std::collections::BTreeMap;
use std::error::Error;
use std::hint::black_box;
use std::process::Command;
use std::time::Instant;
use std::{env, io};

#[path = "../src/observe"]
mod observe {
    pub(crate) mod nvtx;
}

use observe::nvtx::{self, Color, Domain, RegisteredString};

const ROUNDS: usize = 9;
const KIND: &str = "WEFT_BENCH_NVTX_TOOL";

/// Returns the time of one call in nanoseconds.
fn time(calls: u64, mut call: impl FnMut(u64)) -> f64 {
    let start = Instant::now();
    for index in 0..calls {
        call(black_box(index));
    }
    start.elapsed().as_nanos() as f64 / calls as f64
}

/// Runs one process of the benchmark, which prints a line for each case.
fn measure(kind: &str) {
    let calls = if kind == "recorder" {
        20_000
    } else {
        5_000_000
    };
    let range: Option<(Domain, RegisteredString)> = nvtx::tool().map(|tool| {
        let domain = Domain::create(tool, "weft");
        let text = domain.register("ADD stencil.rs:12");
        (domain, text)
    });
    let range = black_box(range);
    let color = Color(0xff4e_79a7);
    // The first pass warms up.
    for _ in 0..2 {
        println!(
            "an empty loop\t{}",
            time(calls, |index| _ = black_box(index))
        );
        println!(
            "a range\t{}",
            time(calls, |uid| {
                let guard = black_box(&range)
                    .as_ref()
                    .map(|(domain, text)| domain.push(text, 1, color, uid));
                drop(black_box(guard));
            })
        );
        println!(
            "asking for the tool\t{}",
            time(calls, |_| _ = black_box(nvtx::tool().is_some()))
        );
    }
}

fn run(kind: &str) -> Result<BTreeMap<String, f64>, Box<dyn Error>> {
    let mut command = Command::new(env::current_exe()?);
    command.env(KIND, kind).env_remove("NVTX_INJECTION64_PATH");
    if kind != "no tool" {
        let library = nvtx_recorder::library().ok_or("the recorder's library is not built")?;
        command
            .env("NVTX_INJECTION64_PATH", library)
            .env("NVTX_RECORDER_OUT", "/dev/null");
    }
    if kind == "a tool without ranges" {
        command.env(
            "NVTX_RECORDER_LEAVE_OUT",
            "nvtxDomainRangePushEx,nvtxDomainRangePop",
        );
    }
    let output = command.output()?;
    if !output.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()).into());
    }
    let mut times = BTreeMap::new();
    for line in String::from_utf8(output.stdout)?.lines() {
        let (case, time) = line.split_once('\t').ok_or("a line without a time")?;
        times.insert(case.to_owned(), time.parse()?);
    }
    Ok(times)
}

fn main() -> Result<(), Box<dyn Error>> {
    if let Ok(kind) = env::var(KIND) {
        measure(&kind);
        return Ok(());
    }
    let mut all: BTreeMap<(&str, String), Vec<f64>> = BTreeMap::new();
    // `cargo test --benches` only checks that the benchmark runs.
    let rounds = if env::args().any(|argument| argument == "--bench") {
        ROUNDS
    } else {
        1
    };
    for _ in 0..rounds {
        for kind in ["no tool", "a tool without ranges", "recorder"] {
            for (case, time) in run(kind)? {
                all.entry((kind, case)).or_default().push(time);
            }
        }
    }
    println!(
        "{:<24}{:<22}{:>12}{:>12}   ns each, {rounds} rounds",
        "tool", "case", "median", "least"
    );
    for ((kind, case), mut times) in all {
        times.sort_by(f64::total_cmp);
        println!(
            "{kind:<24}{case:<22}{:>12.2}{:>12.2}",
            times[times.len() / 2],
            times[0]
        );
    }
    Ok(())
}
