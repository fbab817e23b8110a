//! Elementwise functions.

use super::{Array, DynArray, IntoValue, Value};
use crate::dtype::{Comparable, Element, Float, Inexact, Integer, Number, Real};
use crate::kernel::{BinaryOp, UnaryOp};
use crate::lower::View;
use weft_core::error::{CallError, Error, at_call};
use weft_core::site::Site;

impl DynArray {
    /// Returns an elementwise function of one array. Integers become `f64` for real-valued
    /// functions.
    ///
    /// # Errors
    /// Returns an error if the function is not defined for the dtype.
    #[track_caller]
    pub fn unary(&self, op: UnaryOp) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.unary(op)?.into())
    }

    /// Returns an elementwise function of two operands, which are broadcast and cast to one dtype.
    ///
    /// # Errors
    /// Returns an error if the shapes do not broadcast together, or the function is not defined for
    /// the dtypes.
    #[track_caller]
    pub fn binary(
        op: BinaryOp,
        left: impl Into<Value>,
        right: impl Into<Value>,
    ) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let (left, right) = (left.into(), right.into());
        Ok(View::binary(op, &left, &right)?.into())
    }

    /// Writes an elementwise function of two operands into this array.
    ///
    /// # Errors
    /// Returns an error if the operands do not broadcast to this array's shape, or the function is
    /// not defined for the dtypes.
    #[track_caller]
    pub fn binary_into(
        &self,
        op: BinaryOp,
        left: impl Into<Value>,
        right: impl Into<Value>,
    ) -> Result<(), CallError> {
        let _call = Site::enter_caller();
        let (left, right) = (left.into(), right.into());
        self.view.binary_into(op, &left, &right)
    }

    /// Writes an elementwise function of `input` into this array.
    ///
    /// # Errors
    /// Returns an error if `input` does not broadcast to this array's shape, or the function is not
    /// defined for the dtype.
    #[track_caller]
    pub fn unary_into(&self, op: UnaryOp, input: &DynArray) -> Result<(), CallError> {
        let _call = Site::enter_caller();
        self.view.unary_into(op, &input.view)
    }

    /// Returns `left` where the condition is true, and `right` elsewhere, as NumPy's `where`.
    ///
    /// # Errors
    /// Returns an error if the condition is not `bool`, or the shapes do not broadcast together.
    #[track_caller]
    pub fn select(
        condition: &DynArray,
        left: impl Into<Value>,
        right: impl Into<Value>,
    ) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let (left, right) = (left.into(), right.into());
        Ok(View::select(&condition.view, &left, &right)?.into())
    }
}

/// Returns the complex numbers with these real and imaginary parts; those of `f16` have parts of
/// `f32`.
///
/// # Panics
/// Panics at the caller's line if the shapes do not broadcast together.
#[track_caller]
pub fn complex<T: Float>(
    real: impl IntoValue<T>,
    imaginary: impl IntoValue<T>,
) -> Array<<T as Inexact>::Complex> {
    let (real, imaginary) = (real.into_value(), imaginary.into_value());
    Array::wrap(at_call(DynArray::binary(
        BinaryOp::Complex,
        real,
        imaginary,
    )))
}

/// Returns `left` where `condition` is true, and `right` elsewhere, as NumPy's `where`.
///
/// # Panics
/// Panics at the caller's line if the shapes do not broadcast together.
#[track_caller]
pub fn select<T: Element>(
    condition: &Array<bool>,
    left: impl IntoValue<T>,
    right: impl IntoValue<T>,
) -> Array<T> {
    let (left, right) = (left.into_value(), right.into_value());
    Array::wrap(at_call(DynArray::select(condition.as_dyn(), left, right)))
}

impl<T: Element> Array<T> {
    #[track_caller]
    fn unary<U: Element>(&self, op: UnaryOp) -> Array<U> {
        Array::wrap(at_call(self.as_dyn().unary(op)))
    }

    #[track_caller]
    fn try_binary<U: Element>(
        &self,
        op: BinaryOp,
        other: impl IntoValue<T>,
    ) -> Result<Array<U>, Error> {
        let made = DynArray::binary(op, self.as_dyn(), other.into_value())?;
        Ok(Array::wrap(made))
    }

    /// Writes a function of two arrays, or of an array and a value, into this array, as NumPy's
    /// `out=`.
    ///
    /// # Panics
    /// Panics at the caller's line if the operands do not broadcast to this array's shape.
    #[track_caller]
    pub fn store<A: Element>(
        &self,
        op: BinaryOp,
        left: impl IntoValue<A>,
        right: impl IntoValue<A>,
    ) {
        let (left, right) = (left.into_value(), right.into_value());
        at_call(self.as_dyn().binary_into(op, left, right));
    }

    /// Writes a function of an array into this array, as NumPy's `out=`.
    ///
    /// # Panics
    /// Panics at the caller's line if the input does not broadcast to this array's shape.
    #[track_caller]
    pub fn store_unary<A: Element>(&self, op: UnaryOp, input: &Array<A>) {
        at_call(self.as_dyn().unary_into(op, input.as_dyn()));
    }
}

/// Writes the methods of functions of one array, from their declarations in `weft_kernels`.
macro_rules! unary_methods {
    ($({ $($row:tt)* })*) => {
        impl<T: Element> Array<T> {
            $(unary_methods! { @ $($row)* })*
        }
    };
    (@ $(#[$($doc:tt)*])* $op:ident) => {};
    (@ $(#[$($doc:tt)*])* $op:ident $name:ident ($bound:ident) -> $out:ty) => {
        $(#[$($doc)*])*
        #[track_caller]
        #[must_use]
        pub fn $name(&self) -> Array<$out>
        where
            T: $bound,
        {
            self.unary(UnaryOp::$op)
        }
    };
}

/// Writes the methods of functions of two arrays, from their declarations in `weft_kernels`.
macro_rules! binary_methods {
    ($({ $($row:tt)* })*) => {
        impl<T: Element> Array<T> {
            $(binary_methods! { @ $($row)* })*
        }
    };
    (@ $(#[$($doc:tt)*])* $op:ident) => {};
    (@ $(#[$($doc:tt)*])* $op:ident $name:ident, $try_name:ident ($bound:ident) -> $out:ty) => {
        $(#[$($doc)*])*
        ///
        /// # Panics
        /// Panics at the caller's line if the shapes do not broadcast together.
        #[track_caller]
        #[must_use]
        pub fn $name(&self, other: impl IntoValue<T>) -> Array<$out>
        where
            T: $bound,
        {
            at_call(self.try_binary(BinaryOp::$op, other))
        }

        $(#[$($doc)*])*
        ///
        /// # Errors
        /// Returns an error if the shapes do not broadcast together.
        #[track_caller]
        pub fn $try_name(&self, other: impl IntoValue<T>) -> Result<Array<$out>, Error>
        where
            T: $bound,
        {
            self.try_binary(BinaryOp::$op, other)
        }
    };
}

weft_kernels::each_unary_method!(unary_methods);
weft_kernels::each_binary_method!(binary_methods);
