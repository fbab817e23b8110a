"""Sorting, searching, counting, sets."""

import math as _math
import operator as _operator
from collections import namedtuple as _namedtuple

import numpy as _np

from .. import _core
from . import _caller, _fallback
from ._arguments import whole_axis
from ._array import array_type, cast, elements, float64, host, int64, make, ndarray, operand, result_type, to_host, weak
from ._borrowed import borrow as _borrow
from ._create import zeros
from ._math import nonzero
from ._reduce import all as _all
from ._reduce import any as _any
from ._reduce import _merged, along_shape, deliver
from ._reduce import max as _max
from ._reduce import min as _min
from ._join import concatenate
from ._shape import axes_of, axis_of, flip, listed_axes, moveaxis, ravel, reshape, take
from ._ufunc import get


def check_kind(kind, stable):
    """Raises an error if the kind of sort is unknown, or two kinds are given. All of them are stable here."""
    if kind is None:
        return
    if not isinstance(kind, (str, bytes)):
        raise TypeError(f"sort kind must be str, not {type(kind).__name__}")
    name = kind if isinstance(kind, str) else kind.decode("latin-1")
    if name[:1].lower() not in ("q", "h", "m", "s"):
        raise ValueError(f"sort kind must be one of 'quick', 'heap', or 'stable' (got '{name}')")
    if stable is not None:
        raise ValueError("`kind` and keyword parameters can't be provided at the same time. Use only one of them.")


def sort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """A copy, sorted along an axis."""
    check_kind(kind, stable)
    a = make(a)
    if not isinstance(a, ndarray) or order is not None:
        return _np.sort(host(a), axis, kind, order)
    if axis is None:
        a, axis = ravel(a), 0
    axis = axis_of(axis, a.ndim)
    # Zeros of both signs are equal, and keep their order if the caller requests that.
    is_stable = stable or (kind is not None and (kind if isinstance(kind, str) else kind.decode("latin-1"))[:1].lower() in ("m", "s"))
    by_order = is_stable and a.dtype.kind in "fc"
    made = take_order(a, argsort(a, axis), axis) if by_order else _core.sort(a, axis)
    return flip(made, axis) if descending else made


def take_order(a, order, axis):
    """The lines along an axis in an order."""
    from ._select import take_along_axis

    return take_along_axis(a, order, axis)


def argsort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """The indices that sort the array along an axis."""
    is_plain = kind is None and order is None and stable is None and descending is False and axis is not None
    if is_plain and (made := _core.sort_plain(a, axis, True)) is not None:
        return made
    check_kind(kind, stable)
    a = make(a)
    if not isinstance(a, ndarray) or order is not None:
        return _np.argsort(host(a), axis, kind, order)
    if axis is None:
        a, axis = ravel(a), 0
    axis = axis_of(whole_axis(axis), a.ndim if a.ndim else 1)
    if a.ndim == 0:
        return zeros((1,), int64)
    if descending:
        # Equal elements keep their order: they are sorted from the end, and the order is reversed
        # twice.
        return a.shape[axis] - 1 - flip(argsort(flip(a, axis), axis), axis)
    return _core.argsort(a, axis)


def partition(a, kth, axis=-1, kind="introselect", order=None):
    """A copy in which the elements of some places are those of the sorted array."""
    a = make(a)
    length = a.size if axis is None else a.shape[axis_of(axis, a.ndim)]
    places = _check_kth(kth, length, kind, order)
    if not isinstance(a, ndarray) or a.dtype.kind == "c" or not length:
        return sort(a, axis)
    a, axis = (ravel(a), 0) if axis is None else (a, axis_of(axis, a.ndim))
    return _core.partition(a, places, axis)


def argpartition(a, kth, axis=-1, kind="introselect", order=None):
    """The indices that `partition` would use."""
    a = make(a)
    a = a if a.ndim else ravel(a)
    axis = whole_axis(axis)
    length = a.size if axis is None else a.shape[axis_of(axis, a.ndim)]
    places = _check_kth(kth, length, kind, order)
    if not isinstance(a, ndarray) or a.dtype.kind == "c" or not length:
        return argsort(a, axis)
    a, axis = (ravel(a), 0) if axis is None else (a, axis_of(axis, a.ndim))
    return _core.argpartition(a, places, axis)


