"""Grids of places, and joining by indexing: `mgrid`, `ogrid`, `r_`, `c_`, and numbers of places."""

import operator as _operator

import numpy as _np

from .. import _core
from ._arguments import clip_mode
from ._array import cast, host, hosted, int64, is_held, make, ndarray, result_type, to_host, weak, written
from ._create import arange, linspace, tri
from ._math import nonzero
from ._reduce import any as _any
from ._join import concatenate, stack
from ._shape import reshape, swapaxes
from ._ufunc import get

s_, index_exp = _np.s_, _np.index_exp


def _stretch(key):
    """The numbers of a slice: with an imaginary step, its absolute value is their count."""
    start = 0 if key.start is None else key.start
    step = 1 if key.step is None else key.step
    if isinstance(step, complex) or (isinstance(step, _np.generic) and step.dtype.kind == "c"):
        return linspace(start, key.stop, int(abs(step)))
    if key.stop is None:
        raise TypeError("a slice without an end stands for no numbers")
    return arange(start, key.stop, step)


class _Grid:
    """Grids by slices."""

    def __init__(self, is_sparse):
        self._is_sparse = is_sparse

    def __getitem__(self, key):
        if isinstance(key, slice):
            return _stretch(key)
        lines = [_stretch(one) for one in key]
        dtype = result_type(*lines) if lines else _np.dtype(int)
        count = len(lines)
        each = [
            reshape(cast(one, dtype), (1,) * at + (one.size,) + (1,) * (count - at - 1)) for at, one in enumerate(lines)
        ]
        if self._is_sparse:
            return tuple(each)
        shape = tuple(one.size for one in lines)
        return stack([_core.broadcast_to(one, shape) for one in each]) if each else make(_np.empty((0,), dtype))


mgrid, ogrid = _Grid(False), _Grid(True)


class _Joined:
    """Joining by indexing."""

    def __init__(self, axis=0, ndmin=1, trans1d=-1):
        self.axis, self.ndmin, self.trans1d = axis, ndmin, trans1d

    def __getitem__(self, key):
        if isinstance(key, str):
            return _np.bmat(key)
        key = key if isinstance(key, tuple) else (key,)
        axis, ndmin, trans1d = self.axis, self.ndmin, self.trans1d
        if key and isinstance(key[0], str) and key[0] in _MATRICES:
            joined = _np.r_ if self.axis == 0 else _np.c_
            return joined[tuple(map(host, key))]
        parts, kinds = [], []
        for at, item in enumerate(key):
            if isinstance(item, str):
                axis, ndmin, trans1d = _directive(item, at, axis, ndmin, trans1d)
                continue
            is_number = not isinstance(item, slice) and type(item) in _np.ScalarType
            is_weak = weak(item)
            made = _stretch(item) if isinstance(item, slice) else make(0 if is_weak else item)
            if not isinstance(made, ndarray):
                return self._foreign(key)
            own = made.ndim
            if own < ndmin:
                made = reshape(made, (1,) * (ndmin - own) + tuple(made.shape))
            if isinstance(item, slice) and ndmin > 1 and trans1d != -1:
                made = swapaxes(made, -1, trans1d)
            elif not is_number and own < ndmin and trans1d != -1:
                made = _placed(made, own, ndmin, trans1d)
            parts.append((made, item if is_weak else None))
            kinds.append(item if is_number else made.dtype)
        dtype = _np.result_type(*kinds) if kinds else None
        if dtype is not None and not is_held(dtype):
            return self._foreign(key)
        # A Python number takes the dtype of the others, and must fit it.
        typed = (cast(one, dtype) if value is None else _core.broadcast_to(written(value, dtype), one.shape) for one, value in parts)
        return concatenate(list(typed), axis)

    def _foreign(self, key):
        """NumPy's result, if Weft's arrays cannot hold some of the parts."""
        joined = type(_np.r_).__mro__[1](self.axis, False, self.ndmin, self.trans1d)
        return joined[hosted(key)]

    def __len__(self):
        return 0


_MATRICES = ("r", "c")


def _directive(text, at, axis, ndmin, trans1d):
    """The way of joining given by a string as the first entry."""
    if at:
        raise ValueError("special directives must be the first entry.")
    try:
        numbers = [int(one) for one in text.split(",")]
    except ValueError as error:
        raise ValueError(f"unknown special directive {text!r}") from error
    return (*numbers, *(axis, ndmin, trans1d)[len(numbers) :])[:3]


def _placed(made, own, ndmin, trans1d):
    """The positions of an array's axes among those of the result, if it has fewer."""
    added = ndmin - own
    place = trans1d + added + 1 if trans1d < 0 else trans1d
    axes = list(range(ndmin))
    return _core.permute(made, axes[:place] + axes[added:] + axes[place:added])


