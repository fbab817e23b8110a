"""Linear algebra."""
# Made by python/declare.py from python/declared/linalg.toml.

import numpy as _np
from numpy import _NoValue

from .._fallback import elsewhere as _elsewhere, holds_foreign as _holds_foreign
from .._linalg import (
    cholesky as _linalg_cholesky, cond as _linalg_cond, cross as _linalg_cross, det as _linalg_det, diagonal as _linalg_diagonal,
    eig as _linalg_eig, eigh as _linalg_eigh, eigvals as _linalg_eigvals, eigvalsh as _linalg_eigvalsh, inv as _linalg_inv,
    lstsq as _linalg_lstsq, matmul as _linalg_matmul, matrix_norm as _linalg_matrix_norm, matrix_power as _linalg_matrix_power,
    matrix_rank as _linalg_matrix_rank, matrix_transpose as _linalg_matrix_transpose, multi_dot as _linalg_multi_dot, norm as _linalg_norm,
    outer as _linalg_outer, pinv as _linalg_pinv, qr as _linalg_qr, slogdet as _linalg_slogdet, solve as _linalg_solve, svd as _linalg_svd,
    svdvals as _linalg_svdvals, tensordot as _linalg_tensordot, tensorinv as _linalg_tensorinv, tensorsolve as _linalg_tensorsolve,
    trace as _linalg_trace, vecdot as _linalg_vecdot, vector_norm as _linalg_vector_norm,
)
from .._whole import whole as _whole

__all__ = [
    "cholesky", "cond", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv", "lstsq", "matmul", "matrix_norm",
    "matrix_power", "matrix_rank", "matrix_transpose", "multi_dot", "norm", "outer", "pinv", "qr", "slogdet", "solve", "svd", "svdvals",
    "tensordot", "tensorinv", "tensorsolve", "trace", "vecdot", "vector_norm",
]

# The module of a function is the public one.
__name__ = "weft.numpy.linalg"


def cholesky(a, /, *, upper=False):
    """The triangle whose product with its transpose is the matrix."""
    try:
        return _linalg_cholesky(a, upper=upper)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(cholesky, given, "linalg")


def cond(x, p=None):
    """The condition of a matrix."""
    try:
        return _linalg_cond(x, p)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x"):
            raise
    return _elsewhere(cond, given, "linalg")


def cross(x1, x2, /, *, axis=-1):
    """The cross products of vectors of three elements."""
    try:
        return _linalg_cross(x1, x2, axis=axis)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x1", "x2"):
            raise
    return _elsewhere(cross, given, "linalg")


def det(a):
    """The determinant."""
    try:
        return _linalg_det(a)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(det, given, "linalg")


def diagonal(x, /, *, offset=0):
    """The diagonals of matrices."""
    try:
        return _linalg_diagonal(x, offset=offset)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x"):
            raise
    return _elsewhere(diagonal, given, "linalg")


def eig(a):
    """Eigenvalues and eigenvectors."""
    try:
        return _linalg_eig(a)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(eig, given, "linalg")


def eigh(a, UPLO='L'):
    """Eigenvalues and eigenvectors of a symmetric matrix."""
    try:
        return _linalg_eigh(a, UPLO)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(eigh, given, "linalg")


def eigvals(a):
    """Eigenvalues."""
    try:
        return _linalg_eigvals(a)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(eigvals, given, "linalg")


def eigvalsh(a, UPLO='L'):
    """Eigenvalues of a symmetric matrix."""
    try:
        return _linalg_eigvalsh(a, UPLO)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(eigvalsh, given, "linalg")


def inv(a):
    """The inverse."""
    try:
        return _linalg_inv(a)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(inv, given, "linalg")


def lstsq(a, b, rcond=None):
    """The least squares of linear equations, with residuals, rank and singular values."""
    try:
        return _linalg_lstsq(a, b, rcond)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "b"):
            raise
    return _elsewhere(lstsq, given, "linalg")


def matmul(x1, x2, /, out=None, **kwargs):
    """The product of matrices, or of stacks of them."""
    try:
        if out is not None:
            with _whole(out):
                return _linalg_matmul(x1, x2, out, **kwargs)
        return _linalg_matmul(x1, x2, out, **kwargs)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x1", "x2"):
            raise
    return _elsewhere(matmul, given, "linalg")


