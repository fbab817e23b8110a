# Made by python/declare.py from python/declared/: change the tables there.
# mypy: disable-error-code="override, misc, overload-overlap"

from . import fft as fft
from . import linalg as linalg
from . import polynomial as polynomial
from . import random as random
from . import testing as testing
from builtins import bool as _bool, dict as _dict, float as _float, int as _int, list as _list, slice as _slice, str as _str, tuple as _tuple, type as _type
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from numpy import base_repr as base_repr
from numpy import binary_repr as binary_repr
from numpy import bool as bool
from numpy import bool_ as bool_
from numpy import broadcast as broadcast
from numpy import broadcast_shapes as broadcast_shapes
from numpy import busday_count as busday_count
from numpy import busday_offset as busday_offset
from numpy import busdaycalendar as busdaycalendar
from numpy import byte as byte
from numpy import bytes_ as bytes_
from numpy import cdouble as cdouble
from numpy import char as char
from numpy import character as character
from numpy import clongdouble as clongdouble
from numpy import complex128 as complex128
from numpy import complex256 as complex256
from numpy import complex64 as complex64
from numpy import complexfloating as complexfloating
from numpy import core as core
from numpy import csingle as csingle
from numpy import ctypeslib as ctypeslib
from numpy import datetime64 as datetime64
from numpy import datetime_as_string as datetime_as_string
from numpy import datetime_data as datetime_data
from numpy import double as double
from numpy import dtype as _dtype
from numpy import dtype as dtype
from numpy import dtypes as dtypes
from numpy import emath as emath
from numpy import errstate as errstate
from numpy import exceptions as exceptions
from numpy import f2py as f2py
from numpy import flexible as flexible
from numpy import float128 as float128
from numpy import float16 as float16
from numpy import float32 as float32
from numpy import float64 as float64
from numpy import floating as floating
from numpy import format_float_positional as format_float_positional
from numpy import format_float_scientific as format_float_scientific
from numpy import generic as generic
from numpy import get_include as get_include
from numpy import get_printoptions as get_printoptions
from numpy import getbufsize as getbufsize
from numpy import geterr as geterr
from numpy import geterrcall as geterrcall
from numpy import half as half
from numpy import inexact as inexact
from numpy import info as info
from numpy import int16 as int16
from numpy import int32 as int32
from numpy import int64 as int64
from numpy import int8 as int8
from numpy import int_ as int_
from numpy import intc as intc
from numpy import integer as integer
from numpy import intp as intp
from numpy import is_busday as is_busday
from numpy import issubdtype as issubdtype
from numpy import iterable as iterable
from numpy import lib as lib
from numpy import long as long
from numpy import longdouble as longdouble
from numpy import longlong as longlong
from numpy import ma as ma
from numpy import matrix as matrix
from numpy import matrixlib as matrixlib
from numpy import memmap as memmap
from numpy import mintypecode as mintypecode
from numpy import ndindex as ndindex
from numpy import nditer as nditer
from numpy import number as number
from numpy import object_ as object_
from numpy import poly1d as poly1d
from numpy import printoptions as printoptions
from numpy import promote_types as promote_types
from numpy import rec as rec
from numpy import recarray as recarray
from numpy import record as record
from numpy import set_printoptions as set_printoptions
from numpy import setbufsize as setbufsize
from numpy import seterrcall as seterrcall
from numpy import short as short
from numpy import show_config as show_config
from numpy import show_runtime as show_runtime
from numpy import signedinteger as signedinteger
from numpy import single as single
from numpy import str_ as str_
from numpy import strings as strings
from numpy import test as test
from numpy import timedelta64 as timedelta64
from numpy import typename as typename
from numpy import typing as typing
from numpy import ubyte as ubyte
from numpy import uint as uint
from numpy import uint16 as uint16
from numpy import uint32 as uint32
from numpy import uint64 as uint64
from numpy import uint8 as uint8
from numpy import uintc as uintc
from numpy import uintp as uintp
from numpy import ulong as ulong
from numpy import ulonglong as ulonglong
from numpy import unsignedinteger as unsignedinteger
from numpy import ushort as ushort
from numpy import version as version
from numpy import void as void
from numpy._globals import _NoValueType
from numpy.typing import ArrayLike
from numpy.typing import DTypeLike
from os import PathLike
from typing import Any
from typing import IO
from typing import TypeAlias
from weft._core import ndarray as ndarray
from weft._core import ufunc as ufunc

_File: TypeAlias = _str | PathLike[_str] | IO[Any]
_Axes: TypeAlias = _int | Sequence[_int] | None
_Out: TypeAlias = ndarray | _tuple[ndarray, ...] | None
_Shape: TypeAlias = _int | Sequence[_int]

