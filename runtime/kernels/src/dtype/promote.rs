//! The type that holds the values of two others.

use super::DType;

/// The types that array functions take their operands in.
pub trait Promotion: Sized {
    /// The type that holds the values of both, as NumPy 2 promotes two arrays.
    ///
    /// Signed and unsigned integers go to the signed type that is wider than the unsigned one, or to `f64` if there is
    /// none. An integer beside a float asks for a float of twice its width, `f64` at most; a float beside a complex number
    /// for parts of its own precision.
    fn promote(a: Self, b: Self) -> Self;

    /// The type in which NumPy's functions with real values take elements: of floats and complex numbers itself, of
    /// integers and `bool` the float that [`promote`](Promotion::promote) asks for.
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

/// Bytes of the float that a number needs beside floats; of complex numbers, of a part.
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
