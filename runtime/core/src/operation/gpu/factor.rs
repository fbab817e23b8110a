//! Calls of libraries of dense linear algebra, as plain data.

use super::work::Address;
use crate::dtype::DType;

/// Alignment of a routine's workspace in a task's scratch memory, in bytes.
pub const WORKSPACE_ALIGNMENT: usize = 256;

/// One call of a routine that factors matrices, solves with their factors, or finds eigenvalues or
/// singular values.
///
/// Every matrix is dense and stored by columns: element `(i, j)` of a matrix of `m` rows is number
/// `i + j m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Factoring {
    /// The routine, with its operands.
    pub routine: Routine,
    /// Dtype of the elements: `F32`, `F64`, `C64` or `C128`. Singular values, and eigenvalues of
    /// Hermitian matrices, have its real dtype.
    pub dtype: DType,
    /// Address of the routine's status, an `i32`, or of one for each matrix of a batch: 0 on
    /// success.
    pub info: Address,
    /// Address of the workspace, whose size the driver determines; 0 bytes for batches.
    pub workspace: Address,
}

/// A routine under LAPACK's name, with sizes and addresses. Batches refer to their matrices by
/// vectors of addresses in device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Routine {
    /// Cholesky factorization `a = u^H u` in place. Only the upper triangle is read and written.
    /// The imaginary parts on the diagonal must be 0.
    Potrf {
        /// Number of rows and columns.
        n: usize,
        /// The matrix.
        a: Address,
    },
    /// [`Potrf`](Routine::Potrf) of each matrix of a batch.
    PotrfBatched {
        /// Number of rows and columns.
        n: usize,
        /// Addresses of the matrices.
        a: Address,
        /// Number of matrices.
        count: usize,
    },
    /// Factorization `a = p l u` in place, with row exchanges.
    Getrf {
        /// Number of rows and columns.
        n: usize,
        /// The matrix.
        a: Address,
        /// For each row, the number of the row that it was exchanged with, from 1, as `i64`.
        pivots: Address,
    },
    /// [`Getrf`](Routine::Getrf) of each matrix of a batch.
    GetrfBatched {
        /// Number of rows and columns.
        n: usize,
        /// Addresses of the matrices.
        a: Address,
        /// The row exchanges: `n` numbers for each matrix, as `i32`.
        pivots: Address,
        /// Number of matrices.
        count: usize,
    },
    /// The solution of `a x = b`, in place of `b`, from the result of [`Getrf`](Routine::Getrf).
    Getrs {
        /// Number of rows and columns of `a`.
        n: usize,
        /// Number of columns of `b`.
        sides: usize,
        /// The factors.
        a: Address,
        /// The row exchanges.
        pivots: Address,
        /// The right sides.
        b: Address,
    },
    /// [`Getrs`](Routine::Getrs) of each matrix of a batch, from the result of
    /// [`GetrfBatched`](Routine::GetrfBatched). Does not write `info`.
    GetrsBatched {
        /// Number of rows and columns of each `a`.
        n: usize,
        /// Number of columns of each `b`.
        sides: usize,
        /// Addresses of the factors.
        a: Address,
        /// The row exchanges.
        pivots: Address,
        /// Addresses of the right sides.
        b: Address,
        /// Number of matrices.
        count: usize,
    },
    /// Factorization `a = q r` in place. `r` is in the upper triangle; the reflections for
    /// [`Orgqr`](Routine::Orgqr) are below it.
    Geqrf {
        /// Number of rows.
        m: usize,
        /// Number of columns.
        n: usize,
        /// The matrix.
        a: Address,
        /// Factors of the reflections, as many as the shorter side has elements.
        tau: Address,
    },
    /// The first `k` columns of `q`, in place.
    Orgqr {
        /// Number of rows.
        m: usize,
        /// Number of columns, and of reflections.
        k: usize,
        /// The matrix.
        a: Address,
        /// Factors of the reflections.
        tau: Address,
    },
    /// Eigenvalues of a symmetric or Hermitian matrix in ascending order. Reads the upper triangle
    /// and overwrites the whole matrix. The imaginary parts on the diagonal must be 0.
    Syevd {
        /// Number of rows and columns.
        n: usize,
        /// The matrix; afterwards the eigenvectors as columns.
        a: Address,
        /// The eigenvalues.
        values: Address,
        /// Whether to compute eigenvectors.
        vectors: bool,
    },
    /// Eigenvalues of any square matrix, in no order; `a` is overwritten.
    Geev {
        /// Number of rows and columns.
        n: usize,
        /// The matrix.
        a: Address,
        /// The eigenvalues, complex also for a real matrix. Of two conjugate ones, the one with the
        /// positive imaginary part comes first, and the other next.
        values: Address,
        /// The eigenvectors of length 1 as columns, in the matrix's dtype, if they are wanted. For
        /// a real matrix, two conjugate vectors are stored as a column of real and a column of
        /// imaginary parts.
        vectors: Option<Address>,
    },
    /// Singular values in descending order, with `a = u diag(s) vt`; `a` is overwritten.
    Gesvd {
        /// Number of rows, at least the number of columns.
        m: usize,
        /// Number of columns.
        n: usize,
        /// The matrix.
        a: Address,
        /// The singular values.
        s: Address,
        /// Left singular vectors as columns, `m` or `n` of them; 0 without vectors.
        u: Address,
        /// Right singular vectors as rows, conjugated; 0 without vectors.
        vt: Address,
        /// The singular vectors to compute.
        vectors: Vectors,
    },
}

/// Functions that work needs of a library of NVIDIA, in addition to the driver and to cuBLAS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Fourier transforms by cuFFT.
    Transforms,
    /// Factors, and eigenvalues of symmetric matrices, by cuSOLVER.
    Factors,
    /// Eigenvalues of any matrices by cuSOLVER, which older versions lack.
    Eigenvalues,
}

/// Singular vectors that a routine computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vectors {
    /// None.
    None,
    /// As many vectors as there are singular values.
    Thin,
    /// As many left vectors as rows, and as many right vectors as columns.
    All,
}

impl Routine {
    /// Returns whether it is a routine of cuBLAS, which needs no workspace. All others are of
    /// cuSOLVER.
    pub(crate) fn is_of_cublas(&self) -> bool {
        matches!(
            self,
            Routine::GetrfBatched { .. } | Routine::GetrsBatched { .. }
        )
    }
}