__all__ = [
    "FallbackError",
    "FallbackWarning",
    "False_",
    "ScalarType",
    "True_",
    "abs",
    "absolute",
    "acos",
    "acosh",
    "add",
    "all",
    "allclose",
    "amax",
    "amin",
    "angle",
    "any",
    "append",
    "apply_along_axis",
    "apply_over_axes",
    "arange",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmin",
    "argpartition",
    "argsort",
    "argwhere",
    "around",
    "array",
    "array2string",
    "array_equal",
    "array_equiv",
    "array_repr",
    "array_split",
    "array_str",
    "asanyarray",
    "asarray",
    "asarray_chkfinite",
    "ascontiguousarray",
    "asfortranarray",
    "asin",
    "asinh",
    "asmatrix",
    "astype",
    "atan",
    "atan2",
    "atanh",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "average",
    "bartlett",
    "base_repr",
    "binary_repr",
    "bincount",
    "bitwise_and",
    "bitwise_count",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "blackman",
    "block",
    "bmat",
    "bool",
    "bool_",
    "broadcast",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "busday_count",
    "busday_offset",
    "busdaycalendar",
    "byte",
    "bytes_",
    "c_",
    "can_cast",
    "cbrt",
    "cdouble",
    "ceil",
    "character",
    "choose",
    "clip",
    "clongdouble",
    "column_stack",
    "common_type",
    "complex128",
    "complex256",
    "complex64",
    "complexfloating",
    "compress",
    "concat",
    "concatenate",
    "conj",
    "conjugate",
    "convolve",
    "copy",
    "copysign",
    "copyto",
    "corrcoef",
    "correlate",
    "cos",
    "cosh",
    "count_nonzero",
    "cov",
    "cross",
    "csingle",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "datetime64",
    "datetime_as_string",
    "datetime_data",
    "deg2rad",
    "degrees",
    "delete",
    "diag",
    "diag_indices",
    "diag_indices_from",
    "diagflat",
    "diagonal",
    "diff",
    "digitize",
    "divide",
    "divmod",
    "dot",
    "double",
    "dsplit",
    "dstack",
    "dtype",
    "dtypes",
    "e",
    "ediff1d",
    "einsum",
    "einsum_path",
    "emath",
    "empty",
    "empty_like",
    "equal",
    "errstate",
    "euler_gamma",
    "exceptions",
    "exp",
    "exp2",
    "expand_dims",
    "expm1",
    "extract",
    "eye",
    "fabs",
    "fft",
    "fill_diagonal",
    "finfo",
    "fix",
    "flatiter",
    "flatnonzero",
    "flexible",
    "flip",
    "fliplr",
    "flipud",
    "float128",
    "float16",
    "float32",
    "float64",
    "float_power",
    "floating",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "format_float_positional",
    "format_float_scientific",
    "frexp",
    "from_dlpack",
    "frombuffer",
    "fromfile",
    "fromfunction",
    "fromiter",
    "frompyfunc",
    "fromregex",
    "fromstring",
    "full",
    "full_like",
    "gcd",
    "generic",
    "genfromtxt",
    "geomspace",
    "get_include",
    "get_printoptions",
    "getbufsize",
    "geterr",
    "geterrcall",
    "gradient",
    "greater",
    "greater_equal",
    "half",
    "hamming",
    "hanning",
    "heaviside",
    "histogram",
    "histogram2d",
    "histogram_bin_edges",
    "histogramdd",
    "hsplit",
    "hstack",
    "hypot",
    "i0",
    "identity",
    "iinfo",
    "imag",
    "index_exp",
    "indices",
    "inexact",
    "inf",
    "info",
    "inner",
    "insert",
    "int16",
    "int32",
    "int64",
    "int8",
    "int_",
    "intc",
    "integer",
    "interp",
    "intersect1d",
    "intp",
    "invert",
    "is_busday",
    "isclose",
    "iscomplex",
    "iscomplexobj",
    "isdtype",
    "isfinite",
    "isfortran",
    "isin",
    "isinf",
    "isnan",
    "isnat",
    "isneginf",
    "isposinf",
    "isreal",
    "isrealobj",
    "isscalar",
    "issubdtype",
    "iterable",
    "ix_",
    "kaiser",
    "kron",
    "lcm",
    "ldexp",
    "left_shift",
    "less",
    "less_equal",
    "lexsort",
    "linalg",
    "linspace",
    "little_endian",
    "load",
    "loadtxt",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logspace",
    "long",
    "longdouble",
    "longlong",
    "mask_indices",
    "matmul",
    "matrix",
    "matrix_transpose",
    "matrixlib",
    "matvec",
    "max",
    "maximum",
    "may_share_memory",
    "mean",
    "median",
    "memmap",
    "meshgrid",
    "mgrid",
    "min",
    "min_scalar_type",
    "minimum",
    "mintypecode",
    "mod",
    "modf",
    "moveaxis",
    "multiply",
    "nan",
    "nan_to_num",
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmedian",
    "nanmin",
    "nanpercentile",
    "nanprod",
    "nanquantile",
    "nanstd",
    "nansum",
    "nanvar",
    "ndarray",
    "ndenumerate",
    "ndim",
    "ndindex",
    "nditer",
    "negative",
    "nested_iters",
    "newaxis",
    "nextafter",
    "nonzero",
    "not_equal",
    "number",
    "object_",
    "ogrid",
    "ones",
    "ones_like",
    "outer",
    "packbits",
    "pad",
    "partition",
    "percentile",
    "permute_dims",
    "pi",
    "piecewise",
    "place",
    "poly",
    "poly1d",
    "polyadd",
    "polyder",
    "polydiv",
    "polyfit",
    "polyint",
    "polymul",
    "polysub",
    "polyval",
    "positive",
    "pow",
    "power",
    "printoptions",
    "prod",
    "promote_types",
    "ptp",
    "put",
    "put_along_axis",
    "putmask",
    "quantile",
    "r_",
    "rad2deg",
    "radians",
    "random",
    "ravel",
    "ravel_multi_index",
    "real",
    "real_if_close",
    "recarray",
    "reciprocal",
    "record",
    "remainder",
    "repeat",
    "require",
    "reshape",
    "resize",
    "result_type",
    "right_shift",
    "rint",
    "roll",
    "rollaxis",
    "roots",
    "rot90",
    "round",
    "row_stack",
    "s_",
    "save",
    "savetxt",
    "savez",
    "savez_compressed",
    "sctypeDict",
    "searchsorted",
    "select",
    "set_printoptions",
    "setbufsize",
    "setdiff1d",
    "seterr",
    "seterrcall",
    "setxor1d",
    "shape",
    "shares_memory",
    "short",
    "show_config",
    "show_runtime",
    "sign",
    "signbit",
    "signedinteger",
    "sin",
    "sinc",
    "single",
    "sinh",
    "size",
    "sort",
    "sort_complex",
    "spacing",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "str_",
    "subtract",
    "sum",
    "swapaxes",
    "take",
    "take_along_axis",
    "tan",
    "tanh",
    "tensordot",
    "test",
    "tile",
    "timedelta64",
    "trace",
    "transpose",
    "trapezoid",
    "tri",
    "tril",
    "tril_indices",
    "tril_indices_from",
    "trim_zeros",
    "triu",
    "triu_indices",
    "triu_indices_from",
    "true_divide",
    "trunc",
    "typecodes",
    "typename",
    "ubyte",
    "ufunc",
    "uint",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "uintc",
    "uintp",
    "ulong",
    "ulonglong",
    "union1d",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "unpackbits",
    "unravel_index",
    "unsignedinteger",
    "unstack",
    "unwrap",
    "ushort",
    "vander",
    "var",
    "vdot",
    "vecdot",
    "vecmat",
    "vectorize",
    "version",
    "void",
    "vsplit",
    "vstack",
    "where",
    "zeros",
    "zeros_like",
]

__version__: _str
__array_api_version__: _str
class FallbackError(NotImplementedError):
    ...
class FallbackWarning(UserWarning):
    ...
