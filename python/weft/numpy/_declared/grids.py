"""Grids and indices."""
# Made by python/declare.py from python/declared/grids.toml.

import numpy as _np

from .._borrowed import borrow as _borrow
from .._fallback import elsewhere as _elsewhere, holds_foreign as _holds_foreign
from .._grids import (
    c_, diag_indices as _grids_diag_indices, diag_indices_from as _grids_diag_indices_from, mgrid, ogrid, r_,
    ravel_multi_index as _grids_ravel_multi_index, tril_indices as _grids_tril_indices, tril_indices_from as _grids_tril_indices_from,
    triu_indices as _grids_triu_indices, triu_indices_from as _grids_triu_indices_from, unravel_index as _grids_unravel_index,
)

__all__ = [
    "c_", "diag_indices", "diag_indices_from", "mask_indices", "mgrid", "ogrid", "r_", "ravel_multi_index", "tril_indices",
    "tril_indices_from", "triu_indices", "triu_indices_from", "unravel_index",
]

# The module of a function is the public one.
__name__ = "weft.numpy"


def diag_indices(n, ndim=2):
    """The indices of the main diagonal."""
    try:
        return _grids_diag_indices(n, ndim)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given):
            raise
    return _elsewhere(diag_indices, given)


def diag_indices_from(arr):
    """The indices of an array's main diagonal."""
    try:
        return _grids_diag_indices_from(arr)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "arr"):
            raise
    return _elsewhere(diag_indices_from, given)


_mask_indices = _borrow("mask_indices")


def mask_indices(n, mask_func, k=0):
    """The indices of the elements that a function of matrices keeps."""
    try:
        return _mask_indices(n, mask_func, k)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "k"):
            raise
    return _elsewhere(mask_indices, given)


def ravel_multi_index(multi_index, dims, mode='raise', order='C'):
    """Converts indices along each axis to flat indices."""
    try:
        return _grids_ravel_multi_index(multi_index, dims, mode, order)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "multi_index"):
            raise
    return _elsewhere(ravel_multi_index, given)


def tril_indices(n, k=0, m=None):
    """The indices on and below a diagonal."""
    try:
        return _grids_tril_indices(n, k, m)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given):
            raise
    return _elsewhere(tril_indices, given)


def tril_indices_from(arr, k=0):
    """The indices on and below a diagonal of a matrix."""
    try:
        return _grids_tril_indices_from(arr, k)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "arr"):
            raise
    return _elsewhere(tril_indices_from, given)


def triu_indices(n, k=0, m=None):
    """The indices on and above a diagonal."""
    try:
        return _grids_triu_indices(n, k, m)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given):
            raise
    return _elsewhere(triu_indices, given)


def triu_indices_from(arr, k=0):
    """The indices on and above a diagonal of a matrix."""
    try:
        return _grids_triu_indices_from(arr, k)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "arr"):
            raise
    return _elsewhere(triu_indices_from, given)


def unravel_index(indices, shape, order='C'):
    """Converts flat indices to indices along each axis."""
    try:
        return _grids_unravel_index(indices, shape, order)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "indices"):
            raise
    return _elsewhere(unravel_index, given)


#: NumPy's own, where the installed NumPy has loaded them.
_SAME = ["index_exp", "s_"]
_same = {name: vars(_np)[name] for name in _SAME if name in vars(_np)}
globals().update(_same)
__all__ += _same
