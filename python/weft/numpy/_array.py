"""Conversion between arrays of Weft, arrays of NumPy and other objects."""

import numpy as _np

from .. import _core
from ._arguments import c_int, check_order

#: The base class of arrays and of numbers. The public name `ndarray` is the class of arrays alone.
ndarray = _core.Deferred
#: The class of arrays.
array_type = _core.ndarray
#: The class of numbers that are computed later. Numbers with known values are NumPy's.
number = _core.number

DTYPES = tuple(
    _np.dtype(code)
    for code in ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16")
)
_core.register_dtypes(DTYPES)
_HELD = frozenset(DTYPES)

bool_, int64, float64 = DTYPES[0], DTYPES[4], DTYPES[11]


def is_held(dtype):
    """Whether Weft's arrays can hold elements of a dtype."""
    return dtype in _HELD and dtype.isnative


def dtype_of(given):
    """A dtype object of anything that NumPy accepts as one."""
    if isinstance(given, _np.dtype):
        return given
    if isinstance(given, _core.Deferred):
        raise TypeError("Cannot construct a dtype from an array")
    return _np.dtype(given)


#: The largest number of axes of an array of Weft.
MOST_AXES = 8


def from_host(array):
    """An array of Weft with the values of a NumPy array; the same array if Weft cannot hold them."""
    if array.ndim > MOST_AXES:
        return array
    dtype = array.dtype
    if not dtype.isnative and is_held(dtype.newbyteorder("=")):
        array = array.astype(dtype.newbyteorder("="))
        dtype = array.dtype
    if not is_held(dtype):
        return array
    shape = array.shape
    if not array.flags.c_contiguous:
        array = array.copy(order="C")
    return _core.from_buffer(array, dtype, shape)


def to_host(array):
    """Waits for the values of an array of Weft and returns a NumPy array of them."""
    if not isinstance(array, ndarray):
        return _np.asarray(array)
    out = _np.empty(array.shape, array.dtype)
    _core.to_buffer(array, out)
    return out


def shared(array, copy=None):
    """A NumPy array in the memory of an array of Weft; a copy if the memory is not shared, unless `copy` is false."""
    try:
        return _np.asarray(memoryview(array))
    except BufferError:
        if copy is False:
            raise
        return to_host(array)


def borrowed(host, copy=None, is_writeable=None):
    """An array of Weft in the memory of a NumPy array; a copy if the memory cannot be shared, unless `copy` is false."""
    is_writeable = host.flags.writeable if is_writeable is None else is_writeable
    if copy:
        return from_host(host)
    why = None
    if not is_held(host.dtype):
        why = f"arrays of Weft cannot hold elements of {host.dtype}"
    elif host.ndim > MOST_AXES:
        why = "arrays of Weft have 8 axes at most"
    elif host.dtype == bool_:
        why = "memory of booleans is not shared: a byte could be neither 0 nor 1"
    else:
        try:
            return _core.borrow(host, host.ctypes.data, host.dtype, host.shape, host.strides, is_writeable)
        except (RuntimeError, ValueError) as error:
            why = str(error)
    if copy is False:
        raise BufferError(why)
    return from_host(host)


def elements(obj):
    """An array of a subclass of NumPy's as a plain one, where only its elements count; other objects unchanged."""
    return _np.asarray(obj) if is_guest(obj) else obj


def from_memory(host):
    """An array of the elements in another object's memory: a view if they may be written, otherwise a copy. NumPy's view if Weft cannot share the memory."""
    if not host.flags.writeable and host.dtype.isnative:
        return from_host(host)
    try:
        return borrowed(host, copy=False)
    except BufferError:
        return host


def is_guest(value):
    """Whether an object is an array of a subclass of NumPy's. It computes by itself: an array of Weft would lose its mask, its unit or its operators."""
    kind = type(value)
    return kind is not _np.ndarray and isinstance(value, _np.ndarray) and not issubclass(kind, _np.memmap)


def holds_arrays(items):
    """Whether nested lists and tuples contain an array of Weft."""
    return any(
        isinstance(item, ndarray) or (type(item) in (list, tuple) and holds_arrays(item))
        for item in items
    )


class SubclassError(TypeError):
    """An array of a subclass of NumPy's is an operand: NumPy computes the whole call."""