False_: Any
ScalarType: Any
True_: Any
abs: ufunc
absolute: ufunc
acos: ufunc
acosh: ufunc
add: ufunc
def all(a: ArrayLike, axis: _Axes = None, out: _Out = None, keepdims: _bool | _NoValueType = ..., *, where: ArrayLike | _NoValueType = ...) -> ndarray: ...
def allclose(a: ArrayLike, b: ArrayLike, rtol: ArrayLike = 1e-05, atol: ArrayLike = 1e-08, equal_nan: _bool = False) -> _bool: ...
def amax(a: ArrayLike, axis: _Axes = None, out: _Out = None, keepdims: _bool | _NoValueType = ..., initial: ArrayLike | _NoValueType = ..., where: ArrayLike | _NoValueType = ...) -> ndarray: ...
def amin(a: ArrayLike, axis: _Axes = None, out: _Out = None, keepdims: _bool | _NoValueType = ..., initial: ArrayLike | _NoValueType = ..., where: ArrayLike | _NoValueType = ...) -> ndarray: ...
def angle(z: ArrayLike, deg: _bool = False) -> ndarray: ...
def any(a: ArrayLike, axis: _Axes = None, out: _Out = None, keepdims: _bool | _NoValueType = ..., *, where: ArrayLike | _NoValueType = ...) -> ndarray: ...
def append(arr: ArrayLike, values: ArrayLike, axis: _int | None = None) -> ndarray: ...
def apply_along_axis(func1d: Callable[..., Any], axis: _int, arr: ArrayLike, *args: Any, **kwargs: Any) -> Any: ...
def apply_over_axes(func: Callable[..., Any], a: ArrayLike, axes: _int | Sequence[_int]) -> ndarray: ...
def arange(start: ArrayLike | _NoValueType = ..., stop: ArrayLike | None = None, step: ArrayLike = 1, dtype: DTypeLike | None = None, *, device: _str | None = None, like: Any = None) -> ndarray: ...
arccos: ufunc
arccosh: ufunc
arcsin: ufunc
arcsinh: ufunc
arctan: ufunc
arctan2: ufunc
arctanh: ufunc
def argmax(a: ArrayLike, axis: _int | None = None, out: _Out = None, *, keepdims: _bool | _NoValueType = ...) -> ndarray: ...
def argmin(a: ArrayLike, axis: _int | None = None, out: _Out = None, *, keepdims: _bool | _NoValueType = ...) -> ndarray: ...
def argpartition(a: ArrayLike, kth: _int | Sequence[_int], axis: _int = -1, kind: _str = 'introselect', order: _str | None = None) -> ndarray: ...
def argsort(a: ArrayLike, axis: _int = -1, kind: _str | None = None, order: _str | None = None, *, stable: _bool | None = None, descending: _bool = False) -> ndarray: ...
def argwhere(a: ArrayLike) -> ndarray: ...
def around(a: ArrayLike, decimals: _int = 0, out: _Out = None) -> ndarray: ...
def array(object: Any, dtype: DTypeLike | None = None, *, copy: _bool | None = True, order: _str = 'K', subok: _bool = False, ndmin: _int = 0, ndmax: _int = 64, like: Any = None, device: _str | None = None) -> ndarray: ...
def array2string(a: ArrayLike, *args: Any, **kwargs: Any) -> _str: ...
def array_equal(a1: ArrayLike, a2: ArrayLike, equal_nan: _bool = False) -> _bool: ...
def array_equiv(a1: ArrayLike, a2: ArrayLike) -> _bool: ...
def array_repr(arr: ArrayLike, max_line_width: _int | None = None, precision: _int | None = None, suppress_small: _bool | None = None) -> _str: ...
def array_split(ary: ArrayLike, indices_or_sections: _int | ArrayLike, axis: _int = 0) -> _list[ndarray]: ...
def array_str(a: ArrayLike, max_line_width: _int | None = None, precision: _int | None = None, suppress_small: _bool | None = None) -> _str: ...
def asanyarray(a: Any, dtype: DTypeLike | None = None, order: _str | None = None, *, device: _str | None = None, copy: _bool | None = None, like: Any = None) -> ndarray: ...
def asarray(a: Any, dtype: DTypeLike | None = None, order: _str | None = None, *, device: _str | None = None, copy: _bool | None = None, like: Any = None) -> ndarray: ...
def asarray_chkfinite(a: ArrayLike, dtype: DTypeLike | None = None, order: _str | None = None) -> ndarray: ...
def ascontiguousarray(a: ArrayLike, dtype: DTypeLike | None = None, *, like: Any = None) -> ndarray: ...
def asfortranarray(a: ArrayLike, dtype: DTypeLike | None = None, *, like: Any = None) -> ndarray: ...
asin: ufunc
asinh: ufunc
def asmatrix(data: ArrayLike, dtype: DTypeLike | None = None) -> Any: ...
def astype(x: ArrayLike, dtype: DTypeLike, /, *, copy: _bool = True, device: _str | None = None) -> ndarray: ...
atan: ufunc
atan2: ufunc
atanh: ufunc
def atleast_1d(*arys: ArrayLike) -> Any: ...
def atleast_2d(*arys: ArrayLike) -> Any: ...
def atleast_3d(*arys: ArrayLike) -> Any: ...
def average(a: ArrayLike, axis: _Axes = None, weights: ArrayLike | None = None, returned: _bool = False, *, keepdims: _bool | _NoValueType = ...) -> Any: ...
def bartlett(M: _int) -> ndarray: ...
def bincount(x: ArrayLike, /, weights: ArrayLike | None = None, minlength: _int = 0) -> ndarray: ...
bitwise_and: ufunc
bitwise_count: ufunc
bitwise_invert: ufunc
bitwise_left_shift: ufunc
bitwise_not: ufunc
bitwise_or: ufunc
bitwise_right_shift: ufunc
bitwise_xor: ufunc
def blackman(M: _int) -> ndarray: ...
def block(arrays: Any) -> ndarray: ...
def bmat(obj: Any, ldict: Any = None, gdict: Any = None) -> Any: ...
def broadcast_arrays(*args: ArrayLike, subok: _bool = False) -> _tuple[ndarray, ...]: ...
def broadcast_to(array: ArrayLike, shape: _Shape, subok: _bool = False) -> ndarray: ...
c_: Any
def can_cast(from_: Any, to: Any, casting: _str = 'safe') -> _bool: ...
cbrt: ufunc
ceil: ufunc
def choose(a: ArrayLike, choices: Sequence[ArrayLike], out: _Out = None, mode: _str = 'raise') -> ndarray: ...
def clip(a: ArrayLike, a_min: ArrayLike | _NoValueType = ..., a_max: ArrayLike | _NoValueType = ..., out: _Out = None, *, min: ArrayLike | _NoValueType = ..., max: ArrayLike | _NoValueType = ..., **kwargs: Any) -> ndarray: ...
def column_stack(tup: Sequence[ArrayLike]) -> ndarray: ...
def common_type(*arrays: Any) -> _type[Any]: ...
def compress(condition: ArrayLike, a: ArrayLike, axis: _int | None = None, out: _Out = None) -> ndarray: ...
def concat(arrays: Sequence[ArrayLike], /, axis: _int | None = 0, out: _Out = None, *, dtype: DTypeLike | None = None, casting: _str = 'same_kind') -> ndarray: ...
def concatenate(arrays: Sequence[ArrayLike], /, axis: _int | None = 0, out: _Out = None, *, dtype: DTypeLike | None = None, casting: _str = 'same_kind') -> ndarray: ...
conj: ufunc
conjugate: ufunc
def convolve(a: ArrayLike, v: ArrayLike, mode: _str = 'full') -> ndarray: ...
def copy(a: ArrayLike, order: _str = 'K', subok: _bool = False) -> ndarray: ...
copysign: ufunc
def copyto(dst: ndarray, src: ArrayLike, casting: _str = 'same_kind', where: ArrayLike = True) -> None: ...
def corrcoef(x: ArrayLike, y: ArrayLike | None = None, rowvar: _bool = True, *, dtype: DTypeLike | None = None) -> ndarray: ...
def correlate(a: ArrayLike, v: ArrayLike, mode: _str = 'valid') -> ndarray: ...
cos: ufunc
cosh: ufunc
def count_nonzero(a: ArrayLike, axis: _Axes = None, *, keepdims: _bool = False) -> ndarray: ...
def cov(m: ArrayLike, y: ArrayLike | None = None, rowvar: _bool = True, bias: _bool = False, ddof: _float | None = None, fweights: ArrayLike | None = None, aweights: ArrayLike | None = None, *, dtype: DTypeLike | None = None) -> ndarray: ...
def cross(a: ArrayLike, b: ArrayLike, axisa: _int = -1, axisb: _int = -1, axisc: _int = -1, axis: _int | None = None) -> ndarray: ...
def cumprod(a: ArrayLike, axis: _int | None = None, dtype: DTypeLike | None = None, out: _Out = None) -> ndarray: ...
def cumsum(a: ArrayLike, axis: _int | None = None, dtype: DTypeLike | None = None, out: _Out = None) -> ndarray: ...
def cumulative_prod(x: ArrayLike, /, *, axis: _int | None = None, dtype: DTypeLike | None = None, out: _Out = None, include_initial: _bool = False) -> ndarray: ...
def cumulative_sum(x: ArrayLike, /, *, axis: _int | None = None, dtype: DTypeLike | None = None, out: _Out = None, include_initial: _bool = False) -> ndarray: ...
deg2rad: ufunc
degrees: ufunc
def delete(arr: ArrayLike, obj: _int | _slice | ArrayLike, axis: _int | None = None) -> ndarray: ...
def diag(v: ArrayLike, k: _int = 0) -> ndarray: ...
def diag_indices(n: _int, ndim: _int = 2) -> _tuple[ndarray, ...]: ...
def diag_indices_from(arr: ArrayLike) -> _tuple[ndarray, ...]: ...
def diagflat(v: ArrayLike, k: _int = 0) -> ndarray: ...
def diagonal(a: ArrayLike, offset: _int = 0, axis1: _int = 0, axis2: _int = 1) -> ndarray: ...
def diff(a: ArrayLike, n: _int = 1, axis: _int = -1, prepend: ArrayLike | _NoValueType = ..., append: ArrayLike | _NoValueType = ...) -> ndarray: ...
def digitize(x: ArrayLike, bins: ArrayLike, right: _bool = False) -> ndarray: ...
divide: ufunc
divmod: ufunc
def dot(a: ArrayLike, b: ArrayLike, out: _Out = None) -> ndarray: ...
def dsplit(ary: ArrayLike, indices_or_sections: _int | ArrayLike) -> _list[ndarray]: ...
def dstack(tup: Sequence[ArrayLike]) -> ndarray: ...
e: _float
def ediff1d(ary: ArrayLike, to_end: ArrayLike | None = None, to_begin: ArrayLike | None = None) -> ndarray: ...
def einsum(subscripts: _str | ArrayLike, *operands: Any, out: _Out = None, optimize: _bool | _str | Sequence[Any] = False, dtype: DTypeLike | None = None, order: _str = 'K', casting: _str = 'safe') -> ndarray: ...
def einsum_path(*operands: Any, **kwargs: Any) -> ndarray: ...
def empty(shape: _Shape, dtype: DTypeLike | None = ..., order: _str = 'C', *, device: _str | None = None, memory: _str | None = None, like: Any = None) -> ndarray: ...
def empty_like(prototype: ArrayLike, dtype: DTypeLike | None = None, order: _str = 'K', subok: _bool = True, shape: _Shape | None = None, *, device: _str | None = None) -> ndarray: ...
equal: ufunc
euler_gamma: _float
exp: ufunc
exp2: ufunc
def expand_dims(a: ArrayLike, axis: _int | Sequence[_int]) -> ndarray: ...
expm1: ufunc
def extract(condition: ArrayLike, arr: ArrayLike) -> ndarray: ...
def eye(N: _int, M: _int | None = None, k: _int = 0, dtype: DTypeLike | None = ..., order: _str = 'C', *, device: _str | None = None, like: Any = None) -> ndarray: ...
fabs: ufunc
def fill_diagonal(a: ArrayLike, val: ArrayLike, wrap: _bool = False) -> None: ...
def finfo(dtype: DTypeLike | None) -> Any: ...
def fix(x: ArrayLike, out: ndarray | None = None) -> ndarray: ...
class flatiter:
    def __array__(self, dtype: DTypeLike | None = None, /, *, copy: _bool | None = None) -> Any: ...
    def __eq__(self, other: Any, /) -> Any: ...
    def __ge__(self, other: Any, /) -> Any: ...
    def __getitem__(self, key: Any, /) -> Any: ...
    def __gt__(self, other: Any, /) -> Any: ...
    def __init__(self, array: ArrayLike) -> None: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __le__(self, other: Any, /) -> Any: ...
    def __len__(self) -> _int: ...
    def __lt__(self, other: Any, /) -> Any: ...
    def __ne__(self, other: Any, /) -> Any: ...
    def __next__(self) -> Any: ...
    def __setitem__(self, key: Any, value: ArrayLike, /) -> None: ...
    @property
    def base(self) -> ndarray: ...
    @property
    def coords(self) -> _tuple[_int, ...]: ...
    def copy(self, /) -> ndarray: ...
    @property
    def index(self) -> _int: ...
