//! Sums of products for every element type.

use std::marker::PhantomData;

use crate::dtype::{Element, Number};
use crate::kernel::order::Fold;

/// Elements that can be multiplied and added up.
pub(super) trait Ring: Element {
    /// The sum.
    fn sum(self, other: Self) -> Self;
    /// The product.
    fn product(self, other: Self) -> Self;
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

ring!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);

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

/// The sum in the ring.
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
