//! Reductions and scans.

use weft::DynArray;
use weft::dtype::DType;
use weft::kernel::{ReduceOp, ScanOp};

use super::harness::{DTYPES, Tolerance, Two, cast, length, sample};

/// Returns the tolerance of a reduction, since the order of additions differs between devices.
/// Terms here are all positive, so the result is as precise as the additions: for f32 over a
/// million terms, a few hundred units.
fn tolerance(is_float: bool, adds: bool) -> Tolerance {
    if is_float && adds {
        Tolerance::Ulps(512.0)
    } else {
        Tolerance::Exact
    }
}

/// Returns elements for sums or products without special values: near 1, above 0.
fn tame(dtype: DType, count: usize) -> DynArray {
    if !dtype.is_float() {
        return sample(dtype, count, 20);
    }
    let noise = weft::random::seeded(3).uniform::<f64>(&[count]);
    cast((1.0 + noise * 1e-6).as_dyn(), dtype)
}

#[test]
#[ignore = "needs a GPU"]
fn full_reductions_match_cpus() {
    let two = Two::new();
    for &op in ReduceOp::ALL {
        let adds = matches!(op, ReduceOp::Sum | ReduceOp::Prod);
        for dtype in DTYPES {
            for count in [1, 31, 1000, length()] {
                two.compare(
                    (op, dtype, count),
                    tolerance(dtype.is_float(), adds),
                    || {
                        let array = if adds {
                            tame(dtype, count)
                        } else {
                            sample(dtype, count, 21)
                        };
                        vec![array.reduce(op, None).unwrap()]
                    },
                );
            }
        }
    }
}

#[test]
#[ignore = "needs a GPU"]
fn axis_reductions_match_cpus() {
    let two = Two::new();
    for &op in ReduceOp::ALL {
        let adds = matches!(op, ReduceOp::Sum | ReduceOp::Prod);
        for dtype in DTYPES {
            for dims in [[4, 1000, 7], [300, 5, 11], [2, 3, 4000], [1, 1, 1]] {
                two.compare((op, dtype, dims), tolerance(dtype.is_float(), adds), || {
                    let count = dims.iter().product();
                    let array = if adds {
                        tame(dtype, count)
                    } else {
                        sample(dtype, count, 22)
                    };
                    let array = array.reshape(&dims).unwrap();
                    let turned = array.permute(&[2, 0, 1]).unwrap();
                    let both = [array, turned];
                    let axes = both
                        .iter()
                        .flat_map(|array| (0..3).map(move |axis| (array, axis)));
                    axes.map(|(array, axis)| array.reduce(op, Some(axis)).unwrap())
                        .collect()
                });
            }
        }
    }
}

#[test]
#[ignore = "needs a GPU"]
fn scans_match_cpus() {
    let two = Two::new();
    for &op in ScanOp::ALL {
        for dtype in DTYPES
            .into_iter()
            .filter(|dtype| op.reduce().is_defined(*dtype))
        {
            two.compare((op, dtype), tolerance(dtype.is_float(), true), || {
                let flat = tame(dtype, length());
                let cube = tame(dtype, 20 * 30 * 40).reshape(&[20, 30, 40]).unwrap();
                let mut results = vec![flat.scan(op, None).unwrap()];
                results.extend((0..3).map(|axis| cube.scan(op, Some(axis)).unwrap()));
                results
            });
        }
    }
}
