//! Memory that arrays share with other libraries: each side sees the writes of the other.
#![allow(
    unsafe_code,
    clippy::unwrap_used,
    reason = "stands in for the other library"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use weft::DynArray;
use weft::dtype::{DType, Scalar};
use weft::kernel::BinaryOp;

/// A guard that counts its drops.
struct Owner(Arc<AtomicUsize>);

impl Drop for Owner {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[path = "support/runtimes.rs"]
mod runtimes;

use runtimes::runtime;

const FUSED: &str = "--cpus 2 --gpus 0 --max-inline-chunk 0";

fn add(array: &DynArray, value: f64) -> DynArray {
    DynArray::binary(BinaryOp::Add, array, Scalar::F64(value)).unwrap()
}

#[test]
fn reads_and_writes_foreign_memory() {
    for flag in ["--fusion=true", "--fusion=false"] {
        let runtime = runtime(&format!("{FUSED} {flag}"));
        let mut memory: Vec<f64> = (0..20_000).map(f64::from).collect();
        let dropped = Arc::new(AtomicUsize::new(0));
        let owner = || Box::new(Owner(dropped.clone()));
        let start = memory.as_mut_ptr();
        // Every second element, backwards.
        let (dims, strides) = ([10_000], [-16]);
        let first = start.wrapping_add(19_999).cast::<u8>();
        // SAFETY: the vector outlives the array, and nothing else writes meanwhile.
        let make = |owner| unsafe {
            DynArray::from_memory(&runtime, DType::F64, &dims, &strides, first, owner)
        };
        let array = make(owner()).unwrap();
        assert_eq!(dropped.load(Ordering::SeqCst), 0);
        // The same memory can belong to one array only.
        assert!(make(owner()).is_err());
        assert_eq!(dropped.load(Ordering::SeqCst), 1);
        for _ in 0..20 {
            array.assign(&add(&add(&array, 1.0), 1.0)).unwrap();
        }
        // SAFETY: no operation is under way, since calls wait for those on this array.
        let read = |at: usize| unsafe { start.add(at).read() };
        assert_eq!(
            (read(19_999), read(1), read(0), read(2)),
            (20_039.0, 41.0, 0.0, 2.0)
        );
        // SAFETY: as above.
        unsafe { start.add(1).write(7.0) };
        let kept = add(&array, 0.5);
        drop(array);
        let values: Vec<f64> = kept.to_ndarray::<f64>().unwrap().into_iter().collect();
        assert_eq!((values[0], values[9_999]), (20_039.5, 7.5));
        runtime.wait().unwrap();
        assert_eq!(dropped.load(Ordering::SeqCst), 2);
    }
}

#[test]
fn rejects_invalid_addresses_and_strides() {
    let runtime = runtime(FUSED);
    let mut memory = vec![0_u64; 64];
    let start = memory.as_mut_ptr().cast::<u8>();
    // SAFETY: nothing is read if the call fails.
    let make = |first: *mut u8, dims: &[usize], strides: &[isize]| unsafe {
        DynArray::from_memory(&runtime, DType::F64, dims, strides, first, Box::new(()))
    };
    for (first, dims, strides) in [
        (start.wrapping_add(1), &[2][..], &[8][..]),
        (start, &[2], &[12]),
        (start, &[2, 2], &[8]),
        (start, &[2], &[isize::MIN]),
        (start, &[usize::MAX / 16], &[isize::MAX - 7]),
    ] {
        assert!(make(first, dims, strides).is_err(), "{dims:?} {strides:?}");
    }
    // An array without elements has no place.
    assert_eq!(make(start, &[0, 3], &[1, 1]).unwrap().shape(), [0, 3]);
    assert!(make(start, &[8, 8], &[8, 0]).is_ok());
}

#[test]
fn shared_memory_stays_in_place_until_released() {
    let runtime = runtime(FUSED);
    let grid = DynArray::full(&runtime, &[300, 300], Scalar::F64(1.0)).unwrap();
    let address = |grid: &DynArray| {
        let mut sharing = grid.share().unwrap();
        while !sharing.wait_for(Duration::from_millis(1)) {}
        (sharing.address().unwrap().unwrap(), sharing)
    };
    let (before, sharing) = address(&grid);
    let center = grid.range(0, 1, 1, 298).unwrap();
    let (north, south) = (
        grid.range(0, 0, 1, 298).unwrap(),
        grid.range(0, 2, 1, 298).unwrap(),
    );
    for _ in 0..5 {
        let sum = DynArray::binary(BinaryOp::Add, &north, &south).unwrap();
        center.assign(&sum).unwrap();
        // SAFETY: operations on the array have ended when the calls return.
        assert!(unsafe { before.cast::<f64>().add(150 * 300).read() } > 1.0);
    }
    let (after, other) = address(&grid);
    assert_eq!(before, after);
    drop((sharing, other));
    // The array has a back buffer again, and the same values.
    center
        .assign(&DynArray::binary(BinaryOp::Add, &north, &south).unwrap())
        .unwrap();
    let (last, _sharing) = address(&grid);
    // SAFETY: no operation is under way.
    assert_eq!(unsafe { last.cast::<f64>().add(150 * 300).read() }, 64.0);
}
