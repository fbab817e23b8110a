//! Functions that NumPy has too.
//!
//! Fixed values are NumPy 2.4.6's results. Results for random values are compared with plain code
//! over vectors. Arrays of a few hundred elements are cut into many tiles.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a mistake in a test must stop it"
)]

mod contractions;
mod counts;
mod extremes;
mod files;
mod joins;
mod masks;
mod picks;
mod places;
mod sequences;
mod sorts;
mod statistics;
#[path = "../support/runtimes.rs"]
mod support;
mod tables;
mod views;

use weft::Array;
use weft::dtype::Element;

/// Runs a program on its own runtime.
fn on(cpus: usize, program: impl FnOnce()) {
    support::on(&support::small_tiles(cpus), program);
}

fn vec<T: Element>(array: &Array<T>) -> Vec<T> {
    array.to_vec().unwrap()
}

/// Returns an array of these values in this shape.
fn array<T: Element>(dims: &[usize], values: &[T]) -> Array<T> {
    weft::from_slice(values).reshape(dims)
}

/// Asserts that an array has this shape and these elements.
#[track_caller]
fn is<T: Element>(array: &Array<T>, dims: &[usize], values: &[T]) {
    assert_eq!(array.shape(), dims);
    assert_eq!(vec(array), values);
}

/// Asserts that floats are equal within `ulps` units in the last place of the larger one.
#[track_caller]
fn near(array: &Array<f64>, values: &[f64], ulps: f64) {
    let found = vec(array);
    assert_eq!(found.len(), values.len());
    for (a, b) in found.iter().zip(values) {
        let allowed = ulps * f64::EPSILON * a.abs().max(b.abs());
        assert!(
            (a - b).abs() <= allowed || (a.is_nan() && b.is_nan()),
            "{found:?} is not {values:?}"
        );
    }
}

/// Formats values, so that NaN are equal and zeros of different signs differ.
fn said<T: std::fmt::Debug>(values: &[T]) -> String {
    format!("{values:?}")
}

/// A small generator, so that one number from proptest determines an array.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Returns numbers with many equal ones, and sometimes NaN.
    fn floats(&mut self, count: usize) -> Vec<f64> {
        (0..count)
            .map(|_| match self.below(20) {
                0 => f64::NAN,
                1 => 1e300,
                _ => self.below(40) as f64 / 4.0 - 5.0,
            })
            .collect()
    }
}
