"""The methods of `ndarray`. Methods that are functions too are attached by `_declared`."""

import builtins as _builtins
import operator as _operator
import types as _types

import numpy as _np

from .. import _core
from . import _math, _products, _reduce, _select, _shape, _sort, _ufunc
from ._array import array_type, cast, dtype_of, from_host, from_memory, is_held, knows_ufuncs, make, ndarray, shared, to_host, weak
from ._arguments import check_order
from ._flat import flatiter
from ._index import no_element as _no_element
from ._shape import shape_of
from ._whole import whole


def method(function):
    """Attaches a function to the class under its name."""
    setattr(ndarray, function.__name__, function)
    return function


def array_method(function):
    """Attaches a function to the class of arrays, which numbers do not have."""
    setattr(array_type, function.__name__, function)
    return function


def attribute(function):
    """Attaches a property to the class under its name."""
    setattr(ndarray, function.__name__, property(function, doc=function.__doc__))
    return function


@method
def compress(self, condition, axis=None, out=None):
    """The elements at which a condition holds along an axis."""
    return _select.compress(condition, self, axis, out)


@method
def clip(self, min=None, max=None, out=None, **kwargs):
    """The elements no smaller than one and no larger than another bound."""
    return _math.clip(self, min, max, out, **kwargs)


@method
def reshape(self, *shape, order="C", copy=None):
    """The elements in row-major order with another shape."""
    is_plain = len(shape) > 0 and order == "C" and copy is None
    if is_plain and (made := _core.reshape_plain(self, shape[0] if len(shape) == 1 else shape)) is not None:
        return made
    if not shape:
        raise TypeError("reshape() takes exactly 1 argument (0 given)")
    return _shape.reshape(self, shape[0] if len(shape) == 1 else shape, order, copy=copy)


@method
def transpose(self, *axes):
    """The view with its axes in another order."""
    if not axes and type(self) is array_type:
        return self.T
    if (made := _core.permute_plain(self, axes)) is not None:
        return made
    if len(axes) == 1 and (axes[0] is None or _np.ndim(axes[0])):
        return _shape.transpose(self, axes[0])
    return _shape.transpose(self, axes if axes else None)


@method
def ravel(self, order="C"):
    """All elements as a vector: a view if possible, otherwise a copy."""
    return _shape.ravel(self, order)


@method
def flatten(self, order="C"):
    """All elements as a separate vector."""
    if order == "C" and (made := _core.flatten_plain(self)) is not None:
        return made
    made = _shape.ravel(self, order)
    return _core.copy(made) if _core.shares_store(made, self) else made


@method
def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True, *, device=None):
    """The elements as another dtype."""
    is_plain = order == "K" and casting == "unsafe" and copy is True and device is None and type(self) is array_type
    if is_plain and (made := _core.astype_plain(self, dtype)) is not None:
        return made
    dtype = dtype_of(dtype)
    if order != "K":
        check_order(order)
    if casting != "unsafe" and not _np.can_cast(self.dtype, dtype, casting):
        raise TypeError(f"Cannot cast array data from {self.dtype!r} to {dtype!r} according to the rule '{casting}'")
    if dtype == self.dtype:
        return _core.copy(self) if copy and isinstance(self, array_type) else self
    return cast(self, dtype)


@method
def copy(self, order="C"):
    """An array of its own with the same elements."""
    check_order(order)
    return _core.copy(self)


@array_method
def fill(self, value):
    """Fills the array with one value."""
    if _core.fill_plain(self, value):
        return
    if isinstance(value, ndarray) and value.ndim and (self.dtype.kind != "b" or value.size != 1):
        raise _no_element(self.dtype, value)
    if self.dtype.kind in "iu" and type(value) is float:
        # Python rejects NaN and infinity as integers, and NumPy rejects values that do not fit.
        value = _np.array(int(value), self.dtype)
    elif not isinstance(value, ndarray) and not weak(value):
        # NumPy's rules for a value of any kind.
        single = _np.empty((), self.dtype)
        single.fill(value)
        value = single[()]
    self[...] = value


