//! The type that holds the values of two others.

use super::DType;

impl DType {
    /// The type that holds the values of both, as NumPy 2 promotes two arrays.
    ///
    /// Signed and unsigned integers go to the signed type that is wider than the unsigned one, or to `f64` where there is
    /// none. An integer beside a float asks for a float that holds all integers of its width: `f64` from 32 bits on.
    pub const fn promote(a: DType, b: DType) -> DType {
        if a.is_bool() {
            return b;
        }
        if b.is_bool() {
            return a;
        }
        if a.is_integer() && b.is_integer() {
            return integers(a, b);
        }
        match (float_bytes(a), float_bytes(b)) {
            (..=4, ..=4) => DType::F32,
            _ => DType::F64,
        }
    }
}

const fn integers(a: DType, b: DType) -> DType {
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

/// Bytes of the float that a number needs beside floats.
const fn float_bytes(dtype: DType) -> usize {
    match dtype.size() {
        size if dtype.is_float() => size,
        1 | 2 => 4,
        _ => 8,
    }
}

#[cfg(test)]
mod tests;
