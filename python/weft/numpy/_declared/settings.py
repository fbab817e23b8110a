"""Questions about dtypes, settings, printing, and what NumPy computes."""
# Made by python/declare.py from python/declared/settings.toml.

import numpy as _np

from .._errors import seterr as _errors_seterr
from .._fallback import elsewhere as _elsewhere, holds_foreign as _holds_foreign, on_copies as _on_copies
from .._info import (
    array2string as _info_array2string, array_repr as _info_array_repr, array_str as _info_array_str, can_cast as _info_can_cast,
    common_type as _info_common_type, finfo as _info_finfo, iinfo as _info_iinfo, isdtype as _info_isdtype, isfortran as _info_isfortran,
    isscalar as _info_isscalar, min_scalar_type as _info_min_scalar_type, ndenumerate as _info_ndenumerate,
)

__all__ = [
    "array2string", "array_repr", "array_str", "asmatrix", "bmat", "can_cast", "common_type", "finfo", "frompyfunc", "fromregex", "iinfo",
    "isdtype", "isfortran", "isscalar", "min_scalar_type", "ndenumerate", "nested_iters", "seterr",
]

# The module of a function is the public one.
__name__ = "weft.numpy"


def array2string(a, *args, **kwargs):
    """The elements as text."""
    try:
        return _info_array2string(a, *args, **kwargs)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "args"):
            raise
    return _elsewhere(array2string, given)


def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    """The array as text that recreates it (`repr`)."""
    try:
        return _info_array_repr(arr, max_line_width, precision, suppress_small)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "arr"):
            raise
    return _elsewhere(array_repr, given)


def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    """The elements as text."""
    try:
        return _info_array_str(a, max_line_width, precision, suppress_small)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(array_str, given)


def asmatrix(data, dtype=None):
    """Converts an array to a matrix."""
    return _on_copies(_np.asmatrix, data, dtype)


def bmat(obj, ldict=None, gdict=None):
    """A matrix of blocks."""
    return _on_copies(_np.bmat, obj, ldict, gdict)


def can_cast(from_, to, casting='safe'):
    """Whether one dtype can be cast to another by a rule."""
    try:
        return _info_can_cast(from_, to, casting)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "from_", "to"):
            raise
    return _elsewhere(can_cast, given)


def common_type(*arrays):
    """The inexact type that is common to arrays."""
    try:
        return _info_common_type(*arrays)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "arrays"):
            raise
    return _elsewhere(common_type, given)


def finfo(dtype):
    """The limits of a floating dtype."""
    try:
        return _info_finfo(dtype)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given):
            raise
    return _elsewhere(finfo, given)


def frompyfunc(func, /, nin, nout, **kwargs):
    """A universal function of objects that calls a Python function."""
    return _on_copies(_np.frompyfunc, func, nin, nout, **kwargs)


def fromregex(file, regexp, dtype, encoding=None):
    """Records from text that matches a pattern."""
    return _on_copies(_np.fromregex, file, regexp, dtype, encoding)


def iinfo(dtype):
    """The limits of an integer dtype."""
    try:
        return _info_iinfo(dtype)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given):
            raise
    return _elsewhere(iinfo, given)


def isdtype(dtype, kind):
    """Whether a dtype is of a kind."""
    try:
        return _info_isdtype(dtype, kind)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given):
            raise
    return _elsewhere(isdtype, given)


def isfortran(a):
    """Whether the elements lie in column-major order, and not in row-major order."""
    try:
        return _info_isfortran(a)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(isfortran, given)


def isscalar(element):
    """Whether an object is a single number or text."""
    try:
        return _info_isscalar(element)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "element"):
            raise
    return _elsewhere(isscalar, given)


def min_scalar_type(a):
    """The smallest dtype for a value."""
    try:
        return _info_min_scalar_type(a)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(min_scalar_type, given)


def ndenumerate(arr):
    """Iterates over the indices and elements of an array."""
    try:
        return _info_ndenumerate(arr)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "arr"):
            raise
    return _elsewhere(ndenumerate, given)


def nested_iters(op, axes, flags=None, op_flags=None, op_dtypes=None, order='K', casting='safe', buffersize=0):
    """Nested iterators over NumPy's arrays."""
    return _on_copies(_np.nested_iters, op, axes, flags, op_flags, op_dtypes, order, casting, buffersize)


def seterr(all=None, divide=None, over=None, under=None, invalid=None):
    """Sets how NumPy handles floating-point errors."""
    try:
        return _errors_seterr(all, divide, over, under, invalid)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given):
            raise
    return _elsewhere(seterr, given)


#: NumPy's own, where the installed NumPy has loaded them.
_SAME = [
    "base_repr", "binary_repr", "broadcast_shapes", "busday_count", "busday_offset", "datetime_as_string", "datetime_data",
    "format_float_positional", "format_float_scientific", "get_include", "get_printoptions", "getbufsize", "geterr", "geterrcall", "info",
    "is_busday", "issubdtype", "iterable", "mintypecode", "printoptions", "promote_types", "set_printoptions", "setbufsize", "seterrcall",
    "show_config", "show_runtime", "test", "typename",
]
_same = {name: vars(_np)[name] for name in _SAME if name in vars(_np)}
globals().update(_same)
__all__ += _same
