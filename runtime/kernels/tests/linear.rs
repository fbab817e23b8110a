//! Products, compared with their definitions.

use proptest::prelude::*;
use weft_kernels::dtype::{Complex, DType, Scalar};
use weft_kernels::linear::*;
use weft_kernels::shape::Shape;
use weft_kernels::testing::{Draw, Operand, assert_same};

use crate::scalars::{add, multiply};

/// Returns all dtypes except `f16`, whose products are computed in `f32`.
fn dtypes() -> impl Iterator<Item = DType> {
    DType::ALL
        .into_iter()
        .filter(|dtype| dtype.accumulator() == *dtype)
}

/// Returns the dot product in the documented order: blocks of 512, eight lanes in each, joined as
/// trees.
fn dot_in_order(a: &[Scalar], b: &[Scalar], dtype: DType) -> Scalar {
    fn joined(blocks: &[Scalar]) -> Scalar {
        match blocks {
            [only] => *only,
            _ => {
                let first = blocks.len().next_power_of_two() / 2;
                add(joined(&blocks[..first]), joined(&blocks[first..]))
            }
        }
    }
    let terms: Vec<Scalar> = a.iter().zip(b).map(|(&a, &b)| multiply(a, b)).collect();
    let block = |block: &[Scalar]| {
        let mut l = [Scalar::zero(dtype); 8];
        block
            .iter()
            .enumerate()
            .for_each(|(i, &term)| l[i % 8] = add(l[i % 8], term));
        let four = [0, 1, 2, 3].map(|i| add(l[i], l[i + 4]));
        add(add(four[0], four[2]), add(four[1], four[3]))
    };
    let blocks: Vec<Scalar> = terms.chunks(512).map(block).collect();
    if blocks.is_empty() {
        Scalar::zero(dtype)
    } else {
        joined(&blocks)
    }
}

