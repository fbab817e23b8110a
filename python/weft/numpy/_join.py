"""Joining, splitting and repeating arrays."""

import operator as _operator

import numpy as _np

from .. import _core
from ._arguments import c_long, whole_axis
from ._array import array_type, cast, from_host, is_held, make, ndarray, number, result_type, weak, written
from ._shape import atleast_1d, atleast_2d, atleast_3d, axis_of, broadcast_to, expand_dims, moveaxis, ndim, ravel, reshape, shape, shape_of, take


def _sequence(arrays):
    if not hasattr(arrays, "__getitem__"):
        raise TypeError('arrays to stack must be passed as a "sequence" type such as list or tuple.')
    if isinstance(arrays, ndarray):
        return [arrays[at] for at in range(len(arrays))]
    return list(arrays)


def _joined(arrays, dtype, casting):
    """Arrays of one dtype."""
    arrays = [one if isinstance(one, ndarray) else make(one) for one in _sequence(arrays)]
    if not arrays:
        raise ValueError("need at least one array to concatenate")
    common = result_type(*arrays) if dtype is None else _np.dtype(dtype)
    for one in arrays:
        if not _np.can_cast(one.dtype, common, casting):
            raise TypeError(
                f"Cannot cast array data from {one.dtype!r} to {common!r} according to the rule '{casting}'"
            )
    return [one if one.dtype == common else cast(one, common) for one in arrays]


def concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Joins arrays along an existing axis."""
    is_plain = out is None and dtype is None and casting == "same_kind" and type(axis) is int and axis >= 0
    if is_plain and (made := _core.joined(arrays, axis)) is not None:
        return made
    if out is not None and dtype is not None:
        raise TypeError("concatenate() only takes `out` or `dtype` as an argument, but both were provided.")
    most = _np.iinfo(_np.intc).max
    if isinstance(arrays, (list, tuple)) and len(arrays) > most:
        raise ValueError(f"concatenate() only supports up to {most} arrays but got {len(arrays)}.")
    if out is not None and not isinstance(out, (ndarray, _np.ndarray)):
        raise TypeError("'out' must be an array")
    wanted = dtype if out is None else out.dtype
    if axis is None and wanted is None:
        # Python's numbers yield to the dtype of the others here.
        arrays = list(_sequence(arrays))
        if any(map(weak, arrays)) and not all(map(weak, arrays)):
            common = result_type(*(one if weak(one) else make(one) for one in arrays))
            arrays = [written(one, common) if weak(one) else one for one in arrays] if is_held(common) else arrays
    arrays = _joined(arrays, wanted, casting)
    if axis is None:
        arrays, axis = [ravel(one) for one in arrays], 0
    if arrays[0].ndim == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    axis = axis_of(whole_axis(axis), arrays[0].ndim)
    for at, one in enumerate(arrays):
        if one.ndim != arrays[0].ndim:
            raise ValueError(
                "all the input array dimensions except for the concatenation axis must match exactly, but along dimension 0, "
                f"the array at index 0 has {arrays[0].ndim} dimension(s) and the array at index {at} has {one.ndim} dimension(s)"
            )
        for dim, (left, right) in enumerate(zip(arrays[0].shape, one.shape)):
            if dim != axis and left != right:
                raise ValueError(
                    "all the input array dimensions except for the concatenation axis must match exactly, "
                    f"but along dimension {dim}, the array at index 0 has size {left} and the array at index {at} has size {right}"
                )
    made = _core.concatenate(arrays, axis)
    if out is None:
        return made
    if out.shape != made.shape:
        raise ValueError("Output array is the wrong shape")
    out[...] = made
    return out


concat = concatenate


def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Joins arrays along a new axis."""
    is_plain = out is None and dtype is None and casting == "same_kind"
    if is_plain and (made := _core.stack_plain(arrays, axis)) is not None:
        return made
    arrays = [make(one) for one in _sequence(arrays)]
    if not arrays:
        raise ValueError("need at least one array to stack")
    if len({one.shape for one in arrays}) != 1:
        raise ValueError("all input arrays must have the same shape")
    axis = axis_of(axis, arrays[0].ndim + 1)
    return concatenate([expand_dims(one, axis) for one in arrays], axis, out, dtype=dtype, casting=casting)


def _listed(made):
    return list(made) if isinstance(made, (tuple, list)) else [made]


