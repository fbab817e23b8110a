//! The runtime's own cost of a task on a GPU, with a driver whose calls return at once.

use std::time::Instant;

use ndarray::s;
use weft_core::testing;

use super::plan;

/// Prints the nanoseconds of a task for each kind of operation, the least of five rounds.
fn measure(words: &str) {
    const TASKS: usize = 50_000;
    let plan = plan(&format!("--gpus 0 {words}"));
    let runtime = testing::on_idle_gpu(plan).unwrap();
    runtime.enter(|| {
        let x = crate::ones::<f64>(&[100]);
        let m = crate::ones::<f64>(&[10, 10]);
        let least = |name: &str, body: &dyn Fn()| {
            let rounds = (0..5).map(|_| {
                let start = Instant::now();
                (0..TASKS).for_each(|_| body());
                runtime.wait().unwrap();
                start.elapsed().as_nanos() as usize / TASKS
            });
            println!("{words} {name}: {} ns", rounds.min().unwrap_or(0));
        };
        least("elementwise, joined", &|| drop(&x + 1.0));
        least("along an axis", &|| drop(m.sum_axis(0)));
        least("a chain of copies", &|| {
            x.slice(s![1..]).assign(x.slice(s![..-1]));
        });
    });
    runtime.finish().unwrap();
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
        measure(&words);
    }
    drop(std::fs::remove_file(folder.join("weft-cost_0.prof")));
}
