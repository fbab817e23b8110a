//! Operations without GPU code run on the host, with the same results.

use ndarray::s;
use weft_core::testing::SchedulerCall;

use super::{can_run, fake, heat, mixed, on_cpus, with};
use crate::{Array, Error};

/// Operations of the programs below, of which a subset runs on the host.
const NAMES: [&str; 10] = [
    "add", "mul", "sub", "fill", "copy", "arange", "cast", "load", "take", "sum",
];

/// Returns the operations for the bits that are set in `which`.
fn chosen(which: u64) -> Vec<&'static str> {
    let names = NAMES.iter().enumerate();
    let chosen = names.filter(|(bit, _)| which >> bit & 1 == 1);
    chosen.map(|(_, name)| *name).collect()
}

/// Computes columns of one array, written in turn by operations of different names. The columns are
/// interleaved in memory.
fn columns() -> Vec<f64> {
    let grid = crate::zeros::<f64>(&[12, 8]);
    let rows = crate::from_slice(&(0..96).map(f64::from).collect::<Vec<_>>()).reshape(&[12, 8]);
    for round in 0..4 {
        let [left, right] = [grid.slice(s![.., ..3]), grid.slice(s![.., 3..])];
        left.assign(&left + &rows.slice(s![.., 1..4]));
        right.assign(&right * 2.0 + &rows.slice(s![.., ..5]));
        grid.slice(s![.., 2]).fill(f64::from(round));
        let picked = grid.take_axis(&crate::from_slice(&[3i64, 0, 7, 2, 2, 5, 6, 1]), 1);
        grid.assign(&picked - 0.5);
    }
    let sums = grid.sum_axis(0).to_vec().unwrap();
    let mut all = grid.to_vec().unwrap();
    all.extend(sums);
    all
}

#[test]
fn results_match_cpus_wherever_operations_run() {
    if !can_run() {
        return;
    }
    let expected = (on_cpus(|| heat(12, 5)), on_cpus(mixed), on_cpus(columns));
    for seed in 0..40u64 {
        // A multiplicative hash spreads the seeds over the subsets.
        let mut without = chosen(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40);
        let gpus = 1 + seed as usize % 3;
        let words = ["", "--cuda-graphs", "--zcmem 0"][seed as usize / 3 % 3];
        if words == "--zcmem 0" {
            // A GPU that reads by index needs memory to report a wrong one.
            without.push("take");
        }
        let (runtime, fake) = with(
            fake(gpus, seed).without(&without),
            &format!("--cpus 2 {words}"),
        );
        let got = (
            runtime.enter(|| heat(12, 5)),
            runtime.enter(mixed),
            runtime.enter(columns),
        );
        assert_eq!(
            got, expected,
            "{gpus} GPUs, seed {seed} {words}, without {without:?}"
        );
        runtime.finish().unwrap();
        drop(runtime);
        assert_eq!(fake.allocated_bytes(), 0, "seed {seed}");
    }
}

#[test]
fn copies_data_once_and_only_if_missing() {
    if !can_run() {
        return;
    }
    let (runtime, fake) = with(fake(1, 1).without(&["sqrt"]), "");
    runtime.enter(|| {
        let x = crate::full(&[1000], 16.0);
        // One copy to the host.
        let y = x.sqrt().sqrt();
        assert_eq!(y.to_vec().unwrap(), vec![2.0; 1000]);
        // One copy of the result back.
        assert_eq!((&y + 1.0).sum().item(), 3000.0);
        assert_eq!((&y + &x).sum().item(), 18000.0);
    });
    let copies = fake.calls();
    let copies = copies
        .iter()
        .filter(|asked| matches!(asked, SchedulerCall::Issue(_, name) if name == "copy"));
    // Two more copies read the sums.
    assert_eq!(copies.count(), 4, "{:?}", fake.calls());
}

#[test]
fn host_failure_poisons_only_dependents() {
    if !can_run() {
        return;
    }
    let (runtime, _fake) = with(fake(1, 2).without(&["take"]), "");
    runtime.enter(|| {
        let x = crate::ones::<f64>(&[50]);
        let wrong = x.take_axis(&crate::from_slice(&[3i64, 50]), 0);
        let line = line!() - 1;
        let later: Array<f64> = &wrong * 2.0;
        let Err(Error::Failed(failure)) = later.to_vec() else {
            panic!("the index is out of bounds")
        };
        assert_eq!((failure.operation, failure.location.line()), ("take", line));
        assert_eq!((&x + 1.0).sum().item(), 100.0);
    });
    assert!(runtime.finish().is_err());
}

#[test]
fn host_never_reads_data_poisoned_on_gpu() {
    if !can_run() {
        return;
    }
    for seed in 0..20 {
        let fake = fake(1, seed).without(&["sqrt"]);
        let (runtime, _fake) = with(fake, "");
        runtime.enter(|| {
            let x = crate::ones::<f64>(&[50]);
            let wrong = x.take_axis(&crate::from_slice(&[3i64, 50]), 0);
            let error = wrong.sqrt().to_vec().unwrap_err();
            assert!(error.to_string().contains("index 50"), "{error}");
        });
        assert!(runtime.finish().is_err());
    }
}

#[test]
fn full_host_memory_fails_the_operation() {
    if !can_run() {
        return;
    }
    let fake = fake(1, 3).without(&["sqrt"]);
    let (runtime, _fake) = with(fake, "--zcmem 0 --sysmem 1");
    runtime.enter(|| {
        let x = crate::ones::<f64>(&[300_000]);
        let error = x.sqrt().sum().try_item().unwrap_err().to_string();
        assert!(
            error.contains("SYSTEM_MEM") && error.contains("sqrt"),
            "{error}"
        );
        // The value that is read also takes host memory, but little.
        assert_eq!(x.sum().item(), 300_000.0);
    });
    assert!(runtime.finish().is_err());
}
