//! Reductions, compared with another implementation of the documented order, and with exact sums.

use proptest::prelude::*;
use weft_kernels::dtype::{CastFrom, DType, Element, Scalar, f16, with_comparable};
use weft_kernels::reduce::*;
use weft_kernels::shape::{Layout, Shape};
use weft_kernels::testing::{Draw, Operand, assert_same};
use weft_kernels::{ReduceOp, Tile};

use crate::scalars::{add, integers, multiply};
use crate::shapes::dims;

const WHOLE: [ReduceOp; 9] = [
    ReduceOp::Sum,
    ReduceOp::Prod,
    ReduceOp::Min,
    ReduceOp::Max,
    ReduceOp::FMin,
    ReduceOp::FMax,
    ReduceOp::Any,
    ReduceOp::All,
    ReduceOp::CountNonzero,
];

/// Returns the operations on a type.
fn defined(dtype: DType) -> impl Iterator<Item = ReduceOp> {
    WHOLE.into_iter().filter(move |op| op.is_defined(dtype))
}

/// Folds terms in the documented order: blocks of 512, eight lanes in each, halves joined as a
/// tree.
fn in_order(op: ReduceOp, terms: &[Scalar], dtype: DType) -> Scalar {
    let to = op.output_dtype(dtype);
    let terms: Vec<Scalar> = terms.iter().map(|term| prepare(op, term, to)).collect();
    let start = match op {
        ReduceOp::Min | ReduceOp::Max => None,
        _ => op.reduce_empty(dtype),
    };
    let blocks: Vec<Scalar> = terms
        .chunks(512)
        .map(|block| {
            let lanes: Vec<Option<Scalar>> = (0..8)
                .map(|lane| {
                    block
                        .iter()
                        .skip(lane)
                        .step_by(8)
                        .fold(start, |acc, &term| {
                            Some(acc.map_or(term, |acc| join(op, acc, term)))
                        })
                })
                .collect();
            lanes_joined(op, &lanes)
        })
        .collect();
    blocks_joined(op, &blocks)
}

fn lanes_joined(op: ReduceOp, lanes: &[Option<Scalar>]) -> Scalar {
    let both = |a: Option<Scalar>, b: Option<Scalar>| match (a, b) {
        (Some(a), Some(b)) => Some(join(op, a, b)),
        (a, b) => a.or(b),
    };
    let l = lanes;
    let four = [
        both(l[0], l[4]),
        both(l[1], l[5]),
        both(l[2], l[6]),
        both(l[3], l[7]),
    ];
    both(both(four[0], four[2]), both(four[1], four[3])).unwrap()
}

fn blocks_joined(op: ReduceOp, blocks: &[Scalar]) -> Scalar {
    if let [only] = blocks {
        return *only;
    }
    let first = blocks.len().next_power_of_two() / 2;
    join(
        op,
        blocks_joined(op, &blocks[..first]),
        blocks_joined(op, &blocks[first..]),
    )
}

/// Returns a term in the type of the result.
fn prepare(op: ReduceOp, term: &Scalar, to: DType) -> Scalar {
    match op {
        ReduceOp::Any | ReduceOp::All | ReduceOp::CountNonzero => term.cast(DType::Bool).cast(to),
        _ => term.cast(to),
    }
}

fn join(op: ReduceOp, a: Scalar, b: Scalar) -> Scalar {
    use ReduceOp::*;
    match (op, a, b) {
        (Any, ..) => integers(a, b, |a, b| a | b),
        (All, ..) => integers(a, b, |a, b| a & b),
        (Sum | CountNonzero, ..) => add(a, b),
        (Prod, ..) => multiply(a, b),
        (_, Scalar::F16(a), Scalar::F16(b)) => {
            Scalar::F64(extreme(op, a.into(), b.into())).cast(DType::F16)
        }
        (_, Scalar::F32(a), Scalar::F32(b)) => Scalar::F32(extreme(op, a.into(), b.into()) as f32),
        (_, Scalar::F64(a), Scalar::F64(b)) => Scalar::F64(extreme(op, a, b)),
        (Min | FMin, ..) => integers(a, b, Ord::min),
        _ => integers(a, b, Ord::max),
    }
}

fn extreme(op: ReduceOp, a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return match op {
            ReduceOp::FMin | ReduceOp::FMax if a.is_nan() => b,
            ReduceOp::FMin | ReduceOp::FMax => a,
            _ => f64::NAN,
        };
    }
    let is_min = matches!(op, ReduceOp::Min | ReduceOp::FMin);
    let second = if is_min { b < a } else { b > a };
    if second { b } else { a }
}

