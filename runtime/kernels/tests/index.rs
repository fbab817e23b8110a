//! Reads and writes by index, compared with their definition.

use proptest::prelude::*;
use weft_kernels::dtype::{DType, Scalar};
use weft_kernels::index::*;
use weft_kernels::shape::Shape;
use weft_kernels::testing::{Draw, Operand, assert_same};

use crate::shapes::dims;

/// Returns indices of an axis of this length, half of them counted from the back.
fn indices(draw: &mut Draw, length: usize, count: usize) -> Operand {
    Operand::new(draw, DType::I64, &[count], false, |draw| {
        let place = draw.below(length) as i64;
        Scalar::I64(if draw.below(2) == 0 {
            place
        } else {
            place - length as i64
        })
    })
}

/// Returns, for each element of `counted`, the row-major number in `shape` of the position that its
/// index refers to.
fn named(axis: usize, shape: Shape, counted: Shape, indices: &[Scalar]) -> Vec<usize> {
    let length = shape.dims()[axis] as i64;
    (0..counted.len())
        .map(|flat| {
            let mut at = counted.unravel(flat);
            at[axis] = indices[at[axis]].to::<i64>().rem_euclid(length) as usize;
            shape.ravel(&at[..shape.rank()])
        })
        .collect()
}

proptest! {
    #[test]
    fn takes_and_puts_every_dtype_layout_and_axis(dims in dims(), count in 0usize..20, seed: u64) {
        let mut draw = Draw(seed);
        for dtype in DType::ALL {
            for axis in (0..dims.len()).filter(|&axis| dims[axis] > 0) {
                let what = format!("{count} along axis {axis} of {dtype} {dims:?}");
                let mut short = dims.clone();
                short[axis] = count;
                let indices = indices(&mut draw, dims[axis], count);
                let [long, shape] = [&dims, &short].map(|dims| Shape::new(dims).unwrap());
                let places = named(axis, long, shape, &indices.values());

                let input = Operand::new(&mut draw, dtype, &dims, false, |draw| draw.value(dtype));
                let mut out = Operand::new(&mut draw, dtype, &short, true, |draw| draw.value(dtype));
                let outside = out.others();
                take(axis, &input.tile(), &indices.tile(), &mut out.tile_mut()).unwrap();
                let values = input.values();
                let expected: Vec<Scalar> = places.iter().map(|&place| values[place]).collect();
                assert_same(&out.values(), &expected, &what);
                assert_eq!(format!("{outside:?}"), format!("{:?}", out.others()), "{what}");

                let values = Operand::new(&mut draw, dtype, &short, false, |draw| draw.value(dtype));
                let mut out = Operand::new(&mut draw, dtype, &dims, true, |draw| draw.value(dtype));
                let outside = out.others();
                let mut expected = out.values();
                // Row-major order visits each line in the order of the indices.
                for (place, value) in places.iter().zip(values.values()) {
                    expected[*place] = value;
                }
                put(axis, &values.tile(), &indices.tile(), &mut out.tile_mut()).unwrap();
                assert_same(&out.values(), &expected, &what);
                assert_eq!(format!("{outside:?}"), format!("{:?}", out.others()), "{what}");
            }
        }
    }
}

#[test]
fn takes_and_puts_by_indices_of_one_sign_or_both() {
    let mut draw = Draw(3);
    for count in (0..70).chain([255, 1000]) {
        for (negative, of_kinds) in [(1, 1), (0, 1), (1, 2)] {
            let given: Vec<Scalar> = (0..count)
                .map(|_| {
                    let place = draw.below(33) as i64;
                    let is_back = draw.below(of_kinds) < negative;
                    Scalar::I64(if is_back { place - 33 } else { place })
                })
                .collect();
            let places: Vec<usize> = given
                .iter()
                .map(|index| index.to::<i64>().rem_euclid(33) as usize)
                .collect();
            let indices = Operand::from_values(&[count], &given, DType::I64);
            let input: Vec<Scalar> = (0..33).map(|_| draw.value(DType::F64)).collect();
            let input = Operand::from_values(&[33], &input, DType::F64);
            let mut out = Operand::zeros(&[count], DType::F64);
            take(0, &input.tile(), &indices.tile(), &mut out.tile_mut()).unwrap();
            let expected: Vec<Scalar> = places.iter().map(|at| input.values()[*at]).collect();
            assert_same(&out.values(), &expected, &format!("{count} taken"));

            let mut changed = Operand::zeros(&[33], DType::F64);
            put(0, &out.tile(), &indices.tile(), &mut changed.tile_mut()).unwrap();
            let mut expected = [Scalar::zero(DType::F64); 33];
            for (at, value) in places.iter().zip(out.values()) {
                expected[*at] = value;
            }
            assert_same(&changed.values(), &expected, &format!("{count} put"));
        }
    }
}

#[test]
fn returns_first_out_of_bounds_index_and_writes_nothing() {
    let mut input = Operand::from_values(&[3], &[1, 2, 3].map(Scalar::I32), DType::I32);
    for wrong in [3, -4, i64::MAX, i64::MIN] {
        let indices = Operand::from_values(&[4], &[-3, wrong, 2, 7].map(Scalar::I64), DType::I64);
        let mut out = Operand::zeros(&[4], DType::I32);
        let error = OutOfBounds {
            index: wrong,
            length: 3,
        };
        let result = take(0, &input.tile(), &indices.tile(), &mut out.tile_mut());
        assert_eq!(result, Err(error));
        assert_eq!(out.values(), [Scalar::I32(0); 4]);
        let values = Operand::from_values(&[4], &[7; 4].map(Scalar::I32), DType::I32);
        let result = put(0, &values.tile(), &indices.tile(), &mut input.tile_mut());
        assert_eq!(result, Err(error));
        assert_eq!(input.values(), [1, 2, 3].map(Scalar::I32));
    }
}
