"""Reductions, running results, statistics."""

import numpy as _np

from .. import _core
from . import _caller, _fallback
from ._arguments import c_int, keeps_axes, whole_axes, whole_axis
from ._array import array_type, cast, float64, int64, is_held, is_number, make, ndarray, number, result_type, to_host, written
from ._shape import axes_of, axis_of, ravel, reshape
from ._ufunc import check_mask, get, mask_of

_NOTHING = _np._NoValue


def _is_flag(keepdims):
    """Returns whether `keepdims` is left out or a boolean."""
    return keepdims is _NOTHING or keepdims is True or keepdims is False


def _given(value):
    return value is not _NOTHING and value is not None


def _held(a):
    """An array of Weft; an error if Weft cannot hold the elements."""
    a = make(a)
    if not isinstance(a, ndarray):
        raise TypeError(f"Weft's arrays cannot hold elements of {a.dtype}")
    return a


def _merged(a, axes):
    """The array with these axes merged into one, at the end."""
    rest = [at for at in range(a.ndim) if at not in axes]
    moved = _core.permute(a, rest + sorted(axes))
    lengths = [a.shape[at] for at in rest]
    count = 1
    for at in axes:
        count *= a.shape[at]
    return _core.reshape(moved, [*lengths, count]), len(rest)


def along(a, axis, keepdims, how):
    """The result of `how(array, axis or None)` along axes of an array, or of all of it."""
    axis = axis if axis is None else whole_axes(axis)
    keepdims = _keeps(keepdims)
    if axis is None or (a.ndim == 0 and axis in (0, -1)):
        # NumPy treats an array without axes as a line of one element.
        made, axes = how(a, None), tuple(range(a.ndim))
    else:
        axes = axes_of(axis, a.ndim)
        if len(axes) == 0:
            made = how(reshape(a, (*a.shape, 1)), a.ndim)
        elif len(axes) == 1:
            made = how(a, axes[0])
        elif len(axes) == a.ndim:
            made = how(a, None)
        else:
            made = how(*_merged(a, axes))
    if keepdims:
        # The result over all axes is a number, which need not be read.
        made = _core.as_array(made) if isinstance(made, number) else made
        made = reshape(made, tuple(1 if at in axes else length for at, length in enumerate(a.shape)))
    return made


def check_out(out):
    """Raises an error if a result cannot be written because there is no array to write it to."""
    if out is not None and not isinstance(out, (array_type, _np.ndarray)):
        raise TypeError("return arrays must be of ArrayType")


def deliver_back(made, out):
    """Returns a result in the caller's `out`. For functions that write to an array of the result's dtype, which is then written to `out`."""
    check_out(out)
    if out is not None and out.shape == made.shape and not _np.can_cast(out.dtype, made.dtype, "safe"):
        raise TypeError(f"Cannot cast array data from {out.dtype!r} to {made.dtype!r} according to the rule 'safe'")
    return deliver(made, out, "unsafe")


def deliver(made, out, casting="same_kind", count=0):
    """Returns a result of `count` elements in the caller's `out`. Results of reductions are cast to any dtype: NumPy calls that `unsafe`."""
    if out is None:
        return _core.as_result(made, count)
    check_out(out)
    if out.shape != made.shape:
        raise ValueError(f"output array has shape {out.shape}, which does not match {made.shape}")
    if not _np.can_cast(made.dtype, out.dtype, casting):
        raise TypeError(f"Cannot cast from {made.dtype!r} to {out.dtype!r} with casting rule '{casting}'")
    if isinstance(out, ndarray):
        if made.dtype.kind == "f" and out.dtype.kind == "u":
            # Negative values wrap around, as when NumPy computes with integers.
            made = _core.select(made < 0, cast(cast(made, int64), out.dtype), cast(made, out.dtype), out.dtype)
        _core.assign(out, cast(made, out.dtype))
    else:
        out[...] = to_host(made) if isinstance(made, ndarray) else made
    return out


def _masked(a, where, neutral):
    """The array with a neutral value where a mask is not set."""
    if where is True or where is _NOTHING:
        return a
    mask = make(mask_of(where))
    if mask.shape != a.shape:
        check_mask(mask, a.shape)
        mask = _core.broadcast_to(mask, a.shape)
    return _core.select(mask, a, neutral, a.dtype)


