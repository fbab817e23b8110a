//! Products against their definitions.

use proptest::prelude::*;
use weft_kernels::dtype::{Complex, DType, Scalar};
use weft_kernels::linear::*;
use weft_kernels::testing::{Draw, Operand, assert_same};

use crate::scalars::{add, multiply};

/// All but the one whose products are made in another.
fn dtypes() -> impl Iterator<Item = DType> {
    DType::ALL
        .into_iter()
        .filter(|dtype| dtype.accumulator() == *dtype)
}

/// The dot product in the documented order: blocks of 512, eight lanes in each, joined as trees.
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
    fn dot_products(n in prop_oneof![0usize..40, 500usize..2500], seed: u64) {
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
    fn matrix_times_vector(m in 0usize..150, n in prop_oneof![0usize..40, 500usize..1500], seed: u64) {
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
    fn matrix_times_matrix(m in 0usize..40, k in 0usize..40, n in 0usize..40, by_parts: bool, seed: u64) {
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
                        // The reference rounds as well, and a complex product is two of each part: four times the bound.
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
    fn rows_do_not_depend_on_their_tile(m in 1usize..30, n in 1usize..700, cut in 0usize..30, seed: u64) {
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
#[should_panic(expected = "the vector fits the matrix")]
fn a_vector_that_does_not_fit_is_refused() {
    let (a, x) = (
        Operand::zeros(&[2, 3], DType::F64),
        Operand::zeros(&[2], DType::F64),
    );
    let mut out = Operand::zeros(&[2], DType::F64);
    matvec(&a.tile(), &x.tile(), &mut out.tile_mut());
}
