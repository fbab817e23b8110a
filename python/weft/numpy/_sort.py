"""Sorting, searching, counting, sets."""

from collections import namedtuple as _namedtuple

import numpy as _np

from .. import _core
from . import _fallback
from ._array import cast, float64, int64, make, ndarray, operand, result_type
from ._create import zeros
from ._math import nonzero
from ._reduce import all as _all
from ._reduce import any as _any
from ._reduce import deliver
from ._reduce import max as _max
from ._reduce import min as _min
from ._shape import axis_of, concatenate, flip, ravel, reshape, take
from ._ufunc import get


def sort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """A copy whose lines along an axis are in order."""
    a = make(a)
    if not isinstance(a, ndarray) or order is not None:
        return _np.sort(_np.asarray(a), axis, kind, order)
    if axis is None:
        a, axis = ravel(a), 0
    axis = axis_of(axis, a.ndim)
    if a.dtype.kind == "c":
        return take_order(a, argsort(a, axis), axis)
    return _core.sort(a, axis)


def take_order(a, order, axis):
    """The lines along an axis in an order."""
    from ._math import take_along_axis

    return take_along_axis(a, order, axis)


def argsort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """The order of each line along an axis."""
    a = make(a)
    if not isinstance(a, ndarray) or order is not None:
        return _np.argsort(_np.asarray(a), axis, kind, order)
    if axis is None:
        a, axis = ravel(a), 0
    axis = axis_of(axis, a.ndim if a.ndim else 1)
    if a.ndim == 0:
        return zeros((), int64)
    if a.dtype.kind == "c":
        by_imaginary = _core.argsort(_core.apply("imag", (a,)), axis)
        by_real = _core.argsort(take_order(_core.apply("real", (a,)), by_imaginary, axis), axis)
        return take_order(by_imaginary, by_real, axis)
    return _core.argsort(a, axis)


def partition(a, kth, axis=-1, kind="introselect", order=None):
    """A copy in which the elements of some places are those of the sorted array: all are sorted here."""
    a = make(a)
    _check_kth(kth, a.size if axis is None else a.shape[axis_of(axis, a.ndim)])
    return sort(a, axis)


def argpartition(a, kth, axis=-1, kind="introselect", order=None):
    """The order of `partition`."""
    a = make(a)
    _check_kth(kth, a.size if axis is None else a.shape[axis_of(axis, a.ndim)])
    return argsort(a, axis)


def _check_kth(kth, length):
    for one in _np.atleast_1d(_np.asarray(kth)).tolist():
        if not -length <= one < length:
            raise ValueError(f"kth(={one}) out of bounds ({length})")


def lexsort(keys, axis=-1):
    """The order by several keys, of which the last counts most."""
    keys = [make(one) for one in (keys if not isinstance(keys, ndarray) else [keys[at] for at in range(len(keys))])]
    if not keys:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    axis = axis_of(axis, max(keys[0].ndim, 1))
    made = argsort(keys[0], axis)
    for key in keys[1:]:
        if key.ndim:
            made = take_order(made, argsort(take_order(key, made, axis), axis), axis)
    return made


def sort_complex(a):
    """The elements in order, as complex numbers."""
    a = make(a)
    return sort(cast(a, result_type(a.dtype, "c8")), 0) if a.dtype.itemsize <= 2 else sort(cast(a, _np.dtype("c16")), 0)


def searchsorted(a, v, side="left", sorter=None):
    """Where values would stand in a sorted vector."""
    a, scalar = make(a), operand(v)
    v = make(v)
    if side not in ("left", "right"):
        raise ValueError(f"search side must be 'left' or 'right' (got '{side}')")
    if a.ndim != 1:
        raise ValueError("object too deep for desired array")
    if sorter is not None:
        a = take(a, make(sorter))
    dtype = result_type(a, scalar)
    if dtype.kind == "c":
        return _fallback.call("searchsorted", _np.searchsorted, (a, v, side), {})
    made = _core.searchsorted(cast(a, dtype), ravel(cast(v, dtype)), side == "right")
    return reshape(made, v.shape)


def digitize(x, bins, right=False):
    """The number of the bin of each element."""
    x, bins = make(x), make(bins)
    if bins.ndim != 1:
        raise ValueError("object too deep for desired array")
    steps = bins[1:] >= bins[:-1]
    if bool(_all(steps)):
        return searchsorted(bins, x, "left" if right else "right")
    if bool(_any(bins[1:] > bins[:-1])):
        raise ValueError("bins must be monotonically increasing or decreasing")
    return bins.size - searchsorted(flip(bins), x, "right" if right else "left")