def _check_kth(kth, length, kind, order):
    """The places of a partition, counted from the first. Raises an error if they lie outside."""
    if order is not None:
        raise ValueError("Cannot specify order when the array has no fields.")
    places = _np.asarray(kth)
    if not isinstance(kind, str):
        raise TypeError(f"select kind must be str, not {type(kind).__name__}")
    if kind != "introselect":
        raise ValueError(f"select kind must be 'introselect' (got '{kind}')")
    if places.dtype.kind == "b":
        raise ValueError("Booleans unacceptable as partition index")
    if places.dtype.kind not in "iu":
        raise TypeError("Partition index must be integer")
    if places.ndim > 1:
        raise ValueError("object too deep for desired array")
    places = places.ravel().tolist() if length else []
    for one in places:
        if not -length <= one < length:
            raise ValueError(f"kth(={one}) out of bounds ({length})")
    return [one % length for one in places]


def lexsort(keys, axis=-1):
    """The indices that sort by several keys; the last key is the primary one."""
    if (made := _core.lexsort_plain(keys, axis)) is not None:
        return made
    keys = [make(one) for one in (keys if not isinstance(keys, ndarray) else [keys[at] for at in range(len(keys))])]
    if not keys:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    if any(key.shape != keys[0].shape for key in keys):
        raise ValueError("all keys need to be the same shape")
    axis = axis_of(axis, max(keys[0].ndim, 1))
    if keys[0].ndim == 0:
        return _core.full((), 0, int64)[()]
    made = argsort(keys[0], axis)
    for key in keys[1:]:
        made = take_order(made, argsort(take_order(key, made, axis), axis), axis)
    return made


def sort_complex(a):
    """The elements in order, as complex numbers."""
    a = make(a)
    small = a.dtype == _np.complex64 or (a.dtype.kind in "iu" and a.dtype.itemsize <= 2)
    return sort(cast(a, _np.dtype("c8" if small else "c16")))


def _complex_places(a, v, side):
    """The places of complex values in a sorted vector: the number of its elements before each in the order of all."""
    both, own = ((v, a), slice(None, v.size)) if side == "left" else ((a, v), slice(a.size, None))
    if not v.size or not a.size:
        return zeros(v.shape, int64)
    order = argsort(concatenate(both), 0)
    is_known = order >= v.size if side == "left" else order < a.size
    places = zeros(order.shape, int64)
    places[order] = _core.scan(cast(is_known, int64), "cumsum", 0)
    return places[own]


def searchsorted(a, v, side="left", sorter=None):
    """The insertion indices of values in a sorted vector."""
    if sorter is None and isinstance(side, str) and (made := _core.searchsorted_plain(a, v, side)) is not None:
        return made
    a, v = make(a), make(elements(v))
    if not isinstance(side, (str, bytes)):
        raise TypeError(f"search side must be str, not {type(side).__name__}")
    if side not in ("left", "right"):
        is_short = isinstance(side, str) and side[:1].lower() in ("l", "r")
        choice = "one of 'left' or 'right'" if is_short else f"'left' or 'right' (got '{side}')"
        raise ValueError(f"search side must be {choice}")
    if a.ndim != 1:
        raise ValueError("object too deep for desired array")
    if sorter is not None:
        sorter = make(sorter)
        if sorter.ndim != 1:
            raise TypeError("could not parse sorter argument")
        if sorter.dtype.kind not in "iu":
            raise TypeError("sorter must only contain integers")
        if sorter.size != a.size:
            raise ValueError("sorter.size must equal a.size")
        a = take(a, sorter)
    dtype = result_type(a.dtype, v.dtype)
    if dtype.kind == "c":
        return _core.as_result(reshape(_complex_places(cast(a, dtype), ravel(cast(v, dtype)), side), v.shape), a.size)
    made = _core.searchsorted(cast(a, dtype), ravel(cast(v, dtype)), side == "right")
    return _core.as_result(reshape(made, v.shape), a.size)


