//! Loops are recognised, forgotten accesses are counted, and waits of a program that runs ahead are
//! recorded.

use std::sync::Barrier;

use ndarray::s;
use weft_core::testing;
use weft_trace::file::Prof;
use weft_trace::record::{Record, RuntimeCallKind, loss};

use super::plan;
use crate::runtime::Runtime;

/// Averages neighbours, round by round. `edge` is the width of the unchanged edge of the grid in a
/// round.
fn rounds(edge: impl Fn(usize) -> isize) -> (u64, f64) {
    let words = "--cpus 2 --max-inline-chunk 0 --fusion-wait 2000";
    let runtime = Runtime::new(plan(words)).unwrap();
    let sum = runtime.enter(|| {
        let grid = crate::ones::<f64>(&[900, 20]);
        for round in 0..400 {
            let edge = edge(round);
            let part = |shift: isize| grid.slice(s![edge + shift..shift - edge - 2 + 900, ..]);
            let sum = &part(0) + &part(2);
            part(1).assign(sum * 0.5);
        }
        grid.sum().item()
    });
    runtime.wait().unwrap();
    let replayed = testing::replayed(&runtime);
    runtime.finish().unwrap();
    (replayed, sum)
}

#[test]
fn recognizes_loop_iterations() {
    let (replayed, sum) = rounds(|_| 3);
    assert!(replayed > 0);
    assert_eq!(sum, 18_000.0);
    // No two rounds have the same shape.
    let (replayed, sum) = rounds(|round| round as isize);
    assert_eq!(replayed, 0);
    assert_eq!(sum, 18_000.0);
}

#[test]
fn profile_counts_forgotten_slice_accesses() {
    const SLICES: usize = 10_000;
    let (forgotten, named) = accesses(|| {
        let x = crate::zeros::<f64>(&[SLICES]);
        for at in 0..SLICES {
            x.slice(s![at..at + 1]).fill(1.0);
        }
        assert_eq!(x.sum().item(), SLICES as f64);
    });
    // Each slice is a dependence of the sum, or counted as forgotten; it also depends on the zeros.
    assert!(forgotten > 0, "all {SLICES} are remembered");
    assert!(
        named + forgotten >= 2 * SLICES as u64,
        "{named} are named, {forgotten} forgotten"
    );
}

#[test]
fn keeps_only_the_last_of_chained_reads() {
    const ROUNDS: usize = 10_000;
    let (forgotten, named) = accesses(|| {
        let (x, y) = (crate::ones::<f64>(&[10]), crate::zeros::<f64>(&[10]));
        for _ in 0..ROUNDS {
            y.assign(&y + &x);
        }
        // The fill depends on the last read of `x` only, not on all of them.
        x.fill(0.0);
        assert_eq!(y.sum().item(), 10.0 * ROUNDS as f64);
    });
    assert_eq!(forgotten, 0);
    assert!(named < 5 * ROUNDS as u64, "{named} are named");
}

/// Returns the number of accesses that a run on one worker has forgotten, and the number of
/// dependences in its profile.
fn accesses(program: impl FnOnce()) -> (u64, u64) {
    let folder = tempfile::tempdir().unwrap();
    let logdir = folder.path().display();
    let words = format!("--cpus 1 --profile --logdir {logdir}");
    let runtime = Runtime::new(plan(&words)).unwrap();
    runtime.enter(program);
    runtime.finish().unwrap();
    let prof = Prof::open(&folder.path().join("weft_0.prof")).unwrap();
    let (mut forgotten, mut named) = (0, 0);
    for record in prof.records() {
        match record {
            Record::Loss(lost) if lost.name == loss::ACCESSES_FORGOTTEN.name => {
                forgotten += lost.value;
            }
            Record::Dependencies(edges) => named += edges.on.iter().count() as u64,
            _ => {}
        }
    }
    (forgotten, named)
}

#[test]
fn records_waits_of_program_ahead_of_workers() {
    let folder = tempfile::tempdir().unwrap();
    let logdir = folder.path().display();
    let words = format!("--cpus 1 --max-inline-chunk 0 --profile --logdir {logdir}");
    let runtime = Runtime::new(plan(&words)).unwrap();
    let held = Barrier::new(2);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // Nothing is analysed before the program waits.
            testing::hold_analysis_until_awaited(&runtime, || {
                held.wait();
            });
        });
        held.wait();
        let last = runtime.enter(|| {
            let grid = crate::ones::<f64>(&[40, 20]);
            for _ in 0..3000 {
                drop(grid.sum_axis(0));
            }
            grid.sum().item()
        });
        assert_eq!(last, 800.0);
    });
    runtime.finish().unwrap();
    let prof = Prof::open(&folder.path().join("weft_0.prof")).unwrap();
    let waits: Vec<_> = prof
        .records()
        .filter_map(|record| match record {
            Record::RuntimeCall(call) if call.kind == RuntimeCallKind::Limit => Some(call),
            _ => None,
        })
        .collect();
    // The program was ahead by the limit at least once.
    assert!(!waits.is_empty());
    for wait in waits {
        assert_eq!(wait.operation, None);
        assert!(wait.start < wait.end, "{wait:?}");
    }
}
