//! Sort keys of floats, and words of any number and variety.

use weft_kernels::dtype::{DType, Scalar};
use weft_kernels::sort::{argsort, sort};
use weft_kernels::testing::inner::Ordered;
use weft_kernels::testing::{Draw, Operand};

#[test]
fn sort_keys_preserve_order_and_are_reversible() {
    let values = [
        f64::NEG_INFINITY,
        f64::MIN,
        -1.0,
        -f64::MIN_POSITIVE,
        -5e-324,
        -0.0,
        0.0,
        5e-324,
        0.5,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
    ];
    for pair in values.windows(2) {
        assert!(pair[0].key() < pair[1].key(), "{pair:?}");
    }
    for value in values {
        assert_eq!(f64::from_key(value.key()).to_bits(), value.to_bits());
        assert_eq!(
            f32::from_key((value as f32).key()).to_bits(),
            (value as f32).to_bits()
        );
    }
    assert_eq!((-f64::NAN).key(), f64::NAN.key());
    assert_eq!((-0.0f64).rank(), 0.0f64.rank());
    assert_eq!((-0.0f32).rank(), 0.0f32.rank());
}

/// Sorts 64-bit integers, and compares with the standard library.
fn check(words: &[u64]) {
    let count = words.len();
    let values: Vec<Scalar> = words.iter().map(|word| Scalar::U64(*word)).collect();
    let input = Operand::from_values(&[count], &values, DType::U64);
    let mut out = Operand::zeros(&[count], DType::U64);
    sort(0, &input.tile(), &mut out.tile_mut());
    let mut expected = words.to_vec();
    expected.sort_unstable();
    let found: Vec<u64> = out.values().iter().map(|value| value.to::<u64>()).collect();
    assert_eq!(found, expected);
    let mut numbers = Operand::zeros(&[count], DType::I64);
    argsort(0, &input.tile(), &mut numbers.tile_mut());
    let mut order: Vec<i64> = (0..count as i64).collect();
    order.sort_by_key(|at| words[*at as usize]);
    let found: Vec<i64> = numbers
        .values()
        .iter()
        .map(|value| value.to::<i64>())
        .collect();
    assert_eq!(found, order);
}

#[test]
fn words_of_any_number_and_variety_are_sorted() {
    let mut draw = Draw(3);
    let wide = |draw: &mut Draw| ((draw.below(1 << 32) as u64) << 32) | draw.below(1 << 32) as u64;
    let counts = (0..140_u64).chain([399, 400, 401, 512, 4097, 20_000, 40_000]);
    for count in counts {
        let mut each = |word: &mut dyn FnMut(&mut Draw, u64) -> u64| {
            let words: Vec<u64> = (0..count).map(|at| word(&mut draw, at)).collect();
            check(&words);
        };
        each(&mut |draw, _| wide(draw));
        each(&mut |draw, _| wide(draw) % 3);
        each(&mut |draw, _| u64::MAX - wide(draw) % 2);
        each(&mut |draw, _| wide(draw) << 63);
        // Many words share the leading digits.
        each(&mut |draw, at| (at % 7) << 60 | wide(draw) >> 40);
        each(&mut |_, at| at.min(count - at) << 50);
        each(&mut |_, at| (count - at) << 40);
        each(&mut |_, at| at << 40);
        each(&mut |_, _| u64::MAX);
    }
}