def digitize(x, bins, right=False):
    """The bin of each element."""
    if isinstance(right, bool) and (made := _core.digitize_plain(x, bins, right)) is not None:
        return made
    x, bins = make(x), make(bins)
    if x.dtype.kind == "c":
        raise TypeError("x may not be complex")
    if bins.dtype.kind == "c":
        raise TypeError("Cannot cast array data from dtype('complex128') to dtype('float64') according to the rule 'safe'")
    if bins.ndim != 1:
        raise ValueError("object too deep for desired array")
    steps = bins[1:] >= bins[:-1]
    if bool(_all(steps)):
        return searchsorted(bins, x, "left" if right else "right")
    if bool(_any(bins[1:] > bins[:-1])):
        raise ValueError("bins must be monotonically increasing or decreasing")
    return bins.size - searchsorted(flip(bins), x, "left" if right else "right")


def bincount(x, /, weights=None, minlength=0):
    """The count of each number."""
    if (made := _core.bincount_plain(x, weights, minlength)) is not None:
        return made
    is_array, x = isinstance(x, (ndarray, _np.ndarray)), make(x)
    if not is_array and x.size == 0 and x.dtype.kind == "f":
        x = cast(x, int64)
    if x.ndim != 1:
        raise ValueError("object too deep for desired array" if x.ndim > 1 else "object of too small depth for desired array")
    if not _np.can_cast(x.dtype, _np.int64, "safe") and x.dtype != _np.uint64:
        raise TypeError(f"Cannot cast array data from {x.dtype!r} to dtype('int64') according to the rule 'safe'")
    if _operator.index(minlength) < 0:
        raise ValueError("'minlength' must not be negative")
    if x.size and x.dtype.kind == "i" and int(_min(x)) < 0:
        raise ValueError("'list' argument must have no negative elements")
    if weights is not None:
        weights = make(weights)
        if weights.shape != x.shape:
            raise ValueError("The weights and list don't have the same length.")
        if weights.dtype.kind == "c":
            raise TypeError("Cannot cast array data from dtype('complex128') to dtype('float64') according to the rule 'safe'")
        weights = cast(weights, float64)
    if x.size == 0:
        return zeros(minlength, int64)
    return _core.bincount(cast(x, int64), weights, int(minlength))


def even_edges(a, count, bounds):
    """Evenly spaced edges between two bounds, by default those of the elements; `None` for operands of other kinds, and if NumPy reports an error."""
    if type(a) is not array_type or a.dtype != float64 or not a.size or type(count) is not int or count < 1:
        return None
    if bounds is None:
        low, high = float(_min(a)), float(_max(a))
    elif type(bounds) in (list, tuple) and len(bounds) == 2 and all(type(one) in (int, float) for one in bounds):
        low, high = map(float, bounds)
    else:
        return None
    if not (_math.isfinite(low) and _math.isfinite(high) and low <= high):
        return None
    if low == high:
        low, high = low - 0.5, high + 0.5
    return _core.linspace_plain(low, high, count + 1, True)


#: Edges from an estimate of the width of bins: NumPy's function, composed of its others.
_estimated_edges = _borrow("histogram_bin_edges")


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of a histogram's bins."""
    a = make(a)
    if weights is not None and _np.shape(weights) != a.shape:
        raise ValueError("weights should have the same shape as a.")
    if (made := even_edges(a, bins, range)) is not None:
        return made
    bins = to_host(bins)[()] if isinstance(bins, ndarray) and bins.ndim == 0 else bins
    range = None if range is None else tuple(map(host, range))
    if isinstance(bins, str):
        return _estimated_edges(a, bins, range, weights)
    if _np.ndim(bins) == 0:
        if range is None:
            range = (0.0, 1.0) if a.size == 0 else (_np.asarray(_min(a))[()], _np.asarray(_max(a))[()])
        return make(_np.histogram_bin_edges(_np.zeros(0, a.dtype), bins, range))
    edges = make(bins)
    if edges.ndim != 1:
        raise ValueError("`bins` must be 1d, when an array")
    if bool(_any(edges[1:] < edges[:-1])):
        raise ValueError("`bins` must increase monotonically, when an array")
    return edges


def _counted(a, edges, weights):
    """The number of elements, or the sum of their real weights, between neighbouring edges."""
    if a.dtype.kind != "c" and edges.dtype.kind != "c":
        return _core.histogram(a, edges, weights)
    count = edges.size - 1
    place = _core.select(make(a == edges[-1]), count, searchsorted(edges, a, "right"), int64)
    place = _core.select((place > 0) & (place <= count), place, 0, int64)
    return _core.bincount_below(place, None if weights is None else cast(weights, float64), count + 1)[1:]


