"""Quantiles by all of NumPy's methods, also with weights, and without NaN."""

import numpy as _np

from .. import _core
from . import _fallback
from ._array import cast, float64, from_host, int64, make, ndarray, result_type, to_host
from ._reduce import _NOTHING, _warn, along_shape
from ._shape import axes_of, broadcast_to, listed_axes, moveaxis, ravel, reshape, take
from ._ufunc import get

try:
    from numpy.lib._function_base_impl import _QuantileMethods as _METHODS
except ImportError:  # NumPy keeps the table of its methods elsewhere
    _METHODS = {}


def lines_of(a, axis):
    """The array with the axes of a quantile as the first."""
    if axis is None:
        return reshape(a, (-1,)) if a.size else reshape(a, (0,))
    axes = axes_of(axis, a.ndim)
    if len(axes) == 1:
        return moveaxis(a, axes[0], 0)
    rest = [at for at in range(a.ndim) if at not in axes]
    count = 1
    for at in axes:
        count *= a.shape[at]
    moved = _core.permute(a, [*sorted(axes), *rest])
    return _core.reshape(moved, [count, *(a.shape[at] for at in rest)])


def _checked(q, a, scale):
    """The quantiles on the host, and whether they are one Python number, whose type yields to that of the array."""
    if a.dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    host = to_host(q) if isinstance(q, ndarray) else _np.asarray(q)
    host = host if scale == 1 else _np.asarray(_np.true_divide(host, scale))
    if not ((host >= 0) & (host <= 1)).all():
        raise ValueError("Quantiles must be in the range [0, 1]" if scale == 1 else "Percentiles must be in the range [0, 100]")
    if host.ndim > 2:
        raise ValueError("q must be a scalar or 1d")
    return host, type(q) in (int, float)


def _gathered(lines, at, each):
    """The elements at places of the first axis: for `each` line its own places, or the same for all."""
    if each:
        grid = [
            from_host(_np.arange(length).reshape((1,) * (dim + 1) + (length,) + (1,) * (lines.ndim - dim - 2)))
            for dim, length in enumerate(lines.shape[1:])
        ]
        return lines[(from_host(at), *grid)]
    return take(lines, from_host(at), 0)


def _interpolated(lines, virtual, method, count, weak, each=False):
    """Values at places between those of sorted lines."""
    props = _METHODS[method]
    virtual = _np.asanyarray(virtual)
    if props["fix_gamma"] is None or (method == "linear" and virtual.dtype.kind in "iu"):
        return _gathered(lines, virtual.astype(_np.int64), each)
    before = _np.floor(virtual)
    after = before + 1
    last = _np.broadcast_to(_np.asarray(count) - 1, virtual.shape)
    above = virtual >= last
    before, after = _np.where(above, last, before), _np.where(above, last, after)
    below = (virtual < 0) | _np.isnan(virtual)
    before, after = _np.where(below, 0, before), _np.where(below, 0, after)
    previous, following = (_gathered(lines, _np.maximum(one, 0).astype(_np.int64), each) for one in (before, after))
    gamma = _np.asanyarray(props["fix_gamma"](_np.asanyarray(virtual - before), virtual), dtype=virtual.dtype)
    is_number = weak and gamma.ndim == 0
    if not each:
        gamma = gamma.reshape(virtual.shape + (1,) * (lines.ndim - 1))
    distance = following - previous
    if is_number:
        t = float(gamma.item())
        return following - distance * (1 - t) if t >= 0.5 else previous + distance * t
    parts = gamma, 1 - gamma
    if weak and lines.dtype.kind == "f":
        parts = [one.astype(lines.dtype) for one in parts]
    t, rest = map(from_host, parts)
    low, high = previous + distance * t, following - distance * rest
    return _core.select(_core.broadcast_to(make(gamma >= 0.5), low.shape), high, low, low.dtype)


def _weighted(lines, weights, host):
    """The inverse of the empirical distribution of weighted elements."""
    from ._select import take_along_axis
    from ._sort import argsort

    order = argsort(lines, 0)
    ordered = take_along_axis(lines, order, 0)
    weights = take_along_axis(weights, order, 0) if weights.shape == lines.shape else take(ravel(weights), order)
    cdf = _core.scan(cast(weights, float64), "cumsum", 0)
    cdf = cdf / cdf[-1]
    if bool(get("logical_or").reduce(get("isnan")(ravel(cdf[-1:])))):
        raise ValueError("Weights included NaN, inf or were all zero.")
    if host.dtype.kind == "f":
        cdf = cast(cdf, host.dtype)
    cdf = _core.select(cdf == 0, -1, cdf, cdf.dtype)
    q = from_host(host.reshape(host.shape + (1,) * lines.ndim))
    # The number of elements with a smaller sum: the place that a search would find.
    below = get("less")(cdf, q)
    at = _core.reduce(cast(below, int64), "sum", host.ndim)
    at = get("minimum")(at, lines.shape[0] - 1)
    grid = [reshape(from_host(_np.arange(n)), (n,) + (1,) * (lines.ndim - dim - 2)) for dim, n in enumerate(lines.shape[1:])]
    return ordered[(at, *grid)], ordered


