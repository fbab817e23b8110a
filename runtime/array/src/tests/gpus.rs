//! Programs on the recording driver. Their results are those of CPUs in any order of streams, and
//! they use no more events than necessary.

use std::sync::Arc;

use ndarray::s;
use weft_config::Bytes;
use weft_core::testing::{self, Fake, SchedulerCall};

mod bodies;
mod groups;
mod host;
mod memory;
mod scopes;

use super::plan;
use crate::cuda::testing::run_kernel;
use crate::{Array, Error, Runtime};

/// Whether kernels can be run on this machine.
fn can_run() -> bool {
    let can = cuda_emulator::host::Module::can_compile();
    if !can {
        let required = std::env::var("WEFT_TEST_REQUIRE").unwrap_or_default();
        assert!(!required.split(',').any(|name| name.trim() == "c++"));
        println!("skipped: no C++ compiler to run kernels with");
    }
    can
}

/// Returns GPUs that run work in a random order, by `seed`.
pub(super) fn fake(gpus: usize, seed: u64) -> Fake {
    Fake::new(gpus, 64 << 20, seed, run_kernel)
}

/// Returns a runtime on GPUs that run work in a random order, by `seed`.
fn on(gpus: usize, seed: u64, words: &str) -> (Runtime, Arc<Fake>) {
    with(fake(gpus, seed), words)
}

/// Returns a runtime on these GPUs.
fn with(fake: Fake, words: &str) -> (Runtime, Arc<Fake>) {
    let fake = Arc::new(fake);
    let mut plan = plan(&format!("--gpus 0 --min-gpu-chunk 16 {words}"));
    if !words.contains("--zcmem 0") {
        // As in a plan with GPUs.
        plan.zcmem = Bytes::mib(16);
    }
    (testing::on_gpus(plan, fake.clone()).unwrap(), fake)
}

/// Returns the result of a program on CPUs.
fn on_cpus<R>(program: impl Fn() -> R) -> R {
    Runtime::new(plan("--gpus 0 --cpus 2"))
        .unwrap()
        .enter(program)
}

fn heat(n: usize, iterations: usize) -> Vec<f64> {
    heated(n, iterations).to_vec().unwrap()
}

fn heated(n: usize, iterations: usize) -> Array<f64> {
    let grid = crate::zeros::<f64>(&[n + 2, n + 2]);
    grid.slice(s![.., 0]).fill(-273.15);
    grid.slice(s![.., -1]).fill(-273.15);
    grid.slice(s![-1, ..]).fill(-273.15);
    grid.slice(s![0, ..]).fill(40.0);
    let center = grid.slice(s![1..-1, 1..-1]);
    let north = grid.slice(s![..-2, 1..-1]);
    let east = grid.slice(s![1..-1, 2..]);
    let west = grid.slice(s![1..-1, ..-2]);
    let south = grid.slice(s![2.., 1..-1]);
    for _ in 0..iterations {
        let average = &center + &north + &east + &west + &south;
        let average = 0.2 * average;
        center.assign(&average);
    }
    grid
}

/// Runs the iterations with the whole program ahead of the GPU.
fn heated_at_once(runtime: &Runtime, fake: &Fake, n: usize, iterations: usize) -> Vec<f64> {
    runtime.enter(|| {
        let held = fake.hold();
        let grid = heated(n, iterations);
        drop(held);
        grid.to_vec().unwrap()
    })
}

/// Runs operations on pieces that depend on each other across streams and, if there are several,
/// GPUs.
fn mixed() -> Vec<f64> {
    let a = crate::arange(600).cast::<f64>();
    let b = crate::full(&[600], 3.0);
    let c = &a * &b;
    let d = &a.slice(s![..;-1]) - &b;
    let e = crate::zeros::<f64>(&[600]);
    e.slice(s![..300]).assign(c.slice(s![300..]));
    e.slice(s![300..]).assign(d.slice(s![..300]));
    let f = &e + &c.slice(s![..;-1]) * &d;
    a.slice(s![10..20]).fill(7.0);
    let g = (&f + &a).reshape(&[20, 30]);
    let h = &g.t() + 1.0;
    h.to_vec().unwrap()
}

