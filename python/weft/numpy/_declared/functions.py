"""Elementwise functions that are not universal, places and differences."""
# Made by python/declare.py from python/declared/functions.toml.

from numpy import _NoValue

from .._borrowed import borrow as _borrow
from .._fallback import elsewhere as _elsewhere, holds_foreign as _holds_foreign
from .._math import (
    allclose as _math_allclose, angle as _math_angle, argwhere as _math_argwhere, array_equal as _math_array_equal,
    array_equiv as _math_array_equiv, asarray_chkfinite as _math_asarray_chkfinite, astype as _math_astype, clip as _math_clip,
    diff as _math_diff, ediff1d as _math_ediff1d, fix as _math_fix, flatnonzero as _math_flatnonzero, gradient as _math_gradient,
    imag as _math_imag, isclose as _math_isclose, iscomplex as _math_iscomplex, iscomplexobj as _math_iscomplexobj,
    isneginf as _math_isneginf, isposinf as _math_isposinf, isreal as _math_isreal, isrealobj as _math_isrealobj,
    may_share_memory as _math_may_share_memory, nan_to_num as _math_nan_to_num, nonzero as _math_nonzero, real as _math_real,
    real_if_close as _math_real_if_close, round as _math_round, shares_memory as _math_shares_memory, sinc as _math_sinc,
    trapezoid as _math_trapezoid, where as _math_where,
)
from .._select import (
    apply_along_axis as _select_apply_along_axis, apply_over_axes as _select_apply_over_axes, choose as _select_choose,
    compress as _select_compress, extract as _select_extract, interp as _select_interp, ix_ as _select_ix_, piecewise as _select_piecewise,
    select as _select_select, take_along_axis as _select_take_along_axis,
)
from .._whole import whole as _whole
from .._write import (
    copyto as _write_copyto, fill_diagonal as _write_fill_diagonal, place as _write_place, put as _write_put,
    put_along_axis as _write_put_along_axis, putmask as _write_putmask,
)

__all__ = [
    "allclose", "angle", "apply_along_axis", "apply_over_axes", "argwhere", "around", "array_equal", "array_equiv", "asarray_chkfinite",
    "astype", "choose", "clip", "compress", "copyto", "diff", "ediff1d", "extract", "fill_diagonal", "fix", "flatnonzero", "gradient",
    "imag", "interp", "isclose", "iscomplex", "iscomplexobj", "isneginf", "isposinf", "isreal", "isrealobj", "ix_", "may_share_memory",
    "nan_to_num", "nonzero", "piecewise", "place", "put", "put_along_axis", "putmask", "real", "real_if_close", "round", "select",
    "shares_memory", "sinc", "take_along_axis", "trapezoid", "unwrap", "where",
]

