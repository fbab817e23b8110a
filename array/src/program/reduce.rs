//! Reductions of the whole array or along one axis.

use smallvec::{SmallVec, smallvec};

use super::forward::checked;
use super::{Array, DynArray, Value, ValueRef};
use crate::dtype::{Comparable, Complex, DType, Element, Inexact, Real, Scalar, f16};
use crate::kernel::{BinaryOp, ReduceOp};
use crate::library;
use crate::shape::{MAX_DIMS, Shape};
use weft_core::error::{CallError, Error, at_call};
use weft_core::operation::{Body, Operand, Request};
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
    /// A reduction of all elements, or along one axis, which is removed from the shape.
    ///
    /// The order of summation depends only on the shape, never on the number of workers.
    ///
    /// # Errors
    /// The axis is out of bounds; or the array is empty and the function is not defined for empty arrays.
    #[track_caller]
    pub fn reduce(&self, op: ReduceOp, axis: Option<usize>) -> Result<DynArray, CallError> {
        self.reduce_by(op, axis, Site::caller())
    }

    pub(crate) fn reduce_by(
        &self,
        op: ReduceOp,
        axis: Option<usize>,
        call: Site,
    ) -> Result<DynArray, CallError> {
        let shape = match axis {
            None => Shape::SCALAR,
            Some(axis) if axis < self.ndim() => self.layout.shape.without(axis),
            Some(axis) => {
                return Err(CallError::Axis {
                    axis,
                    dims: self.ndim(),
                });
            }
        };
        if !op.is_defined(self.dtype()) {
            return Err(CallError::DType {
                operation: op.name(),
                dtype: self.dtype(),
            });
        }
        if self.dtype() == DType::F16 && op.output_dtype(DType::F16) == DType::F32 {
            // Added up in `f32`, and rounded once.
            let wide = self.cast_by(DType::F32, call)?.reduce_by(op, axis, call)?;
            return wide.cast_by(DType::F16, call);
        }
        let dtype = op.output_dtype(self.dtype());
        let reduced = axis.map_or(self.len(), |axis| self.shape()[axis]);
        if reduced == 0 {
            let Some(value) = op.of_nothing(self.dtype()) else {
                let why = "not defined for an empty array".to_owned();
                return Err(CallError::Shape {
                    operation: op.name(),
                    why,
                });
            };
            let fill = value;
            return DynArray::filled(&self.core, dtype, shape.dims(), fill, call);
        }
        let out = DynArray::unwritten(&self.core, dtype, shape, call)?;
        match axis {
            Some(axis) => self.reduce_axis(op, axis, &out, call)?,
            None if op.is_index() => self.reduce_to_index(op, &out, call)?,
            None => self.reduce_all(
                library::reduce::partial(op),
                library::reduce::combine(op),
                &[self],
                &out,
                call,
            )?,
        }
        Ok(out)
    }

    fn reduce_axis(
        &self,
        reduce: ReduceOp,
        axis: usize,
        out: &DynArray,
        call: Site,
    ) -> Result<(), CallError> {
        let (shape, length) = (self.layout.shape, self.shape()[axis]);
        let axis = axis as u8;
        let partial = library::reduce::partial_along(reduce, axis);
        let tiles = self.core.cuts(&shape, partial.tiling).tiles();
        if tiles > 1 {
            return self.reduce_cut_axis(reduce, partial, tiles, out, call);
        }
        let body = library::reduce::along(reduce, axis, length);
        if out.fill_at_once(&body, &out.layout.shape, &[self.into()], call) {
            return Ok(());
        }
        let operands = smallvec![self.operand(), out.operand()];
        self.core
            .submit(Request::new(call, body, out.layout.shape, operands))?;
        Ok(())
    }

    /// Reduces each tile of an axis to a row of values, and those to one, as two operations of the same call.
    fn reduce_cut_axis(
        &self,
        reduce: ReduceOp,
        partial: Body,
        tiles: usize,
        out: &DynArray,
        call: Site,
    ) -> Result<(), CallError> {
        let mut dims: SmallVec<[usize; MAX_DIMS]> = smallvec![tiles];
        dims.extend_from_slice(out.shape());
        let rows = |dtype| DynArray::unwritten(&self.core, dtype, checked(&dims)?, call);
        let (combine, partials): (_, SmallVec<[DynArray; 2]>) = match reduce.is_index() {
            true => {
                let (values, indices) = (rows(self.dtype())?, rows(out.dtype())?);
                (
                    library::reduce::combine_arg(reduce),
                    smallvec![values, indices],
                )
            }
            false => (
                library::reduce::combine(reduce),
                smallvec![rows(out.dtype())?],
            ),
        };
        let mut operands: SmallVec<[Operand; 4]> = smallvec![self.operand()];
        operands.extend(partials.iter().map(|rows| rows.operand()));
        let request = Request::new(call, partial, self.layout.shape, operands);
        let uid = self.core.submit(request)?;
        let mut operands: SmallVec<[Operand; 4]> = SmallVec::new();
        operands.extend(partials.iter().map(|rows| rows.operand()));
        operands.push(out.operand());
        self.core
            .submit(Request::new(call, combine, out.layout.shape, operands).part_of(Some(uid)))?;
        Ok(())
    }

    /// Reduces each tile to one value, and those to one, as two operations of the same call.
    pub(crate) fn reduce_all(
        &self,
        body: Body,
        combine: Body,
        inputs: &[&DynArray],
        out: &DynArray,
        call: Site,
    ) -> Result<(), CallError> {
        let shape = self.layout.shape;
        let values: SmallVec<[ValueRef<'_>; 2]> =
            inputs.iter().map(|input| (*input).into()).collect();
        if out.fill_at_once(&body, &shape, &values, call) {
            return Ok(());
        }
        let tiles = self.core.cuts(&shape, body.tiling).tiles();
        let partials = if tiles == 1 {
            out.clone()
        } else {
            DynArray::unwritten(&self.core, out.dtype(), checked(&[tiles])?, call)?
        };
        let mut operands: SmallVec<_> = inputs.iter().map(|input| input.operand()).collect();
        operands.push(partials.operand());
        let uid = self
            .core
            .submit(Request::new(call, body, shape, operands))?;
        if tiles > 1 {
            let operands = smallvec![partials.operand(), out.operand()];
            self.core
                .submit(Request::new(call, combine, Shape::SCALAR, operands).part_of(Some(uid)))?;
        }
        Ok(())
    }

    fn reduce_to_index(&self, op: ReduceOp, out: &DynArray, call: Site) -> Result<(), CallError> {
        let shape = self.layout.shape;
        let body = library::reduce::partial_arg(op);
        let tiles = checked(&[self.core.cuts(&shape, body.tiling).tiles()])?;
        let values = DynArray::unwritten(&self.core, self.dtype(), tiles, call)?;
        let indices = DynArray::unwritten(&self.core, DType::I64, tiles, call)?;
        let operands = smallvec![self.operand(), values.operand(), indices.operand(),];
        let uid = self
            .core
            .submit(Request::new(call, body, shape, operands))?;
        let operands = smallvec![values.operand(), indices.operand(), out.operand(),];
        let body = library::reduce::combine_arg(op);
        self.core
            .submit(Request::new(call, body, Shape::SCALAR, operands).part_of(Some(uid)))?;
        Ok(())
    }

    /// The mean of all elements, or of those along an axis. Integers are averaged as `f64`.
    ///
    /// # Errors
    /// The axis is out of bounds.
    #[track_caller]
    pub fn mean(&self, axis: Option<usize>) -> Result<DynArray, CallError> {
        self.mean_by(axis, Site::caller())
    }

    /// Of `f16`, what `compute` makes of the same values as `f32`, rounded; `None` of other dtypes.
    pub(super) fn through_f32(
        &self,
        call: Site,
        compute: impl FnOnce(&DynArray) -> Result<DynArray, CallError>,
    ) -> Option<Result<DynArray, CallError>> {
        (self.dtype() == DType::F16).then(|| {
            let wide = self.cast_by(DType::F32, call)?;
            compute(&wide)?.cast_by(DType::F16, call)
        })
    }

    fn mean_by(&self, axis: Option<usize>, call: Site) -> Result<DynArray, CallError> {
        if let Some(mean) = self.through_f32(call, |wide| wide.mean_by(axis, call)) {
            return mean;
        }
        let floats = match self.dtype() {
            exact if exact.is_bool() || exact.is_integer() => DType::F64,
            inexact => inexact,
        };
        let sum = self
            .cast_by(floats, call)?
            .reduce_by(ReduceOp::Sum, axis, call)?;
        let count = axis.map_or(self.len(), |axis| self.shape()[axis]);
        let count = Value::Scalar(Scalar::F64(count as f64).cast(floats));
        DynArray::binary_by(BinaryOp::Div, &Value::Array(sum), &count, call)
    }
}