fn operand(draw: &mut Draw, dtype: DType, dims: &[usize]) -> Operand {
    Operand::new(draw, dtype, dims, false, |draw| draw.tame(dtype))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn dot_products_match_reference(n in prop_oneof![0usize..40, 500usize..2500, 4000usize..5200], seed: u64) {
        let mut draw = Draw(seed);
        for dtype in dtypes() {
            let (a, b) = (operand(&mut draw, dtype, &[n]), operand(&mut draw, dtype, &[n]));
            let mut out = Operand::zeros(&[], dtype);
            dot(&a.tile(), &b.tile(), &mut out.tile_mut());
            let expected = dot_in_order(&a.values(), &b.values(), dtype);
            assert_same(&out.values(), &[expected], &format!("dot of {dtype}"));
            combine_dot(&a.tile(), &mut out.tile_mut());
            let ones = vec![Scalar::one(dtype); n];
            let expected = dot_in_order(&a.values(), &ones, dtype);
            assert_same(&out.values(), &[expected], &format!("combined dot of {dtype}"));
        }
    }

    #[test]
    fn matvec_matches_reference(m in 0usize..150, n in prop_oneof![0usize..40, 500usize..1500], seed: u64) {
        let mut draw = Draw(seed);
        for dtype in [DType::F64, DType::F32, DType::C128, DType::I32, DType::U8, DType::Bool] {
            let (a, x) = (operand(&mut draw, dtype, &[m, n]), operand(&mut draw, dtype, &[n]));
            let mut out = Operand::new(&mut draw, dtype, &[m], true, |draw| draw.value(dtype));
            matvec(&a.tile(), &x.tile(), &mut out.tile_mut());
            let (a, x) = (a.values(), x.values());
            let expected: Vec<Scalar> =
                (0..m).map(|i| dot_in_order(&a[i * n..(i + 1) * n], &x, dtype)).collect();
            assert_same(&out.values(), &expected, &format!("matvec of {dtype}"));
        }
    }

    #[test]
    fn matvec_of_few_terms_matches_reference(m in 250usize..700, n in 1usize..40, seed: u64) {
        let mut draw = Draw(seed);
        for dtype in [DType::F64, DType::F32, DType::C64, DType::I64] {
            let (a, x) = (operand(&mut draw, dtype, &[m, n]), operand(&mut draw, dtype, &[n]));
            let mut out = Operand::new(&mut draw, dtype, &[m], true, |draw| draw.value(dtype));
            matvec(&a.tile(), &x.tile(), &mut out.tile_mut());
            let (a, x) = (a.values(), x.values());
            let expected: Vec<Scalar> =
                (0..m).map(|i| dot_in_order(&a[i * n..(i + 1) * n], &x, dtype)).collect();
            assert_same(&out.values(), &expected, &format!("matvec of {dtype}"));
        }
    }

    #[test]
    fn matvec_of_few_results_matches_reference(m in 1usize..20, n in 500usize..3000, turned: bool, seed: u64) {
        let mut draw = Draw(seed);
        for dtype in [DType::F64, DType::F32, DType::C128, DType::I16] {
            let dims = if turned { [n, m] } else { [m, n] };
            let (a, x) = (operand(&mut draw, dtype, &dims), operand(&mut draw, dtype, &[n]));
            let layout = if turned { a.layout.transpose() } else { a.layout };
            let mut out = Operand::zeros(&[m], dtype);
            matvec(&a.view(layout), &x.tile(), &mut out.tile_mut());
            let (a, x) = (a.values(), x.values());
            let at = |i: usize, l: usize| if turned { a[l * m + i] } else { a[i * n + l] };
            let expected: Vec<Scalar> = (0..m)
                .map(|i| dot_in_order(&(0..n).map(|l| at(i, l)).collect::<Vec<_>>(), &x, dtype))
                .collect();
            assert_same(&out.values(), &expected, &format!("matvec of {dtype}"));
        }
    }

    #[test]
    fn infinities_and_nan_propagate_to_results(m in 1usize..40, n in 1usize..30, k in 1usize..20, seed: u64) {
        let mut draw = Draw(seed);
        for dtype in [DType::F64, DType::F32] {
            let mut some = |dims: &[usize]| Operand::new(&mut draw, dtype, dims, false, |draw| match draw.below(9) {
                0 => Scalar::F64([f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0][draw.below(4)]).cast(dtype),
                _ => draw.tame(dtype),
            });
            let (a, b, x) = (some(&[m, k]), some(&[k, n]), some(&[k]));
            let mut product = Operand::zeros(&[m, n], dtype);
            matmul(&a.tile(), &b.tile(), &mut product.tile_mut());
            let mut vector = Operand::zeros(&[m], dtype);
            matvec(&a.tile(), &x.tile(), &mut vector.tile_mut());
            let number = |value: &Scalar| value.to::<f64>();
            let (a, b, x) = (a.values(), b.values(), x.values());
            let kind = |value: f64| (value.is_nan(), value.is_infinite().then_some(value > 0.0));
            for i in 0..m {
                let row = |j: usize| (0..k).map(|l| number(&a[i * k + l]) * number(&b[l * n + j])).sum::<f64>();
                for j in 0..n {
                    assert_eq!(kind(number(&product.values()[i * n + j])), kind(row(j)), "{dtype} at {i}, {j}");
                }
                let sum: f64 = (0..k).map(|l| number(&a[i * k + l]) * number(&x[l])).sum();
                assert_eq!(kind(number(&vector.values()[i])), kind(sum), "{dtype} at {i}");
            }
        }
    }

    #[test]
    fn stacked_products_match_single_products(p in 1usize..5, m in 1usize..9, k in 1usize..12, n in 1usize..40, seed: u64) {
        let mut draw = Draw(seed);
        for dtype in [DType::F64, DType::F32, DType::C64, DType::I32, DType::U8, DType::Bool] {
            let (a, b) = (operand(&mut draw, dtype, &[p, m, k]), operand(&mut draw, dtype, &[p, k, n]));
            let x = operand(&mut draw, dtype, &[p, k]);
            // All have the same layout, on which the order of terms depends.
            let [(mut products, mut vectors), (mut product, mut vector)] = [draw; 2].map(|mut draw| {
                let [of_matrices, of_vectors] = [&[p, m, n][..], &[p, m]]
                    .map(|dims| Operand::new(&mut draw, dtype, dims, true, |draw| draw.value(dtype)));
                (of_matrices, of_vectors)
            });
            matmuls(&a.tile(), &b.tile(), &mut products.tile_mut());
            matvecs(&a.tile(), &x.tile(), &mut vectors.tile_mut());
            for at in 0..p as isize {
                let inside = |operand: &Operand| operand.layout.index(0, at).unwrap();
                let to = [inside(&product), inside(&vector)];
                matmul(&a.view(inside(&a)), &b.view(inside(&b)), &mut product.view_mut(to[0]));
                matvec(&a.view(inside(&a)), &x.view(inside(&x)), &mut vector.view_mut(to[1]));
            }
            assert_same(&products.values(), &product.values(), &format!("matmuls of {dtype}"));
            assert_same(&vectors.values(), &vector.values(), &format!("matvecs of {dtype}"));
        }
    }

    #[test]
    fn joined_parts_have_bits_of_the_whole(m in 1usize..6, parts in 1usize..9, level in 0u32..2, rest in 0usize..900, seed: u64) {
        let mut draw = Draw(seed);
        let length = 512 << level;
        let (rest, n) = (rest % length, parts * length + rest % length);
        for dtype in [DType::F64, DType::F32, DType::C64, DType::I32] {
            let (a, x) = (operand(&mut draw, dtype, &[n, m]), operand(&mut draw, dtype, &[n]));
            let mut whole = Operand::zeros(&[m], dtype);
            matvec(&a.view(a.layout.transpose()), &x.tile(), &mut whole.tile_mut());
            let count = parts + usize::from(rest > 0);
            let mut partials = Operand::zeros(&[count, m], dtype);
            for part in 0..count {
                let (from, to) = (part * length, n.min((part + 1) * length));
                let rows = a.layout.tile(&[from, 0], &[to, m]).transpose();
                let layout = partials.layout.index(0, part as isize).unwrap();
                let terms = x.view(x.layout.tile(&[from], &[to]));
                matvec(&a.view(rows), &terms, &mut partials.view_mut(layout));
            }
            let mut joined = Operand::new(&mut draw, dtype, &[m], true, |draw| draw.value(dtype));
            combine_parts(&partials.tile(), &mut joined.tile_mut());
            assert_same(&joined.values(), &whole.values(), &format!("parts of {dtype}"));
        }
    }

    #[test]
    fn matmul_matches_reference(m in 0usize..40, k in 0usize..40, n in 0usize..40, by_parts: bool, seed: u64) {
        let mut draw = Draw(seed);
        for dtype in dtypes() {
            let (a, b) = (operand(&mut draw, dtype, &[m, k]), operand(&mut draw, dtype, &[k, n]));
            let mut out = Operand::new(&mut draw, dtype, &[m, n], true, |draw| draw.value(dtype));
            let outside = out.others();
            match (dtype.is_complex() && m * k * n > 0, by_parts) {
                (true, true) => multiply_parts(&a.tile(), &b.tile(), &mut out.tile_mut()),
                _ => matmul(&a.tile(), &b.tile(), &mut out.tile_mut()),
            }
            let (a, b, got) = (a.values(), b.values(), out.values());
            for i in 0..m {
                for j in 0..n {
                    let terms = (0..k).map(|l| multiply(a[i * k + l], b[l * n + j]));
                    let value = &got[i * n + j];
                    if dtype.is_float() || dtype.is_complex() {
                        let unit = if dtype.real() == DType::F32 { f32::EPSILON.into() } else { f64::EPSILON } / 2.0;
                        let (sum, magnitude) = (0..k).fold((Complex::ZERO, 0.0), |(sum, magnitude), l| {
                            let [a, b] = [&a[i * k + l], &b[l * n + j]].map(|value| value.to::<Complex<f64>>());
                            (sum + a * b, magnitude + a.norm() * b.norm())
                        });
                        // The reference rounds too, and a part of a complex product is two
                        // products, so the bound is four times as large.
                        let factor = if dtype.is_complex() { 4.01 } else { 2.01 };
                        let bound = factor * k as f64 * unit * magnitude;
                        let error = (value.to::<Complex<f64>>() - sum).norm();
                        prop_assert!(error <= bound, "{dtype}: the error {error} is above {bound}");
                    } else {
                        let expected = terms.fold(Scalar::zero(dtype), add);
                        assert_same(&[*value], &[expected], &format!("matmul of {dtype}"));
                    }
                }
            }
            for ((at, before), (_, after)) in outside.iter().zip(out.others()) {
                assert_same(&[after], &[*before], &format!("matmul of {dtype}, outside at {at}"));
            }
        }
    }

    #[test]
    fn products_of_few_terms_are_sums_in_order(m in 6usize..40, k in 3usize..257, n in 43usize..70, turned: [bool; 2], seed: u64) {
        #[cfg(target_arch = "x86_64")]
        if !std::is_x86_feature_detected!("fma") {
            return Ok(());
        }
        let mut draw = Draw(seed);
        for dtype in [DType::F32, DType::F64] {
            let [a, b] = [(turned[0], [m, k]), (turned[1], [k, n])].map(|(is_turned, [rows, columns])| {
                let values: Vec<Scalar> = (0..rows * columns).map(|_| draw.tame(dtype)).collect();
                let dims = if is_turned { [columns, rows] } else { [rows, columns] };
                let mut operand = Operand::from_values(&dims, &values, dtype);
                if is_turned {
                    operand.layout = operand.layout.transpose();
                }
                operand
            });
            let mut out = Operand::zeros(&[m, n], dtype);
            matmul(&a.tile(), &b.tile(), &mut out.tile_mut());
            let (left, right) = (a.values(), b.values());
            let expected: Vec<Scalar> = (0..m * n)
                .map(|at| {
                    (0..k).fold(Scalar::zero(dtype), |sum, term| {
                        let (x, y) = (left[at / n * k + term], right[term * n + at % n]);
                        match (x, y, sum) {
                            (Scalar::F32(x), Scalar::F32(y), Scalar::F32(sum)) => Scalar::F32(x.mul_add(y, sum)),
                            _ => Scalar::F64(x.to::<f64>().mul_add(y.to(), sum.to())),
                        }
                    })
                })
                .collect();
            assert_same(&out.values(), &expected, &dtype);
        }
    }

    #[test]
    fn matvec_rows_do_not_depend_on_tiles(m in 1usize..30, n in 1usize..700, cut in 0usize..30, seed: u64) {
        let mut draw = Draw(seed);
        let dtype = DType::F64;
        let (a, x) = (operand(&mut draw, dtype, &[m, n]), operand(&mut draw, dtype, &[n]));
        let (mut whole, mut cuts) = (Operand::zeros(&[m], dtype), Operand::zeros(&[m], dtype));
        matvec(&a.tile(), &x.tile(), &mut whole.tile_mut());
        let cut = cut.min(m);
        for (from, to) in [(0, cut), (cut, m)] {
            let rows = a.view(a.layout.tile(&[from, 0], &[to, n]));
            let part = cuts.layout.tile(&[from], &[to]);
            matvec(&rows, &x.tile(), &mut cuts.view_mut(part));
        }
        assert_same(&cuts.values(), &whole.values(), &"matvec of tiles");
    }
}

