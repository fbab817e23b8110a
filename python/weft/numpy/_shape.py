"""Shapes: views, joining, splitting, repeating."""

import operator as _operator

import numpy as _np

from .. import _core
from ._arguments import c_int, c_long, clip_mode, whole_axes, whole_axis
from ._array import MOST_AXES, array_type, cast, copy_mode, from_host, int64, is_held, is_number, make, ndarray, number, result_type, shared, weak, written

broadcast_shapes = _np.broadcast_shapes


def axis_of(axis, ndim):
    """An axis counted from the front."""
    axis = _operator.index(axis)
    if not -ndim <= axis < ndim:
        c_int(axis)
        raise _np.exceptions.AxisError(axis, ndim)
    return axis + ndim if axis < 0 else axis


def axes_of(axis, ndim):
    """Axes counted from the front, each once."""
    axes = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    axes = tuple(axis_of(one, ndim) for one in axes)
    if len(set(axes)) != len(axes):
        raise ValueError("repeated axis")
    return axes


def listed_axes(axis):
    """An axis argument as median and quantiles take it: an array with axes is a list of them."""
    is_array = isinstance(axis, (ndarray, _np.ndarray)) and axis.ndim
    return tuple(axis.tolist()) if is_array else axis


def shape_of(shape):
    """A shape as a tuple."""
    if isinstance(shape, ndarray) or isinstance(shape, _np.ndarray):
        shape = shape.tolist()
    try:
        return (_length(shape),)
    except TypeError:
        return tuple(map(_length, shape))


def _length(value):
    if isinstance(value, (bool, _np.bool_)):
        raise TypeError("an integer is required")
    return _operator.index(value)


def shape(a):
    """Number of elements along each axis."""
    return a.shape if hasattr(a, "shape") else make(a).shape


def ndim(a):
    """Number of axes."""
    return a.ndim if hasattr(a, "ndim") else make(a).ndim


def size(a, axis=None):
    """The number of elements, of the whole array or along axes."""
    a = make(a)
    if axis is None:
        return a.size
    count = 1
    for one in axes_of(axis, a.ndim):
        count *= a.shape[one]
    return count


def reshape(a, /, shape, order="C", *, copy=None):
    """The elements in row-major order with another shape: a view if possible."""
    if order == "C" and copy is None and (made := _core.reshape_plain(a, shape)) is not None:
        return made
    a = make(a)
    if not isinstance(a, ndarray):
        return _np.reshape(a, shape, order)
    if order is not None and not isinstance(order, str):
        raise TypeError(f"order must be str, not {type(order).__name__}")
    shape = list(a.shape if shape is None else shape_of(shape))
    unknown = [at for at, length in enumerate(shape) if length < 0]
    if len(unknown) > 1:
        raise ValueError("can only specify one unknown dimension")
    if unknown:
        rest = 1
        for length in shape:
            rest *= length if length >= 0 else 1
        if rest == 0 or a.size % rest:
            raise ValueError(f"cannot reshape array of size {a.size} into shape {_text(shape)}")
        shape[unknown[0]] = a.size // rest
    count = 1
    for length in shape:
        count *= length
    if count != a.size:
        raise ValueError(f"cannot reshape array of size {a.size} into shape {_text(shape)}")
    order = order.upper() if isinstance(order, str) else "C" if order is None else order
    if len(shape) > MOST_AXES:
        return _np.reshape(shared(a), shape, order)
    if order == "F":
        made = _core.reshape(transpose(a), shape[::-1])
        made = transpose(made)
    elif order in ("C", "A", "K", None):
        made = _core.reshape(a, shape)
    else:
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got '{order}')")
    if copy is not None and copy is not True and copy is not False:
        copy = copy_mode(copy)
    if copy is True and _core.shares_store(made, a):
        return _core.copy(made)
    if copy is False and not _core.shares_store(made, a):
        raise ValueError("Unable to avoid creating a copy while reshaping.")
    return made


def _text(shape):
    return str(tuple(shape)).replace(" ", "")


