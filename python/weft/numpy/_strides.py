"""Views by lengths and strides: ``numpy.lib.stride_tricks``."""

from .. import _core
from ._array import make
from ._shape import axes_of, broadcast_arrays, broadcast_shapes, broadcast_to, shape_of

__all__ = ["as_strided", "broadcast_arrays", "broadcast_shapes", "broadcast_to", "sliding_window_view"]


def as_strided(x, shape=None, strides=None, subok=False, writeable=True):
    """The view from the first element with these lengths and distances in bytes. It must lie within the array's memory."""
    x = make(x)
    shape = x.shape if shape is None else shape_of(shape)
    strides = x.strides if strides is None else tuple(int(one) for one in strides)
    if any(step % x.itemsize for step in strides):
        raise ValueError(f"strides of {strides} bytes are not multiples of an element's {x.itemsize}")
    made = _core.strided(x, list(shape), [step // x.itemsize for step in strides])
    if not writeable:
        made._set_writeable(False)
    return made


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """The view of all windows of an array."""
    window = tuple(window_shape) if hasattr(window_shape, "__iter__") else (window_shape,)
    x = make(x)
    if any(length < 0 for length in window):
        raise ValueError("`window_shape` cannot contain negative values")
    if axis is None:
        axes = tuple(range(x.ndim))
        if len(window) != len(axes):
            raise ValueError(
                "Since axis is None, must provide window_shape for all dimensions of `x`; "
                f"got {len(window)} window_shape elements and `x.ndim` is {x.ndim}."
            )
    else:
        axes = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
        axes = tuple(axes_of(one, x.ndim)[0] for one in axes)
        if len(window) != len(axes):
            raise ValueError(
                "Must provide matching length window_shape and axis; "
                f"got {len(window)} window_shape elements and {len(axes)} axes elements."
            )
    shape = list(x.shape)
    for at, length in zip(axes, window):
        if shape[at] < length:
            raise ValueError("window shape cannot be larger than input array shape")
        shape[at] -= length - 1
    strides = x.strides + tuple(x.strides[at] for at in axes)
    return as_strided(x, (*shape, *window), strides, writeable=writeable)
