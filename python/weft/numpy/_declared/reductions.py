"""Functions of many elements: sums, extremes, running results."""
# Made by python/declare.py from python/declared/reductions.toml.

from numpy import _NoValue

from .._fallback import elsewhere as _elsewhere, holds_foreign as _holds_foreign
from .._reduce import (
    all as _reduce_all, any as _reduce_any, argmax as _reduce_argmax, argmin as _reduce_argmin, average as _reduce_average,
    count_nonzero as _reduce_count_nonzero, cumprod as _reduce_cumprod, cumsum as _reduce_cumsum,
    cumulative_prod as _reduce_cumulative_prod, cumulative_sum as _reduce_cumulative_sum, max as _reduce_max, mean as _reduce_mean,
    min as _reduce_min, nanargmax as _reduce_nanargmax, nanargmin as _reduce_nanargmin, nancumprod as _reduce_nancumprod,
    nancumsum as _reduce_nancumsum, nanmax as _reduce_nanmax, nanmean as _reduce_nanmean, nanmin as _reduce_nanmin,
    nanprod as _reduce_nanprod, nanstd as _reduce_nanstd, nansum as _reduce_nansum, nanvar as _reduce_nanvar, prod as _reduce_prod,
    ptp as _reduce_ptp, std as _reduce_std, sum as _reduce_sum, var as _reduce_var,
)
from .._whole import whole as _whole

__all__ = [
    "all", "amax", "amin", "any", "argmax", "argmin", "average", "count_nonzero", "cumprod", "cumsum", "cumulative_prod", "cumulative_sum",
    "max", "mean", "min", "nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmean", "nanmin", "nanprod", "nanstd", "nansum",
    "nanvar", "prod", "ptp", "std", "sum", "var",
]

# The module of a function is the public one.
__name__ = "weft.numpy"


def all(a, axis=None, out=None, keepdims=_NoValue, *, where=_NoValue):
    """Whether all elements are true, or all along axes."""
    try:
        if out is not None:
            with _whole(out):
                return _reduce_all(a, axis, out, keepdims, where=where)
        return _reduce_all(a, axis, out, keepdims, where=where)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "where"):
            raise
    return _elsewhere(all, given)


def any(a, axis=None, out=None, keepdims=_NoValue, *, where=_NoValue):
    """Whether any element is true, among all or along axes."""
    try:
        if out is not None:
            with _whole(out):
                return _reduce_any(a, axis, out, keepdims, where=where)
        return _reduce_any(a, axis, out, keepdims, where=where)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "where"):
            raise
    return _elsewhere(any, given)


def argmax(a, axis=None, out=None, *, keepdims=_NoValue):
    """The index of the largest element, among all or along an axis."""
    try:
        if out is not None:
            with _whole(out):
                return _reduce_argmax(a, axis, out, keepdims=keepdims)
        return _reduce_argmax(a, axis, out, keepdims=keepdims)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(argmax, given)


def argmin(a, axis=None, out=None, *, keepdims=_NoValue):
    """The index of the smallest element, among all or along an axis."""
    try:
        if out is not None:
            with _whole(out):
                return _reduce_argmin(a, axis, out, keepdims=keepdims)
        return _reduce_argmin(a, axis, out, keepdims=keepdims)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(argmin, given)


def average(a, axis=None, weights=None, returned=False, *, keepdims=_NoValue):
    """The mean, optionally weighted."""
    try:
        return _reduce_average(a, axis, weights, returned, keepdims=keepdims)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "weights=None"):
            raise
    return _elsewhere(average, given)


def count_nonzero(a, axis=None, *, keepdims=False):
    """The number of nonzero elements."""
    try:
        return _reduce_count_nonzero(a, axis, keepdims=keepdims)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(count_nonzero, given)


def cumprod(a, axis=None, dtype=None, out=None):
    """Running products along an axis, or of all elements."""
    try:
        if out is not None:
            with _whole(out):
                return _reduce_cumprod(a, axis, dtype, out)
        return _reduce_cumprod(a, axis, dtype, out)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(cumprod, given)