def bincount(x, /, weights=None, minlength=0):
    """How often each number occurs."""
    x = make(x)
    if x.size == 0 and x.dtype.kind == "f":
        x = cast(x, int64)
    if x.ndim != 1:
        raise ValueError("object too deep for desired array" if x.ndim > 1 else "object of too small depth for desired array")
    if not _np.can_cast(x.dtype, _np.int64, "safe"):
        raise TypeError(f"Cannot cast array data from {x.dtype!r} to dtype('int64') according to the rule 'safe'")
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    if x.size and bool(_any(x < 0)):
        raise ValueError("'list' argument must have no negative elements")
    if weights is not None:
        weights = make(weights)
        if weights.shape != x.shape:
            raise ValueError("The weights and list don't have the same length.")
        if weights.dtype.kind == "c":
            raise TypeError("Cannot cast array data from dtype('complex128') to dtype('float64') according to the rule 'safe'")
        weights = cast(weights, float64)
    if x.size == 0:
        return zeros(minlength, int64 if weights is None else float64)
    return _core.bincount(cast(x, int64), weights, int(minlength))


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of a histogram's bins."""
    a = make(a)
    if isinstance(bins, str):
        return _fallback.call("histogram_bin_edges", _np.histogram_bin_edges, (a, bins, range), {})
    if _np.ndim(bins) == 0:
        if range is None:
            range = (0.0, 1.0) if a.size == 0 else (_min(a).item(), _max(a).item())
        return make(_np.histogram_bin_edges(_np.zeros(0, a.dtype), bins, range))
    edges = make(bins)
    if edges.ndim != 1:
        raise ValueError("`bins` must be 1d, when an array")
    if bool(_any(edges[1:] < edges[:-1])):
        raise ValueError("`bins` must increase monotonically, when an array")
    return edges


def histogram(a, bins=10, range=None, density=None, weights=None):
    """How many elements lie in each bin, and the edges of the bins."""
    a = ravel(a)
    if a.dtype.kind == "c" or (weights is not None and make(weights).dtype.kind not in "fiub"):
        return _fallback.call("histogram", _np.histogram, (a, bins, range, density, weights), {})
    if a.dtype.kind == "b":
        a = cast(a, _np.dtype("u1"))
    if weights is not None:
        weights = make(weights)
        if weights.size != a.size:
            raise ValueError("weights should have the same shape as a.")
        weights = ravel(weights)
    edges = histogram_bin_edges(a, bins, range, weights)
    count = edges.size - 1
    place = searchsorted(edges, a, "right")
    place = _core.select(make(a == edges[-1]), count, place, int64)
    inside = (place > 0) & (place <= count)
    place = _core.select(inside, place, 0, int64)
    made = bincount(place, weights, count + 1)[1:]
    if weights is not None:
        made = cast(made, result_type(weights.dtype, "i8") if weights.dtype.kind in "biu" else weights.dtype)
    if density:
        return made / (edges[1:] - edges[:-1]) / made.sum(), edges
    return made, edges


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True):
    """The elements in order, each once."""
    ar = make(ar)
    if axis is not None or not isinstance(ar, ndarray):
        kwargs = {
            "return_index": return_index,
            "return_inverse": return_inverse,
            "return_counts": return_counts,
            "axis": axis,
            "equal_nan": equal_nan,
        }
        return _fallback.call("unique", _np.unique, (ar,), kwargs)
    flat = ravel(ar)
    if not (return_index or return_inverse or return_counts) and flat.dtype.kind not in "fc":
        return _core.unique(flat) if flat.size else _core.copy(flat)
    order = argsort(flat, 0)
    ordered = take(flat, order)
    starts = zeros(flat.shape, bool)
    if flat.size:
        starts[:1] = True
        differs = ordered[1:] != ordered[:-1]
        if equal_nan and flat.dtype.kind in "fc":
            differs = differs & ~(get("isnan")(ordered[1:]) & get("isnan")(ordered[:-1]))
        starts[1:] = differs
    (places,) = nonzero(starts)
    made = [take(ordered, places)]
    if return_index:
        made.append(take(order, places))
    if return_inverse:
        numbers = _core.scan(cast(starts, int64), "cumsum", 0) - 1 if flat.size else zeros(0, int64)
        inverse = zeros(flat.shape, int64)
        if flat.size:
            inverse[order] = numbers
        made.append(reshape(inverse, ar.shape))
    if return_counts:
        made.append(concatenate([places, make([flat.size])])[1:] - places)
    return made[0] if len(made) == 1 else tuple(made)