def _sum_dtype(dtype):
    if dtype.kind in "bi" and dtype.itemsize < 8:
        return int64
    if dtype.kind == "u" and dtype.itemsize < 8:
        return _np.dtype("u8")
    return dtype


def _extreme(dtype, largest):
    """The neutral value of a minimum (the largest) or a maximum."""
    if dtype.kind == "b":
        return largest
    if dtype.kind in "iu":
        return int(_np.iinfo(dtype).max if largest else _np.iinfo(dtype).min)
    end = float("inf") if largest else float("-inf")
    return complex(end, end) if dtype.kind == "c" else end


def _check_initial(initial):
    if _given(initial) and (initial.ndim if isinstance(initial, ndarray) else _np.ndim(initial)):
        raise ValueError("setting an array element with a sequence.")


def _type_of(a, dtype, out, small=lambda dtype: dtype):
    """The dtype of a reduction's computation: an output's dtype counts as that of an operand."""
    if dtype is not None:
        return _np.dtype(dtype)
    check_out(out)
    return small(a.dtype) if out is None else result_type(a.dtype, out.dtype)


def _keeps(keepdims):
    return keepdims is not _NOTHING and keeps_axes(keepdims)


def _added(name, a, axis, dtype, out, keepdims, initial, where, neutral, combine):
    a = _held(a)
    _check_initial(initial)
    dtype = _type_of(a, dtype, out, _sum_dtype)
    if not is_held(dtype):
        given = {"keepdims": keepdims, "initial": initial, "where": where}
        given = {key: value for key, value in given.items() if value is not _NOTHING}
        given |= {} if out is None else {"out": out}
        return _fallback.call(name, getattr(_np, name), (a, axis, dtype), given)
    if initial is None and where is not _NOTHING and where is not True:
        raise ValueError(
            f"reduction operation '{combine}' does not have an identity, so to use a where mask one has to specify 'initial'"
        )
    if initial is None and a.size == 0:
        _check_filled(combine, a, axis)
    a = _masked(cast(a, dtype), where, neutral)
    made = along(a, axis, keepdims, lambda of, at: _core.reduce(of, name, at, _keeps(keepdims)))
    made = cast(made, dtype)
    if _given(initial):
        made = cast(get(combine)(made, written(initial, dtype)), dtype)
    return deliver(made, out, "unsafe")


def sum(a, axis=None, dtype=None, out=None, keepdims=_NOTHING, initial=_NOTHING, where=_NOTHING):
    """The sum of all elements, or along axes."""
    is_plain = dtype is None and out is None and _is_flag(keepdims) and initial is _NOTHING and where is _NOTHING
    if is_plain and (made := _core.reduce_plain(a, "sum", axis, keepdims is True)) is not None:
        return made
    return _added("sum", a, axis, dtype, out, keepdims, initial, where, 0, "add")


def prod(a, axis=None, dtype=None, out=None, keepdims=_NOTHING, initial=_NOTHING, where=_NOTHING):
    """The product of all elements, or along axes."""
    is_plain = dtype is None and out is None and _is_flag(keepdims) and initial is _NOTHING and where is _NOTHING
    if is_plain and (made := _core.reduce_plain(a, "prod", axis, keepdims is True)) is not None:
        return made
    return _added("prod", a, axis, dtype, out, keepdims, initial, where, 1, "multiply")


def by_halves(function, a, axis):
    """An associative function of all elements along an axis, in a logarithmic number of steps."""
    if axis is None:
        a, axis = ravel(a), 0
    front = (slice(None),) * axis
    if a.shape[axis] == 1:
        return _core.copy(a[(*front, 0)])
    while a.shape[axis] > 1:
        half = a.shape[axis] // 2
        made = function(a[(*front, slice(half))], a[(*front, slice(half, 2 * half))])
        rest = a[(*front, slice(2 * half, None))]
        a = _core.concatenate([made, cast(rest, made.dtype)], axis) if rest.size else made
    return a[(*front, 0)]


