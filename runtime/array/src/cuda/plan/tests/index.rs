//! Reads and writes by index.

use super::harness::{Cases, On, exactly};
use super::reduce::shape;
use crate::cuda::testing::dtypes;
use crate::dtype::{DType, Scalar};
use crate::kernel::testing::{Draw, Operand};
use crate::kernel::{elementwise, index};
use crate::library;

fn indices(draw: &mut Draw, length: usize, count: usize) -> Operand {
    Operand::new(draw, DType::I64, &[count], false, |draw| {
        Scalar::I64(draw.below(2 * length) as i64 - length as i64)
    })
}

const SHAPES: [&[usize]; 6] = [
    &[1],
    &[3000],
    &[40, 70],
    &[700, 3],
    &[4, 37, 5],
    &[2, 3, 4, 5],
];

fn picks(shapes: &[&[usize]], seed: u64) -> Cases {
    let mut cases = Cases::new();
    let mut draw = Draw(seed);
    for &dims in shapes {
        for axis in 0..dims.len() {
            for dtype in dtypes() {
                let count = [0, 1, 10, 2 * dims[axis]][draw.below(4)];
                let mut short = dims.to_vec();
                short[axis] = count;
                let indices = indices(&mut draw, dims[axis], count);
                let what = format!("{count} of {dtype} {dims:?} along {axis}");

                let input = Operand::new(&mut draw, dtype, dims, false, |draw| draw.value(dtype));
                let out = Operand::new(&mut draw, dtype, &short, true, |draw| draw.value(dtype));
                let mut wanted = out.with_bytes(&out.bytes());
                index::take(axis, &input.tile(), &indices.tile(), &mut wanted.tile_mut()).unwrap();
                cases.add(
                    format!("take {what}"),
                    library::index::take(axis as u8),
                    shape(&short),
                    &[On::Tile(&input), On::Tile(&indices), On::Tile(&out)],
                    vec![exactly(2, wanted)],
                );

                let out = Operand::new(&mut draw, dtype, dims, true, |draw| draw.value(dtype));
                let mut wanted = out.with_bytes(&out.bytes());
                let body = library::index::put(axis as u8);
                if draw.below(4) == 0 {
                    let value = draw.value(dtype);
                    let mut values = Operand::zeros(&short, dtype);
                    elementwise::fill(value, &mut values.tile_mut());
                    index::put(
                        axis,
                        &values.tile(),
                        &indices.tile(),
                        &mut wanted.tile_mut(),
                    )
                    .unwrap();
                    let operands = [On::Scalar(value), On::Tile(&indices), On::Tile(&out)];
                    let expected = vec![exactly(1, wanted)];
                    cases.add(
                        format!("put one in {what}"),
                        body,
                        shape(&short),
                        &operands,
                        expected,
                    );
                } else {
                    let values =
                        Operand::new(&mut draw, dtype, &short, false, |draw| draw.value(dtype));
                    index::put(
                        axis,
                        &values.tile(),
                        &indices.tile(),
                        &mut wanted.tile_mut(),
                    )
                    .unwrap();
                    let operands = [On::Tile(&values), On::Tile(&indices), On::Tile(&out)];
                    let expected = vec![exactly(2, wanted)];
                    cases.add(
                        format!("put {what}"),
                        body,
                        shape(&short),
                        &operands,
                        expected,
                    );
                }
            }
        }
    }
    cases
}

#[test]
fn takes_and_puts_elements_by_index() {
    picks(&SHAPES, 1).check();
}

#[test]
fn reports_out_of_bounds_index() {
    let mut cases = Cases::new();
    for wrong in [3, -4, i64::MAX, i64::MIN] {
        let indices = Operand::from_values(&[4], &[-3, 1, wrong, 2].map(Scalar::I64), DType::I64);
        let array = Operand::from_values(&[3], &[1, 2, 3].map(Scalar::I32), DType::I32);
        let four = Operand::from_values(&[4], &[5, 6, 7, 8].map(Scalar::I32), DType::I32);
        for (body, operands) in [
            (library::index::take(0), [&array, &indices, &four]),
            (library::index::put(0), [&four, &indices, &array]),
        ] {
            let operands = operands.map(On::Tile);
            let what = format!("{} with {wrong}", body.name);
            let fault = Some((wrong, 3));
            cases.add_part(
                what,
                body,
                shape(&[4]),
                Default::default(),
                &operands,
                vec![],
                fault,
            );
        }
    }
    cases.check();
}

/// Returns all kernels, for the compiler.
pub(super) fn all() -> Vec<Cases> {
    vec![picks(&SHAPES[1..3], 2)]
}
