"""Indexing with arrays and masks, by NumPy's rules; basic indexing is done in Rust."""

import operator as _operator

import numpy as _np

from .. import _core
from . import _caller
from ._array import DTYPES, cast, elements, holds_arrays, int64, is_guest, make, ndarray, number, to_host, written

_ERROR = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid indices"
)


#: NumPy's own classes of numbers, except booleans, which have no class derived from theirs.
_SCALARS = frozenset(dtype.type for dtype in DTYPES if dtype.kind != "b")


class _Number:
    """An integer in a key that also has arrays."""

    def __init__(self, value):
        self.value = value


def _known(item):
    """The array of another library or a subclass, such as a tensor or a labelled vector, as a plain one of NumPy's."""
    is_other = not isinstance(item, (ndarray, _np.ndarray, _np.generic, type)) and hasattr(item, "__array__")
    return _np.asarray(item) if is_other or is_guest(item) else item


def _entry(item):
    """An entry of a key: a slice, `None`, an ellipsis, a number or an array."""
    if item is None or item is Ellipsis or isinstance(item, slice):
        return item
    item = _known(item)
    if isinstance(item, number) and item.dtype == _np.uint64:
        # A large integer would be negative as a signed integer of 64 bits.
        item = int(item)
        if item >= 2**63:
            raise OverflowError(f"cannot fit {item} into an index")
    if isinstance(item, (bool, _np.bool_)):
        return make(_np.asarray(bool(item)))
    if isinstance(item, ndarray):
        if item.dtype.kind not in "bui":
            raise IndexError("arrays used as indices must be of integer (or boolean) type")
        return item
    if not isinstance(item, (list, tuple, _np.ndarray)) or isinstance(item, _np.generic):
        try:
            return _Number(_operator.index(item))
        except TypeError:
            raise IndexError(_ERROR) from None
    host = item if isinstance(item, _np.ndarray) else None
    if host is None:
        made = make(item)
        host = made if isinstance(made, _np.ndarray) else None
        if isinstance(made, ndarray):
            if made.size == 0 and made.dtype.kind == "f":
                return cast(made, int64)
            if made.dtype.kind not in "bui":
                raise IndexError(_ERROR)
            host = _np.asarray(item) if not _has_arrays(item) else None
            if host is None:
                return made
    if host.dtype.kind not in "bui":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    return host


def _has_arrays(items):
    return any(isinstance(item, ndarray) or (isinstance(item, (list, tuple)) and _has_arrays(item)) for item in items)


def _checked(view, axes, indices):
    """The arrays of indices. Like NumPy, checks arrays with known values now; checks all arrays if no later code does.

    Nothing is checked if the arrays together name no place.
    """
    is_empty = any(index.size == 0 for index in indices)
    is_read = 0 in view.shape and not is_empty
    made = []
    for axis, index in zip(axes, indices):
        if isinstance(index, ndarray) and is_read:
            index = to_host(index)
        if isinstance(index, ndarray):
            made.append(index if index.dtype != _np.uint64 else cast(index, int64))
            continue
        length = view.shape[axis]
        if index.size and not is_empty:
            low, high = int(index.min()), int(index.max())
            wrong = low if low < -length else high if high >= length else None
            if wrong is not None:
                raise IndexError(f"index {wrong} is out of bounds for axis {axis} with size {length}")
        made.append(make(index.astype(_np.int64)))
    return made


