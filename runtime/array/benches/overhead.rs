//! The overhead of a task without its kernel: adds of 100 elements, end to end, alternately with
//! and without a profile. Also the cost of the profile in the stencil.
//!
//! `cargo bench -p weft-array --bench overhead` prints a table of medians over rounds, with both
//! sides of a ratio from the same run. The argument `adds` selects the first row, and `reads` the
//! first two.

#![allow(clippy::print_stdout, reason = "its purpose is to print a table")]

use std::time::Instant;

use ndarray::s;
use weft::{Plan, Runtime};

const ADDS: usize = 20_000;
const ROUNDS: usize = 15;

fn runtime(words: &[&str]) -> Runtime {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let plan = Plan::from_words(&words, &weft_config::Machine::probe());
    Runtime::new(plan.unwrap_or_else(|error| stop(&error))).unwrap_or_else(|error| stop(&error))
}

fn stop(error: &dyn std::fmt::Display) -> ! {
    eprintln!("overhead: {error}");
    std::process::exit(1)
}

/// Waits for all operations.
fn settle(runtime: &Runtime) {
    runtime.wait().unwrap_or_else(|error| stop(&error));
}

/// Returns the nanoseconds for each of a chain of small adds.
fn adds(runtime: &Runtime) -> f64 {
    runtime.enter(|| {
        let one = weft::ones::<f64>(&[100]);
        let mut sum = weft::zeros::<f64>(&[100]);
        settle(runtime);
        let start = Instant::now();
        for _ in 0..ADDS {
            sum = &sum + &one;
        }
        let first = sum.slice(s![0]).item();
        let nanos = start.elapsed().as_nanos() as f64;
        assert_eq!(first, ADDS as f64);
        nanos / ADDS as f64
    })
}

/// Returns the nanoseconds for each of many sums that read one array and do not depend on each
/// other.
fn reads(runtime: &Runtime) -> f64 {
    runtime.enter(|| {
        let one = weft::ones::<f64>(&[100]);
        settle(runtime);
        let start = Instant::now();
        for _ in 0..ADDS {
            drop(&one + 1.0);
        }
        settle(runtime);
        start.elapsed().as_nanos() as f64 / ADDS as f64
    })
}

/// Returns the milliseconds of ten iterations of the stencil on 2000 by 2000 points.
fn stencil(runtime: &Runtime) -> f64 {
    runtime.enter(|| {
        let grid = weft::ones::<f64>(&[2002, 2002]);
        let center = grid.slice(s![1..-1, 1..-1]);
        let around = [
            grid.slice(s![..-2, 1..-1]),
            grid.slice(s![1..-1, 2..]),
            grid.slice(s![1..-1, ..-2]),
            grid.slice(s![2.., 1..-1]),
        ];
        settle(runtime);
        let start = Instant::now();
        for _ in 0..10 {
            let average = &center + &around[0] + &around[1] + &around[2] + &around[3];
            center.assign(0.2 * average);
        }
        settle(runtime);
        start.elapsed().as_secs_f64() * 1e3
    })
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn compare(what: &str, unit: &str, off: &Runtime, on: &Runtime, measure: fn(&Runtime) -> f64) {
    let (mut offs, mut ons, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        let (a, b) = (measure(off), measure(on));
        // The first round warms up.
        if round > 0 {
            offs.push(a);
            ons.push(b);
            ratios.push(b / a);
        }
    }
    let (off, on) = (median(&mut offs), median(&mut ons));
    println!(
        "{what:<26} {off:>9.2} {on:>9.2} {unit:<3} {:>6.3}   {:>9.2} {:>9.2} {:>6.3}",
        median(&mut ratios),
        offs[0],
        ons[0],
        ons[0] / offs[0],
    );
}

fn main() {
    let folder = std::env::temp_dir().join(format!("weft-overhead-{}", std::process::id()));
    if let Err(error) = std::fs::create_dir_all(folder.join("own")) {
        stop(&error);
    }
    let root = folder.clone();
    let off = runtime(&[]);
    let logdir = folder.to_string_lossy().into_owned();
    let on = runtime(&["--profile", "--logdir", &logdir]);
    println!(
        "{:<26} {:>9} {:>9} {:<3} {:>6}   {:>9} {:>9} {:>6}",
        "", "off", "on", "", "ratio", "least off", "least on", "ratio"
    );
    compare("add of 100 elements", "ns", &off, &on, adds);
    if std::env::args().any(|argument| argument == "adds") {
        return remove(&root);
    }
    compare("reads of one array", "ns", &off, &on, reads);
    if std::env::args().any(|argument| argument == "reads") {
        return remove(&root);
    }
    compare("stencil n=2000, 10 steps", "ms", &off, &on, stencil);
    let folder = folder.join("own");
    let own = folder.to_string_lossy().into_owned();
    let alone_off = runtime(&["--utility", "0"]);
    let alone_on = runtime(&["--utility", "0", "--profile", "--logdir", &own]);
    compare("  --utility 0", "ns", &alone_off, &alone_on, adds);
    drop((alone_off, alone_on));
    let summary = on.finish();
    println!("{summary:?}");
    drop(off);
    remove(&root);
}

fn remove(folder: &std::path::Path) {
    if let Err(error) = std::fs::remove_dir_all(folder) {
        eprintln!("overhead: {}: {error}", folder.display());
    }
}
