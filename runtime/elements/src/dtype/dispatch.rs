//! Dispatch from a [`DType`](super::DType) to the Rust type that it represents.
//!
//! Each macro evaluates an expression in which a type name stands for that type:
//! `with_element!(dtype, T => T::ZERO.to_scalar())` is the zero of `dtype`. The expression is
//! compiled once for each type of the family.

/// Matches a dtype against the listed types. The other macros of this module call it.
#[macro_export]
#[doc(hidden)]
macro_rules! dispatch {
    ($dtype:expr, $T:ident => $body:expr, [$($variant:ident: $type:ty),*] $(, else $other:expr)?) => {
        match $dtype {
            $($crate::dtype::DType::$variant => {
                type $T = $type;
                $body
            })*
            $(_ => $other)?
        }
    };
}

/// Every type.
#[macro_export]
#[doc(hidden)]
macro_rules! with_element {
    ($dtype:expr, $T:ident => $body:expr) => {
        $crate::dispatch!($dtype, $T => $body, [
            Bool: bool,
            I8: i8, I16: i16, I32: i32, I64: i64, U8: u8, U16: u16, U32: u32, U64: u64,
            F16: $crate::dtype::f16, F32: f32, F64: f64,
            C64: $crate::dtype::Complex<f32>, C128: $crate::dtype::Complex<f64>
        ])
    };
}

/// Types whose values can be compared ([`Comparable`](crate::dtype::Comparable)); `else` is
/// evaluated for complex ones.
#[macro_export]
#[doc(hidden)]
macro_rules! with_comparable {
    ($dtype:expr, $T:ident => $body:expr, else $other:expr) => {
        $crate::dispatch!($dtype, $T => $body, [
            Bool: bool,
            I8: i8, I16: i16, I32: i32, I64: i64, U8: u8, U16: u16, U32: u32, U64: u64,
            F16: $crate::dtype::f16, F32: f32, F64: f64
        ], else $other)
    };
}

/// Numbers ([`Number`](crate::dtype::Number)); `else` is evaluated for `bool`.
#[macro_export]
#[doc(hidden)]
macro_rules! with_number {
    ($dtype:expr, $T:ident => $body:expr, else $other:expr) => {
        $crate::dispatch!($dtype, $T => $body, [
            I8: i8, I16: i16, I32: i32, I64: i64, U8: u8, U16: u16, U32: u32, U64: u64,
            F16: $crate::dtype::f16, F32: f32, F64: f64,
            C64: $crate::dtype::Complex<f32>, C128: $crate::dtype::Complex<f64>
        ], else $other)
    };
}

/// Integers and floats ([`Real`](crate::dtype::Real)); `else` is evaluated for the others.
#[macro_export]
#[doc(hidden)]
macro_rules! with_real {
    ($dtype:expr, $T:ident => $body:expr, else $other:expr) => {
        $crate::dispatch!($dtype, $T => $body, [
            I8: i8, I16: i16, I32: i32, I64: i64, U8: u8, U16: u16, U32: u32, U64: u64,
            F16: $crate::dtype::f16, F32: f32, F64: f64
        ], else $other)
    };
}

/// Integers ([`Integer`](crate::dtype::Integer)); `else` is evaluated for the others.
#[macro_export]
#[doc(hidden)]
macro_rules! with_integer {
    ($dtype:expr, $T:ident => $body:expr, else $other:expr) => {
        $crate::dispatch!($dtype, $T => $body, [
            I8: i8, I16: i16, I32: i32, I64: i64, U8: u8, U16: u16, U32: u32, U64: u64
        ], else $other)
    };
}

/// Unsigned integers; `else` is evaluated for the others.
#[macro_export]
#[doc(hidden)]
macro_rules! with_unsigned {
    ($dtype:expr, $T:ident => $body:expr, else $other:expr) => {
        $crate::dispatch!($dtype, $T => $body, [U8: u8, U16: u16, U32: u32, U64: u64], else $other)
    };
}

/// Like [`with_element`], for code that only needs to know the size of elements, or whether they
/// are 0. `bool` and signed integers are treated as unsigned integers.
#[macro_export]
#[doc(hidden)]
macro_rules! with_unsigned_element {
    ($dtype:expr, $T:ident => $body:expr) => {
        $crate::dispatch!($dtype.unsigned(), $T => $body, [
            U8: u8, U16: u16, U32: u32, U64: u64,
            F16: $crate::dtype::f16, F32: f32, F64: f64,
            C64: $crate::dtype::Complex<f32>, C128: $crate::dtype::Complex<f64>
        ], else unreachable!("signed integers were taken as unsigned ones"))
    };
}

/// Like [`with_element`], for sums and products, which wrap: `bool` and `i64` are treated as
/// unsigned integers.
#[macro_export]
#[doc(hidden)]
macro_rules! with_summand {
    ($dtype:expr, $T:ident => $body:expr) => {
        $crate::dispatch!($dtype, $T => $body, [
            I8: i8, I16: i16, I32: i32, U16: u16, U32: u32,
            F16: $crate::dtype::f16, F32: f32, F64: f64,
            C64: $crate::dtype::Complex<f32>, C128: $crate::dtype::Complex<f64>
        ], else $crate::dispatch!($dtype.unsigned(), $T => $body, [U8: u8, U64: u64],
            else unreachable!("every type has sums")))
    };
}

/// Floats ([`Float`](crate::dtype::Float)); `else` is evaluated for the others.
#[macro_export]
#[doc(hidden)]
macro_rules! with_float {
    ($dtype:expr, $T:ident => $body:expr, else $other:expr) => {
        $crate::dispatch!($dtype, $T => $body, [
            F16: $crate::dtype::f16, F32: f32, F64: f64
        ], else $other)
    };
}

/// Complex numbers; `else` is evaluated for the others.
#[macro_export]
#[doc(hidden)]
macro_rules! with_complex {
    ($dtype:expr, $T:ident => $body:expr, else $other:expr) => {
        $crate::dispatch!($dtype, $T => $body, [
            C64: $crate::dtype::Complex<f32>, C128: $crate::dtype::Complex<f64>
        ], else $other)
    };
}

/// Comparable types with native arithmetic, so without `f16`; `else` is evaluated for the others.
#[macro_export]
#[doc(hidden)]
macro_rules! with_native {
    ($dtype:expr, $T:ident => $body:expr, else $other:expr) => {
        $crate::dispatch!($dtype, $T => $body, [
            Bool: bool,
            I8: i8, I16: i16, I32: i32, I64: i64, U8: u8, U16: u16, U32: u32, U64: u64,
            F32: f32, F64: f64
        ], else $other)
    };
}

/// [`with_real`] without `f16`.
#[macro_export]
#[doc(hidden)]
macro_rules! with_native_real {
    ($dtype:expr, $T:ident => $body:expr, else $other:expr) => {
        $crate::dispatch!($dtype, $T => $body, [
            I8: i8, I16: i16, I32: i32, I64: i64, U8: u8, U16: u16, U32: u32, U64: u64,
            F32: f32, F64: f64
        ], else $other)
    };
}

/// [`with_float`] without `f16`.
#[macro_export]
#[doc(hidden)]
macro_rules! with_native_float {
    ($dtype:expr, $T:ident => $body:expr, else $other:expr) => {
        $crate::dispatch!($dtype, $T => $body, [
            F32: f32, F64: f64
        ], else $other)
    };
}

pub use crate::{
    dispatch, with_comparable, with_complex, with_element, with_float, with_integer, with_native,
    with_native_float, with_native_real, with_number, with_real, with_summand, with_unsigned,
    with_unsigned_element,
};
