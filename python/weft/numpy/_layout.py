"""Arrays with requirements on their memory."""

import numpy as _np

from .. import _core
from ._array import array, asarray, is_guest, ndarray

#: The properties that `require` knows, by their names and letters.
_PROPERTIES = {
    "C": "C", "C_CONTIGUOUS": "C", "CONTIGUOUS": "C", "F": "F", "F_CONTIGUOUS": "F", "FORTRAN": "F", "A": "A", "ALIGNED": "A",
    "W": "W", "WRITEABLE": "W", "O": "O", "OWNDATA": "O", "E": "E", "ENSUREARRAY": "E",
}  # fmt: skip


def ascontiguousarray(a, dtype=None, *, like=None):
    """An array in row-major order with at least one axis."""
    return array(a, dtype, copy=None, order="C", ndmin=1)


def asfortranarray(a, dtype=None, *, like=None):
    """An array of at least one axis. It is a new one, in Weft's order, if NumPy makes one in column-major order."""
    return array(a, dtype, copy=None, order="F", ndmin=1)


def require(a, dtype=None, requirements=None, *, like=None):
    """An array with the required properties of its memory."""
    if is_guest(a):
        return _np.require(a, dtype, requirements)
    if not requirements:
        return asarray(a, dtype)
    wanted = {_PROPERTIES[one.upper()] for one in requirements} - {"E"}
    if wanted >= {"C", "F"}:
        raise ValueError('Cannot specify both "C" and "F" order')
    order = "C" if "C" in wanted else "F" if "F" in wanted else "K"
    made = array(a, dtype, copy=None, order=order)
    is_fine = not isinstance(made, ndarray) or all(made.flags[one] for one in wanted - {"C", "F"})
    return made if is_fine else _core.copy(made)
