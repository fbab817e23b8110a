"""Shapes, and views of other shapes."""

import operator as _operator

import numpy as _np

from .. import _core
from ._arguments import c_int, clip_mode, whole_axes, whole_axis
from ._array import MOST_AXES, cast, copy_mode, elements, int64, is_number, make, ndarray, number, shared, written

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


def take(a, indices, axis=None, out=None, mode="raise"):
    """The elements at indices along an axis, or among all elements."""
    if out is None and mode == "raise" and (made := _core.take_plain(a, indices, axis)) is not None:
        return made
    a, indices = make(a), elements(indices)
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
