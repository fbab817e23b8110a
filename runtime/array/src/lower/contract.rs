//! Products of views with any number of axes: over pairs of axes as one matrix product, or matrix
//! by matrix.

use smallvec::smallvec;

use super::{View, checked, wrong};
use crate::dtype::{DType, Promotion, Scalar};
use crate::kernel::{BinaryOp, ReduceOp};
use crate::library;
use crate::shape::{Layout, Shape};
use weft_core::error::CallError;
use weft_core::operation::Request;

impl View {
    /// Computes sums of products over pairs of axes: `left[i]` of this view with `right[i]` of the
    /// other one. The result has the other axes of this view, then those of the other one.
    pub(crate) fn tensordot(
        &self,
        operation: &'static str,
        other: &View,
        left: &[usize],
        right: &[usize],
    ) -> Result<View, CallError> {
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
            let (m, n) = (self.dims()[a], other.dims()[b]);
            if m != n {
                let why = format!("axes {a} and {b} have {m} and {n} elements");
                return Err(wrong(operation, &why));
            }
        }
        let free = |view: &View, bound: &[usize]| -> Vec<usize> {
            let axes = 0..view.ndim();
            axes.filter(|axis| !bound.contains(axis)).collect()
        };
        let (left_free, right_free) = (free(self, left), free(other, right));
        let lengths = |view: &View, axes: &[usize]| -> Vec<usize> {
            axes.iter().map(|axis| view.dims()[*axis]).collect()
        };
        let (rows, columns) = (lengths(self, &left_free), lengths(other, &right_free));
        let dims = [rows.as_slice(), &columns].concat();
        checked(&dims)?;
        let inner: usize = lengths(self, left).iter().product();
        let sides = [&rows, &columns].map(|dims| dims.iter().product::<usize>());
        let matrix = self.permute(&[left_free.as_slice(), left].concat())?;
        let matrix = matrix.reshaped(&[sides[0], inner])?;
        let by = other.permute(&[right, right_free.as_slice()].concat())?;
        let by = by.reshaped(&[inner, sides[1]])?;
        let product = matrix.product(operation, &by)?;
        product.reshaped(&dims)
    }

    /// Computes the sums of products over the last axes of both, as NumPy's `inner`. With a view
    /// without axes, computes the products.
    pub(crate) fn inner(&self, other: &View) -> Result<View, CallError> {
        match (self.ndim(), other.ndim()) {
            (0, _) | (_, 0) => self.with(BinaryOp::Mul, other),
            (m, n) => self.tensordot("inner", other, &[m - 1], &[n - 1]),
        }
    }

    /// Returns the sum of the products of all elements of both, in row-major order. Complex numbers
    /// of this view are conjugated.
    pub(crate) fn vdot(&self, other: &View) -> Result<View, CallError> {
        self.flattened()?
            .conjugate()?
            .product("vdot", &other.flattened()?)
    }

    /// Computes `dot` for more than two axes: over the last axis of this view and the second to
    /// last of the other.
    pub(super) fn dot_of_many(&self, other: &View) -> Result<View, CallError> {
        if self.ndim() == 0 || other.ndim() == 0 {
            return self.with(BinaryOp::Mul, other);
        }
        let right = other.ndim().saturating_sub(2);
        self.tensordot("dot", other, &[self.ndim() - 1], &[right])
    }

    /// Computes `matmul` for more than two axes: a matrix product for each position of the other
    /// axes, which are broadcast.
    pub(super) fn matmul_of_many(&self, other: &View) -> Result<View, CallError> {
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
        if dtype == DType::F16 {
            // The terms are added up in `f32`, and the sum is rounded once.
            let [left, right] = [self, other].map(|side| side.cast(DType::F32));
            return left?.matmul_of_many(&right?)?.cast(dtype);
        }
        // A vector is a row on the left and a column on the right, and the result does not have
        // that axis.
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
        let (left, right) = (left.cast(dtype)?, right.cast(dtype)?);
        let ([left_batch @ .., rows, inner], [right_batch @ .., terms, columns]) =
            (left.dims(), right.dims())
        else {
            unreachable!("both have two axes at least");
        };
        let batch = Shape::new(left_batch).zip(Shape::new(right_batch));
        let batch = batch.and_then(|(left, right)| Shape::broadcast(left, right));
        let Some(batch) = batch.filter(|_| inner == terms) else {
            let (left, right) = (self.dims(), other.dims());
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
            return View::filled(&self.core, dtype, &squeezed, zero);
        }
        if right_batch.is_empty()
            && let Some(flat) = left.layout.reshape(checked(&[batch.len() * rows, *inner])?)
        {
            let product = left.with_layout(flat).product(operation, &right)?;
            return product.reshaped(&squeezed);
        }
        let stretched =
            |view: &View, m: usize, n: usize| view.broadcast_to(&[batch.dims(), &[m, n]].concat());
        let sides = [
            stretched(&left, *rows, *inner)?,
            stretched(&right, *inner, *columns)?,
        ];
        if let Some(made) = View::stacked_product([&sides[0], &sides[1]], batch.len())? {
            return made.reshaped(&squeezed);
        }
        if shape.len() == batch.len() {
            // This is one operation, instead of one for each pair of vectors.
            let [row, column] = &sides;
            let axis = batch.rank();
            let row = row.with_layout(row.layout.index(axis, 0).unwrap_or(row.layout));
            let column =
                column.with_layout(column.layout.index(axis + 1, 0).unwrap_or(column.layout));
            let products = View::binary(BinaryOp::Mul, &row, &column)?;
            let sums = products.reduce(ReduceOp::Sum, Some(axis))?;
            return sums.cast(dtype)?.reshaped(&squeezed);
        }
        let out = View::unwritten(&self.core, dtype, shape)?;
        let body = library::linear::matmul(*inner);
        let matrix = checked(&[*rows, *columns])?;
        let mut parent = None;
        for position in 0..batch.len() {
            let at = &batch.unravel(position)[..batch.rank()];
            let part = |view: &View| view.with_layout(inside(&view.layout, at)).operand();
            let operands = smallvec![part(&sides[0]), part(&sides[1]), part(&out)];
            let uid = self
                .core
                .submit(Request::new(body.clone(), matrix, operands).part_of(parent))?;
            parent.get_or_insert(uid);
        }
        out.reshaped(&squeezed)
    }
}

