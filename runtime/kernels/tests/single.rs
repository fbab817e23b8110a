//! Functions of single values.

#![allow(unsafe_code, reason = "makes tiles of values on the stack")]

use weft_kernels::dtype::{DType, Scalar, ScalarBits};
use weft_kernels::elementwise::{binary, binary_of_one, unary, unary_of_one};
use weft_kernels::shape::{Layout, Shape};
use weft_kernels::{BinaryOp, Tile, UnaryOp};

fn values(dtype: DType) -> Vec<Scalar> {
    let numbers = [0.0, 1.0, -2.0, 2.5, -0.0, f64::NAN, f64::INFINITY, 100.0];
    numbers
        .iter()
        .map(|number| Scalar::F64(*number).cast(dtype))
        .collect()
}

/// Returns a tile of one element.
fn tile(bits: &mut ScalarBits, dtype: DType) -> Tile<'_> {
    let layout = Layout::contiguous(Shape::SCALAR);
    // SAFETY: the bits are a value of any dtype, and are borrowed as long as the tile lives.
    unsafe { Tile::new(bits.bytes.as_mut_ptr(), dtype, layout) }
}

#[test]
fn scalar_functions_have_bits_of_array_functions() {
    let mut compared = 0;
    for dtype in DType::ALL {
        for a in values(dtype) {
            for op in UnaryOp::ALL.iter().copied() {
                let Some(made) = unary_of_one(op, a) else {
                    continue;
                };
                let mut out = ScalarBits::default();
                unary(
                    op,
                    &tile(&mut ScalarBits::from_scalar(&a), dtype),
                    &mut tile(&mut out, made.dtype()),
                );
                assert_eq!(
                    ScalarBits::from_scalar(&made).bytes,
                    out.bytes,
                    "{op} of {a:?}"
                );
                compared += 1;
            }
            for (op, b) in BinaryOp::ALL
                .iter()
                .flat_map(|op| values(dtype).into_iter().map(move |b| (*op, b)))
            {
                let Some(made) = binary_of_one(op, a, b) else {
                    continue;
                };
                let mut out = ScalarBits::default();
                let (mut left, mut right) =
                    (ScalarBits::from_scalar(&a), ScalarBits::from_scalar(&b));
                binary(
                    op,
                    &tile(&mut left, dtype),
                    &tile(&mut right, dtype),
                    &mut tile(&mut out, made.dtype()),
                );
                assert_eq!(
                    ScalarBits::from_scalar(&made).bytes,
                    out.bytes,
                    "{op} of {a:?} and {b:?}"
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 10_000, "only {compared} were compared");
}
