"""Functions that write to arrays: to those of NumPy, too."""

import functools as _functools

import numpy as _np

from .. import _core
from ._array import cast, host, int64, make, ndarray, operand, weak
from ._create import arange
from ._index import fitted
from ._math import _along, clip
from ._reduce import sum as _sum
from ._shape import ravel, reshape, resize, strict_axis


def _of_numpy(write):
    """A function that writes to its first argument: NumPy's, where that is an array of NumPy."""
    theirs = getattr(_np, write.__name__)

    @_functools.wraps(write)
    def function(*args, **kwargs):
        if args and isinstance(args[0], _np.ndarray):
            return theirs(*map(host, args), **{name: host(one) for name, one in kwargs.items()})
        if args and not isinstance(args[0], ndarray):
            raise TypeError(f"{write.__name__}() argument 1 must be numpy.ndarray, not {type(args[0]).__name__}")
        return write(*args, **kwargs)

    return function


@_of_numpy
def place(arr, mask, vals):
    """Writes values, again and again, where a mask is set."""
    mask = cast(make(mask), _np.dtype(bool))
    count = int(_sum(mask))
    vals = ravel(vals)
    if count:
        if vals.size == 0:
            raise ValueError("Cannot insert from an empty array!")
        arr[reshape(mask, arr.shape)] = cast(resize(vals, (count,)), arr.dtype)


@_of_numpy
def putmask(a, mask, values):
    """Writes values where a mask is set: what stands at the same place among them."""
    mask = cast(make(mask), _np.dtype(bool))
    typed = isinstance(values, (ndarray, _np.ndarray, _np.generic))
    values = make(values)
    if typed and not _np.can_cast(values.dtype, a.dtype, "safe"):
        raise TypeError(f"Cannot cast array data from {values.dtype!r} to {a.dtype!r} according to the rule 'safe'")
    if values.shape != a.shape and values.size > 1:
        values = resize(values, a.shape)
    elif values.size == 1:
        values = reshape(values, ())
    _core.putmask(a, reshape(mask, a.shape), cast(values, a.dtype))


@_of_numpy
def put(a, ind, v, mode="raise"):
    """Writes values to places among all elements."""
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got '{mode}')")
    v = make(v)
    if not isinstance(ind, ndarray):
        ind = _np.asarray(ind, dtype=int64)
        wrong = ind[(ind < -a.size) | (ind >= a.size)]
        if mode == "raise" and wrong.size:
            raise IndexError(f"index {wrong.flat[0]} is out of bounds for axis 0 with size {a.size}")
        ind = make(ind)
    if mode == "wrap":
        ind = ind % a.size
    elif mode == "clip":
        ind = clip(ind, 0, a.size - 1)
    ind, v = ravel(ind), ravel(v)
    if ind.size == 0 or v.size == 0:
        return
    flat = ravel(a)
    flat[ind] = cast(resize(v, ind.shape), a.dtype)
    if not _core.shares_store(flat, a):
        a[...] = reshape(flat, a.shape)


@_of_numpy
def copyto(dst, src, casting="same_kind", where=True):
    """Writes an array into another one."""
    src = operand(src)
    if not weak(src) and not _np.can_cast(src.dtype, dst.dtype, casting):
        raise TypeError(f"Cannot cast array data from {src.dtype!r} to {dst.dtype!r} according to the rule '{casting}'")
    value = fitted(src, dst.shape, dst.dtype)
    if where is True:
        _core.assign(dst, value)
    else:
        mask = _core.broadcast_to(cast(make(where), _np.dtype(bool)), dst.shape)
        _core.putmask(dst, mask, _core.broadcast_to(cast(value, dst.dtype), dst.shape))
    return None


@_of_numpy
def fill_diagonal(a, val, wrap=False):
    """Writes to the main diagonal."""
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim == 2 and not wrap:
        line = _core.diagonal(a, 0)
        val = ravel(make(val))
        if val.size and line.size:
            val = val[0] if val.size == 1 else resize(val, line.shape)
            _core.assign(line, cast(val, a.dtype))
        return
    if a.ndim > 2 and len(set(a.shape)) != 1:
        raise ValueError("All dimensions of input must be of equal length")
    step = a.shape[1] + 1 if a.ndim == 2 else 1 + int(_np.cumprod(a.shape[:-1]).sum())
    end = None if wrap or a.ndim > 2 else a.shape[1] * a.shape[1]
    places = arange(a.size)[:end:step]
    put(a, places, val)


@_of_numpy
def put_along_axis(arr, indices, values, axis):
    """Writes to what the lines of one array name in those of another."""
    indices = make(indices)
    if indices.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if axis is None:
        flat = ravel(arr)
        flat[indices] = values
        if not _core.shares_store(flat, arr):
            arr[...] = reshape(flat, arr.shape)
        return
    axis = strict_axis(axis, arr.ndim)
    if arr.ndim != indices.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    arr[_along(arr, indices, axis)] = values
