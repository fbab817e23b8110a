"""Elements selected by conditions and indices, and functions applied along axes."""

import numpy as _np

from .. import _core
from . import _fallback
from ._arguments import clip_mode
from ._array import array_type, cast, elements, float64, int64, make, ndarray, operand, to_host, weak, written
from ._create import arange, zeros
from ._math import _weak_type, _wrapped, clip, imag, iscomplexobj, nonzero, real
from ._reduce import any as _any
from ._reduce import check_out, deliver, deliver_back
from ._shape import axis_of, moveaxis, ravel, reshape, take
from ._whole import whole


def select(condlist, choicelist, default=0):
    """For each element, the first choice whose condition holds."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if len(condlist) == 0:
        raise ValueError("select with an empty condition list is not possible")
    conditions = [make(one) for one in condlist]
    for at, one in enumerate(conditions):
        if one.dtype.kind != "b":
            raise TypeError(f"invalid entry {at} in condlist: should be boolean ndarray")
    choices = [operand(one) for one in choicelist]
    dtype = _weak_type(*choices, operand(default))
    if dtype.kind not in "biufc":
        raise TypeError(f"Weft's arrays cannot hold elements of {dtype}")
    default = make(_np.asarray(default).astype(dtype)) if weak(default) else make(default)
    values = (() if weak(one) else one.shape for one in choices)
    shape = _np.broadcast_shapes(default.shape, *(one.shape for one in conditions), *values)
    made = _core.broadcast_to(cast(default, dtype), shape)
    for condition, choice in zip(reversed(conditions), reversed(choices)):
        if weak(choice):
            choice = _np.asarray(choice)
            if not _np.can_cast(choice.dtype, dtype, "same_kind"):
                raise TypeError(f"Cannot cast array data from {choice.dtype!r} to {dtype!r} according to the rule 'same_kind'")
            choice = make(choice.astype(dtype))
        made = _core.select(_core.broadcast_to(condition, shape), choice, made, dtype)
    return made


def piecewise(x, condlist, funclist, *args, **kw):
    """For each element, the function whose condition holds."""
    x = make(x)
    if _np.isscalar(condlist) or (not isinstance(condlist[0], (list, array_type, _np.ndarray)) and x.ndim != 0):
        condlist = [condlist]
    conditions = [cast(make(one), _np.dtype(bool)) for one in condlist]
    functions = list(funclist)
    if len(functions) == len(conditions) + 1:
        rest = conditions[0]
        for one in conditions[1:]:
            rest = rest | one
        conditions.append(~rest)
    elif len(functions) != len(conditions):
        raise ValueError(
            f"with {len(conditions)} condition(s), either {len(conditions)} or {len(conditions) + 1} functions are expected"
        )
    made = zeros(x.shape, x.dtype)
    for condition, function in zip(conditions, functions):
        if callable(function):
            values = x[condition]
            if values.size:
                made[condition] = function(values, *args, **kw)
        else:
            made[condition] = function
    return made


def extract(condition, arr):
    """The elements where a condition holds, as a vector."""
    condition, arr = make(condition), make(arr)
    if isinstance(condition, ndarray) and isinstance(arr, ndarray) and condition.dtype.kind == "b" and condition.shape == arr.shape != ():
        return _core.take_where(arr, condition)
    return take(ravel(arr), nonzero(ravel(condition))[0])


def compress(condition, a, axis=None, out=None):
    """The places along an axis where a condition holds."""
    a, condition = make(a), make(elements(condition))
    if axis in (None, 0) and out is None and isinstance(a, ndarray) and isinstance(condition, ndarray) and a.ndim == 1:
        if condition.shape == a.shape and condition.dtype.kind == "b":
            return _core.take_where(a, condition)
    if axis is None:
        a, axis = ravel(a), 0
    if condition.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    return deliver_back(take(a, nonzero(condition)[0], axis), out)


def take_along_axis(arr, indices, axis=-1):
    """The elements of each line at the indices in the same line of another array."""
    if (made := _core.take_along_plain(arr, indices, axis)) is not None:
        return made
    arr, indices = make(arr), make(indices)
    if indices.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if axis is None:
        arr, axis = ravel(arr), 0
    axis = axis_of(axis, arr.ndim)
    if arr.ndim != indices.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    return arr[_along(arr, indices, axis)]


def _along(arr, indices, axis):
    key = []
    for at, length in enumerate(arr.shape):
        if at == axis:
            key.append(indices)
        else:
            key.append(reshape(arange(length), (1,) * at + (length,) + (1,) * (arr.ndim - at - 1)))
    return tuple(key)


def ix_(*args):
    """Vectors as the indices of a grid."""
    made = []
    for at, one in enumerate(args):
        one = make(one) if not (isinstance(one, (list, tuple)) and len(one) == 0) else make(_np.zeros(0, int64))
        if one.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if one.dtype.kind == "b":
            (one,) = nonzero(one)
        made.append(reshape(one, (1,) * at + (one.size,) + (1,) * (len(args) - at - 1)))
    return tuple(made)


def choose(a, choices, out=None, mode="raise"):
    """For each element, the value of the array with this index."""
    if out is None and mode == "raise" and (made := _core.choose_plain(a, choices)) is not None:
        return made
    a, mode = make(a), clip_mode(mode)
    choices = [operand(one) for one in choices]
    dtype = _weak_type(*choices) if all(weak(one) or isinstance(one, ndarray) for one in choices) else None
    if dtype is not None and dtype.kind in "biufc":
        choices = [written(_wrapped(one, dtype), dtype) if weak(one) else one for one in choices]
    if not isinstance(a, ndarray) or not all(isinstance(one, ndarray) for one in choices):
        return _fallback.call("choose", _np.choose, (a, choices), {"mode": mode})
    if not _np.can_cast(a.dtype, int64, "same_kind"):
        raise TypeError(f"Cannot cast array data from {a.dtype!r} to dtype('int64') according to the rule 'safe'")
    count = len(choices)
    at = cast(a, int64)
    if mode == "wrap":
        at = at % count
    elif mode == "clip":
        at = clip(at, 0, count - 1)
    shape = _np.broadcast_shapes(at.shape, *(one.shape for one in choices))
    if mode == "raise" and 0 not in shape and bool(_any((at < 0) | (at >= count))):
        raise ValueError("invalid entry in choice array")
    at = _core.broadcast_to(at, shape)
    made = _core.broadcast_to(cast(choices[-1], dtype), shape)
    for number in range(count - 2, -1, -1):
        made = _core.select(at == number, _core.broadcast_to(cast(choices[number], dtype), shape), made, dtype)
    check_out(out)
    if out is not None and out.shape != shape:
        raise TypeError("choose: invalid shape for output array.")
    return deliver(_core.copy(made) if count == 1 else made, out, "unsafe")


def _interp_periodic(x, xp, fp, period):
    """Points within one period, with one more at each end."""
    from ._join import concatenate
    from ._sort import argsort

    if period == 0:
        raise ValueError("period must be a non-zero value")
    period = abs(period)
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError("Data points must be 1-D sequences")
    if xp.shape[0] != fp.shape[0]:
        raise ValueError("fp and xp are not of the same length")
    x, xp = x % period, xp % period
    order = argsort(xp)
    xp, fp = take(xp, order), take(fp, order)
    return x, concatenate((xp[-1:] - period, xp, xp[0:1] + period)), concatenate((fp[-1:], fp, fp[0:1]))


def interp(x, xp, fp, left=None, right=None, period=None):
    """Linear interpolation between the values of a table."""
    if left is None and right is None and period is None and (made := _core.interp_plain(x, xp, fp)) is not None:
        return made
    if iscomplexobj(fp):
        parts = []
        for part in (real, imag):
            ends = [None if end is None else float(_np.asarray(part(end))) for end in (left, right)]
            parts.append(interp(x, xp, part(make(fp)), *ends, period))
        return _core.apply("complex", tuple(parts))
    x, xp, fp = map(make, (x, xp, fp))
    for one in (x, xp):
        if one.dtype.kind == "c":
            raise TypeError(f"Cannot cast array data from {one.dtype!r} to dtype('float64') according to the rule 'safe'")
    x, xp, fp = (cast(one, float64) for one in (x, xp, fp))
    if period is not None:
        x, xp, fp = _interp_periodic(x, xp, fp, period)
        left = right = None
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError("Data points must be 1-D sequences")
    if xp.size == 0:
        raise ValueError("array of sample points is empty")
    if xp.size != fp.size:
        raise ValueError("fp and xp are not of the same length.")
    left, right = (None if end is None else float(end) for end in (left, right))
    return _core.as_result(_core.interp(x, xp, fp, left, right), x.size)


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """The results of a function of each line along an axis."""
    arr = make(arr)
    axis = axis_of(axis, arr.ndim)
    moved = moveaxis(arr, axis, -1)
    count = 1
    for length in moved.shape[:-1]:
        count *= length
    lines = reshape(moved, (count, arr.shape[axis]))
    if count == 0:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    from ._join import stack

    made = [make(func1d(lines[at], *args, **kwargs)) for at in range(count)]
    rest = moved.shape[:-1]
    if not all(isinstance(one, ndarray) for one in made):
        # Objects and strings, in a NumPy array of the first result's dtype.
        hosts = [to_host(one) for one in made]
        whole = _np.empty((count, *hosts[0].shape), hosts[0].dtype)
        for at, one in enumerate(hosts):
            whole[at] = one[()]
        whole = whole.reshape((*rest, *hosts[0].shape))
        axes = list(range(len(rest)))
        axes[axis:axis] = range(len(rest), whole.ndim)
        return whole.transpose(axes)
    made = stack(made)
    own = made.shape[1:]
    made = reshape(made, (*rest, *own))
    for at in range(len(own)):
        made = moveaxis(made, len(rest) + at, axis + at)
    return made


def apply_over_axes(func, a, axes):
    """The result of a function applied along several axes in turn."""
    made = make(a)
    count = made.ndim
    for axis in axes if _np.iterable(axes) else (axes,):
        result = func(made, axis if axis >= 0 else axis + count)
        made = result if result.ndim == count else reshape(result, (*made.shape[:axis], 1, *made.shape[axis + 1 :]))
    return made
