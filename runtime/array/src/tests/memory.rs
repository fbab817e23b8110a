//! Programs whose allocations fail, one after the other.

use ndarray::s;
use weft_config::Plan;
use weft_core::testing;

use super::plan;
use crate::dtype::DType;
use crate::error::Cause;
use crate::lower::View;
use crate::shape::Shape;
use crate::site::Site;
use crate::{Array, Error, MemoryKind, Runtime};

/// Runs every kind of operation, and returns the first error of a read.
pub(super) fn every_kind() -> Result<f64, Error> {
    let n = 70_000;
    let a: Array<f64> = crate::arange::<f64>(n as f64);
    let b = crate::random::seeded(5).uniform(&[n]);
    let loaded = crate::from_slice(&vec![0.5; n]);
    let mixed = (&a * 2.0 + &b + &loaded).sqrt();
    let chosen = crate::select(&a.greater(10.0), &mixed, &b);
    let whole = chosen.cast::<i64>();
    let grid = crate::zeros::<f64>(&[250, 280]);
    grid.slice(s![1..-1, 1..-1]).fill(3.0);
    for _ in 0..2 {
        let inner = grid.slice(s![1..-1, 1..-1]);
        inner.assign(0.5 * (grid.slice(s![..-2, 1..-1]) + grid.slice(s![2.., 1..-1])));
    }
    let running = a.cumsum();
    let picked = b.take(&crate::from_slice(&[3i64, 1, 4, 1, 5]));
    let square = grid.slice(s![..200, ..200]).copy();
    let product = square.matmul(&square);
    let vector = square.dot(&b.slice(s![..200]).copy());
    chosen.offload_to(MemoryKind::System);
    let values = [
        mixed.sum().try_item()?,
        chosen.max().try_item()?,
        whole.sum().try_item()? as f64,
        grid.sum_axis(0).to_vec()?.iter().sum(),
        running.slice(s![-1..]).to_vec()?[0],
        picked.to_vec()?.iter().sum(),
        product.sum().try_item()?,
        vector.dot(&vector).try_item()?,
        a.argmax().try_item()? as f64,
        b.copy().to_vec()?.iter().sum(),
    ];
    Ok(values.iter().sum())
}

#[test]
fn failed_allocations_leak_nothing() {
    every_failure(Runtime::new, 15);
}

#[test]
fn failed_allocations_of_parts_leak_nothing() {
    every_failure(testing::in_parts, 15);
}

/// Runs a program until each of its memory requests has failed once. More than `least` of them make
/// it fail.
fn every_failure(start: fn(Plan) -> Result<Runtime, Error>, least: u64) {
    let expected = Runtime::new(plan("--gpus 0 --cpus 2"))
        .unwrap()
        .enter(every_kind)
        .unwrap();
    let (mut failed, mut fails) = (0, 0);
    // This ends when the program makes fewer requests than that.
    loop {
        let words = match fails % 2 {
            0 => "--gpus 0 --cpus 2",
            _ => "--gpus 0 --cpus 1 --utility 0",
        };
        let runtime = start(plan(words)).unwrap();
        let memory = testing::memories(&runtime).swap_remove(0);
        memory.fail_request(Some(fails));
        let result = runtime.enter(every_kind);
        let reached = !memory.fail_request(None);
        match result {
            Ok(value) => assert_eq!(value, expected),
            Err(Error::Failed(failure)) => {
                assert!(matches!(failure.cause, Cause::OutOfMemory(_)), "{failure}");
                failed += 1;
            }
            Err(other) => panic!("{other}"),
        }
        drop(runtime.finish());
        assert_eq!(memory.live(), 0, "{fails}");
        assert!(!memory.is_held());
        if !reached {
            break;
        }
        fails += 1;
    }
    assert!(failed > least, "{failed} of {fails}");
}

#[test]
fn partitioned_store_allocates_only_touched_parts() {
    let n: usize = 1 << 19;
    let runtime = testing::in_parts(plan("--gpus 0 --cpus 2 --sysmem 7")).unwrap();
    runtime.enter(|| {
        let status = || {
            runtime.wait().unwrap();
            let status = runtime.pool_status().swap_remove(0);
            (status.live, status)
        };
        // The elements in between are not read.
        let arrays: Vec<Array<f64>> = (0..6)
            .map(|_| {
                let _call = Site::enter_caller();
                let shape = Shape::new(&[n]).unwrap();
                let array = View::unwritten(runtime.core(), DType::F64, shape);
                let array: Array<f64> = Array::wrap(array.unwrap().into());
                array.slice(s![1000..3000]).fill(1.0);
                array.slice(s![n - 1000..]).fill(2.0);
                array
            })
            .collect();
        let (live, known) = status();
        // Elements 1000 to 3000 are in pages 1 to 5, and the last 1000 in the last 2.
        assert_eq!(live, 6 * 7 * 4096, "{known:?}");
        let held = &known.holders[0].instances[0];
        assert_eq!((held.bytes, held.whole), (7 * 4096, 8 * n as u64));
        assert_eq!(held.elements, Some(1000..n));
        assert_eq!(arrays[5].slice(s![2990..3000]).sum().item(), 10.0);
        // All of two of them is too much.
        arrays[0].fill(3.0);
        arrays[1].fill(3.0);
        assert_eq!(arrays[0].sum().item(), 3.0 * n as f64);
        let error = arrays[1].sum().try_item().unwrap_err();
        assert!(error.is_out_of_memory(), "{error}");
        let text = error.to_string();
        assert!(
            text.contains("4,194,304 bytes (4.0 MiB) with elements 0..524288"),
            "{text}"
        );
        assert!(
            text.contains("28,672 bytes of 4,194,304 bytes (4.0 MiB) on this rank"),
            "{text}"
        );
        drop(arrays);
        assert_eq!(status().0, 0);
        assert!(runtime.pool_status()[0].kept > 4 << 20);
        assert!(runtime.reclaim().unwrap() > 4 << 20);
        assert_eq!(runtime.pool_status()[0].kept, 0);
    });
    assert!(runtime.finish().is_err(), "there was an error");
}

#[test]
fn frees_data_after_its_last_task() {
    let runtime = Runtime::new(plan("--gpus 0 --cpus 2")).unwrap();
    runtime.enter(|| {
        let mut x = crate::ones::<f64>(&[100_000]);
        for _ in 0..50 {
            // The program reads the values, so that this is not one chain without temporaries.
            x = &x + 1.0;
            assert!(x.max().item() > 1.0);
        }
        runtime.wait().unwrap();
        let status = &runtime.pool_status()[0];
        // The values that are read have memory of their own.
        assert!(status.peak <= 4 * 800_000 + 4096, "{status:?}");
        assert_eq!(status.holders.len(), 1, "{status:?}");
        assert_eq!(status.holders[0].store, x.as_dyn().store_uid());
    });
    runtime.finish().unwrap();
}
