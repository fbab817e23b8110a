"""The methods of `ndarray`, and what NumPy's protocols ask of it."""

import operator as _operator

import numpy as _np

from .. import _core
from . import _fallback, _math, _products, _reduce, _shape, _sort, _ufunc
from ._array import cast, dtype_of, float64, from_host, is_held, make, ndarray, to_host
from ._shape import shape_of


def method(function):
    """Attaches a function to the class under its name."""
    setattr(ndarray, function.__name__, function)
    return function


def attribute(function):
    """Attaches a property to the class under its name."""
    setattr(ndarray, function.__name__, property(function, doc=function.__doc__))
    return function


def _attach(module, *names):
    for name in names:
        setattr(ndarray, name, getattr(module, name))


_attach(
    _reduce, "sum", "prod", "mean", "std", "var", "max", "min", "all", "any", "argmax", "argmin", "cumsum", "cumprod", "ptp"
)  # fmt: skip
_attach(_shape, "diagonal", "repeat", "squeeze", "swapaxes", "take")
_attach(_math, "compress", "nonzero", "put", "round")
_attach(_products, "dot", "trace")
_attach(_sort, "argsort", "argpartition", "searchsorted")


@method
def clip(self, min=None, max=None, out=None, **kwargs):
    """The elements no smaller than one and no larger than another bound."""
    return _math.clip(self, min, max, out, **kwargs)


@method
def reshape(self, *shape, order="C", copy=None):
    """The elements in row-major order with another shape."""
    return _shape.reshape(self, shape[0] if len(shape) == 1 else shape, order, copy=copy)


@method
def transpose(self, *axes):
    """The view with its axes in another order."""
    if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list))):
        (axes,) = axes
    return _shape.transpose(self, axes if axes else None)


@method
def ravel(self, order="C"):
    """All elements as a vector: a view where there is one."""
    return _shape.ravel(self, order)


@method
def flatten(self, order="C"):
    """All elements as a vector of its own."""
    made = _shape.ravel(self, order)
    return _core.copy(made) if _core.shares_store(made, self) else made


@method
def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True, *, device=None):
    """The elements as another dtype."""
    dtype = dtype_of(dtype)
    if not _np.can_cast(self.dtype, dtype, casting):
        raise TypeError(f"Cannot cast array data from {self.dtype!r} to {dtype!r} according to the rule '{casting}'")
    if dtype == self.dtype:
        return _core.copy(self) if copy else self
    if self.dtype.kind == "c" and dtype.kind in "biuf" and dtype.kind != "b":
        import warnings

        text = "Casting complex values to real discards the imaginary part"
        warnings.warn(text, _np.exceptions.ComplexWarning, stacklevel=2)
    return cast(self, dtype)


@method
def copy(self, order="C"):
    """An array of its own with the same elements."""
    return _core.copy(self)


@method
def fill(self, value):
    """Writes one value everywhere."""
    self[...] = value


@method
def item(self, *args):
    """An element as a number of Python."""
    if args:
        args = args[0] if len(args) == 1 and isinstance(args[0], tuple) else args
        if len(args) == 1:
            at = _operator.index(args[0])
            if not -self.size <= at < self.size:
                raise IndexError(f"index {at} is out of bounds for size {self.size}")
            return _shape.ravel(self)[at]._item()
        if len(args) != self.ndim:
            raise ValueError("incorrect number of indices for array")
        return self[tuple(args)]._item()
    return self._item()