def matrix_norm(x, /, *, keepdims=False, ord='fro'):
    """The norm of matrices."""
    try:
        return _linalg_matrix_norm(x, keepdims=keepdims, ord=ord)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x"):
            raise
    return _elsewhere(matrix_norm, given, "linalg")


def matrix_power(a, n):
    """A power of a matrix."""
    try:
        return _linalg_matrix_power(a, n)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(matrix_power, given, "linalg")


def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    """The number of singular values that are not close to zero."""
    try:
        return _linalg_matrix_rank(A, tol, hermitian, rtol=rtol)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "A", "tol=None", "rtol=None"):
            raise
    return _elsewhere(matrix_rank, given, "linalg")


def matrix_transpose(x, /):
    """The view with its last two axes swapped."""
    try:
        return _linalg_matrix_transpose(x)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x"):
            raise
    return _elsewhere(matrix_transpose, given, "linalg")


def multi_dot(arrays, *, out=None):
    """The product of several matrices."""
    try:
        if out is not None:
            with _whole(out):
                return _linalg_multi_dot(arrays, out=out)
        return _linalg_multi_dot(arrays, out=out)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "arrays"):
            raise
    return _elsewhere(multi_dot, given, "linalg")


def norm(x, ord=None, axis=None, keepdims=False):
    """The norm of a vector or a matrix."""
    try:
        return _linalg_norm(x, ord, axis, keepdims)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x"):
            raise
    return _elsewhere(norm, given, "linalg")


def outer(x1, x2, /):
    """The outer product of two vectors."""
    try:
        return _linalg_outer(x1, x2)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x1", "x2"):
            raise
    return _elsewhere(outer, given, "linalg")


def pinv(a, rcond=None, hermitian=False, *, rtol=_NoValue):
    """The pseudo-inverse."""
    try:
        return _linalg_pinv(a, rcond, hermitian, rtol=rtol)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "rcond=None", "rtol"):
            raise
    return _elsewhere(pinv, given, "linalg")


def qr(a, mode='reduced'):
    """The QR decomposition."""
    try:
        return _linalg_qr(a, mode)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(qr, given, "linalg")


def slogdet(a):
    """Sign and logarithm of the determinant."""
    try:
        return _linalg_slogdet(a)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(slogdet, given, "linalg")


def solve(a, b):
    """The solution of linear equations."""
    try:
        return _linalg_solve(a, b)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "b"):
            raise
    return _elsewhere(solve, given, "linalg")


def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """Singular vectors and values."""
    try:
        return _linalg_svd(a, full_matrices, compute_uv, hermitian)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(svd, given, "linalg")


def svdvals(x, /):
    """Singular values."""
    try:
        return _linalg_svdvals(x)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x"):
            raise
    return _elsewhere(svdvals, given, "linalg")


def tensordot(a, b, axes=2):
    """The contraction of two arrays over axes."""
    try:
        return _linalg_tensordot(a, b, axes)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "b"):
            raise
    return _elsewhere(tensordot, given, "linalg")


def tensorinv(a, ind=2):
    """The inverse of an array for `tensordot`."""
    try:
        return _linalg_tensorinv(a, ind)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(tensorinv, given, "linalg")


def tensorsolve(a, b, axes=None):
    """The solution of equations between arrays."""
    try:
        return _linalg_tensorsolve(a, b, axes)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "b"):
            raise
    return _elsewhere(tensorsolve, given, "linalg")


def trace(x, /, *, offset=0, dtype=None):
    """The sums of the diagonals of matrices."""
    try:
        return _linalg_trace(x, offset=offset, dtype=dtype)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x"):
            raise
    return _elsewhere(trace, given, "linalg")


def vecdot(x1, x2, /, out=None, *, axis=-1, **kwargs):
    """The products of vectors along an axis, the first ones conjugated."""
    try:
        if out is not None:
            with _whole(out):
                return _linalg_vecdot(x1, x2, out, axis=axis, **kwargs)
        return _linalg_vecdot(x1, x2, out, axis=axis, **kwargs)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x1", "x2"):
            raise
    return _elsewhere(vecdot, given, "linalg")


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """The norm of vectors."""
    try:
        return _linalg_vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x"):
            raise
    return _elsewhere(vector_norm, given, "linalg")


#: NumPy's own, where the installed NumPy has loaded them.
_SAME = ["LinAlgError"]
_same = {name: vars(_np.linalg)[name] for name in _SAME if name in vars(_np.linalg)}
globals().update(_same)
__all__ += _same
