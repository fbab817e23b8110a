"""Arrays with borders."""

import numpy as _np

from .. import _core
from . import _fallback, _reduce
from ._array import cast, from_host, make, ndarray
from ._create import linspace
from ._join import concatenate
from ._shape import flip, moveaxis, take

_KEYWORDS = {
    "empty": (), "edge": (), "wrap": (), "constant": ("constant_values",), "linear_ramp": ("end_values",),
    "maximum": ("stat_length",), "mean": ("stat_length",), "median": ("stat_length",), "minimum": ("stat_length",),
    "reflect": ("reflect_type",), "symmetric": ("reflect_type",),
}  # fmt: skip


def _widths(pad_width, ndim):
    """The number of elements before and after along each axis."""
    if isinstance(pad_width, dict):
        pairs = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            pairs[axis] = (width, width) if isinstance(width, int) else tuple(width)
        pad_width = pairs
    widths = _np.asarray(pad_width)
    if widths.dtype.kind != "i":
        raise _fallback.Refused("`pad_width` must be of integral type.")
    if (widths < 0).any():
        raise ValueError("index can't contain negative values")
    return _np.broadcast_to(widths, (ndim, 2)).tolist()


def _pairs(values, ndim):
    return _np.broadcast_to(_np.asarray(values), (ndim, 2))


def _part(array, axis, *bounds):
    return array[(*(slice(None),) * axis, slice(*bounds))]


def _bordered(array, axis, before, after):
    """The array between borders, each of which may be missing."""
    parts = [one if one is array else cast(one, array.dtype) for one in (before, array, after) if one is not None]
    return concatenate(parts, axis) if len(parts) > 1 else array


def _filled(array, axis, width, value):
    """A border of one value, or of one for each line."""
    shape = list(array.shape)
    shape[axis] = width
    if width == 0:
        return None
    if isinstance(value, ndarray):
        return _core.broadcast_to(value, shape)
    # An assignment raises an error if a scalar does not fit.
    single = _np.empty(1, array.dtype)
    single[:] = _np.asarray(value)[()]
    return _core.full(shape, single[0], array.dtype)


def _statistic(mode, part, axis, dtype):
    if mode == "median":
        from ._sort import median

        made = median(part, axis, keepdims=True)
    else:
        name = {"maximum": "max", "minimum": "min", "mean": "mean"}[mode]
        made = getattr(_reduce, name)(part, axis, keepdims=True)
    if dtype.kind in "iu" and made.dtype.kind == "f":
        from ._ufunc import get

        made = get("rint")(made)
    return cast(made, dtype)


def _with_statistics(array, axis, before, after, mode, lengths):
    length = array.shape[axis]
    counts = [length if one is None or one > length else int(one) for one in lengths]
    if mode in ("maximum", "minimum") and 0 in counts:
        raise ValueError("stat_length of 0 yields no value for padding")
    left = _statistic(mode, _part(array, axis, counts[0]), axis, array.dtype)
    right = left
    if counts != [length, length]:
        right = _statistic(mode, _part(array, axis, length - counts[1], None), axis, array.dtype)
    return _bordered(array, axis, _filled(array, axis, before, left), _filled(array, axis, after, right))


def _ramped(array, axis, before, after, ends):
    sides = []
    for width, end, edge in zip((before, after), ends, ((0, 1), (-1, None))):
        if width == 0:
            sides.append(None)
            continue
        value = _part(array, axis, *edge)[(*(slice(None),) * axis, 0)]
        made = linspace(_np.asarray(end), value, width, endpoint=False, dtype=array.dtype, axis=axis)
        sides.append(made)
    left, right = sides
    return _bordered(array, axis, left, None if right is None else flip(right, axis))


def _odd(array, axis, before, after, has_edge):
    """Reflected at the edges, in place and in value."""
    original = array.shape[axis]
    while before or after:
        length = array.shape[axis]
        # The reflected part is a whole number of copies of the original.
        if has_edge:
            length = length // original * original
        else:
            length = (length - 1) // (original - 1) * (original - 1)
        left, right = min(before, length), min(after, length)
        skipped = 0 if has_edge else 1
        parts = [None, None]
        if left:
            parts[0] = 2 * _part(array, axis, 0, 1) - flip(_part(array, axis, skipped, skipped + left), axis)
        size = array.shape[axis]
        if right:
            parts[1] = 2 * _part(array, axis, size - 1, None) - flip(_part(array, axis, size - skipped - right, size - skipped), axis)
        array = _bordered(array, axis, *parts)
        before, after = before - left, after - right
    return array


def _by_function(array, widths, function, kwargs):
    for axis, (before, after) in enumerate(widths):
        array = _bordered(array, axis, _filled(array, axis, before, 0), _filled(array, axis, after, 0))
    array = _core.copy(array)
    for axis, pair in enumerate(widths):
        lines = moveaxis(array, axis, -1)
        for at in _np.ndindex(*lines.shape[:-1]):
            function(lines[at], tuple(pair), axis, kwargs)
    return array


def pad(array, pad_width, mode="constant", **kwargs):
    """The array with borders."""
    if not kwargs and (made := _core.pad_plain(array, pad_width, mode)) is not None:
        return made
    array = make(array)
    if not isinstance(array, ndarray):
        return _np.pad(array, pad_width, mode, **kwargs)
    widths = _widths(pad_width, array.ndim)
    if callable(mode):
        return _by_function(array, widths, mode, kwargs)
    if mode not in _KEYWORDS:
        raise ValueError(f"mode '{mode}' is not supported")
    unknown = set(kwargs) - set(_KEYWORDS[mode])
    if unknown:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unknown}")
    if array.size == 0 and mode not in ("constant", "empty"):
        for axis, pair in enumerate(widths):
            if array.shape[axis] == 0 and any(pair):
                raise ValueError(f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'")
    values = _pairs(kwargs.get("constant_values", 0), array.ndim)
    ends = _pairs(kwargs.get("end_values", 0), array.ndim)
    lengths = _pairs(kwargs.get("stat_length", None), array.ndim)
    if any(one is not None and one < 0 for one in lengths.flat):
        raise ValueError("index can't contain negative values")
    is_odd = kwargs.get("reflect_type", "even") == "odd"
    made = array
    for axis, (before, after) in enumerate(widths):
        length = array.shape[axis]
        if before == after == 0:
            continue
        if mode in ("constant", "empty"):
            sides = (_filled(made, axis, width, value) for width, value in zip((before, after), values[axis]))
            made = _bordered(made, axis, *sides)
        elif mode in ("maximum", "minimum", "mean", "median"):
            made = _with_statistics(made, axis, before, after, mode, lengths[axis])
        elif mode == "linear_ramp":
            made = _ramped(made, axis, before, after, ends[axis])
        elif is_odd and length > 1:
            made = _odd(made, axis, before, after, mode == "symmetric")
        else:
            # Positions are named by indices, which are padded instead of the array.
            places = _np.pad(_np.arange(length), (before, after), mode=mode)
            made = take(made, from_host(places), axis)
    return _core.copy(made) if made is array else made