def plan(array, key):
    """A view of the array, and which of its axes are indexed by which arrays."""
    items = list(key) if isinstance(key, tuple) else [key]
    entries = [_entry(item) for item in items]
    if sum(entry is Ellipsis for entry in entries) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    used = 0
    for entry in entries:
        if entry is None or entry is Ellipsis:
            continue
        used += entry.ndim if isinstance(entry, (ndarray, _np.ndarray)) and entry.dtype.kind == "b" else 1
    if used > array.ndim:
        raise IndexError(
            f"too many indices for array: array is {array.ndim}-dimensional, but {used} were indexed"
        )
    if Ellipsis not in [entry if entry is Ellipsis else None for entry in entries]:
        entries.append(Ellipsis)
    basic, axes, indices = [], [], []
    of = 0
    at = 0
    # The number of axes indexed by arrays before an ellipsis that covers none.
    before = 0
    for entry in entries:
        if entry is None:
            basic.append(None)
            at += 1
        elif entry is Ellipsis:
            rest = array.ndim - used
            before = len(axes) if rest == 0 else 0
            basic.extend([slice(None)] * rest)
            of, at = of + rest, at + rest
        elif isinstance(entry, slice):
            basic.append(entry)
            of, at = of + 1, at + 1
        elif isinstance(entry, _Number):
            length = array.shape[of]
            if not -length <= entry.value < length:
                raise IndexError(f"index {entry.value} is out of bounds for axis {of} with size {length}")
            basic.append(slice(None))
            axes.append(at)
            indices.append(_np.asarray(entry.value))
            of, at = of + 1, at + 1
        elif entry.dtype.kind == "b":
            if entry.ndim == 0:
                basic.append(None)
                axes.append(at)
                indices.append(_np.zeros(1 if bool(entry) else 0, _np.int64))
                at += 1
                continue
            for axis, length in enumerate(entry.shape):
                # NumPy accepts a mask without elements.
                if length not in (0, array.shape[of + axis]):
                    raise IndexError(
                        "boolean index did not match indexed array along axis "
                        f"{of + axis}; size of axis is {array.shape[of + axis]} but size of corresponding boolean axis is {length}"
                    )
            found = _core.nonzero(make(entry))
            for one in found:
                basic.append(slice(None))
                axes.append(at)
                indices.append(one)
                of, at = of + 1, at + 1
        else:
            basic.append(slice(None))
            axes.append(at)
            indices.append(entry)
            of, at = of + 1, at + 1
    view = _core.view(array, tuple(basic))
    try:
        _np.broadcast_shapes(*(index.shape for index in indices))
    except ValueError:
        shapes = " ".join(str(index.shape).replace(" ", "") for index in indices)
        raise IndexError(
            f"shape mismatch: indexing arrays could not be broadcast together with shapes {shapes}"
        ) from None
    if 0 < before < len(axes) and axes[0] > 0:
        # For NumPy such an ellipsis separates the arrays: the axes that they name come first.
        view = _core.permute(view, axes + [axis for axis in range(view.ndim) if axis not in axes])
        axes = list(range(len(axes)))
    return view, axes, indices


def _mask_of(array, key):
    """The mask, if the key is one of the array's shape."""
    key = _known(key)
    if isinstance(key, (list, _np.ndarray)) and array.ndim:
        key = make(key)
    if isinstance(key, ndarray) and key.dtype.kind == "b" and key.shape == array.shape and array.ndim:
        return key
    return None


def getitem(array, key):
    """`array[key]` with a key that is not basic."""
    mask = _mask_of(array, key)
    if mask is not None:
        return _core.take_where(array, mask)
    view, axes, indices = plan(array, key)
    if not axes:
        return view
    return _take(view, axes, _checked(view, axes, indices))


def _take(view, axes, indices):
    if 0 in view.shape or any(index.size == 0 for index in indices):
        return _core.full(_shape(view, axes, indices), 0, view.dtype)
    return _core.take_at(view, axes, indices)


def _shape(view, axes, indices):
    """The shape of the elements that arrays select in a view."""
    picked = list(_np.broadcast_shapes(*(index.shape for index in indices)))
    rest = [length for axis, length in enumerate(view.shape) if axis not in axes]
    together = axes == list(range(axes[0], axes[0] + len(axes)))
    place = axes[0] if together else 0
    shape = rest[:place] + picked + rest[place:]
    return shape


def fitted(value, shape, dtype, is_indexed=False):
    """A value to be written to a place of this shape, which arrays may name: an array that broadcasts to it, or a number."""
    value = elements(value)
    made = written(value, dtype) if type(value) in (list, tuple) and not holds_arrays(value) else make(value)
    if isinstance(made, _np.ndarray):
        pass
    elif isinstance(value, _np.generic) and made.dtype.kind == "f" and (dtype.kind == "u" or (dtype.kind == "i" and is_indexed)):
        # NumPy casts scalars for unsigned elements and for places that arrays name, and converts them for others.
        made = make(_np.asarray(value).astype(dtype))
    elif isinstance(value, _np.generic) and made.dtype.kind == "c" and dtype.kind in "iu":
        _caller.warn_of_complex()
        return fitted(value.real, shape, dtype, is_indexed)
    elif not isinstance(value, ndarray) and dtype.kind in "iub" and made.dtype.kind == "f" and made.ndim == 0:
        # Python refuses NaN and infinity as integers.
        made = make(_np.asarray(_np.asarray(value).item()).astype(dtype)) if dtype.kind == "b" else make(
            _np.array(int(_np.asarray(value).item()), dtype)
        )
    elif made.dtype.kind == "c" and dtype.kind not in "cb":
        if made.ndim == 0 and not isinstance(value, (ndarray, _np.ndarray, _np.generic)):
            raise TypeError("float() argument must be a string or a real number, not 'complex'")
        made = cast(made, dtype)
    while made.ndim > len(shape) and made.shape[0] == 1:
        made = made[0]
    try:
        fits = _np.broadcast_shapes(made.shape, tuple(shape)) == tuple(shape)
    except ValueError:
        fits = False
    if not fits:
        given, wanted = _text(made.shape), _text(shape)
        if is_indexed:
            raise ValueError(f"shape mismatch: value array of shape {given} could not be broadcast to indexing result of shape {wanted}")
        raise ValueError(f"could not broadcast input array from shape {given} into shape {wanted}")
    return make(made.astype(dtype)) if isinstance(made, _np.ndarray) else made


