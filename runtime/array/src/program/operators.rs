//! Operators between arrays, and between arrays and scalars in any order. Each records the caller's
//! line.

use std::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div, DivAssign,
    Mul, MulAssign, Neg, Not, Rem, RemAssign, Sub, SubAssign,
};

use super::{Array, IntoValue};
use crate::dtype::{Complex, Element, Inexact, Number, Real, f16};
use crate::kernel::{BinaryOp, UnaryOp};
use crate::lower::View;
use weft_core::error::at_call;
use weft_core::site::Site;

#[track_caller]
fn apply<T: Element>(op: BinaryOp, left: impl IntoValue<T>, right: impl IntoValue<T>) -> Array<T> {
    let _call = Site::enter_caller();
    // Small operations need no handles of their own.
    if let Some(made) = View::binary_at_once(op, left.value().into(), right.value().into()) {
        return Array::wrap(made.into());
    }
    let (left, right) = (left.into_value(), right.into_value());
    let made = View::binary_submitted(op, (&left).into(), (&right).into());
    Array::wrap(at_call(made).into())
}

#[track_caller]
fn apply_in_place<T: Element>(op: BinaryOp, left: &Array<T>, right: impl IntoValue<T>) {
    let _call = Site::enter_caller();
    let (out, right) = (left.as_dyn(), right.into_value());
    let made = out.view.binary_into(op, &out.view, &right);
    at_call(made);
}

macro_rules! operator {
    ($bound:ident: $Trait:ident $method:ident, $Assign:ident $assign:ident, $op:ident; $($scalar:ty)*) => {
        impl<T: $bound, R: IntoValue<T>> $Trait<R> for &Array<T> {
            type Output = Array<T>;
            #[track_caller]
            fn $method(self, right: R) -> Array<T> {
                apply(BinaryOp::$op, self, right)
            }
        }

        impl<T: $bound, R: IntoValue<T>> $Trait<R> for Array<T> {
            type Output = Array<T>;
            #[track_caller]
            fn $method(self, right: R) -> Array<T> {
                apply(BinaryOp::$op, self, right)
            }
        }

        impl<T: $bound, R: IntoValue<T>> $Assign<R> for Array<T> {
            #[track_caller]
            fn $assign(&mut self, right: R) {
                apply_in_place(BinaryOp::$op, self, right);
            }
        }

        $(impl $Trait<&Array<$scalar>> for $scalar {
            type Output = Array<$scalar>;
            #[track_caller]
            fn $method(self, right: &Array<$scalar>) -> Array<$scalar> {
                apply(BinaryOp::$op, self, right)
            }
        }

        impl $Trait<Array<$scalar>> for $scalar {
            type Output = Array<$scalar>;
            #[track_caller]
            fn $method(self, right: Array<$scalar>) -> Array<$scalar> {
                apply(BinaryOp::$op, self, right)
            }
        })*
    };
}

operator!(Number: Add add, AddAssign add_assign, Add; i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 Complex<f32> Complex<f64>);
operator!(Number: Sub sub, SubAssign sub_assign, Sub; i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 Complex<f32> Complex<f64>);
operator!(Number: Mul mul, MulAssign mul_assign, Mul; i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 Complex<f32> Complex<f64>);
operator!(Real: Rem rem, RemAssign rem_assign, Rem; i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64);
operator!(Inexact: Div div, DivAssign div_assign, Div; f16 f32 f64 Complex<f32> Complex<f64>);

/// Types with bitwise operators: `bool` and integers.
pub trait Bits: Element {}
impl Bits for bool {}
impl Bits for i8 {}
impl Bits for i16 {}
impl Bits for i32 {}
impl Bits for i64 {}
impl Bits for u8 {}
impl Bits for u16 {}
impl Bits for u32 {}
impl Bits for u64 {}

operator!(Bits: BitAnd bitand, BitAndAssign bitand_assign, BitAnd; bool i8 i16 i32 i64 u8 u16 u32 u64);
operator!(Bits: BitOr bitor, BitOrAssign bitor_assign, BitOr; bool i8 i16 i32 i64 u8 u16 u32 u64);
operator!(Bits: BitXor bitxor, BitXorAssign bitxor_assign, BitXor; bool i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! prefix {
    ($bound:ident: $Trait:ident $method:ident, $op:ident) => {
        impl<T: $bound> $Trait for &Array<T> {
            type Output = Array<T>;
            #[track_caller]
            fn $method(self) -> Array<T> {
                Array::wrap(at_call(self.as_dyn().unary(UnaryOp::$op)))
            }
        }

        impl<T: $bound> $Trait for Array<T> {
            type Output = Array<T>;
            #[track_caller]
            fn $method(self) -> Array<T> {
                Array::wrap(at_call(self.as_dyn().unary(UnaryOp::$op)))
            }
        }
    };
}

prefix!(Number: Neg neg, Neg);
prefix!(Bits: Not not, BitNot);
