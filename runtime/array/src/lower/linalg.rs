//! Equations, inverses, determinants, factors and eigenvalues of matrices and stacks of matrices.

mod matrices;

use matrices::{Matrices, equations};

use super::View;
use super::generate::Generator;
use crate::dtype::{DType, Parameter};
use crate::kernel::factor::FactorOp;
use weft_core::error::CallError;

impl View {
    /// Returns the solution `x` of `a x = b`, where this view is `a`: a vector for a vector `b`,
    /// otherwise a column for each column of `b`.
    pub(crate) fn solve(&self, b: &View) -> Result<View, CallError> {
        let a = Matrices::square("solve", self)?;
        let (a, sides) = equations("solve", a, b)?;
        let vector = sides.is_vector;
        let solution = sides.solution(a.columns);
        let [x] = a.make_with(
            FactorOp::Solve { vector },
            Some((&sides.view, vector)),
            sides.stack.dims(),
            [(a.view.dtype(), &solution)],
        )?;
        Ok(x)
    }

    /// Returns the inverse.
    pub(crate) fn inv(&self) -> Result<View, CallError> {
        let a = Matrices::square("inv", self)?;
        let [out] = a.make(FactorOp::Inv, [(a.view.dtype(), &[a.rows, a.rows])])?;
        Ok(out)
    }

    /// Returns the determinant.
    pub(crate) fn det(&self) -> Result<View, CallError> {
        let a = Matrices::square("det", self)?;
        let [out] = a.make(FactorOp::Det, [(a.view.dtype(), &[])])?;
        Ok(out)
    }

    /// Returns the sign of the determinant and the logarithm of its magnitude: 0 and minus infinity
    /// if it is 0.
    pub(crate) fn slogdet(&self) -> Result<(View, View), CallError> {
        let a = Matrices::square("slogdet", self)?;
        let dtype = a.view.dtype();
        let outs = [(dtype, &[][..]), (dtype.real(), &[][..])];
        let [sign, logarithm] = a.make(FactorOp::SlogDet, outs)?;
        Ok((sign, logarithm))
    }

    /// Returns the lower triangular `l` with a positive diagonal and `a = l l^H`. Only the lower
    /// triangle of this view is read.
    pub(crate) fn cholesky(&self) -> Result<View, CallError> {
        let a = Matrices::square("cholesky", self)?;
        let [l] = a.make(FactorOp::Cholesky, [(a.view.dtype(), &[a.rows, a.rows])])?;
        Ok(l)
    }

    /// Returns orthonormal columns `q` and an upper triangular matrix `r` with `a = q r`. The
    /// number of columns of `q`, and of rows of `r`, is that of the shorter side of `a`. Signs are
    /// not fixed.
    pub(crate) fn qr(&self) -> Result<(View, View), CallError> {
        let a = Matrices::from_view("qr", self)?;
        let dtype = a.view.dtype();
        let [left, right] = [[a.rows, a.short()], [a.short(), a.columns]];
        let [q, r] = a.make(FactorOp::Qr, [(dtype, &left), (dtype, &right)])?;
        Ok((q, r))
    }

    /// Returns singular vectors and values with `a = u diag(s) vt`, the largest value first. There
    /// is one vector for each value, or with `full_matrices` a square matrix of vectors. Signs are
    /// not fixed.
    pub(crate) fn svd(&self, full_matrices: bool) -> Result<(View, View, View), CallError> {
        let a = Matrices::from_view("svd", self)?;
        let dtype = a.view.dtype();
        let (left, right) = match full_matrices {
            true => (a.rows, a.columns),
            false => (a.short(), a.short()),
        };
        let outs = [
            (dtype, &[a.rows, left][..]),
            (dtype.real(), &[a.short()][..]),
            (dtype, &[right, a.columns][..]),
        ];
        let [u, s, vt] = a.make(FactorOp::Svd, outs)?;
        Ok((u, s, vt))
    }

    /// Returns the singular values, the largest first.
    pub(crate) fn svdvals(&self) -> Result<View, CallError> {
        let a = Matrices::from_view("svdvals", self)?;
        let out = (a.view.dtype().real(), &[a.short()][..]);
        let [s] = a.make(FactorOp::SvdVals, [out])?;
        Ok(s)
    }

