//! Values of any type, and their casts.

use weft_kernels::dtype::{DType, Scalar};

#[test]
fn casts_preserve_small_values_between_all_dtypes() {
    for from in DType::ALL {
        for to in DType::ALL {
            assert_eq!(Scalar::one(from).cast(to), Scalar::one(to));
            assert_eq!(Scalar::zero(from).cast(to), Scalar::zero(to));
        }
    }
}

#[test]
fn detects_integers_out_of_range_of_dtypes() {
    assert!(Scalar::I64(300).is_beyond(DType::U8));
    assert!(Scalar::I64(-1).is_beyond(DType::U64));
    assert!(Scalar::U64(1 << 63).is_beyond(DType::I64));
    assert!(!Scalar::U64(u64::MAX).is_beyond(DType::U64));
    assert!(!Scalar::I64(i64::MIN).is_beyond(DType::I64));
    assert!(!Scalar::I64(127).is_beyond(DType::I8));
    assert!(!Scalar::I64(300).is_beyond(DType::F16) && !Scalar::F64(300.0).is_beyond(DType::U8));
    assert_eq!(Scalar::U64(u64::MAX).integer(), Some(u64::MAX.into()));
}

#[test]
fn get_checks_the_type_and_to_casts() {
    let three = Scalar::from(3i64);
    assert_eq!(three.get::<i64>(), Some(3));
    assert_eq!(three.get::<i32>(), None);
    assert_eq!(three.to::<f32>(), 3.0);
    assert_eq!(three.to_string(), "3");
}
