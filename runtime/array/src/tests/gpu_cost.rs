//! The runtime's own cost of a task on a GPU, with a driver whose calls return at once.

use std::time::Instant;

use ndarray::s;
use weft_core::testing;

use super::plan;
use crate::Runtime;

/// Prints the nanoseconds of each body of a loop, the least of five rounds.
fn measure(words: &str, bodies: &[(&str, &dyn Fn())], runtime: &Runtime) {
    const TASKS: usize = 50_000;
    for (name, body) in bodies {
        let rounds = (0..5).map(|_| {
            let start = Instant::now();
            (0..TASKS).for_each(|_| body());
            runtime.wait().unwrap();
            start.elapsed().as_nanos() as usize / TASKS
        });
        println!("{words} {name}: {} ns", rounds.min().unwrap_or(0));
    }
}

/// Measures a program on a runtime with these words.
fn measure_with(words: &str, program: impl FnOnce(&Runtime)) {
    let plan = plan(&format!("--gpus 0 {words}"));
    let runtime = testing::on_idle_gpu(plan).unwrap();
    runtime.enter(|| program(&runtime));
    runtime.finish().unwrap();
}

/// Measures kinds of operations.
fn measure_kinds(words: &str) {
    measure_with(words, |runtime| {
        let x = crate::ones::<f64>(&[100]);
        let y = crate::ones::<f64>(&[100]);
        let m = crate::ones::<f64>(&[10, 10]);
        let joined = || drop(&x + 1.0);
        let along = || drop(m.sum_axis(0));
        // Its own array: earlier reads of one would be measured too.
        let copies = || y.slice(s![1..]).assign(y.slice(s![..-1]));
        // The reads of the first loop cover an element that these copies never write.
        let after_reads = || x.slice(s![1..]).assign(x.slice(s![..-1]));
        let bodies: [(&str, &dyn Fn()); 4] = [
            ("elementwise, joined", &joined),
            ("along an axis", &along),
            ("a chain of copies", &copies),
            ("a chain of copies after reads", &after_reads),
        ];
        measure(words, &bodies, runtime);
    });
}

/// Measures small reductions.
fn measure_small(words: &str) {
    measure_with(words, |runtime| {
        let x = crate::ones::<f64>(&[100]);
        let y = crate::ones::<f64>(&[100]);
        let dot = || drop(x.dot(&y));
        let sum = || drop(x.sum());
        let four = || drop((((&x * 0.5) + 1.0) * 0.25).sum());
        let bodies: [(&str, &dyn Fn()); 3] = [
            ("dot of 100", &dot),
            ("sum of 100", &sum),
            ("a body of four", &four),
        ];
        measure(words, &bodies, runtime);
    });
}

#[test]
#[ignore = "measures; run it alone, in release"]
fn measures_cost_of_small_gpu_tasks() {
    for words in ["", "--cuda-graphs"] {
        measure_small(words);
    }
}

#[test]
#[ignore = "measures; run it alone, in release"]
fn measures_cost_of_gpu_tasks() {
    let folder = std::env::temp_dir();
    for words in [
        String::new(),
        "--cuda-graphs".to_owned(),
        format!(
            "--profile --profile-name weft-cost --logdir {}",
            folder.display()
        ),
    ] {
        measure_kinds(&words);
    }
    drop(std::fs::remove_file(folder.join("weft-cost_0.prof")));
}
