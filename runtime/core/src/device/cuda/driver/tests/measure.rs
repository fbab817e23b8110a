//! Measures the overhead of the driver's wrapper, and the bandwidth of the GPU's memory. Prints
//! lines of `name value unit`.

use std::time::Instant;

use super::super::*;
use super::machine::{Machine, add};

fn number(variable: &str, otherwise: usize) -> usize {
    let given = std::env::var(variable).ok();
    given.map_or(otherwise, |text| text.parse().unwrap())
}

/// Measures copies within a GPU: the bandwidth that kernels are compared with. Counts bytes read
/// and bytes written.
#[test]
#[ignore = "needs a GPU"]
#[allow(clippy::print_stdout, reason = "a measurement")]
fn measures_copy_bandwidth() {
    let machine = Machine::new();
    let bytes = number("WEFT_MEASURE_MIB", 4096) << 20;
    let [from, to] = [(); 2].map(|()| machine.driver.allocate(machine.gpu, bytes).unwrap());
    machine.issue(&Work::Fill {
        to: from,
        pattern: 1,
        width: 4,
        count: bytes / 4,
    });
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        machine.copy(from, to, bytes);
        machine.wait();
        let start = Instant::now();
        for _ in 0..10 {
            machine.copy(from, to, bytes);
        }
        machine.wait();
        best = best.min(start.elapsed().as_secs_f64() / 10.0);
    }
    println!("copy_bandwidth {:.1} GB/s", 2.0 * bytes as f64 / best / 1e9);
}

/// Measures launches of a kernel on 100 elements, as fast as the stream accepts them.
#[test]
#[ignore = "needs a GPU"]
#[allow(clippy::print_stdout, reason = "a measurement")]
fn measures_launch_cost() {
    let machine = Machine::new();
    let launches = number("WEFT_MEASURE_LAUNCHES", 20_000);
    let x = machine.device(&[0.0; 100]);
    let work = Work::Kernel(add(x, 1.0, 100));
    machine.issue(&work);
    machine.wait();
    let start = Instant::now();
    for _ in 0..launches {
        machine.issue(&work);
    }
    let issued = start.elapsed().as_nanos() as f64 / launches as f64;
    machine.wait();
    let run = start.elapsed().as_nanos() as f64 / launches as f64;
    println!("launch_issue {issued:.0} ns");
    println!("launch_run {run:.0} ns");

    let nodes: Vec<Launch> = (0..100).map(|_| add(x, 1.0, 100)).collect();
    let graph = machine.driver.graph(machine.gpu, &nodes).unwrap();
    let replays = launches / 100;
    // SAFETY: the memory lives until the driver is dropped.
    let replay = || unsafe { machine.driver.replay(graph, machine.stream) }.unwrap();
    replay();
    machine.wait();
    let start = Instant::now();
    (0..replays).for_each(|_| replay());
    machine.wait();
    let run = start.elapsed().as_nanos() as f64 / (replays * 100) as f64;
    println!("graph_kernel_run {run:.0} ns");
    let expected = (1 + launches + (1 + replays) * 100) as f64;
    assert_eq!(machine.read::<f64>(x, 1), [expected]);
}