def _bound(name, ufunc, a, axis, out, keepdims, initial, where):
    a = _held(a)
    _check_initial(initial)
    a = cast(a, _type_of(a, None, out))
    count = _reduced_length(a, axis)
    where = where if where is _NOTHING else mask_of(where)
    if where is not _NOTHING and where is not True and not _given(initial):
        raise ValueError(
            f"reduction operation '{ufunc}' does not have an identity, so to use a where mask one has to specify 'initial'"
        )
    neutral = _extreme(a.dtype, name == "min")
    if count == 0:
        if not _given(initial):
            _check_filled(ufunc, a, axis)
        shape = along_shape(a, axis, keepdims)
        return deliver(_core.full(shape, to_host(written(initial, a.dtype))[()], a.dtype), out, "unsafe")

    def how(of, at):
        return _core.reduce(of, name, at, _keeps(keepdims)) if of.dtype.kind != "c" else by_halves(get(ufunc), of, at)

    made = along(_masked(a, where, neutral), axis, keepdims, how)
    if _given(initial):
        made = get(ufunc)(written(initial, a.dtype), made)
    return deliver(made, out, "unsafe")


def _check_filled(name, a, axis):
    """Raises an error if a result has no elements, and there is no initial value."""
    if _reduced_length(a, axis) == 0:
        raise ValueError(f"zero-size array to reduction operation {name} which has no identity")


def _axes(a, axis):
    """The axes of a reduction. An array without axes counts as a line of one element."""
    if axis is None or (a.ndim == 0 and axis in (0, -1)):
        return tuple(range(a.ndim))
    return axes_of(axis, a.ndim)


def _reduced_length(a, axis):
    count = 1
    for at in _axes(a, axis if axis is None else whole_axes(axis)):
        count *= a.shape[at]
    return count


def along_shape(a, axis, keepdims):
    """The shape of a reduction along axes."""
    axes = _axes(a, axis)
    if keepdims is not _NOTHING and keeps_axes(keepdims):
        return tuple(1 if at in axes else length for at, length in enumerate(a.shape))
    return tuple(length for at, length in enumerate(a.shape) if at not in axes)


def deliver_any(made, out):
    """Returns NumPy's result in the caller's `out`."""
    return deliver(make(made), out) if out is not None else made


def max(a, axis=None, out=None, keepdims=_NOTHING, initial=_NOTHING, where=_NOTHING):
    """The largest element, of all or along axes."""
    is_plain = out is None and _is_flag(keepdims) and initial is _NOTHING and where is _NOTHING
    if is_plain and (made := _core.reduce_plain(a, "max", axis, keepdims is True)) is not None:
        return made
    return _bound("max", "maximum", a, axis, out, keepdims, initial, where)


def min(a, axis=None, out=None, keepdims=_NOTHING, initial=_NOTHING, where=_NOTHING):
    """The smallest element, of all or along axes."""
    is_plain = out is None and _is_flag(keepdims) and initial is _NOTHING and where is _NOTHING
    if is_plain and (made := _core.reduce_plain(a, "min", axis, keepdims is True)) is not None:
        return made
    return _bound("min", "minimum", a, axis, out, keepdims, initial, where)


amax, amin = max, min


def _logical(name, neutral, a, axis, out, keepdims, where):
    a = _held(a)
    a = _masked(a if a.dtype.kind == "b" else a != 0, where, neutral)
    made = along(a, axis, keepdims, lambda of, at: _core.reduce(of, name, at))
    return deliver(made if out is None else make(made), out, "unsafe")


def all(a, axis=None, out=None, keepdims=_NOTHING, *, where=_NOTHING):
    """Whether all elements are true, or all along axes."""
    is_plain = out is None and _is_flag(keepdims) and where is _NOTHING
    if is_plain and (made := _core.reduce_plain(a, "all", axis, keepdims is True)) is not None:
        return made
    return _logical("all", True, a, axis, out, keepdims, where)


def any(a, axis=None, out=None, keepdims=_NOTHING, *, where=_NOTHING):
    """Whether any element is true, among all or along axes."""
    is_plain = out is None and _is_flag(keepdims) and where is _NOTHING
    if is_plain and (made := _core.reduce_plain(a, "any", axis, keepdims is True)) is not None:
        return made
    return _logical("any", False, a, axis, out, keepdims, where)


def count_nonzero(a, axis=None, *, keepdims=False):
    """The number of nonzero elements."""
    a = _held(a)
    if axis is None and keepdims is False and (count := _core.count_at_once(a)) is not None:
        return count
    if _is_flag(keepdims) and (made := _core.reduce_plain(a, "count_nonzero", axis, keepdims is True)) is not None:
        return made
    keepdims = keepdims if keepdims or axis is not None else False
    return _core.as_result(along(a, axis, keepdims, lambda of, at: _core.reduce(of, "count_nonzero", at)), a.size)