# The module of a function is the public one.
__name__ = "weft.numpy"


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether all elements are approximately equal."""
    try:
        return _math_allclose(a, b, rtol, atol, equal_nan)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "b", "rtol", "atol"):
            raise
    return _elsewhere(allclose, given)


def angle(z, deg=False):
    """The angles of complex numbers."""
    try:
        return _math_angle(z, deg)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "z"):
            raise
    return _elsewhere(angle, given)


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """The results of a function of each line along an axis."""
    try:
        return _select_apply_along_axis(func1d, axis, arr, *args, **kwargs)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "arr", "args"):
            raise
    return _elsewhere(apply_along_axis, given)


def apply_over_axes(func, a, axes):
    """The result of a function applied along several axes in turn."""
    try:
        return _select_apply_over_axes(func, a, axes)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(apply_over_axes, given)


def argwhere(a):
    """The indices of nonzero elements, one in each row."""
    try:
        return _math_argwhere(a)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(argwhere, given)


def array_equal(a1, a2, equal_nan=False):
    """Whether shapes and all elements are equal."""
    try:
        return _math_array_equal(a1, a2, equal_nan)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a1", "a2"):
            raise
    return _elsewhere(array_equal, given)


def array_equiv(a1, a2):
    """Whether all elements are equal after broadcasting."""
    try:
        return _math_array_equiv(a1, a2)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a1", "a2"):
            raise
    return _elsewhere(array_equiv, given)


def asarray_chkfinite(a, dtype=None, order=None):
    """Converts to an array, and requires finite elements."""
    try:
        return _math_asarray_chkfinite(a, dtype, order)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(asarray_chkfinite, given)


def astype(x, dtype, /, *, copy=True, device=None):
    """The elements as another dtype."""
    try:
        return _math_astype(x, dtype, copy=copy, device=device)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x"):
            raise
    return _elsewhere(astype, given)


def choose(a, choices, out=None, mode='raise'):
    """For each element, the value of the array with this index."""
    try:
        if out is not None:
            with _whole(out):
                return _select_choose(a, choices, out, mode)
        return _select_choose(a, choices, out, mode)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "choices"):
            raise
    return _elsewhere(choose, given)


def clip(a, a_min=_NoValue, a_max=_NoValue, out=None, *, min=_NoValue, max=_NoValue, **kwargs):
    """The elements no smaller than one and no larger than another bound."""
    try:
        if out is not None:
            with _whole(out):
                return _math_clip(a, a_min, a_max, out, min=min, max=max, **kwargs)
        return _math_clip(a, a_min, a_max, out, min=min, max=max, **kwargs)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "a_min", "a_max", "min", "max"):
            raise
    return _elsewhere(clip, given)


def compress(condition, a, axis=None, out=None):
    """The elements at which a condition holds along an axis."""
    try:
        if out is not None:
            with _whole(out):
                return _select_compress(condition, a, axis, out)
        return _select_compress(condition, a, axis, out)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "condition", "a"):
            raise
    return _elsewhere(compress, given)


def copyto(dst, src, casting='same_kind', where=True):
    """Writes an array into another one."""
    try:
        return _write_copyto(dst, src, casting, where)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "src", "where"):
            raise
    return _elsewhere(copyto, given)


def diff(a, n=1, axis=-1, prepend=_NoValue, append=_NoValue):
    """Differences of adjacent elements."""
    try:
        return _math_diff(a, n, axis, prepend, append)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "prepend", "append"):
            raise
    return _elsewhere(diff, given)


def ediff1d(ary, to_end=None, to_begin=None):
    """Differences of consecutive elements, with optional values at both ends."""
    try:
        return _math_ediff1d(ary, to_end, to_begin)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "ary", "to_end=None", "to_begin=None"):
            raise
    return _elsewhere(ediff1d, given)


def extract(condition, arr):
    """The elements where a condition holds, as a vector."""
    try:
        return _select_extract(condition, arr)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "condition", "arr"):
            raise
    return _elsewhere(extract, given)


def fill_diagonal(a, val, wrap=False):
    """Writes to the main diagonal."""
    try:
        return _write_fill_diagonal(a, val, wrap)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "val"):
            raise
    return _elsewhere(fill_diagonal, given)


def fix(x, out=None):
    """The elements without their fraction."""
    try:
        if out is not None:
            with _whole(out):
                return _math_fix(x, out)
        return _math_fix(x, out)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x"):
            raise
    return _elsewhere(fix, given)


def flatnonzero(a):
    """The flat indices of nonzero elements."""
    try:
        return _math_flatnonzero(a)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(flatnonzero, given)


def gradient(f, *varargs, axis=None, edge_order=1):
    """Central differences, one-sided at the ends."""
    try:
        return _math_gradient(f, *varargs, axis=axis, edge_order=edge_order)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "f", "varargs"):
            raise
    return _elsewhere(gradient, given)


def imag(val):
    """Imaginary parts."""
    try:
        return _math_imag(val)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "val"):
            raise
    return _elsewhere(imag, given)


def interp(x, xp, fp, left=None, right=None, period=None):
    """Linear interpolation between the values of a table."""
    try:
        return _select_interp(x, xp, fp, left, right, period)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x", "xp", "fp"):
            raise
    return _elsewhere(interp, given)


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether elements are approximately equal."""
    try:
        return _math_isclose(a, b, rtol, atol, equal_nan)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "b", "rtol", "atol"):
            raise
    return _elsewhere(isclose, given)


def iscomplex(x):
    """Whether imaginary parts are not zero."""
    try:
        return _math_iscomplex(x)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x"):
            raise
    return _elsewhere(iscomplex, given)


def iscomplexobj(x):
    """Whether the dtype is complex."""
    try:
        return _math_iscomplexobj(x)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x"):
            raise
    return _elsewhere(iscomplexobj, given)


def isneginf(x, out=None):
    """Whether elements are negative infinity."""
    try:
        if out is not None:
            with _whole(out):
                return _math_isneginf(x, out)
        return _math_isneginf(x, out)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x"):
            raise
    return _elsewhere(isneginf, given)


def isposinf(x, out=None):
    """Whether elements are positive infinity."""
    try:
        if out is not None:
            with _whole(out):
                return _math_isposinf(x, out)
        return _math_isposinf(x, out)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x"):
            raise
    return _elsewhere(isposinf, given)


