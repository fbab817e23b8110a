//! Reductions along axes that are long enough to be cut, compared with eager `ndarray`.

#![allow(clippy::unwrap_used, reason = "a mistake in a test must stop it")]

#[path = "support/runtimes.rs"]
mod support;

use ndarray::{Array3, ArrayD, Axis};
use weft::Array;

use support::on;

const SHAPES: [[usize; 3]; 4] = [[5003, 3, 1], [3, 5003, 1], [4, 3001, 2], [2, 2, 2500]];

fn values(dims: [usize; 3]) -> Array3<i64> {
    let value = |(i, j, k)| ((i * 7919 + j * 104_729 + k * 15_485_863) % 2003) as i64 - 1000;
    Array3::from_shape_fn(dims, value)
}

fn same<T: weft::dtype::Element>(found: &Array<T>, expected: &ArrayD<T>, what: &str) {
    assert_eq!(&found.to_ndarray().unwrap(), expected, "{what}");
}

/// Returns the first place of the largest element of a line.
fn argmax(line: ndarray::ArrayView1<'_, i64>) -> i64 {
    let largest = line.iter().max().unwrap();
    line.iter().position(|value| value == largest).unwrap() as i64
}

#[test]
fn reduces_along_long_axes() {
    for words in ["--cpus 1 --min-cpu-chunk 16", "--cpus 3 --min-cpu-chunk 16"] {
        on(words, || {
            for dims in SHAPES {
                let eager = values(dims);
                let array = weft::from_ndarray(&eager);
                for axis in 0..3 {
                    let what = format!("{dims:?} along {axis}");
                    let along = Axis(axis);
                    same(
                        &array.sum_axis(axis),
                        &eager.sum_axis(along).into_dyn(),
                        &what,
                    );
                    let largest = eager.fold_axis(along, i64::MIN, |a, b| *a.max(b));
                    same(&array.max_axis(axis), &largest.into_dyn(), &what);
                    let places = eager.map_axis(along, argmax);
                    same(&array.argmax_axis(axis), &places.into_dyn(), &what);
                    let nonzero = eager.mapv(|value| i64::from(value != 0)).sum_axis(along);
                    same(&array.count_nonzero_axis(axis), &nonzero.into_dyn(), &what);
                }
            }
        });
    }
}

#[test]
fn finds_first_nan_in_any_part() {
    on("--cpus 2 --min-cpu-chunk 16", || {
        let x = weft::arange::<f64>(4000.0).reshape(&[2000, 2]);
        x.slice(ndarray::s![700, 1]).fill(f64::NAN);
        x.slice(ndarray::s![1500, 1]).fill(f64::NAN);
        assert_eq!(x.argmax_axis(0).to_vec().unwrap(), [1999, 700]);
        assert_eq!(x.argmin_axis(0).to_vec().unwrap(), [0, 700]);
        assert!(x.max_axis(0).to_vec().unwrap()[1].is_nan());
    });
}
