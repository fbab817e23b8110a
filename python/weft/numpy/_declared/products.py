"""Products and covariances."""
# Made by python/declare.py from python/declared/products.toml.

from .._fallback import elsewhere as _elsewhere, holds_foreign as _holds_foreign
from .._products import (
    convolve as _products_convolve, corrcoef as _products_corrcoef, correlate as _products_correlate, cov as _products_cov,
    cross as _products_cross, dot as _products_dot, einsum as _products_einsum, einsum_path as _products_einsum_path,
    inner as _products_inner, kron as _products_kron, outer as _products_outer, tensordot as _products_tensordot, trace as _products_trace,
    vdot as _products_vdot,
)
from .._ufunc import get as _get
from .._whole import whole as _whole

__all__ = [
    "convolve", "corrcoef", "correlate", "cov", "cross", "dot", "einsum", "einsum_path", "inner", "kron", "matmul", "matvec", "outer",
    "tensordot", "trace", "vdot", "vecdot", "vecmat",
]

# The module of a function is the public one.
__name__ = "weft.numpy"


def convolve(a, v, mode='full'):
    """The convolution of two vectors."""
    try:
        return _products_convolve(a, v, mode)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "v"):
            raise
    return _elsewhere(convolve, given)


def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    """The correlations of variables."""
    try:
        return _products_corrcoef(x, y, rowvar, dtype=dtype)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x", "y=None"):
            raise
    return _elsewhere(corrcoef, given)


def correlate(a, v, mode='valid'):
    """The correlation of two vectors."""
    try:
        return _products_correlate(a, v, mode)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "v"):
            raise
    return _elsewhere(correlate, given)


def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """The covariances of variables."""
    try:
        return _products_cov(m, y, rowvar, bias, ddof, fweights, aweights, dtype=dtype)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "m", "y=None", "fweights=None", "aweights=None"):
            raise
    return _elsewhere(cov, given)


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The cross products of vectors."""
    try:
        return _products_cross(a, b, axisa, axisb, axisc, axis)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "b"):
            raise
    return _elsewhere(cross, given)


def dot(a, b, out=None):
    """The product of vectors or matrices; of others, over the last axis and the last but one."""
    try:
        if out is not None:
            with _whole(out):
                return _products_dot(a, b, out)
        return _products_dot(a, b, out)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "b"):
            raise
    return _elsewhere(dot, given)


def einsum(subscripts, *operands, out=None, optimize=False, dtype=None, order='K', casting='safe'):
    """The products of arrays, summed over the axes that the result omits."""
    try:
        if out is not None:
            with _whole(out):
                return _products_einsum(subscripts, *operands, out=out, optimize=optimize, dtype=dtype, order=order, casting=casting)
        return _products_einsum(subscripts, *operands, out=out, optimize=optimize, dtype=dtype, order=order, casting=casting)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "operands"):
            raise
    return _elsewhere(einsum, given)


def einsum_path(*operands, **kwargs):
    """NumPy's, which looks at shapes alone."""
    try:
        return _products_einsum_path(*operands, **kwargs)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "operands"):
            raise
    return _elsewhere(einsum_path, given)


def inner(a, b, /):
    """The product over the last axes."""
    try:
        return _products_inner(a, b)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "b"):
            raise
    return _elsewhere(inner, given)


def kron(a, b):
    """The product of each element of one array with all of another."""
    try:
        return _products_kron(a, b)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "b"):
            raise
    return _elsewhere(kron, given)


matmul = _get("matmul")
matmul.__doc__ = "The product of matrices, or of stacks of them."


matvec = _get("matvec")
matvec.__doc__ = "The products of matrices and vectors."


def outer(a, b, out=None):
    """The outer product of two vectors."""
    try:
        if out is not None:
            with _whole(out):
                return _products_outer(a, b, out)
        return _products_outer(a, b, out)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "b"):
            raise
    return _elsewhere(outer, given)


def tensordot(a, b, axes=2):
    """The contraction of two arrays over axes."""
    try:
        return _products_tensordot(a, b, axes)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "b"):
            raise
    return _elsewhere(tensordot, given)


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """The sum of a diagonal."""
    try:
        if out is not None:
            with _whole(out):
                return _products_trace(a, offset, axis1, axis2, dtype, out)
        return _products_trace(a, offset, axis1, axis2, dtype, out)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(trace, given)


def vdot(a, b, /):
    """The product of all elements, the first ones conjugated."""
    try:
        return _products_vdot(a, b)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "b"):
            raise
    return _elsewhere(vdot, given)


vecdot = _get("vecdot")
vecdot.__doc__ = "The products of vectors along an axis, the first ones conjugated."


vecmat = _get("vecmat")
vecmat.__doc__ = "The products of vectors, conjugated, and matrices."
