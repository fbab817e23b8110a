"""Functions that write to arrays, including NumPy's."""

import functools as _functools

import numpy as _np

from .. import _core
from ._arguments import clip_mode
from ._array import cast, elements, host, int64, make, ndarray, number, operand, weak, written
from ._create import arange
from ._index import fitted
from ._math import clip
from ._select import _along
from ._reduce import sum as _sum
from ._join import resize
from ._shape import ravel, reshape, strict_axis
from ._ufunc import mask_of
from ._whole import whole


def _of_numpy(write, plain):
    """Wraps a function that writes to its first argument: calls NumPy's function if that is a NumPy array.

    `plain` tries the call first, and returns whether it has written.
    """
    theirs = getattr(_np, write.__name__)

    @_functools.wraps(write)
    def function(*args, **kwargs):
        if not kwargs and plain(*args):
            return None
        if args and isinstance(args[0], _np.ndarray):
            return theirs(*map(host, args), **{name: host(one) for name, one in kwargs.items()})
        if args and not isinstance(args[0], ndarray):
            raise TypeError(f"{write.__name__}() argument 1 must be numpy.ndarray, not {type(args[0]).__name__}")
        with whole(*args[:1]):
            return write(*args, **kwargs)

    return function


def _check_safe(values, into):
    """Raises an error if an array has elements that another one may not hold."""
    if not _np.can_cast(values.dtype, into.dtype, "safe"):
        raise TypeError(f"Cannot cast array data from {values.dtype!r} to {into.dtype!r} according to the rule 'safe'")


@_functools.partial(_of_numpy, plain=_core.place_plain)
def place(arr, mask, vals):
    """Writes values, repeated as needed, where a mask is set."""
    mask = cast(make(mask), _np.dtype(bool))
    if mask.size != arr.size:
        raise ValueError("place: mask and data must be the same size")
    count = int(_sum(mask))
    vals = _scalar(vals, arr.dtype)
    if isinstance(vals, (ndarray, _np.ndarray)):
        _check_safe(vals, arr)
    vals = ravel(written(vals, arr.dtype))
    if count:
        if vals.size == 0:
            raise ValueError("Cannot insert from an empty array!")
        arr[reshape(mask, arr.shape)] = resize(vals, (count,))


def _scalar(values, dtype):
    """Values to be written; the value of a number that is computed later, if NumPy checks whether it fits."""
    return _core.known_number(values) if isinstance(values, number) and not _np.can_cast(values.dtype, dtype) else values


@_functools.partial(_of_numpy, plain=_core.putmask_plain)
def putmask(a, mask, values):
    """Writes values where a mask is set, each from the same index."""
    mask = cast(make(mask), _np.dtype(bool))
    if mask.size != a.size:
        raise ValueError("putmask: mask and data must be the same size")
    values = _scalar(values, a.dtype)
    typed = isinstance(values, (ndarray, _np.ndarray))
    values = make(values) if typed else written(values, a.dtype)
    if typed:
        _check_safe(values, a)
    if values.size == 0:
        return
    if values.shape != a.shape and values.size > 1:
        values = resize(values, a.shape)
    elif values.size == 1:
        values = reshape(values, ())
    _core.putmask(a, reshape(mask, a.shape), cast(values, a.dtype))


@_functools.partial(_of_numpy, plain=_core.put_plain)
def put(a, ind, v, mode="raise"):
    """Writes values to flat indices."""
    mode = clip_mode(mode)
    ind, v = elements(ind), written(elements(v), a.dtype)
    # A scalar is cast to a place, as `take` casts it.
    ind = _core.known_number(ind) if isinstance(ind, number) and ind.dtype.kind not in "iu" else ind
    if _np.size(ind) and a.size == 0:
        raise IndexError("cannot replace elements of an empty array")
    if isinstance(ind, (ndarray, _np.ndarray)) and ind.dtype.kind not in "iub":
        raise TypeError(f"Cannot cast array data from {ind.dtype!r} to dtype('int64') according to the rule 'safe'")
    if not isinstance(ind, ndarray):
        ind = _np.asarray(ind, dtype=int64)
        if v.size == 0:
            return
        wrong = ind[(ind < -a.size) | (ind >= a.size)]
        if mode == "raise" and wrong.size:
            raise IndexError(f"index {wrong.flat[0]} is out of bounds for axis 0 with size {a.size}")
        ind = make(ind)
    elif ind.dtype.kind == "b":
        # NumPy casts booleans to the indices 0 and 1.
        ind = cast(ind, int64)
    if ind.size == 0 or v.size == 0:
        return
    if mode == "wrap":
        ind = cast(ind, int64) % a.size
    elif mode == "clip":
        ind = clip(ind, 0, a.size - 1)
    ind, v = ravel(ind), ravel(v)
    flat = ravel(a)
    flat[ind] = resize(v, ind.shape)
    if not _core.shares_store(flat, a):
        a[...] = reshape(flat, a.shape)


@_functools.partial(_of_numpy, plain=_core.copyto_plain)
def copyto(dst, src, casting="same_kind", where=True):
    """Writes an array into another one."""
    src = operand(src)
    if weak(src):
        # NumPy's rules for a Python number depend on its value.
        single = _np.empty((), dst.dtype)
        _np.copyto(single, src, casting=casting)
        src = make(single)
    elif not _np.can_cast(src.dtype, dst.dtype, casting):
        raise TypeError(f"Cannot cast array data from {src.dtype!r} to {dst.dtype!r} according to the rule '{casting}'")
    if src is dst:
        # NumPy returns before it reads the mask.
        return
    value = fitted(src, dst.shape, dst.dtype)
    if where is True:
        _core.assign(dst, value)
    else:
        mask = _core.broadcast_to(make(mask_of(where)), dst.shape)
        _core.putmask(dst, mask, _core.broadcast_to(cast(value, dst.dtype), dst.shape))
    return None


@_functools.partial(_of_numpy, plain=_core.fill_diagonal_plain)
def fill_diagonal(a, val, wrap=False):
    """Writes to the main diagonal."""
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    val = written(val, a.dtype)
    if a.ndim == 2 and not wrap:
        line = _core.diagonal(a, 0)
        val = ravel(val)
        if val.size and line.size:
            val = val[0] if val.size == 1 else resize(val, line.shape)
            _core.assign(line, val)
        return
    if a.ndim > 2 and len(set(a.shape)) != 1:
        raise ValueError("All dimensions of input must be of equal length")
    step = a.shape[1] + 1 if a.ndim == 2 else 1 + int(_np.cumprod(a.shape[:-1]).sum())
    end = None if wrap or a.ndim > 2 else a.shape[1] * a.shape[1]
    places = arange(a.size)[:end:step]
    put(a, places, val)


@_functools.partial(_of_numpy, plain=_core.put_along_plain)
def put_along_axis(arr, indices, values, axis):
    """Writes to the elements of each line at the indices in the same line of another array."""
    indices = make(indices)
    if indices.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if axis is None:
        if indices.ndim != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        flat = ravel(arr)
        flat[indices] = values
        if not _core.shares_store(flat, arr):
            arr[...] = reshape(flat, arr.shape)
        return
    axis = strict_axis(axis, arr.ndim)
    if arr.ndim != indices.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    arr[_along(arr, indices, axis)] = values