/// Returns the first best place by plain search, with the rules for NaN.
fn place(op: ReduceOp, terms: &[Scalar]) -> usize {
    let mut best = 0;
    for (at, term) in terms.iter().enumerate().skip(1) {
        let (old, new) = (&terms[best], term);
        if nan(old) {
            break;
        }
        let wins = if op == ReduceOp::ArgMin {
            less(new, old)
        } else {
            less(old, new)
        };
        if nan(new) || wins {
            best = at;
        }
    }
    best
}

fn nan(value: &Scalar) -> bool {
    value.dtype().is_float() && value.to::<f64>().is_nan()
}

#[allow(
    clippy::bool_comparison,
    reason = "`bool` is one of several types here"
)]
fn less(a: &Scalar, b: &Scalar) -> bool {
    with_comparable!(a.dtype(), T => a.to::<T>() < b.to::<T>(), else unreachable!("no order"))
}

/// Returns the terms of each line of a tile along `axis`, in the order of the output.
fn lines(dims: &[usize], axis: usize, values: &[Scalar]) -> Vec<Vec<Scalar>> {
    let shape = Shape::new(dims).unwrap();
    let rest = shape.without(axis);
    (0..rest.len())
        .map(|flat| {
            let mut index = rest.unravel(flat)[..rest.rank()].to_vec();
            index.insert(axis, 0);
            (0..dims[axis])
                .map(|i| {
                    index[axis] = i;
                    values[shape.ravel(&index)]
                })
                .collect()
        })
        .collect()
}

/// Generates shapes with axes longer than a block.
fn long_dims() -> impl Strategy<Value = Vec<usize>> {
    prop_oneof![
        (500usize..6000).prop_map(|n| vec![n]),
        (1usize..5, 500usize..2000).prop_map(|(m, n)| vec![m, n]),
        (500usize..2000, 1usize..200).prop_map(|(m, n)| vec![m, n]),
        (1usize..4, 500usize..1200, 1usize..4).prop_map(|(l, m, n)| vec![l, m, n]),
    ]
}

fn check_whole(dims: &[usize], seed: u64) {
    let mut draw = Draw(seed);
    for dtype in DType::ALL {
        let input = Operand::new(&mut draw, dtype, dims, false, |draw| draw.value(dtype));
        let values = input.values();
        for op in defined(dtype) {
            let mut out = Operand::zeros(&[], op.output_dtype(dtype));
            if values.is_empty() && op.reduce_empty(dtype).is_none() {
                continue;
            }
            let expected = match op.reduce_empty(dtype) {
                Some(nothing) if values.is_empty() => nothing,
                _ => in_order(op, &values, dtype),
            };
            partial(op, &input.tile(), &mut out.tile_mut());
            assert_numbers(&out.values(), &[expected], &format!("{op} of {dtype}"));
        }
    }
}

fn check_axes(dims: &[usize], seed: u64) {
    let mut draw = Draw(seed);
    for dtype in DType::ALL {
        let input = Operand::new(&mut draw, dtype, dims, false, |draw| draw.value(dtype));
        for at in 0..dims.len() {
            let lines = lines(dims, at, &input.values());
            let mut kept = dims.to_vec();
            if draw.next() & 1 == 0 {
                kept[at] = 1;
            } else {
                kept.remove(at);
            }
            for op in defined(dtype) {
                if dims[at] == 0 && op.reduce_empty(dtype).is_none() {
                    continue;
                }
                let to = op.output_dtype(dtype);
                let mut out = Operand::new(&mut draw, to, &kept, true, |draw| draw.value(to));
                let expected: Vec<Scalar> = lines
                    .iter()
                    .map(|line| match op.reduce_empty(dtype) {
                        Some(nothing) if line.is_empty() => nothing,
                        _ => in_order(op, line, dtype),
                    })
                    .collect();
                axis(op, at, &input.tile(), &mut out.tile_mut());
                assert_numbers(
                    &out.values(),
                    &expected,
                    &format!("{op} of {dtype} along {at}"),
                );
            }
            if dims[at] > 0 && ReduceOp::ArgMin.is_defined(dtype) {
                for op in [ReduceOp::ArgMin, ReduceOp::ArgMax] {
                    let mut out = Operand::new(&mut draw, DType::I64, &kept, true, |draw| {
                        draw.value(DType::I64)
                    });
                    let expected: Vec<Scalar> = lines
                        .iter()
                        .map(|line| Scalar::I64(place(op, line) as i64))
                        .collect();
                    axis_index(op, at, &input.tile(), &mut out.tile_mut());
                    assert_same(
                        &out.values(),
                        &expected,
                        &format!("{op} of {dtype} along {at}"),
                    );
                }
            }
        }
    }
}

