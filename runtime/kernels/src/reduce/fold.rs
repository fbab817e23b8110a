//! The reductions as folds, with one type for each.

use std::marker::PhantomData;

use crate::dtype::{CastFrom, Comparable, Complex, Element, Number, f16};
use crate::order::{BLOCK, Fold};

/// A type of terms that can be added, with the type in which NumPy adds them.
pub(crate) trait Summand: Element {
    /// The type of the sum.
    type Total: Number + CastFrom<Self>;
}

macro_rules! summand {
    ($($type:ty => $total:ty),*) => {
        $(impl Summand for $type {
            type Total = $total;
        })*
    };
}

summand!(
    bool => i64, i8 => i64, i16 => i64, i32 => i64, i64 => i64,
    u8 => u64, u16 => u64, u32 => u64, u64 => u64, f16 => f32, f32 => f32, f64 => f64,
    Complex<f32> => Complex<f32>, Complex<f64> => Complex<f64>
);

/// An element that may be NaN.
pub(crate) trait NanElement: Comparable {
    /// NaN.
    const NAN: Self;

    /// Returns the smaller value, or the other one if one is NaN.
    #[inline(always)]
    fn smaller_but_nan(self, other: Self) -> Self {
        if (other < self) | self.is_not_a_number() {
            other
        } else {
            self
        }
    }

    /// Returns the larger value, or the other one if one is NaN.
    #[inline(always)]
    fn larger_but_nan(self, other: Self) -> Self {
        if (other > self) | self.is_not_a_number() {
            other
        } else {
            self
        }
    }
}

macro_rules! nan_element {
    ($($type:ty),*) => {
        $(impl NanElement for $type {
            const NAN: Self = <$type>::NAN;
        })*
    };
}

nan_element!(f16, f32, f64);

