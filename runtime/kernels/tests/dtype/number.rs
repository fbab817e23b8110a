//! Arithmetic of single values, compared with Python's.

use weft_kernels::dtype::{Comparable, Float, Integer, Number, Real, f16};

#[test]
fn integer_division_follows_python() {
    assert_eq!(Real::floor_divide(-7i32, 2), -4);
    assert_eq!(Real::remainder(-7i32, 2), 1);
    assert_eq!(Real::remainder(7i64, -2), -1);
    assert_eq!(Real::floor_divide(5u32, 0), 0);
    assert_eq!(Real::remainder(5i64, 0), 0);
    assert_eq!(Real::floor_divide(i32::MIN, -1), i32::MIN);
    assert_eq!(Real::remainder(i32::MIN, -1), 0);
}

#[test]
fn integer_powers_wrap_and_truncate() {
    assert_eq!(Number::power(3i32, 4), 81);
    assert_eq!(Number::power(2u32, 33), 0);
    assert_eq!(Number::power(-1i64, -3), -1);
    assert_eq!(Number::power(2i64, -1), 0);
}

#[test]
fn wide_shifts_do_not_wrap_around() {
    assert_eq!(1i32.shift_left(32), 0);
    assert_eq!(1i32.shift_left(-1), 0);
    assert_eq!((-8i32).shift_right(1), -4);
    assert_eq!((-8i32).shift_right(40), -1);
    assert_eq!(8i64.shift_right(64), 0);
    assert_eq!(u64::MAX.shift_right(64), 0);
    assert_eq!(u64::MAX.shift_left(63), 1 << 63);
}

#[test]
fn float_division_follows_python() {
    assert_eq!(Real::floor_divide(-7.5f64, 2.0), -4.0);
    assert_eq!(Real::remainder(-7.5f64, 2.0), 0.5);
    assert_eq!(Real::floor_divide(1.0f64, 0.1), 9.0);
    assert!(Real::remainder(6.0f64, -3.0).is_sign_negative());
    assert_eq!(Real::floor_divide(1.0f32, 0.0), f32::INFINITY);
    assert!(Real::remainder(1.0f32, 0.0).is_nan());
}

#[test]
fn extremes_propagate_or_skip_nan() {
    assert!(Comparable::smaller(1.0, f64::NAN).is_nan());
    assert!(Comparable::larger(f64::NAN, 1.0).is_nan());
    assert_eq!(Float::fmin(1.0, f64::NAN), 1.0);
    assert_eq!(Float::fmax(f64::NAN, 1.0), 1.0);
    assert!(Float::fmax(f64::NAN, f64::NAN).is_nan());
}

#[test]
fn extremes_of_zeros_match_numpy_signs() {
    fn is_second<T: Comparable + Number>(is_minus: impl Fn(T) -> bool) -> [bool; 4] {
        let (plus, minus) = (T::ZERO, T::ZERO.negative());
        [T::smaller, T::larger, T::smaller_number, T::larger_number]
            .map(|choose| is_minus(choose(plus, minus)) && !is_minus(choose(minus, plus)))
    }
    assert_eq!(is_second(f32::is_sign_negative), [true; 4]);
    assert_eq!(is_second(f64::is_sign_negative), [true; 4]);
    assert_eq!(is_second(f16::is_sign_negative), [false; 4]);
}