@method
def tolist(self):
    """The elements as nested lists of numbers."""
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
def sort(self, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """Brings the lines along an axis into order."""
    if self.ndim == 0:
        raise _np.exceptions.AxisError(axis, 0)
    self[...] = _sort.sort(self, axis)


@method
def partition(self, kth, axis=-1, kind="introselect", order=None):
    """Brings the lines along an axis so far into order that some places are right."""
    self[...] = _sort.partition(self, kth, axis)


@method
def choose(self, choices, out=None, mode="raise"):
    """For each element the value of the array of this number."""
    kwargs = {"mode": mode} if out is None else {"mode": mode, "out": out}
    return _fallback.call("choose", _np.choose, (self, choices), kwargs)


@method
def conj(self):
    """The complex conjugates."""
    return _ufunc.get("conjugate")(self)


ndarray.conjugate = conj


@method
def resize(self, *new_shape, refcheck=True):
    """NumPy's, which changes an array's memory, is not to be had."""
    raise ValueError("cannot resize this array: use numpy.resize, which makes a new one")


@method
def view(self, dtype=None, type=None):
    """The same elements; as another dtype they are copied."""
    if dtype is None or dtype_of(dtype) == self.dtype:
        return self[...]
    made = from_host(to_host(self).view(dtype_of(dtype)))
    if isinstance(made, ndarray):
        made._set_writeable(False)
    return made


@method
def byteswap(self, inplace=False):
    """The elements with their bytes in the other order."""
    made = from_host(to_host(self).byteswap())
    if inplace:
        self[...] = made
        return self
    return made


@method
def setflags(self, write=None, align=None, uic=None):
    """Forbids or allows writing."""
    if write is not None:
        if write and not self._writeable and self.base is not None and not self.base._writeable:
            raise ValueError("cannot set WRITEABLE flag to True of this array")
        self._set_writeable(bool(write))


@method
def to_device(self, device, /, *, stream=None):
    """The array itself: the runtime chooses where it lies."""
    if stream is not None:
        raise ValueError("The stream argument in to_device() is not supported")
    if device != "cpu":
        raise ValueError(f"Unsupported device: {device}.")
    return self


@attribute
def device(self):
    """Where NumPy would have the array."""
    return "cpu"


def _part(name):
    def get(self):
        return getattr(_math, name)(self)

    def put(self, value):
        if name == "imag" and self.dtype.kind != "c":
            raise TypeError("array does not have imaginary part to set")
        if self.dtype.kind != "c":
            self[...] = value
            return
        real, imag = _math.real(self), _math.imag(self)
        value = _shape.broadcast_to(cast(make(value), real.dtype), self.shape)
        self[...] = _core.apply("complex", (value, imag) if name == "real" else (real, value))

    return property(get, put)


ndarray.real, ndarray.imag = _part("real"), _part("imag")


@attribute
def mT(self):
    """The view with its last two axes exchanged."""
    return _shape.matrix_transpose(self)


class _Flags:
    """What NumPy says of an array's memory."""

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
    fnc = property(lambda self: self.f_contiguous and not self.c_contiguous)
    owndata = property(lambda self: self._array.base is None)
    aligned = property(lambda self: True)
    writebackifcopy = property(lambda self: False)
    behaved = property(lambda self: self.writeable)

    _NAMES = {
        "C_CONTIGUOUS": "c_contiguous", "C": "c_contiguous", "CONTIGUOUS": "c_contiguous", "F_CONTIGUOUS": "f_contiguous",
        "F": "f_contiguous", "FORTRAN": "f_contiguous", "OWNDATA": "owndata", "O": "owndata", "WRITEABLE": "writeable",
        "W": "writeable", "ALIGNED": "aligned", "A": "aligned", "WRITEBACKIFCOPY": "writebackifcopy", "X": "writebackifcopy",
        "FNC": "fnc", "FORC": "forc", "BEHAVED": "behaved", "B": "behaved",
    }  # fmt: skip

    def __getitem__(self, name):
        return getattr(self, self._NAMES[name])

    def __setitem__(self, name, value):
        setattr(self, self._NAMES[name], value)

    def __repr__(self):
        names = ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED", "WRITEBACKIFCOPY")
        return "\n".join(f"  {name} : {self[name]}" for name in names)


@attribute
def flags(self):
    """What NumPy says of an array's memory."""
    return _Flags(self)


class flatiter:
    """All elements, one after the other."""

    def __init__(self, array):
        self._array = self.base = array
        self._at = 0

    def __len__(self):
        return self._array.size

    def __iter__(self):
        return self

    def __next__(self):
        if self._at >= self._array.size:
            raise StopIteration
        self._at += 1
        return self[self._at - 1]

    def __getitem__(self, key):
        return _shape.ravel(self._array)[key]

    def __setitem__(self, key, value):
        flat = _shape.ravel(self._array)
        if isinstance(value, ndarray) and value.ndim > 1:
            value = _shape.ravel(value)
        flat[key] = value
        if not _core.shares_store(flat, self._array):
            self._array[...] = _shape.reshape(flat, self._array.shape)

    def __array__(self, dtype=None, copy=None):
        return _np.asarray(_shape.ravel(self._array), dtype)

    def __eq__(self, other):
        return _shape.ravel(self._array) == other

    def copy(self):
        """The elements as a vector of its own."""
        return self._array.flatten()


@attribute
def flat(self):
    """All elements, one after the other."""
    return flatiter(self)


ndarray.flat = ndarray.flat.setter(lambda self, value: flatiter(self).__setitem__(slice(None), value))


@method
def __iter__(self):
    if self.ndim == 0:
        raise TypeError("iteration over a 0-d array")
    return (self[at] for at in range(self.shape[0]))


@method
def __contains__(self, value):
    return bool(_reduce.any(self == value))


@method
def __matmul__(self, other):
    if getattr(type(other), "__array_ufunc__", _np) is None:
        return NotImplemented
    return _products.matmul(self, other)


@method
def __rmatmul__(self, other):
    return _products.matmul(other, self)


@method
def __imatmul__(self, other):
    self[...] = _products.matmul(self, other)
    return self


@method
def __divmod__(self, other):
    return _ufunc.get("divmod")(self, other)


@method
def __rdivmod__(self, other):
    return _ufunc.get("divmod")(other, self)


@method
def __round__(self, ndigits=0):
    return _math.round(self, ndigits)


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
    return format(str(self), spec)


@method
def __str__(self):
    return str(to_host(self))


@method
def __repr__(self):
    return repr(to_host(self))


@method
def __array__(self, dtype=None, copy=None):
    if copy is False:
        raise ValueError("Unable to avoid copy while creating an array as requested: Weft's memory is not the program's")
    made = to_host(self)
    return made if dtype is None or made.dtype == dtype else made.astype(dtype)


@method
def __array_namespace__(self, *, api_version=None):
    import weft.numpy

    if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12", "2025.12"):
        raise ValueError(f'Version "{api_version}" of the Array API Standard is not supported.')
    return weft.numpy


@method
def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
    import weft.numpy

    own = getattr(weft.numpy, ufunc.__name__, None)
    if not isinstance(own, _core.ufunc):
        return NotImplemented
    if "out" in kwargs and len(kwargs["out"]) == 1:
        kwargs["out"] = kwargs["out"][0]
    return own(*inputs, **kwargs) if method == "__call__" else getattr(own, method)(*inputs, **kwargs)


@method
def __array_function__(self, function, types, args, kwargs):
    import weft.numpy

    own = weft.numpy
    for part in function.__module__.split(".")[1:]:
        own = getattr(own, part, own)
    own = getattr(own, function.__name__, None)
    if own is None:
        return _fallback.call(function.__name__, function._implementation, args, kwargs)
    return own(*args, **kwargs)


@method
def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    host = to_host(self)
    return host.__dlpack__(max_version=max_version) if max_version is not None else host.__dlpack__()


@method
def __dlpack_device__(self):
    return (1, 0)


ndarray.__array_priority__ = 100.0
ndarray.__hash__ = None


def new(shape, dtype=float, buffer=None, offset=0, strides=None, order=None):
    """The array that `ndarray(...)` stands for."""
    dtype = dtype_of(dtype)
    if buffer is not None or strides is not None:
        return from_host(_np.ndarray(shape, dtype, buffer, offset, strides, order))
    if not is_held(dtype):
        return _np.ndarray(shape, dtype)
    return _core.full(shape_of(shape), 0, dtype)


# Methods of universal functions.


def _reduced(name):
    return {"add": "sum", "multiply": "prod", "minimum": "min", "maximum": "max", "logical_and": "all", "logical_or": "any"}.get(name)


_ASSOCIATIVE = {
    "bitwise_and", "bitwise_or", "bitwise_xor", "fmax", "fmin", "gcd", "lcm", "hypot", "logaddexp", "logaddexp2", "maximum",
    "minimum", "logical_xor",
}  # fmt: skip


def _peer(of):
    return getattr(_np, of.__name__)


def _check_binary(of):
    if of.nin != 2 or of.nout != 1:
        raise ValueError("reduce only supported for binary functions")


def _ufunc_reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=_np._NoValue, where=True):
    """The function of all elements along axes."""
    _check_binary(self)
    name = self.__name__
    array = make(array)
    if isinstance(out, tuple):
        (out,) = out
    if not isinstance(array, ndarray):
        return _peer(self).reduce(array, axis)
    if axis is not None:
        axes = _shape.axes_of(axis, array.ndim) if array.ndim or axis not in (0, -1) else ()
    else:
        axes = None
    where = _np._NoValue if where is True else where
    known = _reduced(name)
    if known in ("sum", "prod"):
        return getattr(_reduce, known)(array, axes, dtype, out, keepdims, initial, where)
    if known in ("min", "max") and array.dtype.kind != "c" and dtype is None:
        return getattr(_reduce, known)(array, axes, out, keepdims, initial, where)
    if known in ("all", "any") and dtype is None and initial is _np._NoValue:
        return getattr(_reduce, known)(array, axes, out, keepdims, where=where)
    if name in _ASSOCIATIVE and where is _np._NoValue and array.size:
        array = array if dtype is None else cast(array, _np.dtype(dtype))
        if initial is not _np._NoValue and initial is not None:
            made = self(_reduce.along(array, axes, keepdims, lambda of, at: _folded(self, of, at)), initial)
        else:
            made = _reduce.along(array, axes, keepdims, lambda of, at: _folded(self, of, at))
        return _reduce.deliver(made, out)
    kwargs = {"axis": axis, "dtype": dtype, "keepdims": keepdims}
    if initial is not _np._NoValue:
        kwargs["initial"] = initial
    if where is not _np._NoValue:
        kwargs["where"] = where
    return _reduce.deliver_any(_fallback.call(f"{name}.reduce", _peer(self).reduce, (array,), kwargs), out)


