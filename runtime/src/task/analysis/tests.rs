//! That loops are recognised.

use ndarray::s;

use crate::memory::tests::plan;
use crate::runtime::Runtime;

/// Averages of neighbours, round by round; `edge` is how much of the grid stays as it is in a round.
fn rounds(edge: impl Fn(usize) -> isize) -> (u64, f64) {
    let runtime = Runtime::new(plan("--cpus 2 --max-inline-chunk 0")).unwrap();
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
    runtime.wait();
    let replayed = runtime.core().analysis().replayed();
    runtime.finish().unwrap();
    (replayed, sum)
}

#[test]
fn rounds_of_a_loop_are_recognised() {
    let (replayed, sum) = rounds(|_| 3);
    assert!(replayed > 0);
    assert_eq!(sum, 18_000.0);
    // No two rounds have the same shape.
    let (replayed, sum) = rounds(|round| round as isize);
    assert_eq!(replayed, 0);
    assert_eq!(sum, 18_000.0);
}