impl View {
    /// Returns the products of `count` pairs of matrices as one operation. Returns `None` if each
    /// is cut into its own tiles, or their layouts are not those of a stack.
    fn stacked_product([left, right]: [&View; 2], count: usize) -> Result<Option<View>, CallError> {
        let ([.., rows, inner], [.., columns]) = (left.dims(), right.dims()) else {
            return Ok(None);
        };
        let (rows, inner, columns) = (*rows, *inner, *columns);
        let core = &left.core;
        let tiling = library::linear::matmul(inner).tiling;
        let tiles = core.cuts(&checked(&[rows, columns])?, tiling).tiles();
        if core.has_gpus() || (tiles > 1 && count < ENOUGH) {
            return Ok(None);
        }
        let stack = |view: &View, m: usize, n: usize| -> Result<Option<View>, CallError> {
            let flat = view.layout.reshape(checked(&[count, m, n])?);
            Ok(flat.map(|flat| view.with_layout(flat)))
        };
        let (Some(left), Some(right)) = (stack(left, rows, inner)?, stack(right, inner, columns)?)
        else {
            return Ok(None);
        };
        let dims = [count, rows, columns];
        let vector = |view: &View, axis| {
            let layout = view.layout.index(axis, 0).unwrap_or(view.layout);
            view.with_layout(layout)
        };
        let (body, matrices, others, results) = if columns == 1 {
            let vectors = vector(&right, 2);
            (
                library::linear::matvecs(inner),
                left,
                vectors,
                vec![count, rows],
            )
        } else if rows == 1 && inner * columns > SMALL {
            let vectors = vector(&left, 1);
            let matrices = right.permute(&[0, 2, 1])?;
            (
                library::linear::matvecs(inner),
                matrices,
                vectors,
                vec![count, columns],
            )
        } else {
            (library::linear::matmuls(inner), left, right, dims.to_vec())
        };
        let shape = checked(&results)?;
        if let Some(made) = View::product_at_once(&body, &matrices, &others, shape) {
            return made.reshaped(&dims).map(Some);
        }
        let out = View::unwritten(core, matrices.dtype(), shape)?;
        let operands = smallvec![matrices.operand(), others.operand(), out.operand()];
        core.submit(Request::new(body, shape, operands))?;
        out.reshaped(&dims).map(Some)
    }
}

/// The maximum number of elements of a matrix for which a row times the matrix is computed as a
/// product of matrices: with few columns, sums of products along columns take longer.
const SMALL: usize = 64;

/// The number of matrices of a stack that keeps all processors busy.
const ENOUGH: usize = 16;

/// Returns the layout at one position of the first axes, without these axes.
fn inside(layout: &Layout, at: &[usize]) -> Layout {
    at.iter().fold(*layout, |layout, at| {
        layout.index(0, *at as isize).unwrap_or(layout)
    })
}