def cumsum(a, axis=None, dtype=None, out=None):
    """Running sums along an axis, or of all elements."""
    try:
        if out is not None:
            with _whole(out):
                return _reduce_cumsum(a, axis, dtype, out)
        return _reduce_cumsum(a, axis, dtype, out)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(cumsum, given)


def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Running products along an axis, optionally starting with 1."""
    try:
        if out is not None:
            with _whole(out):
                return _reduce_cumulative_prod(x, axis=axis, dtype=dtype, out=out, include_initial=include_initial)
        return _reduce_cumulative_prod(x, axis=axis, dtype=dtype, out=out, include_initial=include_initial)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x"):
            raise
    return _elsewhere(cumulative_prod, given)


def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Running sums along an axis, optionally starting with 0."""
    try:
        if out is not None:
            with _whole(out):
                return _reduce_cumulative_sum(x, axis=axis, dtype=dtype, out=out, include_initial=include_initial)
        return _reduce_cumulative_sum(x, axis=axis, dtype=dtype, out=out, include_initial=include_initial)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x"):
            raise
    return _elsewhere(cumulative_sum, given)


def max(a, axis=None, out=None, keepdims=_NoValue, initial=_NoValue, where=_NoValue):
    """The largest element, of all or along axes."""
    try:
        if out is not None:
            with _whole(out):
                return _reduce_max(a, axis, out, keepdims, initial, where)
        return _reduce_max(a, axis, out, keepdims, initial, where)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "initial", "where"):
            raise
    return _elsewhere(max, given)


def mean(a, axis=None, dtype=None, out=None, keepdims=_NoValue, *, where=_NoValue):
    """The mean of all elements, or along axes."""
    try:
        if out is not None:
            with _whole(out):
                return _reduce_mean(a, axis, dtype, out, keepdims, where=where)
        return _reduce_mean(a, axis, dtype, out, keepdims, where=where)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "where"):
            raise
    return _elsewhere(mean, given)


def min(a, axis=None, out=None, keepdims=_NoValue, initial=_NoValue, where=_NoValue):
    """The smallest element, of all or along axes."""
    try:
        if out is not None:
            with _whole(out):
                return _reduce_min(a, axis, out, keepdims, initial, where)
        return _reduce_min(a, axis, out, keepdims, initial, where)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "initial", "where"):
            raise
    return _elsewhere(min, given)


def nanargmax(a, axis=None, out=None, *, keepdims=_NoValue):
    """The index of the largest element that is not NaN."""
    try:
        if out is not None:
            with _whole(out):
                return _reduce_nanargmax(a, axis, out, keepdims=keepdims)
        return _reduce_nanargmax(a, axis, out, keepdims=keepdims)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(nanargmax, given)


def nanargmin(a, axis=None, out=None, *, keepdims=_NoValue):
    """The index of the smallest element that is not NaN."""
    try:
        if out is not None:
            with _whole(out):
                return _reduce_nanargmin(a, axis, out, keepdims=keepdims)
        return _reduce_nanargmin(a, axis, out, keepdims=keepdims)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(nanargmin, given)


def nancumprod(a, axis=None, dtype=None, out=None):
    """Running products of the elements that are not NaN."""
    try:
        if out is not None:
            with _whole(out):
                return _reduce_nancumprod(a, axis, dtype, out)
        return _reduce_nancumprod(a, axis, dtype, out)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(nancumprod, given)


def nancumsum(a, axis=None, dtype=None, out=None):
    """Running sums of the elements that are not NaN."""
    try:
        if out is not None:
            with _whole(out):
                return _reduce_nancumsum(a, axis, dtype, out)
        return _reduce_nancumsum(a, axis, dtype, out)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(nancumsum, given)


def nanmax(a, axis=None, out=None, keepdims=_NoValue, initial=_NoValue, where=_NoValue):
    """The largest element that is not NaN."""
    try:
        if out is not None:
            with _whole(out):
                return _reduce_nanmax(a, axis, out, keepdims, initial, where)
        return _reduce_nanmax(a, axis, out, keepdims, initial, where)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "initial", "where"):
            raise
    return _elsewhere(nanmax, given)


