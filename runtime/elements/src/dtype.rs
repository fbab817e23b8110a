//! Element types: the dynamic [`DType`] and [`Scalar`], and the Rust types that they represent.
//!
//! Arrays have a dynamic element type ([`DType`]), so that front ends without Rust's types can use
//! them. [`Element`] links each one to its Rust type. Casts follow NumPy 2.

mod bits;
mod cast;
mod comparable;
#[doc(hidden)]
pub mod complex;
mod dispatch;
mod element;
#[doc(hidden)]
pub mod half;
mod number;
mod parameter;
mod scalar;

pub use bits::ScalarBits;
pub use cast::CastFrom;
pub use comparable::Comparable;
#[doc(hidden)]
pub use dispatch::{
    dispatch, with_comparable, with_complex, with_element, with_float, with_integer, with_native,
    with_native_float, with_native_real, with_number, with_real, with_summand, with_unsigned,
    with_unsigned_element,
};
pub use element::Element;
pub use number::{Float, Inexact, Integer, Number, Real};
#[doc(hidden)]
pub use parameter::Parameter;
pub use scalar::Scalar;

pub use ::half::f16;
pub use num_complex::Complex;

use std::fmt;

/// The type of an array's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DType {
    /// `bool`, one byte that is 0 or 1.
    Bool,
    /// `i8`.
    I8,
    /// `i16`.
    I16,
    /// `i32`.
    I32,
    /// `i64`.
    I64,
    /// `u8`.
    U8,
    /// `u16`.
    U16,
    /// `u32`.
    U32,
    /// `u64`.
    U64,
    /// [`struct@f16`]: half precision.
    F16,
    /// `f32`.
    F32,
    /// `f64`.
    F64,
    /// `Complex<f32>`: NumPy's `complex64`.
    C64,
    /// `Complex<f64>`: NumPy's `complex128`.
    C128,
}

impl DType {
    /// Every element type: `bool`, signed and unsigned integers, floats, complex numbers.
    pub const ALL: [DType; 14] = [
        DType::Bool,
        DType::I8,
        DType::I16,
        DType::I32,
        DType::I64,
        DType::U8,
        DType::U16,
        DType::U32,
        DType::U64,
        DType::F16,
        DType::F32,
        DType::F64,
        DType::C64,
        DType::C128,
    ];

    /// Returns the Rust name, such as `"f64"` or `"bool"`; NumPy's names `"complex64"` and
    /// `"complex128"` for complex numbers.
    #[inline]
    pub const fn name(self) -> &'static str {
        match self {
            DType::Bool => "bool",
            DType::I8 => "i8",
            DType::I16 => "i16",
            DType::I32 => "i32",
            DType::I64 => "i64",
            DType::U8 => "u8",
            DType::U16 => "u16",
            DType::U32 => "u32",
            DType::U64 => "u64",
            DType::F16 => "f16",
            DType::F32 => "f32",
            DType::F64 => "f64",
            DType::C64 => "complex64",
            DType::C128 => "complex128",
        }
    }

    /// Returns the element type with this [`name`](DType::name).
    pub fn from_name(name: &str) -> Option<DType> {
        DType::ALL.into_iter().find(|dtype| dtype.name() == name)
    }

    /// Returns the size of one element in bytes. Elements are aligned to it, up to 8 bytes.
    #[inline]
    pub const fn size(self) -> usize {
        match self {
            DType::Bool | DType::I8 | DType::U8 => 1,
            DType::I16 | DType::U16 | DType::F16 => 2,
            DType::I32 | DType::U32 | DType::F32 => 4,
            DType::I64 | DType::U64 | DType::F64 | DType::C64 => 8,
            DType::C128 => 16,
        }
    }

    /// Whether this is `bool`.
    #[inline]
    pub const fn is_bool(self) -> bool {
        matches!(self, DType::Bool)
    }

    /// Whether this is an integer type, signed or not. `bool` is not an integer type.
    #[inline]
    pub const fn is_integer(self) -> bool {
        self.is_signed_integer() || self.is_unsigned_integer()
    }

    /// Whether this is a signed integer type.
    #[inline]
    pub const fn is_signed_integer(self) -> bool {
        matches!(self, DType::I8 | DType::I16 | DType::I32 | DType::I64)
    }

    /// Whether this is an unsigned integer type.
    #[inline]
    pub const fn is_unsigned_integer(self) -> bool {
        matches!(self, DType::U8 | DType::U16 | DType::U32 | DType::U64)
    }

    /// Whether this is a floating-point type.
    #[inline]
    pub const fn is_float(self) -> bool {
        matches!(self, DType::F16 | DType::F32 | DType::F64)
    }

    /// Whether this is a complex type.
    #[inline]
    pub const fn is_complex(self) -> bool {
        matches!(self, DType::C64 | DType::C128)
    }

    /// Returns the unsigned integer type of the same size as an integer or `bool`, and any other
    /// type unchanged.
    #[inline]
    pub const fn unsigned(self) -> DType {
        match self {
            DType::Bool | DType::I8 => DType::U8,
            DType::I16 => DType::U16,
            DType::I32 => DType::U32,
            DType::I64 => DType::U64,
            other => other,
        }
    }

    /// Returns the smallest and the largest number of an integer type; `None` for any other type.
    #[inline]
    pub const fn integer_range(self) -> Option<(i128, i128)> {
        let bits = 8 * self.size() as u32;
        if self.is_unsigned_integer() {
            return Some((0, (1 << bits) - 1));
        }
        if self.is_signed_integer() {
            return Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1));
        }
        None
    }

    /// Returns the type of the parts and the magnitude of a complex number, and any other type
    /// unchanged.
    #[inline]
    pub const fn real(self) -> DType {
        match self {
            DType::C64 => DType::F32,
            DType::C128 => DType::F64,
            other => other,
        }
    }

    /// Returns the type of complex numbers with parts of this type: `c128` for all but `f32` and
    /// complex types.
    #[inline]
    pub const fn complex(self) -> DType {
        match self {
            DType::F32 | DType::C64 => DType::C64,
            _ => DType::C128,
        }
    }

    /// Returns the type in which terms of this type are added up: `f32` for `f16`, whose sums are
    /// rounded once, at the end; any other type unchanged.
    #[inline]
    pub const fn accumulator(self) -> DType {
        match self {
            DType::F16 => DType::F32,
            other => other,
        }
    }

    /// Whether C has this type: neither half precision nor complex.
    #[inline]
    pub const fn is_native(self) -> bool {
        !matches!(self, DType::F16 | DType::C64 | DType::C128)
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