macro_rules! fold {
    ($($(#[$doc:meta])* $name:ident<T: $bound:ident> -> $Acc:ty, $start:expr, $step:expr, $join:expr
        $(, slow $slow:literal)? $(, plain $plain:expr, odd $odd:expr)? $(, orderless $orderless:expr)? $(, by $all:expr)?);* $(;)?) => {
        $($(#[$doc])*
        pub(crate) struct $name<T>(PhantomData<T>);

        impl<T: $bound> Fold for $name<T> {
            type In = T;
            type Acc = $Acc;
            $(const IS_SLOW: bool = $slow;)?
            $(const IS_ORDERLESS: bool = $orderless;)?
            const START: $Acc = $start;

            #[inline(always)]
            fn step(acc: $Acc, term: T) -> $Acc {
                ($step)(acc, term)
            }
            #[inline(always)]
            fn join(a: $Acc, b: $Acc) -> $Acc {
                ($join)(a, b)
            }
            $(#[inline(always)]
            fn plain_step(acc: $Acc, term: T) -> $Acc {
                ($plain)(acc, term)
            }
            #[inline(always)]
            fn is_odd(term: T) -> bool {
                ($odd)(term)
            })?
            $(#[inline(always)]
            fn in_any_order(terms: &[T]) -> $Acc {
                $all(terms)
            })?
        })*
    };
}

fold! {
    /// The sum.
    Sum<T: Summand> -> T::Total, T::Total::ZERO,
        |acc: T::Total, term| acc.plus(T::Total::cast_from(term)), T::Total::plus, slow true;
    /// The product.
    Product<T: Summand> -> T::Total, T::Total::ONE,
        |acc: T::Total, term| acc.times(T::Total::cast_from(term)), T::Total::times, slow true;
    /// The smallest element. Without NaN it is one instruction.
    Smallest<T: Comparable> -> T, T::HIGHEST, T::smaller, T::smaller,
        plain T::smaller_number, odd T::is_not_a_number, orderless !T::DTYPE.is_float();
    /// The largest element.
    Largest<T: Comparable> -> T, T::LOWEST, T::larger, T::larger,
        plain T::larger_number, odd T::is_not_a_number, orderless !T::DTYPE.is_float();
    /// The smallest element that is not NaN; NaN without any.
    SmallestNumber<T: NanElement> -> T, T::NAN, T::smaller_but_nan, T::smaller_but_nan, slow true;
    /// The largest element that is not NaN.
    LargestNumber<T: NanElement> -> T, T::NAN, T::larger_but_nan, T::larger_but_nan, slow true;
    /// Whether any element is true.
    Any<T: Element> -> bool, false, |acc: bool, term: T| acc | term.is_true(),
        |a: bool, b: bool| a | b, orderless true;
    /// Whether all elements are true.
    All<T: Element> -> bool, true, |acc: bool, term: T| acc & term.is_true(),
        |a: bool, b: bool| a & b, orderless true;
    /// The number of true elements.
    Count<T: Element> -> i64, 0, |acc: i64, term: T| acc + i64::from(term.is_true()),
        |a: i64, b: i64| a + b, orderless true, by count;
}

/// The number of true terms. Terms of a byte are counted in bytes, of which a vector has most.
/// Written with indices, since iterators are not inlined into code for a vector unit.
#[inline(always)]
fn count<T: Element>(terms: &[T]) -> i64 {
    let part = if size_of::<T>() == 1 { 128 } else { BLOCK };
    let (mut total, mut start) = (0, 0);
    while start < terms.len() {
        let end = terms.len().min(start + part);
        let (mut small, mut large) = (0u8, 0i64);
        while start < end {
            if size_of::<T>() == 1 {
                small += u8::from(terms[start].is_true());
            } else {
                large += i64::from(terms[start].is_true());
            }
            start += 1;
        }
        total += i64::from(small) + large;
    }
    total
}

/// Evaluates an expression with `F` as the fold of an operation that does not return an index.
/// Folds with the same bits for several types are compiled for one of them. Terms and results have
/// the size of those of `dtype`, but may differ in sign.
macro_rules! with_fold {
    ($op:expr, $dtype:expr, $F:ident => $body:expr) => {
        match $op {
            $crate::ReduceOp::Sum => $crate::dtype::with_summand!($dtype, T => {
                type $F = $crate::reduce::fold::Sum<T>;
                $body
            }),
            $crate::ReduceOp::Prod => $crate::dtype::with_summand!($dtype, T => {
                type $F = $crate::reduce::fold::Product<T>;
                $body
            }),
            $crate::ReduceOp::FMin if $dtype.is_float() => $crate::dtype::with_float!($dtype, T => {
                type $F = $crate::reduce::fold::SmallestNumber<T>;
                $body
            }, else unreachable!("floats")),
            $crate::ReduceOp::FMax if $dtype.is_float() => $crate::dtype::with_float!($dtype, T => {
                type $F = $crate::reduce::fold::LargestNumber<T>;
                $body
            }, else unreachable!("floats")),
            $crate::ReduceOp::Min | $crate::ReduceOp::FMin | $crate::ReduceOp::ArgMin => $crate::dtype::with_comparable!($dtype, T => {
                type $F = $crate::reduce::fold::Smallest<T>;
                $body
            }, else unreachable!("complex numbers have no order")),
            $crate::ReduceOp::Max | $crate::ReduceOp::FMax | $crate::ReduceOp::ArgMax => $crate::dtype::with_comparable!($dtype, T => {
                type $F = $crate::reduce::fold::Largest<T>;
                $body
            }, else unreachable!("complex numbers have no order")),
            $crate::ReduceOp::Any => $crate::dtype::with_unsigned_element!($dtype, T => {
                type $F = $crate::reduce::fold::Any<T>;
                $body
            }),
            $crate::ReduceOp::All => $crate::dtype::with_unsigned_element!($dtype, T => {
                type $F = $crate::reduce::fold::All<T>;
                $body
            }),
            $crate::ReduceOp::CountNonzero => $crate::dtype::with_unsigned_element!($dtype, T => {
                type $F = $crate::reduce::fold::Count<T>;
                $body
            }),
        }
    };
}

pub(crate) use with_fold;