def histogram(a, bins=10, range=None, density=None, weights=None):
    """The number of elements in each bin, and the edges of the bins."""
    shape, a = _np.shape(a), ravel(a)
    is_even = isinstance(bins, str) or _np.ndim(bins) == 0
    if (a.dtype.kind == "c" and is_even) or (weights is not None and not isinstance(make(weights), ndarray)):
        return _fallback.call("histogram", _np.histogram, (a, bins, range, density, weights), {})
    if a.dtype.kind == "b":
        text = "Converting input from bool to <class 'numpy.uint8'> for compatibility."
        _caller.warn(text, RuntimeWarning)
        a = cast(a, _np.dtype("u1"))
    if weights is not None:
        weights = make(weights)
        if weights.shape != shape:
            raise ValueError("weights should have the same shape as a.")
        weights = ravel(weights)
    edges = histogram_bin_edges(a, bins, range, weights)
    if edges.size == 0:
        dtype = float64 if density else int64 if weights is None else weights.dtype
        return _core.full((0,), 0, dtype), edges
    if edges.size == 1:
        made = _core.full((0,), 0, int64 if weights is None else float64)
    elif weights is not None and weights.dtype.kind == "c":
        made = _core.apply("complex", tuple(_counted(a, edges, _core.apply(part, (weights,))) for part in ("real", "imag")))
    else:
        made = _counted(a, edges, weights)
    if weights is not None:
        made = cast(made, weights.dtype)
    if density:
        return made / (edges[1:] - edges[:-1]) / made.sum(), edges
    return made, edges


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True):
    """The elements in order, each once."""
    ar = make(ar)
    if not isinstance(ar, ndarray):
        return _np.unique(ar, return_index, return_inverse, return_counts, axis, equal_nan=equal_nan)
    if axis is not None and (ar.ndim != 1 or axis_of(axis, ar.ndim)):
        return _unique_parts(ar, axis_of(axis, ar.ndim), return_index, return_inverse, return_counts)
    flat = ravel(ar)
    if not (return_index or return_inverse or return_counts) and flat.dtype.kind in "biu":
        if not flat.size:
            return _core.copy(flat)
        found = _unique_by_table(flat, False, False, False)
        return found[0] if found else _core.unique(flat)
    if flat.size and (flat.dtype.kind in "biu" or (flat.dtype.kind == "f" and equal_nan)):
        if not (return_index or return_inverse or return_counts):
            return _core.unique(flat)
        found = _unique_by_table(flat, return_index, return_inverse, return_counts) or _core.unique_all(flat)
        values, indices, inverse, counts = found
        made = [values]
        if return_index:
            made.append(indices)
        if return_inverse:
            made.append(reshape(inverse, ar.shape))
        if return_counts:
            made.append(counts)
        return tuple(made)
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


#: The numbers of elements above which a table of counts is faster than sorting, for all results and for counts alone; the longest table per element.
_MANY, _SOME, _SPARSE = 1 << 15, 1000, 2


def _unique_by_table(flat, return_index, return_inverse, return_counts):
    """The results of `unique` for integers that lie close together, from a count for each number between them; `None` for others."""
    is_count = return_counts and not (return_index or return_inverse)
    if flat.size < (_SOME if is_count else _MANY) or flat.dtype.kind not in "bi" and flat.dtype != _np.uint8 and flat.dtype != _np.uint16 and flat.dtype != _np.uint32:
        return None
    low, high = int(_min(flat)), int(_max(flat))
    span = high - low + 1
    if span > _SPARSE * flat.size:
        return None
    numbers = cast(flat, int64)
    numbers = numbers - low if low else numbers
    counts = _core.bincount_below(numbers, None, span)
    (places,) = nonzero(counts)
    values = cast(places + low if low else places, flat.dtype)
    indices = inverse = None
    if return_index:
        indices = zeros((span,), int64)
        # Of equal numbers the last one counts. It is the first one in reverse order.
        indices[flip(numbers)] = flip(make(_np.arange(flat.size)))
        indices = take(indices, places)
    if return_inverse:
        inverse = take(_core.scan(cast(counts != 0, int64), "cumsum", 0) - 1, numbers)
    return values, indices, inverse, take(counts, places) if return_counts else None


