"""NumPy's interface on Weft's runtime: ``import weft.numpy as np``.

Calls return at once and arrays are computed later; reading a value waits. What Weft does not have is computed by NumPy, with a warning
that names the line (see WEFT_FALLBACK).
"""

import numpy as _np

from .. import _core as _weft
from . import _array, _bits, _borrowed, _create, _fallback, _grids, _index, _math, _methods, _pad, _products, _quantile, _reduce, _shape, _sort, _strides, _ufunc, _ufunc_methods
from . import fft, linalg, random
from ._array import array, asarray, ndarray, result_type
from ._fallback import FallbackError, FallbackWarning
from ._methods import flatiter

_weft.register(_array.make, _index.getitem, _index.setitem, _ufunc.call)

ufunc = _weft.ufunc

#: Modules whose public functions are those of this one.
_SOURCES = (_bits, _create, _grids, _math, _pad, _products, _quantile, _reduce, _shape, _sort)

#: Functions that NumPy makes of its others, and Weft of its own in the same way.
_BORROWED = {
    "bartlett", "blackman", "geomspace", "hamming", "hanning", "histogram2d", "histogramdd", "i0", "kaiser", "mask_indices", "poly",
    "polyadd", "polyder", "polydiv", "polyfit", "polyint", "polymul", "polysub", "roots", "unwrap",
}  # fmt: skip

#: How each name of NumPy is had: `weft`, `numpy` (by falling back) or `same` (NumPy's own object, which needs no arrays).
status = {}


def _adopt():
    own = globals()
    # Two names of one function stay one object.
    guarded = {}
    for module in _SOURCES:
        for name, value in vars(module).items():
            is_public = not name.startswith("_") and hasattr(_np, name)
            if is_public and (getattr(value, "__module__", "").startswith(__name__) or name in _OBJECTS):
                theirs = getattr(_np, name)
                plain = callable(value) and callable(theirs) and not isinstance(value, (type, _weft.ufunc))
                if plain and value not in guarded:
                    guarded[value] = _fallback.guarded(value, theirs)
                own.setdefault(name, guarded[value] if plain else value)
    # What NumPy itself has loaded: its other modules are loaded when they are asked for.
    for name, value in vars(_np).items():
        if name.startswith("_") or name in own or name == "lib":
            continue
        if name in _BORROWED:
            own[name] = _borrowed.borrow(name)
        elif isinstance(value, _np.ufunc):
            own[name] = _ufunc.get(value.__name__)
        elif name in _SAME or isinstance(value, type) or not callable(value):
            own[name] = value
        else:
            own[name] = _fallback.function(name, value)


def _note_status():
    for name, theirs in vars(_np).items():
        if name.startswith("_") or name not in globals():
            continue
        value = globals()[name]
        if getattr(value, "__weft_fallback__", False):
            status[name] = "numpy"
        else:
            status[name] = "same" if value is theirs else "weft"


#: NumPy's own modules, which it loads when they are asked for.
_LATE = {"char", "core", "ctypeslib", "emath", "ma", "matlib", "rec", "strings", "testing", "typing"}

_OBJECTS = {"mgrid", "ogrid", "r_", "c_", "s_", "index_exp"}

#: Functions of NumPy that look at dtypes, shapes and settings, never at elements.
_SAME = {
    "array2string", "broadcast_shapes", "can_cast", "einsum_path", "finfo", "format_float_positional",
    "format_float_scientific", "get_include", "get_printoptions", "getbufsize", "geterr", "geterrcall", "iinfo", "info",
    "isdtype", "issubdtype", "iterable", "min_scalar_type", "mintypecode", "printoptions", "promote_types", "set_printoptions",
    "setbufsize", "seterr", "seterrcall", "show_config", "show_runtime", "typename", "base_repr", "binary_repr", "isscalar",
    "ndindex", "busday_count", "busday_offset", "is_busday", "datetime_as_string", "datetime_data", "test",
}  # fmt: skip

_adopt()

ndarray.__doc__ = _np.ndarray.__doc__
asanyarray = asarray
abs = _ufunc.get("absolute")
newaxis = None
_NoValue = _np._NoValue


def ascontiguousarray(a, dtype=None, *, like=None):
    """An array in row-major order, of one axis at least."""
    made = array(a, dtype, copy=None)
    if isinstance(made, ndarray) and not made.flags.c_contiguous:
        made = _weft.copy(made)
    return made.reshape(1) if made.ndim == 0 else made


def asfortranarray(a, dtype=None, *, like=None):
    """The array itself: Weft chooses how its arrays lie."""
    return asarray(a, dtype)


def require(a, dtype=None, requirements=None, *, like=None):
    """An array with what is required of its memory."""
    return ascontiguousarray(a, dtype) if requirements else asarray(a, dtype)


def can_cast(from_, to, casting="safe"):
    """Whether one dtype can be cast to another by a rule."""
    return _np.can_cast(from_.dtype if isinstance(from_, ndarray) else from_, to, casting)


def isscalar(element):
    """Whether an object is a single number or text."""
    return _np.isscalar(element)


