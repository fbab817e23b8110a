//! Products of arrays of any number of axes: over pairs of axes, or matrix by matrix.

use smallvec::smallvec;

use super::forward::checked;
use super::forward::wrong;
use super::typed::typed;
use super::{Array, DynArray};
use crate::dtype::{DType, Number, Promotion, Scalar};
use crate::library;
use crate::shape::{Layout, Shape};
use weft_core::error::{CallError, at_call};
use weft_core::operation::Request;
use weft_core::site::Site;

impl DynArray {
    /// Sums of products over pairs of axes: `left[i]` of this array with `right[i]` of the other: NumPy's `tensordot`.
    /// The result has the other axes of this array, then those of the other one.
    ///
    /// # Errors
    /// The numbers or lengths of the axes differ, one is out of bounds or named twice, or the result has too many
    /// axes.
    #[track_caller]
    pub fn tensordot(
        &self,
        other: &DynArray,
        left: &[usize],
        right: &[usize],
    ) -> Result<DynArray, CallError> {
        self.tensordot_by("tensordot", other, left, right, Site::caller())
    }

    pub(super) fn tensordot_by(
        &self,
        operation: &'static str,
        other: &DynArray,
        left: &[usize],
        right: &[usize],
        call: Site,
    ) -> Result<DynArray, CallError> {
        if left.len() != right.len() {
            let why = format!(
                "{} axes of one array, but {} of the other",
                left.len(),
                right.len()
            );
            return Err(wrong(operation, &why));
        }
        for (a, b) in left.iter().zip(right) {
            let (a, b) = (self.check_axis(*a)?, other.check_axis(*b)?);
            let (m, n) = (self.shape()[a], other.shape()[b]);
            if m != n {
                let why = format!("axes {a} and {b} have {m} and {n} elements");
                return Err(wrong(operation, &why));
            }
        }
        let free = |array: &DynArray, bound: &[usize]| -> Vec<usize> {
            let axes = 0..array.ndim();
            axes.filter(|axis| !bound.contains(axis)).collect()
        };
        let (left_free, right_free) = (free(self, left), free(other, right));
        let lengths = |array: &DynArray, axes: &[usize]| -> Vec<usize> {
            axes.iter().map(|axis| array.shape()[*axis]).collect()
        };
        let (rows, columns) = (lengths(self, &left_free), lengths(other, &right_free));
        let dims = [rows.as_slice(), &columns].concat();
        checked(&dims)?;
        let inner: usize = lengths(self, left).iter().product();
        let sides = [&rows, &columns].map(|dims| dims.iter().product::<usize>());
        let matrix = self.permute(&[left_free.as_slice(), left].concat())?;
        let matrix = matrix.viewed(&[sides[0], inner], call)?.0;
        let by = other.permute(&[right, right_free.as_slice()].concat())?;
        let by = by.viewed(&[inner, sides[1]], call)?.0;
        let product = matrix.product(operation, &by, call)?;
        product.viewed(&dims, call).map(|(product, _)| product)
    }

    /// The sums of products over the last axes of both: NumPy's `inner`. With an array without axes, the products.
    ///
    /// # Errors
    /// The lengths of the last axes differ, or the result has too many axes.
    #[track_caller]
    pub fn inner(&self, other: &DynArray) -> Result<DynArray, CallError> {
        let call = Site::caller();
        match (self.ndim(), other.ndim()) {
            (0, _) | (_, 0) => self.with(crate::kernel::BinaryOp::Mul, other, call),
            (m, n) => self.tensordot_by("inner", other, &[m - 1], &[n - 1], call),
        }
    }

    /// The sum of the products of all elements of both, in row-major order; this array's complex numbers are
    /// conjugated.
    ///
    /// # Errors
    /// The numbers of elements differ.
    #[track_caller]
    pub fn vdot(&self, other: &DynArray) -> Result<DynArray, CallError> {
        let call = Site::caller();
        self.flattened(call)?
            .conjugate(call)?
            .product("vdot", &other.flattened(call)?, call)
    }

    /// NumPy's `dot` of more than two axes: over the last axis of this array and the last but one of the other.
    pub(super) fn dot_of_many(&self, other: &DynArray, call: Site) -> Result<DynArray, CallError> {
        if self.ndim() == 0 || other.ndim() == 0 {
            return self.with(crate::kernel::BinaryOp::Mul, other, call);
        }
        let right = other.ndim().saturating_sub(2);
        self.tensordot_by("dot", other, &[self.ndim() - 1], &[right], call)
    }

