//! Counts, searches and row-major numbers, compared with plain loops.

use proptest::prelude::*;
use weft_kernels::count::*;
use weft_kernels::dtype::{DType, Scalar, with_element};
use weft_kernels::histogram::histogram;
use weft_kernels::index::OutOfBounds;
use weft_kernels::interp::interpolate;
use weft_kernels::member::Members;
use weft_kernels::search::search;
use weft_kernels::shape::Shape;
use weft_kernels::sort::sort;
use weft_kernels::testing::inner::Ordered;
use weft_kernels::testing::{Draw, Operand, assert_same, same};

use crate::shapes::dims;

proptest! {
    #[test]
    fn members_are_found_in_every_integer_dtype(dims in dims(), size in 1usize..20, seed: u64) {
        let mut draw = Draw(seed);
        for dtype in DType::ALL.into_iter().filter(|dtype| dtype.is_integer()) {
            let set = Operand::new(&mut draw, dtype, &[size], false, |draw| {
                Scalar::I64(draw.below(70) as i64 - 5).cast(dtype)
            });
            let numbers = Operand::new(&mut draw, dtype, &dims, false, |draw| draw.value(dtype));
            let Some(members) = Members::of(&set.tile(), 300) else {
                // Negative numbers became large ones.
                assert!(dtype == DType::U16 || dtype == DType::U32 || dtype == DType::U64);
                continue;
            };
            let mut out = Operand::new(&mut draw, DType::Bool, &dims, true, |_| Scalar::Bool(true));
            members.mark(&numbers.tile(), &mut out.tile_mut());
            let all = set.values();
            let expected: Vec<Scalar> = (numbers.values().iter())
                .map(|number| Scalar::Bool(all.iter().any(|one| same(one, number))))
                .collect();
            assert_same(&out.values(), &expected, &dtype);
        }
    }

    #[test]
    fn counts_and_weighs_every_dtype(dims in dims(), bins in 1usize..9, seed: u64) {
        let mut draw = Draw(seed);
        let numbers = Operand::new(&mut draw, DType::I64, &dims, false, |draw| {
            Scalar::I64(draw.below(bins) as i64)
        });
        let mut out = Operand::new(&mut draw, DType::I64, &[bins], true, |_| Scalar::I64(3));
        count(&numbers.tile(), None, &mut out.tile_mut()).unwrap();
        let places: Vec<usize> = numbers.values().iter().map(|n| n.to::<i64>() as usize).collect();
        let mut expected = vec![0; bins];
        places.iter().for_each(|&place| expected[place] += 1);
        let expected: Vec<Scalar> = expected.into_iter().map(Scalar::I64).collect();
        assert_same(&out.values(), &expected, &"counts");

        let weights = Operand::new(&mut draw, DType::F64, &dims, false, |draw| draw.value(DType::F64));
        let mut out = Operand::new(&mut draw, DType::F64, &[bins], true, |_| Scalar::F64(3.0));
        count(&numbers.tile(), Some(&weights.tile()), &mut out.tile_mut()).unwrap();
        let mut expected = vec![0.0; bins];
        for (place, weight) in places.iter().zip(weights.values()) {
            expected[*place] += weight.to::<f64>();
        }
        let expected: Vec<Scalar> = expected.into_iter().map(Scalar::F64).collect();
        assert_same(&out.values(), &expected, &"weights");
    }

    #[test]
    fn counts_many_adjacent_values(many in 0usize..3000, bins in 1usize..1500, wrong in 0usize..4, seed: u64) {
        let mut draw = Draw(seed);
        let range = if draw.below(2) == 0 { bins } else { bins.min(2) };
        let mut places: Vec<i64> = (0..many).map(|_| draw.below(range) as i64).collect();
        let outside = [-1, bins as i64, i64::MIN, i64::MAX][draw.below(4)];
        if wrong == 0 && many > 0 {
            places[draw.below(many)] = outside;
        }
        let values: Vec<Scalar> = places.iter().copied().map(Scalar::I64).collect();
        let numbers = Operand::from_values(&[many], &values, DType::I64);
        let mut out = Operand::from_values(&[bins], &vec![Scalar::I64(3); bins], DType::I64);
        let result = count(&numbers.tile(), None, &mut out.tile_mut());
        if wrong == 0 && many > 0 {
            prop_assert_eq!(result, Err(OutOfBounds { index: outside, length: bins }));
        } else {
            let mut expected = vec![0; bins];
            places.iter().for_each(|&place| expected[place as usize] += 1);
            let expected: Vec<Scalar> = expected.into_iter().map(Scalar::I64).collect();
            assert_same(&out.values(), &expected, &"counts");
        }
    }

    #[test]
    fn searches_sorted_vectors_of_every_dtype(dims in dims(), length in 0usize..40, seed: u64) {
        let mut draw = Draw(seed);
        for dtype in DType::ALL {
            let vector = Operand::new(&mut draw, dtype, &[length], false, |draw| draw.value(dtype));
            let mut sorted = Operand::new(&mut draw, dtype, &[length], true, |draw| draw.value(dtype));
            sort(0, &vector.tile(), &mut sorted.tile_mut());
            let mut values = Operand::new(&mut draw, dtype, &dims, false, |draw| draw.value(dtype));
            if length > 0 && seed % 2 == 0 {
                // Values that are in the vector.
                let all = sorted.values();
                values = Operand::new(&mut draw, dtype, &dims, false, |draw| all[draw.below(length)]);
            }
            for right in [false, true] {
                let mut out = Operand::new(&mut draw, DType::I64, &dims, true, |_| Scalar::I64(3));
                search(right, &sorted.tile(), &values.tile(), &mut out.tile_mut());
                let expected: Vec<Scalar> = values.values().iter().map(|value| {
                    let before = |other: &&Scalar| with_element!(dtype, T => {
                        let (other, value) = (other.to::<T>().rank(), value.to::<T>().rank());
                        if right { other <= value } else { other < value }
                    });
                    Scalar::I64(sorted.values().iter().filter(before).count() as i64)
                }).collect();
                assert_same(&out.values(), &expected, &format!("{dtype} {right}"));
            }
        }
    }

    #[test]
    fn searches_evenly_spaced_edges(length in 2usize..300, bends: bool, seed: u64) {
        let mut draw = Draw(seed);
        for dtype in [DType::F64, DType::F32, DType::I32] {
            let edge = |at: usize| {
                let bent = if bends && at > length / 3 { at * at } else { at };
                Scalar::F64(bent as f64 * 0.7 - 5.0).cast(dtype)
            };
            let edges: Vec<Scalar> = (0..length).map(edge).collect();
            let sorted = Operand::from_values(&[length], &edges, dtype);
            let outside = [f64::NEG_INFINITY, f64::INFINITY, f64::NAN, 1e300].map(|value| Scalar::F64(value).cast(dtype));
            let values: Vec<Scalar> = (0..400).map(|number| match number % 5 {
                0 => edges[draw.below(length)],
                1 => outside[draw.below(4)],
                _ => Scalar::F64(draw.below(1000) as f64 / 1000.0 * length as f64 - 6.0).cast(dtype),
            }).collect();
            let values = Operand::from_values(&[400], &values, dtype);
            for right in [false, true] {
                let mut out = Operand::zeros(&[400], DType::I64);
                search(right, &sorted.tile(), &values.tile(), &mut out.tile_mut());
                let expected: Vec<Scalar> = values.values().iter().map(|value| {
                    let before = |other: &&Scalar| with_element!(dtype, T => {
                        let (other, value) = (other.to::<T>().rank(), value.to::<T>().rank());
                        if right { other <= value } else { other < value }
                    });
                    Scalar::I64(edges.iter().filter(before).count() as i64)
                }).collect();
                assert_same(&out.values(), &expected, &format!("{dtype} {right}"));
            }
        }
    }

    #[test]
    fn counts_values_between_edges(dims in dims(), length in 2usize..40, seed: u64) {
        let mut draw = Draw(seed);
        for dtype in [DType::F64, DType::F32, DType::I32, DType::U8] {
            // Few different values, so that many are equal to edges.
            let value = |draw: &mut Draw| match draw.below(9) {
                0 => Scalar::F64(f64::NAN).cast(dtype),
                _ => Scalar::F64(draw.below(50) as f64).cast(dtype),
            };
            let edge = |draw: &mut Draw| Scalar::F64(draw.below(50) as f64).cast(dtype);
            let vector = Operand::new(&mut draw, dtype, &[length], false, edge);
            let mut edges = Operand::new(&mut draw, dtype, &[length], true, edge);
            sort(0, &vector.tile(), &mut edges.tile_mut());
            let values = Operand::new(&mut draw, dtype, &dims, false, value);
            let weights = Operand::new(&mut draw, DType::F64, &dims, false, weight);
            let (mut counts, mut sums) = (vec![0_i64; length - 1], vec![0.0_f64; length - 1]);
            let all: Vec<f64> = edges.values().iter().map(|edge| edge.to::<f64>()).collect();
            for (value, weight) in values.values().iter().zip(weights.values()) {
                let value = value.to::<f64>();
                let is_in = |bin: &usize| {
                    let is_last = *bin == length - 2 && value == all[bin + 1];
                    all[*bin] <= value && (value < all[bin + 1] || is_last)
                };
                if let Some(bin) = (0..length - 1).rev().find(is_in) {
                    counts[bin] += 1;
                    sums[bin] += weight.to::<f64>();
                }
            }
            let mut out = Operand::new(&mut draw, DType::I64, &[length - 1], true, |_| Scalar::I64(3));
            histogram(&edges.tile(), &values.tile(), None, &mut out.tile_mut());
            let expected: Vec<Scalar> = counts.into_iter().map(Scalar::I64).collect();
            assert_same(&out.values(), &expected, &dtype);
            let mut out = Operand::new(&mut draw, DType::F64, &[length - 1], true, |_| Scalar::F64(3.0));
            histogram(&edges.tile(), &values.tile(), Some(&weights.tile()), &mut out.tile_mut());
            let expected: Vec<Scalar> = sums.into_iter().map(Scalar::F64).collect();
            assert_same(&out.values(), &expected, &dtype);
        }
    }

    #[test]
    fn interpolates_between_points(dims in dims(), length in 1usize..40, seed: u64) {
        let mut draw = Draw(seed);
        let number = |draw: &mut Draw| Scalar::F64(draw.below(60) as f64);
        let vector = Operand::new(&mut draw, DType::F64, &[length], false, number);
        let mut x = Operand::new(&mut draw, DType::F64, &[length], true, number);
        sort(0, &vector.tile(), &mut x.tile_mut());
        let y = Operand::new(&mut draw, DType::F64, &[length], false, |draw| match draw.below(12) {
            0 => Scalar::F64(f64::INFINITY),
            _ => number(draw),
        });
        let at = Operand::new(&mut draw, DType::F64, &dims, false, |draw| match draw.below(9) {
            0 => Scalar::F64(f64::NAN),
            _ => Scalar::F64(draw.below(130) as f64 / 2.0 - 2.0),
        });
        let ends = [Some(-7.0), None];
        let mut out = Operand::new(&mut draw, DType::F64, &dims, true, number);
        interpolate(ends, &at.tile(), &x.tile(), &y.tile(), &mut out.tile_mut());
        let all = |operand: &Operand| -> Vec<f64> {
            operand.values().iter().map(|value| value.to::<f64>()).collect()
        };
        let (x, y) = (all(&x), all(&y));
        let expected: Vec<Scalar> = all(&at).into_iter().map(|value| {
            Scalar::F64(match x.iter().rposition(|point| *point <= value) {
                None if value.is_nan() => if length == 1 { y[0] } else { value },
                None => -7.0,
                Some(point) if point == length - 1 || x[point] == value => y[point],
                Some(point) => {
                    let slope = (y[point + 1] - y[point]) / (x[point + 1] - x[point]);
                    let found = slope * (value - x[point]) + y[point];
                    let other = slope * (value - x[point + 1]) + y[point + 1];
                    let both = if y[point] == y[point + 1] { y[point] } else { other };
                    if !found.is_nan() { found } else if !other.is_nan() { other } else { both }
                }
            })
        }).collect();
        assert_same(&out.values(), &expected, &"interpolation");
    }

    #[test]
    fn finds_bounds_of_numbers(dims in dims(), seed: u64) {
        let mut draw = Draw(seed);
        let numbers = Operand::new(&mut draw, DType::I64, &dims, false, |draw| draw.value(DType::I64));
        let all: Vec<i64> = numbers.values().iter().map(|number| number.to::<i64>()).collect();
        let expected = all.iter().min().copied().zip(all.iter().max().copied());
        prop_assert_eq!(bounds(&numbers.tile()), expected);
    }

    #[test]
    fn row_major_indices_match_the_shape(
        axes in prop::collection::vec(1usize..5, 1..4),
        dims in dims(),
        seed: u64,
    ) {
        let mut draw = Draw(seed);
        let shape = Shape::new(&axes).unwrap();
        let flat = Operand::new(&mut draw, DType::I64, &dims, false, |draw| {
            Scalar::I64(draw.below(shape.len()) as i64)
        });
        let mut so_far = Operand::zeros(&dims, DType::I64);
        for (axis, &length) in axes.iter().enumerate() {
            let indices: Vec<Scalar> = flat.values().iter().map(|flat| {
                let at = shape.unravel(flat.to::<i64>() as usize)[axis] as i64;
                Scalar::I64(if draw.below(2) == 0 { at } else { at - length as i64 })
            }).collect();
            let indices = Operand::from_values(&dims, &indices, DType::I64);
            let mut next = Operand::zeros(&dims, DType::I64);
            ravel(length, &so_far.tile(), &indices.tile(), &mut next.tile_mut()).unwrap();
            so_far = next;
        }
        assert_same(&so_far.values(), &flat.values(), &"numbers");
    }
}

#[test]
fn returns_out_of_bounds_value() {
    let numbers = Operand::from_values(&[4], &[0, 5, -1, 2].map(Scalar::I64), DType::I64);
    let mut out = Operand::zeros(&[3], DType::I64);
    let wrong = OutOfBounds {
        index: 5,
        length: 3,
    };
    assert_eq!(
        count(&numbers.tile(), None, &mut out.tile_mut()),
        Err(wrong)
    );
    let mut out = Operand::zeros(&[4], DType::I64);
    assert_eq!(
        ravel(3, &numbers.tile(), &numbers.tile(), &mut out.tile_mut()),
        Err(wrong)
    );
    let numbers = Operand::from_values(&[1], &[Scalar::I64(-4)], DType::I64);
    let mut out = Operand::zeros(&[1], DType::I64);
    let wrong = OutOfBounds {
        index: -4,
        length: 3,
    };
    assert_eq!(
        ravel(3, &numbers.tile(), &numbers.tile(), &mut out.tile_mut()),
        Err(wrong)
    );
}

fn weight(draw: &mut Draw) -> Scalar {
    Scalar::F64(draw.below(1000) as f64 / 8.0)
}