def isdtype(dtype, kind):
    """Whether a dtype is of a kind."""
    return _np.isdtype(dtype, kind)


def finfo(dtype):
    """The limits of a floating dtype."""
    return _np.finfo(dtype.dtype if isinstance(dtype, ndarray) else dtype)


def iinfo(dtype):
    """The limits of an integer dtype."""
    return _np.iinfo(dtype.dtype if isinstance(dtype, ndarray) else dtype)


def min_scalar_type(a):
    """The smallest dtype for a value."""
    return a.dtype if isinstance(a, ndarray) and a.ndim else _np.min_scalar_type(_np.asarray(a))


def common_type(*arrays):
    """The inexact type that is common to arrays."""
    return _np.common_type(*(_np.empty(0, one.dtype) if isinstance(one, ndarray) else one for one in arrays))


def isfortran(a):
    """Whether the elements lie in column-major order, and not in row-major order."""
    return a.flags.fnc


def ndenumerate(arr):
    """Places and elements of an array."""
    return _np.ndenumerate(_np.asarray(arr))


def array2string(a, *args, **kwargs):
    """The elements as text."""
    return _np.array2string(_np.asarray(a), *args, **kwargs)


def array_repr(arr, *args, **kwargs):
    """The elements as text that makes the array."""
    return _np.array_repr(_np.asarray(arr), *args, **kwargs)


def array_str(a, *args, **kwargs):
    """The elements as text."""
    return _np.array_str(_np.asarray(a), *args, **kwargs)


def save(file, arr, allow_pickle=False):
    """Writes an array to an npy file."""
    return _np.save(file, _np.asarray(arr), allow_pickle=allow_pickle)


def savez(file, *args, **kwds):
    """Writes arrays to an npz file."""
    return _np.savez(file, *map(_np.asarray, args), **{name: _np.asarray(one) for name, one in kwds.items()})


def savez_compressed(file, *args, **kwds):
    """Writes arrays to a compressed npz file."""
    return _np.savez_compressed(file, *map(_np.asarray, args), **{name: _np.asarray(one) for name, one in kwds.items()})


def savetxt(fname, X, *args, **kwargs):
    """Writes an array as text."""
    return _np.savetxt(fname, _np.asarray(X), *args, **kwargs)


class _Loaded:
    """The arrays of an npz file."""

    def __init__(self, file):
        self._file = file
        self.files = file.files

    def __getitem__(self, name):
        return _array.from_host(self._file[name])

    def __iter__(self):
        return iter(self.files)

    def __len__(self):
        return len(self.files)

    def __contains__(self, name):
        return name in self._file

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._file.close()

    def close(self):
        """Closes the file."""
        self._file.close()

    def keys(self):
        """The names."""
        return self._file.keys()

    def items(self):
        """The names with their arrays."""
        return ((name, self[name]) for name in self.files)


def load(file, mmap_mode=None, allow_pickle=False, **kwargs):
    """Reads an array, or several, from a file. Pickles are refused."""
    if allow_pickle:
        raise ValueError("Weft reads no pickles: numpy.load reads files that you trust")
    made = _np.load(file, mmap_mode, **kwargs)
    return _array.from_host(made) if isinstance(made, _np.ndarray) else _Loaded(made)


def from_dlpack(x, /, *, device=None, copy=None):
    """An array in the memory of one of another library; a copy where `copy` asks for it, or where there is no other way."""
    _array.check_device(device)
    if isinstance(x, ndarray):
        return _weft.copy(x) if copy else x
    return _array.borrowed(_np.from_dlpack(x), copy)


def get_array_wrap(*arrays):
    """Nothing: results are arrays of Weft."""
    return None


class _Info:
    """What the array API asks of a namespace."""

    __module__ = "weft.numpy"

    def capabilities(self):
        """What works."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 8}

    def default_device(self):
        """Where arrays are made."""
        return "cpu"

    def devices(self):
        """Where arrays can be."""
        return ("cpu",)

    def default_dtypes(self, *, device=None):
        """The dtypes of arrays for which none is given."""
        return _np.__array_namespace_info__().default_dtypes(device=device)

    def dtypes(self, *, device=None, kind=None):
        """The dtypes there are."""
        return _np.__array_namespace_info__().dtypes(device=device, kind=kind)


def __array_namespace_info__():
    """What the array API asks of a namespace."""
    return _Info()


_note_status()

__array_api_version__ = "2025.12"
__version__ = _np.__version__
__all__ = sorted({name for name in status} | {"FallbackError", "FallbackWarning"})


def __getattr__(name):
    if name == "polynomial":
        import importlib

        return importlib.import_module("weft.numpy.polynomial")
    if name == "_core":
        value = globals()[name] = _borrowed.Mirror(_np._core)
        return value
    if name == "lib":
        value = globals()[name] = _borrowed.Mirror(_np.lib)
        value.stride_tricks = _strides
        return value
    if name in _LATE or (name.startswith("_") and hasattr(_np, name)):
        value = globals()[name] = getattr(_np, name)
        return value
    raise AttributeError(f"module 'weft.numpy' has no attribute '{name}'")


def __dir__():
    return __all__


