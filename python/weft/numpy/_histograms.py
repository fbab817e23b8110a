"""Histograms of points in two dimensions and more.

Columns of `float64` are counted in few operations. Other calls go to NumPy's own functions on Weft's arrays.
"""

import math as _math

from .. import _core
from ._array import array_type, cast, float64
from ._borrowed import borrow as _borrow
from ._shape import reshape
from ._sort import even_edges

_histogramdd, _histogram2d = _borrow("histogramdd"), _borrow("histogram2d")


def _is_column(a):
    return type(a) is array_type and a.ndim == 1 and a.dtype == float64 and a.size > 0


def _columns(sample):
    """The coordinates of points, a vector for each dimension; `None` for operands of other kinds."""
    if type(sample) is array_type and sample.ndim == 2 and sample.shape[1] > 0:
        columns = [sample[:, at] for at in range(sample.shape[1])]
    elif type(sample) in (list, tuple) and sample:
        columns = list(sample)
    else:
        return None
    is_plain = all(_is_column(one) and one.size == columns[0].size for one in columns)
    return columns if is_plain else None


def _counted(columns, bins, bounds, weights):
    """The counts of points in each cell, and the edges; `None` for calls of other kinds."""
    bins = [bins] * len(columns) if type(bins) is int else bins
    bounds = [None] * len(columns) if bounds is None else bounds
    if not all(type(one) in (list, tuple) and len(one) == len(columns) for one in (bins, bounds)):
        return None
    if weights is not None and not (_is_column(weights) and weights.size == columns[0].size):
        return None
    edges = [even_edges(column, count, bound) for column, count, bound in zip(columns, bins, bounds)]
    if any(one is None for one in edges):
        return None
    lengths = [one.size + 1 for one in edges]
    cells = None
    for column, own, length in zip(columns, edges, lengths):
        # The last bin includes both of its edges.
        place = _core.searchsorted(own, column, True) - (column == own[-1])
        cells = place if cells is None else cells * length + place
    made = _core.bincount_below(cells, weights, _math.prod(lengths))
    # Bins 0 and last are outside of the edges.
    return cast(reshape(made, lengths), float64)[(slice(1, -1),) * len(edges)], edges


def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """The number of points in each cell of a grid."""
    columns = None if density else _columns(sample)
    made = None if columns is None else _counted(columns, bins, range, weights)
    return _histogramdd(sample, bins, range, density, weights) if made is None else made


def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """The number of pairs in each cell of a grid."""
    columns = None if density else _columns((x, y))
    made = None if columns is None else _counted(columns, bins, range, weights)
    if made is None:
        return _histogram2d(x, y, bins, range, density, weights)
    return made[0], *made[1]