impl<T: Element> Array<T> {
    #[track_caller]
    fn reduced<U: Element>(&self, op: ReduceOp, axis: Option<usize>) -> Result<Array<U>, Error> {
        Ok(Array::wrap(self.as_dyn().reduce_by(
            op,
            axis,
            Site::caller(),
        )?))
    }
}

macro_rules! reductions {
    ($bound:ident: $($(#[$doc:meta])* $name:ident, $axis_name:ident, $try_name:ident = $op:ident -> $out:ty;)*) => {
        impl<T: $bound> Array<T> {
            $($(#[$doc])*
            /// Of all elements, as an array without axes.
            ///
            /// # Panics
            /// At the caller's line if there are no elements and no value for none.
            #[track_caller]
            #[must_use]
            pub fn $name(&self) -> Array<$out> {
                at_call(self.reduced(ReduceOp::$op, None))
            }

            $(#[$doc])*
            /// Of the elements along one axis, which is removed from the shape.
            ///
            /// # Panics
            /// At the caller's line if the axis is out of bounds, or it has no elements and there is no value for
            /// none.
            #[track_caller]
            #[must_use]
            pub fn $axis_name(&self, axis: usize) -> Array<$out> {
                at_call(self.reduced(ReduceOp::$op, Some(axis)))
            }

            $(#[$doc])*
            /// Of all elements or of those along one axis; returns errors.
            ///
            /// # Errors
            /// The axis is out of bounds, or it is empty and the function is not defined for empty arrays.
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
    /// The smallest; NaN if one is NaN.
    min, min_axis, try_min = Min -> T;
    /// The largest; NaN if one is NaN.
    max, max_axis, try_max = Max -> T;
    /// The index of the first smallest (row-major over the whole array), or of the first NaN.
    argmin, argmin_axis, try_argmin = ArgMin -> i64;
    /// The index of the first largest (row-major over the whole array), or of the first NaN.
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
    /// The mean of all elements, as an array without axes; NaN where there are none.
    ///
    /// # Panics
    /// At the caller's line if the runtime has finished.
    #[track_caller]
    #[must_use]
    pub fn mean(&self) -> Array<T> {
        Array::wrap(at_call(self.as_dyn().mean_by(None, Site::caller())))
    }

    /// The mean of the elements along one axis, which is removed from the shape.
    ///
    /// # Panics
    /// At the caller's line if the axis is out of bounds.
    #[track_caller]
    #[must_use]
    pub fn mean_axis(&self, axis: usize) -> Array<T> {
        Array::wrap(at_call(self.as_dyn().mean_by(Some(axis), Site::caller())))
    }
}

impl<T: Real + Summable> Array<T> {
    /// The mean of all elements as `f64`, also of integers.
    ///
    /// # Panics
    /// At the caller's line if the runtime has finished.
    #[track_caller]
    #[must_use]
    pub fn mean_f64(&self) -> Array<f64> {
        let wide = at_call(self.as_dyn().cast_by(DType::F64, Site::caller()));
        Array::wrap(at_call(wide.mean_by(None, Site::caller())))
    }
}
