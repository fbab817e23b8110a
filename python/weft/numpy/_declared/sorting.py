"""Sorting, sets, counting, quantiles."""
# Made by python/declare.py from python/declared/sorting.toml.

from numpy import _NoValue

from .._fallback import elsewhere as _elsewhere, holds_foreign as _holds_foreign
from .._histograms import histogram2d as _histograms_histogram2d, histogramdd as _histograms_histogramdd
from .._quantile import nanmedian as _quantile_nanmedian, nanpercentile as _quantile_nanpercentile, nanquantile as _quantile_nanquantile
from .._sort import (
    argpartition as _sort_argpartition, argsort as _sort_argsort, bincount as _sort_bincount, digitize as _sort_digitize,
    histogram as _sort_histogram, histogram_bin_edges as _sort_histogram_bin_edges, intersect1d as _sort_intersect1d, isin as _sort_isin,
    lexsort as _sort_lexsort, median as _sort_median, partition as _sort_partition, percentile as _sort_percentile,
    quantile as _sort_quantile, searchsorted as _sort_searchsorted, setdiff1d as _sort_setdiff1d, setxor1d as _sort_setxor1d,
    sort as _sort_sort, sort_complex as _sort_sort_complex, union1d as _sort_union1d, unique as _sort_unique,
    unique_all as _sort_unique_all, unique_counts as _sort_unique_counts, unique_inverse as _sort_unique_inverse,
    unique_values as _sort_unique_values,
)
from .._whole import whole as _whole

__all__ = [
    "argpartition", "argsort", "bincount", "digitize", "histogram", "histogram2d", "histogram_bin_edges", "histogramdd", "intersect1d",
    "isin", "lexsort", "median", "nanmedian", "nanpercentile", "nanquantile", "partition", "percentile", "quantile", "searchsorted",
    "setdiff1d", "setxor1d", "sort", "sort_complex", "union1d", "unique", "unique_all", "unique_counts", "unique_inverse", "unique_values",
]

# The module of a function is the public one.
__name__ = "weft.numpy"


def argpartition(a, kth, axis=-1, kind='introselect', order=None):
    """The indices that `partition` would use."""
    try:
        return _sort_argpartition(a, kth, axis, kind, order)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(argpartition, given)


def argsort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """The indices that sort the array along an axis."""
    try:
        return _sort_argsort(a, axis, kind, order, stable=stable, descending=descending)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(argsort, given)


def bincount(x, /, weights=None, minlength=0):
    """The count of each number."""
    try:
        return _sort_bincount(x, weights, minlength)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x", "weights=None"):
            raise
    return _elsewhere(bincount, given)


def digitize(x, bins, right=False):
    """The bin of each element."""
    try:
        return _sort_digitize(x, bins, right)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x", "bins"):
            raise
    return _elsewhere(digitize, given)


def histogram(a, bins=10, range=None, density=None, weights=None):
    """The number of elements in each bin, and the edges of the bins."""
    try:
        return _sort_histogram(a, bins, range, density, weights)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "bins", "weights=None"):
            raise
    return _elsewhere(histogram, given)


def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """The number of pairs in each cell of a grid."""
    try:
        return _histograms_histogram2d(x, y, bins, range, density, weights)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x", "y", "bins", "range=None", "weights=None"):
            raise
    return _elsewhere(histogram2d, given)


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of a histogram's bins."""
    try:
        return _sort_histogram_bin_edges(a, bins, range, weights)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "bins", "weights=None"):
            raise
    return _elsewhere(histogram_bin_edges, given)


def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """The number of points in each cell of a grid."""
    try:
        return _histograms_histogramdd(sample, bins, range, density, weights)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "sample", "bins", "weights=None"):
            raise
    return _elsewhere(histogramdd, given)


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """The common elements of two arrays, in order."""
    try:
        return _sort_intersect1d(ar1, ar2, assume_unique, return_indices)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "ar1", "ar2"):
            raise
    return _elsewhere(intersect1d, given)


def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """Whether elements are among others."""
    try:
        return _sort_isin(element, test_elements, assume_unique, invert, kind=kind)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "element", "test_elements"):
            raise
    return _elsewhere(isin, given)