def _first_ndim(arrays):
    """The number of axes of the first of several arrays in a list or tuple; 0 for other objects."""
    if type(arrays) in (list, tuple) and arrays and type(arrays[0]) is array_type:
        return arrays[0].ndim
    return 0


def vstack(tup, *, dtype=None, casting="same_kind"):
    """Joins arrays vertically."""
    if (ndim_first := _first_ndim(tup)) and dtype is None and casting == "same_kind":
        made = _core.stack_plain(tup, 0) if ndim_first == 1 else _core.joined(tup, 0)
        if made is not None:
            return made
    return concatenate(_listed(atleast_2d(*_sequence(tup))), 0, dtype=dtype, casting=casting)


row_stack = vstack


def hstack(tup, *, dtype=None, casting="same_kind"):
    """Joins arrays horizontally."""
    if (ndim_first := _first_ndim(tup)) and dtype is None and casting == "same_kind":
        if (made := _core.joined(tup, 0 if ndim_first == 1 else 1)) is not None:
            return made
    arrays = _listed(atleast_1d(*_sequence(tup)))
    return concatenate(arrays, 0 if arrays and arrays[0].ndim == 1 else 1, dtype=dtype, casting=casting)


def dstack(tup):
    """Joins arrays along the third axis."""
    return concatenate(_listed(atleast_3d(*_sequence(tup))), 2)


def column_stack(tup):
    """Vectors as the columns of a matrix."""
    if (ndim_first := _first_ndim(tup)) and ndim_first < 3:
        made = _core.stack_plain(tup, 1) if ndim_first == 1 else _core.joined(tup, 1)
        if made is not None:
            return made
    arrays = [make(one) for one in _sequence(tup)]
    return concatenate([one if one.ndim > 1 else atleast_2d(one).T for one in arrays], 1)


def block(arrays):
    """Assembles an array from nested lists of blocks."""
    if (made := _core.block_plain(arrays)) is not None:
        return made

    def depth(nested):
        if isinstance(nested, tuple):
            raise TypeError("arrays is a tuple. Only lists can be used to arrange blocks.")
        if not isinstance(nested, list):
            return 0
        depths = {depth(one) for one in nested}
        if len(depths) > 1:
            raise ValueError("List depths are mismatched: some elements of a list are lists of blocks, others are arrays or deeper lists.")
        return 1 + max(depths, default=0)

    def most(nested):
        return max(most(one) for one in nested) if isinstance(nested, list) else ndim(nested)

    levels = depth(arrays)
    axes = max(levels, most(arrays))

    def join(nested, level):
        if isinstance(nested, list):
            if not nested:
                raise ValueError("List at arrays cannot be empty")
            return concatenate([join(one, level + 1) for one in nested], -(levels - level))
        one = make(nested)
        return reshape(one, (1,) * (axes - one.ndim) + one.shape)

    made = join(arrays, 0)
    return made if levels else _core.copy(made)


def append(arr, values, axis=None):
    """An array with values appended."""
    if axis is None:
        is_plain = type(arr) is type(values) is array_type and arr.ndim == 1
        if is_plain and (made := _core.joined((arr, values), 0)) is not None:
            return made
        return concatenate((ravel(arr), ravel(values)))
    return concatenate((arr, values), axis)


def array_split(ary, indices_or_sections, axis=0):
    """Splits an array into parts of nearly equal length."""
    if not hasattr(ary, "shape"):
        # NumPy calls `len` on lists only.
        len(ary)
    ary = make(ary)
    axis = axis_of(axis, ary.ndim)
    total = ary.shape[axis]
    try:
        places = list(indices_or_sections)
    except TypeError:
        parts = int(indices_or_sections)
        if parts <= 0:
            raise ValueError("number sections must be larger than 0.") from None
        each, more = divmod(total, parts)
        places = [at * each + min(at, more) for at in range(1, parts)]
    places = [place if place is None else _operator.index(place) for place in places]
    bounds = [None, *places, None]
    whole = (slice(None),) * axis
    return [ary[(*whole, slice(start, end))] for start, end in zip(bounds, bounds[1:])]


def split(ary, indices_or_sections, axis=0):
    """Splits an array; into parts of equal length if their number is given."""
    ary = make(ary)
    try:
        len(indices_or_sections)
    except TypeError:
        if ary.shape[axis_of(axis, ary.ndim)] % indices_or_sections:
            raise ValueError("array split does not result in an equal division") from None
    return array_split(ary, indices_or_sections, axis)