@method
def item(self, *args):
    """An element as a Python number."""
    if len(args) < 2 and (made := _core.item_plain(self, *args)) is not None:
        return made
    if args:
        args = args[0] if len(args) == 1 and isinstance(args[0], tuple) else args
        if any(isinstance(one, bool) for one in args):
            raise TypeError("an integer is required")
        if any(isinstance(one, int) and not -(2**63) <= one < 2**63 for one in args):
            raise OverflowError("Python int too large to convert to C long")
        if len(args) == 1:
            at = _operator.index(args[0])
            if not -self.size <= at < self.size:
                raise IndexError(f"index {at} is out of bounds for size {self.size}")
            return _shape.ravel(self)[at].item()
        if len(args) != self.ndim:
            raise ValueError("incorrect number of indices for array")
        return self[tuple(args)].item()
    return self._item()


@method
def tolist(self):
    """The elements as nested lists of numbers."""
    if (made := _core.tolist_plain(self)) is not None:
        return made
    return to_host(self).tolist()


@method
def tobytes(self, order="C"):
    """The elements as they lie in memory."""
    return to_host(self).tobytes(order)


@method
def tofile(self, *args, **kwargs):
    """Writes the elements to a file."""
    return to_host(self).tofile(*args, **kwargs)


@method
def dump(self, file):
    """Writes a pickle to a file."""
    return to_host(self).dump(file)


@method
def dumps(self):
    """A pickle of the array."""
    return to_host(self).dumps()


