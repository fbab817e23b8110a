//! Sums of products for every element type.

use std::marker::PhantomData;

use crate::dtype::{Complex, Element, Number};
use crate::order::Fold;

/// Elements that can be multiplied and added up.
pub(super) trait Ring: Element {
    /// Returns the sum.
    fn sum(self, other: Self) -> Self;
    /// Returns the product.
    fn product(self, other: Self) -> Self;
    /// Returns the sum with a product. Floats round once. Use this only in code compiled for a
    /// machine with such an instruction, and if no order of roundings is promised.
    #[inline(always)]
    fn plus_product(self, a: Self, b: Self) -> Self {
        self.sum(a.product(b))
    }
}

macro_rules! ring {
    ($($type:ty),*) => {
        $(impl Ring for $type {
            #[inline(always)]
            fn sum(self, other: Self) -> Self {
                Number::plus(self, other)
            }
            #[inline(always)]
            fn product(self, other: Self) -> Self {
                Number::times(self, other)
            }
        })*
    };
}

ring!(
    i8,
    i16,
    i32,
    i64,
    u8,
    u16,
    u32,
    u64,
    Complex<f32>,
    Complex<f64>
);

macro_rules! float_ring {
    ($($type:ty),*) => {
        $(impl Ring for $type {
            #[inline(always)]
            fn sum(self, other: Self) -> Self {
                Number::plus(self, other)
            }
            #[inline(always)]
            fn product(self, other: Self) -> Self {
                Number::times(self, other)
            }
            #[inline(always)]
            fn plus_product(self, a: Self, b: Self) -> Self {
                a.mul_add(b, self)
            }
        })*
    };
}

float_ring!(f32, f64);

impl Ring for bool {
    #[inline(always)]
    fn sum(self, other: Self) -> Self {
        self | other
    }
    #[inline(always)]
    fn product(self, other: Self) -> Self {
        self & other
    }
}

/// The fold that adds up terms in the ring.
pub(super) struct Total<T>(PhantomData<T>);

impl<T: Ring> Fold for Total<T> {
    type In = T;
    type Acc = T;
    const START: T = T::ZERO;

    #[inline(always)]
    fn step(acc: T, term: T) -> T {
        acc.sum(term)
    }
    #[inline(always)]
    fn join(a: T, b: T) -> T {
        a.sum(b)
    }
}

/// Evaluates an expression with a type name for an element type whose products are computed in that
/// type. Products of `f16` are computed in `f32`, to which the caller casts.
macro_rules! with_ring {
    ($dtype:expr, $T:ident => $body:expr) => {
        $crate::dtype::dispatch!($dtype, $T => $body, [
            Bool: bool, I8: i8, I16: i16, I32: i32, I64: i64, U8: u8, U16: u16, U32: u32, U64: u64, F32: f32, F64: f64,
            C64: $crate::dtype::Complex<f32>, C128: $crate::dtype::Complex<f64>
        ], else unreachable!("products of {} are made in a wider type", $dtype))
    };
}

pub(super) use with_ring;