def _computed(lines, host, weak, method, weights):
    count = lines.shape[0]
    if weights is not None:
        made, ordered = _weighted(lines, weights, host)
    else:
        virtual = _METHODS[method]["get_virtual_index"](count, host)
        ordered = _placed(lines, _around(virtual, count))
        made = _interpolated(ordered, virtual, method, count, weak)
    if lines.dtype.kind in "fc":
        last = ordered[-1]
        made = _core.select(
            _core.broadcast_to(get("isnan")(last), made.shape), _core.broadcast_to(cast(last, made.dtype), made.shape), made, made.dtype
        )
    return made


def _weights(a, weights, axis, method):
    """The weights as an array that broadcasts to the lines."""
    if weights is None:
        return None
    if method != "inverted_cdf":
        raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
    weights = make(weights)
    if axis is None:
        if weights.shape != a.shape:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
    elif weights.shape != a.shape:
        axes = axes_of(axis, a.ndim)
        if weights.shape != tuple(a.shape[at] for at in axes):
            raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
        order = sorted(range(len(axes)), key=lambda at: axes[at])
        weights = reshape(_core.permute(weights, order), [a.shape[at] if at in axes else 1 for at in range(a.ndim)])
        weights = broadcast_to(weights, a.shape)
    if bool(get("logical_or").reduce(ravel(weights) < 0)):
        raise ValueError("Weights must be non-negative.")
    return lines_of(weights, axis)


def quantiles(a, q, axis, out, method, keepdims, weights, scale, skip_nan=False):
    """Quantiles of all elements or along axes: the axes of `q` come first."""
    is_plain = out is None and method == "linear" and keepdims is _NOTHING and weights is None
    if is_plain and (made := _core.quantile_plain(a, q, scale, axis, skip_nan)) is not None:
        return made
    a, axis = make(a), listed_axes(axis)
    if not isinstance(a, ndarray):
        name = ("nan" if skip_nan else "") + ("quantile" if scale == 1 else "percentile")
        given = {"method": method, "keepdims": bool(keepdims), "weights": weights} | ({} if out is None else {"out": out})
        return _fallback.call(name, getattr(_np, name), (a, q, axis), given)
    host, weak = _checked(q, a, scale)
    if method not in _METHODS:
        raise ValueError(f"{method!r} is not a valid method. Use one of: {_METHODS.keys()}")
    keepdims = keepdims is not _NOTHING and bool(keepdims)
    shape = along_shape(a, axis, keepdims)
    weights = _weights(a, weights, axis, method)
    if a.dtype.kind == "b" and _METHODS[method]["fix_gamma"] is not None and not (method == "linear" and host.dtype.kind in "iu"):
        # NumPy treats boolean elements as integers, and subtracts for other types.
        raise TypeError(
            "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, "
            "or the logical_xor function instead."
        )
    lines = lines_of(a, axis)
    if lines.size == 0 and skip_nan:
        from ._reduce import nanmean

        return nanmean(a, axis, out=out, keepdims=keepdims)
    if lines.size == 0:
        if lines.shape[0] == 0 and host.size:
            raise IndexError("index -1 is out of bounds for axis 0 with size 0")
        made = _core.full((*host.shape, *lines.shape[1:]), 0, lines.dtype if lines.dtype.kind == "f" else float64)
    elif skip_nan and a.dtype.kind == "f":
        made = _without_nan(lines, host, weak, method, weights)
    else:
        made = _computed(lines, host, weak, method, weights)
    return _delivered(reshape(made, host.shape + shape), out, a.size, keepdims)


def _without_nan(lines, host, weak, method, weights):
    from ._sort import sort

    count = lines.shape[0]
    valid = get("isfinite")(lines) | get("isinf")(lines)
    if weights is not None:
        lines_of = _core.select(valid, lines, float("inf"), lines.dtype)
        made, _ = _weighted(lines_of, _core.select(_core.broadcast_to(valid, lines.shape), weights, 0, weights.dtype), host)
        found = to_host(_core.reduce(valid, "count_nonzero", 0))
    else:
        # The number of elements in each line determines the elements to read.
        found = to_host(_core.reduce(valid, "count_nonzero", 0))
        if (found == count).all():
            virtual = _METHODS[method]["get_virtual_index"](count, host)
            made = _interpolated(_placed(lines, _around(virtual, count)), virtual, method, count, weak)
        elif lines.ndim == 1:
            n = int(found)
            if n == 0:
                made = _core.full(host.shape, float("nan"), lines.dtype)
            else:
                # NaN come last.
                virtual = _METHODS[method]["get_virtual_index"](n, host)
                made = _interpolated(_placed(lines, _around(virtual, n))[:n], virtual, method, n, weak)
        else:
            ordered = sort(lines, 0)
            virtual = _virtual_of_each(_np.maximum(found, 1), host, method)
            made = _interpolated(ordered, virtual, method, _np.maximum(found, 1)[None], weak and host.ndim == 0, each=True)
            made = reshape(made, host.shape + found.shape)
    if (found == 0).any():
        _warn("All-NaN slice encountered")
        none = from_host(_np.asarray(found == 0))
        made = _core.select(_core.broadcast_to(none, made.shape), float("nan"), made, made.dtype)
    return made