@array_method
def sort(self, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """Sorts the array along an axis."""
    is_plain = kind is None and order is None and stable is None and descending is False
    if is_plain and _core.sort_in_place_plain(self, axis):
        return
    _sort.check_kind(kind, stable)
    if axis is None:
        raise TypeError("'NoneType' object cannot be interpreted as an integer")
    if self.ndim == 0:
        raise _np.exceptions.AxisError(axis, 0)
    with whole(self):
        self[...] = _sort.sort(self, axis, kind, stable=stable, descending=descending)


@array_method
def partition(self, kth, axis=-1, kind="introselect", order=None):
    """Sorts the lines along an axis partially, so that some places have the elements of the sorted line."""
    with whole(self):
        self[...] = _sort.partition(self, kth, axis, kind)


@method
def choose(self, *choices, out=None, mode="raise"):
    """For each element, the value of the array with this index."""
    return _select.choose(self, choices[0] if len(choices) == 1 else choices, out, mode)


@method
def conj(self, out=None):
    """The complex conjugates; the array itself if its elements are real."""
    if out is not None:
        return _ufunc.get("conjugate")(self, out=out)
    return _ufunc.get("conjugate")(self) if self.dtype.kind == "c" else self


ndarray.conjugate = conj


@method
def resize(self, *new_shape, refcheck=True):
    """Changes the shape. Unlike NumPy's method, it cannot change the number of elements."""
    shape = new_shape[0] if len(new_shape) == 1 else new_shape or None
    if shape is None:
        return
    shape = shape_of(shape)
    if any(length < 0 for length in shape):
        raise ValueError("all elements of the new shape must be non-negative")
    count = 1
    for length in shape:
        count *= length
    if count == self.size and self.flags.c_contiguous:
        self.shape = shape
        return
    raise ValueError("cannot resize this array: use numpy.resize, which makes a new one")


@method
def view(self, dtype=None, type=None):
    """The same elements; as another dtype, a copy that follows the array and writes through to it."""
    if dtype is not None and type is not None:
        return self.view(dtype).view(type)
    dtype = type if dtype is None else dtype
    if isinstance(dtype, _builtins.type) and issubclass(dtype, _np.ndarray) and dtype is not _np.ndarray:
        return shared(self).view(dtype)
    if isinstance(dtype, _builtins.type) and issubclass(dtype, ndarray) and dtype is not ndarray and dtype is not array_type:
        raise TypeError(f"arrays of Weft have no subclasses: {dtype.__name__} can be one of numpy.ndarray, or hold an array")
    if dtype is None or dtype in (_np.ndarray, ndarray, array_type) or dtype_of(dtype) == self.dtype:
        return self[...]
    dtype = dtype_of(dtype)
    if dtype.itemsize != self.itemsize and self.ndim and self.size and self.shape[-1] != 1 and self.strides[-1] != self.itemsize:
        raise ValueError("To change to a dtype of a different size, the last axis must be contiguous")
    writes = self._writes()
    made = from_host(to_host(self).view(dtype))
    if isinstance(made, ndarray):
        made._set_part_of(self, lambda whole: from_host(to_host(whole).reshape(-1).view(dtype)), _set_bytes, writes)
        made._set_writeable(self._writeable)
    else:
        made.flags.writeable = False
    return made


def _set_bytes(whole, value):
    whole[...] = from_host(to_host(value).view(whole.dtype).reshape(whole.shape))


@method
def byteswap(self, inplace=False):
    """The elements with their bytes in the other order."""
    made = from_host(to_host(self).byteswap())
    if inplace:
        self[...] = made
        return self
    return made


@array_method
def setflags(self, write=None, align=None, uic=None):
    """Allows or forbids writing."""
    if uic:
        raise ValueError("cannot set WRITEBACKIFCOPY flag to True")
    if write is not None:
        if write and not self._writeable and self.base is not None and not self.base._writeable:
            raise ValueError("cannot set WRITEABLE flag to True of this array")
        self._set_writeable(bool(write))


@method
def to_device(self, device, /, *, stream=None):
    """The array itself: the runtime chooses its memory."""
    if stream is not None:
        raise ValueError("The stream argument in to_device() is not supported")
    if device != "cpu":
        raise ValueError(f"Unsupported device: {device}.")
    return self


@attribute
def device(self):
    """The memory that the array is in, under NumPy's name."""
    return "cpu"


def real_dtype(dtype):
    """The dtype of real parts."""
    return _np.zeros((), dtype).real.dtype


#: The functions that make a copy of a part and write one back, by the part's name.
PARTS = {}


def _part(name):
    part_of = getattr(_math, f"{name}_of")

    def get(self):
        is_complex = self.dtype.kind == "c"
        writes = self._writes() if is_complex else None
        made = part_of(self)
        if is_complex:
            made = _core.as_array(made)
            made._set_part_of(self, part_of, put_all, writes)
            made._set_writeable(self._writeable)
        elif made is not self:
            made._set_writeable(False)
        return made

    def put_all(self, value):
        put(self, value.reshape(self.shape))

    def put(self, value):
        if name == "imag" and self.dtype.kind != "c":
            raise TypeError("array does not have imaginary part to set")
        # NumPy makes an array of a number, and casts that.
        value = make(value)
        value = value if isinstance(value, ndarray) else from_host(value.astype(real_dtype(self.dtype)))
        if self.dtype.kind != "c":
            self[...] = value
            return
        real, imag = _math.real_of(self), _math.imag_of(self)
        value = _shape.broadcast_to(cast(value, real.dtype), self.shape)
        self[...] = _core.apply("complex", (value, imag) if name == "real" else (real, value))

    PARTS[name] = part_of, put_all
    return property(get, put)


ndarray.real, ndarray.imag = _part("real"), _part("imag")


@attribute
def _is_stepped(self):
    """Whether the array is of real or imaginary parts, which are not contiguous in NumPy."""
    part = self._part_of
    return part is not None and part[1] in (_math.real_of, _math.imag_of)


@attribute
def mT(self):
    """The view with its last two axes swapped."""
    return _shape.matrix_transpose(self)


class _Flags:
    """NumPy's flags of an array's memory."""

    def __init__(self, array):
        self._array = array

    @property
    def writeable(self):
        return self._array._writeable

    @writeable.setter
    def writeable(self, value):
        self._array.setflags(write=value)

    @property
    def c_contiguous(self):
        expected = self._array.itemsize
        for length, stride in zip(reversed(self._array.shape), reversed(self._array.strides)):
            if length != 1 and stride != expected and self._array.size:
                return False
            expected *= length
        return True

    @property
    def f_contiguous(self):
        return _Flags(self._array.T).c_contiguous

    contiguous = c_contiguous
    forc = property(lambda self: self.c_contiguous or self.f_contiguous)
    fortran = f_contiguous
    fnc = property(lambda self: self.f_contiguous and not self.c_contiguous)
    owndata = property(lambda self: self._array.base is None)
    aligned = property(lambda self: True)
    writebackifcopy = property(lambda self: False)
    behaved = property(lambda self: self.writeable)
    carray = property(lambda self: self.behaved and self.c_contiguous)
    farray = property(lambda self: self.behaved and self.f_contiguous and not self.c_contiguous)

    _NAMES = {
        "C_CONTIGUOUS": "c_contiguous", "C": "c_contiguous", "CONTIGUOUS": "c_contiguous", "F_CONTIGUOUS": "f_contiguous",
        "F": "f_contiguous", "FORTRAN": "f_contiguous", "OWNDATA": "owndata", "O": "owndata", "WRITEABLE": "writeable",
        "W": "writeable", "ALIGNED": "aligned", "A": "aligned", "WRITEBACKIFCOPY": "writebackifcopy", "X": "writebackifcopy",
        "CARRAY": "carray", "CA": "carray", "FARRAY": "farray", "FA": "farray", "FNC": "fnc", "FORC": "forc", "BEHAVED": "behaved", "B": "behaved",
    }  # fmt: skip

    def __getitem__(self, name):
        return getattr(self, self._NAMES[name])

    def __setitem__(self, name, value):
        setattr(self, self._NAMES[name], value)

    _SHOWN = ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED", "WRITEBACKIFCOPY")

    def __eq__(self, other):
        if not isinstance(other, (_Flags, type(_np.zeros(0).flags))):
            return NotImplemented
        return all(self[name] == other[name] for name in self._SHOWN)

    __hash__ = None

    def __repr__(self):
        return "\n".join(f"  {name} : {self[name]}" for name in self._SHOWN)


@attribute
def flags(self):
    """NumPy's flags of an array's memory."""
    return _Flags(self)


@attribute
def flat(self):
    """Iterates over all elements."""
    return flatiter(self)


ndarray.flat = ndarray.flat.setter(lambda self, value: flatiter(self).__setitem__(slice(None), value))


@array_method
def __contains__(self, value):
    return bool(_reduce.any(self == value))


def _is_operand(other):
    """Whether Weft computes an expression of an array and this object; otherwise the object's own operator takes precedence."""
    if isinstance(other, _np.ndarray):
        return not knows_ufuncs(other)
    if isinstance(other, (ndarray, list, tuple, int, float, complex, _np.generic)):
        return True
    return hasattr(other, "__array__") and not hasattr(other, "__array_ufunc__")


def matmul(self, other, is_swapped):
    """The operator `@`, with the other operand on the left if the two are swapped."""
    if not _is_operand(other) and not knows_ufuncs(other):
        return NotImplemented
    return _products.matmul(other, self) if is_swapped else _products.matmul(self, other)


@array_method
def __imatmul__(self, other):
    if self.ndim < 1 or _np.ndim(other) < 2:
        raise ValueError("inplace matrix multiplication requires the first operand to have at least one and the second at least two dimensions.")
    return _products.matmul(self, other, out=self)


@method
def __divmod__(self, other):
    if getattr(type(other), "__array_ufunc__", _np) is None:
        return NotImplemented
    return _ufunc.get("divmod")(self, other)


@method
def __rdivmod__(self, other):
    if getattr(type(other), "__array_ufunc__", _np) is None:
        return NotImplemented
    return _ufunc.get("divmod")(other, self)


@method
def __round__(self, ndigits=0):
    return _math.round(self, ndigits)


@method
def __trunc__(self):
    return int(self)


@method
def __copy__(self):
    return _core.copy(self)


@method
def __deepcopy__(self, memo):
    return _core.copy(self)


@method
def __reduce__(self):
    return from_host, (to_host(self),)


@method
def __format__(self, spec):
    if self.ndim == 0:
        return format(self.item(), spec)
    if spec:
        raise TypeError("unsupported format string passed to numpy.ndarray.__format__")
    return str(self)


@method
def __str__(self):
    return str(to_host(self))


@method
def __repr__(self):
    return repr(to_host(self))


ndarray.__array_priority__ = 100.0
array_type.__hash__ = None


def _new(cls, shape, dtype=float, buffer=None, offset=0, strides=None, order=None):
    """The result of `ndarray(...)`: zeros, or the elements in a buffer."""
    dtype = dtype_of(dtype)
    if buffer is not None:
        return from_memory(_np.ndarray(shape, dtype, buffer, offset, strides, order))
    if strides is not None:
        return from_host(_np.ndarray(shape, dtype, buffer, offset, strides, order))
    if not is_held(dtype):
        return _np.ndarray(shape, dtype)
    return _core.full(shape_of(shape), 0, dtype)


array_type.__new__ = staticmethod(_new)


def _annotation(cls, key, /):
    """The class with a shape and a dtype, for annotations."""
    return _types.GenericAlias(cls, key)


array_type.__class_getitem__ = classmethod(_annotation)