def flatnonzero(a: ArrayLike) -> ndarray: ...
def flip(m: ArrayLike, axis: _Axes = None) -> ndarray: ...
def fliplr(m: ArrayLike) -> ndarray: ...
def flipud(m: ArrayLike) -> ndarray: ...
float_power: ufunc
floor: ufunc
floor_divide: ufunc
fmax: ufunc
fmin: ufunc
fmod: ufunc
frexp: ufunc
def from_dlpack(x: ArrayLike, /, *, device: _str | None = None, copy: _bool | None = None) -> ndarray: ...
def frombuffer(buffer: Any, dtype: DTypeLike | None = None, count: _int = -1, offset: _int = 0, *, like: Any = None) -> ndarray: ...
def fromfile(file: _File, dtype: DTypeLike | None = None, count: _int = -1, sep: _str = '', offset: _int = 0, *, like: Any = None) -> ndarray: ...
def fromfunction(function: Callable[..., Any], shape: _Shape, *, dtype: DTypeLike | None = ..., like: Any = None, **kwargs: Any) -> Any: ...
def fromiter(iter: Iterable[Any], dtype: DTypeLike | None, count: _int = -1, *, like: Any = None) -> ndarray: ...
def frompyfunc(func: Callable[..., Any], /, nin: _int, nout: _int, **kwargs: Any) -> Any: ...
def fromregex(file: _File, regexp: Any, dtype: DTypeLike | None, encoding: Any = None) -> Any: ...
def fromstring(string: _str, dtype: DTypeLike = ..., count: _int = -1, *, sep: _str, like: Any = None) -> ndarray: ...
def full(shape: _Shape, fill_value: ArrayLike, dtype: DTypeLike | None = None, order: _str = 'C', *, device: _str | None = None, memory: _str | None = None, like: Any = None) -> ndarray: ...
def full_like(a: ArrayLike, fill_value: ArrayLike, dtype: DTypeLike | None = None, order: _str = 'K', subok: _bool = True, shape: _Shape | None = None, *, device: _str | None = None) -> ndarray: ...
gcd: ufunc
def genfromtxt(fname: _File | Iterable[_str], dtype: DTypeLike | None = ..., comments: _str | None = '#', delimiter: Any = None, skip_header: _int = 0, skip_footer: _int = 0, converters: Any = None, missing_values: Any = None, filling_values: Any = None, usecols: Any = None, names: Any = None, excludelist: Any = None, deletechars: _str = ..., replace_space: _str = '_', autostrip: _bool = False, case_sensitive: _bool | _str = True, defaultfmt: _str = 'f%i', unpack: _bool | None = None, usemask: _bool = False, loose: _bool = True, invalid_raise: _bool = True, max_rows: _int | None = None, encoding: _str | None = None, *, ndmin: _int = 0, like: Any = None) -> Any: ...
def geomspace(start: ArrayLike, stop: ArrayLike, num: _int = 50, endpoint: _bool = True, dtype: DTypeLike | None = None, axis: _int = 0) -> ndarray: ...
def gradient(f: ArrayLike, *varargs: ArrayLike, axis: _Axes = None, edge_order: _int = 1) -> Any: ...
greater: ufunc
greater_equal: ufunc
def hamming(M: _int) -> ndarray: ...
def hanning(M: _int) -> ndarray: ...
heaviside: ufunc
def histogram(a: ArrayLike, bins: Any = 10, range: _tuple[_float, _float] | None = None, density: _bool | None = None, weights: ArrayLike | None = None) -> _tuple[ndarray, ndarray]: ...
def histogram2d(x: ArrayLike, y: ArrayLike, bins: Any = 10, range: ArrayLike | None = None, density: _bool | None = None, weights: ArrayLike | None = None) -> _tuple[ndarray, ndarray, ndarray]: ...
def histogram_bin_edges(a: ArrayLike, bins: Any = 10, range: _tuple[_float, _float] | None = None, weights: ArrayLike | None = None) -> ndarray: ...
def histogramdd(sample: ArrayLike, bins: Any = 10, range: Sequence[Any] | None = None, density: _bool | None = None, weights: ArrayLike | None = None) -> _tuple[ndarray, Sequence[ndarray]]: ...
def hsplit(ary: ArrayLike, indices_or_sections: _int | ArrayLike) -> _list[ndarray]: ...
def hstack(tup: Sequence[ArrayLike], *, dtype: DTypeLike | None = None, casting: _str = 'same_kind') -> ndarray: ...
hypot: ufunc
def i0(x: ArrayLike) -> ndarray: ...
def identity(n: _int, dtype: DTypeLike | None = None, *, like: Any = None) -> ndarray: ...
def iinfo(dtype: DTypeLike | None) -> Any: ...
def imag(val: ArrayLike) -> ndarray: ...
index_exp: Any
def indices(dimensions: Sequence[_int], dtype: DTypeLike | None = ..., sparse: _bool = False) -> Any: ...
inf: _float
def inner(a: ArrayLike, b: ArrayLike, /) -> ndarray: ...
def insert(arr: ArrayLike, obj: _int | _slice | ArrayLike, values: ArrayLike, axis: _int | None = None) -> ndarray: ...
def interp(x: ArrayLike, xp: ArrayLike, fp: ArrayLike, left: _float | None = None, right: _float | None = None, period: _float | None = None) -> ndarray: ...
def intersect1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: _bool = False, return_indices: _bool = False) -> Any: ...
invert: ufunc
def isclose(a: ArrayLike, b: ArrayLike, rtol: ArrayLike = 1e-05, atol: ArrayLike = 1e-08, equal_nan: _bool = False) -> ndarray: ...
def iscomplex(x: ArrayLike) -> ndarray: ...
def iscomplexobj(x: ArrayLike) -> _bool: ...
def isdtype(dtype: DTypeLike | None, kind: _str | DTypeLike | _tuple[_str | DTypeLike, ...]) -> _bool: ...
isfinite: ufunc
def isfortran(a: ArrayLike) -> _bool: ...
def isin(element: ArrayLike, test_elements: ArrayLike, assume_unique: _bool = False, invert: _bool = False, *, kind: _str | None = None) -> ndarray: ...
isinf: ufunc
isnan: ufunc
isnat: ufunc
def isneginf(x: ArrayLike, out: ndarray | None = None) -> ndarray: ...
def isposinf(x: ArrayLike, out: ndarray | None = None) -> ndarray: ...
def isreal(x: ArrayLike) -> ndarray: ...
def isrealobj(x: ArrayLike) -> _bool: ...
def isscalar(element: ArrayLike) -> _bool: ...
def ix_(*args: ArrayLike) -> _tuple[ndarray, ...]: ...
def kaiser(M: _int, beta: _float) -> ndarray: ...
def kron(a: ArrayLike, b: ArrayLike) -> ndarray: ...
lcm: ufunc
ldexp: ufunc
left_shift: ufunc
less: ufunc
less_equal: ufunc
def lexsort(keys: Sequence[ArrayLike], axis: _int = -1) -> ndarray: ...
def linspace(start: ArrayLike, stop: ArrayLike, num: _int = 50, endpoint: _bool = True, retstep: _bool = False, dtype: DTypeLike | None = None, axis: _int = 0, *, device: _str | None = None) -> Any: ...
little_endian: _bool
def load(file: _File, mmap_mode: _str | None = None, allow_pickle: _bool = False, **kwargs: Any) -> Any: ...
def loadtxt(fname: _File | Iterable[_str], dtype: DTypeLike | None = ..., comments: _str | Sequence[_str] | None = '#', delimiter: _str | None = None, converters: Any = None, skiprows: _int = 0, usecols: Any = None, unpack: _bool = False, ndmin: _int = 0, encoding: _str | None = None, max_rows: _int | None = None, *, quotechar: _str | None = None, like: Any = None) -> Any: ...
log: ufunc
log10: ufunc
log1p: ufunc
log2: ufunc
logaddexp: ufunc
logaddexp2: ufunc
logical_and: ufunc
logical_not: ufunc
logical_or: ufunc
logical_xor: ufunc
def logspace(start: ArrayLike, stop: ArrayLike, num: _int = 50, endpoint: _bool = True, base: ArrayLike = 10.0, dtype: DTypeLike | None = None, axis: _int = 0) -> ndarray: ...
def mask_indices(n: _int, mask_func: Callable[..., Any], k: Any = 0) -> _tuple[ndarray, ...]: ...
matmul: ufunc
def matrix_transpose(x: ArrayLike, /) -> ndarray: ...
matvec: ufunc
def max(a: ArrayLike, axis: _Axes = None, out: _Out = None, keepdims: _bool | _NoValueType = ..., initial: ArrayLike | _NoValueType = ..., where: ArrayLike | _NoValueType = ...) -> ndarray: ...
maximum: ufunc
def may_share_memory(a: ArrayLike, b: ArrayLike, /, max_work: _int = 0) -> _bool: ...
def mean(a: ArrayLike, axis: _Axes = None, dtype: DTypeLike | None = None, out: _Out = None, keepdims: _bool | _NoValueType = ..., *, where: ArrayLike | _NoValueType = ...) -> ndarray: ...
def median(a: ArrayLike, axis: _Axes = None, out: _Out = None, overwrite_input: _bool = False, keepdims: _bool = False) -> ndarray: ...
def meshgrid(*xi: ArrayLike, copy: _bool | None = True, sparse: _bool = False, indexing: _str = 'xy') -> _tuple[ndarray, ...]: ...
mgrid: Any
def min(a: ArrayLike, axis: _Axes = None, out: _Out = None, keepdims: _bool | _NoValueType = ..., initial: ArrayLike | _NoValueType = ..., where: ArrayLike | _NoValueType = ...) -> ndarray: ...
def min_scalar_type(a: ArrayLike) -> _dtype[Any]: ...
minimum: ufunc
mod: ufunc
modf: ufunc
def moveaxis(a: ArrayLike, source: _int | Sequence[_int], destination: _int | Sequence[_int]) -> ndarray: ...
multiply: ufunc
nan: _float
def nan_to_num(x: ArrayLike, copy: _bool | None = True, nan: ArrayLike = 0.0, posinf: ArrayLike | None = None, neginf: ArrayLike | None = None) -> ndarray: ...
def nanargmax(a: ArrayLike, axis: _int | None = None, out: _Out = None, *, keepdims: _bool | _NoValueType = ...) -> ndarray: ...
def nanargmin(a: ArrayLike, axis: _int | None = None, out: _Out = None, *, keepdims: _bool | _NoValueType = ...) -> ndarray: ...
def nancumprod(a: ArrayLike, axis: _int | None = None, dtype: DTypeLike | None = None, out: _Out = None) -> ndarray: ...
def nancumsum(a: ArrayLike, axis: _int | None = None, dtype: DTypeLike | None = None, out: _Out = None) -> ndarray: ...
def nanmax(a: ArrayLike, axis: _Axes = None, out: _Out = None, keepdims: _bool | _NoValueType = ..., initial: ArrayLike | _NoValueType = ..., where: ArrayLike | _NoValueType = ...) -> ndarray: ...
def nanmean(a: ArrayLike, axis: _Axes = None, dtype: DTypeLike | None = None, out: _Out = None, keepdims: _bool | _NoValueType = ..., *, where: ArrayLike | _NoValueType = ...) -> ndarray: ...
def nanmedian(a: ArrayLike, axis: _Axes = None, out: _Out = None, overwrite_input: _bool = False, keepdims: _bool | _NoValueType = ...) -> ndarray: ...
def nanmin(a: ArrayLike, axis: _Axes = None, out: _Out = None, keepdims: _bool | _NoValueType = ..., initial: ArrayLike | _NoValueType = ..., where: ArrayLike | _NoValueType = ...) -> ndarray: ...
def nanpercentile(a: ArrayLike, q: ArrayLike, axis: _Axes = None, out: _Out = None, overwrite_input: _bool = False, method: _str = 'linear', keepdims: _bool | _NoValueType = ..., *, weights: ArrayLike | None = None, interpolation: _str | None = None) -> ndarray: ...
def nanprod(a: ArrayLike, axis: _Axes = None, dtype: DTypeLike | None = None, out: _Out = None, keepdims: _bool | _NoValueType = ..., initial: ArrayLike | _NoValueType = ..., where: ArrayLike | _NoValueType = ...) -> ndarray: ...
def nanquantile(a: ArrayLike, q: ArrayLike, axis: _Axes = None, out: _Out = None, overwrite_input: _bool = False, method: _str = 'linear', keepdims: _bool | _NoValueType = ..., *, weights: ArrayLike | None = None, interpolation: _str | None = None) -> ndarray: ...
def nanstd(a: ArrayLike, axis: _Axes = None, dtype: DTypeLike | None = None, out: _Out = None, ddof: _float = 0, keepdims: _bool | _NoValueType = ..., *, where: ArrayLike | _NoValueType = ..., mean: ArrayLike | _NoValueType = ..., correction: _float | _NoValueType = ...) -> ndarray: ...
def nansum(a: ArrayLike, axis: _Axes = None, dtype: DTypeLike | None = None, out: _Out = None, keepdims: _bool | _NoValueType = ..., initial: ArrayLike | _NoValueType = ..., where: ArrayLike | _NoValueType = ...) -> ndarray: ...
def nanvar(a: ArrayLike, axis: _Axes = None, dtype: DTypeLike | None = None, out: _Out = None, ddof: _float = 0, keepdims: _bool | _NoValueType = ..., *, where: ArrayLike | _NoValueType = ..., mean: ArrayLike | _NoValueType = ..., correction: _float | _NoValueType = ...) -> ndarray: ...
def ndenumerate(arr: ArrayLike) -> Iterator[Any]: ...
def ndim(a: ArrayLike) -> _int: ...
negative: ufunc
def nested_iters(op: Any, axes: _Axes, flags: Any = None, op_flags: Any = None, op_dtypes: Any = None, order: _str = 'K', casting: _str = 'safe', buffersize: _int = 0) -> Any: ...
newaxis: None
nextafter: ufunc
def nonzero(a: ArrayLike) -> _tuple[ndarray, ...]: ...
not_equal: ufunc
ogrid: Any
def ones(shape: _Shape, dtype: DTypeLike | None = None, order: _str = 'C', *, device: _str | None = None, memory: _str | None = None, like: Any = None) -> ndarray: ...
def ones_like(a: ArrayLike, dtype: DTypeLike | None = None, order: _str = 'K', subok: _bool = True, shape: _Shape | None = None, *, device: _str | None = None) -> ndarray: ...
def outer(a: ArrayLike, b: ArrayLike, out: _Out = None) -> ndarray: ...
def packbits(a: ArrayLike, /, axis: _int | None = None, bitorder: _str = 'big') -> ndarray: ...
def pad(array: ArrayLike, pad_width: Any, mode: _str | Callable[..., Any] = 'constant', **kwargs: Any) -> ndarray: ...
def partition(a: ArrayLike, kth: _int | Sequence[_int], axis: _int = -1, kind: _str = 'introselect', order: _str | None = None) -> ndarray: ...
def percentile(a: ArrayLike, q: ArrayLike, axis: _Axes = None, out: _Out = None, overwrite_input: _bool = False, method: _str = 'linear', keepdims: _bool = False, *, weights: ArrayLike | None = None, interpolation: _str | None = None) -> ndarray: ...
def permute_dims(a: ArrayLike, axes: Sequence[_int] | None = None) -> ndarray: ...
pi: _float
def piecewise(x: ArrayLike, condlist: Sequence[ArrayLike], funclist: Sequence[Any], *args: Any, **kw: Any) -> ndarray: ...
def place(arr: ArrayLike, mask: ArrayLike, vals: ArrayLike) -> None: ...
def poly(seq_of_zeros: ArrayLike) -> ndarray: ...
def polyadd(a1: ArrayLike, a2: ArrayLike) -> ndarray: ...
def polyder(p: ArrayLike, m: _int = 1) -> ndarray: ...
def polydiv(u: ArrayLike, v: ArrayLike) -> _tuple[ndarray, ndarray]: ...
def polyfit(x: ArrayLike, y: ArrayLike, deg: _int, rcond: _float | None = None, full: _bool = False, w: ArrayLike | None = None, cov: _bool | _str = False) -> Any: ...
def polyint(p: ArrayLike, m: _int = 1, k: ArrayLike | None = None) -> ndarray: ...
def polymul(a1: ArrayLike, a2: ArrayLike) -> ndarray: ...
def polysub(a1: ArrayLike, a2: ArrayLike) -> ndarray: ...
def polyval(p: ArrayLike, x: ArrayLike) -> ndarray: ...
positive: ufunc
pow: ufunc
power: ufunc
def prod(a: ArrayLike, axis: _Axes = None, dtype: DTypeLike | None = None, out: _Out = None, keepdims: _bool | _NoValueType = ..., initial: ArrayLike | _NoValueType = ..., where: ArrayLike | _NoValueType = ...) -> ndarray: ...
def ptp(a: ArrayLike, axis: _Axes = None, out: _Out = None, keepdims: _bool | _NoValueType = ...) -> ndarray: ...
def put(a: ArrayLike, ind: ArrayLike, v: ArrayLike, mode: _str = 'raise') -> None: ...
def put_along_axis(arr: ArrayLike, indices: ArrayLike, values: ArrayLike, axis: _int) -> None: ...
def putmask(a: ArrayLike, mask: ArrayLike, values: ArrayLike) -> None: ...
def quantile(a: ArrayLike, q: ArrayLike, axis: _Axes = None, out: _Out = None, overwrite_input: _bool = False, method: _str = 'linear', keepdims: _bool = False, *, weights: ArrayLike | None = None, interpolation: _str | None = None) -> ndarray: ...
r_: Any
rad2deg: ufunc
radians: ufunc
def ravel(a: ArrayLike, order: _str = 'C') -> ndarray: ...
def ravel_multi_index(multi_index: Sequence[ArrayLike], dims: _Shape, mode: _str | Sequence[_str] = 'raise', order: _str = 'C') -> ndarray: ...
def real(val: ArrayLike) -> ndarray: ...
def real_if_close(a: ArrayLike, tol: _float = 100) -> ndarray: ...
reciprocal: ufunc
remainder: ufunc
def repeat(a: ArrayLike, repeats: ArrayLike, axis: _int | None = None) -> ndarray: ...
def require(a: ArrayLike, dtype: DTypeLike | None = None, requirements: _str | Sequence[_str] | None = None, *, like: Any = None) -> ndarray: ...
def reshape(a: ArrayLike, /, shape: _Shape, order: _str = 'C', *, copy: _bool | None = None) -> ndarray: ...
def resize(a: ArrayLike, new_shape: _Shape) -> ndarray: ...
def result_type(*arrays_and_dtypes: Any) -> _dtype[Any]: ...
right_shift: ufunc
rint: ufunc
def roll(a: ArrayLike, shift: _int | Sequence[_int], axis: _Axes = None) -> ndarray: ...
def rollaxis(a: ArrayLike, axis: _int, start: _int = 0) -> ndarray: ...
def roots(p: ArrayLike) -> ndarray: ...
def rot90(m: ArrayLike, k: _int = 1, axes: Sequence[_int] = (0, 1)) -> ndarray: ...
def round(a: ArrayLike, decimals: _int = 0, out: _Out = None) -> ndarray: ...
def row_stack(tup: Sequence[ArrayLike], *, dtype: DTypeLike | None = None, casting: _str = 'same_kind') -> ndarray: ...
s_: Any
def save(file: _File, arr: ArrayLike, allow_pickle: _bool = False) -> None: ...
def savetxt(fname: _File, X: ArrayLike, fmt: _str | Sequence[_str] = '%.18e', delimiter: _str = ' ', newline: _str = ..., header: _str = '', footer: _str = '', comments: _str = '# ', encoding: _str | None = None) -> None: ...
def savez(file: _File, *args: ArrayLike, **kwds: ArrayLike) -> None: ...
def savez_compressed(file: _File, *args: ArrayLike, **kwds: ArrayLike) -> None: ...
sctypeDict: Any
def searchsorted(a: ArrayLike, v: ArrayLike, side: _str = 'left', sorter: ArrayLike | None = None) -> ndarray: ...
def select(condlist: Sequence[ArrayLike], choicelist: Sequence[ArrayLike], default: ArrayLike = 0) -> ndarray: ...
def setdiff1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: _bool = False) -> ndarray: ...
def seterr(all: _str | None = None, divide: _str | None = None, over: _str | None = None, under: _str | None = None, invalid: _str | None = None) -> _dict[_str, _str]: ...
def setxor1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: _bool = False) -> ndarray: ...
def shape(a: ArrayLike) -> _tuple[_int, ...]: ...
def shares_memory(a: ArrayLike, b: ArrayLike, /, max_work: _int = -1) -> _bool: ...
sign: ufunc
signbit: ufunc
sin: ufunc
def sinc(x: ArrayLike) -> ndarray: ...
sinh: ufunc
def size(a: ArrayLike, axis: _Axes = None) -> _int: ...
def sort(a: ArrayLike, axis: _int = -1, kind: _str | None = None, order: _str | None = None, *, stable: _bool | None = None, descending: _bool = False) -> ndarray: ...
def sort_complex(a: ArrayLike) -> ndarray: ...
spacing: ufunc
def split(ary: ArrayLike, indices_or_sections: _int | ArrayLike, axis: _int = 0) -> _list[ndarray]: ...
sqrt: ufunc
square: ufunc
def squeeze(a: ArrayLike, axis: _Axes = None) -> ndarray: ...
def stack(arrays: Sequence[ArrayLike], axis: _int = 0, out: _Out = None, *, dtype: DTypeLike | None = None, casting: _str = 'same_kind') -> ndarray: ...
def std(a: ArrayLike, axis: _Axes = None, dtype: DTypeLike | None = None, out: _Out = None, ddof: _float = 0, keepdims: _bool | _NoValueType = ..., *, where: ArrayLike | _NoValueType = ..., mean: ArrayLike | _NoValueType = ..., correction: _float | _NoValueType = ...) -> ndarray: ...
subtract: ufunc
def sum(a: ArrayLike, axis: _Axes = None, dtype: DTypeLike | None = None, out: _Out = None, keepdims: _bool | _NoValueType = ..., initial: ArrayLike | _NoValueType = ..., where: ArrayLike | _NoValueType = ...) -> ndarray: ...
def swapaxes(a: ArrayLike, axis1: _int, axis2: _int) -> ndarray: ...
def take(a: ArrayLike, indices: ArrayLike, axis: _int | None = None, out: _Out = None, mode: _str = 'raise') -> ndarray: ...
def take_along_axis(arr: ArrayLike, indices: ArrayLike, axis: _int = -1) -> ndarray: ...
tan: ufunc
tanh: ufunc
def tensordot(a: ArrayLike, b: ArrayLike, axes: _int | Sequence[Any] = 2) -> ndarray: ...
def tile(A: ArrayLike, reps: _Shape) -> ndarray: ...
def trace(a: ArrayLike, offset: _int = 0, axis1: _int = 0, axis2: _int = 1, dtype: DTypeLike | None = None, out: _Out = None) -> ndarray: ...
def transpose(a: ArrayLike, axes: Sequence[_int] | None = None) -> ndarray: ...
def trapezoid(y: ArrayLike, x: ArrayLike | None = None, dx: _float = 1.0, axis: _int = -1) -> ndarray: ...
def tri(N: _int, M: _int | None = None, k: _int = 0, dtype: DTypeLike | None = ..., *, like: Any = None) -> ndarray: ...
def tril(m: ArrayLike, k: _int = 0) -> ndarray: ...
def tril_indices(n: _int, k: _int = 0, m: _int | None = None) -> _tuple[ndarray, ...]: ...
def tril_indices_from(arr: ArrayLike, k: _int = 0) -> _tuple[ndarray, ...]: ...
def trim_zeros(filt: ArrayLike, trim: _str = 'fb', axis: _Axes = None) -> ndarray: ...
def triu(m: ArrayLike, k: _int = 0) -> ndarray: ...
def triu_indices(n: _int, k: _int = 0, m: _int | None = None) -> _tuple[ndarray, ...]: ...
def triu_indices_from(arr: ArrayLike, k: _int = 0) -> _tuple[ndarray, ...]: ...
true_divide: ufunc
trunc: ufunc
typecodes: Any
def union1d(ar1: ArrayLike, ar2: ArrayLike) -> ndarray: ...
def unique(ar: ArrayLike, return_index: _bool = False, return_inverse: _bool = False, return_counts: _bool = False, axis: _int | None = None, *, equal_nan: _bool = True, sorted: _bool = True) -> Any: ...
def unique_all(x: ArrayLike) -> _tuple[ndarray, ndarray, ndarray, ndarray]: ...
def unique_counts(x: ArrayLike) -> _tuple[ndarray, ndarray]: ...
def unique_inverse(x: ArrayLike) -> _tuple[ndarray, ndarray]: ...
def unique_values(x: ArrayLike) -> ndarray: ...
def unpackbits(a: ArrayLike, /, axis: _int | None = None, count: _int | None = None, bitorder: _str = 'big') -> ndarray: ...
def unravel_index(indices: ArrayLike, shape: _Shape, order: _str = 'C') -> _tuple[ndarray, ...]: ...
def unstack(x: ArrayLike, /, *, axis: _int = 0) -> _tuple[ndarray, ...]: ...
def unwrap(p: ArrayLike, discont: _float | None = None, axis: _int = -1, *, period: _float = 6.283185307179586) -> ndarray: ...
def vander(x: ArrayLike, N: _int | None = None, increasing: _bool = False) -> ndarray: ...
def var(a: ArrayLike, axis: _Axes = None, dtype: DTypeLike | None = None, out: _Out = None, ddof: _float = 0, keepdims: _bool | _NoValueType = ..., *, where: ArrayLike | _NoValueType = ..., mean: ArrayLike | _NoValueType = ..., correction: _float | _NoValueType = ...) -> ndarray: ...
def vdot(a: ArrayLike, b: ArrayLike, /) -> ndarray: ...
vecdot: ufunc
vecmat: ufunc
class vectorize:
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
def vsplit(ary: ArrayLike, indices_or_sections: _int | ArrayLike) -> _list[ndarray]: ...
def vstack(tup: Sequence[ArrayLike], *, dtype: DTypeLike | None = None, casting: _str = 'same_kind') -> ndarray: ...
def where(condition: ArrayLike, x: ArrayLike | _NoValueType = ..., y: ArrayLike | _NoValueType = ..., /) -> ndarray: ...
def zeros(shape: _Shape, dtype: DTypeLike | None = ..., order: _str = 'C', *, device: _str | None = None, memory: _str | None = None, like: Any = None) -> ndarray: ...
def zeros_like(a: ArrayLike, dtype: DTypeLike | None = None, order: _str = 'K', subok: _bool = True, shape: _Shape | None = None, *, device: _str | None = None) -> ndarray: ...