def _virtual_of_each(found, host, method):
    """The places of quantiles in lines of different lengths: one row for each quantile."""
    shape = (host.size, *found.shape)
    lengths = _np.broadcast_to(found[None], shape)
    q = _np.broadcast_to(host.reshape((-1,) + (1,) * found.ndim), shape)
    with _np.errstate(all="ignore"):
        return _np.asanyarray(_METHODS[method]["get_virtual_index"](lengths, q))


def _delivered(made, out, count, keepdims):
    from ._reduce import deliver

    if keepdims and out is None:
        # An array even without axes.
        return _core.as_array(made)
    return deliver(made, out, "unsafe", count)


def _placed(lines, places):
    """The lines with the elements at these places of the first axis as in sorted order."""
    from ._sort import sort

    return sort(lines, 0) if lines.dtype.kind == "c" else _core.partition(lines, places, 0)


def _around(virtual, count):
    """The places of sorted lines that interpolation at `virtual` places reads, and the last one."""
    virtual = _np.asarray(virtual, float).ravel()
    below = _np.floor(_np.where(_np.isnan(virtual), 0, virtual))
    # Rounding and the step to the next place add at most one place.
    places = _np.concatenate([below, below + 1, [count - 1]])
    return _np.unique(_np.clip(places, 0, count - 1).astype(_np.int64)).tolist()


def median_of(lines):
    """The element in the middle of each line, or the mean of the two there; NaN if the line contains one."""
    count = lines.shape[0]
    ordered = _placed(lines, [(count - 1) // 2, count // 2, count - 1])
    wide = result_type(lines.dtype, 0.0) if lines.dtype.kind != "f" else lines.dtype
    if count % 2:
        made = cast(ordered[count // 2], wide)
    else:
        low, high = cast(ordered[count // 2 - 1], wide), cast(ordered[count // 2], wide)
        if wide == _np.float16:
            made = cast((cast(low, _np.dtype("f4")) + cast(high, _np.dtype("f4"))) / 2, wide)
        else:
            made = (low + high) / 2
    if lines.dtype.kind in "fc":
        last = ordered[-1]
        made = _core.select(get("isnan")(last), float("nan"), made, made.dtype)
    return made


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=_NOTHING):
    """The median of the elements that are not NaN."""
    is_plain = out is None and overwrite_input is False and keepdims is _NOTHING
    if is_plain and (made := _core.median_plain(a, axis, True)) is not None:
        return made
    a, axis = make(a), listed_axes(axis)
    keep = keepdims is not _NOTHING and bool(keepdims)
    if a.dtype.kind not in "fc":
        from ._sort import median

        return median(a, axis, out, overwrite_input, keep)
    shape = along_shape(a, axis, keep)
    lines = lines_of(a, axis)
    if a.size == 0:
        if 0 not in shape:
            _warn("Mean of empty slice")
        return _delivered(_core.full(shape, float("nan"), a.dtype), out, a.size, keep)
    from ._select import take_along_axis
    from ._sort import sort

    found = _core.reduce(~get("isnan")(lines), "count_nonzero", 0)
    if lines.ndim == 1:
        count = int(found)
        ordered = _placed(lines, [max(count - 1, 0) // 2, min(count // 2, max(count - 1, 0))])
    else:
        ordered = sort(lines, 0)
    found = reshape(found, (1, *found.shape))
    low = get("maximum")((found - 1) // 2, 0)
    high = get("maximum")(found // 2, 0)
    high = get("minimum")(high, get("maximum")(found - 1, 0))
    left, right = take_along_axis(ordered, low, 0)[0], take_along_axis(ordered, high, 0)[0]
    same = left == right
    made = _core.select(same, left, left / 2 + right / 2 if a.dtype != _np.float16 else (left + right) / 2, a.dtype)
    exact = (left + right) / 2
    made = _core.select(get("isfinite")(exact), exact, made, a.dtype)
    # A mean of zeros has no sign.
    made = made + 0.0
    none = found[0] == 0
    if bool(get("logical_or").reduce(ravel(none))):
        _warn("All-NaN slice encountered")
    return _delivered(reshape(made, shape), out, a.size, keep)


def nanquantile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=_NOTHING, *, weights=None, interpolation=None
):
    """The quantiles of the elements that are not NaN."""
    return quantiles(a, q, axis, out, method, keepdims, weights, 1, skip_nan=True)


def nanpercentile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=_NOTHING, *, weights=None, interpolation=None
):
    """The percentiles of the elements that are not NaN."""
    return quantiles(a, q, axis, out, method, keepdims, weights, 100, skip_nan=True)
