# Made by python/stubs.py from the package's signatures: change those, or its tables.
# mypy: disable-error-code="override, misc, overload-overlap"

from builtins import bool as _bool, complex as _complex, dict as _dict, float as _float, int as _int, list as _list, str as _str, tuple as _tuple
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from numpy import dtype as _dtype
from numpy.typing import ArrayLike, DTypeLike
from typing_extensions import disjoint_base, final

from weft._core import ndarray as ndarray, ufunc as ufunc

from . import linalg as linalg
from . import random as random
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
from numpy import character as character
from numpy import clongdouble as clongdouble
from numpy import complex128 as complex128
from numpy import complex256 as complex256
from numpy import complex64 as complex64
from numpy import complexfloating as complexfloating
from numpy import csingle as csingle
from numpy import datetime64 as datetime64
from numpy import datetime_as_string as datetime_as_string
from numpy import datetime_data as datetime_data
from numpy import double as double
from numpy import dtype as dtype
from numpy import dtypes as dtypes
from numpy import emath as emath
from numpy import errstate as errstate
from numpy import exceptions as exceptions
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
from numpy import long as long
from numpy import longdouble as longdouble
from numpy import longlong as longlong
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
from numpy import record as record
from numpy import set_printoptions as set_printoptions
from numpy import setbufsize as setbufsize
from numpy import seterr as seterr
from numpy import seterrcall as seterrcall
from numpy import short as short
from numpy import show_config as show_config
from numpy import show_runtime as show_runtime
from numpy import signedinteger as signedinteger
from numpy import single as single
from numpy import str_ as str_
from numpy import timedelta64 as timedelta64
from numpy import typename as typename
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
from numpy.rec import recarray as recarray
from weft.numpy._fallback import FallbackError as FallbackError
from weft.numpy._fallback import FallbackWarning as FallbackWarning
from weft.numpy._math import vectorize as vectorize
from weft.numpy._methods import flatiter as flatiter

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
False_: Any
ScalarType: Any
True_: Any
abs: ufunc
absolute: ufunc
acos: ufunc
acosh: ufunc
add: ufunc
def all(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., keepdims: Any = ..., *, where: Any = ...) -> ndarray: ...
def allclose(a: ArrayLike, b: ArrayLike, rtol: Any = ..., atol: Any = ..., equal_nan: Any = ...) -> _bool: ...
def amax(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., keepdims: Any = ..., initial: Any = ..., where: Any = ...) -> ndarray: ...
def amin(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., keepdims: Any = ..., initial: Any = ..., where: Any = ...) -> ndarray: ...
def angle(z: Any, deg: Any = ...) -> ndarray: ...
def any(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., keepdims: Any = ..., *, where: Any = ...) -> ndarray: ...
def append(arr: ArrayLike, values: Any, axis: _int | Sequence[_int] | None = ...) -> ndarray: ...
def apply_along_axis(func1d: Any, axis: _int | Sequence[_int] | None, arr: ArrayLike, *args: Any, **kwargs: Any) -> Any: ...
def apply_over_axes(func: Any, a: ArrayLike, axes: _int | Sequence[_int] | None) -> ndarray: ...
def arange(start: Any, stop: Any = ..., step: Any = ..., dtype: DTypeLike | None = ..., *, device: _str | None = ..., like: Any = ...) -> ndarray: ...
arccos: ufunc
arccosh: ufunc
arcsin: ufunc
arcsinh: ufunc
arctan: ufunc
arctan2: ufunc
arctanh: ufunc
def argmax(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., *, keepdims: Any = ...) -> ndarray: ...
def argmin(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., *, keepdims: Any = ...) -> ndarray: ...
def argpartition(a: ArrayLike, kth: Any, axis: _int | Sequence[_int] | None = ..., kind: Any = ..., order: _str | None = ...) -> ndarray: ...
def argsort(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., kind: Any = ..., order: _str | None = ..., *, stable: Any = ..., descending: Any = ...) -> ndarray: ...
def argwhere(a: ArrayLike) -> ndarray: ...
def around(a: ArrayLike, decimals: Any = ..., out: ndarray | _tuple[ndarray, ...] | None = ...) -> ndarray: ...
def array(object: Any, dtype: DTypeLike | None = ..., *, copy: _bool | None = ..., order: _str | None = ..., subok: Any = ..., ndmin: Any = ..., ndmax: Any = ..., like: Any = ..., device: _str | None = ...) -> ndarray: ...
def array2string(a: ArrayLike, *args: Any, **kwargs: Any) -> _str: ...
def array_equal(a1: Any, a2: Any, equal_nan: Any = ...) -> _bool: ...
def array_equiv(a1: Any, a2: Any) -> _bool: ...
def array_repr(arr: ArrayLike, *args: Any, **kwargs: Any) -> _str: ...
def array_split(ary: ArrayLike, indices_or_sections: Any, axis: _int | Sequence[_int] | None = ...) -> Sequence[ndarray]: ...
def array_str(a: ArrayLike, *args: Any, **kwargs: Any) -> _str: ...
def asanyarray(a: ArrayLike, dtype: DTypeLike | None = ..., order: _str | None = ..., *, device: _str | None = ..., copy: _bool | None = ..., like: Any = ...) -> ndarray: ...
def asarray(a: ArrayLike, dtype: DTypeLike | None = ..., order: _str | None = ..., *, device: _str | None = ..., copy: _bool | None = ..., like: Any = ...) -> ndarray: ...
def asarray_chkfinite(a: ArrayLike, dtype: DTypeLike | None = ..., order: _str | None = ...) -> ndarray: ...
def ascontiguousarray(a: ArrayLike, dtype: DTypeLike | None = ..., *, like: Any = ...) -> ndarray: ...
def asfortranarray(a: ArrayLike, dtype: DTypeLike | None = ..., *, like: Any = ...) -> ndarray: ...
asin: ufunc
asinh: ufunc
def asmatrix(data: Any, dtype: DTypeLike | None = ...) -> Any: ...
def astype(x: ArrayLike, dtype: DTypeLike | None, /, *, copy: _bool | None = ..., device: _str | None = ...) -> ndarray: ...
atan: ufunc
atan2: ufunc
atanh: ufunc
def atleast_1d(*arys: Any) -> Any: ...
def atleast_2d(*arys: Any) -> Any: ...
def atleast_3d(*arys: Any) -> Any: ...
def average(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., weights: Any = ..., returned: Any = ..., *, keepdims: Any = ...) -> Any: ...
def bartlett(*args: Any, **kwargs: Any) -> ndarray: ...
def bincount(x: ArrayLike, /, weights: Any = ..., minlength: Any = ...) -> ndarray: ...
bitwise_and: ufunc
bitwise_count: ufunc
bitwise_invert: ufunc
bitwise_left_shift: ufunc
bitwise_not: ufunc
bitwise_or: ufunc
bitwise_right_shift: ufunc
bitwise_xor: ufunc
def blackman(*args: Any, **kwargs: Any) -> ndarray: ...
def block(arrays: Any) -> ndarray: ...
def bmat(obj: Any, ldict: Any = ..., gdict: Any = ...) -> Any: ...
def broadcast_arrays(*args: Any, subok: Any = ...) -> Sequence[ndarray]: ...
def broadcast_to(array: ArrayLike, shape: _int | Sequence[_int] | None, subok: Any = ...) -> ndarray: ...
c_: Any
def can_cast(from_: Any, to: Any, casting: _str | None = ...) -> _bool: ...
cbrt: ufunc
ceil: ufunc
def choose(a: ArrayLike, choices: Any, out: ndarray | _tuple[ndarray, ...] | None = ..., mode: _str | None = ...) -> ndarray: ...
def clip(a: ArrayLike, a_min: Any = ..., a_max: Any = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., *, min: Any = ..., max: Any = ..., **kwargs: Any) -> ndarray: ...
def column_stack(tup: Any) -> ndarray: ...
def common_type(*arrays: Any) -> ndarray: ...
def compress(condition: ArrayLike, a: ArrayLike, axis: _int | Sequence[_int] | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ...) -> ndarray: ...
def concat(arrays: Any, /, axis: _int | Sequence[_int] | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., *, dtype: DTypeLike | None = ..., casting: _str | None = ...) -> ndarray: ...
def concatenate(arrays: Any, /, axis: _int | Sequence[_int] | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., *, dtype: DTypeLike | None = ..., casting: _str | None = ...) -> ndarray: ...
conj: ufunc
conjugate: ufunc
def convolve(a: ArrayLike, v: ArrayLike, mode: _str | None = ...) -> ndarray: ...
def copy(a: ArrayLike, order: Any = ..., subok: Any = ...) -> ndarray: ...
copysign: ufunc
def copyto(dst: Any, src: Any, casting: _str | None = ..., where: ArrayLike | None = ...) -> None: ...
def corrcoef(x: ArrayLike, y: ArrayLike | None = ..., rowvar: Any = ..., *, dtype: DTypeLike | None = ...) -> ndarray: ...
def correlate(a: ArrayLike, v: ArrayLike, mode: _str | None = ...) -> ndarray: ...
cos: ufunc
cosh: ufunc
def count_nonzero(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., *, keepdims: _bool | None = ...) -> ndarray: ...
def cov(m: ArrayLike, y: ArrayLike | None = ..., rowvar: Any = ..., bias: Any = ..., ddof: Any = ..., fweights: Any = ..., aweights: Any = ..., *, dtype: DTypeLike | None = ...) -> ndarray: ...
def cross(a: ArrayLike, b: ArrayLike, axisa: Any = ..., axisb: Any = ..., axisc: Any = ..., axis: _int | Sequence[_int] | None = ...) -> ndarray: ...
def cumprod(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., dtype: DTypeLike | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ...) -> ndarray: ...
def cumsum(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., dtype: DTypeLike | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ...) -> ndarray: ...
def cumulative_prod(x: ArrayLike, /, *, axis: _int | Sequence[_int] | None = ..., dtype: DTypeLike | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., include_initial: Any = ...) -> ndarray: ...
def cumulative_sum(x: ArrayLike, /, *, axis: _int | Sequence[_int] | None = ..., dtype: DTypeLike | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., include_initial: Any = ...) -> ndarray: ...
deg2rad: ufunc
degrees: ufunc
def delete(arr: ArrayLike, obj: Any, axis: _int | Sequence[_int] | None = ...) -> ndarray: ...
def diag(v: ArrayLike, k: Any = ...) -> ndarray: ...
def diag_indices(n: Any, ndim: Any = ...) -> _tuple[ndarray, ...]: ...
def diag_indices_from(arr: ArrayLike) -> _tuple[ndarray, ...]: ...
def diagflat(v: ArrayLike, k: Any = ...) -> ndarray: ...
def diagonal(a: ArrayLike, offset: Any = ..., axis1: Any = ..., axis2: Any = ...) -> ndarray: ...
def diff(a: ArrayLike, n: Any = ..., axis: _int | Sequence[_int] | None = ..., prepend: Any = ..., append: Any = ...) -> ndarray: ...
def digitize(x: ArrayLike, bins: Any, right: Any = ...) -> ndarray: ...
divide: ufunc
divmod: ufunc
def dot(a: ArrayLike, b: ArrayLike, out: ndarray | _tuple[ndarray, ...] | None = ...) -> ndarray: ...
def dsplit(ary: ArrayLike, indices_or_sections: Any) -> Sequence[ndarray]: ...
def dstack(tup: Any) -> ndarray: ...
e: _float
def ediff1d(ary: ArrayLike, to_end: Any = ..., to_begin: Any = ...) -> ndarray: ...
def einsum(subscripts: Any, *operands: Any, out: ndarray | _tuple[ndarray, ...] | None = ..., optimize: Any = ..., dtype: DTypeLike | None = ..., order: _str | None = ..., casting: _str | None = ...) -> ndarray: ...
def einsum_path(*operands: Any, **kwargs: Any) -> Any: ...
def empty(shape: _int | Sequence[_int] | None, dtype: Any = ..., order: _str | None = ..., *, device: _str | None = ..., like: Any = ...) -> ndarray: ...
def empty_like(prototype: Any, dtype: DTypeLike | None = ..., order: _str | None = ..., subok: Any = ..., shape: _int | Sequence[_int] | None = ..., *, device: _str | None = ...) -> ndarray: ...
equal: ufunc
euler_gamma: _float
exp: ufunc
exp2: ufunc
def expand_dims(a: ArrayLike, axis: _int | Sequence[_int] | None) -> ndarray: ...
expm1: ufunc
def extract(condition: ArrayLike, arr: ArrayLike) -> ndarray: ...
def eye(N: Any, M: Any = ..., k: Any = ..., dtype: Any = ..., order: _str | None = ..., *, device: _str | None = ..., like: Any = ...) -> ndarray: ...
fabs: ufunc
def fill_diagonal(a: ArrayLike, val: Any, wrap: Any = ...) -> None: ...
def finfo(dtype: DTypeLike | None) -> Any: ...
def fix(x: ArrayLike, out: ndarray | _tuple[ndarray, ...] | None = ...) -> ndarray: ...
def flatnonzero(a: ArrayLike) -> ndarray: ...
def flip(m: ArrayLike, axis: _int | Sequence[_int] | None = ...) -> ndarray: ...
def fliplr(m: ArrayLike) -> ndarray: ...
def flipud(m: ArrayLike) -> ndarray: ...
float_power: ufunc
floor: ufunc
floor_divide: ufunc
fmax: ufunc
fmin: ufunc
fmod: ufunc
frexp: ufunc
def from_dlpack(x: ArrayLike, /, *, device: _str | None = ..., copy: _bool | None = ...) -> ndarray: ...
def frombuffer(*args: Any, **kwargs: Any) -> ndarray: ...
def fromfile(*args: Any, **kwargs: Any) -> ndarray: ...
def fromfunction(function: Any, shape: _int | Sequence[_int] | None, *, dtype: Any = ..., like: Any = ..., **kwargs: Any) -> ndarray: ...
def fromiter(*args: Any, **kwargs: Any) -> ndarray: ...
def frompyfunc(func: Any, /, nin: Any, nout: Any, **kwargs: Any) -> Any: ...
def fromregex(file: Any, regexp: Any, dtype: DTypeLike | None, encoding: Any = ...) -> Any: ...
def fromstring(*args: Any, **kwargs: Any) -> ndarray: ...
def full(shape: _int | Sequence[_int] | None, fill_value: Any, dtype: DTypeLike | None = ..., order: _str | None = ..., *, device: _str | None = ..., like: Any = ...) -> ndarray: ...
def full_like(a: ArrayLike, fill_value: Any, dtype: DTypeLike | None = ..., order: _str | None = ..., subok: Any = ..., shape: _int | Sequence[_int] | None = ..., *, device: _str | None = ...) -> ndarray: ...
gcd: ufunc
def genfromtxt(*args: Any, **kwargs: Any) -> Any: ...
def geomspace(*args: Any, **kwargs: Any) -> ndarray: ...
def gradient(f: Any, *varargs: Any, axis: _int | Sequence[_int] | None = ..., edge_order: Any = ...) -> Any: ...
greater: ufunc
greater_equal: ufunc
def hamming(*args: Any, **kwargs: Any) -> ndarray: ...
def hanning(*args: Any, **kwargs: Any) -> ndarray: ...
heaviside: ufunc
def histogram(a: ArrayLike, bins: Any = ..., range: Any = ..., density: _bool | None = ..., weights: Any = ...) -> _tuple[ndarray, ...]: ...
def histogram2d(*args: Any, **kwargs: Any) -> _tuple[ndarray, ...]: ...
def histogram_bin_edges(a: ArrayLike, bins: Any = ..., range: Any = ..., weights: Any = ...) -> ndarray: ...
def histogramdd(*args: Any, **kwargs: Any) -> Any: ...
def hsplit(ary: ArrayLike, indices_or_sections: Any) -> Sequence[ndarray]: ...
def hstack(tup: Any, *, dtype: DTypeLike | None = ..., casting: _str | None = ...) -> ndarray: ...
hypot: ufunc
def i0(*args: Any, **kwargs: Any) -> ndarray: ...
def identity(n: Any, dtype: DTypeLike | None = ..., *, like: Any = ...) -> ndarray: ...
def iinfo(dtype: DTypeLike | None) -> Any: ...
def imag(val: Any) -> ndarray: ...
index_exp: Any
def indices(dimensions: Any, dtype: Any = ..., sparse: Any = ...) -> ndarray: ...
inf: _float
def inner(a: ArrayLike, b: ArrayLike, /) -> ndarray: ...
def insert(arr: ArrayLike, obj: Any, values: Any, axis: _int | Sequence[_int] | None = ...) -> ndarray: ...
def interp(x: ArrayLike, xp: Any, fp: Any, left: Any = ..., right: Any = ..., period: Any = ...) -> ndarray: ...
def intersect1d(ar1: Any, ar2: Any, assume_unique: Any = ..., return_indices: Any = ...) -> Any: ...
invert: ufunc
def isclose(a: ArrayLike, b: ArrayLike, rtol: Any = ..., atol: Any = ..., equal_nan: Any = ...) -> ndarray: ...
def iscomplex(x: ArrayLike) -> ndarray: ...
def iscomplexobj(x: ArrayLike) -> _bool: ...
def isdtype(dtype: DTypeLike | None, kind: Any) -> _bool: ...
isfinite: ufunc
def isfortran(a: ArrayLike) -> ndarray: ...
def isin(element: Any, test_elements: Any, assume_unique: Any = ..., invert: Any = ..., *, kind: Any = ...) -> ndarray: ...
isinf: ufunc
isnan: ufunc
isnat: ufunc
def isneginf(x: ArrayLike, out: ndarray | _tuple[ndarray, ...] | None = ...) -> ndarray: ...
def isposinf(x: ArrayLike, out: ndarray | _tuple[ndarray, ...] | None = ...) -> ndarray: ...
def isreal(x: ArrayLike) -> ndarray: ...
def isrealobj(x: ArrayLike) -> _bool: ...
def isscalar(element: Any) -> _bool: ...
def ix_(*args: Any) -> _tuple[ndarray, ...]: ...
def kaiser(*args: Any, **kwargs: Any) -> ndarray: ...
def kron(a: ArrayLike, b: ArrayLike) -> ndarray: ...
lcm: ufunc
ldexp: ufunc
left_shift: ufunc
less: ufunc
less_equal: ufunc
def lexsort(keys: Any, axis: _int | Sequence[_int] | None = ...) -> ndarray: ...
def linspace(start: Any, stop: Any, num: Any = ..., endpoint: _bool = ..., retstep: _bool = ..., dtype: DTypeLike | None = ..., axis: _int | Sequence[_int] | None = ..., *, device: _str | None = ...) -> Any: ...
little_endian: _bool
def load(file: Any, mmap_mode: Any = ..., allow_pickle: Any = ..., **kwargs: Any) -> Any: ...
def loadtxt(*args: Any, **kwargs: Any) -> Any: ...
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
def logspace(start: Any, stop: Any, num: Any = ..., endpoint: _bool = ..., base: Any = ..., dtype: DTypeLike | None = ..., axis: _int | Sequence[_int] | None = ...) -> ndarray: ...
def mask_indices(*args: Any, **kwargs: Any) -> ndarray: ...
def matmul(x1: ArrayLike, x2: ArrayLike, /, out: ndarray | _tuple[ndarray, ...] | None = ..., **kwargs: Any) -> ndarray: ...
def matrix_transpose(x: ArrayLike, /) -> ndarray: ...
def matvec(x1: ArrayLike, x2: ArrayLike, /, **kwargs: Any) -> ndarray: ...
def max(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., keepdims: Any = ..., initial: Any = ..., where: Any = ...) -> ndarray: ...
maximum: ufunc
def may_share_memory(a: ArrayLike, b: ArrayLike, /, max_work: Any = ...) -> _bool: ...
def mean(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., dtype: DTypeLike | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., keepdims: Any = ..., *, where: Any = ...) -> ndarray: ...
def median(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., overwrite_input: Any = ..., keepdims: _bool | None = ...) -> ndarray: ...
def meshgrid(*xi: Any, copy: _bool | None = ..., sparse: Any = ..., indexing: Any = ...) -> Sequence[ndarray]: ...
mgrid: Any
def min(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., keepdims: Any = ..., initial: Any = ..., where: Any = ...) -> ndarray: ...
def min_scalar_type(a: ArrayLike) -> Any: ...
minimum: ufunc
mod: ufunc
modf: ufunc
def moveaxis(a: ArrayLike, source: Any, destination: Any) -> ndarray: ...
multiply: ufunc
nan: _float
def nan_to_num(x: ArrayLike, copy: _bool | None = ..., nan: Any = ..., posinf: Any = ..., neginf: Any = ...) -> ndarray: ...
def nanargmax(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., *, keepdims: Any = ...) -> ndarray: ...
def nanargmin(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., *, keepdims: Any = ...) -> ndarray: ...
def nancumprod(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., dtype: DTypeLike | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ...) -> ndarray: ...
def nancumsum(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., dtype: DTypeLike | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ...) -> ndarray: ...
def nanmax(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., keepdims: Any = ..., initial: Any = ..., where: Any = ...) -> ndarray: ...
def nanmean(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., dtype: DTypeLike | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., keepdims: Any = ..., *, where: Any = ...) -> ndarray: ...
def nanmedian(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., overwrite_input: Any = ..., keepdims: Any = ...) -> ndarray: ...
def nanmin(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., keepdims: Any = ..., initial: Any = ..., where: Any = ...) -> ndarray: ...
def nanpercentile(a: ArrayLike, q: Any, axis: _int | Sequence[_int] | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., overwrite_input: Any = ..., method: Any = ..., keepdims: Any = ..., *, weights: Any = ..., interpolation: Any = ...) -> ndarray: ...
def nanprod(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., dtype: DTypeLike | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., keepdims: Any = ..., initial: Any = ..., where: Any = ...) -> ndarray: ...
def nanquantile(a: ArrayLike, q: Any, axis: _int | Sequence[_int] | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., overwrite_input: Any = ..., method: Any = ..., keepdims: Any = ..., *, weights: Any = ..., interpolation: Any = ...) -> ndarray: ...
def nanstd(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., dtype: DTypeLike | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., ddof: Any = ..., keepdims: Any = ..., *, where: Any = ..., mean: Any = ..., correction: Any = ...) -> ndarray: ...
def nansum(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., dtype: DTypeLike | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., keepdims: Any = ..., initial: Any = ..., where: Any = ...) -> ndarray: ...
def nanvar(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., dtype: DTypeLike | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., ddof: Any = ..., keepdims: Any = ..., *, where: Any = ..., mean: Any = ..., correction: Any = ...) -> ndarray: ...
def ndenumerate(arr: ArrayLike) -> Any: ...
def ndim(a: ArrayLike) -> _int: ...
negative: ufunc
def nested_iters(op: Any, axes: _int | Sequence[_int] | None, flags: Any = ..., op_flags: Any = ..., op_dtypes: Any = ..., order: _str | None = ..., casting: _str | None = ..., buffersize: Any = ...) -> Any: ...
newaxis: None
nextafter: ufunc
def nonzero(a: ArrayLike) -> _tuple[ndarray, ...]: ...
not_equal: ufunc
ogrid: Any
def ones(shape: _int | Sequence[_int] | None, dtype: DTypeLike | None = ..., order: _str | None = ..., *, device: _str | None = ..., like: Any = ...) -> ndarray: ...
def ones_like(a: ArrayLike, dtype: DTypeLike | None = ..., order: _str | None = ..., subok: Any = ..., shape: _int | Sequence[_int] | None = ..., *, device: _str | None = ...) -> ndarray: ...
def outer(a: ArrayLike, b: ArrayLike, out: ndarray | _tuple[ndarray, ...] | None = ...) -> ndarray: ...
def packbits(a: ArrayLike, /, axis: _int | Sequence[_int] | None = ..., bitorder: Any = ...) -> ndarray: ...
def pad(array: ArrayLike, pad_width: Any, mode: Any = ..., **kwargs: Any) -> ndarray: ...
def partition(a: ArrayLike, kth: Any, axis: _int | Sequence[_int] | None = ..., kind: Any = ..., order: _str | None = ...) -> Any: ...
def percentile(a: ArrayLike, q: Any, axis: _int | Sequence[_int] | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., overwrite_input: Any = ..., method: Any = ..., keepdims: _bool | None = ..., *, weights: Any = ..., interpolation: Any = ...) -> ndarray: ...
def permute_dims(a: ArrayLike, axes: _int | Sequence[_int] | None = ...) -> ndarray: ...
pi: _float
def piecewise(x: ArrayLike, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> ndarray: ...
def place(arr: ArrayLike, mask: Any, vals: Any) -> None: ...
def poly(*args: Any, **kwargs: Any) -> ndarray: ...
def polyadd(*args: Any, **kwargs: Any) -> ndarray: ...
def polyder(*args: Any, **kwargs: Any) -> ndarray: ...
def polydiv(*args: Any, **kwargs: Any) -> ndarray: ...
def polyfit(*args: Any, **kwargs: Any) -> ndarray: ...
def polyint(*args: Any, **kwargs: Any) -> ndarray: ...
def polymul(*args: Any, **kwargs: Any) -> ndarray: ...
def polysub(*args: Any, **kwargs: Any) -> ndarray: ...
def polyval(p: Any, x: ArrayLike) -> ndarray: ...
positive: ufunc
pow: ufunc
power: ufunc
def prod(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., dtype: DTypeLike | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., keepdims: Any = ..., initial: Any = ..., where: Any = ...) -> ndarray: ...
def ptp(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., keepdims: Any = ...) -> ndarray: ...
def put(a: ArrayLike, ind: Any, v: ArrayLike, mode: _str | None = ...) -> None: ...
def put_along_axis(arr: ArrayLike, indices: Any, values: Any, axis: _int | Sequence[_int] | None) -> None: ...
def putmask(a: ArrayLike, mask: Any, values: Any) -> None: ...
def quantile(a: ArrayLike, q: Any, axis: Any = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., overwrite_input: Any = ..., method: Any = ..., keepdims: _bool | None = ..., *, weights: Any = ..., interpolation: Any = ...) -> ndarray: ...
r_: Any
rad2deg: ufunc
radians: ufunc
def ravel(a: ArrayLike, order: _str | None = ...) -> ndarray: ...
def ravel_multi_index(multi_index: Any, dims: Any, mode: _str | None = ..., order: _str | None = ...) -> ndarray: ...
def real(val: Any) -> ndarray: ...
def real_if_close(a: ArrayLike, tol: Any = ...) -> ndarray: ...
reciprocal: ufunc
remainder: ufunc
def repeat(a: ArrayLike, repeats: Any, axis: _int | Sequence[_int] | None = ...) -> ndarray: ...
def require(a: ArrayLike, dtype: DTypeLike | None = ..., requirements: Any = ..., *, like: Any = ...) -> ndarray: ...
def reshape(a: ArrayLike, /, shape: _int | Sequence[_int] | None, order: _str | None = ..., *, copy: _bool | None = ...) -> ndarray: ...
def resize(a: ArrayLike, new_shape: Any) -> Any: ...
def result_type(*arrays_and_dtypes: Any) -> _dtype[Any]: ...
right_shift: ufunc
rint: ufunc
def roll(a: ArrayLike, shift: Any, axis: _int | Sequence[_int] | None = ...) -> ndarray: ...
def rollaxis(a: ArrayLike, axis: _int | Sequence[_int] | None, start: Any = ...) -> ndarray: ...
def roots(*args: Any, **kwargs: Any) -> ndarray: ...
def rot90(m: ArrayLike, k: Any = ..., axes: _int | Sequence[_int] | None = ...) -> ndarray: ...
def round(a: ArrayLike, decimals: Any = ..., out: ndarray | _tuple[ndarray, ...] | None = ...) -> ndarray: ...
def row_stack(tup: Any, *, dtype: DTypeLike | None = ..., casting: _str | None = ...) -> ndarray: ...
s_: Any
def save(file: Any, arr: ArrayLike, allow_pickle: Any = ...) -> None: ...
def savetxt(fname: Any, X: Any, *args: Any, **kwargs: Any) -> None: ...
def savez(file: Any, *args: Any, **kwds: Any) -> None: ...
def savez_compressed(file: Any, *args: Any, **kwds: Any) -> None: ...
sctypeDict: Any
def searchsorted(a: ArrayLike, v: ArrayLike, side: Any = ..., sorter: Any = ...) -> ndarray: ...
def select(condlist: Any, choicelist: Any, default: Any = ...) -> Any: ...
def setdiff1d(ar1: Any, ar2: Any, assume_unique: Any = ...) -> ndarray: ...
def setxor1d(ar1: Any, ar2: Any, assume_unique: Any = ...) -> ndarray: ...
def shape(a: ArrayLike) -> _tuple[_int, ...]: ...
def shares_memory(a: ArrayLike, b: ArrayLike, /, max_work: Any = ...) -> _bool: ...
sign: ufunc
signbit: ufunc
sin: ufunc
def sinc(x: ArrayLike) -> ndarray: ...
sinh: ufunc
def size(a: ArrayLike, axis: _int | Sequence[_int] | None = ...) -> Any: ...
def sort(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., kind: Any = ..., order: _str | None = ..., *, stable: Any = ..., descending: Any = ...) -> Any: ...
def sort_complex(a: ArrayLike) -> ndarray: ...
spacing: ufunc
def split(ary: ArrayLike, indices_or_sections: Any, axis: _int | Sequence[_int] | None = ...) -> Sequence[ndarray]: ...
sqrt: ufunc
square: ufunc
def squeeze(a: ArrayLike, axis: _int | Sequence[_int] | None = ...) -> ndarray: ...
def stack(arrays: Any, axis: _int | Sequence[_int] | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., *, dtype: DTypeLike | None = ..., casting: _str | None = ...) -> ndarray: ...
def std(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., dtype: DTypeLike | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., ddof: Any = ..., keepdims: Any = ..., *, where: Any = ..., mean: Any = ..., correction: Any = ...) -> ndarray: ...
subtract: ufunc
def sum(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., dtype: DTypeLike | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., keepdims: Any = ..., initial: Any = ..., where: Any = ...) -> ndarray: ...
def swapaxes(a: ArrayLike, axis1: Any, axis2: Any) -> ndarray: ...
def take(a: ArrayLike, indices: Any, axis: _int | Sequence[_int] | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., mode: _str | None = ...) -> ndarray: ...
def take_along_axis(arr: ArrayLike, indices: Any, axis: _int | Sequence[_int] | None = ...) -> ndarray: ...
tan: ufunc
tanh: ufunc
def tensordot(a: ArrayLike, b: ArrayLike, axes: Any = ...) -> ndarray: ...
test: Any
def tile(A: Any, reps: Any) -> ndarray: ...
def trace(a: ArrayLike, offset: Any = ..., axis1: Any = ..., axis2: Any = ..., dtype: DTypeLike | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ...) -> ndarray: ...
def transpose(a: ArrayLike, axes: _int | Sequence[_int] | None = ...) -> ndarray: ...
def trapezoid(y: ArrayLike, x: ArrayLike | None = ..., dx: Any = ..., axis: _int | Sequence[_int] | None = ...) -> ndarray: ...
def tri(N: Any, M: Any = ..., k: Any = ..., dtype: Any = ..., *, like: Any = ...) -> ndarray: ...
def tril(m: ArrayLike, k: Any = ...) -> ndarray: ...
def tril_indices(n: Any, k: Any = ..., m: ArrayLike | None = ...) -> _tuple[ndarray, ...]: ...
def tril_indices_from(arr: ArrayLike, k: Any = ...) -> _tuple[ndarray, ...]: ...
def trim_zeros(filt: Any, trim: Any = ..., axis: _int | Sequence[_int] | None = ...) -> ndarray: ...
def triu(m: ArrayLike, k: Any = ...) -> ndarray: ...
def triu_indices(n: Any, k: Any = ..., m: ArrayLike | None = ...) -> _tuple[ndarray, ...]: ...
def triu_indices_from(arr: ArrayLike, k: Any = ...) -> _tuple[ndarray, ...]: ...
true_divide: ufunc
trunc: ufunc
typecodes: Any
def union1d(ar1: Any, ar2: Any) -> ndarray: ...
def unique(ar: Any, return_index: Any = ..., return_inverse: Any = ..., return_counts: Any = ..., axis: _int | Sequence[_int] | None = ..., *, equal_nan: Any = ..., sorted: _bool = ...) -> Any: ...
def unique_all(x: ArrayLike) -> Any: ...
def unique_counts(x: ArrayLike) -> Any: ...
def unique_inverse(x: ArrayLike) -> Any: ...
def unique_values(x: ArrayLike) -> ndarray: ...
def unpackbits(a: ArrayLike, /, axis: _int | Sequence[_int] | None = ..., count: Any = ..., bitorder: Any = ...) -> ndarray: ...
def unravel_index(indices: Any, shape: _int | Sequence[_int] | None, order: _str | None = ...) -> _tuple[ndarray, ...]: ...
def unstack(x: ArrayLike, /, *, axis: _int | Sequence[_int] | None = ...) -> Sequence[ndarray]: ...
def unwrap(*args: Any, **kwargs: Any) -> ndarray: ...
def vander(x: ArrayLike, N: Any = ..., increasing: _bool = ...) -> ndarray: ...
def var(a: ArrayLike, axis: _int | Sequence[_int] | None = ..., dtype: DTypeLike | None = ..., out: ndarray | _tuple[ndarray, ...] | None = ..., ddof: Any = ..., keepdims: Any = ..., *, where: Any = ..., mean: Any = ..., correction: Any = ...) -> ndarray: ...
def vdot(a: ArrayLike, b: ArrayLike, /) -> ndarray: ...
def vecdot(x1: ArrayLike, x2: ArrayLike, /, out: ndarray | _tuple[ndarray, ...] | None = ..., *, axis: _int | Sequence[_int] | None = ..., **kwargs: Any) -> ndarray: ...
def vecmat(x1: ArrayLike, x2: ArrayLike, /, **kwargs: Any) -> ndarray: ...
def vsplit(ary: ArrayLike, indices_or_sections: Any) -> Sequence[ndarray]: ...
def vstack(tup: Any, *, dtype: DTypeLike | None = ..., casting: _str | None = ...) -> ndarray: ...
def where(condition: ArrayLike, x: Any = ..., y: Any = ..., /) -> ndarray: ...
def zeros(shape: _int | Sequence[_int] | None, dtype: Any = ..., order: _str | None = ..., *, device: _str | None = ..., like: Any = ...) -> ndarray: ...
def zeros_like(a: ArrayLike, dtype: DTypeLike | None = ..., order: _str | None = ..., subok: Any = ..., shape: _int | Sequence[_int] | None = ..., *, device: _str | None = ...) -> ndarray: ...