def _place(name, a, axis, out, keepdims):
    a, axis = _held(a), whole_axis(axis)
    keepdims = keepdims if keepdims is _NOTHING else bool(keepdims)
    if a.size == 0 and (axis is None or a.shape[axis_of(axis, a.ndim)] == 0):
        raise ValueError(f"attempt to get {name} of an empty sequence")
    if axis is not None:
        axis = axis_of(axis, a.ndim) if a.ndim else axis_of(axis, 1) and None
    if a.dtype.kind == "c":
        best = (max if name == "argmax" else min)(a, axis, keepdims=True)
        # NaN counts as both the largest and the smallest element.
        a, name = _core.select(best != best, a != a, a == best, _np.dtype(bool)), "argmax"
    made = along(a, axis, keepdims, lambda of, at: _core.reduce(of if of.ndim else reshape(of, (1,)), name, at))
    return deliver_back(made, out)


def argmax(a, axis=None, out=None, *, keepdims=_NOTHING):
    """The index of the largest element, among all or along an axis."""
    if out is None and _is_flag(keepdims) and (made := _core.reduce_plain(a, "argmax", axis, keepdims is True)) is not None:
        return made
    return _place("argmax", a, axis, out, keepdims)


def argmin(a, axis=None, out=None, *, keepdims=_NOTHING):
    """The index of the smallest element, among all or along an axis."""
    if out is None and _is_flag(keepdims) and (made := _core.reduce_plain(a, "argmin", axis, keepdims is True)) is not None:
        return made
    return _place("argmin", a, axis, out, keepdims)


def _count(a, axis, where, keepdims=False):
    """The number of elements of each result; an array of them if a mask chooses elements."""
    if where is _NOTHING or where is True:
        if axis is None:
            return a.size
        count = 1
        for at in axes_of(axis, a.ndim):
            count *= a.shape[at]
        return count
    if isinstance(where, ndarray):
        check_mask(where, a.shape)
        return count_nonzero(_core.broadcast_to(where, a.shape), axis, keepdims=keepdims)
    # NumPy adds the values of a mask, which need not be booleans.
    mask = _np.broadcast_to(to_host(where), a.shape)
    return make(_np.add.reduce(mask, whole_axes(axis), int, keepdims=keepdims))


def _check_long(axis):
    """Raises NumPy's error of means for axes beyond C's `int`, which other reductions call a ValueError."""
    if type(axis) is int:
        c_int(axis)


def _inexact(dtype):
    return float64 if dtype.kind in "biu" else dtype


def mean(a, axis=None, dtype=None, out=None, keepdims=_NOTHING, *, where=_NOTHING):
    """The mean of all elements, or along axes."""
    is_plain = dtype is None and out is None and _is_flag(keepdims) and where is _NOTHING
    if is_plain and (made := _core.mean_plain(a, axis, keepdims is True)) is not None:
        return made
    a = make(a)
    _check_long(axis)
    result = _inexact(a.dtype) if dtype is None else _np.dtype(dtype)
    wide = _np.dtype("f4") if result == _np.float16 and dtype is None else result
    total = sum(a, axis, wide, keepdims=keepdims, where=where)
    count = _count(a, axis, where, keeps_axes(keepdims))
    if isinstance(count, ndarray):
        count = cast(count, total.dtype)
    elif count == 0:
        _warn("Mean of empty slice")
        count = _np.float64(0.0).astype(total.dtype.type(0).real.dtype) if total.dtype.kind != "i" else 0
    if out is not None:
        # NumPy divides the sum within the output.
        check_out(out)
        return deliver(cast(total, out.dtype) / count, out, "unsafe")
    return deliver(cast(total / count, result), out, "unsafe")


