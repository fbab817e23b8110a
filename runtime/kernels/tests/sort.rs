//! Sorted lines and merged runs, compared with the standard library's stable sort.

mod order;
mod select;
mod words;

use std::cmp::Ordering;

use proptest::prelude::*;
use weft_kernels::dtype::{Comparable, Complex, DType, Scalar, with_comparable};
use weft_kernels::shape::Shape;
use weft_kernels::sort::*;
use weft_kernels::testing::{Draw, Operand, assert_same};

use crate::shapes::dims;

/// Compares in NumPy's order, NaN last, without keys.
fn compare(a: &Scalar, b: &Scalar) -> Ordering {
    fn compare_elements<T: Comparable>(a: T, b: T) -> Ordering {
        a.partial_cmp(&b).unwrap_or_else(|| {
            #[allow(clippy::eq_op, reason = "only NaN differs from itself")]
            (a != a).cmp(&(b != b))
        })
    }
    with_comparable!(a.dtype(), T => compare_elements(a.to::<T>(), b.to::<T>()), else {
        let [a, b] = [a, b].map(|z| z.to::<Complex<f64>>());
        // numpy.sort: [R + Rj, R + nanj, nan + Rj, nan + nanj].
        let nans = |z: Complex<f64>| (z.re.is_nan(), z.im.is_nan());
        nans(a).cmp(&nans(b)).then(compare_elements(a.re, b.re)).then(compare_elements(a.im, b.im))
    })
}

/// Sorts -0.0 before 0.0, as if values alone were sorted, and removes the sign of NaN.
fn canonical(values: &mut [Scalar]) {
    values.sort_by(|a, b| {
        let sign = |x: f64| x == 0.0 && x.is_sign_positive();
        let signs = |x: &Scalar| {
            let z = x.to::<Complex<f64>>();
            [z.re, z.im].map(sign)
        };
        compare(a, b).then(signs(a).cmp(&signs(b)))
    });
}

/// Returns, for each line of a shape along an axis, the row-major numbers of its elements.
fn lines_of(shape: Shape, axis: usize) -> Vec<Vec<usize>> {
    let mut lines = std::collections::BTreeMap::<Vec<usize>, Vec<usize>>::new();
    for flat in 0..shape.len() {
        let mut at = shape.unravel(flat)[..shape.rank()].to_vec();
        at.remove(axis);
        lines.entry(at).or_default().push(flat);
    }
    lines.into_values().collect()
}

/// Compares sorts of the lines along an axis, to elements and to numbers, with the standard
/// library's.
fn check_lines(axis: usize, input: &Operand, outs: [&mut Operand; 2], what: &str) {
    let (tile, [out, numbers]) = (input.tile(), outs);
    let values = input.values();
    let mut sorted = values.clone();
    let mut places = vec![Scalar::I64(0); values.len()];
    for line in lines_of(tile.layout().shape, axis) {
        let mut in_order: Vec<Scalar> = line.iter().map(|&at| values[at]).collect();
        canonical(&mut in_order);
        let mut order: Vec<usize> = (0..line.len()).collect();
        order.sort_by(|a, b| compare(&values[line[*a]], &values[line[*b]]));
        for (i, &at) in line.iter().enumerate() {
            sorted[at] = in_order[i];
            places[at] = Scalar::I64(order[i] as i64);
        }
    }
    sort(axis, &tile, &mut out.tile_mut());
    assert_same(&out.values(), &sorted, &what);
    argsort(axis, &tile, &mut numbers.tile_mut());
    assert_same(&numbers.values(), &places, &what);
}

