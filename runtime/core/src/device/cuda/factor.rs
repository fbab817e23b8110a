//! Calls of libraries of dense linear algebra, as plain data.

use super::work::Address;
use crate::dtype::DType;

/// Bytes that the workspace of a routine is aligned to, from the start of a task's scratch memory.
pub const WORKSPACE_ALIGNMENT: usize = 256;

/// One call of a routine that factors matrices, solves with their factors, or finds eigenvalues or singular values.
///
/// Every matrix is dense and by columns: element `(i, j)` of a matrix of `m` rows is number `i + j m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Factoring {
    /// The routine, with its operands.
    pub routine: Routine,
    /// Type of the elements: `F32` or `F64`.
    pub dtype: DType,
    /// The routine's verdict, an `i32`, or one for each matrix of a batch: 0 if there is a result.
    pub info: Address,
    /// As many bytes as the driver says that the routine needs; 0 bytes for batches.
    pub workspace: Address,
}

/// A routine under LAPACK's name, with sizes and addresses. Batches name their matrices by vectors of addresses in device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Routine {
    /// `a = u^T u` in place: the upper triangle is read and written.
    Potrf {
        /// Rows and columns.
        n: usize,
        /// The matrix.
        a: Address,
    },
    /// [`Potrf`](Routine::Potrf) of each matrix of a batch.
    PotrfBatched {
        /// Rows and columns.
        n: usize,
        /// Addresses of the matrices.
        a: Address,
        /// Number of matrices.
        count: usize,
    },
    /// `a = p l u` in place, with exchanges of rows.
    Getrf {
        /// Rows and columns.
        n: usize,
        /// The matrix.
        a: Address,
        /// For each row, as `i64`, the number of the row that it was exchanged with, from 1.
        pivots: Address,
    },
    /// [`Getrf`](Routine::Getrf) of each matrix of a batch.
    GetrfBatched {
        /// Rows and columns.
        n: usize,
        /// Addresses of the matrices.
        a: Address,
        /// `n` numbers of rows for each matrix, as `i32`.
        pivots: Address,
        /// Number of matrices.
        count: usize,
    },
    /// The solution of `a x = b`, in place of `b`, with the result of [`Getrf`](Routine::Getrf).
    Getrs {
        /// Rows and columns of `a`.
        n: usize,
        /// Columns of `b`.
        sides: usize,
        /// The factors.
        a: Address,
        /// The exchanges.
        pivots: Address,
        /// The right sides.
        b: Address,
    },
    /// [`Getrs`](Routine::Getrs) of each matrix of a batch, from the result of [`GetrfBatched`](Routine::GetrfBatched). Writes no `info`.
    GetrsBatched {
        /// Rows and columns of each `a`.
        n: usize,
        /// Columns of each `b`.
        sides: usize,
        /// Addresses of the factors.
        a: Address,
        /// The exchanges.
        pivots: Address,
        /// Addresses of the right sides.
        b: Address,
        /// Number of matrices.
        count: usize,
    },
    /// `a = q r` in place: `r` in the upper triangle, below it what [`Orgqr`](Routine::Orgqr) makes `q` of.
    Geqrf {
        /// Rows.
        m: usize,
        /// Columns.
        n: usize,
        /// The matrix.
        a: Address,
        /// Factors of the reflections, as many as the shorter side.
        tau: Address,
    },
    /// The first `k` columns of `q`, in place.
    Orgqr {
        /// Rows.
        m: usize,
        /// Columns, and reflections.
        k: usize,
        /// The matrix.
        a: Address,
        /// Factors of the reflections.
        tau: Address,
    },
    /// Eigenvalues of a symmetric matrix, the smallest first; the upper triangle is read, and all of it overwritten.
    Syevd {
        /// Rows and columns.
        n: usize,
        /// The matrix, afterwards the eigenvectors as columns.
        a: Address,
        /// The eigenvalues.
        values: Address,
        /// Whether eigenvectors are wanted.
        vectors: bool,
    },
    /// Singular values, the largest first, with `a = u diag(s) vt`; `a` is overwritten.
    Gesvd {
        /// Rows, at least as many as columns.
        m: usize,
        /// Columns.
        n: usize,
        /// The matrix.
        a: Address,
        /// The singular values.
        s: Address,
        /// Left singular vectors as columns, `m` or `n` of them; without vectors 0.
        u: Address,
        /// Right singular vectors as rows; without vectors 0.
        vt: Address,
        /// The vectors that a decomposition returns.
        vectors: Vectors,
    },
}

/// Singular vectors that a routine computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vectors {
    /// None.
    None,
    /// As many as there are values.
    Thin,
    /// As many as there are rows, and as columns.
    All,
}

impl Routine {
    /// Whether it is one of cuBLAS's, which needs no workspace; all others are cuSOLVER's.
    pub(crate) fn is_of_cublas(&self) -> bool {
        matches!(
            self,
            Routine::GetrfBatched { .. } | Routine::GetrsBatched { .. }
        )
    }
}