def _warn(text):

    _caller.warn(text, RuntimeWarning)


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=_NOTHING, *, where=_NOTHING, mean=_NOTHING, correction=_NOTHING):
    """The variance of all elements, or along axes."""
    is_plain = dtype is None and out is None and _is_flag(keepdims) and where is _NOTHING
    is_plain = is_plain and mean is _NOTHING and correction is _NOTHING
    if is_plain and (made := _core.var_plain(a, axis, ddof, False, keepdims is True)) is not None:
        return made
    if correction is not _NOTHING:
        if ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        ddof = correction
    a = make(a)
    _check_long(axis)
    result = _inexact(a.dtype) if dtype is None else _np.dtype(dtype)
    wide = _np.dtype("f4") if result == _np.float16 and dtype is None else result
    if wide.kind in "iu":
        # NumPy sums in this dtype, where the mean is truncated, and takes the distances in the dtype of both.
        middle = _mean(a, axis, wide, keepdims=True, where=where) if mean is _NOTHING else make(mean)
    else:
        a = cast(a, wide)
        middle = _mean(a, axis, keepdims=True, where=where) if mean is _NOTHING else make(mean)
    distance = a - middle
    if wide.kind == "c":
        parts = _core.apply("real", (distance,)), _core.apply("imag", (distance,))
        square = parts[0] * parts[0] + parts[1] * parts[1]
        result = square.dtype if dtype is None else result
    else:
        square = distance * distance
    if dtype is None and mean is not _NOTHING and wide.kind in "fc" and distance.dtype.itemsize > a.dtype.itemsize:
        result = square.dtype
    # A temporary that is dropped before the sum is submitted is never written to memory.
    del distance
    total = sum(square, axis, wide if wide.kind in "iu" else None, keepdims=keepdims, where=where)
    count = _count(a, axis, where, keeps_axes(keepdims))
    if isinstance(count, ndarray):
        left = _core.select(count - ddof > 0, count - ddof, 0, float64)
        return deliver(cast(total / cast(left, square.dtype), result), out, "unsafe")
    if count - ddof <= 0:
        _warn("Degrees of freedom <= 0 for slice")
    left = count - ddof if count - ddof > 0 else 0
    return deliver(cast(total / float(left), result), out, "unsafe")


_mean = mean


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=_NOTHING, *, where=_NOTHING, mean=_NOTHING, correction=_NOTHING):
    """The standard deviation of all elements, or along axes."""
    is_plain = dtype is None and out is None and _is_flag(keepdims) and where is _NOTHING
    is_plain = is_plain and mean is _NOTHING and correction is _NOTHING
    if is_plain and (made := _core.var_plain(a, axis, ddof, True, keepdims is True)) is not None:
        return made
    made = get("sqrt")(var(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction))
    if dtype is not None and _np.dtype(dtype).kind in "iu":
        if out is not None and out.dtype.kind not in "iu":
            return deliver(made, out)
        if not is_number(made) or out is not None:
            text = f"Cannot cast ufunc 'sqrt' output from {made.dtype!r} to {_np.dtype(dtype)!r} with casting rule 'same_kind'"
            raise TypeError(text)
        made = cast(made, _np.dtype(dtype))
    return deliver(made, out)


def ptp(a, axis=None, out=None, keepdims=_NOTHING):
    """The distance between the largest and the smallest element."""
    return deliver(max(a, axis, keepdims=keepdims) - min(a, axis, keepdims=keepdims), out)


def _running(name, a, axis, dtype, out):
    a = make(a)
    dtype = _type_of(a, dtype, out, _sum_dtype)
    a = cast(a, dtype)
    if axis is None:
        a, axis = ravel(a), 0
    axis = axis_of(whole_axis(axis), a.ndim if a.ndim else 1)
    if a.ndim == 0:
        a = reshape(a, (1,))
    return deliver(cast(_core.scan(a, name, axis), dtype), out, "unsafe")


def cumsum(a, axis=None, dtype=None, out=None):
    """Running sums along an axis, or of all elements."""
    if dtype is None and out is None and (made := _core.scan_plain(a, "cumsum", axis)) is not None:
        return made
    return _running("cumsum", a, axis, dtype, out)


def cumprod(a, axis=None, dtype=None, out=None):
    """Running products along an axis, or of all elements."""
    if dtype is None and out is None and (made := _core.scan_plain(a, "cumprod", axis)) is not None:
        return made
    return _running("cumprod", a, axis, dtype, out)


def _cumulative(name, x, axis, dtype, out, include_initial, first):
    x = make(x)
    x = x if x.ndim else reshape(x, (1,))
    if axis is None and x.ndim != 1:
        raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
    if isinstance(axis, tuple) and len(axis) != 1:
        raise ValueError("accumulate does not allow multiple axes")
    axis = 0 if axis is None else whole_axis(axis[0] if isinstance(axis, tuple) else axis)
    axis = axis_of(axis, x.ndim)
    made = _running(name, x, axis, dtype, None)
    if include_initial:
        shape = list(made.shape)
        shape[axis] = 1
        made = _core.concatenate([_core.full(shape, first, made.dtype), made], axis)
    return deliver(made, out, "unsafe")


