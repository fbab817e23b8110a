//! The cost of a user's task, compared with operations of the library that do the same.
//!
//! `cargo bench -p weft-array --bench tasks` prints a table of medians over rounds, with both sides
//! of a ratio from the same run. The argument `calls` selects the first row.

#![allow(clippy::print_stdout, reason = "its purpose is to print a table")]

use std::time::Instant;

use ndarray::{Zip, s};
use weft::task::{In, InOut, Out};
use weft::{Array, Plan, Runtime};

const ROUNDS: usize = 15;
const CALLS: usize = 20_000;
const ELEMENTS: usize = 10_000_000;
const SIDE: usize = 2000;

#[weft::task]
fn add_to(x: In<f64, 1>, mut y: InOut<f64, 1>) {
    Zip::from(&mut *y).and(&*x).for_each(|y, x| *y += x);
}

#[weft::task(align(x, y))]
fn saxpy(a: f64, x: In<f64, 1>, mut y: InOut<f64, 1>) {
    Zip::from(&mut *y).and(&*x).for_each(|y, x| *y += a * x);
}

#[weft::task(align(new), halo(old, 1))]
fn average(old: In<f64, 2>, mut new: Out<f64, 2>) {
    let [rows, columns] = old.shape().try_into().unwrap_or([0; 2]);
    let (own, part) = (new.ranges(), old.ranges());
    // Elements at the border have no neighbours to read, and keep their values.
    let inner = |axis: usize, extent: usize| {
        let first = usize::from(own[axis].start == part[axis].start);
        let last = usize::from(own[axis].end == part[axis].end);
        (
            own[axis].start - part[axis].start + first,
            extent - last.max(1).min(extent),
        )
    };
    let ((top, bottom), (left, right)) = (inner(0, rows), inner(1, columns));
    let shift = own[0].start - part[0].start;
    for row in 0..own[0].len() {
        let at = row + shift;
        let mut out = new.row_mut(row);
        if at < top || at >= bottom {
            out.assign(&old.row(at));
            continue;
        }
        let (here, above, below) = (old.row(at), old.row(at - 1), old.row(at + 1));
        out[0] = here[0];
        out[columns - 1] = here[columns - 1];
        let inner = s![left..right];
        Zip::from(out.slice_mut(inner))
            .and(here.slice(inner))
            .and(here.slice(s![left - 1..right - 1]))
            .and(here.slice(s![left + 1..right + 1]))
            .and(above.slice(inner))
            .and(below.slice(inner))
            .for_each(|out, here, left, right, above, below| {
                *out = 0.2 * (here + above + right + left + below);
            });
    }
}

#[weft::elementwise]
fn axpy(a: f64, x: f64, y: f64) -> f64 {
    a * x + y
}

fn runtime(words: &str) -> Runtime {
    let plan = Plan::from_text(words);
    Runtime::new(plan.unwrap_or_else(|error| stop(&error))).unwrap_or_else(|error| stop(&error))
}

fn stop(error: &dyn std::fmt::Display) -> ! {
    eprintln!("tasks: {error}");
    std::process::exit(1)
}

/// Returns the seconds of each call, until all have ended.
fn timed(runtime: &Runtime, calls: usize, mut call: impl FnMut()) -> f64 {
    settle(runtime);
    let start = Instant::now();
    for _ in 0..calls {
        call();
    }
    settle(runtime);
    start.elapsed().as_secs_f64() / calls as f64
}

