//! A value with its type.

use std::fmt;
use std::hash::{Hash, Hasher};

use super::{Complex, DType, Element, f16, with_element};

/// A value of any element type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// A `bool`.
    Bool(bool),
    /// An `i8`.
    I8(i8),
    /// An `i16`.
    I16(i16),
    /// An `i32`.
    I32(i32),
    /// An `i64`.
    I64(i64),
    /// A `u8`.
    U8(u8),
    /// A `u16`.
    U16(u16),
    /// A `u32`.
    U32(u32),
    /// A `u64`.
    U64(u64),
    /// An [`struct@f16`].
    F16(f16),
    /// An `f32`.
    F32(f32),
    /// An `f64`.
    F64(f64),
    /// A `Complex<f32>`.
    C64(Complex<f32>),
    /// A `Complex<f64>`.
    C128(Complex<f64>),
}

/// Hashes the bits: values that are equal but compute differently, such as 0 and -0, have different
/// hashes.
impl Hash for Scalar {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.dtype().hash(state);
        match *self {
            Scalar::Bool(value) => value.hash(state),
            Scalar::I8(value) => value.hash(state),
            Scalar::I16(value) => value.hash(state),
            Scalar::I32(value) => value.hash(state),
            Scalar::I64(value) => value.hash(state),
            Scalar::U8(value) => value.hash(state),
            Scalar::U16(value) => value.hash(state),
            Scalar::U32(value) => value.hash(state),
            Scalar::U64(value) => value.hash(state),
            Scalar::F16(value) => value.to_bits().hash(state),
            Scalar::F32(value) => value.to_bits().hash(state),
            Scalar::F64(value) => value.to_bits().hash(state),
            Scalar::C64(value) => [value.re, value.im].map(f32::to_bits).hash(state),
            Scalar::C128(value) => [value.re, value.im].map(f64::to_bits).hash(state),
        }
    }
}

impl Scalar {
    /// Returns the type of the value.
    #[inline]
    pub const fn dtype(&self) -> DType {
        match self {
            Scalar::Bool(_) => DType::Bool,
            Scalar::I8(_) => DType::I8,
            Scalar::I16(_) => DType::I16,
            Scalar::I32(_) => DType::I32,
            Scalar::I64(_) => DType::I64,
            Scalar::U8(_) => DType::U8,
            Scalar::U16(_) => DType::U16,
            Scalar::U32(_) => DType::U32,
            Scalar::U64(_) => DType::U64,
            Scalar::F16(_) => DType::F16,
            Scalar::F32(_) => DType::F32,
            Scalar::F64(_) => DType::F64,
            Scalar::C64(_) => DType::C64,
            Scalar::C128(_) => DType::C128,
        }
    }

    /// Converts the value to `dtype` as by NumPy's `astype`. Integers wrap, a float is truncated to
    /// an integer (saturating, NaN as 0), a complex number loses its imaginary part, and everything
    /// except zero is true.
    pub fn cast(&self, dtype: DType) -> Scalar {
        with_element!(dtype, T => T::from_scalar(self).to_scalar())
    }

    /// Returns the value if it has the type `T`; otherwise `None` (see [`to`](Scalar::to) for a
    /// cast).
    #[inline]
    pub fn get<T: Element>(&self) -> Option<T> {
        (self.dtype() == T::DTYPE).then(|| T::from_scalar(self))
    }

    /// Returns the value cast to `T`.
    #[inline]
    pub fn to<T: Element>(&self) -> T {
        T::from_scalar(self)
    }

    /// Returns the value of an integer or a `bool`; `None` for floats and complex numbers.
    #[inline]
    pub const fn integer(&self) -> Option<i128> {
        Some(match *self {
            Scalar::Bool(value) => value as i128,
            Scalar::I8(value) => value as i128,
            Scalar::I16(value) => value as i128,
            Scalar::I32(value) => value as i128,
            Scalar::I64(value) => value as i128,
            Scalar::U8(value) => value as i128,
            Scalar::U16(value) => value as i128,
            Scalar::U32(value) => value as i128,
            Scalar::U64(value) => value as i128,
            _ => return None,
        })
    }

    /// Whether this is an integer outside of the range of `dtype`, if that is an integer type.
    pub fn is_beyond(&self, dtype: DType) -> bool {
        match (self.integer(), dtype.integer_range()) {
            (Some(value), Some((low, high))) => value < low || value > high,
            _ => false,
        }
    }

    /// Returns zero (or false) of a type.
    pub fn zero(dtype: DType) -> Scalar {
        with_element!(dtype, T => T::ZERO.to_scalar())
    }

    /// Returns one (or true) of a type.
    pub fn one(dtype: DType) -> Scalar {
        with_element!(dtype, T => T::ONE.to_scalar())
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Bool(value) => fmt::Display::fmt(value, f),
            Scalar::I8(value) => fmt::Display::fmt(value, f),
            Scalar::I16(value) => fmt::Display::fmt(value, f),
            Scalar::I32(value) => fmt::Display::fmt(value, f),
            Scalar::I64(value) => fmt::Display::fmt(value, f),
            Scalar::U8(value) => fmt::Display::fmt(value, f),
            Scalar::U16(value) => fmt::Display::fmt(value, f),
            Scalar::U32(value) => fmt::Display::fmt(value, f),
            Scalar::U64(value) => fmt::Display::fmt(value, f),
            Scalar::F16(value) => fmt::Display::fmt(value, f),
            Scalar::F32(value) => fmt::Display::fmt(value, f),
            Scalar::F64(value) => fmt::Display::fmt(value, f),
            Scalar::C64(value) => fmt::Display::fmt(value, f),
            Scalar::C128(value) => fmt::Display::fmt(value, f),
        }
    }
}

macro_rules! from_element {
    ($($type:ty, $variant:ident);*) => {
        $(impl From<$type> for Scalar {
            fn from(value: $type) -> Scalar {
                Scalar::$variant(value)
            }
        })*
    };
}

from_element!(
    bool, Bool;
    i8, I8;
    i16, I16;
    i32, I32;
    i64, I64;
    u8, U8;
    u16, U16;
    u32, U32;
    u64, U64;
    f16, F16;
    f32, F32;
    f64, F64;
    Complex<f32>, C64;
    Complex<f64>, C128
);
