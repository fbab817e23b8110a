//! Products of vectors and matrices. A dot product is a reduction. Half of the product of a matrix
//! and its own transpose is computed.

use smallvec::smallvec;

use super::{View, checked, wrong};
use crate::dtype::{DType, Promotion, Scalar};
use crate::kernel::BinaryOp;
use crate::library;
use crate::shape::Shape;
use weft_core::error::CallError;
use weft_core::operation::Request;

impl View {
    /// Returns the cross products of vectors of three elements along the last axis. Both views have
    /// one shape.
    pub(crate) fn cross(&self, other: &View) -> Result<View, CallError> {
        let operation = "cross";
        let last = self.last_axis()?;
        if self.dims() != other.dims() || self.dims()[last] != 3 {
            let (left, right) = (self.dims(), other.dims());
            let why =
                format!("shapes {left:?} and {right:?} are not those of equally many vectors");
            return Err(wrong(operation, &why));
        }
        let dtype = DType::promote(self.dtype(), other.dtype());
        if dtype.is_bool() {
            return Err(CallError::DType { operation, dtype });
        }
        let out = View::unwritten(&self.core, dtype, self.layout.shape)?;
        for (axis, (one, two)) in [(1, 2), (2, 0), (0, 1)].into_iter().enumerate() {
            let times = |left: usize, right: usize| {
                let right = other.position(last, right);
                self.position(last, left).with(BinaryOp::Mul, &right)
            };
            let (ahead, behind) = (times(one, two)?, times(two, one)?);
            let part = out.position(last, axis);
            part.binary_into(BinaryOp::Sub, &ahead, &behind)?;
        }
        Ok(out)
    }

    /// Returns the product by the numbers of axes. With more than two, the last two are matrices
    /// and the others are broadcast.
    pub(crate) fn matmul(&self, other: &View) -> Result<View, CallError> {
        match self.ndim() > 2 || other.ndim() > 2 {
            true => self.matmul_of_many(other),
            false => self.product("matmul", other),
        }
    }

    /// Returns the product by the numbers of axes. With more than two, it is over the last axis of
    /// this view and the second to last of the other.
    pub(crate) fn dot(&self, other: &View) -> Result<View, CallError> {
        let is_of_many = [self, other]
            .iter()
            .any(|side| ![1, 2].contains(&side.ndim()));
        match is_of_many {
            true => self.dot_of_many(other),
            false => self.product("dot", other),
        }
    }

    /// Returns the product of vectors and matrices: one value for two vectors, a vector for a
    /// matrix and a vector in either order, and a matrix for two matrices.
    pub(crate) fn product(&self, operation: &'static str, other: &View) -> Result<View, CallError> {
        let dtype = DType::promote(self.dtype(), other.dtype());
        if dtype.is_bool() {
            return Err(CallError::DType { operation, dtype });
        }
        if dtype == DType::F16 {
            // The terms are added up in `f32`, and the sum is rounded once.
            let [left, right] = [self, other].map(|side| side.cast(DType::F32));
            return left?.product(operation, &right?)?.cast(dtype);
        }
        let cast = |side: &View| match side.dtype() == dtype {
            true => Ok(None),
            false => side.cast(dtype).map(Some),
        };
        let (left, right) = (cast(self)?, cast(other)?);
        let (left, right) = (
            left.as_ref().unwrap_or(self),
            right.as_ref().unwrap_or(other),
        );
        let (shape, inner) = match (left.dims(), right.dims()) {
            ([n], [m]) if n == m => (Shape::SCALAR, *n),
            ([r, n], [m]) if n == m => (checked(&[*r])?, *n),
            ([n], [m, c]) if n == m => (checked(&[*c])?, *n),
            ([r, n], [m, c]) if n == m => (checked(&[*r, *c])?, *n),
            (left, right) => {
                let why = format!("shapes {left:?} and {right:?} do not match");
                return Err(wrong(operation, &why));
            }
        };
        if inner == 0 {
            let zero = Scalar::zero(dtype);
            return View::filled(&self.core, dtype, shape.dims(), zero);
        }
        if let Some(made) = left.thin_product(right, &shape)? {
            return Ok(made);
        }
        if left.makes_symmetric(right) {
            return left.symmetric_product(right);
        }
        let unwritten = || View::unwritten(&self.core, dtype, shape);
        let columns;
        let (body, left, right) = match (left.ndim(), right.ndim()) {
            (1, 1) => {
                let (inputs, out) = ([left, right], unwritten()?);
                let bodies = (library::linear::dot(), library::linear::combine_dot());
                View::reduce_all(bodies, &inputs, &out)?;
                return Ok(out);
            }
            (2, 1) => (library::linear::matvec(inner), left, right),
            (1, 2) => {
                columns = right.with_layout(right.layout.transpose());
                (library::linear::matvec(inner), &columns, left)
            }
            _ => (library::linear::matmul(inner), left, right),
        };
        if let Some(made) = View::product_at_once(&body, left, right, shape) {
            return Ok(made);
        }
        let in_parts = match shape.rank() {
            1 => left.matvec_in_parts(right)?,
            _ => left.matmul_in_parts(right)?,
        };
        if let Some(made) = in_parts {
            return Ok(made);
        }
        let out = unwritten()?;
        let operands = smallvec![left.operand(), right.operand(), out.operand(),];
        self.core.submit(Request::new(body, shape, operands))?;
        Ok(out)
    }

    /// Returns the product of matrices of which one is a vector: one row on the left, or one column
    /// on the right. Returns `None` for others.
    fn thin_product(&self, right: &View, shape: &Shape) -> Result<Option<View>, CallError> {
        let (&[rows, _], &[_, columns]) = (self.dims(), right.dims()) else {
            return Ok(None);
        };
        if self.core.has_gpus() || (rows > 1 && columns > 1) {
            return Ok(None);
        }
        let row = |view: &View, axis| view.layout.index(axis, 0).map(|row| view.with_layout(row));
        let left = row(self, 0).filter(|_| rows == 1);
        let right_one = row(right, 1).filter(|_| columns == 1);
        let product = match (left, right_one) {
            (Some(left), Some(right)) => left.product("matmul", &right)?,
            (Some(left), None) => left.product("matmul", right)?,
            (None, Some(right)) => self.product("matmul", &right)?,
            (None, None) => return Ok(None),
        };
        product.reshaped(shape.dims()).map(Some)
    }
}