def _folded(of, array, axis):
    """An associative function of all elements along an axis, by halves."""
    if axis is None:
        array, axis = _shape.ravel(array), 0
    array = _shape.moveaxis(array, axis, 0)
    while array.shape[0] > 1:
        half = array.shape[0] // 2
        made = of(array[:half], array[half : 2 * half])
        array = _core.concatenate([made, cast(array[2 * half :], made.dtype)], 0) if array.shape[0] % 2 else made
    return array[0]


def _ufunc_accumulate(self, array, axis=0, dtype=None, out=None):
    """The function of all elements so far, along an axis."""
    _check_binary(self)
    array = make(array)
    if isinstance(out, tuple):
        (out,) = out
    known = {"add": "cumsum", "multiply": "cumprod"}.get(self.__name__)
    if known and array.ndim:
        return getattr(_reduce, known)(array, axis, dtype, out)
    if self.__name__ in _ASSOCIATIVE and dtype is None and array.ndim and array.size:
        at = _shape.axis_of(axis, array.ndim)
        made, step = _shape.moveaxis(array, at, 0), 1
        while step < made.shape[0]:
            made = _core.concatenate([cast(made[:step], made.dtype), self(made[:-step], made[step:])], 0)
            step *= 2
        return _reduce.deliver(_shape.moveaxis(made, 0, at), out)
    args = (array, axis, dtype)
    return _reduce.deliver_any(_fallback.call(f"{self.__name__}.accumulate", _peer(self).accumulate, args, {}), out)


