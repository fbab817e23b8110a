"""Arrays with what is asked of their memory."""

from .. import _core
from ._array import array, asarray, ndarray


def ascontiguousarray(a, dtype=None, *, like=None):
    """An array in row-major order, of one axis at least."""
    made = array(a, dtype, copy=None)
    if isinstance(made, ndarray) and not made.flags.c_contiguous:
        made = _core.copy(made)
    return made.reshape(1) if made.ndim == 0 else made


def asfortranarray(a, dtype=None, *, like=None):
    """The array itself: Weft chooses how its arrays lie."""
    made = asarray(a, dtype)
    return made.reshape(1) if made.ndim == 0 else made


def require(a, dtype=None, requirements=None, *, like=None):
    """An array with what is required of its memory."""
    return ascontiguousarray(a, dtype) if requirements else asarray(a, dtype)