def nanmean(a, axis=None, dtype=None, out=None, keepdims=_NoValue, *, where=_NoValue):
    """The mean of the elements that are not NaN."""
    try:
        if out is not None:
            with _whole(out):
                return _reduce_nanmean(a, axis, dtype, out, keepdims, where=where)
        return _reduce_nanmean(a, axis, dtype, out, keepdims, where=where)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "where"):
            raise
    return _elsewhere(nanmean, given)


def nanmin(a, axis=None, out=None, keepdims=_NoValue, initial=_NoValue, where=_NoValue):
    """The smallest element that is not NaN."""
    try:
        if out is not None:
            with _whole(out):
                return _reduce_nanmin(a, axis, out, keepdims, initial, where)
        return _reduce_nanmin(a, axis, out, keepdims, initial, where)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "initial", "where"):
            raise
    return _elsewhere(nanmin, given)


def nanprod(a, axis=None, dtype=None, out=None, keepdims=_NoValue, initial=_NoValue, where=_NoValue):
    """The product of the elements that are not NaN."""
    try:
        if out is not None:
            with _whole(out):
                return _reduce_nanprod(a, axis, dtype, out, keepdims, initial, where)
        return _reduce_nanprod(a, axis, dtype, out, keepdims, initial, where)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "initial", "where"):
            raise
    return _elsewhere(nanprod, given)


def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=_NoValue, *, where=_NoValue, mean=_NoValue, correction=_NoValue):
    """The standard deviation of the elements that are not NaN."""
    try:
        if out is not None:
            with _whole(out):
                return _reduce_nanstd(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction)
        return _reduce_nanstd(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "where", "mean"):
            raise
    return _elsewhere(nanstd, given)


def nansum(a, axis=None, dtype=None, out=None, keepdims=_NoValue, initial=_NoValue, where=_NoValue):
    """The sum of the elements that are not NaN."""
    try:
        if out is not None:
            with _whole(out):
                return _reduce_nansum(a, axis, dtype, out, keepdims, initial, where)
        return _reduce_nansum(a, axis, dtype, out, keepdims, initial, where)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "initial", "where"):
            raise
    return _elsewhere(nansum, given)


def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=_NoValue, *, where=_NoValue, mean=_NoValue, correction=_NoValue):
    """The variance of the elements that are not NaN."""
    try:
        if out is not None:
            with _whole(out):
                return _reduce_nanvar(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction)
        return _reduce_nanvar(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "where", "mean"):
            raise
    return _elsewhere(nanvar, given)


def prod(a, axis=None, dtype=None, out=None, keepdims=_NoValue, initial=_NoValue, where=_NoValue):
    """The product of all elements, or along axes."""
    try:
        if out is not None:
            with _whole(out):
                return _reduce_prod(a, axis, dtype, out, keepdims, initial, where)
        return _reduce_prod(a, axis, dtype, out, keepdims, initial, where)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "initial", "where"):
            raise
    return _elsewhere(prod, given)


def ptp(a, axis=None, out=None, keepdims=_NoValue):
    """The distance between the largest and the smallest element."""
    try:
        if out is not None:
            with _whole(out):
                return _reduce_ptp(a, axis, out, keepdims)
        return _reduce_ptp(a, axis, out, keepdims)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(ptp, given)


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=_NoValue, *, where=_NoValue, mean=_NoValue, correction=_NoValue):
    """The standard deviation of all elements, or along axes."""
    try:
        if out is not None:
            with _whole(out):
                return _reduce_std(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction)
        return _reduce_std(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "where", "mean"):
            raise
    return _elsewhere(std, given)


def sum(a, axis=None, dtype=None, out=None, keepdims=_NoValue, initial=_NoValue, where=_NoValue):
    """The sum of all elements, or along axes."""
    try:
        if out is not None:
            with _whole(out):
                return _reduce_sum(a, axis, dtype, out, keepdims, initial, where)
        return _reduce_sum(a, axis, dtype, out, keepdims, initial, where)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "initial", "where"):
            raise
    return _elsewhere(sum, given)


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=_NoValue, *, where=_NoValue, mean=_NoValue, correction=_NoValue):
    """The variance of all elements, or along axes."""
    try:
        if out is not None:
            with _whole(out):
                return _reduce_var(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction)
        return _reduce_var(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "where", "mean"):
            raise
    return _elsewhere(var, given)


amax = max


amin = min
