//! Scopes that select the GPUs of tasks.

use super::{can_run, heat, on, on_cpus};
use crate::scope;

#[test]
fn tasks_run_on_the_gpus_of_their_scope() {
    if !can_run() {
        return;
    }
    let expected = on_cpus(|| heat(40, 4));
    for (scope, used) in [
        (scope().gpus(1..3), [false, true, true, false]),
        (scope().gpus(2..9), [false, false, true, true]),
        // None of these GPUs exists.
        (scope().gpus(7..9), [true; 4]),
        (scope().priority(1), [true; 4]),
        (scope().cpus(), [false; 4]),
    ] {
        for seed in 0..5 {
            let (runtime, fake) = on(4, seed, "");
            let scope = scope.clone();
            let got = runtime.enter(|| {
                let _scope = scope.enter();
                heat(40, 4)
            });
            assert_eq!(got, expected, "{used:?}, seed {seed}");
            runtime.finish().unwrap();
            assert_eq!(
                [0, 1, 2, 3].map(|gpu| fake.issued_on(gpu) > 0),
                used,
                "seed {seed}"
            );
        }
    }
}

#[test]
fn scopes_on_different_processors_share_arrays() {
    if !can_run() {
        return;
    }
    let program = || {
        let mut x = crate::full(&[600], 1.0);
        for round in 0..6 {
            let scope = scope();
            let _scope = match round % 3 {
                0 => scope.gpus(0..1),
                1 => scope.gpus(1..3),
                _ => scope.cpus(),
            }
            .enter();
            x = (&x * 1.5 + 0.25).sqrt();
        }
        x.to_vec().unwrap()
    };
    let expected = on_cpus(program);
    for seed in 0..10 {
        let (runtime, _fake) = on(3, seed, "");
        assert_eq!(runtime.enter(program), expected, "seed {seed}");
        runtime.finish().unwrap();
    }
}

/// A kernel has a limited number of steps, so a group can end between two tiles of an operation.
#[test]
fn group_ending_between_tiles_writes_later_inputs() {
    if !can_run() {
        return;
    }
    let program = |steps: usize| {
        let mut x = crate::arange(600).cast::<f64>();
        for _ in 0..steps {
            x = x.sqrt();
        }
        x
    };
    for steps in 12..18 {
        let expected = on_cpus(|| program(steps).to_vec().unwrap());
        let (runtime, fake) = on(3, 0, "");
        let got = runtime.enter(|| {
            let _scope = scope().gpus(0..1).enter();
            // Nothing is issued until all tasks are known.
            let held = fake.hold();
            let x = program(steps);
            drop(held);
            x.to_vec().unwrap()
        });
        assert_eq!(got, expected, "{steps} steps");
        runtime.finish().unwrap();
    }
}
