"""Files and the memory of others."""
# Made by python/declare.py from python/declared/files.toml.

import numpy as _np

from .._array import from_host as _from_host
from .._fallback import elsewhere as _elsewhere, holds_foreign as _holds_foreign
from .._files import (
    frombuffer as _files_frombuffer, load as _files_load, save as _files_save, savetxt as _files_savetxt, savez as _files_savez,
    savez_compressed as _files_savez_compressed,
)
from .._protocols import from_dlpack as _protocols_from_dlpack

__all__ = [
    "from_dlpack", "frombuffer", "fromfile", "fromiter", "fromstring", "genfromtxt", "load", "loadtxt", "save", "savetxt", "savez",
    "savez_compressed",
]

# The module of a function is the public one.
__name__ = "weft.numpy"


def from_dlpack(x, /, *, device=None, copy=None):
    """An array in the memory of another library's array; a copy if `copy` is true, or if the memory cannot be shared."""
    try:
        return _protocols_from_dlpack(x, device=device, copy=copy)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "x"):
            raise
    return _elsewhere(from_dlpack, given)


def frombuffer(buffer, dtype=None, count=-1, offset=0, *, like=None):
    """A vector of the bytes in memory."""
    try:
        return _files_frombuffer(buffer, dtype, count, offset, like=like)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "buffer", "like=None"):
            raise
    return _elsewhere(frombuffer, given)


def fromfile(file, dtype=None, count=-1, sep='', offset=0, *, like=None):
    """A vector of a file's content."""
    return _from_host(_np.fromfile(file, dtype, count, sep, offset, like=like))


def fromiter(iter, dtype, count=-1, *, like=None):
    """A vector of the values of an iterator."""
    return _from_host(_np.fromiter(iter, dtype, count, like=like))


def fromstring(string, dtype=float, count=-1, *, sep, like=None):
    """A vector of the numbers in a text."""
    return _from_host(_np.fromstring(string, dtype, count, sep=sep, like=like))


def genfromtxt(fname, dtype=float, comments='#', delimiter=None, skip_header=0, skip_footer=0, converters=None, missing_values=None, filling_values=None, usecols=None, names=None, excludelist=None, deletechars=" !#$%&'()*+,-./:;<=>?@[\\]^{|}~", replace_space='_', autostrip=False, case_sensitive=True, defaultfmt='f%i', unpack=None, usemask=False, loose=True, invalid_raise=True, max_rows=None, encoding=None, *, ndmin=0, like=None):
    """An array of the numbers in a text file, of which some may be missing."""
    return _from_host(_np.genfromtxt(fname, dtype, comments, delimiter, skip_header, skip_footer, converters, missing_values, filling_values, usecols, names, excludelist, deletechars, replace_space, autostrip, case_sensitive, defaultfmt, unpack, usemask, loose, invalid_raise, max_rows, encoding, ndmin=ndmin, like=like))


def load(file, mmap_mode=None, allow_pickle=False, **kwargs):
    """Reads an array, or several, from a file. Pickles are refused."""
    try:
        return _files_load(file, mmap_mode, allow_pickle, **kwargs)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given):
            raise
    return _elsewhere(load, given)


def loadtxt(fname, dtype=float, comments='#', delimiter=None, converters=None, skiprows=0, usecols=None, unpack=False, ndmin=0, encoding=None, max_rows=None, *, quotechar=None, like=None):
    """An array of the numbers in a text file."""
    return _from_host(_np.loadtxt(fname, dtype, comments, delimiter, converters, skiprows, usecols, unpack, ndmin, encoding, max_rows, quotechar=quotechar, like=like))


def save(file, arr, allow_pickle=False):
    """Writes an array to an npy file."""
    try:
        return _files_save(file, arr, allow_pickle)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "arr"):
            raise
    return _elsewhere(save, given)


def savetxt(fname, X, fmt='%.18e', delimiter=' ', newline='\n', header='', footer='', comments='# ', encoding=None):
    """Writes an array as text."""
    try:
        return _files_savetxt(fname, X, fmt, delimiter, newline, header, footer, comments, encoding)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "X"):
            raise
    return _elsewhere(savetxt, given)


def savez(file, *args, **kwds):
    """Writes arrays to an npz file."""
    try:
        return _files_savez(file, *args, **kwds)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "args"):
            raise
    return _elsewhere(savez, given)


def savez_compressed(file, *args, **kwds):
    """Writes arrays to a compressed npz file."""
    try:
        return _files_savez_compressed(file, *args, **kwds)
    except (TypeError, AttributeError, ValueError, IndexError, OverflowError):
        given = locals()
        if not _holds_foreign(given, "args"):
            raise
    return _elsewhere(savez_compressed, given)
