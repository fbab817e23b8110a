//! Reductions of the whole array or along one axis.

use super::{Array, DynArray};
use crate::dtype::{Comparable, Complex, DType, Element, Inexact, Real, f16};
use crate::kernel::ReduceOp;
use weft_core::error::{CallError, Error, at_call};
use weft_core::site::Site;

/// Element types and the types of their sums, which are wider for small integers, as in NumPy.
pub trait Summable: Element {
    /// The type of sums and products.
    type Sum: Element;
}

macro_rules! summable {
    ($($from:ty => $to:ty),*) => {$(impl Summable for $from { type Sum = $to; })*};
}

summable!(
    bool => i64, i8 => i64, i16 => i64, i32 => i64, i64 => i64,
    u8 => u64, u16 => u64, u32 => u64, u64 => u64, f16 => f16, f32 => f32, f64 => f64,
    Complex<f32> => Complex<f32>, Complex<f64> => Complex<f64>
);

impl DynArray {
    /// Reduces all elements, or those along one axis, which is removed from the shape.
    ///
    /// The order of summation depends only on the shape, never on the number of workers.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds, or the array is empty and the function is not
    /// defined for empty arrays.
    #[track_caller]
    pub fn reduce(&self, op: ReduceOp, axis: Option<usize>) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.reduce(op, axis)?.into())
    }

    /// Reduces segments of the first axis, given by their starts and lengths as vectors of `i64`.
    /// Returns `None` where other functions compute it: on GPUs, for `f16`, and if there are no
    /// elements.
    ///
    /// # Errors
    /// Returns an error if the result is too large. A segment that is empty or not inside of the
    /// axis is an error of the result.
    #[doc(hidden)]
    #[track_caller]
    pub fn reduce_segments(
        &self,
        op: ReduceOp,
        starts: &DynArray,
        counts: &DynArray,
    ) -> Result<Option<DynArray>, CallError> {
        let _call = Site::enter_caller();
        let made = self.view.reduce_segments(op, &starts.view, &counts.view)?;
        Ok(made.map(DynArray::from))
    }

    /// Returns the mean of all elements, or of those along an axis. Integers are averaged as `f64`.
    ///
    /// # Errors
    /// Returns an error if the axis is out of bounds.
    #[track_caller]
    pub fn mean(&self, axis: Option<usize>) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.mean(axis)?.into())
    }
}

impl<T: Element> Array<T> {
    #[track_caller]
    fn reduced<U: Element>(&self, op: ReduceOp, axis: Option<usize>) -> Result<Array<U>, Error> {
        Ok(Array::wrap(self.as_dyn().reduce(op, axis)?))
    }
}

macro_rules! reductions {
    ($bound:ident: $($(#[$doc:meta])* $name:ident, $axis_name:ident, $try_name:ident = $op:ident -> $out:ty;)*) => {
        impl<T: $bound> Array<T> {
            $($(#[$doc])*
            /// Computed over all elements, as an array without axes.
            ///
            /// # Panics
            /// Panics at the caller's line if there are no elements and the function is not defined
            /// for empty arrays.
            #[track_caller]
            #[must_use]
            pub fn $name(&self) -> Array<$out> {
                at_call(self.reduced(ReduceOp::$op, None))
            }

            $(#[$doc])*
            /// Computed over the elements along one axis, which is removed from the shape.
            ///
            /// # Panics
            /// Panics at the caller's line if the axis is out of bounds, or it has no elements and
            /// the function is not defined for empty arrays.
            #[track_caller]
            #[must_use]
            pub fn $axis_name(&self, axis: usize) -> Array<$out> {
                at_call(self.reduced(ReduceOp::$op, Some(axis)))
            }

            $(#[$doc])*
            /// Computed over all elements or those along one axis; returns errors.
            ///
            /// # Errors
            /// Returns an error if the axis is out of bounds, or it is empty and the function is
            /// not defined for empty arrays.
            #[track_caller]
            pub fn $try_name(&self, axis: Option<usize>) -> Result<Array<$out>, Error> {
                self.reduced(ReduceOp::$op, axis)
            })*
        }
    };
}

reductions! { Summable:
    /// The sum.
    sum, sum_axis, try_sum = Sum -> T::Sum;
    /// The product.
    prod, prod_axis, try_prod = Prod -> T::Sum;
}

reductions! { Comparable:
    /// The smallest element; NaN if one is NaN.
    min, min_axis, try_min = Min -> T;
    /// The largest element; NaN if one is NaN.
    max, max_axis, try_max = Max -> T;
    /// The index of the first smallest element (row-major over the whole array), or of the first
    /// NaN.
    argmin, argmin_axis, try_argmin = ArgMin -> i64;
    /// The index of the first largest element (row-major over the whole array), or of the first
    /// NaN.
    argmax, argmax_axis, try_argmax = ArgMax -> i64;
}

reductions! { Element:
    /// Whether any element is neither 0 nor false.
    any, any_axis, try_any = Any -> bool;
    /// Whether no element is 0 or false.
    all, all_axis, try_all = All -> bool;
    /// The number of elements that are neither 0 nor false.
    count_nonzero, count_nonzero_axis, try_count_nonzero = CountNonzero -> i64;
}

impl<T: Inexact> Array<T> {
    /// Returns the mean of all elements, as an array without axes; NaN if there are none.
    ///
    /// # Panics
    /// Panics at the caller's line if the runtime has finished.
    #[track_caller]
    #[must_use]
    pub fn mean(&self) -> Array<T> {
        Array::wrap(at_call(self.as_dyn().mean(None)))
    }

    /// Returns the mean of the elements along one axis, which is removed from the shape.
    ///
    /// # Panics
    /// Panics at the caller's line if the axis is out of bounds.
    #[track_caller]
    #[must_use]
    pub fn mean_axis(&self, axis: usize) -> Array<T> {
        Array::wrap(at_call(self.as_dyn().mean(Some(axis))))
    }
}

impl<T: Real + Summable> Array<T> {
    /// Returns the mean of all elements as `f64`, for integers too.
    ///
    /// # Panics
    /// Panics at the caller's line if the runtime has finished.
    #[track_caller]
    #[must_use]
    pub fn mean_f64(&self) -> Array<f64> {
        let wide = at_call(self.as_dyn().cast(DType::F64));
        Array::wrap(at_call(wide.mean(None)))
    }
}
