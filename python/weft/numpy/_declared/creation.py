"""The creation of arrays."""
# Made by python/declare.py from python/declared/creation.toml.

from numpy import _NoValue

from .._array import array as _array_array, asanyarray as _array_asanyarray, asarray as _array_asarray, result_type as _array_result_type
from .._borrowed import borrow as _borrow
from .._create import (
    arange as _create_arange, copy as _create_copy, empty as _create_empty, empty_like as _create_empty_like, eye as _create_eye,
    fromfunction as _create_fromfunction, full as _create_full, full_like as _create_full_like, identity as _create_identity,
    indices as _create_indices, linspace as _create_linspace, logspace as _create_logspace, meshgrid as _create_meshgrid,
    ones as _create_ones, ones_like as _create_ones_like, tri as _create_tri, tril as _create_tril, triu as _create_triu,
    vander as _create_vander, zeros as _create_zeros, zeros_like as _create_zeros_like,
)
from .._fallback import elsewhere as _elsewhere, holds_foreign as _holds_foreign
from .._layout import ascontiguousarray as _layout_ascontiguousarray, asfortranarray as _layout_asfortranarray, require as _layout_require

__all__ = [
    "arange", "array", "asanyarray", "asarray", "ascontiguousarray", "asfortranarray", "copy", "empty", "empty_like", "eye", "fromfunction",
    "full", "full_like", "geomspace", "identity", "indices", "linspace", "logspace", "meshgrid", "ones", "ones_like", "require",
    "result_type", "tri", "tril", "triu", "vander", "zeros", "zeros_like",
]

# The module of a function is the public one.
__name__ = "weft.numpy"


def arange(start=_NoValue, stop=None, step=1, dtype=None, *, device=None, like=None):
    """Numbers from `start` up to, not including, `stop`."""
    try:
        return _create_arange(start, stop, step, dtype, device=device, like=like)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "start", "stop=None", "step", "like=None"):
            raise
    return _elsewhere(arange, given)


def array(object, dtype=None, *, copy=True, order='K', subok=False, ndmin=0, ndmax=64, like=None, device=None):
    """A new array of the values of `object`."""
    try:
        return _array_array(object, dtype, copy=copy, order=order, subok=subok, ndmin=ndmin, ndmax=ndmax, like=like, device=device)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "object", "like=None"):
            raise
    return _elsewhere(array, given)


def asanyarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """An array of `a`; `a` itself if it is an array already, also one of a subclass of NumPy's."""
    try:
        return _array_asanyarray(a, dtype, order, device=device, copy=copy, like=like)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "like=None"):
            raise
    return _elsewhere(asanyarray, given)


def asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """An array of `a`; `a` itself if it is an array already."""
    try:
        return _array_asarray(a, dtype, order, device=device, copy=copy, like=like)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "like=None"):
            raise
    return _elsewhere(asarray, given)


def ascontiguousarray(a, dtype=None, *, like=None):
    """An array in row-major order with at least one axis."""
    try:
        return _layout_ascontiguousarray(a, dtype, like=like)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "like=None"):
            raise
    return _elsewhere(ascontiguousarray, given)


def asfortranarray(a, dtype=None, *, like=None):
    """The array itself: Weft chooses how its arrays lie."""
    try:
        return _layout_asfortranarray(a, dtype, like=like)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "like=None"):
            raise
    return _elsewhere(asfortranarray, given)


def copy(a, order='K', subok=False):
    """A new array with the same elements."""
    try:
        return _create_copy(a, order, subok)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(copy, given)


def empty(shape, dtype=float, order='C', *, device=None, memory=None, like=None):
    """An array to be written before it is read. Large arrays have arbitrary contents, small ones zeros. With memory="unified" its pages move between the GPUs and main memory as they are used."""
    try:
        return _create_empty(shape, dtype, order, device=device, memory=memory, like=like)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "like=None"):
            raise
    return _elsewhere(empty, given)


def empty_like(prototype, dtype=None, order='K', subok=True, shape=None, *, device=None):
    """An uninitialized array with the shape of another one."""
    try:
        return _create_empty_like(prototype, dtype, order, subok, shape, device=device)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "prototype"):
            raise
    return _elsewhere(empty_like, given)


def eye(N, M=None, k=0, dtype=float, order='C', *, device=None, like=None):
    """A matrix with ones on a diagonal."""
    try:
        return _create_eye(N, M, k, dtype, order, device=device, like=like)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "like=None"):
            raise
    return _elsewhere(eye, given)


def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    """The result of a function of the indices of a grid."""
    try:
        return _create_fromfunction(function, shape, dtype=dtype, like=like, **kwargs)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "like=None"):
            raise
    return _elsewhere(fromfunction, given)


