//! Functions of elements, alone and in chains, over contiguous and strided operands.

use ndarray::{SliceInfoElem, s};
use weft::dtype::DType;
use weft::kernel::{BinaryOp, UnaryOp};
use weft::{Array, DynArray};

use super::harness::{DTYPES, Tolerance, Two, cast, length, sample};

/// Returns the tolerance of a function: exact if IEEE arithmetic or the dtype determines the
/// result, and a few units, as documented by CUDA, for the others.
fn unary_tolerance(op: UnaryOp) -> Tolerance {
    use UnaryOp as U;
    match op {
        U::Cbrt
        | U::Exp
        | U::Exp2
        | U::Expm1
        | U::Log
        | U::Log2
        | U::Log10
        | U::Log1p
        | U::Sin
        | U::Cos
        | U::Tan
        | U::Asin
        | U::Acos
        | U::Atan
        | U::Sinh
        | U::Cosh
        | U::Tanh => Tolerance::Ulps(8.0),
        // On the CPU these are Rust's formulas with logarithms, which cancel a few bits.
        U::Asinh | U::Acosh | U::Atanh => Tolerance::Ulps(64.0),
        _ => Tolerance::Exact,
    }
}

fn binary_tolerance(op: BinaryOp) -> Tolerance {
    match op {
        BinaryOp::Pow | BinaryOp::Atan2 | BinaryOp::Hypot => Tolerance::Ulps(8.0),
        // Both parts may almost cancel.
        BinaryOp::LogAddExp | BinaryOp::LogAddExp2 => Tolerance::Ulps(64.0),
        _ => Tolerance::Exact,
    }
}

/// Returns a matrix and views of it with other layouts than a contiguous one.
fn layouts(dtype: DType, seed: u64) -> Vec<DynArray> {
    let base = sample(dtype, 60 * 50, seed).reshape(&[60, 50]).unwrap();
    let cut = |rows: (isize, Option<isize>, isize), columns: (isize, Option<isize>, isize)| {
        let axis = |(start, end, step)| SliceInfoElem::Slice { start, end, step };
        base.slice(&[axis(rows), axis(columns)][..]).unwrap()
    };
    let inner = cut((1, Some(-1), 1), (1, Some(-1), 1));
    let stepped = cut((0, None, 3), (0, None, -2));
    let turned = base.permute(&[1, 0]).unwrap();
    let row = cut((7, Some(8), 1), (0, None, 1));
    let stretched = row.broadcast_to(&[20, 50]).unwrap();
    let few = cut((0, Some(1), 1), (0, Some(3), 1));
    vec![base, inner, stepped, turned, stretched, few]
}

#[test]
#[ignore = "needs a GPU"]
fn unary_functions_match_cpus() {
    let two = Two::new();
    for &op in UnaryOp::ALL {
        for dtype in DTYPES {
            if op.input_dtype(dtype).is_none() {
                continue;
            }
            two.compare((op, dtype), unary_tolerance(op), || {
                let mut arrays = layouts(dtype, 1);
                arrays.push(sample(dtype, length(), 2));
                arrays
                    .iter()
                    .map(|array| array.unary(op).unwrap())
                    .collect()
            });
        }
    }
}

#[test]
#[ignore = "needs a GPU"]
fn binary_functions_match_cpus() {
    let two = Two::new();
    for &op in BinaryOp::ALL {
        for dtype in DTYPES {
            if op.input_dtype(dtype).is_none() {
                continue;
            }
            two.compare((op, dtype), binary_tolerance(op), || {
                let (mut left, mut right) = (layouts(dtype, 3), layouts(dtype, 4));
                left.push(sample(dtype, length(), 5));
                right.push(sample(dtype, length(), 6));
                // A transposed operand with a contiguous one.
                left.push(left[0].permute(&[1, 0]).unwrap());
                right.push(sample(dtype, 3000, 7).reshape(&[50, 60]).unwrap());
                // Both are broadcast.
                left.push(sample(dtype, 50, 9).reshape(&[1, 50]).unwrap());
                right.push(sample(dtype, 9, 8).reshape(&[9, 1]).unwrap());
                if op == BinaryOp::Pow && dtype.is_signed_integer() {
                    // Exponents of integers must not be negative.
                    for one in &mut right {
                        *one = DynArray::binary(BinaryOp::Maximum, &*one, 0i64).unwrap();
                    }
                }
                let pairs = left.iter().zip(&right);
                pairs
                    .map(|(a, b)| DynArray::binary(op, a, b).unwrap())
                    .collect()
            });
        }
    }
}

#[test]
#[ignore = "needs a GPU"]
fn casts_match_cpus() {
    let two = Two::new();
    for from in DTYPES {
        for to in DTYPES {
            two.compare((from, to), Tolerance::Exact, || {
                let arrays = layouts(from, 10);
                arrays.iter().map(|array| cast(array, to)).collect()
            });
        }
    }
}

#[test]
#[ignore = "needs a GPU"]
fn selections_and_masks_match_cpus() {
    let two = Two::new();
    for dtype in DTYPES {
        two.compare(dtype, Tolerance::Exact, || {
            let (a, b) = (layouts(dtype, 11), layouts(dtype, 12));
            let mut results = Vec::new();
            for (a, b) in a.iter().zip(&b) {
                let less = DynArray::binary(BinaryOp::Less, a, b).unwrap();
                results.push(DynArray::select(&less, a, b).unwrap());
                let to = a.copy().unwrap();
                to.putmask(&less, b).unwrap();
                results.push(to);
            }
            results
        });
    }
}

#[test]
#[ignore = "needs a GPU"]
fn chains_match_cpus() {
    let two = Two::new();
    two.compare("chains", Tolerance::Exact, || {
        let x = weft::arange::<f64>(length() as f64);
        let y = &x * 0.5 - 3.0;
        let z = weft::select(&y.greater(&x), &y + &x, &y - &x)
            .square()
            .sqrt();
        x.assign(&z + &y);
        let w = (&x + &y + &z) * &x / (&z + 1.0);
        [x, y, z, w].into_iter().map(Array::into_dyn).collect()
    });
    two.compare("stencil", Tolerance::Exact, || {
        let grid = weft::zeros::<f64>(&[302, 202]);
        grid.slice(s![0, ..]).fill(40.0);
        grid.slice(s![.., 0]).fill(-273.15);
        let center = grid.slice(s![1..-1, 1..-1]);
        let around = [
            grid.slice(s![..-2, 1..-1]),
            grid.slice(s![1..-1, 2..]),
            grid.slice(s![1..-1, ..-2]),
            grid.slice(s![2.., 1..-1]),
        ];
        for _ in 0..20 {
            let average = &center + &around[0] + &around[1] + &around[2] + &around[3];
            center.assign(0.2 * average);
        }
        vec![grid.into_dyn()]
    });
}