/// Like [`assert_same`], but accepts a zero of either sign: the minimum of both may be either.
#[track_caller]
fn assert_numbers(got: &[Scalar], expected: &[Scalar], what: &str) {
    let unsigned = |value: &Scalar| match *value {
        Scalar::F16(value) => Scalar::F16(value + f16::ZERO),
        Scalar::F32(value) => Scalar::F32(value + 0.0),
        Scalar::F64(value) => Scalar::F64(value + 0.0),
        other => other,
    };
    let [got, expected] =
        [got, expected].map(|values| values.iter().map(unsigned).collect::<Vec<_>>());
    assert_same(&got, &expected, &what);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whole_reductions_match_reference(dims in dims(), seed: u64) {
        check_whole(&dims, seed);
    }

    #[test]
    fn axis_reductions_match_reference(dims in dims(), seed: u64) {
        check_axes(&dims, seed);
    }

    #[test]
    fn tiling_of_other_axes_keeps_sums(rows in 1usize..40, columns in 1usize..40, cut in 0usize..40, seed: u64) {
        let mut draw = Draw(seed);
        let input = Operand::new(&mut draw, DType::F64, &[rows, columns], true, |draw| draw.tame(DType::F64));
        let (mut whole, mut cuts) = (Operand::zeros(&[columns], DType::F64), Operand::zeros(&[columns], DType::F64));
        axis(ReduceOp::Sum, 0, &input.tile(), &mut whole.tile_mut());
        let cut = cut.min(columns);
        for (from, to) in [(0, cut), (cut, columns)] {
            let part = input.view(input.layout.tile(&[0, from], &[rows, to]));
            let place = cuts.layout.tile(&[from], &[to]);
            axis(ReduceOp::Sum, 0, &part, &mut cuts.view_mut(place));
        }
        assert_same(&cuts.values(), &whole.values(), &"column sums");
    }

    #[test]
    fn combines_arg_results_of_tiles(rows in 1usize..9, columns in 1usize..200, seed: u64) {
        let mut draw = Draw(seed);
        for dtype in DType::ALL.into_iter().filter(|&dtype| ReduceOp::ArgMin.is_defined(dtype)) {
            let dims = [rows, columns];
            let input = Operand::new(&mut draw, dtype, &dims, false, |draw| draw.value(dtype));
            for op in [ReduceOp::ArgMin, ReduceOp::ArgMax] {
                let cuts = [0, columns / 3, columns / 2, columns];
                let tiles: Vec<_> = cuts.windows(2).filter(|cut| cut[0] < cut[1]).collect();
                let mut values = Operand::zeros(&[tiles.len()], dtype);
                let mut indices = Operand::zeros(&[tiles.len()], DType::I64);
                for (at, cut) in tiles.iter().enumerate() {
                    let part = input.view(input.layout.tile(&[0, cut[0]], &[rows, cut[1]]));
                    let one = values.layout.tile(&[at], &[at + 1]);
                    let shape = Shape::new(&dims).unwrap();
                    let (mut value, mut index) = (values.view_mut(one), indices.view_mut(one));
                    partial_index(op, &part, &[0, cut[0]], shape, &mut value, &mut index);
                }
                let mut out = Operand::zeros(&[], DType::I64);
                combine_index(op, &values.tile(), &indices.tile(), &mut out.tile_mut());
                let expected = place(op, &input.values()) as i64;
                assert_same(&out.values(), &[Scalar::I64(expected)], &format!("{op} of {dtype}"));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn long_reductions_match_reference(dims in long_dims(), seed: u64) {
        check_whole(&dims, seed);
        check_axes(&dims, seed);
    }

    #[test]
    fn sums_stay_within_the_documented_bound(n in 1usize..20_000, seed: u64) {
        check_bound::<f64>(n, seed, f64::EPSILON / 2.0);
        check_bound::<f32>(n, seed, f64::from(f32::EPSILON) / 2.0);
    }
}

/// Terms are multiples of 2^-20 below 2^10, so that an `i128` holds their exact sum.
fn check_bound<T: Element + CastFrom<f64>>(n: usize, seed: u64, unit: f64) {
    let mut draw = Draw(seed);
    let mut exact = 0i128;
    let mut magnitude = 0i128;
    let scale = 2f64.powi(20);
    let terms: Vec<Scalar> = (0..n)
        .map(|_| {
            let term = T::cast_from((draw.next() >> 34) as f64 / scale - 300.0).to_scalar();
            let fixed = (term.to::<f64>() * scale) as i128;
            assert_eq!(fixed as f64 / scale, term.to::<f64>());
            exact += fixed;
            magnitude += fixed.abs();
            term
        })
        .collect();
    let input = Operand::from_values(&[n], &terms, T::DTYPE);
    let mut out = Operand::zeros(&[], T::DTYPE);
    partial(ReduceOp::Sum, &input.tile(), &mut out.tile_mut());
    let error = (out.values()[0].to::<f64>() - exact as f64 / scale).abs();
    let steps = 64.0 + 3.0 + (n as f64 / 512.0).log2().max(0.0).ceil();
    let bound = 1.001 * steps * unit * (magnitude as f64 / scale);
    assert!(
        error <= bound,
        "{n} terms: the error {error} is above {bound}"
    );
}

#[test]
fn combines_partial_results() {
    let mut draw = Draw(7);
    for dtype in DType::ALL {
        let input = Operand::new(&mut draw, dtype, &[6, 50], false, |draw| draw.value(dtype));
        for op in defined(dtype) {
            let to = op.output_dtype(dtype);
            let mut partials = Operand::zeros(&[3], to);
            for at in 0..3 {
                let part = input.view(input.layout.tile(&[2 * at, 0], &[2 * at + 2, 50]));
                let place = partials.layout.tile(&[at], &[at + 1]);
                partial(op, &part, &mut partials.view_mut(place));
            }
            let mut out = Operand::zeros(&[1], to);
            combine(op, &partials.tile(), &mut out.tile_mut());
            let parts: Vec<Scalar> = input
                .values()
                .chunks(100)
                .map(|part| in_order(op, part, dtype))
                .collect();
            let expected = in_order(op.combining(), &parts, to);
            assert_numbers(&out.values(), &[expected], &format!("{op} of {dtype}"));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn combines_parts_of_an_axis(length in 3usize..60, others in 1usize..9, at in 0usize..2, seed: u64) {
        let mut draw = Draw(seed);
        let cuts = [0, length / 3, length / 2, length];
        let dims = if at == 0 { [length, others] } else { [others, length] };
        let bounds = |cut: &[usize]| {
            let (mut first, mut end) = ([0, 0], dims);
            (first[at], end[at]) = (cut[0], cut[1]);
            (first, end)
        };
        let parts: Vec<_> = cuts.windows(2).filter(|cut| cut[0] < cut[1]).map(bounds).collect();
        for dtype in DType::ALL {
            let input = Operand::new(&mut draw, dtype, &dims, false, |draw| draw.value(dtype));
            let lines = lines(&dims, at, &input.values());
            let rows = |dtype| Operand::zeros(&[parts.len(), others], dtype);
            fn row(of: &mut Operand, part: usize) -> Tile<'_> {
                of.view_mut(of.layout.index(0, part as isize).unwrap())
            }
            for op in defined(dtype) {
                let to = op.output_dtype(dtype);
                let (mut partials, mut out) = (rows(to), Operand::zeros(&[others], to));
                for (part, (first, end)) in parts.iter().enumerate() {
                    axis(op, at, &input.view(input.layout.tile(first, end)), &mut row(&mut partials, part));
                }
                combine(op, &partials.tile(), &mut out.tile_mut());
                let expected: Vec<Scalar> = lines.iter().map(|line| {
                    let part = |(first, end): &([usize; 2], [usize; 2])| in_order(op, &line[first[at]..end[at]], dtype);
                    in_order(op.combining(), &parts.iter().map(part).collect::<Vec<_>>(), to)
                }).collect();
                assert_numbers(&out.values(), &expected, &format!("{op} of {dtype}"));
            }
            for op in [ReduceOp::ArgMin, ReduceOp::ArgMax].into_iter().filter(|op| op.is_defined(dtype)) {
                let (mut values, mut indices) = (rows(dtype), rows(DType::I64));
                for (part, (first, end)) in parts.iter().enumerate() {
                    let tile = input.view(input.layout.tile(first, end));
                    let (mut value, mut index) = (row(&mut values, part), row(&mut indices, part));
                    partial_axis_index(op, at, first[at], &tile, &mut value, &mut index);
                }
                let mut out = Operand::zeros(&[others], DType::I64);
                combine_index(op, &values.tile(), &indices.tile(), &mut out.tile_mut());
                let expected: Vec<Scalar> = lines.iter().map(|line| Scalar::I64(place(op, line) as i64)).collect();
                assert_same(&out.values(), &expected, &format!("{op} of {dtype}"));
            }
        }
    }
}

#[test]
#[should_panic(expected = "max of no elements")]
fn rejects_max_of_empty_arrays() {
    let (input, mut out) = (
        Operand::zeros(&[0], DType::F64),
        Operand::zeros(&[], DType::F64),
    );
    partial(ReduceOp::Max, &input.tile(), &mut out.tile_mut());
}

#[test]
fn repeated_elements_of_views_all_count() {
    let one = Operand::from_values(&[], &[Scalar::I32(3)], DType::I32);
    let many = Layout {
        offset: 0,
        ..one
            .layout
            .broadcast_to(Shape::new(&[1000]).unwrap())
            .unwrap()
    };
    let mut out = Operand::zeros(&[], DType::I64);
    partial(ReduceOp::Sum, &one.view(many), &mut out.tile_mut());
    assert_eq!(out.values(), [Scalar::I64(3000)]);
}