def _names_element(array, key):
    """Whether a key is an integer for each axis."""
    items = key if isinstance(key, tuple) else (key,)
    if len(items) != array.ndim:
        return False
    return all(isinstance(item, (int, _np.integer)) and not isinstance(item, bool) or _is_place(item) for item in items)


def no_element(dtype, value):
    """The error for something with axes that is written to one element."""
    if dtype.kind == "c":
        return TypeError(f"must be real number, not {type(value).__name__}")
    if dtype.kind in "iu" and isinstance(value, (list, tuple)):
        return TypeError(f"int() argument must be a string, a bytes-like object or a real number, not '{type(value).__name__}'")
    return ValueError("setting an array element with a sequence.")


def _is_place(item):
    """Whether it is an array of integers without axes."""
    return isinstance(item, (ndarray, _np.ndarray)) and item.ndim == 0 and item.dtype.kind in "iu"


def _depth(items):
    """The number of axes of nested lists."""
    if type(items) in (list, tuple):
        return 1 + _depth(items[0]) if items else 1
    return _np.ndim(items)


def _text(shape):
    return str(tuple(shape)).replace(" ", "")


def setitem(array, key, value):
    """`array[key] = value` if the key is not basic, or the value is not an array of the shape or a plain number."""
    value = elements(value)
    if type(value) in _SCALARS:
        # Treated as Weft's number with this value, for which the rules are the same.
        array[key] = _core.as_result(make(value))
        return None
    if type(value) is int and array.dtype.kind in "iu":
        # An error if it does not fit.
        value = make(_np.array(value, array.dtype))
    if _names_element(array, key) and _np.ndim(value) > 0:
        if array.dtype.kind != "b" or _np.size(value) > 1 and not isinstance(value, (list, tuple)):
            raise no_element(array.dtype, value)
        # Objects that are not booleans are converted by their truth value.
        value = bool(value)
    mask = _mask_of(array, key)
    if mask is not None:
        made = written(value, array.dtype) if type(value) in (list, tuple) else make(value)
        if made.ndim > 1 and mask.ndim > 0:
            raise TypeError(
                "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, "
                f"input has {made.ndim} dimensions"
            )
        if isinstance(made, ndarray) and made.ndim == 0:
            return _core.putmask(array, mask, fitted(value, (), array.dtype, True))
        if made.dtype.kind == "c" and array.dtype.kind in "iuf":
            _caller.warn_of_complex()
        if isinstance(made, ndarray) and made.ndim == 1 and made.size == 1:
            return _core.putmask(array, mask, made[0])
        if isinstance(made, ndarray) and made.ndim == 1:
            count = int(_core.reduce(mask, "count_nonzero"))
            if count != made.size:
                raise ValueError(
                    "NumPy boolean array indexing assignment cannot assign "
                    f"{made.size} input values to the {count} output values where the mask is true"
                )
            if count:
                _core.put_where(array, mask, made)
            return None
    view, axes, indices = plan(array, key)
    shape = _shape(view, axes, indices) if axes else view.shape
    is_indexed = any(index.ndim for index in indices)
    made = fitted(value, shape, array.dtype, is_indexed)
    if not is_indexed and type(value) in (list, tuple) and _depth(value) > len(shape):
        raise ValueError(
            f"setting an array element with a sequence. The requested array would exceed the maximum number of dimension of {len(shape)}."
        )
    if not axes:
        _core.assign(view, made)
        return None
    indices = _checked(view, axes, indices)
    if 0 not in shape:
        if made.ndim < len(shape):
            made = _core.broadcast_to(made, shape)
        _core.put_at(view, axes, indices, made)
    return None