def _unique_parts(ar, axis, return_index, return_inverse, return_counts):
    """The parts along an axis in order, each once: ordered by their first elements, then by their second, and so on."""
    count = ar.shape[axis]
    rows = reshape(moveaxis(ar, axis, 0), (count, -1 if count and ar.size else 0))
    order = make(_np.arange(count))
    for column in reversed(range(rows.shape[1])):
        order = take(order, argsort(take(rows[:, column], order), 0))
    ordered = take(rows, order, 0)
    starts = zeros((count,), bool)
    if count:
        starts[:1] = True
        starts[1:] = _any(ordered[1:] != ordered[:-1], 1) if rows.shape[1] else False
    (places,) = nonzero(starts)
    firsts = take(order, places)
    made = [take(ar, firsts, axis)]
    if return_index:
        made.append(firsts)
    if return_inverse:
        inverse = zeros((count,), int64)
        if count:
            inverse[order] = _core.scan(cast(starts, int64), "cumsum", 0) - 1
        made.append(inverse)
    if return_counts:
        made.append(concatenate([places, make([count])])[1:] - places)
    return made[0] if len(made) == 1 else tuple(made)


UniqueAllResult = _namedtuple("UniqueAllResult", ["values", "indices", "inverse_indices", "counts"])
UniqueCountsResult = _namedtuple("UniqueCountsResult", ["values", "counts"])
UniqueInverseResult = _namedtuple("UniqueInverseResult", ["values", "inverse_indices"])


def unique_all(x):
    """The sorted unique elements with their first indices, inverse indices and counts; NaN are all different."""
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
    if kind not in (None, "sort", "table"):
        raise ValueError(f"Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.")
    element, tests = make(element), ravel(test_elements)
    if kind == "table" and not all(one.dtype.kind in "biu" for one in (element, tests)):
        raise ValueError("The 'table' method is only supported for boolean or integer arrays. Please select 'sort' or None for kind.")
    if tests.size == 0:
        return zeros(element.shape, bool) if not invert else ~zeros(element.shape, bool)
    dtype = result_type(element, tests)
    flat, tests = ravel(cast(element, dtype)), cast(tests, dtype)
    if dtype.kind == "c":
        # Each value has a number, and the numbers of the other elements are marked. NaN equals none
        # of them.
        _, numbers = unique(concatenate([tests, flat]), return_inverse=True)
        marks = zeros(numbers.shape, bool)
        marks[numbers[: tests.size]] = True
        found = marks[numbers[tests.size :]] & (flat == flat)
        return reshape(~found if invert else found, element.shape)
    if dtype.kind in "iu" and flat.size >= _MANY:
        found = _isin_by_table(flat, tests)
        if found is not None:
            return reshape(~found if invert else found, element.shape)
    tests = sort(tests)
    at = searchsorted(tests, flat)
    found = take(tests, _core.select(at >= tests.size, tests.size - 1, at, int64)) == flat
    return reshape(~found if invert else found, element.shape)


def _isin_by_table(flat, tests):
    """Which elements are among others, for integers that lie close together; `None` for other operands."""
    low, high = int(_min(tests)), int(_max(tests))
    if high - low >= _SPARSE * (flat.size + tests.size) or not -(2**63) <= low <= high < 2**63:
        return None
    table = zeros((high - low + 1,), bool)
    table[cast(tests, int64) - low] = True
    inside = get("minimum")(get("maximum")(flat, low), high)
    return take(table, cast(inside, int64) - low) & (flat >= low) & (flat <= high)


def in1d(ar1, ar2, assume_unique=False, invert=False, *, kind=None):
    """Whether elements are among others, as a vector."""
    return isin(ravel(ar1), ar2, assume_unique, invert)


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """The common elements of two arrays, in order."""
    ar1, ar2 = ravel(ar1), ravel(ar2)
    if not return_indices and not assume_unique:
        dtype = result_type(ar1, ar2)
        left = unique(cast(unique(ar1), dtype))
        return left[isin(left, cast(ar2, dtype))]
    first = second = None
    if not assume_unique:
        (ar1, first), (ar2, second) = unique(ar1, return_index=True), unique(ar2, return_index=True)
    both = concatenate((ar1, ar2))
    order = argsort(both, 0)
    both = take(both, order)
    (places,) = nonzero(both[1:] == both[:-1])
    if not return_indices:
        return take(both, places)
    left, right = take(order, places), take(order, places + 1) - ar1.size
    if first is not None:
        left, right = take(first, left), take(second, right)
    return take(both, places), left, right