def vsplit(ary, indices_or_sections):
    """Splits an array along the first axis."""
    if ndim(ary) < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


def hsplit(ary, indices_or_sections):
    """Splits an array along the second axis, or a vector."""
    if ndim(ary) == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(ary, indices_or_sections, 1 if ndim(ary) > 1 else 0)


def dsplit(ary, indices_or_sections):
    """Splits an array along the third axis."""
    if ndim(ary) < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)


def unstack(x, /, *, axis=0):
    """Splits an array along an axis, and removes that axis."""
    x = make(x)
    if x.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    moved = moveaxis(x, axis, 0)
    return tuple(moved[at] for at in range(moved.shape[0]))


def _repetitions(reps):
    """Repetition counts; NumPy only compares those that are 1."""
    if isinstance(reps, (ndarray, _np.ndarray)):
        reps = reps.tolist()
    try:
        reps = tuple(reps)
    except TypeError:
        reps = (reps,)
    if all(not isinstance(one, (str, bytes)) and one is not None and one == 1 for one in reps):
        return (1,) * len(reps)
    if any(isinstance(one, (str, bytes)) for one in reps):
        raise ValueError("a number of repetitions is an integer")
    return tuple(map(c_long, reps))


def tile(A, reps):
    """The array repeated along each axis."""
    if (made := _core.tile_plain(A, reps)) is not None:
        return made
    A = make(A)
    reps = _repetitions(reps)
    reps = (1,) * (A.ndim - len(reps)) + reps
    lengths = (1,) * (len(reps) - A.ndim) + A.shape
    if any(one * length < 0 for one, length in zip(reps, lengths)):
        raise ValueError("negative dimensions are not allowed")
    if all(one == 1 for one in reps):
        return reshape(_core.copy(A), lengths)
    shape = [one * length for one, length in zip(reps, lengths)]
    if 0 in shape:
        return _core.full(shape, 0, A.dtype)
    if len(reps) + sum(one > 1 for one in reps) > 8:
        # Arrays have at most 8 axes, so axes are repeated one by one.
        made = reshape(A, lengths)
        for at, one in enumerate(reps):
            made = _core.concatenate([made] * one, at)
        return made
    pairs = [value for one, length in zip(reps, lengths) for value in ((one, length) if one > 1 else (length,))]
    spread = reshape(A, [value for one, length in zip(reps, lengths) for value in ((1, length) if one > 1 else (length,))])
    return reshape(_core.copy(_core.broadcast_to(spread, pairs)), shape)


def repeat(a, repeats, axis=None):
    """Each element repeated."""
    if (made := _core.repeat_plain(a, repeats, axis)) is not None:
        return made
    a = make(a)
    if axis is None:
        a, axis = ravel(a), 0
    # NumPy treats an array without axes as a line of one element.
    a = a if a.ndim else reshape(a, (1,))
    axis = axis_of(whole_axis(axis), a.ndim)
    # NumPy converts numbers and lists, but rejects arrays that cannot be cast safely.
    repeats = _core.known_number(repeats) if isinstance(repeats, number) else repeats
    is_array = isinstance(repeats, (ndarray, _np.ndarray))
    repeats = _np.asarray(repeats) if is_array else _np.array(repeats, _np.int64, ndmax=1)
    if not _np.can_cast(repeats.dtype, _np.int64):
        raise TypeError(f"Cannot cast array data from {repeats.dtype!r} to dtype('int64') according to the rule 'safe'")
    if repeats.size == 1:
        count = int(repeats.reshape(-1)[0])
        if count < 0:
            if a.shape[axis]:
                raise ValueError("negative dimensions are not allowed")
            count = 0
        grown = expand_dims(a, axis + 1)
        lengths = list(grown.shape)
        lengths[axis + 1] = count
        whole = _core.copy(_core.broadcast_to(grown, lengths))
        lengths[axis : axis + 2] = [a.shape[axis] * count]
        return reshape(whole, lengths)
    if repeats.ndim != 1 or repeats.size != a.shape[axis]:
        raise ValueError(
            f"operands could not be broadcast together with shape ({a.shape[axis]},) ({repeats.size},)"
        )
    if (repeats < 0).any():
        raise ValueError("repeats may not contain negative values.")
    return take(a, from_host(_np.repeat(_np.arange(repeats.size), repeats)), axis)


