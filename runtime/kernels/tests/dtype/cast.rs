//! Casts, compared with NumPy's.

use weft_kernels::dtype::{CastFrom, Complex, DType, Scalar};
use weft_kernels::testing::same;

use super::numpy_name;
use crate::scalars::wrap;

#[test]
fn floats_saturate_and_integers_wrap() {
    assert_eq!(i32::cast_from(1e20f64), i32::MAX);
    assert_eq!(u32::cast_from(-3.7f32), 0);
    assert_eq!(i64::cast_from(f64::NAN), 0);
    assert_eq!(i32::cast_from((1i64 << 32) + 5), 5);
    assert_eq!(u64::cast_from(-1i32), u64::MAX);
    assert!(bool::cast_from(f32::NAN));
    assert!(!bool::cast_from(-0.0f64));
    assert_eq!(f32::cast_from(true), 1.0);
}

/// NumPy's results. The file describes how they were computed.
const TABLE: &str = include_str!("cast/numpy.txt");

/// Returns a value of the table.
fn value(dtype: DType, text: &str) -> Scalar {
    let float = |text: &str| text.parse::<f64>().unwrap();
    match text.split_once(',') {
        Some((re, im)) => Scalar::C128(Complex::new(float(re), float(im))).cast(dtype),
        None if dtype.is_float() => Scalar::F64(float(text)).cast(dtype),
        None => wrap(text.parse().unwrap(), dtype),
    }
}

#[test]
fn casts_match_numpy() {
    let named = |name: &str| {
        DType::ALL
            .into_iter()
            .find(|&dtype| numpy_name(dtype) == name)
            .unwrap()
    };
    let mut seen = 0;
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        let (from, to) = (named(words[0]), named(words[2]));
        let (got, wanted) = (value(from, words[1]).cast(to), value(to, words[3]));
        assert!(same(&got, &wanted), "{line}: {got:?}");
        seen += 1;
    }
    assert!(seen > 2000, "{seen} casts");
}