r_, c_ = _Joined(), _Joined(-1, 2, 0)


def unravel_index(indices, shape, order="C"):
    """Converts flat indices to indices along each axis."""
    if order in ("C", "F") and (made := _core.unravel_plain(indices, shape, order == "C")) is not None:
        return made
    shape = tuple(map(_operator.index, shape)) if _np.iterable(shape) else (_operator.index(shape),)
    if order not in ("C", "F"):
        raise ValueError(f"only 'C' or 'F' order is permitted (got {order!r})")
    size = 1
    for length in shape:
        size *= length
    if size > _np.iinfo(_np.intp).max:
        raise ValueError("dimensions are too large; arrays and shapes with a total size greater than 'intp' are not supported.")
    indices = make(indices) if not (isinstance(indices, (list, tuple)) and not indices) else None
    if indices is None or (indices.size == 0 and indices.dtype.kind == "f"):
        raise TypeError("indices must be integral: the provided empty sequence was inferred as float. Wrap it with 'np.array(indices, dtype=np.intp)'")
    if indices.dtype.kind not in "iub":
        raise TypeError("only int indices permitted")
    if not shape and indices.ndim:
        raise ValueError("multiple indices are not supported for 0d array")
    _check_places(indices, size, lambda wrong: f"index {wrong} is out of bounds for array with size {size}")
    rest, made = cast(indices, int64), []
    for length in reversed(shape) if order == "C" else shape:
        made.append(rest % length if length else rest)
        rest = rest // length if length else rest
    return tuple(reversed(made)) if order == "C" else tuple(made)


def _check_places(indices, size, text):
    if indices.size and bool(_any((indices < 0) | (indices >= size))):
        host = to_host(indices)
        raise ValueError(text(host[(host < 0) | (host >= size)].ravel()[0]))


def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    """Converts indices along each axis to flat indices."""
    if mode == "raise" and order in ("C", "F"):
        made = _core.ravel_multi_plain(multi_index, dims, order == "C")
        if made is not None:
            return made
    dims = (_operator.index(dims),) if not isinstance(dims, (tuple, list, ndarray, _np.ndarray)) else tuple(int(n) for n in dims)
    given = list(multi_index)
    if len(given) != len(dims):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(dims)}")
    if order not in ("C", "F"):
        raise ValueError(f"only 'C' or 'F' order is permitted (got {order!r})")
    total = 1
    for length in dims:
        total *= length
    if total > _np.iinfo(_np.intp).max:
        raise ValueError("invalid dims: array size defined by dims is larger than the maximum possible size.")
    modes = tuple(map(clip_mode, mode)) if isinstance(mode, tuple) else (clip_mode(mode),) * len(dims)
    made, step = None, 1
    pairs = list(zip(given, dims, modes))
    for places, length, how in reversed(pairs) if order == "C" else pairs:
        places = make(places)
        if places.size == 0 and places.dtype.kind == "f" and isinstance(places, ndarray):
            raise TypeError("indices must be integral: the provided empty sequence was inferred as float. Wrap it with 'np.array(indices, dtype=np.intp)'")
        if places.dtype.kind not in "iub":
            raise TypeError("only int indices permitted")
        places = cast(places, int64)
        if how == "wrap":
            places = places % length
        elif how == "clip":
            places = get("minimum")(get("maximum")(places, 0), length - 1)
        else:
            _check_places(places, length, lambda wrong: "invalid entry in coordinates array")
        made = places * step if made is None else made + places * step
        step *= length
    return made


def diag_indices(n, ndim=2):
    """The indices of the main diagonal."""
    return (arange(n),) * ndim


def diag_indices_from(arr):
    """The indices of an array's main diagonal."""
    if not arr.ndim >= 2:
        raise ValueError("input array must be at least 2-d")
    if len(set(arr.shape)) != 1:
        raise ValueError("All dimensions of input must be of equal length")
    return diag_indices(arr.shape[0], arr.ndim)


def tril_indices(n, k=0, m=None):
    """The indices on and below a diagonal."""
    return nonzero(tri(n, m, k=k, dtype=bool))


def triu_indices(n, k=0, m=None):
    """The indices on and above a diagonal."""
    return nonzero(~tri(n, m, k=k - 1, dtype=bool))


def tril_indices_from(arr, k=0):
    """The indices on and below a diagonal of a matrix."""
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return tril_indices(arr.shape[-2], k=k, m=arr.shape[-1])


def triu_indices_from(arr, k=0):
    """The indices on and above a diagonal of a matrix."""
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return triu_indices(arr.shape[-2], k=k, m=arr.shape[-1])
