//! Running sums and products.

use super::harness::{Cases, Expected, On, exactly, is_inexact, size, unit};
use super::reduce::{INEXACT, shape};
use crate::cuda::testing::dtypes;
use crate::dtype::{DType, Scalar};
use crate::kernel::testing::{Draw, Operand};
use crate::kernel::{ScanOp, scan};
use crate::library;

const SHAPES: [&[usize]; 9] = [
    &[1],
    &[0],
    &[1000],
    &[5000],
    &[3, 4000],
    &[300, 5],
    &[40, 150],
    &[2, 3, 4, 5],
    &[6, 1, 70, 3],
];

fn scans(shapes: &[&[usize]], dtypes: &[DType], seed: u64) -> Cases {
    let mut cases = Cases::new();
    let mut draw = Draw(seed);
    for &dims in shapes {
        for axis in 0..dims.len() {
            for &dtype in dtypes {
                for &op in ScanOp::ALL
                    .iter()
                    .filter(|op| op.reduce().is_defined(dtype))
                {
                    let input = Operand::new(&mut draw, dtype, dims, false, |draw| {
                        let value = draw.tame(DType::F64).to::<f64>();
                        match (op, is_inexact(dtype)) {
                            (ScanOp::CumSum, true) => Scalar::F64(value).cast(dtype),
                            (ScanOp::CumProd, true) => {
                                Scalar::F64(1.0 + value / 4096.0).cast(dtype)
                            }
                            _ => draw.value(dtype),
                        }
                    });
                    let to = op.output_dtype(dtype);
                    let out = Operand::new(&mut draw, to, dims, true, |draw| draw.value(to));
                    let mut wanted = out.with_bytes(&out.bytes());
                    scan::scan(op, axis, &input.tile(), &mut wanted.tile_mut());
                    // The CPU adds terms one after the other, so that most of the distance is its
                    // own error.
                    let inner: usize = dims[axis + 1..].iter().product();
                    let mut sizes: Vec<f64> = input.values().iter().map(size).collect();
                    for at in 0..sizes.len() {
                        if !(at / inner).is_multiple_of(dims[axis]) {
                            let before = sizes[at - inner];
                            match op {
                                ScanOp::CumSum => sizes[at] += before,
                                ScanOp::CumProd => sizes[at] *= before,
                                // These are exact.
                                ScanOp::CumMax | ScanOp::CumMin => sizes[at] = 0.0,
                            }
                        }
                    }
                    let steps = 6.0 * dims[axis] as f64;
                    let tolerance = move |at: usize| steps * unit(dtype) * sizes[at];
                    let expected = Expected {
                        operand: 1,
                        values: wanted,
                        tolerance: is_inexact(dtype).then(|| Box::new(tolerance) as _),
                    };
                    cases.add(
                        format!("{op} of {dtype} {dims:?} along {axis} {:?}", input.layout),
                        library::scan::scan(op, axis as u8, false),
                        shape(dims),
                        &[On::Tile(&input), On::Tile(&out)],
                        vec![expected],
                    );
                }
            }
        }
    }
    cases
}

#[test]
fn scans_float_arrays() {
    scans(&SHAPES, &INEXACT, 1).check();
}

/// Returns scans that round to `f16` at each term, so that the bits are the CPU's.
fn halves(shapes: &[&[usize]], seed: u64) -> Cases {
    let mut cases = Cases::new();
    let mut draw = Draw(seed);
    for &dims in shapes {
        for axis in 0..dims.len() {
            for &op in ScanOp::ALL {
                let half = |draw: &mut Draw| draw.value(DType::F16).cast(DType::F32);
                let input = Operand::new(&mut draw, DType::F32, dims, false, half);
                let out = Operand::new(&mut draw, DType::F32, dims, true, half);
                let mut wanted = out.with_bytes(&out.bytes());
                scan::scan_half(op, axis, &input.tile(), &mut wanted.tile_mut());
                cases.add(
                    format!("{op} of halves {dims:?} along {axis} {:?}", input.layout),
                    library::scan::scan(op, axis as u8, true),
                    shape(dims),
                    &[On::Tile(&input), On::Tile(&out)],
                    vec![exactly(1, wanted)],
                );
            }
        }
    }
    cases
}

#[test]
fn scans_half_precision_arrays() {
    halves(&SHAPES, 5).check();
}

#[test]
fn scans_integer_arrays() {
    scans(
        &SHAPES,
        &[
            DType::Bool,
            DType::I8,
            DType::I32,
            DType::U16,
            DType::U32,
            DType::I64,
        ],
        2,
    )
    .check();
}

/// Returns all kernels, for the compiler.
pub(super) fn all() -> Vec<Cases> {
    let (flat, deep): ([&[usize]; 2], [&[usize]; 1]) = ([&[5000], &[300, 70]], [&[6, 1, 70, 3]]);
    vec![
        scans(&flat, &dtypes().collect::<Vec<_>>(), 3),
        scans(&deep, &[DType::F64], 4),
        halves(&flat, 6),
    ]
}
