//! Elementwise functions with CUDA C, and without.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::{everywhere, is_on_gpus};
use crate::support::drawn;

static ON_CPUS: AtomicUsize = AtomicUsize::new(0);

#[weft::elementwise(
    cuda_source = "__device__ double bent(double x, float k) { return x * k - x * x; }"
)]
fn bent(x: f64, k: f32) -> f64 {
    ON_CPUS.fetch_add(1, Ordering::Relaxed);
    x * f64::from(k) - x * x
}

#[weft::elementwise]
fn halved(x: f64) -> f64 {
    x / 2.0
}

#[test]
fn functions_fuse_on_gpus_if_they_have_code() {
    everywhere(|| {
        let before = ON_CPUS.load(Ordering::Relaxed);
        let values = drawn(1, 2000);
        let x = weft::from_slice(&values);
        let y = &bent(&(&x + 1.0), 2.5) * 3.0;
        let z = &halved(&y) + 1.0;
        let expected = |x: &f64| {
            let x = x + 1.0;
            (x * 2.5 - x * x) * 3.0
        };
        let expected: Vec<f64> = values.iter().map(expected).collect();
        assert_eq!(y.to_vec().unwrap(), expected);
        let done = ON_CPUS.load(Ordering::Relaxed) - before;
        assert_eq!(done == 0, is_on_gpus());
        let expected: Vec<f64> = expected.iter().map(|y| y / 2.0 + 1.0).collect();
        assert_eq!(z.to_vec().unwrap(), expected);
    });
}