UniqueAllResult = _namedtuple("UniqueAllResult", ["values", "indices", "inverse_indices", "counts"])
UniqueCountsResult = _namedtuple("UniqueCountsResult", ["values", "counts"])
UniqueInverseResult = _namedtuple("UniqueInverseResult", ["values", "inverse_indices"])


def unique_all(x):
    """The elements in order with their first places, numbers and counts; NaN are all different."""
    return UniqueAllResult(*unique(x, True, True, True, equal_nan=False))


def unique_counts(x):
    """The elements in order with their counts; NaN are all different."""
    return UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x):
    """The elements in order with their numbers; NaN are all different."""
    return UniqueInverseResult(*unique(x, return_inverse=True, equal_nan=False))


def unique_values(x):
    """The elements in order; NaN are all different."""
    return unique(x, equal_nan=False)


def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """Whether elements are among others."""
    element, tests = make(element), ravel(test_elements)
    if tests.size == 0:
        return zeros(element.shape, bool) if not invert else ~zeros(element.shape, bool)
    dtype = result_type(element, tests)
    flat, tests = ravel(cast(element, dtype)), sort(cast(tests, dtype))
    if dtype.kind == "c":
        return _fallback.call("isin", _np.isin, (element, test_elements), {"invert": invert})
    at = searchsorted(tests, flat)
    found = take(tests, _core.select(at >= tests.size, tests.size - 1, at, int64)) == flat
    return reshape(~found if invert else found, element.shape)


def in1d(ar1, ar2, assume_unique=False, invert=False, *, kind=None):
    """Whether elements are among others, as a vector."""
    return isin(ravel(ar1), ar2, assume_unique, invert)


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """What two arrays have in common, in order."""
    if return_indices:
        return _fallback.call("intersect1d", _np.intersect1d, (ar1, ar2, assume_unique, True), {})
    ar1, ar2 = make(ar1), make(ar2)
    left = unique(ar1)
    return left[isin(left, ar2)]


def setdiff1d(ar1, ar2, assume_unique=False):
    """What is in one array and not in the other."""
    left = ravel(ar1) if assume_unique else unique(ar1)
    return left[isin(left, ar2, invert=True)]


def union1d(ar1, ar2):
    """What is in one of two arrays, in order."""
    return unique(concatenate((ar1, ar2), axis=None))


def setxor1d(ar1, ar2, assume_unique=False):
    """What is in one of two arrays and not in both, in order."""
    left, right = unique(ar1), unique(ar2)
    return sort(concatenate((left[isin(left, right, invert=True)], right[isin(right, left, invert=True)])))


def _quantiles(a, q, axis, out, overwrite_input, method, keepdims, weights, name, scale):
    a = make(a)
    host = _np.asarray(q, dtype=float) / scale
    if not (((host >= 0) & (host <= 1)).all()):
        raise ValueError("Quantiles must be in the range [0, 1]" if scale == 1 else "Percentiles must be in the range [0, 100]")
    if method != "linear" or weights is not None or a.dtype.kind == "c" or a.size == 0 or a.dtype == _np.float16:
        made = _fallback.call(name, getattr(_np, name), (a, q), {"axis": axis, "method": method, "weights": weights, "keepdims": keepdims})
        return made if out is None else deliver(make(made), out)
    from ._reduce import _NOTHING, along_shape

    shape = along_shape(a, axis, keepdims if keepdims is not _NOTHING else False)
    if axis is not None:
        from ._reduce import _merged
        from ._shape import axes_of

        axes = axes_of(axis, a.ndim)
        a, at = _merged(a, axes) if len(axes) != 1 else (a, axes[0])
    else:
        a, at = ravel(a), 0
    a = cast(a, float64) if a.dtype.kind in "biu" else a
    made = _core.quantile(a, host.ravel().tolist(), at)
    made = cast(reshape(made, host.shape + shape), result_type(a.dtype))
    return deliver(made, out)


def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None, interpolation=None):
    """The values below which a part of the elements lies."""
    return _quantiles(a, q, axis, out, overwrite_input, method, keepdims, weights, "quantile", 1)


def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None, interpolation=None):
    """The values below which some percent of the elements lie."""
    return _quantiles(a, q, axis, out, overwrite_input, method, keepdims, weights, "percentile", 100)


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The element in the middle, or the mean of the two there."""
    a = make(a)
    if a.size == 0 or a.dtype.kind == "c" or a.dtype == _np.float16:
        made = _fallback.call("median", _np.median, (a,), {"axis": axis, "keepdims": keepdims})
        return made if out is None else deliver(make(made), out)
    return _quantiles(a, 0.5, axis, out, False, "linear", keepdims, None, "quantile", 1)


