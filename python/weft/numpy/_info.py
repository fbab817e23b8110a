"""Functions about dtypes and properties of arrays, and arrays as text."""

import numpy as _np

from .. import _core
from ._array import ndarray, number


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
    """Whether the array is column-major, and not row-major."""
    return a.flags.fnc


def ndenumerate(arr):
    """Iterates over the indices and elements of an array."""
    return _np.ndenumerate(_np.asarray(arr))


def array2string(a, *args, **kwargs):
    """The elements as text."""
    return _np.array2string(_np.asarray(a), *args, **kwargs)


def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    """The array as text that recreates it (`repr`)."""
    if isinstance(arr, number):
        arr = _core.known_number(arr)
    return _np.array_repr(arr if isinstance(arr, _np.generic) else _np.asarray(arr), max_line_width, precision, suppress_small)


def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    """The elements as text."""
    return _np.array_str(_np.asarray(a), max_line_width, precision, suppress_small)


def get_array_wrap(*arrays):
    """Nothing: results are arrays of Weft."""
    return None


class _Info:
    """The array API's information about the namespace."""

    __module__ = "weft.numpy"

    def capabilities(self):
        """The supported features."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 8}

    def default_device(self):
        """The default device."""
        return "cpu"

    def devices(self):
        """The devices."""
        return ("cpu",)

    def default_dtypes(self, *, device=None):
        """The dtypes of arrays for which none is given."""
        return _np.__array_namespace_info__().default_dtypes(device=device)

    def dtypes(self, *, device=None, kind=None):
        """The dtypes there are."""
        return _np.__array_namespace_info__().dtypes(device=device, kind=kind)


def __array_namespace_info__():
    """The array API's information about the namespace."""
    return _Info()
