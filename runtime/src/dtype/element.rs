//! The Rust types that can be elements of an array.

use std::fmt::Debug;

use super::{CastFrom, DType, Scalar};

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that can be an element of an array. Sealed: there is one for each [`DType`].
pub trait Element:
    sealed::Sealed
    + Copy
    + Default
    + Debug
    + PartialEq
    + PartialOrd
    + Send
    + Sync
    + 'static
    + Into<Scalar>
    + CastFrom<bool>
    + CastFrom<i32>
    + CastFrom<i64>
    + CastFrom<u32>
    + CastFrom<u64>
    + CastFrom<f32>
    + CastFrom<f64>
{
    /// Its dynamic type.
    const DTYPE: DType;
    /// 0, or false.
    const ZERO: Self;
    /// 1, or true.
    const ONE: Self;

    /// The value as a dynamic scalar of the same type.
    fn to_scalar(self) -> Scalar;

    /// The scalar's value, cast to this type as [`Scalar::cast`] does.
    fn from_scalar(scalar: &Scalar) -> Self;

    /// Whether the value counts as true: not zero. NaN is true.
    fn is_true(self) -> bool;
}

macro_rules! element {
    ($($type:ty, $variant:ident, $zero:expr, $one:expr);*) => {
        $(impl sealed::Sealed for $type {}

        impl Element for $type {
            const DTYPE: DType = DType::$variant;
            const ZERO: Self = $zero;
            const ONE: Self = $one;

            #[inline(always)]
            fn to_scalar(self) -> Scalar {
                Scalar::$variant(self)
            }

            fn from_scalar(scalar: &Scalar) -> Self {
                match *scalar {
                    Scalar::Bool(value) => Self::cast_from(value),
                    Scalar::I32(value) => Self::cast_from(value),
                    Scalar::I64(value) => Self::cast_from(value),
                    Scalar::U32(value) => Self::cast_from(value),
                    Scalar::U64(value) => Self::cast_from(value),
                    Scalar::F32(value) => Self::cast_from(value),
                    Scalar::F64(value) => Self::cast_from(value),
                }
            }

            #[inline(always)]
            fn is_true(self) -> bool {
                self != Self::ZERO
            }
        })*
    };
}

element!(
    bool, Bool, false, true;
    i32, I32, 0, 1;
    i64, I64, 0, 1;
    u32, U32, 0, 1;
    u64, U64, 0, 1;
    f32, F32, 0.0, 1.0;
    f64, F64, 0.0, 1.0
);

/// Evaluates an expression with a type name standing for the Rust type of a [`DType`].
///
/// `with_element!(dtype, T => T::ZERO.to_scalar())` is the zero of `dtype`.
macro_rules! with_element {
    ($dtype:expr, $T:ident => $body:expr) => {
        match $dtype {
            $crate::dtype::DType::Bool => {
                type $T = bool;
                $body
            }
            $crate::dtype::DType::I32 => {
                type $T = i32;
                $body
            }
            $crate::dtype::DType::I64 => {
                type $T = i64;
                $body
            }
            $crate::dtype::DType::U32 => {
                type $T = u32;
                $body
            }
            $crate::dtype::DType::U64 => {
                type $T = u64;
                $body
            }
            $crate::dtype::DType::F32 => {
                type $T = f32;
                $body
            }
            $crate::dtype::DType::F64 => {
                type $T = f64;
                $body
            }
        }
    };
}

/// [`with_element`] for numbers; `else` is evaluated for `bool`.
macro_rules! with_number {
    ($dtype:expr, $T:ident => $body:expr, else $other:expr) => {
        match $dtype {
            $crate::dtype::DType::Bool => $other,
            $crate::dtype::DType::I32 => {
                type $T = i32;
                $body
            }
            $crate::dtype::DType::I64 => {
                type $T = i64;
                $body
            }
            $crate::dtype::DType::U32 => {
                type $T = u32;
                $body
            }
            $crate::dtype::DType::U64 => {
                type $T = u64;
                $body
            }
            $crate::dtype::DType::F32 => {
                type $T = f32;
                $body
            }
            $crate::dtype::DType::F64 => {
                type $T = f64;
                $body
            }
        }
    };
}

/// [`with_element`] for integers; `else` is evaluated for the others.
macro_rules! with_integer {
    ($dtype:expr, $T:ident => $body:expr, else $other:expr) => {
        match $dtype {
            $crate::dtype::DType::I32 => {
                type $T = i32;
                $body
            }
            $crate::dtype::DType::I64 => {
                type $T = i64;
                $body
            }
            $crate::dtype::DType::U32 => {
                type $T = u32;
                $body
            }
            $crate::dtype::DType::U64 => {
                type $T = u64;
                $body
            }
            _ => $other,
        }
    };
}

/// [`with_element`] for floats; `else` is evaluated for the others.
macro_rules! with_float {
    ($dtype:expr, $T:ident => $body:expr, else $other:expr) => {
        match $dtype {
            $crate::dtype::DType::F32 => {
                type $T = f32;
                $body
            }
            $crate::dtype::DType::F64 => {
                type $T = f64;
                $body
            }
            _ => $other,
        }
    };
}

pub(crate) use {with_element, with_float, with_integer, with_number};
