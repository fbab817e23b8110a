"""Arrays in files and in the memory of other libraries."""

import numpy as _np

from . import _array
from ._array import ndarray


def save(file, arr, allow_pickle=False):
    """Writes an array to an npy file."""
    return _np.save(file, _np.asarray(arr), allow_pickle=allow_pickle)


def savez(file, *args, **kwds):
    """Writes arrays to an npz file."""
    return _np.savez(file, *map(_np.asarray, args), **{name: _np.asarray(one) for name, one in kwds.items()})


def savez_compressed(file, *args, **kwds):
    """Writes arrays to a compressed npz file."""
    return _np.savez_compressed(file, *map(_np.asarray, args), **{name: _np.asarray(one) for name, one in kwds.items()})


def savetxt(fname, X, fmt="%.18e", delimiter=" ", newline="\n", header="", footer="", comments="# ", encoding=None):
    """Writes an array as text."""
    return _np.savetxt(fname, _np.asarray(X), fmt, delimiter, newline, header, footer, comments, encoding)


class _Loaded:
    """The arrays of an npz file."""

    def __init__(self, file):
        self._file = file
        self.files = file.files

    def __getitem__(self, name):
        return _array.from_host(self._file[name])

    def __iter__(self):
        return iter(self.files)

    def __len__(self):
        return len(self.files)

    def __contains__(self, name):
        return name in self._file

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._file.close()

    def close(self):
        """Closes the file."""
        self._file.close()

    def keys(self):
        """The names."""
        return self._file.keys()

    def items(self):
        """The names with their arrays."""
        return ((name, self[name]) for name in self.files)


def load(file, mmap_mode=None, allow_pickle=False, **kwargs):
    """Reads an array, or several, from a file. Pickles are refused. With `mmap_mode` the array is NumPy's, in the memory of the file."""
    if allow_pickle:
        raise ValueError("Weft reads no pickles: numpy.load reads files that you trust")
    made = _np.load(file, mmap_mode, **kwargs)
    if isinstance(made, _np.memmap):
        return made
    return _array.from_host(made) if isinstance(made, _np.ndarray) else _Loaded(made)


def frombuffer(buffer, dtype=None, count=-1, offset=0, *, like=None):
    """A vector of the bytes in memory: a view if the memory can be written to, otherwise a read-only copy."""
    host = _np.frombuffer(buffer, dtype, count, offset, like=like)
    made = _array.from_memory(host)
    if isinstance(made, ndarray) and not host.flags.writeable:
        made.flags.writeable = False
    return made