def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Running sums along an axis, optionally starting with 0."""
    is_plain = dtype is None and out is None and include_initial is False
    if is_plain and (made := _core.scan_plain(x, "cumsum", axis)) is not None:
        return made
    return _cumulative("cumsum", x, axis, dtype, out, include_initial, 0)


def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Running products along an axis, optionally starting with 1."""
    is_plain = dtype is None and out is None and include_initial is False
    if is_plain and (made := _core.scan_plain(x, "cumprod", axis)) is not None:
        return made
    return _cumulative("cumprod", x, axis, dtype, out, include_initial, 1)


def _without_nan(a, value):
    a = _held(a)
    if a.dtype.kind not in "fc":
        return a, None
    mask = a != a
    return _core.select(mask, value, a, a.dtype), mask


def nansum(a, axis=None, dtype=None, out=None, keepdims=_NOTHING, initial=_NOTHING, where=_NOTHING):
    """The sum of the elements that are not NaN."""
    return sum(_without_nan(a, 0)[0], axis, dtype, out, keepdims, initial, where)


def nanprod(a, axis=None, dtype=None, out=None, keepdims=_NOTHING, initial=_NOTHING, where=_NOTHING):
    """The product of the elements that are not NaN."""
    return prod(_without_nan(a, 1)[0], axis, dtype, out, keepdims, initial, where)


def nancumsum(a, axis=None, dtype=None, out=None):
    """Running sums of the elements that are not NaN."""
    return cumsum(_without_nan(a, 0)[0], axis, dtype, out)


def nancumprod(a, axis=None, dtype=None, out=None):
    """Running products of the elements that are not NaN."""
    return cumprod(_without_nan(a, 1)[0], axis, dtype, out)


def _nan_bound(how, largest, a, axis, out, keepdims, initial, where):
    if out is None and initial is _NOTHING and where is _NOTHING and _is_flag(keepdims):
        made = _core.nan_bound_plain(a, "nanmin" if largest else "nanmax", axis, keepdims is True)
        if made is not None:
            return made
    if out is Ellipsis:
        return _core.as_array(_nan_bound(how, largest, a, axis, None, keepdims, initial, where))
    a = _held(a)
    if a.dtype.kind not in "fc":
        return how(a, axis, out, keepdims, initial, where)
    worst = float("inf") if largest else float("-inf")
    filled, mask = _without_nan(a, worst if a.dtype.kind == "f" else complex(worst, worst))
    made = how(filled, axis, None, keepdims, initial, where)
    none = all(mask, axis, keepdims=keepdims)
    if bool(any(none)):
        _warn("All-NaN slice encountered")
        if not _given(initial):
            made = _core.select(none, float("nan"), made, made.dtype)
    return deliver(made, out, "unsafe")


def nanmax(a, axis=None, out=None, keepdims=_NOTHING, initial=_NOTHING, where=_NOTHING):
    """The largest element that is not NaN."""
    return _nan_bound(max, False, a, axis, out, keepdims, initial, where)


def nanmin(a, axis=None, out=None, keepdims=_NOTHING, initial=_NOTHING, where=_NOTHING):
    """The smallest element that is not NaN."""
    return _nan_bound(min, True, a, axis, out, keepdims, initial, where)


def _nan_place(how, largest, a, axis, out, keepdims):
    if out is None and _is_flag(keepdims):
        made = _core.nan_bound_plain(a, "nanargmin" if largest else "nanargmax", axis, keepdims is True)
        if made is not None:
            return made
    a, axis = _held(a), whole_axis(axis)
    if a.dtype.kind not in "fc":
        return how(a, axis, out, keepdims=keepdims)
    if a.size == 0 and (axis is None or a.shape[axis_of(axis, a.ndim)] == 0):
        raise ValueError(f"attempt to get {how.__name__} of an empty sequence")
    worst = float("inf") if largest else float("-inf")
    filled, mask = _without_nan(a, worst if a.dtype.kind == "f" else complex(worst, worst))
    if a.size and bool(any(all(mask, axis))):
        raise ValueError("All-NaN slice encountered")
    # An infinity may precede a place that was NaN; the first place that is not NaN counts.
    best = max(filled, axis, keepdims=True) if how is argmax else min(filled, axis, keepdims=True)
    if axis is None:
        best = reshape(best, (1,) * a.ndim)
    return argmax((filled == best) & ~mask, axis, out, keepdims=keepdims)


