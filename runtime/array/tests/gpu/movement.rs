//! Copies, overlapping views, and reads and writes by index.

use ndarray::s;
use weft::error::Cause;
use weft::{Array, Error};

use super::harness::{DTYPES, Tolerance, Two, gpus, length, runtime, sample};

#[test]
#[ignore = "needs a GPU"]
fn copies_all_layouts() {
    let two = Two::new();
    for dtype in DTYPES {
        two.compare(dtype, Tolerance::Exact, || {
            let cube = sample(dtype, 30 * 40 * 50, 30)
                .reshape(&[30, 40, 50])
                .unwrap();
            let turns = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [2, 1, 0], [1, 2, 0]];
            turns
                .iter()
                .map(|axes| cube.permute(axes).unwrap().copy().unwrap())
                .collect()
        });
    }
}

#[test]
#[ignore = "needs a GPU"]
fn assigns_between_overlapping_views() {
    let two = Two::new();
    two.compare("overlap", Tolerance::Exact, || {
        let x = weft::arange::<i64>(length() as i64);
        x.slice(s![1..]).assign(x.slice(s![..-1]));
        x.slice(s![..-3]).assign(x.slice(s![3..]) + 1);
        x.slice(s![..;-1]).assign(&x);
        let turned = weft::arange::<i64>(900).reshape(&[30, 30]);
        turned.assign(turned.t());
        vec![x.into_dyn(), turned.into_dyn()]
    });
}

#[test]
#[ignore = "needs a GPU"]
fn concatenation_matches_cpus() {
    let two = Two::new();
    two.compare("concatenate", Tolerance::Exact, || {
        let a = weft::arange::<f32>(600.0).reshape(&[20, 30]);
        let b = weft::ones::<f32>(&[20, 5]);
        let whole = weft::concatenate(&[&a, &b, &a], 1);
        vec![whole.into_dyn()]
    });
}

#[test]
#[ignore = "needs a GPU"]
fn takes_and_puts_by_index() {
    let two = Two::new();
    two.compare("index", Tolerance::Exact, || {
        let n = length() as i64;
        let x: Array<f64> = weft::arange::<f64>(n as f64);
        let indices = weft::random::seeded(5).integers::<i64>(-n, n, &[10_000]);
        let picked = x.take(&indices);
        let rows = weft::arange::<f64>(9000.0).reshape(&[90, 100]);
        let few = weft::from_slice(&[3i64, -1, 0, 89, 3]);
        let of_rows = rows.take_axis(&few, 0);
        let of_columns = rows.take_axis(&few, 1);
        rows.put_axis(&few, 0, -7.5);
        x.put(&indices, 2.5);
        [picked, of_rows, of_columns, rows, x]
            .into_iter()
            .map(Array::into_dyn)
            .collect()
    });
}

#[test]
#[ignore = "needs a GPU"]
fn out_of_bounds_index_poisons_results() {
    let gpu = runtime(&format!("--gpus {}", gpus()));
    gpu.enter(|| {
        let x = weft::ones::<f64>(&[length()]);
        let wrong = length() as i64;
        let indices = weft::from_slice(&[0, wrong, 1]);
        let taken = 2.0 * x.take(&indices);
        let Err(Error::Failed(failure)) = taken.to_vec() else {
            panic!("an element behind the last was taken");
        };
        assert_eq!(failure.operation, "take");
        assert!(
            matches!(failure.cause, Cause::Index { index, length: n } if index == wrong && n == length()),
            "{failure}"
        );
        x.put(&weft::from_slice(&[-wrong - 1]), 0.0);
        assert!(matches!(x.to_vec(), Err(Error::Failed(_))));
    });
    assert!(matches!(gpu.finish(), Err(Error::Failed(_))));
}

/// More elements than 32 bits can count. The CPU's value is known beforehand.
#[test]
#[ignore = "needs a GPU"]
fn handles_more_elements_than_32_bits_count() {
    if length() < 1_000_000 {
        println!("skipped: WEFT_TEST_LENGTH asks for short arrays");
        return;
    }
    let two = Two::new();
    two.gpu.enter(|| {
        let n = (1usize << 32) + 17;
        let x = weft::zeros::<bool>(&[n]);
        x.slice(s![(1usize << 32)..]).fill(true);
        assert_eq!(x.count_nonzero().item(), 17);
        let y = x.logical_not();
        assert_eq!(y.count_nonzero().item(), 1 << 32);
        assert_eq!(x.argmax().item(), 1 << 32);
        assert!(!y.slice(s![n - 1]).item());
    });
}
