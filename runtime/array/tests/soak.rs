//! Long runs with constant memory use: tiny tasks, a stencil, and programs with many kinds of
//! operations.
//!
//! `WEFT_TEST_SOAK=10000000 cargo test --release -p weft-array --test soak` runs this number of
//! tasks of each kind. The default is that of CI. The tests run one after the other, since they
//! measure the memory of the whole process.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test: a mistake here must stop it, and its figures are wanted"
)]

#[path = "support/runtimes.rs"]
mod support;

use std::sync::{Mutex, PoisonError};

use ndarray::s;
use weft::{Array, Runtime};

/// The most bytes by which a process may grow in the second half of a run: some pages of the
/// allocator and of stacks. If a task leaked one block of 64 bytes, even the short form would leak
/// four times as much.
const SLACK: u64 = 2 << 20;

/// Returns the number of tasks of each kind.
fn tasks() -> u64 {
    let asked = std::env::var("WEFT_TEST_SOAK");
    let asked = asked.ok().and_then(|text| text.parse().ok());
    asked.unwrap_or(128 * 1024)
}

/// Returns the private memory of this process in bytes; `None` if the system does not report it.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
}

/// Returns the bytes that arrays hold, after workers have released the last ones.
fn live(runtime: &Runtime) -> u64 {
    let live = || runtime.pool_status().iter().map(|pool| pool.live).sum();
    (0..1000).fold(live(), |least: u64, _| {
        std::thread::yield_now();
        least.min(live())
    })
}

/// Repeats `round`, of `each` tasks, and compares the memory after the first half with that at the
/// end.
fn soak(words: &str, each: u64, program: impl FnOnce(&mut dyn FnMut(&mut dyn FnMut()))) {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let runtime = support::runtime(words);
    runtime.enter(|| {
        program(&mut |round| {
            let mut half = || {
                for _ in 0..tasks().div_ceil(2 * each) {
                    round();
                }
                runtime.wait().unwrap();
                [resident(), Some(live(&runtime))]
            };
            let (middle, end) = (half(), half());
            println!("{words}: resident and live bytes {middle:?}, then {end:?}");
            if let [Some(before), Some(after)] = [middle[0], end[0]] {
                assert!(
                    after <= before + SLACK,
                    "{words}: {before} bytes became {after}"
                );
            }
            assert_eq!(middle[1], end[1], "{words}: live bytes of the pool");
        });
    });
    runtime.wait().unwrap();
    assert_eq!(
        live(&runtime),
        0,
        "{words}: bytes of the pool that are unused"
    );
    runtime.finish().unwrap();
}

const MODES: [&str; 4] = [
    "",
    "--cpus 2 --max-inline-chunk 0",
    "--cpus 2 --max-inline-chunk 0 --fusion=false",
    "--cpus 2 --max-inline-chunk 0 --utility 0",
];

#[test]
fn tiny_tasks_leak_nothing() {
    for words in MODES {
        soak(words, 1, |run| {
            let one = weft::ones::<f64>(&[100]);
            let mut sum = weft::zeros::<f64>(&[100]);
            run(&mut || sum = &sum + &one);
            assert_eq!(sum.slice(s![..1]).item() as u64, 2 * tasks().div_ceil(2));
        });
    }
}

#[test]
fn stencil_iterations_leak_nothing() {
    for words in MODES {
        soak(words, 6, |run| {
            let grid = weft::ones::<f64>(&[66, 66]);
            let view = |down: usize, right: usize| -> Array<f64> {
                grid.slice(s![down..down + 64, right..right + 64])
            };
            let (center, north, west) = (view(1, 1), view(0, 1), view(1, 0));
            let (east, south) = (view(1, 2), view(2, 1));
            run(&mut || {
                let average = &center + &north + &east + &west + &south;
                center.assign(0.2 * average);
            });
        });
    }
}

/// Reductions, reads, masks, products, broadcasts and views, of short-lived arrays.
#[test]
fn mixed_programs_leak_nothing() {
    for words in MODES {
        soak(words, 16, |run| {
            let random = weft::random::seeded(1);
            let a = random.uniform::<f64>(&[40, 30]);
            let weights = random.uniform::<f64>(&[30]);
            let mut rounds = 0_u32;
            run(&mut || {
                let rows = a.dot(&weights);
                let scaled = &a * &weights - a.mean();
                let above = scaled.greater(0.0);
                scaled.putmask(&above, scaled.sqrt());
                let column = scaled.slice(s![.., 3]) + &rows;
                a.slice(s![1.., ..])
                    .assign(&a.slice(s![..-1, ..]) * 0.5 + 0.25);
                let kept = weft::select(&above, &scaled, 1.0).cast::<f32>();
                let total = kept.sum();
                rounds += 1;
                if rounds.is_multiple_of(64) {
                    assert!(total.item().is_finite());
                    assert!(column.sum().item().is_finite());
                }
            });
        });
    }
}
