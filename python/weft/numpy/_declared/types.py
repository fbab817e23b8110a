"""Types, constants, classes and modules."""
# Made by python/declare.py from python/declared/types.toml.

import numpy as _np

from .._array import array_type as ndarray
from .._errors import errstate
from .._fallback import FallbackError, FallbackWarning
from .._flat import flatiter
from .._math import vectorize
from .._ufunc import ufunc

__all__ = ["FallbackError", "FallbackWarning", "errstate", "flatiter", "ndarray", "ufunc", "vectorize"]


#: NumPy's own, where the installed NumPy has loaded them.
_SAME = [
    "False_", "ScalarType", "True_", "bool", "bool_", "broadcast", "busdaycalendar", "byte", "bytes_", "cdouble", "character",
    "clongdouble", "complex128", "complex256", "complex64", "complexfloating", "csingle", "datetime64", "double", "dtype", "dtypes", "e",
    "emath", "euler_gamma", "exceptions", "flexible", "float128", "float16", "float32", "float64", "floating", "generic", "half", "inexact",
    "inf", "int16", "int32", "int64", "int8", "int_", "intc", "integer", "intp", "little_endian", "long", "longdouble", "longlong",
    "matrix", "matrixlib", "memmap", "nan", "ndindex", "nditer", "newaxis", "number", "object_", "pi", "poly1d", "recarray", "record",
    "sctypeDict", "short", "signedinteger", "single", "str_", "timedelta64", "typecodes", "ubyte", "uint", "uint16", "uint32", "uint64",
    "uint8", "uintc", "uintp", "ulong", "ulonglong", "unsignedinteger", "ushort", "version", "void",
]
_same = {name: vars(_np)[name] for name in _SAME if name in vars(_np)}
globals().update(_same)
__all__ += _same
