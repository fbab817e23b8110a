//! Conversion of the element type, and copies.

use super::complex::cast_complex;
use super::half::{cast_from_half, cast_to_half};
use super::loops::{map1, over};
use crate::Tile;
use crate::chain::{Block, copy_block};
use crate::dtype::{
    CastFrom, DType, with_integer, with_native_float, with_native_real, with_unsigned,
};

/// Computes `out = input`, converted to the type of `out` as by
/// [`Scalar::cast`](crate::dtype::Scalar::cast).
///
/// # Panics
/// Panics unless the shapes are equal.
pub fn cast(input: &Tile, out: &mut Tile) {
    over([input, out], cast_block(input.dtype(), out.dtype()));
}

pub use weft_elements::copy_elements as copy;

/// Returns the loop that converts elements of type `from` to type `to`.
pub(crate) fn cast_block(from: DType, to: DType) -> Block<2> {
    if from == to {
        return copy_block(to);
    }
    match (from, to) {
        _ if from.is_complex() || to.is_complex() => cast_complex(from, to),
        (DType::F16, _) => cast_from_half(to),
        (_, DType::F16) => cast_to_half(from),
        _ => cast_native(from, to),
    }
}

/// Returns the loop that converts between `bool`, integers, `f32` and `f64`. Conversions with the
/// same bits for several types are compiled for one of them. Integers wrap, so the sign matters
/// only for the integer that is widened.
fn cast_native(from: DType, to: DType) -> Block<2> {
    if to.is_bool() {
        return with_unsigned!(from.unsigned(), T => map1(|x: T| x != 0), else {
            with_native_float!(from, T => map1(|x: T| x != 0.0), else unreachable!("{from} is native"))
        });
    }
    // `bool` is stored as 0 or 1.
    let from = if from.is_bool() { DType::U8 } else { from };
    if to.is_float() {
        return with_native_float!(to, U => {
            with_native_real!(from, T => map1(|x: T| U::cast_from(x)), else unreachable!("{from} is native"))
        }, else unreachable!("{to} is native"));
    }
    if from.is_float() {
        return with_integer!(to, U => {
            with_native_float!(from, T => map1(|x: T| U::cast_from(x)), else unreachable!("{from} is native"))
        }, else unreachable!("{to} is native"));
    }
    if from.size() == to.size() {
        return copy_block(to);
    }
    let is_widened = from.size() < to.size();
    let from = if is_widened { from } else { from.unsigned() };
    macro_rules! casts {
        ($($From:ident $from:ty: $($To:ident $to:ty),*;)*) => {
            match (from, to.unsigned()) {
                $($((DType::$From, DType::$To) => map1(|x: $from| x as $to),)*)*
                _ => unreachable!("{from} and {to} differ in size"),
            }
        };
    }
    casts! {
        I8 i8: U16 u16, U32 u32, U64 u64;
        I16 i16: U32 u32, U64 u64;
        I32 i32: U64 u64;
        U8 u8: U16 u16, U32 u32, U64 u64;
        U16 u16: U8 u8, U32 u32, U64 u64;
        U32 u32: U8 u8, U16 u16, U64 u64;
        U64 u64: U8 u8, U16 u16, U32 u32;
    }
}