def make(obj, dtype=None):
    """An array of any object, without a copy of an array that fits; NumPy's array if Weft cannot hold it.

    Raises:
        SubclassError: the object is an array of a subclass of NumPy's.
    """
    if is_guest(obj):
        raise SubclassError(f"an array of the class {type(obj).__name__} computes by itself; numpy.asarray gives its elements")
    return held(obj, dtype)


def held(obj, dtype=None):
    """The result of `make`, and an array of a subclass of NumPy's unchanged."""
    if isinstance(obj, ndarray):
        return obj if dtype is None or obj.dtype == dtype else cast(obj, dtype)
    if isinstance(obj, number):
        # The copy need not wait for the value.
        made = _core.as_array(obj)
        return made if dtype is None or made.dtype == dtype else cast(made, dtype)
    if type(obj) in (list, tuple) and holds_arrays(obj):
        if dtype is not None and not is_held(dtype):
            return _np.asarray(hosted(obj), dtype=dtype)
        if dtype is not None and _may_not_fit(obj, dtype):
            return from_host(_np.asarray(hosted(obj), dtype=dtype))
        from ._join import stack

        parts = [make(item) for item in obj]
        if any(isinstance(part, _np.ndarray) for part in parts):
            return _np.asarray(hosted(obj), dtype=dtype)
        made = stack(parts)
        return made if dtype is None else cast(made, dtype)
    if is_guest(obj):
        return obj
    try:
        host = _np.asarray(obj, dtype=dtype)
        # A byte order is kept where the program asks for it.
        return host if dtype is not None and not dtype.isnative else from_host(host)
    except ValueError:
        # NumPy accepts only its own arrays from this method.
        made = obj.__array__() if hasattr(obj, "__array__") else None
        if not isinstance(made, ndarray):
            raise
    return make(made, dtype)


def _may_not_fit(items, dtype):
    """Whether nested lists contain a number that NumPy rejects depending on its value, if integers of a dtype are required."""
    if dtype.kind not in "iu":
        return False
    for item in items:
        if type(item) in (list, tuple):
            if _may_not_fit(item, dtype):
                return True
        elif isinstance(item, number) and not _np.can_cast(item.dtype, dtype):
            return True
    return False


def written(values, dtype):
    """Values converted as NumPy does when writing them to elements of `dtype`: Python's numbers must fit, arrays are cast."""
    if isinstance(values, ndarray):
        return cast(values, dtype)
    if type(values) in (list, tuple) and holds_arrays(values):
        return make(values, dtype)
    return from_host(_np.asarray(values, dtype))


def hosted(items):
    """An object without arrays of Weft, also inside nested lists and tuples."""
    if isinstance(items, ndarray):
        return _core.known_number(items) if isinstance(items, number) else to_host(items)
    return type(items)(map(hosted, items)) if type(items) in (list, tuple) else items


def cast(array, dtype):
    """The array with another dtype; NumPy's array if Weft cannot hold it."""
    if is_held(dtype):
        return _core.cast(array, dtype)
    # With dtype `object` the element is the scalar itself.
    return _np.asarray(_core.known_number(array), dtype) if isinstance(array, number) else to_host(array).astype(dtype)


class MemoryRefused(ValueError):
    """An error of an argument that NumPy does not have, for any values."""


class CopyRefused(ValueError):
    """Memory that cannot be shared although a copy is forbidden, whatever the elements are."""


def asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """An array of `a`; `a` itself if it is an array already."""
    if type(a) is array_type and dtype is None and order is None and device is None and copy is None:
        return a
    return array(a, dtype, copy=copy, order=order, device=device)


def asanyarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """An array of `a`; `a` itself if it is an array already, also one of a subclass of NumPy's."""
    if type(a) is array_type and dtype is None and order is None and device is None and copy is None:
        return a
    return array(a, dtype, copy=copy, order=order, subok=True) if is_guest(a) else asarray(a, dtype, order, device=device, copy=copy)