fn settle(runtime: &Runtime) {
    runtime.wait().unwrap_or_else(|error| stop(&error));
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Prints the cost of the library and of the user's task, in units of `unit` seconds.
fn compare(
    what: &str,
    unit: (&str, f64),
    runtime: &Runtime,
    calls: usize,
    library: &mut dyn FnMut(),
    own: &mut dyn FnMut(),
) {
    let (mut libraries, mut owns) = (Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        // Large results alternate between two places in memory, of which one may be slower. Each
        // side uses both.
        let first = timed(runtime, calls, &mut *library);
        let b = timed(runtime, calls, &mut *own) + timed(runtime, calls, &mut *own);
        let a = first + timed(runtime, calls, &mut *library);
        if round > 0 {
            libraries.push(a / 2.0 / unit.1);
            owns.push(b / 2.0 / unit.1);
        }
    }
    let (library, own) = (median(&mut libraries), median(&mut owns));
    println!(
        "{what:<34} {library:>9.3} {own:>9.3} {:<3} {:>6.3}",
        unit.0,
        own / library
    );
}

fn check(result: Result<(), weft::Error>) {
    result.unwrap_or_else(|error| stop(&error));
}

fn small(what: &str, runtime: &Runtime) {
    runtime.enter(|| {
        let pair = || (weft::ones::<f64>(&[100]), weft::zeros::<f64>(&[100]));
        let ((x, mut y), (own_x, own_y)) = (pair(), pair());
        let mut library = || y += &x;
        let mut own = || check(add_to(&own_x, &own_y));
        compare(what, ("ns", 1e-9), runtime, CALLS, &mut library, &mut own);
    });
}

fn large(runtime: &Runtime) {
    runtime.enter(|| {
        let x = weft::full(&[ELEMENTS], 0.5);
        let y = weft::zeros::<f64>(&[ELEMENTS]);
        let mut library = || y.assign(&y + 2.0 * &x);
        let mut own = || check(saxpy(2.0, &x, &y));
        compare(
            "saxpy of 10,000,000",
            ("ms", 1e-3),
            runtime,
            1,
            &mut library,
            &mut own,
        );

        for (elements, unit) in [(200_000, ("us", 1e-6)), (ELEMENTS, ("ms", 1e-3))] {
            let [x, y] = [&x, &y].map(|array| array.slice(s![..elements]));
            let what = format!("elementwise of {elements}, and exp");
            let mut library = || drop((2.0 * &x + &y).exp());
            let mut own = || drop(axpy(2.0, &x, &y).exp());
            compare(&what, unit, runtime, 1, &mut library, &mut own);
        }
    });
    runtime.enter(|| {
        let grids = [0, 1].map(|_| weft::ones::<f64>(&[SIDE + 2, SIDE + 2]));
        let center = grids[0].slice(s![1..-1, 1..-1]);
        let around = [
            s![..-2, 1..-1],
            s![1..-1, 2..],
            s![1..-1, ..-2],
            s![2.., 1..-1],
        ]
        .map(|part| grids[0].slice(part));
        let mut library = || {
            for _ in 0..10 {
                let average = &center + &around[0] + &around[1] + &around[2] + &around[3];
                center.assign(0.2 * average);
            }
        };
        let mut own = || {
            for step in 0..10 {
                let [old, new] = [step % 2, (step + 1) % 2].map(|at: usize| &grids[at]);
                check(average(old, new));
            }
        };
        compare(
            "stencil n=2000, 10 steps",
            ("ms", 1e-3),
            runtime,
            1,
            &mut library,
            &mut own,
        );
        let _: &Array<f64> = &grids[1];
    });
}

fn main() {
    println!(
        "{:<34} {:>9} {:>9} {:<3} {:>6}",
        "", "library", "own", "", "ratio"
    );
    let quiet = runtime("");
    small("add to 100 elements", &quiet);
    if std::env::args().any(|argument| argument == "calls") {
        return;
    }
    large(&quiet);
    drop(quiet);
    let queued = runtime("--max-inline-chunk 0 --fusion=false");
    small("  on workers, without fusion", &queued);
    drop(queued);
    let folder = std::env::temp_dir().join(format!("weft-tasks-{}", std::process::id()));
    if let Err(error) = std::fs::create_dir_all(&folder) {
        stop(&error);
    }
    let profiled = runtime(&format!("--profile --logdir {}", folder.display()));
    small("  with a profile", &profiled);
    drop(profiled);
    if let Err(error) = std::fs::remove_dir_all(&folder) {
        eprintln!("tasks: {}: {error}", folder.display());
    }
}