def _lined(given):
    """The elements of a sequence or an array of one axis; a number as the only element."""
    if isinstance(given, (ndarray, _np.ndarray)):
        if given.ndim > 1:
            raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
        return given.reshape(-1).tolist()
    return given if isinstance(given, (tuple, list)) else (given,)


def roll(a, shift, axis=None):
    """Elements rolled along axes."""
    a = make(a)
    if axis is None and a.ndim != 1:
        return reshape(roll(ravel(a), shift, 0), a.shape)
    if axis is None:
        axis = 0
    if isinstance(a, ndarray) and type(shift) is int and type(axis) is int and -a.ndim <= axis < a.ndim:
        places = [0] * a.ndim
        places[axis] = shift % a.shape[axis] if a.shape[axis] else 0
        return _core.roll(a, places)
    shifts, axes = _lined(shift), _lined(axis)
    count = max(len(shifts), len(axes)) if shifts and axes else 0
    if any(len(one) not in (1, count) for one in (shifts, axes)):
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    shifts = list(shifts) * (count if len(shifts) == 1 else 1)
    axes = list(axes) * (count if len(axes) == 1 else 1)
    places = [0] * a.ndim
    for by, of in zip(shifts, axes):
        of = axis_of(of, a.ndim)
        by = int(by)
        places[of] = (places[of] + by) % a.shape[of] if a.shape[of] else 0
    return _core.roll(a, places)


def insert(arr, obj, values, axis=None):
    """An array with values inserted before the given indices."""
    if (made := _core.insert_plain(arr, obj, values, axis)) is not None:
        return made
    arr = make(arr)
    if axis is None:
        arr, axis = ravel(arr), 0
    axis = axis_of(axis, arr.ndim)
    length = arr.shape[axis]
    places = _np.arange(length)[obj] if isinstance(obj, slice) else _np.asarray(obj)
    if places.dtype.kind == "b":
        if places.ndim != 1:
            raise ValueError("boolean array argument obj to insert must be one dimensional")
        places = _np.flatnonzero(places)
    elif places.ndim > 1:
        raise ValueError("index array argument obj to insert must be one dimensional or scalar")
    if places.size == 0 and not isinstance(obj, (ndarray, _np.ndarray)):
        places = places.astype(_np.int64)
    if places.dtype.kind not in "iu":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    single = places.ndim == 0
    values = written(values, arr.dtype)
    places = places.astype(_np.int64)
    wrong = (places < -length) | (places > length)
    if wrong.any():
        raise IndexError(f"index {places[wrong][0]} is out of bounds for axis {axis} with size {length}")
    while values.ndim > arr.ndim and values.shape[0] == 1:
        # As in an assignment: leading axes of length 1 do not count.
        values = reshape(values, values.shape[1:])
    if places.size == 1:
        # All values are inserted at the one place.
        values = reshape(values, (1,) * (arr.ndim - values.ndim) + values.shape)
        values = moveaxis(values, 0, axis) if single else values
        places = _np.repeat(_np.atleast_1d(places), values.shape[axis])
    places = _np.where(places < 0, places + length, places)
    shape = list(arr.shape)
    shape[axis] = len(places)
    values = broadcast_to(values, shape)
    order = _np.argsort(_np.concatenate([_np.arange(length) * 2 + 1, places * 2]), kind="stable")
    return take(_core.concatenate([arr, _core.copy(values)], axis), from_host(order), axis)


def delete(arr, obj, axis=None):
    """An array without the elements at the given indices."""
    if (made := _core.delete_plain(arr, obj, axis)) is not None:
        return made
    arr = make(arr)
    if axis is None:
        arr, axis = ravel(arr), 0
    axis = axis_of(axis, arr.ndim)
    kept = _np.delete(_np.arange(arr.shape[axis]), obj if isinstance(obj, (slice, list, tuple)) else _np.asarray(obj))
    return take(arr, from_host(kept), axis)


def resize(a, new_shape):
    """The elements in another shape, repeated as needed."""
    a = ravel(a)
    new_shape = shape_of(new_shape)
    total = 1
    for length in new_shape:
        if length < 0:
            raise ValueError("all elements of `new_shape` must be non-negative")
        total *= length
    if a.size == 0 or total == 0:
        return _core.full(new_shape, 0, a.dtype)
    return reshape(tile(a, -(-total // a.size))[:total], new_shape)