def ravel(a, order="C"):
    """All elements as a vector: a view if they are contiguous."""
    if order == "C" and (made := _core.ravel_plain(a)) is not None:
        return made
    a = make(a)
    made = reshape(a, -1, order) if a.size else reshape(a, (0,), order)
    is_apart = isinstance(made, ndarray) and (made.strides != (made.itemsize,) or made._is_stepped)
    if is_apart and made.size > 1:
        return _core.copy(made)
    return made


def transpose(a, axes=None):
    """The view with its axes reversed, or in this order."""
    given, a = a, make(a)
    if is_number(given) and not axes:
        return given
    if axes is None:
        return a.T
    axes = tuple(axes.tolist()) if isinstance(axes, (ndarray, _np.ndarray)) and axes.ndim else axes
    axes = (axes,) if hasattr(axes, "__index__") else tuple(axes)
    if len(axes) != a.ndim:
        raise ValueError("axes don't match array")
    return _core.permute(a, axes_of(axes, a.ndim))


permute_dims = transpose


def matrix_transpose(x, /):
    """The view with its last two axes swapped."""
    x = make(x)
    if x.ndim < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {x.ndim}")
    return swapaxes(x, -1, -2)


def swapaxes(a, axis1, axis2):
    """The view with two axes swapped."""
    if (made := _core.swapaxes_plain(a, axis1, axis2)) is not None:
        return made
    a = make(a)
    one, two = axis_of(axis1, a.ndim), axis_of(axis2, a.ndim)
    axes = list(range(a.ndim))
    axes[one], axes[two] = two, one
    return _core.permute(a, axes)


def moveaxis(a, source, destination):
    """The view with axes moved to other positions."""
    a = make(a)
    source, destination = _several(source, a.ndim, "source"), _several(destination, a.ndim, "destination")
    if len(source) != len(destination):
        raise ValueError("`source` and `destination` arguments must have the same number of elements")
    order = [axis for axis in range(a.ndim) if axis not in source]
    for to, of in sorted(zip(destination, source)):
        order.insert(to, of)
    return _core.permute(a, order)


def _several(axis, ndim, name):
    try:
        axes = (_operator.index(axis),)
    except TypeError:
        axes = tuple(axis)
    axes = tuple(strict_axis(one, ndim) for one in axes)
    if len(set(axes)) != len(axes):
        raise ValueError(f"repeated axis in `{name}` argument")
    return axes


def strict_axis(axis, ndim):
    """An axis counted from the front, with NumPy's messages for invalid ones."""
    if not hasattr(axis, "__index__"):
        raise TypeError(f"integer argument expected, got {type(axis).__name__}")
    return axis_of(axis, ndim)


def rollaxis(a, axis, start=0):
    """The view with an axis moved before another one."""
    a = make(a)
    axis = axis_of(axis, a.ndim)
    start = start + a.ndim if start < 0 else start
    if not 0 <= start <= a.ndim:
        raise _np.exceptions.AxisError(f"'start' arg requires {-a.ndim} <= start < {a.ndim + 1}, but {start} was passed in")
    start -= axis < start
    axes = list(range(a.ndim))
    axes.insert(start, axes.pop(axis))
    return _core.permute(a, axes)


def expand_dims(a, axis):
    """The view with axes of length 1 inserted at these positions."""
    if (made := _core.expand_plain(a, axis)) is not None:
        return made
    a = make(a)
    axes = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    total = a.ndim + len(axes)
    axes = axes_of(axes, total)
    lengths = iter(a.shape)
    return _core.reshape(a, [1 if at in axes else next(lengths) for at in range(total)])


def squeeze(a, axis=None):
    """The view without axes of length 1."""
    if axis is None and (made := _core.squeeze_plain(a)) is not None:
        return made
    given, a = a, make(a)
    if axis is None or (a.ndim == 0 and not isinstance(axis, (tuple, list)) and whole_axis(axis) in (0, -1)):
        axes = tuple(at for at, length in enumerate(a.shape) if length == 1)
    else:
        axes = axes_of(whole_axes(axis), a.ndim)
        if any(a.shape[one] != 1 for one in axes):
            raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    if not axes:
        return given if is_number(given) else a
    return _core.view(a, tuple(0 if at in axes else slice(None) for at in range(a.ndim)))


