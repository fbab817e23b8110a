"""`ndarray.flat`: all elements, one after the other."""

import operator as _operator

import numpy as _np

from .. import _core
from . import _caller, _join, _shape
from ._array import cast, elements, make, ndarray, to_host, written

_ERROR = "only integers, slices (`:`), ellipsis (`...`) and integer or boolean arrays are valid indices"
_ZERO_AXES = (
    "Indexing flat iterators with a 0-dimensional boolean index is deprecated and may be removed in a future version. (Deprecated NumPy 2.4)"
)
_NO_ARRAY = "Invalid non-array indices for iterator objects are deprecated and will be removed in a future version. (Deprecated NumPy 2.4)"
_MASK = (
    "boolean indices for iterators are not supported because of previous behavior that was confusing "
    "(valid boolean indices are expected to work in the future)"
)


def _warn(text):
    _caller.warn(text, DeprecationWarning)


def _checked(key, size):
    """A key as a slice, an integer, or an array of places or flags."""
    if isinstance(key, tuple):
        if len(key) > 1 and not any(one is None or one is Ellipsis for one in key):
            raise IndexError(f"too many indices for flat iterator: flat iterator is 1-dimensional, but {len(key)} were indexed")
        key = Ellipsis if not key else key[0] if len(key) == 1 else None
    if key is Ellipsis or isinstance(key, slice):
        return slice(None) if key is Ellipsis else key
    if key is None or isinstance(key, str):
        raise IndexError(_ERROR)
    if isinstance(key, bool):
        return _of_no_axes(key)
    if isinstance(key, (ndarray, _np.ndarray)):
        return _array(key, size)
    try:
        return _place(_operator.index(key), size)
    except TypeError:
        return _converted(key, size)


def _of_no_axes(flag):
    _warn(_ZERO_AXES)
    return 0 if flag else slice(0, 0)


def _place(at, size):
    if not -size <= at < size:
        raise IndexError(f"index {at} is out of bounds for size {size}")
    return at


def _array(key, size):
    if key.dtype.kind not in "bui":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    if key.dtype.kind == "b":
        if key.ndim == 0:
            return _of_no_axes(bool(key))
        if key.ndim > 1:
            raise IndexError(f"too many indices for flat iterator: flat iterator is 1-dimensional, but {key.ndim} were indexed")
        if key.shape != (size,):
            raise IndexError(
                "boolean index did not match indexed flat iterator along axis 0; "
                f"size of axis is {size} but size of corresponding boolean axis is {key.shape[0]}"
            )
        return make(key)
    return _place(int(key), size) if key.ndim == 0 else _within(key, size)


def _within(places, size):
    if isinstance(places, _np.ndarray) and places.size:
        _place(int(places.min()), size)
        _place(int(places.max()), size)
    return make(places)


def _converted(key, size):
    """A value that is not an array, converted as NumPy does; also non-integers, which NumPy deprecates."""
    host = to_host(make(key.base)).ravel() if isinstance(key, flatiter) else _np.asarray(key)
    if host.dtype.kind == "b":
        raise IndexError(_MASK)
    if host.size == 0:
        host = host.astype(_np.int64)
    elif host.dtype.kind not in "ui":
        if host.dtype.kind in "SU":
            raise IndexError(_ERROR)
        host = host.astype(_np.int64)
        if not isinstance(key, flatiter) or key.base.dtype.kind not in "ui":
            _warn(_NO_ARRAY)
    return _place(int(host), size) if host.ndim == 0 else _within(host, size)


class flatiter:
    """Iterates over all elements."""

    __hash__ = None

    def __init__(self, array):
        self._array = array
        self._at = 0
        #: A NumPy array in the memory of this one, while elements are read one by one.
        self._host = None

    @property
    def base(self):
        """The array."""
        return self._array

    @property
    def index(self):
        """The flat index of the next element."""
        return self._at

    @property
    def coords(self):
        """The index of the next element along each axis."""
        shape = self._array.shape
        if self._at >= self._array.size > 0:
            return (shape[0], *(0 for _ in shape[1:]))
        return tuple(int(one) for one in _np.unravel_index(self._at, shape)) if shape else ()

    def __len__(self):
        return self._array.size

    def __iter__(self):
        return self

    def __next__(self):
        if self._at >= self._array.size:
            self._host = None
            raise StopIteration
        made = self._element()
        self._at += 1
        return made

    def _element(self):
        """The next element as NumPy's number, as the elements of a vector are."""
        try:
            if self._host is None:
                self._host = _np.asarray(memoryview(self._array))
            return self._host.flat[self._at]
        except BufferError:
            return to_host(self._array[self.coords])[()]

    def __getitem__(self, key, /):
        self._at = 0
        flat = _shape.ravel(self._array)
        made = flat[_checked(key, flat.size)]
        return _core.copy(made) if _core.shares_store(made, self._array) else made

    def __setitem__(self, key, value, /):
        self._at = 0
        if isinstance(key, tuple) and not key:
            raise IndexError("Assigning to a flat iterator with a 0-D index is not supported")
        flat = _shape.ravel(self._array)
        key = _checked(key, flat.size)
        if isinstance(key, int):
            try:
                flat[key] = value
            except (OverflowError, TypeError, ValueError):
                raise ValueError("Error setting single item of array.") from None
        else:
            self._repeat(flat, key, self._values(value))
        if not _core.shares_store(flat, self._array):
            self._array[...] = _shape.reshape(flat, self._array.shape)

    def _values(self, value):
        """Values to be written, as a vector of the array's dtype."""
        dtype = self._array.dtype
        if not isinstance(value, ndarray):
            value = value.base if isinstance(value, flatiter) else value
            value = cast(make(elements(value)), dtype) if isinstance(value, _np.ndarray) else written(value, dtype)
        return _shape.ravel(cast(value, dtype))

    def _repeat(self, flat, key, value):
        """Writes values, repeated to the number of places."""
        if isinstance(key, slice):
            into = flat[key]
        elif key.dtype.kind == "b":
            into = key = make(_np.flatnonzero(to_host(key)))
        else:
            into = key
        if value.size == 0 or into.size == 0:
            return
        if value.size != 1:
            value = _shape.reshape(_join.resize(value, (into.size,)), into.shape)
            flat[key] = value
        else:
            flat[key] = value[0]

    def __array__(self, dtype=None, /, *, copy=None):
        return _np.asarray(_shape.ravel(self._array), dtype)

    def _compared(name):
        def compare(self, other, /):
            other = _shape.ravel(other.base) if isinstance(other, flatiter) else other
            return getattr(_shape.ravel(self._array), name)(other)

        return compare

    __eq__, __ne__, __lt__, __le__, __gt__, __ge__ = map(_compared, ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"))
    del _compared

    def copy(self, /):
        """The elements as a separate vector."""
        return self._array.flatten()
