//! Element types: the dynamic [`DType`] and [`Scalar`], and the Rust types they stand for.
//!
//! Arrays know their element type only while the program runs ([`DType`]), so that a front end without Rust's types
//! can use them; [`Element`] ties each one to its Rust type. Promotion and casts follow NumPy 2.

mod cast;
mod element;
mod number;
mod scalar;

pub use cast::CastFrom;
pub use element::Element;
pub(crate) use element::{with_element, with_float, with_integer, with_number};
pub use number::{Float, Integer, Number};
pub use scalar::Scalar;

use std::fmt;

/// The type of an array's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum DType {
    /// `bool`, one byte that is 0 or 1.
    Bool,
    /// `i32`.
    I32,
    /// `i64`.
    I64,
    /// `u32`.
    U32,
    /// `u64`.
    U64,
    /// `f32`.
    F32,
    /// `f64`.
    F64,
}

impl DType {
    /// Every element type, in promotion order.
    pub const ALL: [DType; 7] = [
        DType::Bool,
        DType::I32,
        DType::I64,
        DType::U32,
        DType::U64,
        DType::F32,
        DType::F64,
    ];

    /// The Rust name: `"f64"`, `"bool"`.
    pub const fn name(self) -> &'static str {
        match self {
            DType::Bool => "bool",
            DType::I32 => "i32",
            DType::I64 => "i64",
            DType::U32 => "u32",
            DType::U64 => "u64",
            DType::F32 => "f32",
            DType::F64 => "f64",
        }
    }

    /// The element type with this [`name`](DType::name).
    pub fn from_name(name: &str) -> Option<DType> {
        DType::ALL.into_iter().find(|dtype| dtype.name() == name)
    }

    /// The size of one element, in bytes. Elements are aligned to their size.
    pub const fn size(self) -> usize {
        match self {
            DType::Bool => 1,
            DType::I32 | DType::U32 | DType::F32 => 4,
            DType::I64 | DType::U64 | DType::F64 => 8,
        }
    }

    /// Whether this is `bool`.
    pub const fn is_bool(self) -> bool {
        matches!(self, DType::Bool)
    }

    /// Whether this is an integer type, signed or not. `bool` is none.
    pub const fn is_integer(self) -> bool {
        matches!(self, DType::I32 | DType::I64 | DType::U32 | DType::U64)
    }

    /// Whether this is a signed integer type.
    pub const fn is_signed_integer(self) -> bool {
        matches!(self, DType::I32 | DType::I64)
    }

    /// Whether this is a floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(self, DType::F32 | DType::F64)
    }

    /// The type that holds the values of both, as NumPy 2 promotes two arrays.
    ///
    /// Signed and unsigned of one width go to the next wider signed type, or to `f64` where there is none; an integer
    /// and `f32` give `f64`.
    pub const fn promote(a: DType, b: DType) -> DType {
        use DType::{Bool, F32, F64, I32, I64, U32, U64};
        match (a, b) {
            (Bool, other) | (other, Bool) => other,
            (F64, _) | (_, F64) => F64,
            (F32, F32) => F32,
            (F32, _) | (_, F32) => F64,
            (I32, I32) => I32,
            (U32, U32) => U32,
            (U64, U64 | U32) | (U32, U64) => U64,
            (U64, _) | (_, U64) => F64,
            (I64, _) | (_, I64) | (I32, U32) | (U32, I32) => I64,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promotion_is_commutative_and_idempotent() {
        for a in DType::ALL {
            assert_eq!(DType::promote(a, a), a);
            for b in DType::ALL {
                assert_eq!(DType::promote(a, b), DType::promote(b, a), "{a} {b}");
            }
        }
    }

    #[test]
    fn promotion_follows_numpy() {
        use DType::*;
        for (a, b, both) in [
            (Bool, F32, F32),
            (I32, U32, I64),
            (I32, I64, I64),
            (U32, I64, I64),
            (I32, U64, F64),
            (I64, U64, F64),
            (U32, U64, U64),
            (I32, F32, F64),
            (U64, F32, F64),
            (F32, F64, F64),
        ] {
            assert_eq!(DType::promote(a, b), both, "{a} {b}");
        }
    }

    #[test]
    fn names_read_back() {
        for dtype in DType::ALL {
            assert_eq!(DType::from_name(dtype.name()), Some(dtype));
        }
        assert_eq!(DType::from_name("f16"), None);
    }
}