def nanargmax(a, axis=None, out=None, *, keepdims=_NOTHING):
    """The index of the largest element that is not NaN."""
    return _nan_place(argmax, False, a, axis, out, keepdims)


def nanargmin(a, axis=None, out=None, *, keepdims=_NOTHING):
    """The index of the smallest element that is not NaN."""
    return _nan_place(argmin, True, a, axis, out, keepdims)


def nanmean(a, axis=None, dtype=None, out=None, keepdims=_NOTHING, *, where=_NOTHING):
    """The mean of the elements that are not NaN."""
    a = _held(a)
    if a.dtype.kind not in "fc":
        return mean(a, axis, dtype, out, keepdims, where=where)
    if dtype is not None and _np.dtype(dtype).kind not in "fc":
        raise TypeError("If a is inexact, then dtype must be inexact")
    if out is not None and out.dtype.kind not in "fc":
        raise TypeError("If a is inexact, then out must be inexact")
    mask = a == a
    mask = mask if where is _NOTHING else mask & make(mask_of(where))
    result = a.dtype if dtype is None else _np.dtype(dtype)
    wide = _np.dtype("f4") if result == _np.float16 else result
    total = sum(a, axis, wide, keepdims=keepdims, where=mask)
    count = count_nonzero(mask, axis, keepdims=keeps_axes(keepdims))
    return deliver(cast(total / cast(count, wide), result), out)


def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=_NOTHING, *, where=_NOTHING, mean=_NOTHING, correction=_NOTHING):
    """The variance of the elements that are not NaN."""
    if correction is not _NOTHING:
        if ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        ddof = correction
    a = _held(a)
    if a.dtype.kind not in "fc":
        return var(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean)
    if dtype is not None and _np.dtype(dtype).kind not in "fc":
        raise TypeError("If a is inexact, then dtype must be inexact")
    if out is not None and out.dtype.kind not in "fc":
        raise TypeError("If a is inexact, then out must be inexact")
    mask = a == a
    mask = mask if where is _NOTHING else mask & make(mask_of(where))
    count = count_nonzero(mask, axis, keepdims=keeps_axes(keepdims))
    middle = nanmean(a, axis, dtype, keepdims=True, where=where) if mean is _NOTHING else make(mean)
    distance = _core.select(_core.broadcast_to(mask, a.shape), a - middle, 0, result_type(a, middle))
    square = distance * distance
    if distance.dtype.kind == "c":
        square = _core.apply("real", (distance * get("conjugate")(distance),))
    total = sum(square, axis, keepdims=keepdims)
    left = cast(count, float64) - ddof
    made = total / cast(_core.select(left > 0, left, float("nan"), float64), total.dtype)
    result = _np.dtype(dtype) if dtype is not None else total.dtype
    return deliver(cast(made, result), out)


def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=_NOTHING, *, where=_NOTHING, mean=_NOTHING, correction=_NOTHING):
    """The standard deviation of the elements that are not NaN."""
    return deliver(
        get("sqrt")(nanvar(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction)), out
    )


def average(a, axis=None, weights=None, returned=False, *, keepdims=_NOTHING):
    """The mean, optionally weighted."""
    a = make(a)
    axis = None if axis is None else axes_of(axis, a.ndim)
    if weights is None:
        made = mean(a, axis, keepdims=keepdims)
        if made.size == 0:
            raise ZeroDivisionError("division by zero")
        if not returned:
            return made
        count = cast(make(_count(a, axis, True)), made.dtype)
        return made, _core.as_result(_core.copy(_core.broadcast_to(count, made.shape)))
    weights = make(weights)
    result = result_type(a.dtype, weights.dtype, "f8") if a.dtype.kind in "iub" else result_type(a.dtype, weights.dtype)
    if a.shape != weights.shape:
        if axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        axes = axes_of(axis, a.ndim)
        if weights.shape != tuple(a.shape[at] for at in axes):
            raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
        order = sorted(range(len(axes)), key=lambda at: axes[at])
        weights = reshape(
            _core.permute(weights, order), tuple(a.shape[at] if at in axes else 1 for at in range(a.ndim))
        )
    wide = _core.broadcast_to(cast(weights, result), a.shape)
    scale = sum(wide, axis, result, keepdims=keepdims)
    if bool(any(scale == 0)):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    made = sum(cast(a, result) * wide, axis, keepdims=keepdims) / scale
    return (made, scale) if returned else made