def array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, ndmax=64, like=None, device=None):
    """A new array of the values of `object`."""
    if dtype is None and (copy is True or copy is None) and order in ("K", None) and ndmin == 0 and ndmax == 64 and device is None:
        if type(object) is array_type and copy is True:
            return _core.copy(object)
        if type(object) in (list, tuple) and (made := _core.array_plain(object)) is not None:
            return made
    check_device(device)
    check_order(order)
    if ndmin != 0 or ndmax != 64:
        _check_axes(c_int(ndmin), c_int(ndmax))
    if ndmax != 64 and not isinstance(object, (ndarray, _np.ndarray)):
        object = _np.array(object, dtype, ndmax=ndmax)
    dtype = None if dtype is None else dtype_of(dtype)
    if copy is not True and copy is not None:
        copy = copy_mode(copy)
    if is_guest(object):
        if subok:
            return _np.array(object, dtype, copy=copy, order=order or "K", subok=True, ndmin=ndmin)
        object = _np.asarray(object)
    if copy is False and not isinstance(object, ndarray):
        try:
            made = _borrowed_of(object, dtype)
        except BufferError as error:
            raise CopyRefused(f"Unable to avoid copy while creating an array as requested: {error}.") from None
        return made.reshape((1,) * (ndmin - made.ndim) + tuple(made.shape)) if ndmin > made.ndim else made
    made = make(object, dtype)
    if isinstance(object, ndarray) and made is object and (copy or _lies_otherwise(made, order)):
        made = _core.copy(made)
    if copy is False and made is not object and not _shares(made, object):
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    if ndmin > made.ndim:
        made = made.reshape((1,) * (ndmin - made.ndim) + tuple(made.shape))
    return _core.as_array(made) if isinstance(made, number) else made


def _lies_otherwise(array, order):
    """Whether NumPy would copy an array to get its elements in this order."""
    if order is None or order in "KAka" or array.ndim == 0:
        return False
    flags = array.flags
    return not (flags.c_contiguous if order in "Cc" else flags.f_contiguous)


def _check_axes(ndmin, ndmax):
    """Raises an error if no array can have this number of axes."""
    if not 0 <= ndmax <= 64:
        raise ValueError("ndmax must be in the range [0, NPY_MAXDIMS (64)] ")
    if ndmin > ndmax:
        raise ValueError(f"ndmin must be <= ndmax ({ndmax})")


def _borrowed_of(object, dtype):
    """An array of Weft in the memory of any object.

    Raises:
        BufferError: there is no memory to share.
        ValueError: NumPy says so.
    """
    if isinstance(object, _np.ndarray) or not hasattr(object, "__dlpack__"):
        return borrowed(_np.array(object, dtype, copy=False), False)
    from ._protocols import from_dlpack

    made = from_dlpack(object, copy=False)
    if dtype is not None and made.dtype != dtype:
        raise BufferError(f"its elements are of {made.dtype}")
    return made


def host(value):
    """A NumPy array of the elements of an array of Weft; other objects unchanged."""
    return to_host(value) if isinstance(value, ndarray) else value


def copy_mode(copy):
    if isinstance(copy, str):
        raise ValueError("strings are not allowed for 'copy' keyword. Use True/False/None instead.")
    modes = _np._CopyMode
    known = {modes.ALWAYS: True, modes.IF_NEEDED: None, modes.NEVER: False}
    return known[copy] if isinstance(copy, modes) else bool(copy)


def _shares(made, object):
    return isinstance(made, ndarray) and isinstance(object, ndarray) and _core.shares_store(made, object)


def check_device(device):
    """Raises an error for any device but NumPy's only one: the runtime chooses the memory of arrays."""
    if device not in (None, "cpu"):
        raise ValueError(f'Device not understood. Only "cpu" is allowed, but received: {device}')


def knows_ufuncs(value):
    """Whether an object takes calls of universal functions itself, as labelled arrays and subclasses of NumPy's do."""
    if isinstance(value, (ndarray, _np.generic)):
        return False
    theirs = getattr(type(value), "__array_ufunc__", None)
    if theirs is _np.ndarray.__array_ufunc__:
        return is_guest(value)
    return theirs is not None


def is_taken_over(operands, out):
    """Whether an operand or an output takes the call of a universal function itself."""
    return any(map(knows_ufuncs, (*operands, *(out if isinstance(out, tuple) else (out,)))))


def is_number(value):
    """Whether a value is a scalar of NumPy or a number that is computed later."""
    return isinstance(value, (number, _np.generic))


def weak(value):
    """Whether a value is a Python number, whose type yields to an array's type."""
    return type(value) in (int, float, complex)


def operand(value):
    """An operand of a function: an array, or a Python number unchanged."""
    return value if weak(value) or isinstance(value, ndarray) else make(value)


def result_type(*arrays_and_dtypes):
    """NumPy's `result_type`, of which arrays count by their dtypes."""
    return _np.result_type(
        *(given.dtype if isinstance(given, ndarray) else given for given in arrays_and_dtypes)
    )