#[test]
fn results_match_cpus_for_any_stream_order() {
    if !can_run() {
        return;
    }
    let (expected_heat, expected_mixed) = (on_cpus(|| heat(30, 6)), on_cpus(mixed));
    for gpus in [1, 2, 3] {
        for seed in 0..6 {
            for words in ["", "--cuda-graphs"] {
                let (runtime, fake) = on(gpus, seed, words);
                assert_eq!(
                    runtime.enter(|| heat(30, 6)),
                    expected_heat,
                    "{gpus} GPUs, seed {seed} {words}"
                );
                assert_eq!(
                    runtime.enter(mixed),
                    expected_mixed,
                    "{gpus} GPUs, seed {seed} {words}"
                );
                runtime.finish().unwrap();
                drop(runtime);
                assert_eq!(
                    fake.allocated_bytes(),
                    0,
                    "{gpus} GPUs, seed {seed} {words}"
                );
            }
        }
    }
}

#[test]
fn chain_records_only_a_final_event() {
    if !can_run() {
        return;
    }
    let (runtime, fake) = on(1, 1, "");
    runtime.enter(|| {
        let mut x = crate::ones::<f64>(&[100]);
        for _ in 0..10 {
            x = x.sqrt() + 1.0;
        }
        x.to_vec().unwrap()
    });
    let asked = fake.calls();
    let waits = asked
        .iter()
        .filter(|asked| matches!(asked, SchedulerCall::Wait(..)));
    assert_eq!(waits.count(), 0, "{asked:?}");
    let streams = asked.iter().filter_map(|asked| match asked {
        SchedulerCall::Issue(stream, _) => Some(*stream),
        _ => None,
    });
    let streams: std::collections::BTreeSet<_> = streams.collect();
    assert_eq!(streams.len(), 1, "{asked:?}");
}

#[test]
fn fuses_elementwise_tasks_without_memory_for_temporaries() {
    if !can_run() {
        return;
    }
    let (runtime, fake) = on(1, 1, "--utility 0");
    let sum = runtime.enter(|| {
        let x = crate::ones::<f64>(&[1000]);
        runtime.wait().unwrap();
        let before = fake.allocated_bytes();
        let y: Array<f64> = ((&x + 1.0) * 2.0 - 0.5).sqrt();
        runtime.wait().unwrap();
        assert!(
            fake.allocated_bytes() - before <= 65_536,
            "{}",
            fake.allocated_bytes() - before
        );
        y.to_vec().unwrap().iter().sum::<f64>()
    });
    assert!((sum - 1000.0 * 3.5f64.sqrt()).abs() < 1e-9);
    let asked = fake.calls();
    let names = asked.iter().filter_map(|asked| match asked {
        SchedulerCall::Issue(_, name) => Some(name.as_str()),
        _ => None,
    });
    let fused: Vec<&str> = names.filter(|name| name.contains("sqrt")).collect();
    assert_eq!(fused.len(), 1, "{asked:?}");
}

#[test]
fn replays_loops_as_graphs() {
    if !can_run() {
        return;
    }
    let (runtime, fake) = on(1, 1, "--cuda-graphs");
    let expected = on_cpus(|| heat(30, 60));
    assert_eq!(heated_at_once(&runtime, &fake, 30, 60), expected);
    let replays = fake
        .calls()
        .into_iter()
        .filter(|asked| matches!(asked, SchedulerCall::Replay(..)));
    assert!(replays.count() > 0);
}

#[test]
fn double_buffers_data_read_during_overwrite() {
    if !can_run() {
        return;
    }
    let (runtime, fake) = on(1, 3, "");
    let expected = on_cpus(|| heat(30, 40));
    assert_eq!(heated_at_once(&runtime, &fake, 30, 40), expected);
    let asked = fake.calls();
    let kernels = asked
        .iter()
        .filter(|asked| matches!(asked, SchedulerCall::Issue(..)));
    // One kernel for each iteration. The first ones wait for nothing, and the rest of the grid is
    // copied once.
    assert!(kernels.count() < 40 + 20, "{asked:?}");
}

#[test]
fn out_of_memory_error_names_line_and_holders() {
    if !can_run() {
        return;
    }
    let (runtime, _fake) = on(1, 1, "--fbmem 4");
    runtime.enter(|| {
        let held = crate::ones::<f64>(&[300_000]);
        let more = crate::ones::<f64>(&[300_000]);
        let error = more.to_vec().unwrap_err();
        let text = error.to_string();
        let Error::Failed(failure) = error else {
            panic!("{text}")
        };
        assert_eq!(failure.location.line(), line!() - 6, "{text}");
        assert!(text.contains("FBMEM") && text.contains("--fbmem"), "{text}");
        let holder = format!("{}:{}", file!(), line!() - 9);
        assert!(text.contains(&holder), "{text} does not name {holder}");
        drop((held, more));
        assert_eq!(
            crate::ones::<f64>(&[300_000]).to_vec().unwrap().len(),
            300_000
        );
    });
    assert!(runtime.finish().is_err());
}