#[test]
fn small_products_match_reference() {
    let mut draw = Draw(5);
    for dtype in [DType::F64, DType::F32, DType::I32, DType::C128] {
        let numbers = [1, 2, 7, 8, 9, 15, 16, 17, 31, 64, 70, 130, 300];
        for (m, n) in numbers
            .into_iter()
            .flat_map(|m| [1, 3, 8, 9, 16, 50, 63, 65, 200].map(|n| (m, n)))
        {
            let values: Vec<Scalar> = (0..m * n).map(|_| draw.tame(dtype)).collect();
            let a = Operand::from_values(&[m, n], &values, dtype);
            let x = operand(&mut draw, dtype, &[n]);
            let mut out = Operand::zeros(&[m], dtype);
            matvec(&a.tile(), &x.tile(), &mut out.tile_mut());
            let rows = values.chunks(n);
            let expected: Vec<Scalar> = rows
                .map(|row| dot_in_order(row, &x.values(), dtype))
                .collect();
            assert_same(
                &out.values(),
                &expected,
                &format!("{m} rows of {n} {dtype}"),
            );

            let y = operand(&mut draw, dtype, &[m]);
            let mut out = Operand::zeros(&[n], dtype);
            let turned = a.view(a.layout.transpose());
            matvec(&turned, &y.tile(), &mut out.tile_mut());
            let column =
                |at: usize| -> Vec<Scalar> { (0..m).map(|row| values[row * n + at]).collect() };
            let expected: Vec<Scalar> = (0..n)
                .map(|at| dot_in_order(&column(at), &y.values(), dtype))
                .collect();
            assert_same(
                &out.values(),
                &expected,
                &format!("{n} columns of {m} {dtype}"),
            );
        }
    }
}