proptest! {
    #[test]
    fn sorts_lines_of_every_dtype_layout_and_axis(dims in dims(), seed: u64) {
        let mut draw = Draw(seed);
        for dtype in DType::ALL {
            for axis in 0..dims.len() {
                let what = format!("axis {axis} of {dtype} {dims:?}");
                let input = Operand::new(&mut draw, dtype, &dims, false, |draw| draw.value(dtype));
                let mut out = Operand::new(&mut draw, dtype, &dims, true, |draw| draw.value(dtype));
                let mut numbers = Operand::new(&mut draw, DType::I64, &dims, true, |_| Scalar::I64(7));
                check_lines(axis, &input, [&mut out, &mut numbers], &what);
            }
        }
    }

    #[test]
    fn sorts_many_short_lines_without_gaps(lines in 7usize..40, count in 2usize..67, is_last: bool, seed: u64) {
        let mut draw = Draw(seed);
        let (dims, axis) = if is_last { ([lines, count], 1) } else { ([count, lines], 0) };
        for dtype in DType::ALL {
            let few: Vec<Scalar> = (0..5).map(|_| draw.value(dtype)).collect();
            let has_few = draw.below(2) == 0;
            let mut value = |_| if has_few { few[draw.below(5)] } else { draw.value(dtype) };
            let values: Vec<Scalar> = (0..lines * count).map(&mut value).collect();
            let input = Operand::from_values(&dims, &values, dtype);
            let mut outs = [Operand::zeros(&dims, dtype), Operand::zeros(&dims, DType::I64)];
            let what = format!("axis {axis} of {dtype} {dims:?}");
            check_lines(axis, &input, outs.each_mut(), &what);
        }
    }

    #[test]
    fn merged_runs_equal_the_sorted_vector(length in 0usize..500, runs in 1usize..9, tiles in 1usize..6, seed: u64) {
        let mut draw = Draw(seed);
        for dtype in DType::ALL {
            let values: Vec<Scalar> = (0..length).map(|_| draw.value(dtype)).collect();
            let vector = Operand::from_values(&[length], &values, dtype);
            let part = |from: usize, to: usize| vector.layout.tile(&[from], &[to]);
            let mut now = [Operand::zeros(&[length], dtype), Operand::zeros(&[length], DType::I64)];
            let mut plain = Operand::zeros(&[length], dtype);
            let mut pieces = Runs { length, runs, width: 1 };
            for run in 0..runs {
                let cut = part(pieces.start(run), pieces.start(run + 1));
                let [values, numbers] = now.each_mut();
                let (mut values, mut numbers) = (values.view_mut(cut), numbers.view_mut(cut));
                sort_numbered(pieces.start(run), &vector.view(cut), &mut values, &mut numbers);
                sort(0, &vector.view(cut), &mut plain.view_mut(cut));
            }
            while pieces.width < runs {
                let mut next = [Operand::zeros(&[length], dtype), Operand::zeros(&[length], DType::I64)];
                let mut next_plain = Operand::zeros(&[length], dtype);
                for tile in 0..tiles {
                    let (from, to) = (length * tile / tiles, length * (tile + 1) / tiles);
                    let cut = part(from, to);
                    let mut outs = next.each_mut().map(|next| next.view_mut(cut));
                    let inputs = [now[0].tile(), now[1].tile()];
                    merge_numbered(pieces, from, inputs.each_ref().map(|input| &**input), outs.each_mut());
                    merge(pieces, from, &plain.tile(), &mut next_plain.view_mut(cut));
                }
                (now, plain) = (next, next_plain);
                pieces.width *= 2;
            }
            let what = format!("{length} of {dtype} in {runs} runs and {tiles} tiles");
            let mut order: Vec<usize> = (0..length).collect();
            order.sort_by(|a, b| compare(&values[*a], &values[*b]));
            let expected: Vec<Scalar> = order.iter().map(|&at| values[at]).collect();
            assert_same(&now[0].values(), &expected, &what);
            let expected: Vec<Scalar> = order.iter().map(|&at| Scalar::I64(at as i64)).collect();
            assert_same(&now[1].values(), &expected, &what);
            let mut expected = values;
            canonical(&mut expected);
            assert_same(&plain.values(), &expected, &what);
        }
    }

    #[test]
    fn sorts_long_lines_with_few_and_many_distinct_values(length in 380usize..3000, kind in 0usize..6, seed: u64) {
        let mut draw = Draw(seed);
        for dtype in [DType::Bool, DType::I16, DType::U32, DType::I64, DType::F16, DType::F32, DType::F64, DType::C128] {
            let some: Vec<Scalar> = (0..7).map(|_| draw.value(dtype)).collect();
            let value = |draw: &mut Draw, at: usize| match kind {
                0 => draw.value(dtype),
                1 => some[draw.below(7)],
                // Values that differ only in their last bits, with a few that are far away.
                2 => Scalar::F64(1.0 + draw.below(40) as f64 * f64::EPSILON).cast(dtype),
                3 => Scalar::F64([1e-9, 1.0, 3e4][draw.below(3)] * (1.0 + draw.below(900) as f64 * 1e-13)).cast(dtype),
                4 => Scalar::F64(at as f64).cast(dtype),
                _ => Scalar::F64(-(at as f64)).cast(dtype),
            };
            let values: Vec<Scalar> = (0..length).map(|at| value(&mut draw, at)).collect();
            let input = Operand::from_values(&[length], &values, dtype);
            let backwards = input.layout.slice(0, None, None, -1).unwrap();
            let views = [(input.tile(), values.clone()), (input.view(backwards), values.iter().rev().copied().collect())];
            for (view, values) in views {
                let what = format!("{length} of {dtype}, kind {kind}");
                let mut out = Operand::zeros(&[length], dtype);
                sort(0, &view, &mut out.tile_mut());
                let mut expected = values.clone();
                canonical(&mut expected);
                assert_same(&out.values(), &expected, &what);
                let mut order: Vec<usize> = (0..length).collect();
                order.sort_by(|a, b| compare(&values[*a], &values[*b]));
                let expected: Vec<Scalar> = order.iter().map(|&at| Scalar::I64(at as i64)).collect();
                let mut numbers = Operand::zeros(&[length], DType::I64);
                argsort(0, &view, &mut numbers.tile_mut());
                assert_same(&numbers.values(), &expected, &what);
            }
        }
    }
}

#[test]
fn nans_compare_equal() {
    let values = [
        0x7FF8_0000_0000_0002_u64,
        0x7FF0_0000_0000_0000,
        0xFFF8_0000_0000_0001,
    ];
    let values = values.map(|bits| Scalar::F64(f64::from_bits(bits)));
    let vector = Operand::from_values(&[3], &values, DType::F64);
    let mut numbers = Operand::zeros(&[3], DType::I64);
    argsort(0, &vector.tile(), &mut numbers.tile_mut());
    assert_eq!(numbers.values(), [1, 0, 2].map(Scalar::I64));
}
