use proptest::prelude::*;
use weft_kernels::Tile;
use weft_kernels::dtype::{DType, Scalar};
use weft_kernels::random::*;
use weft_kernels::shape::Shape;
use weft_kernels::testing::inner::philox;
use weft_kernels::testing::{Draw, Operand, assert_same};

const SOURCE: Source = Source {
    seed: 0x1234_5678_9abc_def0,
    stream: 3,
};

fn floats(n: usize, dtype: DType, make: impl Fn(&mut Tile, &[usize], Shape)) -> Vec<f64> {
    let mut out = Operand::zeros(&[n], dtype);
    make(&mut out.tile_mut(), &[0], Shape::new(&[n]).unwrap());
    out.values().iter().map(|value| value.to()).collect()
}

/// Returns the mean and the variance.
fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (
        mean,
        values
            .iter()
            .map(|value| (value - mean).powi(2))
            .sum::<f64>()
            / n,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_values_do_not_depend_on_the_tiling(
        dims in prop::collection::vec(1usize..20, 1..=3),
        cuts in prop::collection::vec(0usize..20, 3),
        seed: u64,
    ) {
        let shape = Shape::new(&dims).unwrap();
        let source = Source { seed, stream: seed >> 7 };
        type Make = fn(Source, &mut Tile, &[usize], Shape);
        let kinds: [(DType, Make); 7] = [
            (DType::F64, uniform),
            (DType::F32, uniform),
            (DType::F64, normal),
            (DType::F32, normal),
            (DType::I32, |source, out, first, whole| integers(source, -5, 100, out, first, whole)),
            (DType::I8, |source, out, first, whole| integers(source, -128, 128, out, first, whole)),
            (DType::U16, |source, out, first, whole| integers(source, 0, 1 << 16, out, first, whole)),
        ];
        for (dtype, make) in kinds {
            let mut whole = Operand::zeros(&dims, dtype);
            make(source, &mut whole.tile_mut(), &vec![0; dims.len()], shape);
            let mut out = Operand::new(&mut Draw(seed), dtype, &dims, true, |draw| draw.value(dtype));
            // Two tiles along each dimension.
            for corner in 0..1 << dims.len() {
                let (mut lo, mut hi) = (vec![0; dims.len()], dims.clone());
                for axis in 0..dims.len() {
                    let cut = cuts[axis].min(dims[axis]);
                    if corner >> axis & 1 == 0 { hi[axis] = cut } else { lo[axis] = cut }
                }
                let part = out.layout.tile(&lo, &hi);
                make(source, &mut out.view_mut(part), &lo, shape);
            }
            assert_same(&out.values(), &whole.values(), &dtype);
        }
    }

    #[test]
    fn random_integers_stay_within_bounds(low in -50i128..50, span in 1i128..60, seed: u64) {
        let mut out = Operand::zeros(&[200], DType::I64);
        integers(Source { seed, stream: 0 }, low, low + span, &mut out.tile_mut(), &[0], Shape::new(&[200]).unwrap());
        for value in out.values() {
            let value = i128::from(value.to::<i64>());
            prop_assert!(low <= value && value < low + span);
        }
    }
}

#[test]
fn random_bits_follow_the_generator() {
    let words = philox([[2], [0], [3], [0]], [0x9abc_def0, 0x1234_5678]).map(|[word]| word);
    let values = floats(6, DType::F64, |out, first, whole| {
        uniform(SOURCE, out, first, whole)
    });
    let word = u64::from(words[0]) | u64::from(words[1]) << 32;
    assert_eq!(values[4], (word >> 11) as f64 / 2f64.powi(53));
    let word = u64::from(words[2]) | u64::from(words[3]) << 32;
    assert_eq!(values[5], (word >> 11) as f64 / 2f64.powi(53));
}

#[test]
fn draws_full_integer_range() {
    let mut out = Operand::zeros(&[4], DType::U64);
    let whole = Shape::new(&[4]).unwrap();
    integers(SOURCE, 0, 1 << 64, &mut out.tile_mut(), &[0], whole);
    let words = SOURCE.words::<2>(0);
    assert_eq!(
        out.values(),
        [words[0][0], words[0][1], words[1][0], words[1][1]].map(Scalar::U64)
    );
    let mut out = Operand::zeros(&[1000], DType::I32);
    let bounds = (i32::MIN.into(), i128::from(i32::MAX) + 1);
    integers(
        SOURCE,
        bounds.0,
        bounds.1,
        &mut out.tile_mut(),
        &[0],
        Shape::new(&[1000]).unwrap(),
    );
    assert!(out.values().iter().any(|value| value.to::<i32>() < 0));
}

#[test]
fn uniform_numbers_fill_the_interval() {
    for dtype in [DType::F32, DType::F64] {
        let values = floats(100_000, dtype, |out, first, whole| {
            uniform(SOURCE, out, first, whole)
        });
        assert!(values.iter().all(|value| (0.0..1.0).contains(value)));
        let (mean, variance) = moments(&values);
        // Five standard deviations of the mean and of the variance.
        assert!(
            (mean - 0.5).abs() < 5.0 * (1.0f64 / 12.0 / 1e5).sqrt(),
            "{mean}"
        );
        assert!(
            (variance - 1.0 / 12.0).abs() < 5.0 * (1.0f64 / 180.0 / 1e5).sqrt(),
            "{variance}"
        );
    }
}

#[test]
fn normal_numbers_have_expected_moments() {
    for dtype in [DType::F32, DType::F64] {
        let values = floats(100_000, dtype, |out, first, whole| {
            normal(SOURCE, out, first, whole)
        });
        let (mean, variance) = moments(&values);
        assert!(mean.abs() < 5.0 / 1e5f64.sqrt(), "{mean}");
        assert!(
            (variance - 1.0).abs() < 5.0 * (2.0f64 / 1e5).sqrt(),
            "{variance}"
        );
        let within = values.iter().filter(|value| value.abs() < 1.0).count() as f64 / 1e5;
        assert!(
            (within - 0.682_689).abs() < 5.0 * (0.683f64 * 0.317 / 1e5).sqrt(),
            "{within}"
        );
    }
}

#[test]
fn different_seeds_and_streams_give_different_values() {
    let make = |seed, stream| {
        floats(8, DType::F64, |out, first, whole| {
            uniform(Source { seed, stream }, out, first, whole)
        })
    };
    assert_ne!(make(1, 0), make(2, 0));
    assert_ne!(make(1, 0), make(1, 1));
    assert_eq!(make(1, 1), make(1, 1));
}