def setdiff1d(ar1, ar2, assume_unique=False):
    """The elements of one array that are not in the other."""
    left = ravel(ar1) if assume_unique else unique(ar1)
    return left[isin(left, ar2, invert=True)]


def union1d(ar1, ar2):
    """The elements of both arrays, in order, each once."""
    ar1, ar2 = operand(ar1), operand(ar2)
    if weak(ar1) != weak(ar2):
        # A Python number is cast to the array's dtype, as when arrays are joined.
        dtype = result_type(ar1, ar2)
        ar1, ar2 = (make(_np.asarray(one).astype(dtype)) if weak(one) else one for one in (ar1, ar2))
    return unique(concatenate((ar1, ar2), axis=None))


def setxor1d(ar1, ar2, assume_unique=False):
    """The elements of exactly one of two arrays, in order."""
    left, right = unique(ar1), unique(ar2)
    return sort(concatenate((left[isin(left, right, invert=True)], right[isin(right, left, invert=True)])))


def _quantiles(a, q, axis, out, method, keepdims, weights, scale):
    a, axis, keepdims = make(a), listed_axes(axis), bool(keepdims)
    if _np.asarray(q).dtype == _np.longdouble:
        # The dtype of the result is that of `q`, which Weft's arrays cannot hold.
        name = "quantile" if scale == 1 else "percentile"
        given = {"method": method, "keepdims": keepdims, "weights": weights}
        return _fallback.call(name, getattr(_np, name), (a, q, axis, out), given)
    is_plain = method == "linear" and weights is None and isinstance(a, ndarray) and a.size and a.dtype.kind in "iuf"
    is_plain = is_plain and _np.asarray(q).dtype == float64
    if not is_plain or a.dtype == _np.float16 or (a.dtype == _np.float32 and type(q) not in (int, float)):
        return _by_method(a, q, axis, out, method, keepdims, weights, scale)
    host = _np.asarray(q, dtype=float) / scale
    if not ((host >= 0) & (host <= 1)).all():
        raise ValueError("Quantiles must be in the range [0, 1]" if scale == 1 else "Percentiles must be in the range [0, 100]")
    shape = along_shape(a, axis, keepdims)
    if axis is not None:
        axes = axes_of(axis, a.ndim)
        a, at = _merged(a, axes) if len(axes) != 1 else (a, axes[0])
    else:
        a, at = ravel(a), 0
    a = cast(a, float64) if a.dtype.kind in "biu" else a
    made = _core.quantile(a, host.ravel().tolist(), at)
    return deliver(cast(reshape(made, host.shape + shape), a.dtype), out)


def _by_method(*args):
    from ._quantile import quantiles

    return quantiles(*args)


def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None, interpolation=None):
    """The quantiles of the elements."""
    return _quantiles(a, q, axis, out, method, keepdims, weights, 1)


def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None, interpolation=None):
    """The percentiles of the elements."""
    return _quantiles(a, q, axis, out, method, keepdims, weights, 100)


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The element in the middle, or the mean of the two there."""
    is_plain = out is None and overwrite_input is False and keepdims is False
    if is_plain and (made := _core.median_plain(a, axis, False)) is not None:
        return made
    from ._quantile import lines_of, median_of
    from ._reduce import mean

    a, axis = make(a), listed_axes(axis)
    if not isinstance(a, ndarray):
        given = {"keepdims": keepdims} if out is None else {"keepdims": keepdims, "out": out}
        return _fallback.call("median", _np.median, (a, axis), given)
    keepdims = bool(keepdims)
    shape = along_shape(a, axis, keepdims)
    if overwrite_input and a._writeable and a.size:
        # NumPy changes the order of the array, too.
        a[...] = sort(a, axis) if isinstance(axis, int) else reshape(sort(a, None), a.shape) if axis is None else a
    lines = lines_of(a, axis)
    made = mean(lines, 0) if lines.size == 0 else median_of(lines)
    # NumPy ends with a mean, in which zeros have no sign.
    made = made + 0.0
    if keepdims and out is None:
        # An array even without axes.
        return _core.as_array(reshape(made, shape))
    return deliver(reshape(made, shape), out, "unsafe", a.size)