#[test]
fn windows_of_a_vector_match_reference() {
    let mut draw = Draw(6);
    for dtype in [DType::F64, DType::F32, DType::I64] {
        for (rows, terms) in [1, 7, 8, 9, 100, 300]
            .into_iter()
            .flat_map(|rows| [1, 2, 8, 9, 17, 511, 512, 513].map(|terms| (rows, terms)))
        {
            let values: Vec<Scalar> = (0..rows + terms).map(|_| draw.tame(dtype)).collect();
            let line = Operand::from_values(&[values.len()], &values, dtype);
            let mut layout = line.layout;
            layout.shape = Shape::new(&[rows, terms]).unwrap();
            layout.strides[..2].fill(1);
            let x = operand(&mut draw, dtype, &[terms]);
            let mut out = Operand::zeros(&[rows], dtype);
            matvec(&line.view(layout), &x.tile(), &mut out.tile_mut());
            let windows = values.windows(terms).take(rows);
            let expected: Vec<Scalar> = windows
                .map(|window| dot_in_order(window, &x.values(), dtype))
                .collect();
            assert_same(
                &out.values(),
                &expected,
                &format!("{rows} windows of {terms} {dtype}"),
            );
        }
    }
}

#[test]
fn pairs_of_vectors_match_reference() {
    let mut draw = Draw(8);
    for dtype in [DType::F64, DType::F32, DType::I32, DType::C64] {
        for (count, terms) in
            (0..10).flat_map(|count| [0, 1, 7, 8, 9, 40, 511, 512, 513].map(|terms| (count, terms)))
        {
            for is_plain in [true, false] {
                let mut lines = |dims: &[usize]| match is_plain {
                    true => {
                        let length = dims.iter().product();
                        let values: Vec<Scalar> = (0..length).map(|_| draw.tame(dtype)).collect();
                        Operand::from_values(dims, &values, dtype)
                    }
                    false => operand(&mut draw, dtype, dims),
                };
                let (a, x) = (lines(&[count, 1, terms]), lines(&[count, terms]));
                let mut out = Operand::zeros(&[count, 1], dtype);
                matvecs(&a.tile(), &x.tile(), &mut out.tile_mut());
                let (a, x) = (a.values(), x.values());
                let line = |n: usize| n * terms..(n + 1) * terms;
                let expected: Vec<Scalar> = (0..count)
                    .map(|n| dot_in_order(&a[line(n)], &x[line(n)], dtype))
                    .collect();
                assert_same(
                    &out.values(),
                    &expected,
                    &format!("{count} pairs of {terms} {dtype}"),
                );
            }
        }
    }
}

#[test]
#[should_panic(expected = "the vector fits the matrix")]
fn rejects_vectors_of_wrong_length() {
    let (a, x) = (
        Operand::zeros(&[2, 3], DType::F64),
        Operand::zeros(&[2], DType::F64),
    );
    let mut out = Operand::zeros(&[2], DType::F64);
    matvec(&a.tile(), &x.tile(), &mut out.tile_mut());
}
