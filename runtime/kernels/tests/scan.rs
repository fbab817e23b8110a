//! Running results, compared with their definition.

use proptest::prelude::*;
use weft_kernels::ScanOp;
use weft_kernels::dtype::{DType, Scalar};
use weft_kernels::scan::scan;
use weft_kernels::testing::{Draw, Operand, assert_same};

use crate::scalars::{add, multiply};
use crate::shapes::dims;

fn join(op: ScanOp, a: Scalar, b: Scalar) -> Scalar {
    match op {
        ScanOp::CumSum => add(a, b),
        ScanOp::CumProd => multiply(a, b),
        ScanOp::CumMax => extreme(a, b, true),
        ScanOp::CumMin => extreme(a, b, false),
    }
}

/// Returns the larger or the smaller value; NaN if one is NaN.
fn extreme(a: Scalar, b: Scalar, is_max: bool) -> Scalar {
    let (Some(left), Some(right)) = (a.integer(), b.integer()) else {
        let (left, right) = (a.to::<f64>(), b.to::<f64>());
        let is_first = if is_max { left > right } else { left < right };
        // Of zeros with different signs, `f16` keeps the first.
        let is_tie = left == right && a.dtype() == DType::F16;
        return if is_first || is_tie || left.is_nan() {
            a
        } else {
            b
        };
    };
    if (left > right) == is_max { a } else { b }
}

/// Computes each element from the one before it along the axis and the term.
fn by_definition(op: ScanOp, axis: usize, input: &Operand) -> Vec<Scalar> {
    let shape = input.layout.shape;
    let mut results: Vec<Scalar> = Vec::new();
    for (flat, term) in input.values().into_iter().enumerate() {
        let term = term.cast(op.output_dtype(term.dtype()));
        let mut at = shape.unravel(flat);
        results.push(if at[axis] == 0 {
            term
        } else {
            at[axis] -= 1;
            join(op, results[shape.ravel(&at[..shape.rank()])], term)
        });
    }
    results
}

proptest! {
    #[test]
    fn scans_every_dtype_layout_and_axis(dims in dims(), seed: u64) {
        let mut draw = Draw(seed);
        for dtype in DType::ALL {
            let input = Operand::new(&mut draw, dtype, &dims, false, |draw| draw.value(dtype));
            for &op in ScanOp::ALL.iter().filter(|op| op.reduce().is_defined(dtype)) {
                for axis in 0..dims.len() {
                    let to = op.output_dtype(dtype);
                    let mut out = Operand::new(&mut draw, to, &dims, true, |draw| draw.value(to));
                    let outside = out.others();
                    scan(op, axis, &input.tile(), &mut out.tile_mut());
                    let what = format!("{op} of {dtype} along axis {axis} of {dims:?}");
                    assert_same(&out.values(), &by_definition(op, axis, &input), &what);
                    assert_eq!(format!("{outside:?}"), format!("{:?}", out.others()), "{what}");
                }
            }
        }
    }
}

#[test]
fn cumulative_sums_of_bools_count() {
    let mask = [true, false, true, true].map(Scalar::Bool);
    let input = Operand::from_values(&[4], &mask, DType::Bool);
    let mut out = Operand::zeros(&[4], DType::I64);
    scan(ScanOp::CumSum, 0, &input.tile(), &mut out.tile_mut());
    assert_eq!(out.values(), [1, 1, 2, 3].map(Scalar::I64));
}
