//! Calls on arrays of any dtype.

use crate::lower::wrong;
use crate::program::DynArray;
use weft_core::error::CallError;
use weft_core::site::Site;

impl DynArray {
    /// Returns the solution `x` of `a x = b`, where this array is `a`: a vector for a vector `b`,
    /// otherwise one for each column of `b`.
    ///
    /// # Errors
    /// Returns an error if this is not a square matrix or a stack of them, shapes do not match, or
    /// a dtype has no division.
    #[track_caller]
    pub fn solve(&self, b: &DynArray) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.solve(&b.view)?.into())
    }

    /// Returns the inverse.
    ///
    /// # Errors
    /// Returns an error if this is not a square matrix or a stack of them, or the dtype has no
    /// division.
    #[track_caller]
    pub fn inv(&self) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.inv()?.into())
    }

    /// Returns the determinant.
    ///
    /// # Errors
    /// Returns an error if this is not a square matrix or a stack of them, or the dtype has no
    /// division.
    #[track_caller]
    pub fn det(&self) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.det()?.into())
    }

    /// Returns the sign of the determinant and the logarithm of its magnitude: 0 and minus infinity
    /// if it is 0.
    ///
    /// # Errors
    /// Returns an error if this is not a square matrix or a stack of them, or the dtype has no
    /// division.
    #[track_caller]
    pub fn slogdet(&self) -> Result<(DynArray, DynArray), CallError> {
        let _call = Site::enter_caller();
        let (a, b) = self.view.slogdet()?;
        Ok((a.into(), b.into()))
    }

    /// Returns the lower triangular `l` with a positive diagonal and `a = l l^H`. Only the lower
    /// triangle of this array is read.
    ///
    /// # Errors
    /// Returns an error if this is not a square matrix or a stack of them, or the dtype has no
    /// division.
    #[track_caller]
    pub fn cholesky(&self) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.cholesky()?.into())
    }

    /// Returns orthonormal columns `q` and an upper triangular matrix `r` with `a = q r`. The
    /// number of columns of `q`, and of rows of `r`, is that of the shorter side of `a`. Signs are
    /// not fixed.
    ///
    /// # Errors
    /// Returns an error if this is not a matrix or a stack of them, or the dtype has no division.
    #[track_caller]
    pub fn qr(&self) -> Result<(DynArray, DynArray), CallError> {
        let _call = Site::enter_caller();
        let (a, b) = self.view.qr()?;
        Ok((a.into(), b.into()))
    }

    /// Returns singular vectors and values with `a = u diag(s) vt`, the largest value first. There
    /// is one vector for each value, or with `full_matrices` a square matrix of vectors. Signs are
    /// not fixed.
    ///
    /// # Errors
    /// Returns an error if this is not a matrix or a stack of them, or the dtype has no division.
    #[track_caller]
    pub fn svd(&self, full_matrices: bool) -> Result<(DynArray, DynArray, DynArray), CallError> {
        let _call = Site::enter_caller();
        let (a, b, c) = self.view.svd(full_matrices)?;
        Ok((a.into(), b.into(), c.into()))
    }

    /// Returns the singular values, the largest first.
    ///
    /// # Errors
    /// Returns an error if this is not a matrix or a stack of them, or the dtype has no division.
    #[track_caller]
    pub fn svdvals(&self) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.svdvals()?.into())
    }

    /// Returns the eigenvalues, the smallest first, and the eigenvectors as columns, of a symmetric
    /// (complex: Hermitian) matrix. Only the lower triangle is read. Signs of the vectors are not
    /// fixed.
    ///
    /// # Errors
    /// Returns an error if this is not a square matrix or a stack of them, or the dtype has no
    /// division.
    #[track_caller]
    pub fn eigh(&self) -> Result<(DynArray, DynArray), CallError> {
        let _call = Site::enter_caller();
        let (a, b) = self.view.eigh()?;
        Ok((a.into(), b.into()))
    }

    /// Returns the eigenvalues of a symmetric (complex: Hermitian) matrix, the smallest first. Only
    /// the lower triangle is read.
    ///
    /// # Errors
    /// Returns an error if this is not a square matrix or a stack of them, or the dtype has no
    /// division.
    #[track_caller]
    pub fn eigvalsh(&self) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.eigvalsh()?.into())
    }

    /// Returns the eigenvalues, in no order, and eigenvectors of length 1 as columns. They are
    /// complex, even for a real matrix.
    ///
    /// # Errors
    /// Returns an error if this is not a square matrix or a stack of them, or the dtype has no
    /// division.
    #[track_caller]
    pub fn eig(&self) -> Result<(DynArray, DynArray), CallError> {
        let _call = Site::enter_caller();
        let (a, b) = self.view.eig()?;
        Ok((a.into(), b.into()))
    }

    /// Returns the eigenvalues, in no order. They are complex, even for a real matrix.
    ///
    /// # Errors
    /// Returns an error if this is not a square matrix or a stack of them, or the dtype has no
    /// division.
    #[track_caller]
    pub fn eigvals(&self) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.eigvals()?.into())
    }

    /// Returns the least-squares solution `x` of `a x = b` with the smallest norm, with the rank of
    /// `a` (as `i64`) and its singular values. Singular values up to `rcond` times the largest
    /// count as 0; by default, `rcond` is the dtype's epsilon times the longer side.
    ///
    /// # Errors
    /// Returns an error if this is not a matrix or a stack of them, shapes do not match, or a dtype
    /// has no division.
    #[track_caller]
    pub fn lstsq(
        &self,
        b: &DynArray,
        rcond: Option<f64>,
    ) -> Result<(DynArray, DynArray, DynArray), CallError> {
        let _call = Site::enter_caller();
        let (a, b, c) = self.view.lstsq(&b.view, rcond)?;
        Ok((a.into(), b.into(), c.into()))
    }

    /// Returns the matrix power: the identity for 0, powers of the inverse for negative `power`.
    ///
    /// # Errors
    /// Returns an error if this is not a single square matrix, the dtype is `bool`, or it is an
    /// integer and the power is negative.
    #[track_caller]
    pub fn matrix_power(&self, power: i64) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let (operation, dtype) = ("matrix_power", self.dtype());
        let &[rows, columns] = self.shape() else {
            let why = format!("shape {:?} is not that of a matrix", self.shape());
            return Err(wrong(operation, &why));
        };
        if rows != columns {
            let why = format!("shape {:?} is not square", self.shape());
            return Err(wrong(operation, &why));
        }
        if dtype.is_bool() || (dtype.is_integer() && power < 0) {
            return Err(CallError::DType { operation, dtype });
        }
        Ok(self.view.matrix_power(power)?.into())
    }
}