def lexsort(keys, axis=-1):
    """The indices that sort by several keys; the last key is the primary one."""
    try:
        return _sort_lexsort(keys, axis)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "keys"):
            raise
    return _elsewhere(lexsort, given)


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The element in the middle, or the mean of the two there."""
    try:
        if out is not None:
            with _whole(out):
                return _sort_median(a, axis, out, overwrite_input, keepdims)
        return _sort_median(a, axis, out, overwrite_input, keepdims)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(median, given)


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=_NoValue):
    """The median of the elements that are not NaN."""
    try:
        if out is not None:
            with _whole(out):
                return _quantile_nanmedian(a, axis, out, overwrite_input, keepdims)
        return _quantile_nanmedian(a, axis, out, overwrite_input, keepdims)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(nanmedian, given)


def nanpercentile(a, q, axis=None, out=None, overwrite_input=False, method='linear', keepdims=_NoValue, *, weights=None, interpolation=None):
    """The percentiles of the elements that are not NaN."""
    try:
        if out is not None:
            with _whole(out):
                return _quantile_nanpercentile(a, q, axis, out, overwrite_input, method, keepdims, weights=weights, interpolation=interpolation)
        return _quantile_nanpercentile(a, q, axis, out, overwrite_input, method, keepdims, weights=weights, interpolation=interpolation)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "q", "weights=None"):
            raise
    return _elsewhere(nanpercentile, given)


def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method='linear', keepdims=_NoValue, *, weights=None, interpolation=None):
    """The quantiles of the elements that are not NaN."""
    try:
        if out is not None:
            with _whole(out):
                return _quantile_nanquantile(a, q, axis, out, overwrite_input, method, keepdims, weights=weights, interpolation=interpolation)
        return _quantile_nanquantile(a, q, axis, out, overwrite_input, method, keepdims, weights=weights, interpolation=interpolation)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "q", "weights=None"):
            raise
    return _elsewhere(nanquantile, given)


def partition(a, kth, axis=-1, kind='introselect', order=None):
    """A partially sorted copy; here it is sorted completely."""
    try:
        return _sort_partition(a, kth, axis, kind, order)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(partition, given)


def percentile(a, q, axis=None, out=None, overwrite_input=False, method='linear', keepdims=False, *, weights=None, interpolation=None):
    """The percentiles of the elements."""
    try:
        if out is not None:
            with _whole(out):
                return _sort_percentile(a, q, axis, out, overwrite_input, method, keepdims, weights=weights, interpolation=interpolation)
        return _sort_percentile(a, q, axis, out, overwrite_input, method, keepdims, weights=weights, interpolation=interpolation)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "q", "weights=None"):
            raise
    return _elsewhere(percentile, given)


def quantile(a, q, axis=None, out=None, overwrite_input=False, method='linear', keepdims=False, *, weights=None, interpolation=None):
    """The quantiles of the elements."""
    try:
        if out is not None:
            with _whole(out):
                return _sort_quantile(a, q, axis, out, overwrite_input, method, keepdims, weights=weights, interpolation=interpolation)
        return _sort_quantile(a, q, axis, out, overwrite_input, method, keepdims, weights=weights, interpolation=interpolation)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "q", "weights=None"):
            raise
    return _elsewhere(quantile, given)


def searchsorted(a, v, side='left', sorter=None):
    """The insertion indices of values in a sorted vector."""
    try:
        return _sort_searchsorted(a, v, side, sorter)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a", "v", "sorter=None"):
            raise
    return _elsewhere(searchsorted, given)


def setdiff1d(ar1, ar2, assume_unique=False):
    """The elements of one array that are not in the other."""
    try:
        return _sort_setdiff1d(ar1, ar2, assume_unique)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "ar1", "ar2"):
            raise
    return _elsewhere(setdiff1d, given)


def setxor1d(ar1, ar2, assume_unique=False):
    """The elements of exactly one of two arrays, in order."""
    try:
        return _sort_setxor1d(ar1, ar2, assume_unique)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "ar1", "ar2"):
            raise
    return _elsewhere(setxor1d, given)


def sort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """A copy, sorted along an axis."""
    try:
        return _sort_sort(a, axis, kind, order, stable=stable, descending=descending)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(sort, given)


def sort_complex(a):
    """The elements in order, as complex numbers."""
    try:
        return _sort_sort_complex(a)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "a"):
            raise
    return _elsewhere(sort_complex, given)


def union1d(ar1, ar2):
    """The elements of both arrays, in order, each once."""
    try:
        return _sort_union1d(ar1, ar2)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "ar1", "ar2"):
            raise
    return _elsewhere(union1d, given)


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True):
    """The elements in order, each once."""
    try:
        return _sort_unique(ar, return_index, return_inverse, return_counts, axis, equal_nan=equal_nan, sorted=sorted)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "ar"):
            raise
    return _elsewhere(unique, given)


def unique_all(x):
    """The sorted unique elements with their first indices, inverse indices and counts; NaN are all different."""
    try:
        return _sort_unique_all(x)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x"):
            raise
    return _elsewhere(unique_all, given)


def unique_counts(x):
    """The elements in order with their counts; NaN are all different."""
    try:
        return _sort_unique_counts(x)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x"):
            raise
    return _elsewhere(unique_counts, given)


def unique_inverse(x):
    """The elements in order with their numbers; NaN are all different."""
    try:
        return _sort_unique_inverse(x)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x"):
            raise
    return _elsewhere(unique_inverse, given)


def unique_values(x):
    """The elements in order; NaN are all different."""
    try:
        return _sort_unique_values(x)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x"):
            raise
    return _elsewhere(unique_values, given)
