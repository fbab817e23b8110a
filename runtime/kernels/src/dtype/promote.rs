//! The common type of two types.

use super::DType;

/// The types of array functions' operands.
pub trait Promotion: Sized {
    /// Returns the common type of both, as NumPy 2 promotes two arrays.
    ///
    /// A signed and an unsigned integer type promote to the signed type that is wider than the
    /// unsigned one, or to `f64` if there is none. An integer and a float promote to a float of at
    /// least twice the integer's width, at most `f64`. A float and a complex number promote to a
    /// complex number with parts of at least the float's precision.
    fn promote(a: Self, b: Self) -> Self;

    /// Returns the type in which NumPy's functions with real values take elements of this type. It
    /// is the type itself for floats and complex numbers, and the float of
    /// [`promote`](Promotion::promote) for integers and `bool`.
    fn inexact(self) -> Self;
}

impl Promotion for DType {
    fn promote(a: DType, b: DType) -> DType {
        if a.is_bool() {
            return b;
        }
        if b.is_bool() {
            return a;
        }
        if a.is_integer() && b.is_integer() {
            return integers(a, b);
        }
        let (a_bytes, b_bytes) = (float_bytes(a), float_bytes(b));
        let bytes = if a_bytes < b_bytes { b_bytes } else { a_bytes };
        match (a.is_complex() || b.is_complex(), bytes) {
            (false, 2) => DType::F16,
            (false, 4) => DType::F32,
            (false, _) => DType::F64,
            (true, 2 | 4) => DType::C64,
            (true, _) => DType::C128,
        }
    }

    fn inexact(self) -> DType {
        if self.is_float() || self.is_complex() {
            return self;
        }
        match float_bytes(self) {
            2 => DType::F16,
            4 => DType::F32,
            _ => DType::F64,
        }
    }
}

fn integers(a: DType, b: DType) -> DType {
    let wider = if a.size() < b.size() { b } else { a };
    if a.is_signed_integer() == b.is_signed_integer() {
        return wider;
    }
    let (signed, unsigned) = if a.is_signed_integer() {
        (a, b)
    } else {
        (b, a)
    };
    if signed.size() > unsigned.size() {
        return signed;
    }
    match unsigned {
        DType::U8 => DType::I16,
        DType::U16 => DType::I32,
        DType::U32 => DType::I64,
        _ => DType::F64,
    }
}

/// Returns the size in bytes of the float that a number promotes to with floats; for complex
/// numbers, that of a part.
fn float_bytes(dtype: DType) -> usize {
    if dtype.is_float() || dtype.is_complex() {
        return dtype.real().size();
    }
    match dtype.size() {
        1 => 2,
        2 => 4,
        _ => 8,
    }
}