def _ufunc_reduceat(self, array, indices, axis=0, dtype=None, out=None):
    """The function of the elements between places."""
    made = _fallback.call(f"{self.__name__}.reduceat", _peer(self).reduceat, (make(array), indices, axis, dtype), {})
    return _reduce.deliver_any(made, out)


def _ufunc_outer(self, A, B, /, **kwargs):
    """The function of all pairs of elements."""
    A, B = make(A), make(B)
    left = _shape.reshape(A, (*A.shape, *(1,) * B.ndim))
    return self(left, B, **kwargs)


def _ufunc_at(self, a, indices, b=None, /):
    """Changes the elements of some places, those named several times as often."""
    if self.__name__ in ("add", "subtract") and isinstance(a, ndarray) and a.ndim == 1 and b is not None:
        at = make(indices) if not isinstance(indices, (slice, tuple)) else None
        if isinstance(at, ndarray) and at.dtype.kind in "iu" and at.ndim == 1 and a.dtype == float64 and at.size:
            at = _core.select(at < 0, at + a.size, at, _np.dtype("i8"))
            weights = _shape.broadcast_to(cast(make(b), float64), at.shape)
            sums = _core.bincount(at, _core.copy(weights), a.size)
            if sums.size != a.size:
                raise IndexError(f"index {sums.size - 1} is out of bounds for axis 0 with size {a.size}")
            self(a, sums, out=a)
            return None
    args = (a, indices) if b is None else (a, indices, b)
    _fallback.call("at", _peer(self).at, args, {})
    return None


_core.ufunc.reduce = _ufunc_reduce
_core.ufunc.accumulate = _ufunc_accumulate
_core.ufunc.reduceat = _ufunc_reduceat
_core.ufunc.outer = _ufunc_outer
_core.ufunc.at = _ufunc_at
for _name in ("__signature__", "types", "ntypes", "identity", "signature", "nargs"):
    setattr(_core.ufunc, _name, property(lambda self, _name=_name: getattr(_peer(self), _name)))
_core.ufunc.resolve_dtypes = lambda self, *args, **kwargs: _peer(self).resolve_dtypes(*args, **kwargs)