    /// NumPy's `matmul` of more than two axes: a matrix product for each position of the other axes, which are
    /// broadcast.
    pub(super) fn matmul_of_many(
        &self,
        other: &DynArray,
        call: Site,
    ) -> Result<DynArray, CallError> {
        let operation = "matmul";
        if self.ndim() == 0 || other.ndim() == 0 {
            return Err(wrong(
                operation,
                "an operand has no axes; use an elementwise product",
            ));
        }
        let dtype = DType::promote(self.dtype(), other.dtype());
        if dtype.is_bool() {
            return Err(CallError::DType { operation, dtype });
        }
        // A vector is a row on the left and a column on the right, and that axis is gone in the result.
        let left = if self.ndim() == 1 {
            self.with_axis(0)?
        } else {
            self.clone()
        };
        let right = if other.ndim() == 1 {
            other.with_axis(1)?
        } else {
            other.clone()
        };
        let (left, right) = (left.cast_by(dtype, call)?, right.cast_by(dtype, call)?);
        let ([left_batch @ .., rows, inner], [right_batch @ .., terms, columns]) =
            (left.shape(), right.shape())
        else {
            unreachable!("both have two axes at least");
        };
        let batch = Shape::new(left_batch).zip(Shape::new(right_batch));
        let batch = batch.and_then(|(left, right)| Shape::broadcast(left, right));
        let Some(batch) = batch.filter(|_| inner == terms) else {
            let (left, right) = (self.shape(), other.shape());
            return Err(wrong(
                operation,
                &format!("shapes {left:?} and {right:?} do not match"),
            ));
        };
        let dims = [batch.dims(), &[*rows, *columns]].concat();
        let mut squeezed = batch.dims().to_vec();
        squeezed.extend((self.ndim() > 1).then_some(*rows));
        squeezed.extend((other.ndim() > 1).then_some(*columns));
        let shape = checked(&dims)?;
        if *inner == 0 || shape.is_empty() {
            let zero = Scalar::zero(dtype);
            return DynArray::filled(&self.core, dtype, &squeezed, zero, call);
        }
        if right_batch.is_empty()
            && let Some(flat) = left.layout.reshape(checked(&[batch.len() * rows, *inner])?)
        {
            let product = left.with_layout(flat).product(operation, &right, call)?;
            return product.viewed(&squeezed, call).map(|(product, _)| product);
        }
        let stretched = |array: &DynArray| {
            let [.., m, n] = *array.shape() else {
                unreachable!("a matrix has two axes");
            };
            array.broadcast_to(&[batch.dims(), &[m, n]].concat())
        };
        let (left, right) = (stretched(&left)?, stretched(&right)?);
        let out = DynArray::unwritten(&self.core, dtype, shape, call)?;
        let body = library::linear::matmul(*inner);
        let matrix = checked(&[*rows, *columns])?;
        let mut parent = None;
        for position in 0..batch.len() {
            let at = &batch.unravel(position)[..batch.rank()];
            let part = |array: &DynArray| array.with_layout(inside(&array.layout, at));
            let operands = smallvec![
                part(&left).operand(),
                part(&right).operand(),
                part(&out).operand(),
            ];
            let uid = self
                .core
                .submit(Request::new(call, body.clone(), matrix, operands).part_of(parent))?;
            parent.get_or_insert(uid);
        }
        out.viewed(&squeezed, call).map(|(out, _)| out)
    }
}

/// The layout at one position of the first axes, without these.
fn inside(layout: &Layout, at: &[usize]) -> Layout {
    at.iter().fold(*layout, |layout, at| {
        layout.index(0, *at as isize).unwrap_or(layout)
    })
}

typed! { Number:
    /// Sums of products over pairs of axes: `left[i]` of this array with `right[i]` of the other.
    tensordot(other: &Array<T>, left: &[usize], right: &[usize]) = tensordot(other.as_dyn(), left, right) -> T;
    /// The sums of products over the last axes of both.
    inner(other: &Array<T>) = inner(other.as_dyn()) -> T;
    /// The sum of the products of all elements of both, in row-major order; this array's complex numbers are
    /// conjugated.
    vdot(other: &Array<T>) = vdot(other.as_dyn()) -> T;
}