def broadcast_to(array, shape, subok=False):
    """A read-only view, broadcast to a shape."""
    array = make(array)
    shape = shape_of(shape)
    if any(length < 0 for length in shape):
        raise ValueError("all elements of broadcast shape must be non-negative")
    try:
        fits = _np.broadcast_shapes(array.shape, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(
            "operands could not be broadcast together with remapped shapes [original->remapped]: "
            f"{_text(array.shape)}  and requested shape {_text(shape)}"
        )
    return _core.broadcast_to(array, shape)


def broadcast_arrays(*args, subok=False):
    """Arrays, broadcast to a common shape."""
    arrays = [make(one) for one in args]
    arrays = [_core.as_array(one) if isinstance(one, number) else one for one in arrays]
    shape = _np.broadcast_shapes(*(one.shape for one in arrays))
    # Elements that Weft cannot hold, such as strings, stay NumPy's.
    return tuple(
        one if one.shape == shape else (_core if isinstance(one, ndarray) else _np).broadcast_to(one, shape) for one in arrays
    )


def _at_least(count, arrays, place):
    made = []
    for one in arrays:
        one = make(one)
        made.append(place(one) if one.ndim < count else one)
    return made[0] if len(made) == 1 else tuple(made)


def atleast_1d(*arys):
    """Arrays with at least one axis."""
    return _at_least(1, arys, lambda one: reshape(one, (1,)))


def atleast_2d(*arys):
    """Arrays with at least two axes."""
    return _at_least(2, arys, lambda one: reshape(one, (1,) * (2 - one.ndim) + one.shape))


def atleast_3d(*arys):
    """Arrays with at least three axes."""

    def place(one):
        if one.ndim == 2:
            return one[:, :, None]
        return reshape(one, (1, one.size, 1))

    return _at_least(3, arys, place)


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


row_stack = vstack


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


def flip(m, axis=None):
    """The view, reversed along axes."""
    if (made := _core.flip_plain(m, axis)) is not None:
        return made
    m = make(m)
    if m.ndim == 0 and (axis is None or axis == ()):
        return m[()]
    axes = range(m.ndim) if axis is None else _several(axis, m.ndim, "axis")
    return _core.view(m, tuple(slice(None, None, -1) if at in axes else slice(None) for at in range(m.ndim)))


def flipud(m):
    """The view, reversed along the first axis."""
    if (made := _core.flip_plain(m, 0)) is not None:
        return made
    if ndim(m) < 1:
        raise ValueError("Input must be >= 1-d.")
    return flip(m, 0)


def fliplr(m):
    """The view, reversed along the second axis."""
    if (made := _core.flip_plain(m, 1)) is not None:
        return made
    if ndim(m) < 2:
        raise ValueError("Input must be >= 2-d.")
    return flip(m, 1)


def rot90(m, k=1, axes=(0, 1)):
    """The view, rotated by multiples of 90 degrees in the plane of two axes."""
    m = make(m)
    axes = tuple(axes)
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    if axes[0] == axes[1] or abs(axes[0] - axes[1]) == m.ndim:
        raise ValueError("Axes must be different.")
    if not all(-m.ndim <= axis < m.ndim for axis in axes):
        raise ValueError(f"Axes={axes} out of range for array of ndim={m.ndim}.")
    k %= 4
    if k == 0:
        return m[:]
    if k == 2:
        return flip(flip(m, axes[0]), axes[1])
    if k == 1:
        return swapaxes(flip(m, axes[1]), *axes)
    return flip(swapaxes(m, *axes), axes[1])


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


def take(a, indices, axis=None, out=None, mode="raise"):
    """The elements at indices along an axis, or among all elements."""
    if out is None and mode == "raise" and (made := _core.take_plain(a, indices, axis)) is not None:
        return made
    a = make(a)
    if axis in (None, 0) and mode == "raise" and out is None and isinstance(a, ndarray) and isinstance(indices, ndarray):
        if a.ndim == 1 and a.size and indices.ndim and indices.size and indices.dtype.kind in "iu":
            return a[indices]
    if axis is not None and a.ndim == 0:
        # NumPy treats a value without axes as a vector of length 1.
        axis = axis_of(whole_axis(axis), 1)
        a = ravel(a)
    if axis is None:
        a, axis = ravel(a), 0
    mode = clip_mode(mode)
    axis = axis_of(whole_axis(axis), a.ndim)
    length = a.shape[axis]
    if isinstance(indices, number) and indices.dtype.kind not in "iu":
        # NumPy casts a scalar to an index.
        indices = _core.known_number(indices)
    if not isinstance(indices, (ndarray, _np.ndarray)):
        indices = _np.asarray(indices, _np.int64)
    elif indices.dtype.kind == "b":
        indices = written(indices, int64)
    if indices.dtype.kind not in "iu":
        raise TypeError(f"Cannot cast array data from {indices.dtype!r} to dtype('int64') according to the rule 'safe'")
    is_empty = 0 in a.shape[:axis] or 0 in a.shape[axis + 1 :]
    if length == 0 and indices.size and (mode == "raise" or not is_empty):
        raise IndexError("cannot do a non-empty take from an empty axes.")
    if is_empty and (0 in a.shape[:axis] or length == 0):
        # No index is used.
        made = _core.full((*a.shape[:axis], *indices.shape, *a.shape[axis + 1 :]), 0, a.dtype)
    else:
        if mode == "clip":
            indices = _np_clip(make(indices), length)
        elif mode == "wrap":
            indices = cast(make(indices), int64) % length
        made = a[(*(slice(None),) * axis, indices)]
    if out is None:
        return made
    from ._reduce import check_out, deliver_back

    check_out(out)
    if out.shape != made.shape:
        raise ValueError("output array does not match result of ndarray.take")
    return deliver_back(made, out)


def _np_clip(indices, length):
    low = _core.select(indices < 0, 0, indices, int64)
    return _core.select(low >= length, length - 1, low, int64)


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


def diagonal(a, offset=0, axis1=0, axis2=1):
    """The view of a diagonal, as the last axis."""
    if axis1 == 0 and axis2 == 1 and (made := _core.diagonal_plain(a, offset)) is not None:
        return made
    a, offset = make(a), c_int(offset)
    if a.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    one, two = axis_of(axis1, a.ndim), axis_of(axis2, a.ndim)
    if one == two:
        raise ValueError("axis1 and axis2 cannot be the same")
    made = _core.diagonal(_core.permute(a, [one, two, *(at for at in range(a.ndim) if at not in (one, two))]), offset)
    made._set_writeable(False)
    return made


def diag(v, k=0):
    """A diagonal, or the matrix with this diagonal."""
    v = make(v)
    if v.ndim == 2:
        return diagonal(v, k)
    if v.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    k = _operator.index(k)
    side = v.size + abs(k)
    if side * side * v.itemsize >= 2**63:
        raise ValueError("array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size")
    made = _core.full((side, side), 0, v.dtype)
    if v.size:
        _core.assign(_core.diagonal(made, k), v)
    return made


def diagflat(v, k=0):
    """The matrix with all elements on a diagonal."""
    return diag(ravel(v), k)


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


def trim_zeros(filt, trim="fb", axis=None):
    """An array without the zeros at its ends; a list of a list."""
    trim = trim.lower()
    if trim not in {"fb", "bf", "f", "b"}:
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    host = _np.asarray(filt)
    axes = tuple(range(host.ndim)) if axis is None else axes_of(axis, host.ndim)
    if not axes:
        return filt
    key = [slice(None)] * host.ndim
    for at, found in enumerate(_np.nonzero(host)):
        if at in axes:
            start = (int(found.min()) if "f" in trim else None) if found.size else 0
            end = (int(found.max()) + 1 if "b" in trim else None) if found.size else 0
            key[at] = slice(start, end)
    return filt[key[0]] if len(key) == 1 else filt[tuple(key)]
