//! Arithmetic on single values for references: integers in `i128`, wrapped afterwards.

use weft_kernels::dtype::{DType, Scalar};

/// Returns an integer modulo the type's range; for `bool`, whether it is not zero.
pub(crate) fn wrap(value: i128, dtype: DType) -> Scalar {
    match dtype {
        DType::Bool => Scalar::Bool(value != 0),
        DType::I8 => Scalar::I8(value as i8),
        DType::I16 => Scalar::I16(value as i16),
        DType::I32 => Scalar::I32(value as i32),
        DType::I64 => Scalar::I64(value as i64),
        DType::U8 => Scalar::U8(value as u8),
        DType::U16 => Scalar::U16(value as u16),
        DType::U32 => Scalar::U32(value as u32),
        DType::U64 => Scalar::U64(value as u64),
        other => unreachable!("{other} is not an integer"),
    }
}

/// Returns the sum of two values of one type; for `bool`, "or".
pub(crate) fn add(a: Scalar, b: Scalar) -> Scalar {
    match (a, b) {
        (Scalar::F32(a), Scalar::F32(b)) => Scalar::F32(a + b),
        (Scalar::F64(a), Scalar::F64(b)) => Scalar::F64(a + b),
        (Scalar::C64(a), Scalar::C64(b)) => Scalar::C64(a + b),
        (Scalar::C128(a), Scalar::C128(b)) => Scalar::C128(a + b),
        _ => integers(a, b, i128::wrapping_add),
    }
}

/// Returns the product of two values of one type; for `bool`, "and".
pub(crate) fn multiply(a: Scalar, b: Scalar) -> Scalar {
    match (a, b) {
        (Scalar::F32(a), Scalar::F32(b)) => Scalar::F32(a * b),
        (Scalar::F64(a), Scalar::F64(b)) => Scalar::F64(a * b),
        (Scalar::C64(a), Scalar::C64(b)) => Scalar::C64(a * b),
        (Scalar::C128(a), Scalar::C128(b)) => Scalar::C128(a * b),
        _ => integers(a, b, i128::wrapping_mul),
    }
}

/// Returns a function of two integers of one type.
pub(crate) fn integers(a: Scalar, b: Scalar, of: impl Fn(i128, i128) -> i128) -> Scalar {
    assert_eq!(a.dtype(), b.dtype(), "two types");
    wrap(of(a.integer().unwrap(), b.integer().unwrap()), a.dtype())
}