    /// Returns the eigenvalues, the smallest first, and the eigenvectors as columns, of a symmetric
    /// (complex: Hermitian) matrix. Only the lower triangle is read. Signs of the vectors are not
    /// fixed.
    pub(crate) fn eigh(&self) -> Result<(View, View), CallError> {
        let a = Matrices::square("eigh", self)?;
        let dtype = a.view.dtype();
        let square = [a.rows, a.rows];
        let outs = [(dtype.real(), &square[..1]), (dtype, &square[..])];
        let [values, vectors] = a.make(FactorOp::Eigh, outs)?;
        Ok((values, vectors))
    }

    /// Returns the eigenvalues of a symmetric (complex: Hermitian) matrix, the smallest first. Only
    /// the lower triangle is read.
    pub(crate) fn eigvalsh(&self) -> Result<View, CallError> {
        let a = Matrices::square("eigvalsh", self)?;
        let out = (a.view.dtype().real(), &[a.rows][..]);
        let [values] = a.make(FactorOp::EigValsh, [out])?;
        Ok(values)
    }

    /// Returns the eigenvalues, in no order, and eigenvectors of length 1 as columns. They are
    /// complex, even for a real matrix.
    pub(crate) fn eig(&self) -> Result<(View, View), CallError> {
        let a = Matrices::square("eig", self)?;
        let dtype = a.view.dtype().complex();
        let square = [a.rows, a.rows];
        let outs = [(dtype, &square[..1]), (dtype, &square[..])];
        let [values, vectors] = a.make(FactorOp::Eig, outs)?;
        Ok((values, vectors))
    }

    /// Returns the eigenvalues, in no order. They are complex, even for a real matrix.
    pub(crate) fn eigvals(&self) -> Result<View, CallError> {
        let a = Matrices::square("eigvals", self)?;
        let out = (a.view.dtype().complex(), &[a.rows][..]);
        let [values] = a.make(FactorOp::EigVals, [out])?;
        Ok(values)
    }

    /// Returns the least-squares solution `x` of `a x = b` with the smallest norm, with the rank of
    /// `a` (as `i64`) and its singular values. Singular values up to `rcond` times the largest
    /// count as 0; by default, `rcond` is the dtype's epsilon times the longer side.
    pub(crate) fn lstsq(
        &self,
        b: &View,
        rcond: Option<f64>,
    ) -> Result<(View, View, View), CallError> {
        let a = Matrices::from_view("lstsq", self)?;
        let (a, sides) = equations("lstsq", a, b)?;
        let dtype = a.view.dtype();
        let epsilon = match dtype.real() {
            DType::F32 => f64::from(f32::EPSILON),
            _ => f64::EPSILON,
        };
        let op = FactorOp::LstSq {
            vector: sides.is_vector,
            cutoff: Parameter(rcond.unwrap_or(epsilon * a.rows.max(a.columns) as f64)),
        };
        let solution = sides.solution(a.columns);
        let outs = [
            (dtype, &solution[..]),
            (DType::I64, &[][..]),
            (dtype.real(), &[a.short()][..]),
        ];
        let other = Some((&sides.view, sides.is_vector));
        let [x, rank, s] = a.make_with(op, other, sides.stack.dims(), outs)?;
        Ok((x, rank, s))
    }

    /// Returns the matrix power: the identity for 0, and powers of the inverse for negative
    /// `power`.
    pub(crate) fn matrix_power(&self, power: i64) -> Result<View, CallError> {
        let operation = "matrix_power";
        let mut square = match power < 0 {
            true => self.inv()?,
            false => self.clone(),
        };
        let mut left = power.unsigned_abs();
        if left == 0 {
            let identity = Generator::Eye { diagonal: 0 };
            return View::generated(&self.core, self.dtype(), self.dims(), identity);
        }
        let mut product: Option<View> = None;
        loop {
            if left & 1 == 1 {
                product = Some(match product {
                    Some(product) => product.product(operation, &square)?,
                    None => square.clone(),
                });
            }
            left >>= 1;
            if left == 0 {
                break;
            }
            square = square.product(operation, &square)?;
        }
        match product {
            // A copy, since the array itself may change.
            Some(product) if power == 1 => product.copied(),
            Some(product) => Ok(product),
            None => self.copied(),
        }
    }
}