def isreal(x):
    """Whether imaginary parts are zero."""
    try:
        return _math_isreal(x)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x"):
            raise
    return _elsewhere(isreal, given)


def isrealobj(x):
    """Whether the dtype is not complex."""
    try:
        return _math_isrealobj(x)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x"):
            raise
    return _elsewhere(isrealobj, given)


def ix_(*args):
    """Vectors as the indices of a grid."""
    try:
        return _select_ix_(*args)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "args"):
            raise
    return _elsewhere(ix_, given)


def may_share_memory(a, b, /, max_work=0):
    """Whether two arrays may have elements in common."""
    try:
        return _math_may_share_memory(a, b, max_work)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "b"):
            raise
    return _elsewhere(may_share_memory, given)


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """The elements with numbers in the place of NaN and infinities."""
    try:
        return _math_nan_to_num(x, copy, nan, posinf, neginf)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x", "nan", "posinf=None", "neginf=None"):
            raise
    return _elsewhere(nan_to_num, given)


def nonzero(a):
    """The indices of nonzero elements: one array for each axis."""
    try:
        return _math_nonzero(a)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(nonzero, given)


def piecewise(x, condlist, funclist, *args, **kw):
    """For each element, the function whose condition holds."""
    try:
        return _select_piecewise(x, condlist, funclist, *args, **kw)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x", "condlist", "args"):
            raise
    return _elsewhere(piecewise, given)


def place(arr, mask, vals):
    """Writes values, repeated as needed, where a mask is set."""
    try:
        return _write_place(arr, mask, vals)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "arr", "mask", "vals"):
            raise
    return _elsewhere(place, given)


def put(a, ind, v, mode='raise'):
    """Writes values to flat indices."""
    try:
        return _write_put(a, ind, v, mode)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "ind", "v"):
            raise
    return _elsewhere(put, given)


def put_along_axis(arr, indices, values, axis):
    """Writes to the elements of one array whose indices another array gives along an axis."""
    try:
        return _write_put_along_axis(arr, indices, values, axis)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "arr", "indices", "values"):
            raise
    return _elsewhere(put_along_axis, given)


def putmask(a, mask, values):
    """Writes values where a mask is set, each from the same index."""
    try:
        return _write_putmask(a, mask, values)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "mask", "values"):
            raise
    return _elsewhere(putmask, given)


def real(val):
    """Real parts."""
    try:
        return _math_real(val)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "val"):
            raise
    return _elsewhere(real, given)


def real_if_close(a, tol=100):
    """The real parts, if all imaginary parts are close to zero."""
    try:
        return _math_real_if_close(a, tol)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(real_if_close, given)


def round(a, decimals=0, out=None):
    """The elements rounded to a number of decimals; halves to even."""
    try:
        if out is not None:
            with _whole(out):
                return _math_round(a, decimals, out)
        return _math_round(a, decimals, out)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(round, given)


def select(condlist, choicelist, default=0):
    """For each element, the first choice whose condition holds."""
    try:
        return _select_select(condlist, choicelist, default)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "condlist", "choicelist", "default"):
            raise
    return _elsewhere(select, given)


def shares_memory(a, b, /, max_work=-1):
    """Whether two arrays have elements in common."""
    try:
        return _math_shares_memory(a, b, max_work)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "b"):
            raise
    return _elsewhere(shares_memory, given)


def sinc(x):
    """sin(pi x) / (pi x)."""
    try:
        return _math_sinc(x)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x"):
            raise
    return _elsewhere(sinc, given)


def take_along_axis(arr, indices, axis=-1):
    """The elements of each line at the indices in the same line of another array."""
    try:
        return _select_take_along_axis(arr, indices, axis)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "arr", "indices"):
            raise
    return _elsewhere(take_along_axis, given)


def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The integral by trapezoids."""
    try:
        return _math_trapezoid(y, x, dx, axis)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "y", "x=None"):
            raise
    return _elsewhere(trapezoid, given)


_unwrap = _borrow("unwrap")


def unwrap(p, discont=None, axis=-1, *, period=6.283185307179586):
    """Unwraps angles by removing jumps."""
    try:
        return _unwrap(p, discont, axis, period=period)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "p"):
            raise
    return _elsewhere(unwrap, given)


def where(condition, x=_NoValue, y=_NoValue, /):
    """Elements of one array if a condition holds, otherwise of another; or the indices at which it holds."""
    try:
        return _math_where(condition, x, y)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "condition", "x", "y"):
            raise
    return _elsewhere(where, given)


around = round