def full(shape, fill_value, dtype=None, order='C', *, device=None, memory=None, like=None):
    """An array filled with one value. With memory="unified" its pages move between the GPUs and main memory as they are used."""
    try:
        return _create_full(shape, fill_value, dtype, order, device=device, memory=memory, like=like)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "fill_value", "like=None"):
            raise
    return _elsewhere(full, given)


def full_like(a, fill_value, dtype=None, order='K', subok=True, shape=None, *, device=None):
    """An array filled with one value, with the shape of another array."""
    try:
        return _create_full_like(a, fill_value, dtype, order, subok, shape, device=device)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "fill_value"):
            raise
    return _elsewhere(full_like, given)


_geomspace = _borrow("geomspace")


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """Numbers in a geometric progression."""
    try:
        return _geomspace(start, stop, num, endpoint, dtype, axis)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "start", "stop"):
            raise
    return _elsewhere(geomspace, given)


def identity(n, dtype=None, *, like=None):
    """A square matrix with ones on its diagonal."""
    try:
        return _create_identity(n, dtype, like=like)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "like=None"):
            raise
    return _elsewhere(identity, given)


def indices(dimensions, dtype=int, sparse=False):
    """The indices of a grid along each axis."""
    try:
        return _create_indices(dimensions, dtype, sparse)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given):
            raise
    return _elsewhere(indices, given)


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """Evenly spaced numbers from `start` to `stop`."""
    try:
        return _create_linspace(start, stop, num, endpoint, retstep, dtype, axis, device=device)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "start", "stop"):
            raise
    return _elsewhere(linspace, given)


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """Numbers evenly spaced on a logarithmic scale, given by exponents."""
    try:
        return _create_logspace(start, stop, num, endpoint, base, dtype, axis)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "start", "stop", "base"):
            raise
    return _elsewhere(logspace, given)


def meshgrid(*xi, copy=True, sparse=False, indexing='xy'):
    """The coordinates of a grid, an array for each axis."""
    try:
        return _create_meshgrid(*xi, copy=copy, sparse=sparse, indexing=indexing)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "xi"):
            raise
    return _elsewhere(meshgrid, given)


def ones(shape, dtype=None, order='C', *, device=None, memory=None, like=None):
    """An array of ones. With memory="unified" its pages move between the GPUs and main memory as they are used."""
    try:
        return _create_ones(shape, dtype, order, device=device, memory=memory, like=like)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "like=None"):
            raise
    return _elsewhere(ones, given)


def ones_like(a, dtype=None, order='K', subok=True, shape=None, *, device=None):
    """An array of ones with the shape of another array."""
    try:
        return _create_ones_like(a, dtype, order, subok, shape, device=device)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(ones_like, given)


def require(a, dtype=None, requirements=None, *, like=None):
    """An array with the required properties of its memory."""
    try:
        return _layout_require(a, dtype, requirements, like=like)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "like=None"):
            raise
    return _elsewhere(require, given)


def result_type(*arrays_and_dtypes):
    """NumPy's `result_type`, of which arrays count by their dtypes."""
    try:
        return _array_result_type(*arrays_and_dtypes)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "arrays_and_dtypes"):
            raise
    return _elsewhere(result_type, given)


def tri(N, M=None, k=0, dtype=float, *, like=None):
    """A matrix with ones on and below a diagonal."""
    try:
        return _create_tri(N, M, k, dtype, like=like)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "like=None"):
            raise
    return _elsewhere(tri, given)


def tril(m, k=0):
    """An array with zeros above a diagonal of its last two axes."""
    try:
        return _create_tril(m, k)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "m"):
            raise
    return _elsewhere(tril, given)


def triu(m, k=0):
    """An array with zeros below a diagonal of its last two axes."""
    try:
        return _create_triu(m, k)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "m"):
            raise
    return _elsewhere(triu, given)


def vander(x, N=None, increasing=False):
    """The matrix of powers of a vector."""
    try:
        return _create_vander(x, N, increasing)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x"):
            raise
    return _elsewhere(vander, given)


def zeros(shape, dtype=float, order='C', *, device=None, memory=None, like=None):
    """An array of zeros. With memory="unified" its pages move between the GPUs and main memory as they are used."""
    try:
        return _create_zeros(shape, dtype, order, device=device, memory=memory, like=like)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "like=None"):
            raise
    return _elsewhere(zeros, given)


def zeros_like(a, dtype=None, order='K', subok=True, shape=None, *, device=None):
    """An array of zeros with the shape of another array."""
    try:
        return _create_zeros_like(a, dtype, order, subok, shape, device=device)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(zeros_like, given)
